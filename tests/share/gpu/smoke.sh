#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# smoke.sh HEDDLE MOVER PART [short|long] - heddle share with a real driver: a plain CUDA program (mover.cu) alone, under `heddle share
# run`, and beside others; its bytes are compared. Parts:
#
#   bytes   the same sums plainly, with the interposer alone, under `run` with and without a daemon, two at once, with copies ahead, with
#           kernels one program at a time
#   life    a daemon that is killed or stopped, a program that is killed or stopped, while two copy
#   fault   a program whose kernel writes where nothing is, beside others, with and without MPS
#   tools   PyTorch, compute-sanitizer and ncu under `run`, each where it is there
#   rates   copies of pageable memory beside pinned ones; the first copy; long: by threads and pieces
#   calls   what a launch and cheap calls cost more
#   alone   a program alone: copies left plain, and made fast
#   beside  two that copy: bytes a second, how long the link is idle between them
#   high    small copies of class high beside large ones
#
# Figures are rows "measure, how, value, unit, aim" on stdout, and in SHARE_TABLE if that is set. A figure beyond its aim is said, and is
# no failure. What fails is said with all that is known of it, and the part goes on. The last line sums up. Exit status: 0, 1, or 77: no
# GPU here. It starts a daemon of its own in a runtime folder of its own, and ends only what it started.
set -uo pipefail
heddle=$1 mover=$2 part=$3 form=${4:-short}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/share-gpu.XXXXXX")
export XDG_RUNTIME_DIR=$scratch HEDDLE_SHARE_MPS=off # what is measured here is heddle share alone
unset HEDDLE_SHARE LD_PRELOAD
library=$(dirname "$heddle")/libheddle_share.so
daemon='' n_failed=0 n_passed=0 missed=''
finish() { # timeout hands the signal on
    trap - EXIT
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null
    wait
    rm -rf "$scratch"
}
trap finish EXIT
is_long() { [ "$form" = long ]; }

# ---- what is said ----

status() { timeout 5 "$heddle" share status --json 2>&1; }
failed() { # WHAT [FILE...]
    n_failed=$((n_failed + 1))
    echo "failed: $1"
    shift
    for file; do echo "  -- ${file##*/}:" && tail -n 12 "$file" | sed 's/^/  /'; done
    [ -z "$daemon" ] || { echo "  -- the daemon's state:" && status | head -c 3000 | sed 's/^/  /'; }
    [ ! -s "$scratch/daemon" ] || { echo "  -- the daemon said:" && tail -n 5 "$scratch/daemon" | sed 's/^/  /'; }
}
passed() { n_passed=$((n_passed + 1)) && echo "passed: $*"; }
# MEASURE HOW VALUE UNIT [AIM]: an aim is "<= N" or ">= N".
row() {
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:-}"
    [ -z "${SHARE_TABLE:-}" ] || printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:-}" >>"$SHARE_TABLE"
    [ -z "${5:-}" ] || awk -v x="$3" -v aim="$5" 'BEGIN { split(aim, a, " "); exit !(x != "" && (a[1] == "<=" ? x <= a[2] + 0 : x >= a[2] + 0)) }' ||
        missed="$missed; $1 ($2) $3 $4, aim $5"
}
calc() { awk "BEGIN { printf \"%.4g\", $1 }" 2>/dev/null; }
value() { awk -F '\t' -v name="$2" '$1 == name { print $2 }' "$1" | tail -1; } # FILE NAME
sum_of() { sed -n 's/^right //p' "$1"; }
# FILE WAY KEY: a number of the state that a program's end left in FILE, of that direction.
of_way() { grep -o "{\"way\": \"$2\".*" "$1" | tail -1 | sed -n "s/[^}]*\"$3\": \([0-9.]*\).*/\1/p" | head -1; }
# FILE KEY: the largest number of this key among clients.
of_clients() { grep -o "\"clients\".*" "$1" | tail -1 | grep -o "\"$2\": [0-9]*" | sed 's/.* //' | sort -n | tail -1; }

# ---- what is run ----

start_daemon() {
    "$heddle" share start --foreground "$@" 2>"$scratch/daemon" &
    daemon=$!
    for _ in {1..100}; do
        [ -S "$scratch/heddle/share" ] && status >/dev/null && return
        sleep 0.02
    done
    failed "no daemon" "$scratch/daemon"
}
stop_daemon() {
    timeout 5 "$heddle" share stop || failed "stop: status $?"
    wait "$daemon" 2>/dev/null
    daemon=
}
# FILE LIMIT_S COMMAND...: runs it; its status.
run() {
    local file=$scratch/$1 limit=$2
    shift 2
    timeout -k 2 "$limit" "$@" >"$file" 2>&1
}
begin() { # FILE LIMIT_S COMMAND...: the same, not waited for; its process in FILE.pid
    local file=$scratch/$1 limit=$2
    shift 2
    # shellcheck disable=SC2016 # the inner shell expands it
    timeout -k 2 "$limit" bash -c 'echo $$ >"$0"; exec "$@"' "$file.pid" "$@" >"$file" 2>&1 &
}
share() { echo "$heddle share run --require"; }
after() { awk -v at="$1" -v more="$2" 'BEGIN { printf "%.3f", at + more }'; }
soon() { after "$(date +%s.%N)" "$1"; } # SECONDS from now
programs_end() { # all but the daemon
    local p
    for p in $(jobs -p); do [ "$p" = "$daemon" ] || wait "$p"; done
}
# WHAT FILE SUM: the program of FILE has ended well, with this sum ("": any).
right() {
    local sum
    sum=$(sum_of "$scratch/$2")
    if [ -z "$sum" ]; then
        failed "$1: it did not end well" "$scratch/$2"
    elif [ -n "$3" ] && [ "$sum" != "$3" ]; then
        failed "$1: sum $sum, plainly $3" "$scratch/$2"
    else
        passed "$1"
    fi
}

# ---- parts ----

part_bytes() {
    local threads=6 rounds=4 sum i n policy at
    is_long && rounds=20
    run plain 60 "$mover" threads $threads $rounds
    sum=$(sum_of "$scratch/plain")
    right "plainly" plain ""
    run bare 60 env LD_PRELOAD="$library" "$mover" threads $threads $rounds
    right "the interposer without a daemon" bare "$sum"
    start_daemon
    # shellcheck disable=SC2046 # words
    run alone 60 env MOVER_END="$heddle share status --json" $(share) "$mover" threads $threads $rounds
    right "alone under run" alone "$sum"
    [ "$(of_clients "$scratch/alone" staged)" -gt 0 ] 2>/dev/null || failed "nothing went through the rings" "$scratch/alone"
    n=2
    is_long && n=4
    at=$(soon 2)
    for ((i = 1; i <= n; i++)); do
        # shellcheck disable=SC2046
        MOVER_AT=$at MOVER_END="$heddle share status --json" begin "two$i" 90 $(share) "$mover" threads $threads $rounds
    done
    programs_end
    for ((i = 1; i <= n; i++)); do right "program $i of $n" "two$i" "$sum"; done
    row "copies behind gates, of one program" "$n at once" "$(of_clients "$scratch/two1" gated)" "" ">= 1"
    row "copies that no gate could be had for" "$n at once" "$(of_clients "$scratch/two1" passed)" ""
    row "turns lost" "in, $n at once" "$(of_way "$scratch/two1" in lost)" "" "<= 0"
    row "turns lost" "out, $n at once" "$(of_way "$scratch/two1" out lost)" "" "<= 0"
    row "time plainly" "6 threads" "$(value "$scratch/plain" threads)" ms
    row "time under run" "6 threads, alone" "$(value "$scratch/alone" threads)" ms
    row "time under run" "6 threads, $n at once" "$(value "$scratch/two1" threads)" ms
    at=$(soon 2)
    for i in 1 2; do
        # shellcheck disable=SC2046
        MOVER_AT=$at MOVER_END="$heddle share status --json" begin "ahead$i" 90 $(share) --ahead 256M "$mover" threads $threads $rounds
    done
    programs_end
    for i in 1 2; do right "copies that are ahead, program $i of 2" "ahead$i" "$sum"; done
    row "copies that were ahead, of one program" "2 at once" "$(of_clients "$scratch/ahead1" ahead)" "" ">= 1"
    row "copies that could not be ahead" "2 at once" "$(of_clients "$scratch/ahead1" not_ahead)" ""
    stop_daemon
    start_daemon --kernels ordered
    at=$(soon 2)
    for i in 1 2; do
        # shellcheck disable=SC2046
        MOVER_AT=$at MOVER_END="$heddle share status --json" begin "ordered$i" 90 $(share) "$mover" threads $threads $rounds
    done
    programs_end
    for i in 1 2; do right "kernels one program at a time, program $i of 2" "ordered$i" "$sum"; done
    row "kernels behind gates, of one program" "2 at once" "$(of_clients "$scratch/ordered1" kernels_gated)" "" ">= 1"
    row "time under run" "6 threads, 2 at once, kernels ordered" "$(value "$scratch/ordered1" threads)" ms
    stop_daemon
    run nobody 60 "$heddle" share run -- "$mover" threads 2 1
    right "run without a daemon" nobody ""
    grep -q 'starts plainly' "$scratch/nobody" || failed "run without a daemon does not say so" "$scratch/nobody"
    is_long || return
    start_daemon
    run off 60 env HEDDLE_SHARE=off MOVER_END="$heddle share status --json" "$heddle" share run --require "$mover" threads $threads $rounds
    right "switched off" off "$sum"
    stop_daemon
    for policy in strings none; do
        start_daemon --policy $policy
        at=$(soon 2)
        for i in 1 2; do
            # shellcheck disable=SC2046
            MOVER_AT=$at begin "$policy$i" 90 $(share) "$mover" threads $threads $rounds
        done
        programs_end
        for i in 1 2; do right "policy $policy, program $i" "$policy$i" "$sum"; done
        stop_daemon
    done
}

# SECONDS KIND...: a program for each kind, which copies both ways for so long, from `at`, in 2 s, on; `copying` is their number.
copying=0 at=''
copy_together() {
    local seconds=$1 kind
    shift
    at=$(soon 2) copying=0
    for kind; do
        copying=$((copying + 1))
        # shellcheck disable=SC2046
        MOVER_AT=$at begin "copies$copying" $((${seconds%.*} + 30)) $(share) "$mover" loop 64 "$seconds" "$kind" both
    done
}
copies_end() { # WHAT [FIRST]: those from the first on are right
    local i
    programs_end
    for ((i = ${2:-1}; i <= copying; i++)); do right "$1, program $i" "copies$i" ""; done
}
process_of() { cat "$scratch/$1.pid"; }
part_life() {
    local victim
    start_daemon
    copy_together 1.5 pageable async
    sleep 2.7
    kill -9 "$daemon"
    wait "$daemon" 2>/dev/null
    daemon=
    copies_end "the daemon is killed"
    start_daemon
    copy_together 1.5 pageable pageable async
    sleep 2.7
    kill -9 "$(process_of copies1)"
    copies_end "another is killed" 2
    stop_daemon
    is_long || return
    start_daemon
    copy_together 5 pageable pageable async
    sleep 3
    victim=$(process_of copies1)
    kill -STOP "$victim"
    sleep 2
    kill -CONT "$victim"
    copies_end "one is stopped, and goes on"
    stop_daemon
    start_daemon
    copy_together 10 pageable async
    sleep 3
    kill -STOP "$daemon"
    sleep 7
    kill -CONT "$daemon"
    copies_end "the daemon is stopped, and goes on"
    stop_daemon
}

# ---- faults and tools ----

skip() { echo "skipped: $*"; }
# MPS: two programs copy, and a third one's kernel writes where nothing is. Under MPS the fault may end them, too; another program after
# that is right all the same.
faults() {
    local i ended=0
    start_daemon --mps "$1"
    copy_together 2 pageable async
    # shellcheck disable=SC2046
    MOVER_AT=$(after "$at" 0.7) begin faulty 60 $(share) "$mover" fault 64
    programs_end
    if grep -q '^fault.cudaErrorIllegalAddress' "$scratch/faulty"; then
        passed "the fault is told, MPS $1"
    else
        failed "the fault is not told, MPS $1" "$scratch/faulty"
    fi
    for i in 1 2; do
        if [ "$1" = on ] && [ -z "$(sum_of "$scratch/copies$i")" ]; then ended=$((ended + 1)); else right "beside a fault, MPS $1, program $i" "copies$i" ""; fi
    done
    row "programs that the fault of another one ended" "2 beside it, MPS $1" "$ended" "" "$([ "$1" = off ] && echo "<= 0")"
    # shellcheck disable=SC2046
    run later 60 $(share) "$mover" threads 2 1
    right "a program after a fault, MPS $1" later ""
    stop_daemon
}
part_fault() {
    faults off
    if command -v nvidia-cuda-mps-control >/dev/null; then faults on; else skip "no MPS here"; fi
}

# WHAT FILE OTHER: the program of FILE wrote what it wrote plainly, into OTHER.
same() {
    if [ -s "$scratch/$2" ] && cmp -s "$scratch/$2" "$scratch/$3"; then passed "$1"; else failed "$1: other output than plainly" "$scratch/$2" "$scratch/$3"; fi
}
torch='
import torch
a = torch.arange(48 << 20, dtype=torch.int64)
b = (a.cuda() * 3 + 1).cpu()
print(int(b.sum()), torch.equal(b, a * 3 + 1))
p = torch.ones(32 << 20).pin_memory()
print(float(p.to("cuda", non_blocking=True).sum()))
m = torch.eye(2048, device="cuda") * 2
print(float((m @ m).cpu().trace()))'
part_tools() {
    start_daemon
    copy_together 25 pageable async
    if python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
        run torch.plain 90 python3 -c "$torch"
        # shellcheck disable=SC2046
        run torch.run 90 $(share) python3 -c "$torch"
        same "PyTorch under run" torch.run torch.plain
        tail -n 3 "$scratch/torch.run"
    else
        skip "no PyTorch here"
    fi
    if command -v compute-sanitizer >/dev/null; then
        # shellcheck disable=SC2046
        run memcheck 90 $(share) compute-sanitizer --tool memcheck --error-exitcode 99 "$mover" threads 4 1
        right "compute-sanitizer under run" memcheck ""
        grep -q 'ERROR SUMMARY: 0 errors' "$scratch/memcheck" || failed "compute-sanitizer under run" "$scratch/memcheck"
    else
        skip "no compute-sanitizer here"
    fi
    if command -v ncu >/dev/null; then
        # shellcheck disable=SC2046
        run ncu 90 $(share) ncu --clock-control none --metrics gpu__time_duration.sum -k add "$mover" tasks 16 1 pageable
        right "ncu under run" ncu ""
        grep -q 'gpu__time_duration.sum' "$scratch/ncu" || failed "ncu under run saw no kernel" "$scratch/ncu"
    else
        skip "no ncu here"
    fi
    copies_end "beside tools"
    stop_daemon
}

# FILE OTHER NAME WAY AIM: pageable of FILE over pinned of OTHER.
ratio() {
    local fast=$1 pinned=$2 what=$3 way=$4 aim=$5
    row "$what $way, of pinned" "under run" "$(calc "$(value "$fast" "$what $way") / $(value "$pinned" "pinned $way")")" "" "$aim"
}
part_rates() {
    local n=256 way lanes piece what
    is_long && n=512
    run plain 60 "$mover" rates $n
    right "plainly" plain ""
    start_daemon
    # shellcheck disable=SC2046
    run fast 60 env MOVER_END="$heddle share status --json" $(share) "$mover" rates $n
    right "under run" fast "$(sum_of "$scratch/plain")"
    for way in in out; do
        for what in pageable "pageable 64 MiB" "pageable 16 MiB" pinned; do
            row "$what $way" plain "$(value "$scratch/plain" "$what $way")" GB/s
            row "$what $way" "under run" "$(value "$scratch/fast" "$what $way")" GB/s
        done
        row "first copy $way, pageable, $n MiB" plain "$(value "$scratch/plain" "pageable $way, first")" ms
        row "first copy $way, pageable, $n MiB" "under run" "$(value "$scratch/fast" "pageable $way, first")" ms
    done
    ratio "$scratch/fast" "$scratch/plain" pageable in ">= 0.88"
    ratio "$scratch/fast" "$scratch/plain" pageable out ">= 0.80"
    if is_long; then
        for lanes in 4 8 16; do
            for piece in 1024 2048 4096; do
                # shellcheck disable=SC2046
                run scan 60 env HEDDLE_SHARE_LANES=$lanes HEDDLE_SHARE_PIECE=$((piece << 10)) $(share) "$mover" rates 256
                for what in "pageable in" "pageable out" "pageable 64 MiB in" "pageable 16 MiB in"; do
                    row "$what" "$lanes threads, pieces of $piece KiB" "$(value "$scratch/scan" "$what")" GB/s
                done
                row "first copy in, pageable, 256 MiB" "$lanes threads, pieces of $piece KiB" "$(value "$scratch/scan" "pageable in, first")" ms
            done
        done
    fi
    stop_daemon
}

# NAME: the least of the values of this name in files plainN, or fastN.
least() { for file in "$scratch/$1"[0-9]; do value "$file" "$2"; done | sort -g | head -1; }
part_calls() {
    local i n=1 name
    is_long && n=6 # single programs differ by ten times what is asked here
    start_daemon
    for ((i = 1; i <= n; i++)); do
        run plain$i 60 "$mover" calls
        # shellcheck disable=SC2046
        run fast$i 60 $(share) "$mover" calls
    done
    right "under run" fast1 ""
    for name in launch cuEventSynchronize cuStreamSynchronize; do
        row "$name" plain "$(least plain $name)" us
        row "$name" "under run" "$(least fast $name)" us
        row "$name, more than plainly" "under run" "$(calc "$(least fast $name) - $(least plain $name)")" us \
            "<= $([ $name = launch ] && echo 0.05 || echo 0.1)"
    done
    stop_daemon
}

left() { # shellcheck disable=SC2046
    run left"$1" 60 env HEDDLE_SHARE_STAGE=0 $(share) "$mover" tasks "$size" "$tasks" pageable
}
part_alone() {
    local i n=2 size=64 tasks=12
    is_long && n=6
    start_daemon
    for ((i = 1; i <= n; i++)); do
        # In turn one is first: what a program leaves of the machine's memory is what the next one begins with.
        ((i % 2)) || left $i
        run plain$i 60 "$mover" tasks $size $tasks pageable
        ((i % 2)) && left $i
        # shellcheck disable=SC2046
        run fast$i 60 $(share) "$mover" tasks $size $tasks pageable
        run ownplain$i 60 "$mover" tasks $size $tasks pinned
        # shellcheck disable=SC2046
        run ownfast$i 60 $(share) "$mover" tasks $size $tasks pinned
    done
    right "copies left plain" left1 "$(sum_of "$scratch/plain1")"
    right "copies made fast" fast1 "$(sum_of "$scratch/plain1")"
    row "$tasks tasks of $size MiB, pageable" plain "$(least plain tasks)" ms
    row "a program alone, times plain" "copies left plain" "$(calc "$(least left tasks) / $(least plain tasks)")" "" "<= 1.01"
    row "a program alone, times plain" "copies made fast" "$(calc "$(least fast tasks) / $(least plain tasks)")" "" "<= 1.00"
    row "a program alone, times plain" "pinned memory" "$(calc "$(least ownfast tasks) / $(least ownplain tasks)")" "" "<= 1.01"
    stop_daemon
}

# KIND WAY1 WAY2 MIB: two that copy for some time, plainly and under run.
two() {
    local kind=$1 first=$2 second=$3 n=$4 how seconds=2 at i way
    for how in plain run; do
        at=$(soon 2.5)
        for i in 1 2; do
            way=$([ $i = 1 ] && echo "$first" || echo "$second")
            # shellcheck disable=SC2046
            MOVER_AT=$at MOVER_END="$heddle share status --json" begin "$how$i" 60 $([ $how = run ] && share) "$mover" loop "$n" $seconds "$kind" "$way"
        done
        programs_end
        for i in 1 2; do right "$kind, $n MiB, $first and $second, $how, program $i" $how$i ""; done
        row "two that copy $first and $second, $kind, $n MiB, sum" $how "$(calc "$(value "$scratch/${how}1" copied) + $(value "$scratch/${how}2" copied)")" GB/s
    done
    i=$(of_way "$scratch/run1" "$first" n)
    [ "$first" = "$second" ] && [ "${i:-0}" != 0 ] || return # of copies behind gates the times are not known
    row "link idle between two that waited, median" "$kind, $n MiB, $first" "$(of_way "$scratch/run1" "$first" median_us)" us "<= 20"
    row "link idle between two that waited, nine of ten" "$kind, $n MiB, $first" "$(of_way "$scratch/run1" "$first" p90_us)" us
    row "turns measured so" "$kind, $n MiB, $first" "$i" ""
}
part_beside() {
    local what
    local all=("pageable in in 64" "pinned in in 64" "async in in 64") # each with a daemon of its own: the kept times are of these
    is_long && all+=("pageable out out 64" "pageable in out 64" "pageable in in 8" "pinned in out 64" "async in out 64")
    for what in "${all[@]}"; do
        start_daemon
        # shellcheck disable=SC2086
        two $what
        stop_daemon
    done
}

# HOW KIND_BIG KIND_SMALL N ALONE_MS: small copies beside a large one; the wait is what p99 is more than the median alone.
small_beside() {
    local how=$1 big=$2 little=$3 n=$4 alone=$5 at limit
    local run_big=() run_small=()
    if [ "$how" = run ]; then
        run_big=("$heddle" share run --require --class low) run_small=("$heddle" share run --require --class high)
    fi
    limit=$((n / 50 + 6))
    at=$(soon 4)
    MOVER_AT=$at begin big $((limit + 30)) "${run_big[@]}" "$mover" loop 2048 "$((n / 50 + 1))" "$big" in
    MOVER_AT=$(after "$at" 0.3) begin small $((limit + 30)) "${run_small[@]}" env MOVER_END="$heddle share status --json" "$mover" small 4 "$n" 20 "$little" in
    programs_end
    right "$how, $little beside $big, the small one" small ""
    right "$how, $little beside $big, the large one" big ""
    row "4 MiB $little beside 2 GB $big, median" "$how" "$(value "$scratch/small" median)" ms
    row "4 MiB $little beside 2 GB $big, p99" "$how" "$(value "$scratch/small" p99)" ms
    row "4 MiB $little beside 2 GB $big, wait, p99" "$how" "$(calc "$(value "$scratch/small" p99) - $alone")" ms "$([ "$how" = run ] && echo "<= 1.5")"
    row "2 GB $big meanwhile" "$how" "$(value "$scratch/big" copied)" GB/s
}
part_high() {
    local n=100 kind big alone
    is_long && n=300
    start_daemon
    for kind in pageable pinned; do
        run lone 60 "$mover" small 4 100 2 $kind in
        row "4 MiB $kind alone, median" plain "$(value "$scratch/lone" median)" ms
        small_beside plain pageable $kind $((n / 2)) "$(value "$scratch/lone" median)"
        # shellcheck disable=SC2046
        run lone 60 $(share) "$mover" small 4 100 2 $kind in
        alone=$(value "$scratch/lone" median)
        row "4 MiB $kind alone, median" run "$alone" ms
        for big in pageable pinned async; do
            [ $kind$big = pageablepageable ] || { is_long && [ "$kind/$big" != pinned/async ]; } || continue
            small_beside run $big $kind $n "$alone"
        done
    done
    stop_daemon
}

# ---- all of it ----

run here 30 "$mover" threads 1 1
case $? in
0) ;;
77) tail -n 1 "$scratch/here" && echo "no GPU here" && exit 77 ;;
*) failed "the program does not run plainly" "$scratch/here" ;;
esac
declare -F "part_$part" >/dev/null || { echo "there is no part $part" && exit 2; }
"part_$part"
echo "$n_passed passed, $n_failed failed$missed"
[ $n_failed = 0 ]
