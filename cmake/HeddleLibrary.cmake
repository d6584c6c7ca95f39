# SPDX-License-Identifier: MIT
# Makes heddle and heddle_static from HEDDLE_SOURCES and HEDDLE_RANGES_SOURCES; heddle_ranges from the latter alone; and
# heddle_headers: what a public header needs, without a library.
add_library(heddle_headers INTERFACE)
target_include_directories(heddle_headers INTERFACE ${PROJECT_SOURCE_DIR}/include)

add_library(heddle_ranges_objects OBJECT ${HEDDLE_RANGES_SOURCES})
add_library(heddle_objects OBJECT ${HEDDLE_SOURCES})
foreach(objects heddle_ranges_objects heddle_objects)
    set_target_properties(${objects} PROPERTIES C_VISIBILITY_PRESET hidden)
    target_include_directories(${objects} PRIVATE src)
    target_link_libraries(${objects} PRIVATE heddle_headers)
endforeach()
# The library contains the papers' dispatches; each table chooses when it is compiled (heddle/baselines.h).
target_compile_definitions(heddle_objects PRIVATE HEDDLE_BASELINES)
set(all_objects $<TARGET_OBJECTS:heddle_ranges_objects> $<TARGET_OBJECTS:heddle_objects>)

add_library(heddle SHARED ${all_objects})
set_target_properties(heddle PROPERTIES VERSION ${PROJECT_VERSION}
                      # Before 1.0 a minor version may change the binary interface.
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(heddle_static STATIC ${all_objects})
set_target_properties(heddle_static PROPERTIES OUTPUT_NAME heddle)
add_library(heddle::heddle ALIAS heddle)
add_library(heddle::heddle_static ALIAS heddle_static)

# The library's dependences: an installed static one names them, the shared one is already linked to them.
set(needed)
foreach(optional JANSSON HWLOC)
    if(${optional}_FOUND)
        string(TOLOWER ${optional} name)
        foreach(objects heddle_ranges_objects heddle_objects)
            target_compile_definitions(${objects} PRIVATE HEDDLE_HAVE_${optional}=1)
            target_link_libraries(${objects} PRIVATE PkgConfig::${optional})
        endforeach()
        list(APPEND needed $<BUILD_INTERFACE:PkgConfig::${optional}> $<INSTALL_INTERFACE:${name}>)
    endif()
endforeach()
# The CUDA runtime is linked in and private: a program may use another one. libcuda comes with the driver, at run time
# only.
if(HEDDLE_CUDA)
    target_compile_definitions(heddle_objects PRIVATE HEDDLE_HAVE_CUDA=1)
    target_include_directories(heddle_objects SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_options(heddle PRIVATE -Wl,--exclude-libs,libcudart_static.a:libculibos.a)
    list(APPEND needed CUDA::cudart_static)
endif()
foreach(library heddle heddle_static)
    target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE ${needed} Threads::Threads m)
endforeach()
# Never installed: targets that link it use the library's internal names.
add_library(heddle_ranges STATIC $<TARGET_OBJECTS:heddle_ranges_objects>)
set_target_properties(heddle_ranges PROPERTIES EXCLUDE_FROM_ALL ON)
target_include_directories(heddle_ranges INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(heddle_ranges PUBLIC heddle_headers PRIVATE Threads::Threads)
if(HWLOC_FOUND)
    target_link_libraries(heddle_ranges PRIVATE PkgConfig::HWLOC)
endif()
if(NOT HEDDLE_SANITIZE) # a sanitizer's symbols stay undefined until the program is linked
    target_link_options(heddle PRIVATE -Wl,-z,defs)
endif()
