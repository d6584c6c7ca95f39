# SPDX-License-Identifier: MIT
# kernels.sh - `heddle share start --kernels ordered`: kernels of different programs never run at the same time, those of one program may; a
# program that pauses, is killed or is stopped keeps the GPU from nobody; without a daemon, or without gates, kernels are CUDA's. With
# `free` kernels of different programs meet. The bytes are right in all cases.
. "$(dirname "$0")/common.bash"
export HEDDLE_SHARE_LARGE=65536 # half of what a program copies
# MODE ROUNDS [OPTION...]: starts one, which waits for the file `when`; its process in `last`, what it says in the file of this number.
program() {
    local mode=$1 n=$2
    shift 2
    n_programs=$((n_programs + 1))
    "$heddle" share run "$@" --require -- "$programs/share_kernels" "$folder" "$mode" "$n" "$when" >"$folder/out$n_programs" 2>&1 &
    last=$!
    started+=("$last")
    pids+=("$last")
}
# A new folder for programs that are to meet.
new_folder() {
    folder=$(mktemp -d "$scratch/kernels.XXXXXX")
    n_programs=0 pids=() when=go
}
# [FILE]: all have copied, so that the daemon knows their GPU; what they sent before was read before the last answer.
go() {
    local p
    for p in "${pids[@]}"; do until_status "\"pid\": $p,[^}]*\"tasks\": [1-9]"; done
    for _ in 1 2 3; do "$heddle" share status --json >"$scratch/state"; done
    touch "$folder/${1:-go}"
}
ends() { # PROCESS NUMBER: ends well, and nobody computed beside it
    wait "$1" || { cat "$folder"/out*; cat "$scratch/state"; fail "program $2 ended with $?"; }
    grep -q '^right; beside others 0;' "$folder/out$2" || { cat "$folder"/out*; fail "program $2 is not right"; }
}
computes() { until_status "\"way\": \"kernels\", \"holder\": $1,"; }
waits() { until_status "\"pid\": $1,[^}]*\"waits\": \[\{\"for\": \"kernels\""; }
# PROCESS: its kernel has the GPU, and is inside.
holds() {
    computes "$1"
    for _ in {1..400}; do
        [ "$(od -An -tu4 -j16 -N4 "$folder/page" | tr -d ' ')" -gt 0 ] && return
        sleep 0.01
    done
    fail "no kernel began"
}
# MODE [stop]: two programs: `a` has the GPU, and keeps it until the file let is there, or is stopped; `b` comes to it with its kernel.
start_pair() {
    new_folder
    program hold 1; a=$last
    when=then
    program "$1" 1; b=$last
    go
    holds "$a"
    [ $# = 1 ] || kill -STOP "$a"
    go then
}

echo "-- refused, with a sentence"
refuses 'none of free, ordered' start --kernels some
refuses 'under none nobody waits' start --kernels ordered --policy none
HEDDLE_SHARE_KERNELS=some refuses 'HEDDLE_SHARE_KERNELS' start --row 4

for policy in exact fifo strings dp; do
    echo "-- rounds of three programs: $policy"
    start_daemon --kernels ordered --policy $policy --row 4 --patience 60000
    new_folder
    for _ in 1 2 3; do program rounds $((${#sanitized} ? 6 : 12)); done
    go
    for i in 1 2 3; do ends "${pids[i - 1]}" $i; done
    [ $policy != exact ] || run_four "$(rounds 3)"
    grep -qE 'waits in streams [1-9]' "$folder/out1" || fail "no kernel ever waited"
    all_gone
    grep -qE '"kernels": "ordered".*"way": "kernels", "holder": 0, "busy_us": [1-9][0-9]*, "bytes": 0, "turns": [1-9][0-9]*, "lost": 0\}' "$scratch/state" ||
        { cat "$scratch/state"; fail "the GPU's turns"; }
    stop_daemon
done

export HEDDLE_SHARE_KERNELS=ordered
start_daemon --patience 60000 --trace "$scratch/trace.json"
echo "-- a program alone asks nobody"
new_folder
program rounds 2
go
ends "$last" 1
grep -q 'waits in streams 0$' "$folder/out1" || fail "it waited: $(cat "$folder/out1")"

echo "-- one task's kernels in two streams have the GPU together"
new_folder
program hold 0; a=$last # another client
program both 1; b=$last
touch "$folder/stay"
go
until_status "\"pid\": $b,[^}]*\"kernels_gated\": 2, \"kernels_passed\": 0"
for _ in {1..1000}; do grep -q '^right' "$folder/out2" && break || sleep 0.01; done
touch "$folder/leave"
ends "$b" 2
ends "$a" 1

echo "-- a pause keeps the GPU from nobody"
new_folder
program pause 1; a=$last
program rounds 3; b=$last
go
ends "$b" 2
touch "$folder/on"
ends "$a" 1

echo "-- the better class is next"
start_pair hold
waits "$b"
when=third
program hold 1 --class high; c=$last
go third
waits "$c"
"$heddle" share status | grep -q 'waits to compute since' || fail "status does not say it"
touch "$folder/let"
ends "$a" 1; ends "$b" 2; ends "$c" 3
[ "$(od -An -tu4 -j20 -N12 "$folder/page" | xargs)" = "$a $c $b" ] || fail "they computed in the order $(od -An -tu4 -j20 -N12 "$folder/page"), not $a $c $b"

echo "-- killed while it has the GPU, and while it waits"
start_pair rounds
waits "$b"
when=third
program hold 1; c=$last
go third
waits "$c"
kill -9 "$c"
kill -9 "$a"
wait "$b" || { cat "$folder"/out*; fail "the program behind one that was killed"; }
grep -q '^right' "$folder/out2" || { cat "$folder"/out*; fail "the program behind one that was killed"; } # its page says that the dead one computes
all_gone

echo "-- captures, and no gates to be had: they pass, and are counted"
new_folder
program hold 0
program capture 2; b=$last
FAKE_CUDA_FAULTS=cuStreamWaitValue32_v2:0:801 program rounds 2; c=$last
touch "$folder/stay"
go
until_status "\"pid\": $b,[^}]*\"kernels_gated\": 0, \"kernels_passed\": 4"
until_status "\"pid\": $c,[^}]*\"kernels_gated\": 0, \"kernels_passed\": 10"
touch "$folder/leave"
for i in 1 2 3; do wait "${pids[i - 1]}" && grep -q '^right' "$folder/out$i" || { cat "$folder/out$i"; fail "program $i"; }; done

echo "-- the daemon is killed while one computes and another waits"
start_pair rounds
waits "$b"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
wait "$b" || { cat "$folder"/out*; fail "the program that waited ended with $?"; }
grep -q '^right; beside others [1-9]' "$folder/out2" || { cat "$folder"/out*; fail "it was not beside the other one"; }
touch "$folder/let"
wait "$a" && grep -q '^right' "$folder/out1" || { cat "$folder"/out*; fail "the program that computed"; }
if command -v python3 >/dev/null; then
    python3 - "$scratch/trace.json" <<'END' || fail "the trace"
import json, sys
text = open(sys.argv[1]).read().rstrip().rstrip(",")
events = json.loads(text if text.endswith("]") else text[:text.rfind("\n{")].rstrip().rstrip(",") + "]")
rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
assert any(e["ph"] == "X" and e["name"] == "waits to compute" for e in events)
assert any(e["ph"] == "X" and e["name"] == "computes" for e in events)
slices = sorted((e["ts"], e["ts"] + e["dur"], e["args"]["program"]) for e in events if e["ph"] == "X" and rows[e["pid"], e["tid"]] == "GPU 0 kernels")
assert slices and all(a[1] <= b[0] + 0.01 or a[2] == b[2] for a, b in zip(slices, slices[1:])), slices
END
fi

echo "-- stopped while it has the GPU: others have patience, and then go on"
start_daemon --patience 300
start_pair rounds stop
wait "$b" || { cat "$folder"/out*; fail "the program behind one that is stopped"; }
"$heddle" share status --json | grep -qE '"way": "kernels"[^}]*"lost": [1-9]' || fail "no lease ended"
kill -CONT "$a"
touch "$folder/let"
wait "$a" && grep -q '^right' "$folder/out1" || { cat "$folder"/out*; fail "the program that was stopped"; }
all_gone
stop_daemon
unset HEDDLE_SHARE_KERNELS

echo "-- free: kernels of two programs meet"
start_daemon
new_folder
program meet 1; a=$last
program meet 1; b=$last
go
for i in 1 2; do wait "${pids[i - 1]}" && grep -q '^right' "$folder/out$i" || { cat "$folder/out$i"; fail "program $i"; }; done
stop_daemon
