# SPDX-License-Identifier: MIT
# Optional libraries: sets JANSSON_FOUND, LIBCRYPTO_FOUND and HWLOC_FOUND, with the targets PkgConfig::JANSSON and so
# on. Prints what is left out.
find_package(PkgConfig QUIET)

function(heddle_optional name module without)
    set(${name}_FOUND FALSE)
    if(HEDDLE_${name} AND PkgConfig_FOUND)
        pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    endif()
    if(NOT ${name}_FOUND)
        message(STATUS "heddle: without ${module}: ${without}")
    endif()
    set(${name}_FOUND ${${name}_FOUND} PARENT_SCOPE)
endfunction()

heddle_optional(JANSSON jansson>=2.9 "graphs and traces are written, but not read")
heddle_optional(LIBCRYPTO libcrypto "answers have no digests")
heddle_optional(HWLOC hwloc>=2.0 "cores are counted and pinned by the system's view")
