#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bodies.sh SOURCE_DIR - compiled bodies. A body alone on a thread is vectorized like a plain loop: with gcc and clang,
# at -O2 and -O3, the loop of HEDDLE_EACH has packed multiplications if the same loop written with `for` has (x86-64
# only: the check searches for names of instructions). A body with other params than its table is an error in C and C++.
. "$(dirname "$0")/common.sh"

[ "$(uname -m)" = x86_64 ] || skip "not x86-64"
cat >"$scratch/each.c" <<'EOF'
#include "heddle/task.h"
typedef struct { float *a; int n; } scale_params;
typedef struct { uint64_t at; float by; } scale_args;
#define SCALE_BODIES(X) X(scale_row, 0)
HEDDLE_ENUM(scale, SCALE_BODIES)
HEDDLE_BODY(scale_row, scale_params, params, scale_args, t)
{
    HEDDLE_EACH (i, params->n)
        params->a[t->at + i] *= t->by;
}
HEDDLE_TABLE(scale, scale_params, SCALE_BODIES)
EOF
cat >"$scratch/plain.c" <<'EOF'
void scale(float *a, int n, const float *by);
void scale(float *a, int n, const float *by)
{
    for (int i = 0; i < n; i++)
        a[i] *= *by;
}
EOF
packed() { # COMPILER LEVEL FILE: how many packed multiplications
    "$1" -std=c11 -D_GNU_SOURCE "$2" -Iinclude -S -o - "$scratch/$3.c" | grep -c 'mulps' || true
}
tried=0
: >"$scratch/bad"
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for level in -O2 -O3; do
        tried=$((tried + 1))
        plain=$(packed "$compiler" "$level" plain) each=$(packed "$compiler" "$level" each)
        [ "$plain" -eq 0 ] || [ "$each" -gt 0 ] || echo "$compiler $level: HEDDLE_EACH is no vector code, a plain loop is" >>"$scratch/bad"
    done
    [ "$(packed "$compiler" -O3 plain)" -gt 0 ] || echo "$compiler -O3 makes no vector code of a plain loop: nothing was checked" >>"$scratch/bad"
done
[ "$tried" -gt 0 ] || skip "neither gcc nor clang"

sed 's/HEDDLE_TABLE(scale, scale_params/HEDDLE_TABLE(scale, scale_args/' "$scratch/each.c" >"$scratch/wrong.c"
cp "$scratch/wrong.c" "$scratch/wrong.cc"
for compiler in 'gcc -std=c11' 'clang -std=c11' 'g++ -std=c++17' 'clang++ -std=c++17'; do
    command -v "${compiler%% *}" >/dev/null || continue
    file=wrong.c
    [[ $compiler != *++* ]] || file=wrong.cc
    # shellcheck disable=SC2086
    ! $compiler -D_GNU_SOURCE -Iinclude -fsyntax-only "$scratch/$file" 2>/dev/null ||
        echo "$compiler takes a body whose params are not those of its table" >>"$scratch/bad"
done
report "$scratch/bad"
