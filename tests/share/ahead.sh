# SPDX-License-Identifier: MIT
# ahead.sh - copies that return before they are made (--ahead): whatever the program does next, its bytes are those of the call, order in
# and among streams is CUDA's, and codes are. An arena that is full, gates that are not to be had, failures at each call: then copies block
# as ever. Programs that are killed, that end, and a daemon that dies, leave nobody waiting.
. "$(dirname "$0")/common.bash"
export FAKE_CUDA_RATE=60 # MB/s: 1500 KB take 25 ms
ahead() { share --ahead 16M -- "$programs/share_ahead" "$@"; }
early() { grep -qE '^right; early [1-9]' "$1" || { cat "$1"; fail "no copy was ahead"; }; }
blocking() { grep -q '^right; early 0;' "$1" || { cat "$1"; fail "a copy was ahead"; }; }
at_once() { sed -n 's/.*at once \([0-9]*\);.*/\1/p' "$1"; }

echo "-- refused, with a sentence"
for word in 1X -1 9999999G; do refuses 'no number of bytes' run --ahead $word -- true; done
refuses 'no number of bytes' start --ahead 5Q

start_daemon
echo "-- alone"
for what in "order 2000" "behind 3000" "told 1500" "own 1500" "free 1500" "contexts 1500" "exit 6000" "bytes 3 3 1500 1"; do
    FAKE_CUDA_RATE=$([ "$what" = "exit 6000" ] && echo 10 || echo 60) ahead $what >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$what"; }
    early "$scratch/out"
done
FAKE_CUDA_RATE=200 ahead release 1500 >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "release"; }
early "$scratch/out"
FAKE_CUDA_RATE=4 ahead several 1500 4 >"$scratch/out" 2>&1 # 375 ms each
[ "$(at_once "$scratch/out")" -ge 2 ] || { cat "$scratch/out"; fail "copies in a row waited for one another"; }
share -- "$programs/share_ahead" several 1500 6 >"$scratch/out"
blocking "$scratch/out"

echo "-- an arena that is too small, or full: copies block"
share --ahead 1M -- "$programs/share_ahead" several 1500 3 >"$scratch/out"
blocking "$scratch/out"
share --ahead 4M -- "$programs/share_ahead" several 1500 6 >"$scratch/out"
early "$scratch/out"
[ "$(at_once "$scratch/out")" -le 2 ] || fail "more than the arena takes"

echo "-- codes are CUDA's; what we lack is done the usual way"
code() { # NAME CODE
    FAKE_CUDA_FAULTS=$1:0:$2 share --ahead 16M -- "$programs/share_codes" "$1" "$2" >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$1"; }
}
code cuMemcpyHtoDAsync_v2 700
code cuMemcpyHtoD_v2 1
code cuMemHostRegister_v2 77
for fault in cuMemHostRegister_v2:0:2 cuEventQuery:0:700; do
    FAKE_CUDA_FAULTS=$fault ahead free 1500 >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$fault"; }
done
FAKE_CUDA_FAULTS=cuMemcpyHtoDAsync_v2:3:700 ahead several 1500 6 >"$scratch/out" 2>&1 && fail "the third copy did not fail"
grep -q 'cuMemcpyHtoD.*: 700$' "$scratch/out" || { cat "$scratch/out"; fail "another code"; }

echo "-- times of kernels: what is left of the copy is not in them"
FAKE_CUDA_RATE=20 share --ahead 64M -- "$programs/share_tasker" x 36 100 0 1 >"$scratch/out" # the copy takes 1800 ms
until_status '"clients": \[\]'
stop_daemon
awk -F'\t' 'NF > 5 && $3 == 36 * 1048576 && $6 >= 100e6 && $6 < 1700e6 { n++ } END { exit !n }' "$scratch/heddle/share-history" ||
    { cat "$scratch/heddle/share-history"; fail "not learnt, or with the copy"; }

# NAME COMMAND...: starts one in the background, its process in `last`.
begin() {
    local name=$1
    shift
    "$@" >"$scratch/$name" 2>&1 &
    last=$!
    started+=("$last")
}

for policy in exact fifo; do
    echo "-- beside others: $policy, as the daemon was told"
    start_daemon --policy $policy --ahead 16M
    pids=()
    for i in 1 2 3 4; do
        FAKE_CUDA_RATE=200 begin out$i share -- "$programs/share_ahead" bytes 2 3 2500 $i
        pids+=("$last")
    done
    for p in "${pids[@]}"; do wait "$p" || { cat "$scratch"/out*; fail "a program of four"; }; done
    for i in 1 2 3 4; do early "$scratch/out$i"; done
    grep -qE 'waits in streams [1-9]' "$scratch"/out[1-4] || fail "no gate was ever used"
    share --ahead 0 -- "$programs/share_ahead" several 1500 3 >"$scratch/out"
    blocking "$scratch/out"
    stop_daemon
done

start_daemon
begin loop "$heddle" share run --require --ahead 16M -- "$programs/share_ahead" loop 2000; loop=$last
until_status "\"pid\": $loop,.*\"ahead\": [1-9]"
for what in "order 2000" "behind 3000" "own 1500" "free 1500" "contexts 1500" "exit 6000"; do
    echo "-- beside another program: $what"
    ahead $what >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "$what"; }
    early "$scratch/out"
done
kill -9 "$loop" # with copies at gates
wait "$loop" 2>/dev/null || true
all_gone

echo "-- without gates nothing is ahead, and that is counted"
for i in 1 2; do
    FAKE_CUDA_FAULTS=cuStreamWriteValue32_v2:0:801 begin loop$i "$heddle" share run --require --ahead 16M -- "$programs/share_ahead" loop 2000
    eval "loop$i=$last"
done
until_status "\"pid\": $loop1,[^}]*\"not_ahead\": [1-9]"
kill -9 "$loop1" "$loop2"
wait "$loop1" "$loop2" 2>/dev/null || true
all_gone

echo "-- killed, stopped, and the daemon killed, while copies are on their way" # of 300 ms each
begin loop "$heddle" share run --require --ahead 16M -- "$programs/share_ahead" loop 2000; loop=$last
until_status "\"pid\": $loop,.*\"ahead\": [1-9]"
FAKE_CUDA_RATE=5 begin a "$heddle" share run --require --ahead 32M -- "$programs/share_ahead" several 1500 8; a=$last
until_status "\"pid\": $a,[^}]*\"ahead\": [1-9]"
kill -STOP "$loop"
wait "$a" || { cat "$scratch/a"; fail "a program beside one that is stopped"; }
kill -CONT "$loop"
FAKE_CUDA_RATE=5 begin b "$heddle" share run --require --ahead 32M -- "$programs/share_ahead" several 1500 12; b=$last
until_status "\"pid\": $b,[^}]*\"ahead\": [1-9]"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
daemon=
wait "$b" || { cat "$scratch/b"; fail "a program whose daemon died"; }
kill -9 "$loop"
for i in a b; do early "$scratch/$i"; done
