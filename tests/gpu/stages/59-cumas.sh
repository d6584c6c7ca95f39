# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# cumas - the twelve programs that heddle share is measured with, each alone: results, and times of copies and kernels in the
# last line. Short: little data. Long: also Table 4.1's sizes, and how much longer kernels must be in the balanced mix.
stage cumas 1 exact/cumas
cumas_run() { # SUFFIX OPTION...
    local suffix=$1 name
    shift
    for name in b+tree backprop BlackScholes gaussian hotspot lavaMD lud nw particlefilter pathfinder srad vectorAdd; do
        try "cumas.$name$suffix" 20 "$build/exact/apps/cumas/$name" "$@"
    done
}
cumas_short() { cumas_run "" --mb 8; }
cumas_long() {
    cumas_short
    cumas_run .table --rounds 3
    try cumas.balance 200 bash "$root/apps/cumas/balance.sh" "$build/exact/apps/cumas" "$root/apps/cumas/balanced.mix"
}
