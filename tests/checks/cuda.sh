#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuda.sh - every file of bodies, and every litmus program, compiles as CUDA without a warning, even if this build does
# not use CUDA: bodies must stay in the common part of C and C++. It stops at unoptimised PTX; builds with CUDA test the
# rest. HEDDLE_CUDA_BUILD=FOLDER: a build with CUDA and HEDDLE_WERROR of the same sources; what it has compiled is left out.
. "$(dirname "$0")/common.sh"

command -v nvcc >/dev/null || skip "no nvcc here"
: >"$scratch/bad"
export scratch

# The files that HEDDLE_CUDA_BUILD has compiled as CUDA since they changed.
compiled() {
    [ -n "${HEDDLE_CUDA_BUILD:-}" ] || return 0
    awk -F'"' '$2 == "directory" { folder = $4 }
        $2 == "command" && / -x cu -c / { n = split($4, w, " "); print w[n - 2] "\t" folder "/" w[n] }' \
        "$HEDDLE_CUDA_BUILD/compile_commands.json" |
        while IFS=$'\t' read -r file object; do [ ! "$object" -nt "$file" ] || echo "${file#"$PWD/"}"; done
}
compiled >"$scratch/compiled"
{
    project_files '*bodies.c' | grep -E '^(apps|examples|bench|tests/(gpu|spawn|wave))/'
    project_files '*cells.c' | grep -E '^(bench|tests/gpu)/'
    echo tests/wave/{cells,cells_as_tiles,sweeps,tiles}.c bench/papers/peerwave/sweeps.c | tr ' ' '\n'
    project_files '*.cu'
} | { grep -vxFf "$scratch/compiled" || true; } | xargs -P "$(nproc)" -I{} bash -c '
    nvcc -x cu -std=c++17 -arch=sm_90 -fmad=false -Iinclude -Iapps -Itests -Isrc -Ibench -Itools/heddle -I. -Werror all-warnings -Xcicc -O0 -ptx "$1" \
        -o "$scratch/${1//\//_}.ptx" || echo "$1: not as CUDA" >>"$scratch/bad"' bash {}
report "$scratch/bad"
