#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gpu.sh [--long] [--dry-run] [--list] [--build | --built] [--out DIR] [STAGE...] - builds, tests and measures heddle on this machine's
# GPUs, in at most ten minutes per call. Needs cc, nvcc 12.8 and CMake; no network. Tests of known answers need jansson
# and libcrypto, and are skipped where those are missing.
#
# A stage is a file of tests/gpu/stages. Its short form takes at most 20 s after the build: without names, all short
# forms run. `--long NAME` runs the long form of a stage (soak, sanitizers, figures), one call for each, on a bare
# machine; it builds only what that stage needs. A stage with too few GPUs is skipped, with a row. --dry-run prints what
# would run, with its limits; --list names the stages. --build only builds, on a machine that needs no GPU (set ARCH);
# --built runs what is in BUILD and compiles nothing; tests that read data/ look for it where they were compiled.
#
# Leaves in DIR (default: build-gpu/out)
#
#     GPU/tests.tsv      a row per test: stage, form, test, state, seconds, detail, and commit, GPU, driver and date of the row
#     GPU/tests.txt      the same, to be read
#     GPU/figures.tsv    the rows of bench_gpu, with the figure that made them, form, commit, GPU, driver and date
#     GPU/wave.tsv       times of waves in every shape and number of warps per block
#     GPU/pool.tsv       rates and latencies of pools
#     GPU/peerwave       the figures of PeerWave, after the long form of its stage
#     GPU/pagoda         the figure of Pagoda, likewise
#     GPU/hdss           the figures of HDSS, likewise (stages loop and hand)
#     GPU/cumas          the figures of CuMAS, likewise (stage mixes)
#     GPU/mesi           the figures of MESI-CUDA, likewise
#     GPU/share.tsv      copies of programs under heddle share, beside plain ones
#     GPU/beside.tsv     which CUDA calls block beside a resident kernel; openmp.tsv: translated programs beside hand-written
#     GPU/machine.txt    of this call: date, commit, GPU, driver, CUDA, clocks, kernel
#     logs.txt           output of this call's tests; build-gpu/logs has a file per test
#
# GPU is the card's short name, as in bench/results. Tables begin as those in DIR, or else in bench/results/GPU; a stage
# (in figures.tsv: a figure) replaces its own rows and leaves the others, which name their commit. Before you commit the
# tables, `bench/compare.py gate bench/results/GPU DIR/GPU` names what became worse.
#
# Exit status: 0 all passed, 1 something failed or found no time, 77 skips but no failures, 2 bad usage.
#
# BUDGET      seconds in all (590); a test without time left counts as failed
# ARCH        nvcc's architecture (native); BUILD: folder (build-gpu); JOBS: compilers at once (all cores)
# COMMIT      the tested commit, if there is no git; EMITTED: programs that tests/heddlec/emit.sh translated elsewhere
# FIGURES     figures of the long form of stage figures, with commas (all)
# HEDDLE_DATA folder of inputs; without it figures leaves out the graphs of bfs and the matrices of slu
# GPU_STAGES  folder of stages (tests/gpu/stages)
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build-gpu}
budget=${BUDGET:-590}
jobs=${JOBS:-$(nproc)}
most_short=20 most_build=400 # seconds of a stage, of a build
form=short dry=0 list=0 out=$build/out wanted=() only= # build: without running; run: without building
while [ $# -gt 0 ]; do
    case $1 in
    --long) form=long ;;
    --dry-run) dry=1 ;;
    --list) list=1 ;;
    --build) only=build ;;
    --built) only=run ;;
    --out) out=${2:?"gpu.sh: --out needs a folder"} && shift ;;
    -*) echo "gpu.sh: unknown option $1" >&2 && exit 2 ;;
    *) wanted+=("$1") ;;
    esac
    shift
done
exec </dev/null
[ "$only" != build ] || budget=${BUDGET:-7200} most_build=$budget
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000} # the watchdog is on

# ---- stages ----

declare -A gpus_of targets_of long_targets_of
stages=()
# stage NAME GPUS TARGETS [LONG_TARGETS]: called by a stage's file, which has functions NAME_short and NAME_long
# (optional). A target FOLDER/TARGET is built in that folder: exact (every multiply-add rounded twice) or fma.
stage() {
    stages+=("$1")
    gpus_of[$1]=$2 targets_of[$1]=$3 long_targets_of[$1]=${4-$3}
}
for file in "${GPU_STAGES:-$root/tests/gpu/stages}"/*.sh; do
    # shellcheck disable=SC1090
    . "$file"
done
gpus_text() { [ "$1" = 1 ] && echo "1 GPU" || echo "$1 GPUs"; }
known() { [[ " ${stages[*]} " == *" $1 "* ]]; } # no pipe: grep ends before printf has written, which pipefail would take for a failure
for name in "${wanted[@]}"; do
    known "$name" || { echo "gpu.sh: there is no stage $name; --list names them" >&2 && exit 2; }
done
if [ $list = 1 ]; then
    for name in "${stages[@]}"; do
        has_long=$(declare -F "${name}_long" >/dev/null && echo "short, long" || echo short)
        printf '%-10s %-6s  %s\n' "$name" "$(gpus_text "${gpus_of[$name]}")" "$has_long"
    done
    exit 0
fi
if [ $form = long ] && [ ${#wanted[@]} = 0 ]; then
    echo "gpu.sh: --long takes the names of stages; --list names them" >&2 && exit 2
fi
whole=0
[ ${#wanted[@]} -gt 0 ] || { wanted=("${stages[@]}") && whole=1; }

# ---- the machine ----

commit=${COMMIT:-$(git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)}
export COMMIT=$commit
asked() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null; }
gpu=$(asked name | head -1)
driver=$(asked driver_version | head -1)
n_gpus=$(asked name | grep -c .)
# Without nvidia-smi there may still be a GPU, if the driver has made its device.
if [ "$n_gpus" = 0 ] && { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }; then
    n_gpus=1
fi
gpu=${gpu:-none} driver=${driver:-none} date=$(date -u +%Y-%m-%dT%H:%MZ)
short_gpu=$(sed -E 's/^NVIDIA //; s/^(GeForce|Tesla) //; s/ (GPU|[0-9]+GB|PCIe|SXM).*//; s/[^A-Za-z0-9]+/-/g' <<<"$gpu" | tr '[:upper:]' '[:lower:]')
tables=$out/$short_gpu

machine() {
    local field value
    echo "date      $date"
    echo "commit    $commit"
    echo "stages    $form: ${wanted[*]}"
    echo "kernel    $(uname -sr)"
    echo "cpu       $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) hardware threads"
    echo "compiler  $(cc --version | head -1)"
    echo "nvcc      $(nvcc --version | sed -n 's/.*release //p')"
    command -v nvidia-smi >/dev/null || echo "gpu       no nvidia-smi here"
    for field in name driver_version memory.total clocks.sm clocks.mem clocks.max.sm clocks.max.mem power.limit \
        temperature.gpu ecc.mode.current mig.mode.current compute_mode persistence_mode; do
        value=$(asked $field | paste -sd ';')
        [ -z "$value" ] || printf '%-9s %s\n' "$field" "$value"
    done
}

# ---- running ----

current=build # the stage
rows=         # file for notes
reserve=0     # seconds that its tests leave to later work

# Paths lose their folders, which mean nothing elsewhere: tables are kept, and machines differ.
without_folders() { sed -E "s#(^|[^[:alnum:]_./-])/([^[:space:]/]+/)+#\\1#g"; }

# try NAME LIMIT_S COMMAND...: runs it and records the result.
try() {
    local name=$1 limit=$2 left=$((budget - reserve - SECONDS)) begin=$SECONDS status state detail
    shift 2
    [ "$limit" -lt "$left" ] || limit=$left
    if [ $dry = 1 ]; then
        printf '%-9s %-18s at most %3d s: %s\n' "$current" "$name" "$limit" "$*"
        return
    fi
    if [ "$limit" -lt 3 ]; then
        note "$name" FAIL 0 "no time left of $budget s"
        return
    fi
    echo "---- $name (at most $limit s)"
    timeout -k 5 "$limit" "$@" >"$logs/$name.txt" 2>&1
    status=$?
    detail=$(grep -v '^[[:space:]]*$' "$logs/$name.txt" | tail -1 | tr '\t' ' ' | without_folders | cut -c1-300)
    case $status in
    0) state=pass ;;
    77) state=skip ;;
    124 | 137) state=FAIL detail="stopped after $limit s; $detail" ;;
    *) state=FAIL detail="exit status $status; $detail" ;;
    esac
    note "$name" $state $((SECONDS - begin)) "$detail"
    { echo "==== $current $name: $state" && tail -c 100000 "$logs/$name.txt"; } >>"$out/logs.txt"
    [ $state != FAIL ] || tail -n 20 "$logs/$name.txt" | sed 's/^/    /'
}
note() { # NAME STATE SECONDS DETAIL: a row of this call
    if [ $dry = 1 ]; then
        printf '%-9s %-18s %s: %s\n' "$current" "$1" "$2" "$4"
        return
    fi
    printf '%s\t%s\t%s\t%s\n' "$@"
    printf '%s\t' "$current" "$form" "$@" "$commit" "$gpu" "$driver" >>"$rows"
    printf '%s\n' "$date" >>"$rows"
}

# merge TABLE NEW COLUMN...: the rows of NEW replace those of TABLE with the same COLUMNs (numbers).
merge() {
    local table=$1 fresh=$2
    shift 2
    [ -s "$fresh" ] || return 0
    [ -s "$table" ] || head -1 "$fresh" >"$table"
    awk -F '\t' -v columns="$*" '
        function key(   at, n, part, k) {
            n = split(columns, part, " ")
            for (at = 1; at <= n; at++) k = k "\t" $part[at]
            return k
        }
        FNR == 1 { if (FNR == NR) head = $0; else same = $0 == head; next }
        FNR == NR { fresh[key()] = 1; next }
        same && !(key() in fresh)
    ' "$fresh" "$table" >"$table.kept"
    { head -1 "$fresh" && cat "$table.kept" && tail -n +2 "$fresh"; } >"$table.merged"
    mv "$table.merged" "$table"
    rm -f "$table.kept"
}
# Writes all results so far into the tables: after each stage, in case the call is stopped.
keep_tests() {
    merge "$tables/tests.tsv" "$new" 1 2
    awk -F '\t' 'FNR == NR { known[$1 FS $2] = 1; next } FNR == 1 || !(($1 FS $2) in known)' "$tables/tests.tsv" "$absent" \
        >"$scratch/first"
    merge "$tables/tests.tsv" "$scratch/first" 1 2
    awk -F '\t' 'NR > 1 { printf "%-9s %-5s %-19s %-4s %4d s  %-12s  %s\n", $1, $2, $3, $4, $5, substr($7, 1, 12), $6 }' \
        "$tables/tests.tsv" >"$tables/tests.txt"
}
# told FILE: a table with added columns for the origin of its rows.
told() {
    awk -F '\t' -v OFS='\t' -v more="$commit	$gpu	$driver	$date" '
        { print $0, NR == 1 ? "commit\tgpu\tdriver\tdate" : more }' "$1"
}

# ---- building ----

configure() { # FOLDER OPTION...
    local folder=$1
    shift
    cmake -S "$root" -B "$build/$folder" -DCMAKE_BUILD_TYPE=Release -DHEDDLE_CUDA=ON -DHEDDLE_HWLOC=OFF \
        -DCMAKE_CUDA_ARCHITECTURES="${ARCH:-native}" "$@"
}
make_in() { # FOLDER TARGETS: one target, because make goes through several one after the other
    configure "$1" -DHEDDLE_FMA="$([ "$1" = fma ] && echo ON || echo OFF)" -DHEDDLE_GPU_TARGETS="$2" &&
        cmake --build "$build/$1" --parallel "$jobs" --target gpu_wanted
}
export -f configure make_in
export root build jobs
build_all() { # of the stages that will run
    local target folder name all=()
    for name in "${running[@]}"; do
        # shellcheck disable=SC2206
        [ $form = long ] && all+=(${long_targets_of[$name]}) || all+=(${targets_of[$name]})
    done
    [ $whole = 0 ] || all+=(exact/heddle_cli) # prints what it finds of the machine
    for folder in exact fma; do
        target=$(printf '%s\n' "${all[@]}" | sed -n "s|^$folder/||p" | sort -u | paste -sd ';')
        [ -z "$target" ] || try build.$folder "$most_build" bash -c 'make_in "$@"' - $folder "$target"
    done
}

# ---- all of it ----

# shellcheck disable=SC2034 # for stages
tests=$build/exact/tests
running=()
logs=$build/logs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
new=$scratch/new absent=$scratch/absent # absent: too few GPUs; their rows do not replace those of a larger machine
printf '%s\n' 'stage	form	test	state	seconds	detail	commit	gpu	driver	date' | tee "$new" >"$absent"

if [ $dry = 0 ]; then
    for tool in cc nvcc cmake; do
        command -v $tool >/dev/null || { echo "skipped: no $tool here" && exit 77; }
    done
    mkdir -p "$tables" "$logs"
    out=$(cd "$out" && pwd) tables=$out/$short_gpu
    : >"$out/logs.txt"
    for file in "$root/bench/results/$short_gpu"/*.tsv; do
        [ ! -e "$file" ] || [ -e "$tables/${file##*/}" ] || cp "$file" "$tables"
    done
    machine >"$tables/machine.txt"
    cat "$tables/machine.txt"
fi
rows=$absent
for name in "${wanted[@]}"; do
    current=$name
    if [ "${gpus_of[$name]}" -gt "$n_gpus" ] && [ "$n_gpus$dry" != 01 ] && [ "$only" != build ]; then # a dry run without any shows all
        note "$name" skip 0 "needs $(gpus_text "${gpus_of[$name]}"), $n_gpus here"
    else
        running+=("$name")
    fi
done
rows=$new current=build
[ ${#running[@]} = 0 ] || [ "$only" = run ] || build_all
if [ "$only" = build ]; then
    ! grep -q FAIL "$new"
    exit
fi
if ! grep -q FAIL "$new"; then
    [ $dry = 1 ] || [ ! -x "$build/exact/heddle" ] ||
        "$build/exact/heddle" info 2>&1 | sed -n '/^devices/,/^$/p' >>"$tables/machine.txt"
    for name in "${running[@]}"; do
        current=$name begin=$SECONDS
        if [ $form = long ] && declare -F "${name}_long" >/dev/null; then
            "${name}_long"
        else
            "${name}_short"
            [ $((SECONDS - begin)) -le $most_short ] || echo "stage $name took $((SECONDS - begin)) s; a short form has $most_short"
        fi
        [ $dry = 1 ] || keep_tests
    done
fi
[ $dry = 0 ] || exit 0

keep_tests
# For readers: what is slower than in the kept tables.
kept=$root/bench/results/$short_gpu
if command -v python3 >/dev/null && [ -f "$root/bench/compare.py" ] && [ -d "$kept" ]; then
    echo "---- beside $kept:"
    python3 -B "$root/bench/compare.py" gate "$kept" "$tables" | grep -v 'not compared' | tail -n 30
fi
count() { cut -f4 "$new" "$absent" | grep -c "^$1"; }
echo "---- $(count pass) passed, $(count FAIL) failed, $(count skip) skipped, $SECONDS s, $((budget - SECONDS)) s left; $tables"
[ "$(count FAIL)" = 0 ] || exit 1
[ "$(count skip)" = 0 ] || exit 77
