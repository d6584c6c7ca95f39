# SPDX-License-Identifier: MIT
# plan.sh - a plan recorded by heddle plan is replayed in the same order per worker. A plan belongs to one graph and one
# number of workers, and needs a trace without losses.
. "$2/tests/cli/common.bash"

# order FILE: "worker task" of each traced task, worker after worker, in order of time.
order() {
    grep -o '"cat":"task","pid":0,"tid":[0-9]*,"ts":[0-9.]*,"dur":[0-9.]*,"args":{"task":[0-9]*' "$1" |
        sed 's/.*"tid":\([0-9]*\),"ts":\([0-9.]*\),.*"task":\([0-9]*\)/\1 \2 \3/' | sort -k1,1n -k2,2n | cut -d' ' -f1,3
}
# lists FILE: the same of the plan of a graph without joins.
lists() { grep -o '^\[[0-9,]*' "$1" | tr -d '[' | awk -F, '{ for (i = 1; i <= NF; i++) print NR - 1, $i }'; }

lu='lu -n 256 -b 32 --workers 2'
for policy in lf grr; do
    # shellcheck disable=SC2086
    run 0 plan $lu --policy $policy -o p.json
    silent_err
    in_out '^p.json: 204 tasks for 2 workers, as recorded from a run of '
    lists p.json >planned
    [ "$(wc -l <planned) $(cut -d' ' -f2 planned | sort -u | wc -l)" = "204 204" ] || fail "p.json: $(cat p.json)"
    for trial in 1 2; do
        # shellcheck disable=SC2086
        run 0 run $lu --plan p.json --trace t$trial.json --json
        json_is "ok static 2" "'%s %s %s' % (d['check'], d['schedule'], d['workers'])"
        order t$trial.json | cmp -s - planned || fail "$policy: replay $trial is another order"
    done
done
# Without the file, a plan is made for any number of workers.
run 0 run lu -n 256 -b 32 --workers 1 --schedule static --no-check
# shellcheck disable=SC2086
run 0 run $lu --plan p.json --schedule static --no-check

# The default name; a new plan from measured times; a graph with joins, and an app with many.
run 0 plan sat -n 200 -b 20 --workers 3
[ -s sat.plan.json ] || fail "no sat.plan.json"
run 0 run sat -n 200 -b 20 --workers 3 --plan sat.plan.json
run 0 plan heat -n 200 -b 20 --workers 3 --costs
in_out 'heat.plan.json: .* for 3 workers, planned with the times of a run of '
run 0 run heat -n 200 -b 20 --workers 3 --plan heat.plan.json
in_out '^  check +ok$'
run 0 plan lu -n 128 -b 32 --backend serial -o serial.json
run 0 run lu -n 128 -b 32 --workers 1 --plan serial.json

refused 'for 2 workers, the context has 3' run lu -n 256 -b 32 --workers 3 --plan p.json
refused 'p.json: a plan of 204 tasks' run lu -n 128 -b 32 --workers 2 --plan p.json
refused 'nowhere.json: cannot be read' run lu --workers 2 --plan nowhere.json
refused 'schedule ticket' run lu --plan p.json --schedule ticket
refused 'schedule levels' run lu --plan p.json --schedule levels
refused 'serial' run lu -n 256 -b 32 --backend serial --plan p.json
# Each list backwards: all others wait for the former first task, and it now waits for them.
awk -F'[][]' '/^\[/ { n = split($2, t, ","); s = t[n]; while (--n > 0) s = s "," t[n]; sub(/\[.*\]/, "[" s "]") } 1' p.json >twisted.json
refused 'twisted.json: .*cycle' run lu -n 256 -b 32 --workers 2 --plan twisted.json
head -c 100 p.json >cut.json
refused 'cut.json:[0-9]+: ' run lu -n 256 -b 32 --workers 2 --plan cut.json

export HEDDLE_TRACE=10
refused 'lost 194 events' plan lu -n 256 -b 32 --workers 1 -o none.json
unset HEDDLE_TRACE
refused 'one app or one file' plan
refused 'one app or one file' plan lu heat
refused 'schedule levels' plan lu --schedule levels -o none.json
refused 'nowhere' plan lu -n 64 -o nowhere/none.json
refused 'no option of this command' run lu -o none.json
[ ! -e none.json ] || fail "a refused plan was written"

# For a wave it predicts the time, with given or guessed costs, and writes nothing.
run 0 plan sw/wave -n 1280x1000 --backend cpu --workers 4 --column-ns 10 --hand-ns 320
in_out '^  bands    20 of 64 rows by 1000 columns, 4 at a time$'
in_out '^  memory   [0-9.]+ [KM]?B beside the data, 8704 B of it for borders$'
in_out '^  costs    a column 10 ns .--column-ns., a hand-over 320 ns .--hand-ns.$'
in_out '^  as it is 32 columns a tile: .*, workers [0-9]+ % idle$'
in_out '^  best     [0-9]+ columns a tile: '
run 0 plan sw/wave -n 1280x1000 --backend cpu --workers 4
in_out '^  costs    a column [0-9]+ ns .a guess., '
[ ! -e sw.plan.json ] || fail "a wave has a plan"
# Of a body of a tile, too; what a tile costs nobody guesses.
run 0 plan sat/wave -n 1280x1000 --backend cpu --workers 4
in_out '^  tiles    [0-9]+ rows by [0-9]+ columns$'
in_out '^  bands    [0-9]+ of [0-9]+ rows by 1000 columns, [0-9]+ at a time$'
in_out '^  time     not predicted: '
run 0 plan inthist/wave -n 1280x1000 --backend cpu --workers 4 --column-ns 10 --hand-ns 320
in_out '^  as it is [0-9]+ columns a tile: .*, workers [0-9]+ % idle$'
refused 'are for waves' plan lu -n 64 --column-ns 10

# A graph from a file: the plan lies beside it, with its name.
if ! "$heddle" trace /dev/null 2>&1 | grep -q 'reads no JSON'; then
    run 0 run lu -n 128 -b 32 --dump-graph g.json
    run 0 plan ./g.json --workers 2
    run 0 run ./g.json --workers 2 --plan g.plan.json
    in_out '^  check +ok$'
fi
finish
