#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu.sh [OUT] - builds, tests and measures heddle on this machine's GPU, within ten minutes. Needs cc, nvcc 12.8 and CMake;
# no network, none of the optional libraries. Leaves in OUT (default: build-gpu/out)
#
#     tests.txt     a line a test: name, pass, FAIL or skip, seconds, detail; separated by tabs
#     machine.txt   date, commit, GPU, driver, CUDA, clocks, kernel
#     figures.tsv   the figures, with FMA (HEDDLE_FMA); beside.tsv: which CUDA calls block beside a resident kernel
#     logs/         what each test printed
#
# Exit status: 0 all passed, 1 something failed or found no time, 77 nothing failed but something was skipped.
#
# STAGES     which, in order; default: "build core same spawn large fault sanitize beside openmp bench". Builds are kept in BUILD.
# BUDGET     seconds for all (590); a test that finds no time left counts as failed. BENCH_SECONDS: how much of it the
#            tests leave to stage bench (120)
# ARCH       what nvcc compiles for (native); BUILD: folder (build-gpu); JOBS: compilers at once (all cores)
# TRIALS     seconds of message passing in stage core (8: some 10^9); GRAPHS, GRAPH_SECONDS: random graphs (1500, 60)
# SOAK       seconds of spawned tasks in stage spawn (20: some 10^9)
# EMITTED    programs that tests/heddlec/emit.sh translated elsewhere, for stage openmp where libclang is not here
# HEDDLE_DATA folder of inputs, without which bench leaves out the graphs of bfs and the matrices of slu
# FIGURES    figures of stage bench, with commas (all); COMMIT: what is tested, where there is no git
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-gpu}
out=${1:-$build/out}
stages=${STAGES:-build core same spawn large fault sanitize beside openmp bench}
budget=${BUDGET:-590}
jobs=${JOBS:-$(nproc)}
mkdir -p "$out/logs"
out=$(cd "$out" && pwd)
: >"$out/tests.txt"
exec </dev/null
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000} # the watchdog is on
reserve=0
case " $stages " in *" bench "*) reserve=${BENCH_SECONDS:-120} ;; esac

# try NAME LIMIT_S COMMAND...: runs it, notes how it went.
try() {
    local name=$1 limit=$2 left=$((budget - reserve - SECONDS)) begin=$SECONDS status state detail
    shift 2
    [ "$limit" -lt "$left" ] || limit=$left
    if [ "$limit" -lt 3 ]; then
        note "$name" FAIL 0 "no time left of $budget s, $reserve of them for stage bench"
        return
    fi
    echo "---- $name (at most $limit s)"
    timeout -k 5 "$limit" "$@" >"$out/logs/$name.txt" 2>&1
    status=$?
    detail=$(grep -v '^[[:space:]]*$' "$out/logs/$name.txt" | tail -1 | tr '\t' ' ' | cut -c1-300)
    case $status in
    0) state=pass ;;
    77) state=skip ;;
    124 | 137) state=FAIL detail="stopped after $limit s; $detail" ;;
    *) state=FAIL detail="exit status $status; $detail" ;;
    esac
    note "$name" $state $((SECONDS - begin)) "$detail"
    [ $state != FAIL ] || tail -n 20 "$out/logs/$name.txt" | sed 's/^/    /'
}
note() { # NAME STATE SECONDS DETAIL
    printf '%s\t%s\t%s\t%s\n' "$@" | tee -a "$out/tests.txt"
}

machine() {
    local field value
    echo "date      $(date -u +%Y-%m-%dT%H:%MZ)"
    echo "commit    ${COMMIT:-$(git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)}"
    echo "stages    $stages"
    echo "kernel    $(uname -sr)"
    echo "cpu       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) hardware threads"
    echo "compiler  $(cc --version | head -1)"
    echo "nvcc      $(nvcc --version | sed -n 's/.*release //p')"
    command -v nvidia-smi >/dev/null || echo "gpu       no nvidia-smi here"
    for field in name driver_version memory.total clocks.sm clocks.mem clocks.max.sm clocks.max.mem power.limit \
        temperature.gpu ecc.mode.current mig.mode.current compute_mode persistence_mode; do
        value=$(nvidia-smi --query-gpu=$field --format=csv,noheader 2>/dev/null | paste -sd ';')
        [ -z "$value" ] || printf '%-9s %s\n' "$field" "$value"
    done
}

configure() { # FOLDER OPTION...
    local folder=$1
    shift
    cmake -S "$root" -B "$build/$folder" -DCMAKE_BUILD_TYPE=Release -DHEDDLE_CUDA=ON -DHEDDLE_HWLOC=OFF \
        -DHEDDLE_JANSSON=OFF -DHEDDLE_LIBCRYPTO=OFF -DCMAKE_CUDA_ARCHITECTURES="${ARCH:-native}" "$@"
}
make_exact() {
    configure exact && cmake --build "$build/exact" --parallel "$jobs" --target gpu_tests || return
    # heddlec is not made where libclang is missing.
    cmake --build "$build/exact" --parallel "$jobs" --target heddlec 2>/dev/null || true
}
make_fma() { configure fma -DHEDDLE_FMA=ON && cmake --build "$build/fma" --parallel "$jobs" --target bench_gpu; }

export FOUND=99 # the exit status for what a sanitizer finds
judge=()        # a command that takes the sanitizer's and says what is to be made of its exit status
sanitized() { # NAME "TOOL OPTION..." PROGRAM ARGUMENT...
    local name=$1 tool=$2
    shift 2
    if command -v compute-sanitizer >/dev/null; then
        # shellcheck disable=SC2086
        try "$name" 60 "${judge[@]}" compute-sanitizer --tool $tool --error-exitcode "$FOUND" "$@"
    else
        note "$name" skip 0 "no compute-sanitizer here"
    fi
}

stage_build() {
    export -f configure make_exact make_fma
    export root build jobs
    try build.exact 240 bash -c make_exact
    case " $stages " in *" bench "*) try build.fma 240 bash -c make_fma ;; esac
}
tests=$build/exact/tests/gpu
stage_core() { CUDA_MODULE_LOADING=EAGER try core 60 "$tests/test_gpu_core" "${TRIALS:-8}"; }
stage_same() {
    try same.graphs 80 "$tests/test_gpu_same" --graphs "${GRAPHS:-1500}" --seconds "${GRAPH_SECONDS:-60}"
    try same.apps 80 "$tests/test_gpu_apps"
}
# Tasks that make tasks: some 10^9 of them, none lost, none twice.
stage_spawn() {
    try spawn.soak 60 "$build/exact/tests/spawn/test_spawn_soak" cuda "${SOAK:-20}" 60000000
    try spawn.siblings 60 "$build/exact/tests/spawn/test_spawn_siblings" --cuda
    try spawn.misuse 30 "$build/exact/tests/spawn/test_spawn_misuse" --cuda
    try spawn.apps 100 "$build/exact/tests/test_apps_spawned" --cuda
}
stage_large() { try large 90 "$tests/test_gpu_large"; }
stage_fault() {
    try fault 120 "$tests/test_gpu_fault"
    try stream 60 "$tests/test_gpu_stream"
    try choice 60 "$tests/test_gpu_choice"
}
# racecheck sees block-shared memory only, and knows barriers, but not that one warp hands a slot to another with a store
# that releases and a load that acquires. All bodies run in the level kernels, which have nothing of that kind: there any
# hazard is a failure. What it finds in the kernels of resident workers is counted and shown, as a skip; a run that goes
# wrong under it fails there, too.
hazards() {
    local status=0
    "$@" || status=$?
    [ "$status" = "$FOUND" ] || return "$status"
    echo "racecheck does not know acquiring and releasing words; it counts" "$(grep -ac ' reported between ' "${log:?}")" \
        "pairs of accesses, see the log"
    return 77
}
stage_sanitize() {
    export -f hazards
    sanitized memcheck.graphs memcheck "$tests/test_gpu_same" --small
    sanitized racecheck.levels "racecheck --kernel-name kns=hd_tasks_of_level" "$tests/test_gpu_same" --small
    judge=(env log="$out/logs/racecheck.workers.txt" bash -c 'hazards "$@"' -)
    sanitized racecheck.workers "racecheck --kernel-name-exclude kns=hd_tasks_of_level" "$tests/test_gpu_same" --small
    judge=()
    sanitized memcheck.apps memcheck "$tests/test_gpu_apps" --small
}
stage_beside() {
    try beside 60 "$tests/gpu_beside" "$out/beside.tsv"
    [ ! -s "$out/beside.tsv" ] || awk -F '\t' 'NR > 1 {
        how = $3 ? "waits" : sprintf("returns, %.2f ms", $4)
        if ($2 == 1) first[$1] = how
        else printf "| %s | %s | %s |\n", $1, first[$1], how
    }' "$out/beside.tsv" >"$out/beside.md" # the rows of doc/cuda-beside.md
}
# Programs translated by heddlec: here, or elsewhere.
stage_openmp() {
    try openmp.runtime 60 "$tests/test_gpu_openmp"
    local emitted=${EMITTED:-}
    if [ -z "$emitted" ] && [ -x "$build/exact/heddlec" ]; then
        emitted=$build/emitted
        try openmp.emit 120 bash "$root/tests/heddlec/emit.sh" "$build/exact/heddlec" cc "$root" "$emitted"
    fi
    if [ -n "$emitted" ]; then
        try openmp.programs 180 bash "$root/tests/heddlec/on_gpu.sh" "$emitted" "$build/exact" "$root" "$out"
    else
        note openmp.programs skip 0 "neither libclang here nor EMITTED"
    fi
}
stage_bench() {
    reserve=0
    if "$build/exact/heddle" info | grep '^  cuda .*no device)' >/dev/null; then
        note bench skip 0 "no GPU here"
        return
    fi
    local left=$((budget - SECONDS - 15))
    try bench $((left + 10)) "$build/fma/bench/bench_gpu" --out "$out" --budget "$left" ${FIGURES:+--only "$FIGURES"}
}

machine >"$out/machine.txt"
cat "$out/machine.txt"
for tool in cc nvcc cmake; do
    command -v $tool >/dev/null || { echo "skipped: no $tool here" && exit 77; }
done
for stage in $stages; do
    declare -F "stage_$stage" >/dev/null || { echo "gpu.sh: there is no stage $stage" >&2 && exit 2; }
    "stage_$stage"
    if [ "$stage" = build ] && grep -q FAIL "$out/tests.txt"; then
        break
    fi
    [ -s "$out/info.txt" ] || [ ! -x "$build/exact/heddle" ] || "$build/exact/heddle" info >"$out/info.txt" 2>&1
done
[ ! -s "$out/info.txt" ] || { sed -n '/^devices/,/^$/p' "$out/info.txt" >>"$out/machine.txt" && rm "$out/info.txt"; }

count() { cut -f2 "$out/tests.txt" | grep -c "^$1"; }
echo "---- $(count pass) passed, $(count FAIL) failed, $(count skip) skipped, $SECONDS s; $out"
[ "$(count FAIL)" = 0 ] || exit 1
[ "$(count skip)" = 0 ] || exit 77
