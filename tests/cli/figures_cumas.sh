# SPDX-License-Identifier: MIT
# figures_cumas.sh - the figures of CuMAS from the simulator: files, rows, and numbers that depend on one another; without programs or a GPU
# nothing is measured, and that is said. tests/share/mixes.sh has the measured rows.
. "$2/tests/cli/common.bash"
if "$heddle" bench --figures cumas --opt figures=4.1 --out none 2>&1 | grep 'built without heddle share'; then exit 77; fi

run 0 bench --figures cumas --out figures --opt programs=nowhere
for name in mixes 4.1 4.2 4.8 4.9 4.10 4.11 4.12 random; do in_out "^figures/cumas-$name.tsv$"; done
for name in mixes 4.1 4.2 4.8 4.9 4.10 4.11 4.12; do
    in_out "^figures/cumas-$name.svg$"
    [ "$(tail -n 1 "figures/cumas-$name.svg")" = '</svg>' ] || fail "cumas-$name.svg does not end as SVG"
done
# rows NAME N CONDITION: as many simulated rows (of figure 4.10: timed ones), and what holds for each of them.
rows() {
    awk -F '\t' -v n="$2" '/^#/ || $1 == "how" { next }
        $1 == "measured" && "'"$1"'" != "4.10" { if ($0 !~ /skipped/) { print; bad = 1 }; next }
        { seen++; if (!('"$3"')) { print; bad = 1 } }
        END { exit bad || seen != n }' "figures/cumas-$1.tsv" >wrong || fail "$1: $(cat wrong "figures/cumas-$1.tsv")"
}
grep -q '^# nothing is measured: there are no programs in nowhere' figures/cumas-mixes.tsv || fail "not said: $(head -1 figures/cumas-mixes.tsv)"
rows mixes 18 '$6 > 200 && $7 <= $6 && $6 <= $8 && $9 > 0.9995 && ($3 == "best possible") == ($5 == 1)'
# of_best is the mean over the best of its mix; what the policies reach.
awk -F '\t' '$1 == "how" { next }
    function near(a, b) { return a - b < 0.002 * b && b - a < 0.002 * b }
    $3 == "best possible" { best = $6; next }
    $1 == "simulated" { ms[$2, $3, $4] = $6; of[$2, $3, $4] = $9; if (!near($9, $6 / best)) { print; bad = 1 } }
    END { exit bad || of["table", "exact", 12] > 1.05 || of["table", "exact", 8] > 1.05 || of["table", "exact, estimates wrong", 12] > 1.05 ||
          of["balanced", "exact", 12] > 1.10 || ms["table", "exact", 12] > 0.76 * ms["table", "strings", 12] ||
          ms["table", "exact", 12] > 0.88 * ms["table", "fifo", 12] || ms["table", "exact", 12] > 0.82 * ms["table", "none", 12] ||
          ms["table", "exact, nothing known", 12] > 1.02 * ms["table", "fifo", 12] }' figures/cumas-mixes.tsv >wrong ||
    fail "mixes: $(cat wrong figures/cumas-mixes.tsv)"
rows 4.1 12 '$3 > 0 && $4 > 0 && $5 >= 0 && $6 > 0 && $6 < 1'
# Each channel serves one call at a time, and each program's calls follow one another.
[ "$(cut -f 2 figures/cumas-4.2.tsv | sort | uniq -c | awk '$2 != "policy" { printf "%s %s;", $2, $1 }')" = "exact 86;fifo 86;strings 86;" ] ||
    fail "4.2: $(cut -f 2 figures/cumas-4.2.tsv | sort | uniq -c)"
for column in 3 4; do
    tail -n +2 figures/cumas-4.2.tsv | sort -t '	' -k 2,2 -k $column,$column -k 5,5g |
        awk -F '\t' -v c=$column '{ if ($2 " " $c == last && $5 < end - 0.001) { print; bad = 1 } last = $2 " " $c; end = $6; if ($6 < $5) bad = 1 }
            END { exit bad }' >wrong || fail "4.2, column $column: $(cat wrong)"
done
rows 4.8 336 '$6 == ($3 == "all" ? 25 : 5) && $7 > 200 && $8 <= $7 && $7 <= $9 && ($4 != "bf" || $5 <= 8)'
# The mean of sets is that of all.
awk -F '\t' '$1 == "how" { next } $3 != "all" { sum[$2, $4, $5] += $7 / 5 }
    $3 == "all" { d = sum[$2, $4, $5] / $7; if (d < 0.999 || d > 1.001) { print; bad = 1 } } END { exit bad }' figures/cumas-4.8.tsv >wrong ||
    fail "sets of 4.8: $(cat wrong)"
rows 4.9 56 '$6 >= 0 && $7 >= 0'
rows 4.10 21 '$4 > 0 && $4 <= $5'
rows random 4 '$3 == 200 && ($2 != "exact" || ($5 == 1 && $6 == 1)) && ($2 != "dp" || ($5 > 1 && $5 <= 1.02)) && ($2 !~ /fifo|printed/ || $5 > 1.1)'
rows 4.11 26 '$4 >= 1048576 && $5 > 0 && $7 <= ($3 == "learnt" ? 12 : 6)'
rows 4.12 24 '$4 > 0 && $5 > 0 && $6 < 25'

# A quicker link makes copies shorter; fewer orders, fewer rows.
run 0 bench --figures cumas --out quick --opt figures=4.1,4.8 --opt programs=nowhere --opt rate=110 --opt orders=5
[ "$(tr '\n' ' ' <out)" = "quick/cumas-4.1.tsv quick/cumas-4.1.svg quick/cumas-4.8.tsv quick/cumas-4.8.svg " ] || fail "two figures: $(cat out)"
both() { awk -F '\t' '$2 == "hotspot" { print $3, $4 }' "$1/cumas-4.1.tsv"; }
awk -v a="$(both figures)" -v b="$(both quick)" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(x[1] > 1.99 * y[1] && x[1] < 2.01 * y[1] && x[2] == y[2]) }' ||
    fail "a quicker link: $(both figures), $(both quick)"
[ "$(grep -c '^simulated' quick/cumas-4.8.tsv)" = 112 ] || fail "five orders: $(cat quick/cumas-4.8.tsv)"

run 2 bench --figures cumas --opt figures=seven
in_err 'figures=seven: of mixes, random, 4.1, 4.2 and 4.8 to 4.12'
run 2 bench --figures cumas --opt speed=7
in_err 'of --figures cumas there are figures, orders, programs, seconds and rate'
for bad in orders=0 orders=67 orders=few seconds=0 rate=none; do
    run 2 bench --figures cumas --opt figures=4.1 --opt $bad
    in_err "--opt $bad: a number from 1 to"
done
run 2 bench --figures cumas app
in_err 'takes no names of apps'
finish
