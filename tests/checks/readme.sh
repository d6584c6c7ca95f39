#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# readme.sh SOURCE_DIR BUILD_DIR - the README's first program, compiled as it says and run, prints that it is right: also where
# there is a GPU, which cannot run its bodies.
. "$(dirname "$0")/common.sh"

build=$2
[ -e "$build/libheddle.so" ] || skip "libheddle.so is not built"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
for kind in address thread; do
    nm -D "$build/libheddle.so" | grep -q "__${kind:0:1}san_init" && skip "a sanitizer's library needs a program of its own"
done
sed -n '/^```c$/,/^```$/p' README.md | sed '1d;/^```$/,$d' >"$scratch/first.c"
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -O2 -Iinclude "$scratch/first.c" -L"$build" -lheddle -Wl,-rpath,"$build" -o "$scratch/first"
said=$("$scratch/first") || { echo "the README's program ends with $?: $said"; exit 1; }
[ "$said" = right ] || { echo "the README's program says: $said"; exit 1; }
