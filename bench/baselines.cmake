# SPDX-License-Identifier: MIT
# Compiles the programs of the libraries that heddle is compared with, each with the compiler of its library: cmake -D
# NAME=... -D OBJECTS=... -D SUBJECTS=... -D PROGRAMS=... -P baselines.cmake. OBJECTS are the bench's own, compiled, SUBJECTS
# is the folder of the libraries' files. This is a script without targets, because libraries may be installed after the
# build was configured. Leaves PROGRAMS/NAME_LIBRARY, or the reason in PROGRAMS/NAME_LIBRARY.skipped; fails only if it
# cannot write there.
cmake_minimum_required(VERSION 3.25)
set(flags -std=c11 -O3 -D_GNU_SOURCE)

function(skip library why)
    file(WRITE ${PROGRAMS}/${NAME}_${library}.skipped "${why}\n")
endfunction()

# baseline(LIBRARY COMPILER SOURCE FLAG...): searches for COMPILER by name.
function(baseline library compiler source)
    set(program ${PROGRAMS}/${NAME}_${library})
    file(REMOVE ${program} ${program}.skipped)
    find_program(path_${compiler} ${compiler})
    if(NOT path_${compiler})
        skip(${library} "no ${compiler} here")
        return()
    endif()
    execute_process(COMMAND ${path_${compiler}} ${flags} ${OBJECTS} ${SUBJECTS}/${source} -o ${program}
                            ${ARGN} -lpthread
                    RESULT_VARIABLE status ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        string(REGEX MATCH "[^\n]*error[^\n]*" said "${said}")
        skip(${library} "${compiler} could not compile it: ${said}")
    endif()
endfunction()

baseline(libgomp gcc openmp.c -fopenmp)
baseline(libomp clang openmp.c -fopenmp)

execute_process(COMMAND pkg-config --cflags --libs starpu-1.3 RESULT_VARIABLE status OUTPUT_VARIABLE starpu ERROR_QUIET)
if(status EQUAL 0)
    separate_arguments(starpu UNIX_COMMAND "${starpu}")
    baseline(starpu gcc starpu.c ${starpu})
else()
    file(REMOVE ${PROGRAMS}/${NAME}_starpu)
    skip(starpu "pkg-config knows no starpu-1.3 here")
endif()
