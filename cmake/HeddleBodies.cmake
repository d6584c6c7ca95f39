# SPDX-License-Identifier: MIT
# heddle_add_bodies(TARGET FILE...) adds files of task bodies to a target: as CUDA if HEDDLE_CUDA is on, else as C. A
# file is compiled only one way, because either object defines the same table. Installed with the package; with
# HEDDLE_CUDA the calling project must enable the language CUDA.
function(heddle_add_bodies target)
    target_sources(${target} PRIVATE ${ARGN})
    if(HEDDLE_CUDA)
        # nvcc drops a call of a function without HEDDLE_FN with only a warning: the task would compute something else.
        set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target}
                                    PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS "-Werror;cross-execution-space-call")
    endif()
endfunction()
