#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# accept.sh HEDDLEC CC PROGRAM.c - a program that heddlec takes: what it prints must be what the same source
# prints when CC compiles it with -fopenmp (without, where its head says `gcc: no`), on the serial backend, on three CPU
# workers, on copies of mapped memory, and with four emulated threads a worker, which share loops out as a GPU's block does. In a build with a sanitizer
# heddlec compiles the program with it, too. Lines of the head that matter here:
#     tsan: `no`, a race on purpose, or locks of a library that ThreadSanitizer does not see
#     flags: options of heddlec       also: further sources       warns: the code of a warning that must be said
set -euo pipefail
. "$(dirname "$0")/head.bash"
heddlec=$1 cc=$2 source=$3
cd "$(dirname "$source")"
name=$(basename "$source" .c)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=$(head_of "$name.c" flags) also=$(head_of "$name.c" also) warns=$(head_of "$name.c" warns)
openmp=-fopenmp
[[ $(head_of "$name.c" gcc) != no* ]] || openmp=
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000}

# shellcheck disable=SC2086
if ! "$cc" -std=gnu11 -O1 -w $openmp "$name.c" $also -o "$dir/reference" -lm 2>"$dir/log"; then
    if ! echo 'int main(void) { return 0; }' | "$cc" -fopenmp -x c - -o "$dir/probe" 2>/dev/null; then
        echo "skipped: $cc has no -fopenmp here" && exit 77
    fi
    cat "$dir/log" && exit 1
fi
"$dir/reference" >"$dir/want"

# shellcheck disable=SC2086
if ! "$heddlec" "$name.c" $also -o "$dir/program" --backend cpu $flags 2>"$dir/said"; then
    cat "$dir/said" && exit 1
fi
if grep -q 'error:' "$dir/said" || { [ -n "$warns" ] && ! grep -q "\[$warns\]" "$dir/said"; } ||
    grep 'warning:' "$dir/said" | grep -v "\[${warns:-none}\]" >&2; then
    echo "$name: heddlec said:" && cat "$dir/said" && exit 1
fi
try() { # HOW VARIABLE=VALUE...
    local how=$1
    shift
    if ! env "$@" "$dir/program" >"$dir/got" 2>"$dir/errors"; then
        echo "$name: fails on $how" && cat "$dir/errors" && exit 1
    fi
    diff "$dir/want" "$dir/got" >"$dir/diff" || { echo "$name: other output on $how" && head -20 "$dir/diff" && exit 1; }
}
try "the serial backend" HEDDLE_BACKEND=serial
try "three CPU workers" HEDDLE_BACKEND=cpu HEDDLE_WORKERS=3
try "emulated threads" HEDDLE_BACKEND=serial HEDDLE_TEAM_SIZE=4
[[ $(head_of "$name.c" gpu) == no* ]] || try "copies, as on a GPU" HEDDLE_BACKEND=cpu HEDDLE_WORKERS=3 HEDDLE_OMP_COPIES=1
echo "$name: ok"
