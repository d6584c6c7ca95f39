#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# random.sh HEDDLEC CC [N] - N programs of random_program.py, from seed HEDDLE_SEED on: translated, on one thread and on three
# emulated ones, with loops shared out as a host and as a GPU does, they print what CC's program without OpenMP prints.
set -euo pipefail
heddlec=$1 cc=$2 n=${3:-5} from=${HEDDLE_SEED:-1}
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000} HEDDLE_BACKEND=serial
fail() {
    echo "HEDDLE_SEED=$seed: $*"
    cat said errors 2>/dev/null | head -40
    exit 1
}
for ((seed = from; seed < from + n; seed++)); do
    python3 "$here/random_program.py" "$seed" >program.c
    "$cc" -std=gnu11 -w -fwrapv program.c -o reference
    ./reference >want
    for form in "" -Wp,-DHEDDLE_OMP_FLAT; do
        "$heddlec" program.c -o program --backend cpu -- -fwrapv $form >said 2>&1 || fail "not translated"
        for threads in 1 3; do
            HEDDLE_TEAM_SIZE=$threads ./program >got 2>errors || fail "fails on $threads threads $form"
            cmp -s want got || fail "another answer on $threads threads $form"
        done
    done
done
echo "$n programs from seed $from on"
