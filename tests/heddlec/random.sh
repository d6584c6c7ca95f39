#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# random.sh HEDDLEC CC [N [N_SMALL]] - N programs of random_program.py, from seed HEDDLE_SEED on: translated, on one
# thread and on three emulated ones, with loops divided as on a host and as on a GPU, they print what CC's program
# without OpenMP prints. Then N_SMALL, or HEDDLE_SMALL, programs of random_small.py, a hundred in two sources: on one
# thread, on three workers and on four emulated threads they print what they print under CC -fopenmp.
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

try_small() { # HOW VARIABLE=VALUE...
    local how=$1
    shift
    env "$@" ./program >got 2>errors || fail "small programs fail on $how"
    diff want got >errors || fail "small programs have other answers on $how"
}
small=${HEDDLE_SMALL:-${4:-300}}
[ "$small" -gt 0 ] || { echo "$n programs from seed $from on" && exit 0; }
if ! echo 'int main(void) { return 0; }' | "$cc" -fopenmp -x c - -o probe 2>/dev/null; then
    echo "skipped: $cc has no -fopenmp here" && exit 77
fi
for ((seed = from; seed < from + small; seed += 100)); do
    for part in 1 2; do
        python3 "$here/random_small.py" "$seed" $((from + small - seed < 100 ? from + small - seed : 100)) $part >part_$part.c
    done
    "$cc" -std=gnu11 -w -fopenmp part_1.c part_2.c -o reference 2>errors || fail "$cc refuses"
    ./reference >want
    "$heddlec" part_1.c part_2.c -o program --backend cpu --region=parallel -Wno-HC190 -Wno-HC140 >said 2>&1 || fail "not translated"
    [ ! -s said ] || fail "something is said of programs without a fault"
    try_small "the serial backend" HEDDLE_BACKEND=serial
    try_small "three workers" HEDDLE_BACKEND=cpu HEDDLE_WORKERS=3
    try_small "emulated threads" HEDDLE_BACKEND=serial HEDDLE_TEAM_SIZE=4
done
echo "$n programs and $small small ones from seed $from on"
