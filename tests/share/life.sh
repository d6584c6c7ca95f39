# SPDX-License-Identifier: MIT
# life.sh - clients that are killed or stopped while they hold, wait and copy; daemons that end, are stopped, or die at each kind
# of message. Nobody else waits for them, and every program that lives gives the right bytes.
. "$(dirname "$0")/common.bash"
export HEDDLE_SHARE_PIECE=262144 HEDDLE_SHARE_PART=1048576
slow=10 # MB a second: a copy takes seconds, so that what it does meanwhile can be seen
over=$scratch/over # the file whose coming ends copiers that shall be there until something was seen
copier() { # NAME ARG...: starts one, its process in `last`; as quick as `rate`
    local name=$1
    shift
    FAKE_CUDA_RATE=${rate:-150} "$heddle" share run --require -- "$programs/share_copier" "$@" >"$scratch/$name" 2>&1 &
    last=$!
    started+=("$last")
}
is_right() { grep -q '^right' "$scratch/$1" || { cat "$scratch/$1"; fail "$1 is not right"; }; }
ends() { # PROCESS NAME
    wait "$1" || { cat "$scratch/$2"; fail "$2 ended with $?"; }
    is_right "$2"
}
# KIND [silent]: a daemon that ends at such a message, its process in `last`.
start_short() {
    rm -f "$scratch/heddle/share"
    "$programs/share_short_daemon" "$scratch/heddle/share" "$@" &
    last=$!
    started+=("$last")
    while ! [ -S "$scratch/heddle/share" ]; do sleep 0.01; done
}

# A third program that is stopped while it copies alone: the others ask for turns from their begin, so the first one holds. Before its
# first copy the daemon need not know which GPU it uses.
start_bystander() {
    rate=1 copier bystander 64 1 pageable; bystander=$last
    until_status "\"pid\": $bystander,[^}]*\"tasks\": [1-9]"
    kill -STOP "$bystander"
}
ends_now() { # PROCESS NAME: one that waits for `over`
    touch "$over"
    ends "$@"
    rm "$over"
}
waits() { until_status "\"holder\": $a,.*\"pid\": $b,[^}]*\"waits\": \[\{\"for\": \"in\""; } # b for a
# MB ROUNDS ROUNDS [ARG...]: beside the bystander `a`, which holds and copies so much so often, and `b`, which waits for it and copies so often.
start_pair() {
    start_bystander
    rate=$slow copier a "$1" "$2" pageable; a=$last
    until_status "\"holder\": $a"
    copier b 32 "$3" pageable "${@:4}"; b=$last
    waits
}
end_bystander() {
    kill -9 "$bystander"
    all_gone
}

start_daemon
echo "-- killed while it holds and copies"
start_pair 32 100 2
kill -9 "$a"
ends "$b" b
end_bystander

echo "-- killed while it waits"
start_pair 24 "$over" 100
kill -9 "$b"
ends_now "$a" a
end_bystander

echo "-- a hundred signals a second while it waits: it stays a client"
start_pair 24 100 100 in 1 100
sleep 0.5
waits
kill -9 "$a" "$b"
end_bystander

echo "-- killed with a gate in its stream"
rate=$slow copier a 32 100 async; a=$last
copier b 32 8 async; b=$last
until_status "\"pid\": $b,[^}]*\"gated\": [1-9]"
kill -9 "$a"
ends "$b" b
grep -qE 'waits in streams [1-9]' "$scratch/b" || fail "no gate was ever used: $(cat "$scratch/b")"
all_gone

echo "-- stopped while it holds, and goes on"
start_pair 24 "$over" 2
kill -STOP "$a"
ends "$b" b
kill -CONT "$a"
ends_now "$a" a
end_bystander
"$heddle" share status --json | grep -q '"lost": [1-9]' || fail "no lease ended"

echo "-- a driver that hangs in a piece of a turn"
start_bystander
FAKE_CUDA_FAULTS=cuMemcpyHtoDAsync_v2:20:hang copier a 24 1 pageable; a=$last # 96 pieces
until_status "\"holder\": $a"
copier b 8 2 pageable; b=$last
ends "$b" b
kill -9 "$a" || fail "the driver did not hang"
end_bystander

echo "-- the daemon is killed while one holds and others wait"
for kind in pageable pinned async; do rate=$slow copier "$kind" 16 "$over" $kind both; eval "$kind=$last"; done
until_status '"for": "(in|out)"'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
touch "$over"
for kind in pageable pinned async; do ends "${!kind}" "$kind"; done
rm "$over"

echo "-- a new one takes its place; a second one does not"
start_daemon
"$heddle" share start 2>"$scratch/second" && fail "two daemons"
grep -q 'runs already' "$scratch/second"
copier a 8 2 pageable both
ends "$last" a
stop_daemon

echo "-- it dies at each kind of message, or falls silent"
for kind in 0 3 4 5 6 7 8 10 13; do
    start_short $kind; d=$last
    case $kind in
    6) set -- 4 4 async both ;;
    7) export FAKE_CUDA_FAULTS=cuMemAlloc_v2:1:2; set -- 4 4 pageable both ;; # out of memory, once
    *) set -- 4 4 pageable both ;;
    esac
    copier "kind$kind" "$@"; a=$last
    if [ $kind = 7 ]; then # nobody can say whether there will be memory: the program gets CUDA's own code
        wait "$a" && fail "an allocation that cannot be was made"
        grep -q 'cuMemAlloc.*: 2$' "$scratch/kind7"
    else
        ends "$a" "kind$kind"
    fi
    unset FAKE_CUDA_FAULTS
    wait "$d" || fail "no message of kind $kind came"
done
for command in 11:status 12:stop; do # nobody is hurt, and the command says so
    start_short "${command%:*}"; d=$last
    refuses 'does not answer' "${command#*:}"
    wait "$d" || fail "no message of ${command#*:} came"
done
if [ -z "$sanitized" ]; then # which refuse RTLD_DEEPBIND
    start_short 9; d=$last
    share "$programs/share_loads" "$programs/libshare_plugin.so" deep | grep -qx right || fail "a program whose last word nobody hears"
    wait "$d" || fail "no program said that it was unseen"
fi
start_short 4 silent; d=$last
copier silent 4 2 pageable; a=$last
ends "$a" silent
kill -9 "$d"

echo "-- a daemon that is stopped, while a program waits in line for memory, and one in a stream"
start_daemon
export FAKE_CUDA_MEMORY=$((100 << 20)) HEDDLE_SHARE_MEM=$((80 << 20))
rate=$slow copier a 24 "$over" async; a=$last
until_status "\"pid\": $a"
copier b 8 1 pageable; b=$last
until_status "\"pid\": $b,.*\"for\": \"memory\""
HEDDLE_SHARE_MEM=0 copier c 8 1 async; c=$last
kill -STOP "$daemon"
touch "$over"
for p in a b c; do ends "${!p}" $p; done
kill -CONT "$daemon"
all_gone
