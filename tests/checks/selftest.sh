#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# selftest.sh - the checks can fail: each runs on a copy of the sources with one broken rule, and must name it.
. "$(dirname "$0")/common.sh"
copy=$scratch/copy
mkdir "$copy"
project_files '*' | xargs cp --parents -t "$copy"
mkdir -p "$copy/src/backend/cuda" "$copy/src/engine"
touch "$copy/src/backend/cuda/cuda.h" "$copy/src/engine/engine.h"
: >"$scratch/bad"

# WHAT IT SAYS, FILE, LINE TO ADD, CHECK [ARGUMENT...]
broken() {
    local says=$1 file=$2 line=$3 check=$4
    shift 4
    [ -f "$copy/$file" ] || { echo "$file is not there any more" >>"$scratch/bad" && return; }
    cp "$copy/$file" "$scratch/kept"
    printf '%s\n' "$line" >>"$copy/$file"
    if bash "tests/checks/$check.sh" "$copy" "$@" >"$scratch/out" 2>&1; then
        echo "$check lets pass in $file: ${line:0:60}" >>"$scratch/bad"
    elif ! grep -qE -- "$says" "$scratch/out"; then
        echo "$check says something else of $file: ${line:0:60}: $(head -1 "$scratch/out")" >>"$scratch/bad"
    fi
    cp "$scratch/kept" "$copy/$file"
}
include() { broken "$2:.*: includes .*$1" "$2" "#include $3" layers; }

include 'a floor above it' src/base/clock.c '"graph/graph.h"'
include 'a floor above it' src/graph/rank.c '"backend/backend.h"'
include 'a floor above it' src/backend/backend.h '"../engine/engine.h"'
include 'a floor above it' src/run/run.c '"engine/engine.h"'
include 'a floor above it' src/run/run.c '"openmp/map.h"'
include 'public headers are enough' src/openmp/run.c '"graph/graph.h"'
include 'no interface' src/openmp/run.c '"heddle/core/ring.h"'
include 'through backend.h only' src/backend/serial/serial.c '"backend/cuda/cuda.h"'
include 'through backend.h only' src/run/run.c '"backend/cuda/cuda.h"'
include 'no such file' src/run/run.c '"run/nothing.h"'
include 'nothing of its users' src/run/run.c '"app.h"'
include 'the cuda backend' src/backend/cpu/cpu.c '<cuda_runtime.h>'
include 'only core and stdint.h' include/heddle/core/ring.h '<string.h>'
include 'only core and stdint.h' include/heddle/core/ring.h '"heddle.h"'
include 'only stddef.h and stdint.h' include/heddle.h '<stdio.h>'
include 'an installed header' include/heddle/task.h '"base/base.h"'
include 'public headers are enough' apps/app.h '"base/base.h"'
include 'public headers are enough' tools/heddle/output.c '"base/base.h"'
include 'public headers are enough' bench/papers/main.c '"base/file.h"'
include 'no interface' examples/01_hello/main.c '"heddle/core/ring.h"'
include 'somebody else' examples/01_hello/main.c '"../02_ranges/main.c"'
include 'somebody else' examples/01_hello/main.c '"app.h"'
include 'somebody else' bench/gpu/main.c '"work.h"'

functions() { # COUNT LINES
    awk -v n="$1" -v lines="$2" 'BEGIN {
        for (i = 0; i < n; i++) { print "static void f" i "(void)\n{"; for (k = 0; k < lines; k++) print "    x();"; print "}" }
    }'
}
broken 'a function of 7[0-9] lines' src/base/clock.c "$(functions 1 70)" lengths
broken 'the median is beyond' src/base/clock.c "$(functions 10000 14)" lengths # more than all others

if bash tests/checks/format.sh "$copy" >/dev/null 2>&1; then # neither skipped nor violated already
    broken 'should be clang-formatted' src/base/clock.c 'int  x;' format
fi

gone=such # so that the names below stand nowhere, not in this file either
long=$(printf 'word %.0s' {1..31})
broken "clock.c:[0-9]*: stale: hd_no_${gone}_call" src/base/clock.c "/* See hd_no_${gone}_call. */" prose
broken "clock.c:[0-9]*: stale: no_$gone.h" src/base/clock.c "/* See base/no_$gone.h. */" prose
broken 'clock.c:[0-9]*: long: 31 words' src/base/clock.c "/* $long. */" prose
broken 'clock.c:[0-9]*: who: ' src/base/clock.c '/* The warp who waits. */' prose
broken 'README.md:[0-9]*: long: 31 words' README.md $'\n'"$long." prose

broken 'ring.h: not alone' include/heddle/core/ring.h 'HD_FN size_t unknown(void) { return 0; }' headers gcc
broken 'ring.h: not alone' include/heddle/core/ring.h 'HD_FN int *implicit(void *p) { return p; }' headers gcc
broken 'heddle.h: not alone' include/heddle.h 'typedef bool heddle_flag;' headers gcc

# Two files that need each other, as sources and as the objects of a build.
objects=$scratch/objects/CMakeFiles/any.dir/src/base
mkdir -p "$objects"
ring() { # LINE FOR clock.c, LINE FOR status.c
    cp "$copy/src/base/status.c" "$scratch/status"
    printf '%s\n' "$2" >>"$copy/src/base/status.c"
    printf '%s\n' "$1" | cat "$copy/src/base/clock.c" - >"$scratch/clock.c"
    cc -std=gnu11 -w -Iinclude -Isrc -c "$scratch/clock.c" -o "$objects/clock.c.o"
    cc -std=gnu11 -w -Iinclude -Isrc -c "$copy/src/base/status.c" -o "$objects/status.c.o"
    cp "$scratch/status" "$copy/src/base/status.c"
}
inside() { broken "$1 is a name of the inside" "$2" "$3" rings "$scratch/objects" src/base; }
ring '' ''
if bash tests/checks/rings.sh "$copy" "$scratch/objects" src/base >"$scratch/out" 2>&1; then # neither skipped nor violated already
    inside HD_LOAD apps/sw_bodies.c '#define X(p) HD_LOAD(p, RELAXED, DEV)'
    inside hd_clock examples/05_spawn/bodies.c 'uint64_t now(void) { return hd_clock(); }'
    inside heddle/core/ring.h. bench/gpu/raw.cu '#include "heddle/core/ring.h"'
    inside HD_FN tools/heddlec/device/device.c 'static const char *const text = "HD_FN int f(void);";'
    core="$scratch/objects include/heddle/core"
    broken 'core: .* need each other: .*atom.h' include/heddle/core/atom.h '#include "heddle/core/ring.h"' rings $core
    broken 'core: .* need each other: .*atom.h' include/heddle/core/atom.h 'HD_FN void f(hd_run *r) { hd_wake_all(r); }' rings $core
    ring 'void hd_b(void); void hd_a(void) { hd_b(); }' 'void hd_a(void); void hd_b(void) { hd_a(); }'
    broken 'src/base: 2 files need each other: clock.c status.c' src/base/clock.c '' rings "$scratch/objects" src/base
    ring 'static void hd_b(void) { } void hd_a(void) { hd_b(); }' 'void hd_a(void); void hd_b(void) { hd_a(); }'
    bash tests/checks/rings.sh "$copy" "$scratch/objects" src/base >"$scratch/out" || echo "rings takes a static for another" >>"$scratch/bad"
elif [ $? != 77 ]; then
    echo "rings fails on the sources as they are: $(head -1 "$scratch/out")" >>"$scratch/bad"
fi

sed -i 1d "$copy/src/base/clock.c"
if bash tests/checks/spdx.sh "$copy" >"$scratch/out"; then echo "spdx lets pass a file without it" >>"$scratch/bad"; fi
report "$scratch/bad"
