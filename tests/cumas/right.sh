#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# right.sh PROGRAM MB - an emulated program is right for two orders of blocks and threads, and at three sizes, with the same
# bytes for both orders; its check finds a changed result in each round.
set -uo pipefail
program=$1 mb=$2 bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*" && bad=1; }
for size in "$mb" "$(awk "BEGIN { print $mb * 0.4 + 0.01 }")" 0.01; do
    for seed in 1 2; do
        EMULATE_SEED=$seed "$program" --mb "$size" --work 3 >"$dir/$seed" || fail "$size MB: exit status $?"
        [ "$(grep -c 'right$' "$dir/$seed")" = 2 ] || fail "$size MB: there are not two right rounds"
        cut -f 10 "$dir/$seed" | sort -u >"$dir/digests.$seed"
    done
    cmp -s "$dir/digests.1" "$dir/digests.2" || fail "$size MB: other bytes in another order"
done
"$program" --mb "$mb" --rounds 3 --spoil >"$dir/spoiled" 2>/dev/null
[ $? = 1 ] || fail "changed results do not give exit status 1"
[ "$(grep -c 'wrong$' "$dir/spoiled")" = 4 ] || fail "the check has missed a changed result"
exit $bad
