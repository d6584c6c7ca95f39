# SPDX-License-Identifier: MIT
# The rules of `cmake --install`: headers, both libraries, the command, and the two ways to find them.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS heddle heddle_static heddle_openmp heddle_openmp_static EXPORT heddleTargets)
if(TARGET heddle_cli)
    install(TARGETS heddle_cli heddle_figures)
endif()
if(TARGET heddle_share)
    install(TARGETS heddle_share) # not for programs that link: `heddle share run` loads it
endif()
foreach(page heddle heddle-share heddlec)
    if(EXISTS ${PROJECT_SOURCE_DIR}/doc/${page}.1)
        install(FILES doc/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endif()
endforeach()

install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${package_dir})
configure_package_config_file(cmake/heddleConfig.cmake.in heddleConfig.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may break the promises of the one before.
write_basic_package_version_file(heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddleConfig.cmake ${PROJECT_BINARY_DIR}/heddleConfigVersion.cmake
              cmake/HeddleBodies.cmake cmake/HeddleAddOpenmp.cmake DESTINATION ${package_dir})

# heddle.pc locates everything relative to itself, so that an installed tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pc_up)
foreach(dir includedir libdir)
    string(TOUPPER CMAKE_INSTALL_${dir} variable)
    cmake_path(APPEND pc_${dir} "\${prefix}" ${${variable}}) # an absolute folder stays what it is
endforeach()
set(pc_requires_private)
if(JANSSON_FOUND)
    list(APPEND pc_requires_private "jansson >= 2.9")
endif()
if(HWLOC_FOUND)
    list(APPEND pc_requires_private "hwloc >= 2.0")
endif()
list(JOIN pc_requires_private ", " pc_requires_private)
set(pc_libs_private)
if(HEDDLE_CUDA)
    set(pc_libs_private "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
foreach(name heddle heddle_openmp)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
