# SPDX-License-Identifier: MIT
# scarce.sh - every allocation of the interposer is made to fail, one at a time: the driver's functions, rings, accounts of memory, the trace.
# The program gives the right bytes all the same, as copies are the driver's then, memory does not count, and no trace is written.
. "$(dirname "$0")/common.bash"
if [ "$sanitized" ]; then
    echo "left out: sanitizers have allocations of their own"
    exit 77
fi
export SCARCE_COUNT=$scratch/count
# VARIABLE=VALUE... PROGRAM ARG...: with each allocation failing, until none does.
each_fails() {
    local nth n
    for ((nth = 1; ; nth++)); do
        SCARCE_NTH=$nth LD_PRELOAD=$programs/libshare_scarce.so share -- env "$@" >"$scratch/out" 2>&1 || { cat "$scratch/out"; fail "allocation $nth"; }
        grep -q '^right' "$scratch/out" || { cat "$scratch/out"; fail "allocation $nth: wrong bytes"; }
        all_gone
        n=$(cat "$SCARCE_COUNT")
        [ "$n" -ge "$nth" ] || break
    done
    echo "$((nth - 1)) failed"
    [ "$nth" -gt "$least" ] || fail "the interposer was not seen to allocate"
}
start_daemon
least=4 # the driver, a set of rings a direction, an account
for kind in pageable pinned async; do each_fails "$programs/share_copier" 4 2 $kind both; least=2; done
echo "-- a trace"
each_fails HEDDLE_SHARE_RECORD="$scratch/trace.json" "$programs/share_copier" 4 2 pageable both
[ -s "$scratch/trace.json" ] || fail "no trace when nothing failed"
stop_daemon
