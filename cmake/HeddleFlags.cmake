# SPDX-License-Identifier: MIT
# Compiler flags of everything here.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_GNU_SOURCE)
add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wall> $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra>
                    $<$<COMPILE_LANGUAGE:C,CXX>:-Wpedantic>)
if(HEDDLE_WERROR)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Werror> "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()

if(HEDDLE_SANITIZE STREQUAL "thread")
    set(sanitize -fsanitize=thread)
    add_compile_definitions(HEDDLE_TSAN) # gcc and clang have no common name for it
elseif(HEDDLE_SANITIZE STREQUAL "address")
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    add_compile_definitions(HEDDLE_ASAN)
elseif(HEDDLE_SANITIZE)
    message(FATAL_ERROR "HEDDLE_SANITIZE is '${HEDDLE_SANITIZE}'; it can be thread or address")
endif()
if(HEDDLE_SANITIZE)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fno-omit-frame-pointer> ${sanitize})
    add_link_options(${sanitize})
    add_compile_definitions(HEDDLE_WAVE_OLDEST) # the code for newer processors is the same lines, and takes minutes more
endif()

# Serial references, CPU lanes and thread blocks must give the same bits; on the GPU HEDDLE_FMA gives that up.
set(HEDDLE_EXACT_FLAGS $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>)
if(NOT HEDDLE_FMA)
    list(APPEND HEDDLE_EXACT_FLAGS $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>)
endif()

if(HEDDLE_CUDA)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90)
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.8 REQUIRED)
endif()
