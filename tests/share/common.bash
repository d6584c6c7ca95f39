# SPDX-License-Identifier: MIT
# common.bash - shared by the scripts of this folder, which are called as `bash NAME.sh COMMAND PROGRAMS SOURCE_DIR`. Each has a daemon
# of its own, in a runtime folder of its own, and ends only what it started.
set -euo pipefail
heddle=$1
programs=$2
scratch=$(mktemp -d /tmp/share-test.XXXXXX)
export XDG_RUNTIME_DIR=$scratch XDG_CACHE_HOME=$scratch FAKE_CUDA_FILE=$scratch/card HEDDLE_SHARE_LANES=3
export LD_LIBRARY_PATH=$programs/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export HEDDLE_SHARE_MPS=off # also where it could be had
unset HEDDLE_SHARE LD_PRELOAD CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
# SHARE_SANITIZED comes from the build: "thread" and "address" slow programs down, and forbid some ways to load libraries.
sanitized=${SHARE_SANITIZED:-}
rounds() { echo $((${#sanitized} ? ($1 + 2) / 3 : $1)); } # N: so many, or a third
# The sanitizer's library stands behind ours in the list, and is loaded all the same.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:detect_leaks=0
started=()
finish() {
    status=$?
    trap - EXIT
    for p in "${started[@]}"; do kill -9 "$p" 2>/dev/null || true; done
    "$heddle" share stop >/dev/null 2>&1 || true
    [ -z "${daemon:-}" ] || kill -9 "$daemon" 2>/dev/null || true
    rm -rf "$scratch"
    exit "$status"
}
trap finish EXIT

fail() {
    echo "failed: $*"
    exit 1
}
# OPTION...: sets `daemon`.
start_daemon() {
    "$heddle" share start --foreground "$@" 2>"$scratch/daemon" &
    daemon=$!
    for _ in {1..200}; do
        [ -S "$scratch/heddle/share" ] && "$heddle" share status >/dev/null 2>&1 && return
        sleep 0.05
    done
    cat "$scratch/daemon"
    fail "no daemon"
}
stop_daemon() {
    "$heddle" share stop
    wait "$daemon"
    daemon=
}
share() { "$heddle" share run --require "$@"; }
# SENTENCE ARGUMENT...: `heddle share ARGUMENT...` fails, and says so.
refuses() {
    local sentence=$1
    shift
    if "$heddle" share "$@" >"$scratch/said" 2>&1; then fail "took $*"; fi
    grep -qE -- "$sentence" "$scratch/said" || { cat "$scratch/said"; fail "says something else of $*"; }
}
# PATTERN: waits until the state as JSON has it.
until_status() {
    for _ in {1..400}; do
        "$heddle" share status --json >"$scratch/state" 2>/dev/null && grep -qE "$1" "$scratch/state" && return
        sleep 0.02
    done
    cat "$scratch/state"
    fail "never seen: $1"
}
all_gone() {
    until_status '"clients": \[\]'
    ! grep -q '"holder": [1-9]' "$scratch/state" || fail "a turn of nobody"
}
# ROUNDS: four programs at a time, all with the right bytes; what they say is in out1 to out4.
run_four() {
    local i p pids=()
    for i in 1 2 3 4; do
        share -- "$programs/share_mixed" lookup 2 "$1" 5000 "$i" >"$scratch/out$i" 2>&1 &
        pids+=($!)
    done
    for p in "${pids[@]}"; do wait "$p" || { cat "$scratch"/out*; fail "a program of four"; }; done
    until_status '"clients": \[\]'
}
