# SPDX-License-Identifier: MIT
# record.sh - `heddle share record` writes what a program did, `profile` prints it, and `replay` takes it; with and without a daemon.
. "$(dirname "$0")/common.bash"
export FAKE_CUDA_RATE=200 # MB/s: 16 MB take 84 ms
cd "$scratch"

echo "-- three tasks, recorded without a daemon"
"$heddle" share record --out "$scratch/trace.json" -- "$programs/share_tasker" a 16 20 8 3
[ "$(grep -c '"program": "share_tasker"' trace.json)" = 3 ] || { cat trace.json; fail "not three tasks"; }
awk -F'[][]' '/program/ { if ($2 < 80e6 || $2 > 2000e6) exit 1 }' trace.json || { cat trace.json; fail "copies took other times"; }
sed -n 's/.*"kernels_ns": \([0-9]*\).*/\1/p' trace.json | awk '$1 < 20e6 { exit 1 }' || { cat trace.json; fail "kernels took other times"; }
if "$heddle" share replay trace.json >out 2>&1; then
    grep -q '^1 programs, 3 tasks' out || { cat out; fail "not replayed"; }
    "$heddle" share profile "$programs/share_tasker" a 16 20 8 3 >out
    awk '$1 == "share_tasker" && $2 == 3 && $3 == 1 && $5 >= 20 && $6 == 1 { n++ } END { exit n != 1 }' out || { cat out; fail "another profile"; }
    awk '$1 == "compute" && $2 == 3 && $3 == 32 && $4 == 8 && $5 >= 20 && $7 >= 160 { n++ } END { exit n != 1 }' out ||
        { cat out; fail "another kernel"; }
    FAKE_CUDA_BLOCK_NS=5000000 "$heddle" share profile "$programs/share_tasker" a 2 20 1 1 >out # eight blocks on an engine of this rate
    awk '$1 == "compute" && $5 >= 60 && $6 >= 7.5e6 { n++ } END { exit n != 1 }' out || { cat out; fail "a kernel took less than its blocks"; }
else
    grep -q 'built without' out || { cat out; fail "not replayed"; }
fi

echo "-- copies of two dimensions, too"
"$heddle" share record --out "$scratch/flat.json" -- "$programs/share_tasker" a 16 20 8 3 flat
[ "$(grep -c '"in_ns": \[[0-9]\{8,\}\], "kernels_ns": [0-9]\{8,\}, "out_ns": \[[0-9]\{8,\}\]' flat.json)" = 3 ] || { cat flat.json; fail "not three flat tasks"; }

# FILE HAS_OUT: three tasks of a copy in of 84 ms, kernels of 20 ms, and a copy out of 42 ms or none. At least one of the kernels took less than its copy in.
three_tasks() {
    sed -n 's/.*"in_ns": \[\([0-9]*\)\], "kernels_ns": \([0-9]*\), "out_ns": \[\([0-9]*\)\].*/\1 \2 \3/p' "$1" |
        awk -v has_out="$2" '$1 >= 80e6 && $2 >= 20e6 && ($3 >= 40e6) == has_out { n++; n_own += $2 < $1 } END { exit n != 3 || !n_own }' ||
        { cat "$1"; fail "not three tasks, or other times"; }
}
echo "-- asynchronous copies: the program waits for each"
for how in async flat-async; do
    "$heddle" share record --out "$scratch/$how.json" -- "$programs/share_tasker" a 16 20 8 3 $how
    three_tasks $how.json 1
    "$heddle" share replay $how.json >out 2>&1 && grep -q '^1 programs, 3 tasks' out || grep -q 'built without' out || { cat out; fail "not replayed"; }
done
echo "-- tasks that follow one another without a wait, and copies that are left to the driver"
"$heddle" share record --out "$scratch/chain.json" -- "$programs/share_tasker" a 16 20 0 3 async
three_tasks chain.json 0
HEDDLE_SHARE_STAGE=0 "$heddle" share record --out "$scratch/plain.json" -- "$programs/share_tasker" a 16 20 8 3
three_tasks plain.json 1

echo "-- its status, and its bytes, are the program's"
"$heddle" share record -- "$programs/share_mixed" lookup 2 6 3000 1 >out || fail "another status"
grep -q '^right' out && [ -s share-trace.json ] || { cat out; fail "no trace in this folder"; }
if "$heddle" share record -- sh -c "exec '$programs/share_tasker' a 2 1 1 1; exit 3" >out 2>&1; then :; else fail "a script"; fi
status=0
"$heddle" share record -- sh -c "'$programs/share_tasker' a 2 1 1 1; exit 3" >out 2>&1 || status=$?
[ $status = 3 ] || fail "status $status"

echo "-- the trace that is profiled stands where nobody else may write, and nothing of it stays; no link is followed"
"$heddle" share profile -- sh -c 'd=$(dirname "$HEDDLE_SHARE_RECORD"); stat -c "%a %n" "$d"; : >"$d/more"; exec "$0" a 2 1 1 1' "$programs/share_tasker" >out 2>&1 ||
    grep -q 'built without' out || { cat out; fail "profile"; }
folder=$(sed -n 's/^700 //p' out)
[ "$folder" ] || { cat out; fail "others may write there"; }
[ ! -e "$folder" ] || fail "$folder stays"
echo mine >victim
LD_PRELOAD=$(dirname "$heddle")/libheddle_share.so HEDDLE_SHARE_RECORD=$scratch/linked.json \
    sh -c ': >linked.json; ln -s victim "linked.json.$$"; exec "$0" a 2 1 1 1' "$programs/share_tasker" >out
[ "$(cat victim)" = mine ] || fail "a link was followed"

echo "-- with a daemon, which learns"
start_daemon
"$heddle" share profile -- "$programs/share_tasker" a 16 20 8 3 >out 2>&1 || grep -q 'built without' out || { cat out; fail "profile"; }
until_status '"clients": \[\], "known_tasks": 4'
echo "-- a program of many tasks leaves room for others"
FAKE_CUDA_RATE=0 share -- "$programs/share_tasker" b 1 0 1 300 >out
until_status '"clients": \[\], "known_tasks": 69'
echo "-- kernels behind asynchronous copies: not seen, until they are profiled"
history=$scratch/heddle/share-history
asynchronous() { "$heddle" share "$@" -- "$programs/share_tasker" c 12 60 12 1 async >out 2>&1; }
# LEAST MOST: what is known of its kernels now, in ms; the daemon is another one then.
knows() {
    until_status '"clients": \[\]'
    stop_daemon
    awk -v a="$1" -v b="$2" -F'\t' '$2 == 1 && $3 == 12582912 && $6 >= a * 1e6 && $6 <= b * 1e6 { n++ } END { exit n != 1 }' "$history" ||
        { cat "$history"; fail "knows something else than $1 to $2 ms"; }
    start_daemon
}
asynchronous run
knows 0 0
asynchronous profile || grep -q 'nothing to record\|built without' out || { cat out; fail "profile"; }
knows 60 2000
asynchronous run
knows 60 2000
stop_daemon

echo "-- refused, with a sentence"
refuses "nothing to record" record -- true
refuses "a program is to stand" record
refuses "a program is to stand" profile --
refuses "takes a value" record --out
refuses "unknown option" record --to x
refuses "unknown option" profile --out x
refuses "no/such|No such" record --out no/such/folder -- true
refuses "no such file|No such file" record -- "$scratch/nothing"
