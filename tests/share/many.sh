# SPDX-License-Identifier: MIT
# many.sh - 64 clients at a time; what no client of ours would send; another version, another user. Nobody else notices.
. "$(dirname "$0")/common.bash"
socket=$scratch/heddle/share
over=$scratch/over # the file whose coming ends copiers that shall be there until something was seen

start_daemon --row 4
n=64
[ -z "$sanitized" ] || n=16
echo "-- $n programs"
pids=()
for ((i = 1; i <= n; i++)); do
    HEDDLE_SHARE_LANES=1 HEDDLE_SHARE_PIECE=262144 HEDDLE_SHARE_CLASS=$(printf 'high\nnormal\nlow\n' | sed -n "$((i % 3 + 1))p") \
        "$heddle" share run --require -- "$programs/share_mixed" lookup 1 3 2500 "$i" >"$scratch/out$i" 2>&1 &
    pids+=($!)
done
for ((i = 1; i <= n; i++)); do wait "${pids[i - 1]}" || { cat "$scratch/out$i"; fail "program $i"; }; done
all_gone
grep -qE '"turns": [1-9]' "$scratch/state" || fail "no turn was ever given"

echo "-- two GPUs in one process: a link each, and the same ones for two programs"
pids=()
for i in 1 2; do
    FAKE_CUDA_DEVICES=2 FAKE_CUDA_RATE=100 "$heddle" share run --require -- "$programs/share_copier" 8 "$over" pageable both 2 >"$scratch/out$i" 2>&1 &
    pids+=($!)
    started+=($!)
done
until_status '("links": \[\{"way": "in", "holder": [0-9]+, "busy_us": [0-9]+, "bytes": [1-9].*){2}'
touch "$over"
for i in 1 2; do wait "${pids[i - 1]}" || { cat "$scratch/out$i"; fail "program $i on two GPUs"; }; done
all_gone
rm "$over"

echo "-- junk, while a program runs"
FAKE_CUDA_RATE=200 "$heddle" share run --require -- "$programs/share_copier" 16 "$over" pageable both >"$scratch/out" 2>&1 & p=$!
started+=("$p")
until_status "\"pid\": $p"
junk=()
for seed in 1 2 3; do
    "$programs/share_raw" "$socket" junk $seed 200 >"$scratch/junk$seed" 2>&1 &
    junk+=($!)
done
for j in "${junk[@]}"; do wait "$j" || { cat "$scratch"/junk*; fail "junk was not sent"; }; done
touch "$over"
wait "$p" || { cat "$scratch/out"; fail "a program beside junk"; }
rm "$over"
grep -q '^right' "$scratch/out"
all_gone
kill -0 "$daemon" || fail "the daemon ended"

echo "-- a GPU each: nobody asks, whatever each calls its own"
pids=()
for i in 0 1; do
    CUDA_VISIBLE_DEVICES=$i FAKE_CUDA_RATE=200 "$heddle" share run --require -- "$programs/share_copier" 16 "$over" pageable >"$scratch/out$i" 2>&1 &
    pids+=($!)
    started+=($!)
done
until_status 'uuid": "6[^"]*00".*uuid": "6[^"]*01".*"pid": .*"pid": '
turns=$(grep -o '"turns": [0-9]*' "$scratch/state")
sleep 0.2 # they copy on
touch "$over"
for p in "${pids[@]}"; do wait "$p" || fail "a program with a GPU of its own"; done
[ "$("$heddle" share status --json | grep -o '"turns": [0-9]*')" = "$turns" ] || fail "programs on different GPUs waited for each other"

echo "-- class high beside low: it takes the turn within a copy"
export FAKE_CUDA_RATE=50 HEDDLE_SHARE_PIECE=262144 HEDDLE_SHARE_PART=1048576 # 64 MB: 1340 ms
rm "$over"
for kind in pageable async; do
    "$heddle" share run --require --class low -- "$programs/share_copier" 64 "$over" $kind >"$scratch/out0" 2>&1 & p=$!
    started+=("$p")
    until_status "\"holder\": $p|\"pid\": $p"
    for _ in 1 2 3; do # on a busy machine a copy may be late
        "$heddle" share run --require --class high -- "$programs/share_copier" 2 20 pageable >"$scratch/out1" 2>&1
        longest=$(sed -n 's/.*longest \([0-9]*\) ms.*/\1/p' "$scratch/out1")
        [ "$longest" -ge 1000 ] || break
    done
    touch "$over"
    wait "$p" || { cat "$scratch/out0"; fail "class low, $kind"; }
    rm "$over"
    [ "$longest" -lt 1000 ] || fail "class high waited for $longest ms beside $kind"
done
unset FAKE_CUDA_RATE HEDDLE_SHARE_PIECE HEDDLE_SHARE_PART

echo "-- versions"
answer=$("$programs/share_raw" "$socket" hello)
[ "$answer" = welcome ] || fail "not welcome: $answer"
"$programs/share_raw" "$socket" hello 99 | grep -q 'another version' || fail "another version is welcome"
answer=$("$programs/share_raw" "$socket" stop 99)
[ "$answer" = ends ] || fail "another version's stop: $answer"
wait "$daemon" || fail "the daemon ended otherwise"
"$programs/share_other_version" & daemon=$!
until [ -S "$scratch/heddle/share" ]; do sleep 0.05; done
refuses 'another version' status
# WHY: what the daemon says to a command that is about to run a program; it runs all the same, but not where that is an error.
runs_plainly() {
    "$heddle" share run -- sh -c 'echo "$LD_PRELOAD"; exit 3' >"$scratch/out" 2>"$scratch/said" && fail "a program's status is lost"
    [ "$(grep -c "$1.*sh starts plainly" "$scratch/said")" = 1 ] || { cat "$scratch/said"; fail "not said why it starts plainly"; }
    ! grep -q heddle "$scratch/out" || fail "not plain"
    refuses "$1" run --require -- sh -c 'echo ran'
    ! grep -q ^ran "$scratch/said" || fail "it ran"
}
runs_plainly 'another version; end it with .heddle share stop'
refuses 'runs already: .*another version; end it with .heddle share stop' start --foreground
stop_daemon

echo "-- as many clients as there may be"
start_daemon
"$programs/share_raw" "$socket" fill >"$scratch/full" & filler=$!
started+=("$filler")
until grep -qs full "$scratch/full"; do sleep 0.05; done
runs_plainly 'too many programs'
refuses 'runs already; .heddle share status' start --foreground
kill "$filler"
wait "$filler" 2>/dev/null || true
all_gone
share -- true
stop_daemon

echo "-- more GPUs than the daemon has numbers for: programs on them stay clients"
start_daemon
"$programs/share_raw" "$socket" gpus | grep -qx full
until_status '("uuid".*){16}'
FAKE_CUDA_RATE=400 "$heddle" share run --require -- "$programs/share_copier" 8 "$over" pageable both >"$scratch/out" 2>&1 & p=$!
started+=("$p")
for _ in 1 2 3; do
    until_status "\"pid\": $p,[^}]*\"tasks\": ([2-9]|[1-9][0-9])"
    sleep 0.1
done
touch "$over"
wait "$p" && grep -q '^right' "$scratch/out" || { cat "$scratch/out"; fail "a program on a GPU that is declined"; }
rm "$over"
stop_daemon

echo "-- users"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$scratch"
    mkdir -m 700 "$scratch/other" && chown 65534:65534 "$scratch/other"
    XDG_RUNTIME_DIR=$scratch/other setpriv --reuid 65534 --regid 65534 --clear-groups \
        "$heddle" share start --foreground 2>"$scratch/daemon" & daemon=$!
    socket=$scratch/other/heddle/share
    for _ in {1..100}; do [ -S "$socket" ] && break || sleep 0.05; done
    [ -S "$socket" ] || { cat "$scratch/daemon"; fail "no daemon of another user"; }
    "$programs/share_raw" "$socket" hello | grep -q "another user's" || fail "another user is welcome"
    XDG_RUNTIME_DIR=$scratch/other "$heddle" share status 2>"$scratch/said" && fail "another user's daemon is asked"
    kill "$daemon"
    wait "$daemon" 2>/dev/null || true
    [ -S "$socket" ] && fail "the socket of a daemon that ended is left" || true
    daemon=
else
    echo "left out: another user's daemon (only root can be two users)"
fi

echo "-- a folder that others may enter, one of another user, a link"
mkdir "$scratch/open" && mkdir -m 755 "$scratch/open/heddle"
XDG_RUNTIME_DIR=$scratch/open "$heddle" share start 2>"$scratch/said" && fail "started in a folder for all"
grep -q 'only this user may enter' "$scratch/said"
mkdir "$scratch/linked" && mkdir -m 700 "$scratch/target" && ln -s "$scratch/target" "$scratch/linked/heddle"
XDG_RUNTIME_DIR=$scratch/linked "$heddle" share start 2>"$scratch/said" && fail "started behind a link"
XDG_RUNTIME_DIR=$scratch/$(printf 'x%.0s' {1..200}) "$heddle" share start 2>"$scratch/said" && fail "a name that is too long"
grep -q 'too long' "$scratch/said"
