# SPDX-License-Identifier: MIT
# heddle_add_early(TARGET FILE...) is heddle_add_bodies, and accepts .cu files if HEDDLE_CUDA is on: nvcc begins with
# them at once. make starts a target only after all libraries that it links, and nvcc takes half a minute for a table
# with spawning tasks; such tables would wait for each other. Hence these objects form a target of their own,
# TARGET_early, compiled as TARGET but without its dependences. Their headers must exist; none may be generated.
function(heddle_add_early target)
    if(NOT HEDDLE_CUDA)
        heddle_add_bodies(${target} ${ARGN})
        return()
    endif()
    if(NOT TARGET ${target}_early)
        add_library(${target}_early OBJECT)
        foreach(kind INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
            # The target's own settings, and those of what it links: these wait for no other target.
            set_property(TARGET ${target}_early PROPERTY ${kind} $<TARGET_PROPERTY:${target},${kind}>)
        endforeach()
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_early>)
    endif()
    heddle_add_bodies(${target}_early ${ARGN})
endfunction()
