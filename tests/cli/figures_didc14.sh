# SPDX-License-Identifier: MIT
# figures_didc14.sh - the figures of the papers on a scheduler inside the GPU, in tiny sizes: their files and columns,
# the mean over workers; impossible rows are skipped with a reason.
. "$2/tests/cli/common.bash"

run 0 bench --figures didc14 --out figures -n 96x64 -b 16 --runs 3 --workers 3
for name in breakdown-heat2d breakdown-bfs workers-heat2d workers-bfs tasks waves; do
    in_out "^figures/didc14-$name.tsv$"
    in_out "^figures/didc14-$name.svg$"
    head -c 5 "figures/didc14-$name.svg" | grep -q '<svg ' || fail "didc14-$name.svg does not begin as SVG"
    [ "$(tail -n 1 "figures/didc14-$name.svg")" = '</svg>' ] || fail "didc14-$name.svg does not end as SVG"
done

# rows NAME COLUMNS N CONDITION: the rows of a figure below its comment and names; skipped ones have a reason.
rows() {
    local file=figures/didc14-$1.tsv
    awk -F '\t' -v columns="$2" -v least="$3" '
        NR == 1 && !/^# / { print "no comment: " $0; bad = 1 }
        NR == 2 && NF != columns { print NF " names"; bad = 1 }
        NR <= 2 { next }
        { n++ }
        /\tskipped\t/ { if ($NF == "") { print "line " NR ": no reason"; bad = 1 } next }
        NF != columns || !('"$4"') { print "line " NR ": " $0; bad = 1 }
        END { if (n < least) { print n " rows"; bad = 1 } exit bad }' "$file" >wrong || fail "$file: $(head -3 wrong)"
}
parts='>= 0 && $5 >= 0 && $6 >= 0 && $7 >= 0'
rows breakdown-heat2d 7 25 "\$4 $parts"
rows breakdown-bfs 7 25 "\$4 $parts"
rows workers-heat2d 7 6 "\$3 > 0 && \$4 $parts"
rows workers-bfs 7 6 "\$3 > 0 && \$4 $parts"
rows tasks 5 14 '$3 <= $5 && $5 <= $4'
rows waves 4 4 '$3 <= $2 && $2 <= $4 && $3 > 0'

# Without a GPU all ways of the papers exist, and each runs all tasks: 4 sweeps over 24 tiles.
if "$heddle" info | grep '^  cuda .*no device)' >/dev/null; then
    for name in heat2d bfs; do
        ! grep skipped "figures/didc14-breakdown-$name.tsv" >wrong || fail "didc14-breakdown-$name: $(cat wrong)"
    done
    awk -F '\t' 'NR > 2 && $2 != "mean" { n[$1] += $3 } NR > 2 && $2 == "mean" { mean[$1] = $3; ways++ }
        NR > 2 && $2 != "mean" { workers[$1]++ }
        END {
            for (way in n) if (n[way] != 96 || mean[way] * workers[way] < 95 || mean[way] * workers[way] > 97) {
                print way ": " n[way] " tasks, mean " mean[way] " of " workers[way]; bad = 1
            }
            exit bad || ways != 7 }' figures/didc14-breakdown-heat2d.tsv >wrong || fail "tasks of heat2d: $(cat wrong)"
    [ "$(grep -c 'skipped	there is no GPU$' figures/didc14-waves.tsv)" = 2 ] || fail "waves: $(cat figures/didc14-waves.tsv)"
    [ "$(awk -F '\t' 'NR > 2 { print $1 }' figures/didc14-workers-bfs.tsv | sort -u | tr '\n' ' ')" = '1 2 3 ' ] ||
        fail "numbers of workers: $(cat figures/didc14-workers-bfs.tsv)"
fi

run 2 bench bfs --figures didc14
in_err 'no names of apps'
run 2 bench --figures didc14 --out /nowhere/at/all -n 32 -b 16 --runs 1
in_err '/nowhere/at/all'
finish
