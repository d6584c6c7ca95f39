# SPDX-License-Identifier: MIT
# plan.sh - the daemon learns what programs do, keeps it in a file, and orders their copies by it: a program whose kernels take long
# goes before others that came earlier, once it is known, and not before. Nobody waits beyond the row and its patience. A history that
# is damaged is set aside, and said. The policies that plan give the same bytes as the others.
. "$(dirname "$0")/common.bash"
history=$scratch/heddle/share-history
export FAKE_CUDA_RATE=100 HEDDLE_SHARE_PIECE=262144 # MB/s: 8 MB take 84 ms
tasker() { share -- "$programs/share_tasker" "$@"; }
begin() { # FILE ARG...: starts one, its process in `last`; what it says is in this file
    "$heddle" share run --require -- "$programs/share_tasker" "${@:2}" >"$scratch/$1" 2>&1 &
    last=$!
    started+=("$last")
}
known() { "$heddle" share status --json | sed -n 's/.*"known_tasks": \([0-9]*\).*/\1/p'; }

echo "-- refused, with a sentence"
refuses 'no number from 1' start --row 0
refuses 'at most --row 9' start --policy bf --row 10
refuses 'at most --row 9' start --row 10 --policy bf
refuses 'at most --row 16' start --row 17
refuses 'replay only' start --policy dp-printed
refuses "did you mean 'exact'" start --policy exat
refuses 'no/such' start --trace no/such/folder

echo "-- what programs do is learnt, also from one that is alone, and outlives the daemon"
start_daemon
"$heddle" share status | grep -q 'policy exact' || fail "another policy"
[ "$(known)" = 0 ] || fail "known before it ran"
tasker short 8 1 4 1 >"$scratch/out"
until_status '"clients": \[\]'
[ "$(known)" = 2 ] || fail "not learnt" # the first task, and any that begins so
tasker short 8 1 4 3 >"$scratch/out" # the same task, and two more
tasker long 4 1000 0 1 >"$scratch/out"
until_status '"clients": \[\]'
[ "$(known)" = 6 ] || { "$heddle" share status --json; fail "learnt otherwise"; }
stop_daemon
grep -q '^heddle share history 3' "$history" && [ "$(wc -l <"$history")" = 11 ] || { cat "$history"; fail "not kept"; }
awk -F'\t' '$3 == 4194304 && $4 == 4194304 && $6 > 990000000 && $6 < 5000000000 { n++ } END { exit n != 2 }' "$history" ||
    { cat "$history"; fail "the long kernel is not in it"; }
awk -F'\t' '$3 == 8388608 && $4 == 8388608 && $5 == 4194304 && $6 < 990000000 { n++ } END { exit n != 4 }' "$history" ||
    { cat "$history"; fail "the short tasks are not in it"; }

echo "-- kernels that ran while others did are known to have done so"
[ "$(awk -F'\t' 'NF == 8 && $8 == 1' "$history" | wc -l)" = 6 ] || { cat "$history"; fail "not alone"; }
cp "$history" "$scratch/kept"
start_daemon
begin beside beside 2 "$scratch/over" 0 1; beside=$last
until_status '"name": "share_tasker"[^}]*"tasks": 1'
tasker short 16 100 0 1 >"$scratch/out"
tasker short 8 1 4 1 >"$scratch/out" # it ran alone before: its time stays
touch "$scratch/over"
wait "$beside"
until_status '"clients": \[\]'
stop_daemon
awk -F'\t' '$3 == 2097152 || $3 == 16777216 { n += $8 == 0 } END { exit n != 4 }' "$history" || { cat "$history"; fail "alone"; }
[ "$(awk -F'\t' 'NF == 8 && $8 == 1' "$history" | wc -l)" -ge 4 ] || { cat "$history"; fail "none is alone any more"; }

echo "-- a program computes until it has waited for the stream that it computes in, or for all"
mkdir "$scratch/steps"
start_daemon
"$heddle" share run --require -- "$programs/share_streams" "$scratch/steps" >"$scratch/streams" & streams=$!
started+=("$streams")
for i in 1 2 3 4 5 6 7 8; do
    for _ in {1..1000}; do grep -qx "$i" "$scratch/streams" && break || sleep 0.01; done
    tasker short $((i + 20)) 20 0 1 >"$scratch/out"
    touch "$scratch/steps/let" "$scratch/steps/$i"
done
wait "$streams" && grep -q right "$scratch/streams" || { cat "$scratch/streams"; fail "a program with streams"; }
stop_daemon
alone=$(awk -F'\t' '$2 == 1 && $3 > 20 * 2^20 { print $3, $8 }' "$history" | sort -n | awk '{ printf "%s", $2 }')
[ "$alone" = 01011011 ] || { cat "$history"; fail "alone beside the steps: $alone"; }
mv "$scratch/kept" "$history"

# N: until so many wait for the link.
until_waiting() {
    for _ in {1..400}; do
        "$heddle" share status --json >"$scratch/state"
        [ "$(grep -o '"overtaken"' "$scratch/state" | wc -l)" -ge "$1" ] && return
        sleep 0.02
    done
    fail "never were there $1 that wait"
}

# While one program copies, two short ones and then the long one come. It copies until it is killed, when all of these wait. Sets `first`,
# the one of them that copies first.
race() {
    local i holder other pids=()
    rm -f "$scratch/over"
    begin race4 other 1 "$scratch/over" 0 1; other=$last # with one alone nobody asks
    until_status '"in_bytes": [1-9]'
    # Leases are as long as copies take: a holder that waits for a processor shall not lose its turn.
    share -- "$programs/share_copier" 16 1 pageable >"$scratch/out"
    FAKE_CUDA_RATE=2 begin race0 holder 120 1 0 1; holder=$last
    until_status "\"holder\": $holder,"
    for i in 1 2; do
        begin "race$i" "short$i" 8 1 4 1; pids+=("$last")
        until_waiting "$i"
    done
    begin race3 long 4 1000 0 1; pids+=("$last")
    until_waiting 3
    grep -q "\"holder\": $holder," "$scratch/state" || { cat "$scratch/state"; fail "the holder lost its turn"; }
    kill -9 "$holder"
    wait "$holder" 2>/dev/null || true
    for i in "${pids[@]}"; do wait "$i" || { cat "$scratch"/race*; fail "a program of the race"; }; done
    touch "$scratch/over"
    wait "$other" || { cat "$scratch"/race*; fail "a program beside the race"; }
    cat "$scratch"/race[1-3]
    first=$(sed -n 's/right \([a-z]*\)[0-9]*; copied in at \([0-9]*\),.*/\2 \1/p' "$scratch"/race[1-3] | sort -n | sed -n '1s/.* //p')
}

echo "-- known: the long one first"
start_daemon --patience 100000 --trace "$scratch/trace.json"
[ "$(known)" = 6 ] || fail "forgotten"
race
[ "$first" = long ] || fail "$first went first"
stop_daemon
if command -v python3 >/dev/null; then
    python3 - "$scratch/trace.json" <<'END' || fail "the trace"
import json, sys, time
events = json.load(open(sys.argv[1]))
rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
for row in rows:  # slices of a link do not overlap
    slices = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == row)
    if row[0] == 1 and "copies" in rows[row]:
        assert all(a[1] <= b[0] + 0.01 for a, b in zip(slices, slices[1:])), rows[row]
clock = [e["args"]["begin_ns"] for e in events if e["ph"] == "M" and "begin_ns" in e["args"]]
assert len(clock) == 1 and clock[0] <= time.monotonic_ns(), clock
names = {n for n in rows.values()}
assert {"GPU 0 copies in", "GPU 0 kernels", "GPU 0 copies out"} <= names, names
waits = [e for e in events if e["ph"] == "X" and e["name"] == "waits to copy in"]
assert len(waits) >= 3, waits
kernels = [e for e in events if e["ph"] == "X" and rows[e["pid"], e["tid"]] == "GPU 0 kernels" and "expected_us" in e["args"]]
assert any(280e3 < e["args"]["expected_us"] and 280e3 < e["dur"] for e in kernels), kernels
assert any(e["ph"] == "s" for e in events) and any(e["ph"] == "t" for e in events)
END
fi
echo "-- fifo, and exact without a history: as they came"
start_daemon --patience 100000 --policy fifo
race
[ "$first" = short ] || fail "$first went first"
stop_daemon
rm "$history"
start_daemon --patience 100000
race
[ "$first" = short ] || fail "$first went first"
stop_daemon

echo "-- row 1: the oldest one is overtaken once"
start_daemon --patience 100000 --row 1
race
[ "$first" = long ] || fail "$first went first"
at() { sed -n "s/right $1; copied in at \([0-9]*\),.*/\1/p" "$scratch"/race[1-3]; }
[ "$(at short1)" -lt "$(at short2)" ] || fail "overtaken twice"
stop_daemon

echo "-- a damaged history"
sed -i '3s/\t/ /' "$history"
"$heddle" share start --foreground 2>"$scratch/said" & daemon=$!
until_status '"known_tasks": 0'
grep -q 'line 3.*set aside' "$scratch/said" || { cat "$scratch/said"; fail "not said"; }
[ -f "$history.bad" ] || fail "not set aside"
stop_daemon
unset FAKE_CUDA_RATE HEDDLE_SHARE_PIECE

for policy in exact dp bf; do
    echo "-- bytes: $policy"
    start_daemon --policy $policy --row 4
    for again in unknown known; do run_four "$(rounds 4)"; done
    [ "$(known)" -gt 0 ] || fail "nothing learnt"
    stop_daemon
done
