#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuda.sh - every file of bodies, and every litmus program, compiles as CUDA without a warning, even if this build does
# not use CUDA: bodies must stay in the common part of C and C++. It stops at unoptimised PTX; builds with CUDA test the
# rest.
. "$(dirname "$0")/common.sh"

command -v nvcc >/dev/null || skip "no nvcc here"
: >"$scratch/bad"
export scratch
{
    project_files '*bodies.c' | grep -E '^(apps|examples|bench|tests/(gpu|spawn|wave))/'
    project_files '*cells.c' | grep -E '^(bench|tests/gpu)/'
    echo tests/wave/{cells,cells_as_tiles,sweeps,tiles}.c bench/papers/peerwave/sweeps.c | tr ' ' '\n'
    project_files '*.cu'
} | xargs -P "$(nproc)" -I{} bash -c '
    nvcc -x cu -std=c++17 -arch=sm_90 -fmad=false -Iinclude -Iapps -Itests -Isrc -Ibench -Ibench/papers/lib -I. -Werror all-warnings -Xcicc -O0 -ptx "$1" \
        -o "$scratch/${1//\//_}.ptx" || echo "$1: not as CUDA" >>"$scratch/bad"' bash {}
report "$scratch/bad"
