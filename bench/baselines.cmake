# SPDX-License-Identifier: MIT
# Compiles the programs of the libraries that heddle is compared with, each by the compiler that brings its library:
# cmake -D SOURCES=... -D PROGRAMS=... -P baselines.cmake. A script, not targets, because what it looks for may have
# been installed a moment ago, after the build was configured. Leaves PROGRAMS/overhead_NAME, or a sentence that says
# why not in PROGRAMS/overhead_NAME.skipped; it fails only when it cannot write there.
cmake_minimum_required(VERSION 3.25)
set(flags -std=c11 -O2 -D_GNU_SOURCE)

function(skip name why)
    file(WRITE ${PROGRAMS}/overhead_${name}.skipped "${why}\n")
endfunction()

# baseline(NAME COMPILER SOURCE FLAG...): COMPILER is a name to look for.
function(baseline name compiler source)
    set(program ${PROGRAMS}/overhead_${name})
    file(REMOVE ${program} ${program}.skipped)
    find_program(path_${compiler} ${compiler})
    if(NOT path_${compiler})
        skip(${name} "no ${compiler} here")
        return()
    endif()
    execute_process(COMMAND ${path_${compiler}} ${flags} ${SOURCES}/subject.c ${SOURCES}/${source} -o ${program} ${ARGN}
                    RESULT_VARIABLE status ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        string(REGEX MATCH "[^\n]*error[^\n]*" said "${said}")
        skip(${name} "${compiler} could not compile it: ${said}")
    endif()
endfunction()

baseline(libgomp gcc openmp.c -fopenmp)
baseline(libomp clang openmp.c -fopenmp)

execute_process(COMMAND pkg-config --cflags --libs starpu-1.3 RESULT_VARIABLE status OUTPUT_VARIABLE starpu ERROR_QUIET)
if(status EQUAL 0)
    separate_arguments(starpu UNIX_COMMAND "${starpu}")
    baseline(starpu gcc starpu.c ${starpu})
else()
    file(REMOVE ${PROGRAMS}/overhead_starpu)
    skip(starpu "pkg-config knows no starpu-1.3 here")
endif()
