#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# on_gpu.sh EMITTED BUILD ROOT OUT - compiles what emit.sh left in EMITTED (nvcc for the bodies, as many at once as
# there are processors, against the libraries in BUILD) and runs each program on the GPU in several ways: its output
# must be that under OpenMP. Then times the applications beside the hand-written ones, with portable and tuned bodies,
# into OUT/openmp.tsv. Exit status 0 or 1; a line per program.
set -uo pipefail
emitted=$(cd "$1" && pwd) build=$(cd "$2" && pwd) root=$(cd "$3" && pwd)
mkdir -p "$4"
out=$(cd "$4" && pwd)
arch=${ARCH:-native}
[[ $arch != [0-9]* ]] || arch=sm_$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-20000}
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
# What the static library needs besides CUDA: its build knows which of jansson and hwloc it has.
needs=$(PKG_CONFIG_PATH=$build pkg-config --print-requires-private heddle | cut -d ' ' -f 1)
# shellcheck disable=SC2086
[ -z "$needs" ] || needs=$(pkg-config --libs $needs) || exit 1
export root build arch work cuda needs

compile() { # FOLDER [OPTION...]: options of nvcc; leaves the program in work
    local name file objects=()
    name=$(basename "$1")
    for file in "$1"/*.c; do
        local object=$work/$name.$(basename "$file").o
        objects+=("$object")
        case $file in
        *.bodies.c) nvcc -x cu -std=c++17 -O3 -arch="$arch" "${@:2}" -w -I "$root/include" -c "$file" -o "$object" ;;
        *) cc -std=gnu11 -O2 -w -fopenmp -I "$root/include" -idirafter "$root/tools/heddlec/include" -c "$file" -o "$object" ;;
        esac || return 1
    done
    # shellcheck disable=SC2086
    cc "${objects[@]}" "$build/libheddle_openmp.a" "$build/libheddle.a" -L"$cuda/lib64" -lcudart_static $needs -lstdc++ \
        -fopenmp -lm -lpthread -lrt -ldl -o "$work/$name${SUFFIX:-}"
}
export -f compile
failed=0
for folder in "$emitted"/*/; do echo "${folder%/}"; done |
    xargs -P "$(nproc)" -I{} bash -c 'compile {} -fmad=false >"$work/$(basename {}).log" 2>&1'

try() { # NAME HOW VARIABLE=VALUE...
    local name=$1 how=$2 got=$work/$1.got errors=$work/$1.errors
    shift 2
    # shellcheck disable=SC2046
    if ! env HEDDLE_BACKEND=cuda "$@" timeout 60 "$work/$name" $(cat "$emitted/$name/arguments") >"$got" 2>"$errors"; then
        echo "$name: fails, $how: $(tail -1 "$errors")"
        return 1
    fi
    cmp -s "$emitted/$name/want" "$got" && return 0
    echo "$name: other output, $how: $(diff "$emitted/$name/want" "$got" | sed -n 2,5p | tr '\n' ' ')"
    return 1
}
try_all() { # NAME: leaves NAME.same in work if all ways print the same
    if [ ! -x "$work/$1" ]; then
        echo "$1: does not compile: $(grep -m1 error "$work/$1.log")"
        return
    fi
    local other=static
    ! grep -q HEDDLE_SPAWNER "$emitted/$1"/*.bodies.c || other=dynamic # no plan can be made for spawned tasks
    try "$1" "as it comes" && try "$1" $other HEDDLE_SCHEDULE=$other && try "$1" "64 threads" HEDDLE_TEAM_SIZE=64 &&
        : >"$work/$1.same"
}
export -f try try_all
export emitted
# Four at a time: most of a program's second is the start of CUDA.
for folder in "$emitted"/*/; do basename "$folder"; done | xargs -P 4 -I{} bash -c 'try_all {}'
n=$(find "$work" -name '*.same' | wc -l)
[ "$n" = "$(find "$emitted" -mindepth 1 -maxdepth 1 -type d | wc -l)" ] || failed=1
echo "$n programs print the same"

# The applications at their own sizes, best of some runs, without the time of loading a graph.
time_of() { # NAME VARIABLE=VALUE...: milliseconds of the best run
    local name=$1
    shift
    for _ in 1 2 3 4 5; do
        env HEDDLE_BACKEND=cuda HEDDLE_OMP_VERBOSE=1 "$@" timeout 60 "$work/$name" 2>&1 >/dev/null | grep -o 'run in [0-9.]*' | tail -1
    done | awk '{ if (!n++ || $3 < best) best = $3 } END { if (n) print best; else print "nan" }'
}
by_hand() { # APP BODY: milliseconds of the best run of the same graph and schedule, without loading
    for _ in 1 2 3; do
        HEDDLE_SCHEDULE=dynamic timeout 60 "$build/heddle" run "$1" --backend cuda --repeat 3 --opt body="$2" 2>/dev/null |
            sed -nE 's/^  time .*run ([0-9.]+) (us|ms|s)( .*)?$/\1 \2/p'
    done | awk '{ v = $1 * ($2 == "us" ? 0.001 : $2 == "s" ? 1000 : 1); if (!n++ || v < best) best = v } END { if (n) print best; else print "nan" }'
}
printf 'app\tgenerated_ms\tportable_ms\ttuned_ms\tgenerated/portable\tgenerated/tuned\n' >"$out/openmp.tsv"
for app in lu jacobi heat sat inthist sw dtw; do
    [ -x "$work/$app" ] || continue
    generated=$(time_of "$app") portable=$(by_hand "$app" portable) tuned=$(by_hand "$app" tuned)
    awk -v a="$app" -v g="$generated" -v p="$portable" -v t="$tuned" \
        'BEGIN { printf "%s\t%.4g\t%.4g\t%.4g\t%.3f\t%.3f\n", a, g, p, t, g / p, g / t }' | tee -a "$out/openmp.tsv"
done
exit $failed
