# SPDX-License-Identifier: MIT
# memory.sh - memory of GPUs: peaks that are declared, or known from earlier runs, wait in line; an allocation that does not fit waits until another program has
# freed enough, or its time is over; alone it fails at once.
. "$(dirname "$0")/common.bash"
export FAKE_CUDA_MEMORY=$((100 << 20)) FAKE_CUDA_RATE=400 HEDDLE_SHARE_MEM=0
run() { # NAME OPTION... -- ARG...
    local name=$1
    shift
    "$heddle" share run --require "$@" >"$scratch/$name" 2>&1 &
    last=$!
    started+=("$last")
}
copier=$programs/share_copier
over=$scratch/over # the file whose coming ends copiers that shall be there until something was seen
ends_now() { # PROCESS NAME: one that waits for `over`
    touch "$over"
    wait "$1" || { cat "$scratch/$2"; fail "$2"; }
    rm "$over"
}
start_daemon

echo "-- without a declaration: 60 MB beside 60 MB of 100"
run a -- "$copier" 60 "$over" pool; a=$last
until_status '"memory_bytes": 62914560'
run b --mem-wait 200s -- "$copier" 60 1 pinned; b=$last
until_status "\"pid\": $b,.*\"for\": \"memory\""
ends_now "$a" a
wait "$b" || { cat "$scratch/b"; fail "b did not wait for a"; }
grep -q ^right "$scratch/b"

echo "-- since when: all the time, though it tried again when others freed some"
run a -- "$copier" 60 1000 pinned; a=$last
until_status '"memory_bytes": 62914560'
run b --mem-wait 200s -- "$copier" 60 1 pinned; b=$last
until_status "\"pid\": $b,.*\"for\": \"memory\""
for i in 1 2 3; do share -- "$copier" 20 1 pinned >"$scratch/c"; done # each frees what it has
until_status "\"pid\": $b,.*\"for\": \"memory\""
since_us() { "$heddle" share status --json | sed -n "s/.*\"pid\": $b,.*\"since_us\": \([0-9]*\)}.*/\1/p"; }
first=$(since_us)
sleep 0.3
[ "$(since_us)" -ge $((first + 300000)) ] && [ "$first" -ge 200000 ] || fail "waits since $first us, then $(since_us)"
"$heddle" share status | grep -qE 'waits for memory since [0-9]{3,} ms: wants 62 MB' || { "$heddle" share status; fail "since when"; }
kill -9 "$a"
wait "$a" 2>/dev/null || true
wait "$b" || { cat "$scratch/b"; fail "b did not wait"; }

echo "-- no longer than it wants to"
run a -- "$copier" 60 1000 pinned; a=$last
until_status '"memory_bytes": 62914560'
run b --mem-wait 300ms -- "$copier" 60 1 pinned; b=$last
wait "$b" && fail "there was no memory"
grep -q 'cuMemAlloc.*: 2$' "$scratch/b"
kill -9 "$a"
wait "$a" 2>/dev/null || true

echo "-- killed while it has memory: its share is free"
run a -- "$copier" 60 1000 pinned; a=$last
until_status '"memory_bytes": 62914560'
run b --mem-wait 200000 -- "$copier" 60 1 pinned; b=$last
until_status "\"pid\": $b,.*\"for\": \"memory\""
kill -9 "$a"
wait "$b" || { cat "$scratch/b"; fail "the memory of a dead program is not free"; }

echo "-- times that are none"
for word in 3h 1.5s s ms 86401s 99999999999999999999ms ''; do
    refuses "mem-wait: '$word' is no time from 0 to 86400000 ms" run --mem-wait "$word" -- true
done

echo "-- alone: at once"
begin=$SECONDS
share --mem-wait 100s -- "$copier" 200 1 pinned >"$scratch/b" 2>&1 && fail "there is no such memory"
[ $((SECONDS - begin)) -le 50 ] || fail "waited for nobody"

echo "-- declared: in line, though it would fit at the moment"
run a --mem 70M -- "$copier" 20 "$over" pinned; a=$last
until_status '"memory_bytes": 20971520'
run b --mem 50M -- "$copier" 20 1 pinned; b=$last
until_status "\"pid\": $b,.*\"for\": \"memory\", \"gpu\": 0, \"bytes\": 52428800"
run c --mem 10M -- "$copier" 5 1 pinned; c=$last
until_status "\"pid\": $c,.*\"for\": \"memory\""
ends_now "$a" a
for p in b c; do
    wait "${!p}" || { cat "$scratch/$p"; fail "$p"; }
    grep -q ^right "$scratch/$p"
done
until_status '"clients": \[\]'

echo "-- in line with all threads: a second one has nothing before the first"
run a --mem 60M -- "$copier" 60 1000 pinned; a=$last
until_status '"memory_bytes": 62914560'
run b --mem 60M -- "$programs/share_holder" two 8; b=$last
until_status "\"pid\": $b,[^}]*\"for\": \"memory\""
sleep 0.6
"$heddle" share status --json | grep -q "\"pid\": $b,[^}]*\"memory_bytes\": 0," || { "$heddle" share status --json; fail "it has memory and no place"; }
kill -9 "$a"
wait "$a" 2>/dev/null || true
wait "$b" || { cat "$scratch/b"; fail "b"; }
until_status '"clients": \[\]'

echo "-- what the end of a context frees is free, and memory of the host is none of a GPU"
holds() { # WHAT MB
    run a --mem 0 -- "$programs/share_holder" "$1" 60; a=$last
    until_status "\"pid\": $a,[^}]*\"memory_bytes\": $(($2 << 20)),"
    kill -9 "$a"
    wait "$a" 2>/dev/null || true
    until_status '"clients": \[\]'
}
for what in destroy reset last host; do holds $what 1; done
for what in other device; do holds $what 61; done
run a --mem 0 -- "$programs/share_holder" destroy 60; a=$last
until_status "\"pid\": $a,[^}]*\"memory_bytes\": $((1 << 20)),"
share --mem 0 -- "$copier" 60 1 pinned >"$scratch/b" || { cat "$scratch/b"; fail "no memory is free"; }
kill -9 "$a"
wait "$a" 2>/dev/null || true
until_status '"clients": \[\]'

echo "-- memory of a GPU that is not the current one counts there"
FAKE_CUDA_DEVICES=2 run a --mem 0 -- "$programs/share_holder" next 60; a=$last
until_status "\"pid\": $a,[^}]*\"memory_bytes\": $((61 << 20)),"
run b --mem 60M -- "$copier" 60 1 pinned; b=$last
for _ in {1..400}; do kill -0 "$b" 2>/dev/null || break; sleep 0.02; done
! kill -0 "$b" 2>/dev/null || { "$heddle" share status; fail "it waits for memory of another GPU"; }
grep -q ^right "$scratch/b" || { cat "$scratch/b"; fail "b"; }
kill -9 "$a"
wait "$a" 2>/dev/null || true
until_status '"clients": \[\]'

echo "-- in line for one GPU: a thread that uses another one goes on"
run a --mem 60M -- "$copier" 60 1000 pinned; a=$last
until_status '"memory_bytes": 62914560'
FAKE_CUDA_DEVICES=2 run b --mem 60M -- "$programs/share_holder" apart 8; b=$last
until_status "\"pid\": $b,[^}]*\"for\": \"memory\", \"gpu\": 0"
for _ in {1..400}; do grep -qs second "$scratch/b" && break || sleep 0.02; done
grep -q second "$scratch/b" || { cat "$scratch/b"; "$heddle" share status --json; fail "it waits for another GPU's memory"; }
until_status "\"pid\": $b,[^}]*\"for\": \"memory\", \"gpu\": 0"
kill -9 "$a"
wait "$a" 2>/dev/null || true
wait "$b" || { cat "$scratch/b"; fail "b"; }
until_status '"clients": \[\]'

echo "-- known from an earlier run: the same, before the first allocation, and it outlives the daemon"
unset HEDDLE_SHARE_MEM
tasker=$programs/share_tasker
share -- "$tasker" x 60 1 0 1 >"$scratch/x"
all_gone
stop_daemon
grep -qE '^peak.[0-9a-f]{16}.62914560.1$' "$scratch/heddle/share-history" || { cat "$scratch/heddle/share-history"; fail "not kept"; }
start_daemon
run a --mem 60M -- "$tasker" a 60 5 0 100000; a=$last
until_status '"memory_bytes": 62914560'
run b -- "$tasker" x 60 1 0 1; b=$last
in_line="\"pid\": $b,[^}]*\"memory_bytes\": 0,[^}]*\"for\": \"memory\", \"gpu\": 0, \"bytes\": 62914560, \"reserved_bytes\": 62914560, \"is_in_line\": true"
until_status "$in_line"
"$heddle" share status | grep -qE 'waits for memory since [0-9]+ ms: had up to 62 MB, 62 of 104 are promised or taken' || { "$heddle" share status; fail "not said why"; }
share --mem 0 -- "$tasker" c 20 1 0 1 >"$scratch/c" # it wants no place
until_status "$in_line"
kill -9 "$a"
wait "$a" 2>/dev/null || true
wait "$b" || { cat "$scratch/b"; fail "b"; }
grep -q ^right "$scratch/b"
until_status '"clients": \[\]'

echo "-- but not for ever behind one that does nothing: they may wait for each other"
run a --mem 60M -- "$tasker" a 60 5 0 100000; a=$last
until_status '"memory_bytes": 62914560'
kill -STOP "$a"
FAKE_CUDA_MEMORY=$((200 << 20)) run c -- "$tasker" other 60 1 0 1 # with other arguments it was never seen, and there is room
wait "$last" || { cat "$scratch/c"; fail "it waits"; }
FAKE_CUDA_MEMORY=$((200 << 20)) run b --mem-wait 500 -- "$tasker" x 60 1 0 1; b=$last # there would be room
wait "$b" || { cat "$scratch/b"; fail "b"; }
grep -q ^right "$scratch/b"
