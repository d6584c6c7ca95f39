#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emit.sh HEDDLEC CC ROOT OUT - what tests/gpu.sh compiles and runs on a GPU, made where libclang is: for each program of accept/
# and apps/openmp/ a folder of its own with the translated sources and `want`, what the program prints when CC compiles it with
# -fopenmp (for an application: a small problem). Programs with `gpu: no` in their heads are for the CPU alone.
set -euo pipefail
heddlec=$1 cc=$2 root=$3 out=$4
. "$root/tests/heddlec/head.bash"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root/tests/heddlec/accept"

translate() { # SOURCE [ARGUMENT...]: of the program when it runs
    local source=$1 name flags also openmp=-fopenmp
    shift
    name=$(basename "$source" .c)
    flags=$(head_of "$source" flags) also=$(head_of "$source" also)
    [[ $(head_of "$source" gcc) != no* ]] || openmp=
    rm -rf "${out:?}/$name"
    # shellcheck disable=SC2086
    "$heddlec" "$source" $also --emit "$out/$name" $flags 2>"$out/said" || { cat "$out/said" && exit 1; }
    # shellcheck disable=SC2086
    "$cc" -std=gnu11 -O1 -w $openmp "$source" $also -o "$out/reference" -lm
    "$out/reference" "$@" >"$out/$name/want" 2>/dev/null
    echo "$*" >"$out/$name/arguments"
}

for source in *.c; do
    [[ $(head_of "$source" gpu) == no* ]] || translate "$source"
done
for source in ../../../apps/openmp/*.c; do
    translate "$source" 107 19
done
rm -f "$out/said" "$out/reference"
