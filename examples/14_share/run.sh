# SPDX-License-Identifier: MIT
# run.sh HEDDLE PROGRAM [TIMES] - three programs side by side on one GPU: as they are, then under heddle share, twice: the first time it learns what
# they do. TIMES: so many times as large copies. Times go to standard error.
set -euo pipefail
heddle=$1
program=$2
times=${3:-1}
scratch=$(mktemp -d)
export XDG_RUNTIME_DIR=$scratch XDG_CACHE_HOME=$scratch FAKE_CUDA_FILE=$scratch/card # a daemon of our own
trap '"$heddle" share stop 2>/dev/null || true; rm -rf "$scratch"' EXIT

# COMMAND...: the three programs behind it, and how long they took together.
three() {
    local begin=${EPOCHREALTIME/./} pids=() p
    "$@" "$program" reader $((32 * times)) 1 $((4 * times)) >"$scratch/1" & pids+=($!)
    "$@" "$program" thinker $((8 * times)) 8 $((8 * times)) >"$scratch/2" & pids+=($!)
    "$@" "$program" writer $((4 * times)) 1 $((32 * times)) >"$scratch/3" & pids+=($!)
    for p in "${pids[@]}"; do wait "$p"; done
    cat "$scratch"/[123]
    echo "$((${EPOCHREALTIME/./} / 1000 - begin / 1000)) ms" >&2
}

echo "as they are"
three env
"$heddle" share start --mps off >&2
for what in "under heddle share, which learns" "under heddle share"; do
    echo "$what"
    three "$heddle" share run --require --
done
"$heddle" share status | grep -q ' [1-9][0-9]* tasks known' && echo "their tasks are known now"
