#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# headers.sh SOURCE_DIR gcc|clang|cuda - each installed header compiles alone and twice, without a warning: core,
# body.h, task.h, wave.h, loop.h, multi.h and openmp.h as C11, C++17 and CUDA for three generations, heddle.h, pool.h and fleet.h as C99 and C++11. Missing compilers
# are skipped.
. "$(dirname "$0")/common.sh"

core=(include/heddle/core/*.h include/heddle/core/baselines/*.h include/heddle/body.h include/heddle/task.h include/heddle/wave.h include/heddle/loop.h include/heddle/multi.h include/heddle/wavefront.h include/heddle/openmp.h)
warnings=(-Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only)

# HEADER COMPILER...: reads a file that includes the header twice from standard input.
alone() {
    local header=${1#include/}
    shift
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" | "$@" - || {
        echo "$header: not alone with: $*" >>"$scratch/bad"
    }
}

host() { # C COMPILER, C++ COMPILER
    command -v "$1" >/dev/null || skip "no $1 here"
    command -v "$2" >/dev/null || skip "no $2 here"
    for header in include/heddle.h include/heddle/pool.h include/heddle/fleet.h; do
        alone "$header" "$1" -std=c99 "${warnings[@]}" -Wc++-compat -x c
        alone "$header" "$2" -std=c++11 "${warnings[@]}" -x c++
    done
    for header in "${core[@]}"; do
        case ${header##*/} in block.h | copy.h | courier.h | crew.h | planned.h | resident.h | serve.h | serving.h | strip*.h | kernel.h) continue ;; esac # CUDA only
        alone "$header" "$1" -std=c11 "${warnings[@]}" -Wc++-compat -x c
        alone "$header" "$2" -std=c++17 "${warnings[@]}" -x c++
    done
}

cuda() {
    command -v nvcc >/dev/null || skip "no nvcc here"
    local header name generations=()
    for g in 75 80 90; do generations+=(-gencode "arch=compute_$g,code=sm_$g"); done
    for header in heddle.h include/heddle/pool.h include/heddle/fleet.h "${core[@]}"; do
        name=$scratch/$(basename "$header").cu
        printf '#include "%s"\n#include "%s"\n' "${header#include/}" "${header#include/}" >"$name"
    done
    # Functions without a use are only parsed: a table of bodies makes device code of all of them.
    cp examples/03_own_bodies/bodies.[ch] "$scratch"
    mv "$scratch/bodies.c" "$scratch/bodies.cu"
    printf '%s\n' "$scratch"/*.cu | xargs -P "$(nproc)" -I{} sh -c 'source=$1; shift; "$@" "$source" -o "$source.o" ||
        echo "$source: not as CUDA" >>"$(dirname "$source")/bad"' sh {} \
        nvcc -std=c++17 -Iinclude -Werror all-warnings "${generations[@]}" -c
}

: >"$scratch/bad"
case $2 in
gcc) host gcc g++ ;;
clang) host clang clang++ ;;
cuda) cuda ;;
esac
report "$scratch/bad"
