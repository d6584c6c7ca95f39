# SPDX-License-Identifier: MIT
# heddle_add_early(TARGET FILE...) is heddle_add_bodies, and takes .cu files too where HEDDLE_CUDA is on: nvcc then begins
# with them at once. make begins with a target when all libraries that it links are finished, and nvcc takes half a minute
# for a table whose tasks spawn, so that such tables would wait for each other. Hence objects of their own, TARGET_early,
# compiled as TARGET is, but waiting for nothing. For files whose headers are all there, none of them generated.
function(heddle_add_early target)
    if(NOT HEDDLE_CUDA)
        heddle_add_bodies(${target} ${ARGN})
        return()
    endif()
    if(NOT TARGET ${target}_early)
        add_library(${target}_early OBJECT)
        foreach(kind INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
            # The target's own, and those of what it links: only these wait for nobody.
            set_property(TARGET ${target}_early PROPERTY ${kind} $<TARGET_PROPERTY:${target},${kind}>)
        endforeach()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_early>)
    endif()
    heddle_add_bodies(${target}_early ${ARGN})
endfunction()
