#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install.sh SOURCE_DIR BUILD_DIR - an installed heddle is found by find_package (shared and static, bodies included)
# and by pkg-config, from C and C++. make install accepts a folder with a blank in its name. The shared library exports
# all public calls and nothing else.
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

cc -std=c11 bench/openmp/inspect.c $(pkg-config --cflags --libs heddle_openmp) -o "$scratch/with_openmp"
"$scratch/with_openmp" 8 1

echo "-- command"
said=$("$prefix/bin/heddle" bench --figures none 2>&1) && exit 1
grep -q 'juggler, didc14, peerwave, pagoda, hdss, mesi or cumas is expected' <<<"$said" || { echo "heddle does not start heddle-figures: $said" && exit 1; }

echo "-- make install into a folder with a blank"
make -n install PREFIX="$scratch/a b" | grep '^cmake --install' >"$scratch/install" # the rule, for this build
sed -i "s|--install build |--install '$build' |" "$scratch/install"
sh "$scratch/install" >"$scratch/log" || { cat "$scratch/log" && exit 1; }
"$scratch/a b/bin/heddle" --version

echo "-- heddle share"
interposer=$(find "$prefix" -name libheddle_share.so)
if [ -n "$interposer" ]; then
    nm -D --defined-only "$interposer" | awk '{ print $3 }' | grep -vE '^(dlsym|cu[A-Z][A-Za-z0-9]*(_v2)?(_pt[ds][sz])?)$' &&
        echo "$interposer exports more than the driver's names" && exit 1
    XDG_RUNTIME_DIR=$scratch "$prefix/bin/heddle" share run true 2>&1 | grep -q 'starts plainly' || { echo "heddle share does not find its library" && exit 1; }
else
    echo "built without it: left out"
fi

echo "-- C++"
if command -v c++ >/dev/null; then
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror tests/checks/consumer/ranges.cpp $(pkg-config --cflags --libs heddle) \
        -o "$scratch/with_cxx"
    "$scratch/with_cxx"
else
    echo "no C++ compiler here: left out"
fi

echo "-- symbols"
exports() { # LIBRARY HEADER...: it exports these headers' functions and OpenMP's own, nothing else
    local library=$1 && shift
    awk '/^HEDDLE_API/, /;/' "$@" | grep -oE '\bheddle_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$scratch/declared"
    nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(_|omp_)' | sort -u >"$scratch/exported"
    diff "$scratch/declared" "$scratch/exported" || { echo "$* and $library differ" && exit 1; }
    readelf -d "$library" | grep SONAME
}
exports "$library" include/heddle.h include/heddle/{fleet,loop,multi,pool,simulate,wave,wavefront}.h
exports "$(find "$prefix" -name libheddle_openmp.so)" include/heddle/openmp.h

echo "-- headers"
diff -r include "$prefix/include"
