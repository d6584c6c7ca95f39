#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# table.sh PROGRAMS SOURCES - the programs make the calls of the thesis' Table 4.1, as --count says them: as many copies,
# launches and tasks, and its MB within 5 %. Both mixes of SOURCES name all programs, with options that these take.
set -uo pipefail
programs=$1 sources=$2
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
# name, copies in and MB, copies out and MB, launches, tasks
while read -r name want; do
    got=$("$programs/$name" --count | cut -f 2-) || got="exit status $?"
    echo "$got $want" | awk -v name="$name" '
        function far(a, b) { return a - b > 0.05 * b + 0.5 || b - a > 0.05 * b + 0.5 }
        NF != 12 || $1 != $7 || $3 != $9 || $5 != $11 || $6 != $12 || far($2, $8) || far($4, $10) {
            print name ": " $0 }' >>"$bad"
done <<'E2'
b+tree 15 402 1 40 2 2
backprop 5 1568 1 830 2 2
BlackScholes 3 1200 2 800 256 1
gaussian 3 19 3 19 3070 1
hotspot 2 1212 2 606 1 1
lavaMD 4 43 3 18 1 1
lud 1 205 1 205 670 1
nw 2 1072 1 536 511 1
particlefilter 6 1043 1 1 77 2
pathfinder 2 2139 3 1 3 1
srad 2 1073 1 1073 4 2
vectorAdd 2 1608 3 804 1 1
E2
for mix in table balanced; do
    n=0
    while read -ra words; do
        "$programs/${words[0]}" "${words[@]:1}" --count >/dev/null || echo "$mix.mix: ${words[*]}" >>"$bad"
        n=$((n + 1))
    done < <(sed 's/ *#.*//; /^$/d' "$sources/$mix.mix")
    [ $n = 12 ] || echo "$mix.mix has $n programs" >>"$bad"
done
cat "$bad"
[ ! -s "$bad" ]
