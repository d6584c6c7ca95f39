#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# layout.sh SOURCE_DIR - the structs that a device reads have the same layout in C, C++ and CUDA (both passes of nvcc).
. "$(dirname "$0")/common.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v "${CC:-cc}" >/dev/null || skip "no C compiler here"
"${CC:-cc}" -std=c11 -Iinclude tests/checks/layout.c -o "$scratch/layout"
{
    printf '#include "heddle/loop.h"\n#include <stddef.h>\n'
    "$scratch/layout"
} >"$scratch/layout.cu"
[ "$(grep -c static_assert "$scratch/layout.cu")" -ge 60 ] || { echo "layout.c printed too little"; exit 1; }
"${CXX:-c++}" -std=c++17 -Iinclude -fsyntax-only -x c++ "$scratch/layout.cu"
command -v nvcc >/dev/null || skip "C and C++ agree; no nvcc here"
nvcc -std=c++17 -arch=sm_90 -Iinclude -c "$scratch/layout.cu" -o "$scratch/layout.o"
