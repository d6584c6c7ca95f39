#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# readme.sh SOURCE_DIR BUILD_DIR - the README is right. Its links lead to files, its CMake names what exists, it has at
# most 90 lines. Its first program, compiled as it says and run, prints that it is right: as C, even beside a GPU, which
# cannot run such bodies; and by nvcc, if present with the cuda backend, with the GPU and without.
. "$(dirname "$0")/common.sh"

build=$2
lines=$(wc -l <README.md)
[ "$lines" -le 90 ] || { echo "README.md: $lines lines, of 90"; exit 1; }
grep -oE '\]\([^)]*\)' README.md | sed 's/^](//;s/)$//;s/#.*//' | while read -r link; do
    [[ $link == http*://* || -z $link || -e $link ]] || echo "README.md: there is no $link"
done >"$scratch/bad"
report "$scratch/bad"

[ -e "$build/libheddle.so" ] || skip "libheddle.so is not built"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
for kind in address thread; do
    nm -D "$build/libheddle.so" | grep -q "__${kind:0:1}san_init" && skip "a sanitizer's library needs a program of its own"
done
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;/^```$/,$d' >"$scratch/first.c"
must_be_right() { # COMMAND...: prints that it is right
    local said
    said=$("$@") || { echo "the README's program ends with $?: $said: $*"; exit 1; }
    [ "$said" = right ] || { echo "the README's program says: $said: $*"; exit 1; }
}
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -O2 -Iinclude "$scratch/first.c" -L"$build" -lheddle -Wl,-rpath,"$build" -o "$scratch/first"
must_be_right "$scratch/first"

command -v nvcc >/dev/null && grep -qa cuLaunchKernel "$build/libheddle.so" || exit 0
gpu=$(nvidia-smi -L 2>/dev/null | head -1) || true
nvcc -x cu -std=c++17 -O2 -arch="$([ -n "$gpu" ] && echo native || echo sm_90)" -Iinclude "$scratch/first.c" -L"$build" -lheddle \
    -Xlinker -rpath -Xlinker "$build" -o "$scratch/first_cuda"
must_be_right env CUDA_VISIBLE_DEVICES= "$scratch/first_cuda"
[ -z "$gpu" ] || must_be_right env HEDDLE_BACKEND=cuda "$scratch/first_cuda"
