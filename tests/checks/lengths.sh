#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lengths.sh - functions are short: median at most 13 lines, nine in ten within 40, none beyond 60 except in files of
# bodies, which may have long kernels. A function counts from its name to its closing brace; the code must be formatted.
. "$(dirname "$0")/common.sh"

project_files '*.c' '*.h' '*.cu' | xargs awk '
FNR == 1 { open = 0 }
/^[A-Za-z].*\) \{.*\}$/ { print 1, FILENAME ":" FNR; next } # a function on one line
/^\{$/ { open = FNR }
/^\}$/ && open { print FNR - open + 2, FILENAME ":" open - 1; open = 0 }
' | sort -n >"$scratch/lengths"

awk '
{ n[NR] = $1; at[NR] = $2 }
END {
    median = n[int((NR + 1) / 2)]; most = n[int((9 * NR + 9) / 10)]
    printf "%d functions: median %d lines, nine in ten within %d, longest %d\n", NR, median, most, n[NR] >"/dev/stderr"
    if (median > 13) print "the median is beyond 13 lines"
    if (most > 40) print "one in ten is beyond 40 lines"
    for (i = NR; i > 0 && n[i] > 60; i--)
        if (at[i] !~ /_bodies\./) print at[i] ": a function of " n[i] " lines"
}' "$scratch/lengths" >"$scratch/bad"
report "$scratch/bad"
