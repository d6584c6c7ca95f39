# SPDX-License-Identifier: MIT
# replay.sh - `heddle share replay` on the twelve programs of CuMAS: what was simulated elsewhere comes out here, the best order
# bears wrong estimates, programs that are not known run as they came, and no task is overtaken more often than the row says. Then
# traces, and files that are none.
. "$(dirname "$0")/common.bash"
data=$3/tests/share/data

# TABLE ARGUMENT...: lines "policy row makespan least most of-it mean-end idle-gpu idle-out planning a-plan overtaken".
replay() {
    local file=$data/$1.tasks
    shift
    "$heddle" share replay "$file" "$@" >"$scratch/replay"
    cat "$scratch/replay"
}
# POLICY ROW COLUMN: a number of the last replay.
value() { awk -v p="$1" -v r="$2" -v c="$3" '$1 == p && $2 == r { print $c }' "$scratch/replay"; }
# What holds between numbers, as awk writes it.
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $1 ($2)"; }

replay table --policy all --row 12
holds "$(value none 12 3) > 315 && $(value none 12 3) < 317" "copies that share the link"
holds "$(value strings 12 3) > 335 && $(value strings 12 3) < 345" "calls as they come"
holds "$(value fifo 12 3) > 285 && $(value fifo 12 3) < 305" "programs as they come"
holds "$(value exact 12 6) <= 1.03 && $(value dp 12 6) <= 1.03" "the best order"
holds "$(value exact 12 3) <= 0.72 * $(value strings 12 3)" "the best order against calls as they come"
holds "$(value exact 12 3) <= 0.85 * $(value fifo 12 3)" "the best order against programs as they come"
holds "$(value exact 12 3) <= 0.80 * $(value none 12 3)" "the best order against none"
holds "$(value dp-printed 12 3) > 0.95 * $(value fifo 12 3)" "the printed costs are no better than arrival"
best=$(value exact 12 3)
replay table --slack 0
holds "$(value exact 12 6) <= 1.001" "without slack nothing is given away"
replay table --policy exact --row 2..12
holds "$(value exact 8 3) <= 1.03 * $best" "row 8"
for row in {2..12}; do holds "$(value exact "$row" 12) <= $row" "overtaken under row $row"; done
holds "$(value exact 2 12) >= 1 && $(value exact 2 3) > $best" "a row that binds"
replay table --wrong 0.3 --orders 200
holds "$(value exact 12 6) <= 1.05" "estimates that are wrong"
fifo=$(replay table --policy fifo | awk '$1 == "fifo" { print $3 }')
replay table --unknown
holds "$(value exact 12 3) <= 1.02 * $fifo && $(value exact 12 3) >= 0.98 * $fifo" "nothing known"

replay balanced --policy all --row 12
holds "$(value none 12 3) > 271 && $(value none 12 3) < 274" "copies that share the link"
holds "$(value exact 12 6) <= 1.06" "the best order"
holds "$(value exact 12 3) <= 0.72 * $(value strings 12 3)" "against calls as they come"
strings=$(value strings 12 3)
replay balanced --policy bf --row 6 --orders 3
holds "$(value bf 6 3) < 0.9 * $strings" "all orders of a batch"

echo "-- traces"
cat >"$scratch/trace.json" <<'END'
{"heddle_share": 1, "tasks": [{"program": "a", "in_ns": [5000000], "kernels_ns": 20000000},
 {"program": "b", "in_ns": [10000000, 10000000], "out_ns": [3000000]}, {"program": "a", "out_ns": [1000000]}]}
END
if "$heddle" share replay "$scratch/trace.json" --json >"$scratch/out" 2>&1; then
    grep -q '"programs": 2, "tasks": 3' "$scratch/out" && grep -q '"makespan_ns": 29000000' "$scratch/out" ||
        { cat "$scratch/out"; fail "a trace"; }
else
    grep -q 'built without' "$scratch/out" || { cat "$scratch/out"; fail "a trace"; }
fi

echo "-- several files: a program of one is none of another"
printf 'a 55 - -\nb - 10 -\n' >"$scratch/one"
printf 'a 55 - -\n' >"$scratch/two"
"$heddle" share replay "$scratch/one" --rate 55 "$scratch/two" --policy fifo "$scratch/two" >"$scratch/replay"
cat "$scratch/replay"
grep -q '^4 programs, 4 tasks' "$scratch/replay" || fail "not all files, or not apart"
holds "$(value fifo 12 3) > 2.9 && $(value fifo 12 3) < 10.1" "three copies and a kernel"
refuses "No such file" replay "$scratch/one" "$scratch/nothing"
refuses "with the files before it" replay $(yes "$scratch/two" | head -129)

echo "-- refused, with a sentence"
refuses "no number from 1" replay "$data/table.tasks" --row 0
refuses "at most --row 9" replay "$data/table.tasks" --policy bf --row 10
refuses "did you mean 'exact'" replay "$data/table.tasks" --policy exakt
refuses "No such file" replay "$scratch/nothing"
refuses "takes a file" replay
refuses "copies nothing" replay "$data/table.tasks" --rate 0
printf 'a 1 2\n' >"$scratch/bad"
refuses "bad: line 1 is no task" replay "$scratch/bad"
printf 'a 1 2 3\nb 7y2 1 1\n' >"$scratch/bad"
refuses "bad: line 2 is no task" replay "$scratch/bad"
printf '# nothing\n' >"$scratch/bad"
refuses "there is no task" replay "$scratch/bad"
printf '{"heddle_share": 1, "tasks": [{"program": "a", "in_ns": [-1]}]}' >"$scratch/bad"
refuses "task 0 lacks|built without" replay "$scratch/bad"
printf '{"heddle_share": 1' >"$scratch/bad"
refuses "line 1|built without" replay "$scratch/bad"
