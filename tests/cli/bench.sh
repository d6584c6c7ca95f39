# SPDX-License-Identifier: MIT
# bench.sh - the TSV form: columns, subjects and measures, and the order of values.
. "$2/tests/cli/common.bash"

measures='execTime check minTaskLoad maxTaskLoad inspectionLoop buildCSR initAppContext_H initAppContext_D initRtContext_D totalTime'

# rows_are_well_formed FILE
rows_are_well_formed() {
    awk -F '\t' '
        NF != 7 { print "line " NR ": " NF " columns"; bad = 1 }
        NR == 1 && $0 != "measure\tcase\tsubject\tmedian\tmin\tmax\tunit" { print "names: " $0; bad = 1 }
        NR > 1 && !($5 <= $4 && $4 <= $6 && $5 >= 0) { print "line " NR ": not min <= median <= max"; bad = 1 }
        NR > 1 && $1 == "execTime" && $5 <= 0 { print "line " NR ": a run that took no time"; bad = 1 }
        NR > 1 && seen[$1 $2 $3]++ { print "line " NR ": twice"; bad = 1 }
        END { exit bad }' "$1" >wrong || fail "$1: $(cat wrong)"
}

run 0 bench sw -n 128x96 -b 16 --runs 3 --workers 2
silent_err
rows_are_well_formed out
run 0 bench sw/graph -n 64 -b 16 --runs 1 --backends serial
in_out '^check	sw:64x64:16x16	serial/order/-	1	1	1	passed$'
run 0 bench sw sw/wave -n 128x96 -b 16 --runs 2 --workers 2
rows_are_well_formed out
in_out '^execTime	sw:128x96:16x16	cpu/rings/lf	'
in_out '^execTime	sw/wave:128x96:0x0	cpu/wave/-	'
in_out '^check	sw/wave:128x96:0x0	serial/order/-	1	1	1	passed$'
run 0 bench mandel mandel/pool -n 50x70 -b 16 --runs 2 --workers 2
rows_are_well_formed out
in_out '^execTime	mandel/pool:50x70:16x16	cpu/auto/-	'
in_out '^tasks	mandel/pool:50x70:16x16	cpu/auto/-	20	20	20	tasks$'
in_out '^check	mandel/pool:50x70:16x16	serial/order/-	1	1	1	passed$'
run 0 bench mm conv --pool launches --tasks 16 --copies --threads 2 --runs 1 --workers 2
rows_are_well_formed out
for subject in tiles serial/order/- cpu/auto/-; do
    in_out "^check	mm/pool:16x64:1x64:tasks=16:threads=2:copies=1	$subject	1	1	1	passed\$"
    in_out "^tasks	conv/pool:2048x128:128x128:tasks=16:threads=2:copies=1	cpu/auto/-	16	16	16	tasks\$"
done
refused 'sw/wave has no tiles' bench sw/wave --backends tiles
run 0 bench sw -n 128x96 -b 16 --runs 3 --workers 2
subjects() { awk -F '\t' 'NR > 1 { print $3 }' "$1" | LC_ALL=C sort -u | tr '\n' ' '; }
policies=$("$heddle" info | awk '/^policies/ { on = 1; next } NF == 0 { on = 0 } on && $1 != "default" { print $1 }' | LC_ALL=C sort)
# shellcheck disable=SC2086
want="$(printf 'cpu/rings/%s ' $policies)serial/order/- tiles "
[ "$(subjects out)" = "$want" ] || fail "subjects: $(subjects out), and not $want"
for measure in $measures; do
    in_out "^$measure	sw:128x96:16x16	cpu/rings/lf	"
done
in_out '^check	sw:128x96:16x16	tiles	1	1	1	'
in_out '^tasks	sw:128x96:16x16	cpu/rings/lf	48	48	48	tasks$'
in_out '^workers	sw:128x96:16x16	serial/order/-	1	1	1	'

run 0 bench all -n 64 -b 16 --runs 1 --backends cpu --policies lf --tsv all.tsv
in_out 'execTime'
rows_are_well_formed all.tsv
[ "$(cut -f2 all.tsv | sort -u | grep -c :)" = 45 ] || fail "cases: $(cut -f2 all.tsv | sort -u)"
run 0 bench ep -n 9999 --runs 2
[ "$(subjects out)" = "cpu/cut/- serial/cut/- " ] || fail "subjects: $(subjects out)"
run 0 bench mandel boxfilter -n 60 --runs 2 --devices 'virtual: cpu:1' --split guided
[ "$(subjects out)" = "virtual: cpu:1/guided/- " ] || fail "subjects: $(subjects out)"
in_out '^check	mandel/loop:60x60:1x60	'
in_out '^workers	boxfilter:60x60:32x60	[^	]*	2	'
run 0 bench sw --opt match=3 -n 64 --runs 2 --backends tiles,serial
in_out '^execTime	sw:64x64:64x64:match=3	tiles	'
! grep -q cpu out || fail "a backend that was not asked for"

# Spawning: rates and latencies beside the bare ones.
for backend in serial cpu; do
    HEDDLE_BACKEND=$backend run 0 bench spawn --tasks 200 --runs 2 --workers 2
    silent_err
    awk -F '\t' -v mode=$backend '
        NF != 8 || NR > 1 && !($4 <= $3 && $3 <= $5 && $4 > 0 && $8 == mode) { print "line " NR ": " $0; bad = 1 }
        END { exit bad }' out >wrong || fail "bench spawn: $(cat wrong)"
    for what in 'empty tasks, spawn' 'empty tasks, spawn, each waited for' 'empty tasks, spawn_many' \
        'empty tasks, spawn_many by 8 threads' 'a task of 2.9 empty blocks' 'one task: spawn to wait returned' \
        'one task: spawn to start seen' 'one task after a rest of 1 ms' 'bare: a word to a thread and back' \
        'tasks of 20 us, pool' 'memory of a slot' 'half load, 20 us, teams of 32: response less body' \
        'the same: the load of all warps' 'of all threads, in bodies of 2000 us'; do
        in_out "^$what	[0-9]+	"
    done
    [ "$(grep -c '^the same, 99 of 100 within	' out)" = 5 ] || fail "tails: $(cat out)"
    awk -F '\t' '/^the same: the load/ && $3 > 0.55 || /^of all threads/ && $3 > 1 { exit 1 }' out ||
        fail "more than there is: $(cat out)"
done
run 0 bench spawn --tasks 40 --runs 1 --tsv spawn.tsv
in_out '^  empty tasks, spawn_many  +[0-9]'
grep -q '^what	tasks	median	least	most	runs	unit	mode$' spawn.tsv || fail "spawn.tsv: $(head -2 spawn.tsv)"
rm spawn.tsv
refused 'bench spawn takes no names of apps' bench spawn mm
refused 'names of apps' bench
refused "unknown app 'jaccobi'; did you mean 'jacobi'" bench jaccobi
refused "unknown backend 'gpu'" bench sw --backends cpu,gpu
refused 'names what it compares' bench sw --backends auto
refused "unknown policy 'first'" bench sw --policies first
refused 'names what it compares' bench sw --policies lf,default
refused 'with commas' bench sw --policies ,
refused '--runs 0' bench sw --runs 0
refused 'cannot be written' bench sw --tsv nowhere/b.tsv
refused 'has no option' bench sw --opt speed=9
refused 'no option of this command' bench sw --trace t.json
[ "$(echo *)" = "all.tsv err out wrong" ] || fail "files left: $(echo *)"
finish
