#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# measured.sh SOURCE_DIR - doc/measured.md and the figures in README.md agree with bench/measured.py, the tables and the
# goals. The check itself must fail for an altered table, goal, guide or README, and for mixed commits.
. "$(dirname "$0")/common.sh"

command -v python3 >/dev/null || skip "no python3"
check() { python3 bench/measured.py --check --root "$@"; }
check . --allow-mixed || exit 1

copy=$scratch/tree
# altered FILE EXPRESSION: a copy of the tree in which sed has altered one file.
altered() {
    rm -rf "$copy"
    mkdir -p "$copy/bench" "$copy/doc"
    cp -r bench/results bench/goals.tsv "$copy/bench/"
    cp -r doc/results doc/measured.md "$copy/doc/"
    cp README.md "$copy/"
    sed -i "$2" "$copy/$1"
    ! cmp -s "$1" "$copy/$1" || { echo "$1: $2 alters nothing" && exit 1; }
}
must_fail() { # WHAT ARGUMENT...
    local what=$1
    shift
    ! check "$copy" "$@" >"$scratch/said" 2>&1 || { echo "measured.py does not see $what" && exit 1; }
}
altered bench/results/h200/sweeps.tsv '$s/[0-9]*[.][0-9]*/1.5/'
must_fail "an altered row" --allow-mixed
altered bench/results/cpu-2-cores.tsv '/^ratio_total/s/0[.]/7./'
must_fail "a row that its table's tail contradicts" --allow-mixed
altered bench/goals.tsv '/^sweeps/s/<= 90/<= 91/'
must_fail "an altered goal" --allow-mixed
altered doc/measured.md '/|---|/!s/ yes / no /'
must_fail "an altered guide" --allow-mixed
altered README.md '/^| one NVIDIA/,/^<!-- until/s/ [0-9][.]/ 9./'
must_fail "altered figures in README.md" --allow-mixed
altered bench/results/h200/sweeps.tsv '$s/\t[0-9a-f]*\tNVIDIA/\t1234567\tNVIDIA/'
must_fail "mixed commits"
grep -q "sweeps.tsv: rows of commits .*1234567" "$scratch/said" || { echo "measured.py does not name mixed commits" && exit 1; }
