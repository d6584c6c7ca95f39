#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cmake.sh BUILD_DIR CONSUMER_DIR - an installed heddlec works for a CMake project that calls heddle_add_openmp, sees its
# include folders and definitions, and translates again when a header changes; installed, it also works by itself.
set -euo pipefail
build=$(realpath "$1") consumer=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >log || { cat log && exit 1; }

mkdir -p program/include program/parts program/more
cat >program/include/by.h <<'END'
#define BY 2
END
cat >program/parts/part.c <<'END'
#include "by.h"
void scale(int *x) { *x *= BY; }
END
cat >program/more/part.c <<'END'
static int one(void) { return 1; }
void next(const int *from, int *to) { *to = *from + one(); }
END
cat >program/main.c <<'END'
#include <stdio.h>
void scale(int *x);
void next(const int *from, int *to);
int main(void)
{
    int x[SIZE] = {3};
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int i = 1; i < SIZE; i++) {
#pragma omp task depend(in : x[i - 1]) depend(out : x[i])
        next(&x[i - 1], &x[i]);
        if (i == SIZE - 1) {
#pragma omp task depend(inout : x[i])
            scale(&x[i]);
        }
    }
    printf("%d\n", x[SIZE - 1]);
    return 0;
}
END

echo "-- heddle_add_openmp"
prints() { # WANT PROGRAM
    local got
    got=$(HEDDLE_BACKEND=cpu "$2")
    [ "$got" = "$1" ] || { echo "$2 prints $got instead of $1" && exit 1; }
}
make_it() { cmake --build made >log 2>&1 || { cat log && exit 1; }; }
cmake -S "$consumer" -B made -DCMAKE_PREFIX_PATH="$prefix" -DPROGRAM="$work/program" >log 2>&1 || { cat log && exit 1; }
make_it
prints 28 made/program
sleep 1 # for file systems that count whole seconds
echo '#define BY 10' >program/include/by.h
make_it
prints 140 made/program

echo "-- the installed command"
"$prefix/bin/heddlec" program/main.c program/parts/part.c program/more/part.c -o by_hand -DSIZE=4 -Iprogram/include \
    -Wno-HC190
prints 60 ./by_hand
man=$(find "$prefix" -name heddlec.1)
[ -n "$man" ] || { echo "the manual is not installed" && exit 1; }
