#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install.sh SOURCE_DIR BUILD_DIR - an installed heddle is found: by find_package (shared and static, bodies included) and
# by pkg-config; the shared library exports the public calls and nothing else; each public call is there.
. "$(dirname "$0")/common.sh"
build=$2
prefix=$scratch/prefix
example=examples/03_own_bodies

cmake --install "$build" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log" && exit 1; }
library=$(find "$prefix" -name libheddle.so)
pc=$(find "$prefix" -name heddle.pc)
export LD_LIBRARY_PATH=${library%/*}

echo "-- find_package"
cmake -S tests/checks/consumer -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLE="$PWD/$example" >"$scratch/log" &&
    cmake --build "$scratch/consumer" >>"$scratch/log" || { cat "$scratch/log" && exit 1; }
for program in with_shared with_static; do
    "$scratch/consumer/$program" | diff "$example/expected.txt" -
done

echo "-- pkg-config"
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
cc -std=c11 $example/*.c $(pkg-config --cflags --libs heddle) -o "$scratch/with_pc"
"$scratch/with_pc" | diff "$example/expected.txt" -

echo "-- symbols"
awk '/^HEDDLE_API/, /;/' include/heddle.h | grep -oE '\bheddle_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$scratch/declared"
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v '^_' | sort -u >"$scratch/exported"
diff "$scratch/declared" "$scratch/exported" || { echo "declared and exported differ" && exit 1; }
readelf -d "$library" | grep SONAME

echo "-- headers"
diff -r include "$prefix/include"
