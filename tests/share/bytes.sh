# SPDX-License-Identifier: MIT
# bytes.sh - programs give the same bytes with and without heddle share, one and several at a time, by every way to find the
# driver, with threads, streams and memory of all kinds, under each policy. What was staged is seen in the driver's calls.
. "$(dirname "$0")/common.bash"
staged() { grep -qE 'right; pieces [1-9]' "$1" || { cat "$1"; fail "nothing went through the rings"; }; }

echo "-- plainly, and with the interposer alone"
"$programs/share_mixed" lookup 2 6 3000 1 | grep -q 'right; pieces 0'
LD_PRELOAD=$(dirname "$heddle")/libheddle_share.so "$programs/share_mixed" lookup 2 6 3000 1 >"$scratch/out"
staged "$scratch/out"

echo "-- a program that handles its faults: lanes touch its memory, too"
"$programs/share_guarded" 4000 3 | grep -q 'right; pieces 0'
LD_PRELOAD=$(dirname "$heddle")/libheddle_share.so "$programs/share_guarded" 4000 3 >"$scratch/out" || fail "a lane's fault"
staged "$scratch/out"

for policy in fifo strings none; do
    start_daemon --policy $policy
    echo "-- $policy: one program"
    for how in dlsym dlsym-own lookup lookup-own linked linked-own; do
        share "$programs/share_mixed${how:+$([[ $how == linked* ]] && echo _linked)}" "$how" 3 "$(rounds 6)" 3000 2 >"$scratch/out" 2>&1 ||
            { cat "$scratch/out"; fail "$how"; }
        staged "$scratch/out"
    done
    echo "-- $policy: four programs"
    run_four "$(rounds 8)"
    for i in 1 2 3 4; do staged "$scratch/out$i"; done
    "$heddle" share status
    stop_daemon
done

echo "-- blocking copies in one thread, gates in another: the turn of one is not held up by the other's gate"
start_daemon
pids=()
for i in 1 2 3; do
    FAKE_CUDA_RATE=1000 HEDDLE_SHARE_PART=262144 share -- "$programs/share_behind" 60 >"$scratch/out$i" 2>&1 &
    pids+=($!)
done
for p in "${pids[@]}"; do wait "$p" || { cat "$scratch"/out*; fail "a program of three"; }; done
"$heddle" share status --json >"$scratch/state"
sum() { grep -o "\"$1\": [0-9]*" "$scratch/state" | awk '{ n += $2 } END { print n }'; }
[ "$(sum lost)" -le $(($(sum turns) / 4)) ] || { cat "$scratch/state"; fail "$(sum lost) turns of $(sum turns) were lost"; }
stop_daemon

echo "-- switched off"
start_daemon
HEDDLE_SHARE=off share "$programs/share_mixed" lookup 1 4 3000 1 | grep -q 'right; pieces 0'
"$heddle" share status --json | grep -q '"clients": \[\]' || fail "a program that is left alone is a client"
