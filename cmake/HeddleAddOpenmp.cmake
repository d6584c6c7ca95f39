# SPDX-License-Identifier: MIT
# heddle_add_openmp(TARGET SOURCE... [OPTIONS OPTION...]) translates C sources with OpenMP tasks by heddlec during the
# build, and adds the generated files to the target: the host's parts as C, the tasks as CUDA if HEDDLE_CUDA is on, else
# as C. OPTIONS are heddlec's, such as --region=parallel. heddlec gets the target's include folders and definitions. All
# sources of a program that create tasks, or that tasks call, belong into one call. Installed with the package.
function(heddle_add_openmp target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
    heddle_find_heddlec()
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "heddle_add_openmp(${target}): no source was given")
    endif()

    set(sources)
    set(stems)
    set(hosts)
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        cmake_path(ABSOLUTE_PATH source)
        list(APPEND sources ${source})
        # As heddlec names them: a second source of one name gets a number.
        cmake_path(GET source STEM LAST_ONLY stem)
        string(REGEX REPLACE "[^A-Za-z0-9]" "_" stem "${stem}")
        list(APPEND stems ${stem})
        set(same ${stems})
        list(FILTER same INCLUDE REGEX "^${stem}$")
        list(LENGTH same number)
        if(number GREATER 1)
            string(APPEND stem "_${number}")
        endif()
        list(APPEND hosts ${stem})
    endforeach()

    list(GET hosts 0 program)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/heddle_openmp/${target}/${program})
    list(TRANSFORM hosts PREPEND ${folder}/)
    list(TRANSFORM hosts APPEND .heddle.c)
    set(bodies ${folder}/${program}.heddle.bodies.c)
    file(MAKE_DIRECTORY ${folder})

    set(include "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(define "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    add_custom_command(
        OUTPUT ${hosts} ${bodies}
        COMMAND ${HEDDLE_HEDDLEC_COMMAND} ${sources} --emit ${folder} --deps ${folder}/read.d ${arg_OPTIONS} --
                "$<$<BOOL:${include}>:-I$<JOIN:${include},;-I>>" "$<$<BOOL:${define}>:-D$<JOIN:${define},;-D>>"
        DEPENDS ${sources} ${HEDDLE_HEDDLEC_COMMAND}
        DEPFILE ${folder}/read.d
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        COMMENT "OpenMP tasks of ${target}"
        COMMAND_EXPAND_LISTS VERBATIM)

    target_sources(${target} PRIVATE ${hosts})
    heddle_add_bodies(${target} ${bodies})
    target_link_libraries(${target} PRIVATE heddle::heddle_openmp_static Threads::Threads m)
    heddle_use_openmp(${target} ${hosts})
endfunction()

# Sets HEDDLE_HEDDLEC_COMMAND: this build's target, or the program installed beside the package.
function(heddle_find_heddlec)
    if(TARGET heddlec)
        set(HEDDLE_HEDDLEC_COMMAND heddlec PARENT_SCOPE)
        return()
    endif()
    find_program(HEDDLEC_PROGRAM heddlec HINTS ${HEDDLE_PROGRAM_DIR})
    if(NOT HEDDLEC_PROGRAM)
        message(FATAL_ERROR "heddle_add_openmp: there is no heddlec here; this heddle was built without libclang")
    endif()
    set(HEDDLE_HEDDLEC_COMMAND ${HEDDLEC_PROGRAM} PARENT_SCOPE)
endfunction()

# OpenMP that heddlec leaves alone (the host's parallel loops) needs the compiler's own. heddlec has reported a source's
# errors; warnings about generated text help nobody.
function(heddle_use_openmp target)
    set(flags)
    find_package(OpenMP COMPONENTS C QUIET)
    if(OpenMP_C_FOUND)
        separate_arguments(flags NATIVE_COMMAND "${OpenMP_C_FLAGS}")
        target_link_libraries(${target} PRIVATE ${OpenMP_C_LIBRARIES})
    endif()
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${flags};-w")
endfunction()
