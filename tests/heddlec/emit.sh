#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# emit.sh HEDDLEC CC ROOT OUT - prepares, where libclang is, the programs that tests/gpu.sh compiles and runs on a GPU.
# Each program of accept/ and apps/openmp/ gets a folder with the translated sources and `want`, its output when CC
# compiles it with -fopenmp (an application: with a small problem). Programs with `gpu: no` are for the CPU only.
set -euo pipefail
heddlec=$1 cc=$2 root=$3 out=$4
. "$root/tests/heddlec/head.bash"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root/tests/heddlec/accept"

translate() { # SOURCE [ARGUMENT...]: arguments of the program's run
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
