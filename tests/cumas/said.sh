#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# said.sh PROGRAMS - what the programs of apps/cumas say and refuse: options, a machine without a GPU, an error of CUDA, and
# barriers: processes begin their rounds in the order of their places, and end with a sentence where one is missing.
set -uo pipefail
program=$1/vectorAdd other=$1/pathfinder
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*" && bad=1; }
# STATUS WORDS ARGUMENT...: exit status, and words of standard error
expect() {
    local status=$1 words=$2
    shift 2
    timeout 60 "$program" "$@" >"$dir/out" 2>"$dir/err"
    local got=$?
    [ $got = "$status" ] || fail "$*: exit status $got, not $status"
    [ -z "$words" ] || grep -qF -- "$words" "$dir/err" || fail "$*: does not say '$words': $(cat "$dir/err")"
}
expect 2 'the option --fast is unknown' --fast
expect 2 'the option --mb is unknown or lacks its value' --mb
expect 2 '--mb takes a number from 0.01 to 100000, not -1' --mb -1
expect 2 '--mb takes a number' --mb 1x
expect 2 '--mb takes a number' --mb nan
expect 2 '--work takes a whole number, not 1.5' --work 1.5
expect 2 '--rounds takes a number from 1 to 1000, not 0' --rounds 0
expect 2 'table is no option' table
expect 2 '--barrier and --programs belong together' --barrier x
expect 2 '--barrier and --programs belong together' --programs 2
expect 2 '--places needs a --barrier' --places 1
expect 2 '--places needs as many places' --places 1 --rounds 2 --barrier "$dir/p" --programs 1
expect 2 '--places needs as many places' --places 1,2,3 --rounds 2 --barrier "$dir/p" --programs 1
expect 2 '--places takes a number' --places 1,x --rounds 2 --barrier "$dir/p" --programs 1
expect 2 'the barrier /none/p cannot be opened' --mb 0.1 --barrier /none/p --programs 1
expect 0 '' --help
EMULATE_GPUS=0 expect 77 'skipped: there is no GPU here' --mb 0.1
EMULATE_GPUS=0 expect 0 '' --count
EMULATE_GPUS=-1 expect 2 'looking for a GPU: a planted error' --mb 0.1
EMULATE_FAIL=2 expect 2 'copying to the GPU: a planted error' --mb 0.1
EMULATE_FAIL=3 expect 2 'copying from the GPU: a planted error' --mb 0.1
expect 2 "only 1 of 2 programs came to the barrier $dir/q within" --mb 0.1 --barrier "$dir/q" --programs 2 --patience 0.3
expect 2 "is for 2 programs, not for 3" --mb 0.1 --barrier "$dir/q" --programs 3

# Calibration: a line with the steps that make kernels so long.
timeout 60 "$program" --mb 0.1 --calibrate 20 >"$dir/out"
awk -F '\t' '$1 == "work" && $3 > 0 && $4 > 15 && $4 < 25 { ok = 1 } END { exit !ok }' "$dir/out" || fail "--calibrate: $(cat "$dir/out")"

# Three processes, three rounds: b before c before a; c sits out; a before b before c. Then all have been right.
both=(--mb 0.1 --barrier "$dir/m" --programs 3 --rounds 3 --gap 20000 --patience 30)
timeout 60 "$program" "${both[@]}" --places 2,0,0 >"$dir/a" & a=$!
timeout 60 "$program" "${both[@]}" --places 0,1,1 >"$dir/b" & b=$!
timeout 60 "$other" "${both[@]}" --places 1,-,2 >"$dir/c" & c=$!
wait $a && wait $b && wait $c || fail "programs that meet fail"
begin() { awk -F '\t' -v r="$2" '$1 == "round" && $3 == r { print $4 }' "$dir/$1"; }
gap() { # FIRST SECOND ROUND PLACES
    [ $(($(begin "$2" "$3") - $(begin "$1" "$3"))) = $(($4 * 20000000)) ] || fail "round $3: $2 does not begin $4 places behind $1"
}
gap b c 1 1
gap c a 1 1
gap a b 2 1
[ -z "$(begin c 2)" ] || fail "a program that sits out computes"
gap a b 3 1
gap b c 3 1
[ "$(cat "$dir"/[abc] | grep -c 'right$')" = 11 ] || fail "there are not eleven right rounds"
# All ends of a round are before all begins of the next one.
last=$(awk -F '\t' '$1 == "round" && $3 == 1 { print $5 }' "$dir"/[abc] | sort -n | tail -1)
[ "$last" -lt "$(begin a 2)" ] || fail "a round begins before the one before has ended"
expect 2 'has its 3 programs already' "${both[@]}"

# One ends early: the other hears of it at once.
timeout 60 "$program" --mb 0.1 --barrier "$dir/e" --programs 2 --rounds 2 2>"$dir/err" >/dev/null & a=$!
EMULATE_FAIL=5 timeout 60 "$program" --mb 0.1 --barrier "$dir/e" --programs 2 --rounds 2 >/dev/null 2>&1 & b=$!
wait $a
[ $? = 2 ] && grep -q 'has ended early' "$dir/err" || fail "a program waits for another one that has ended: $(cat "$dir/err")"
wait $b
exit $bad
