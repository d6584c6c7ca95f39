#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gate.sh [--build | --measure] [TREE...] - measures what changes of the scheduler must reach and keep, for one tree of
# heddle (default: this one) or several, say before and after, in one call on one GPU. Prints TSV: measure, unit,
# target, a value per tree, reached (by the last tree; targets with `first` compare it with the first). Each tree's own
# bench_gpu measures, with its own settings; the best one counts. --build only builds, --measure uses what is built.
#
# A tree takes some 80 s to build with 16 cores and 150 s to measure. Needs cc, nvcc, CMake and a GPU; without a GPU
# only nvcc is measured, and the other rows have `-`. bfs reads HEDDLE_DATA/bfs/malta_streets.graph.
#
# Exit status: 0 all targets that were measured are reached, 1 some are not, 2 a tree cannot be built or measured.
#
# ARCH (native), JOBS (all cores), BUDGET (190: seconds of bench_gpu per tree), BUILD (build-gate: folder in each tree)
# RESULTS  folder for TREE-NUMBER.tsv: all rows of bench_gpu
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
step=all
case ${1-} in --build | --measure) step=${1#--} && shift ;; -*) echo "gate.sh: unknown option $1" >&2 && exit 2 ;; esac
[ $# -gt 0 ] || set -- "$here"
results=${RESULTS:-$(mktemp -d)}
[ -n "${RESULTS-}" ] || trap 'rm -rf "$results"' EXIT
mkdir -p "$results"
results=$(cd "$results" && pwd)
trees=()
for tree; do
    trees+=("$(cd "$tree" && pwd)") || { echo "gate.sh: $tree: there is no such tree" >&2 && exit 2; }
done
set -- "${trees[@]}"
exec </dev/null
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000}

# ---- names that differ between trees: of each list, the first one in a tree's rows ----

figures=kept,wave,free,uneven,spawn,uts,heat2d,bfs,apps-s
dynamic='dynamic ticket' # the product's dynamic way
chained='dynamic lf'     # the same, for chains
spawned='dynamic .*'     # the same, for tasks that spawn
planned='(plan|static)'
launches='(levels|(cuda)?graph|(cuda)?graph[+]pdl)(/by-body)?'
baselines='central scheduler/al scheduler/ts scheduler/rr scheduler/lf scheduler/lrr scheduler/grr lf al ts rr lrr grr'
kernel='hd_persistent' # part of the resident kernels' names
plain_table=examples/03_own_bodies/bodies.c # a user's table without spawners, and one with
spawner_table=examples/05_spawn/bodies.c

# ---- building and measuring ----

build() { # TREE
    local folder=$1/${BUILD:-build-gate}
    cmake -S "$1" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DHEDDLE_CUDA=ON -DHEDDLE_FMA=ON -DHEDDLE_TESTS=OFF -DHEDDLE_TOOLS=ON \
        -DHEDDLE_HWLOC=OFF -DHEDDLE_JANSSON=OFF -DHEDDLE_LIBCRYPTO=OFF -DHEDDLE_HEDDLEC=OFF \
        -DCMAKE_CUDA_ARCHITECTURES="${ARCH:-native}" &&
        cmake --build "$folder" --parallel "${JOBS:-$(nproc)}" --target bench_gpu
}
measure() { # TREE NUMBER
    local folder=$1/${BUILD:-build-gate} out=$results/$2
    mkdir -p "$out"
    "$folder/bench/bench_gpu" --out "$out" --only "$figures" --budget "${BUDGET:-190}" >"$out/log" 2>&1
    local status=$?
    if [ $status -gt 1 ] || [ ! -s "$out/figures.tsv" ]; then
        tail -3 "$out/log"
        return 1
    fi
    [ $status = 0 ] || { echo "gate.sh: $1: bench_gpu met wrong results or runs that ended badly:" && grep -a ' failed ' "$out/log"; }
    grep -v '^#' "$out/figures.tsv" >"$results/tree-$2.tsv"
}
# Compiles a table as a user does: seconds, and the number of kernels. Rows `nvcc` beside those of bench_gpu.
compile() { # TREE NUMBER NAME FILE
    local begin=$EPOCHREALTIME said
    said=$(cd "$1" && nvcc -x cu -std=c++17 -O3 -arch=sm_90 -Xptxas -v -Iinclude -c "$4" -o "$results/table.o" 2>&1) || {
        tail -3 <<<"$said" >&2
        return 1
    }
    awk -v a="$begin" -v b="$EPOCHREALTIME" -v name="$3" -v kernel="$kernel" '
        /Compiling entry function/ { n++; if ($0 ~ kernel) stay++ }
        END {
            printf "nvcc\t%s\ttime\t%.1f\ts\t1\t0\t\n", name, b - a
            printf "nvcc\t%s\tkernels that stay\t%d\tkernels\t1\t0\t\n", name, stay
            printf "nvcc\t%s\tkernels\t%d\tkernels\t1\t0\t\n", name, n
        }' <<<"$said" >>"$results/tree-$2.tsv"
}

# ---- values from the rows; each function prints a number, or `-` ----

# best less|more TABLE FIGURE NAMES VARIANT UNIT: over rows of the first of NAMES with any (whole fields).
best() {
    local way=$1 table=$2 figure=$3 variant=$5 unit=$6 name got
    set -f
    for name in $4; do
        got=$(awk -F '\t' -v way="$way" -v f="$figure" -v s="^($name)$" -v v="^($variant)$" -v u="$unit" '
            $1 == f && $2 ~ s && $3 ~ v && $5 == u && $4 ~ /^[0-9.e+-]+$/ && $4 > 0 {
                if (!n++ || (way == "less" ? $4 + 0 < best + 0 : $4 + 0 > best + 0)) best = $4
            }
            END { if (n) print best }' "$table")
        [ -z "$got" ] || break
    done
    set +f
    echo "${got:--}"
}
calc() { # EXPRESSION of a and b, A [B]: `-` if one is unknown
    [[ " $2 ${3-} " != *" - "* ]] || { echo - && return; }
    awk -v a="$2" -v b="${3-0}" "BEGIN { printf \"%.4g\n\", $1 }"
}
# over TABLE NAMES [profiled]: uneven lu32, the best of launches over the best of NAMES; the median over the seeds.
over() {
    local seed us
    for seed in 1 2 3 4 5; do
        us=$(best less "$1" uneven "$2" "lu32 seed $seed ${3:+$3 }(w.*|auto|[0-9].*)" us)
        calc a/b "$(best less "$1" uneven "$launches" "lu32 seed $seed (w.*|auto)" us)" "$us"
    done | grep -v -- - | sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'
}
# The default setting's excess over the best of the same name.
default_over_best() { # TABLE FIGURE NAMES VARIANT UNIT
    calc a/b "$(best less "$1" "$2" "$3" "$4 auto" "$5")" "$(best less "$1" "$2" "$3" "$4 .*" "$5")"
}
goal() { # TABLE SUBJECT
    awk -F '\t' -v s="$2" '$1 == "goal" && $2 == s && $4 ~ /^[0-9.]+/ { v = $4 } END { print v ? v : "-" }' "$1"
}
# From a spawn to the start, if hardly any relay stays with its worker.
to_start() { # TABLE
    awk -F '\t' '$1 == "spawn" && $3 ~ /^start on another/ {
            if ($5 == "us") us[$2 FS $3] = $4
            if ($5 == "%" && $4 >= 90) { v = us[$2 FS $3]; if (v > 0 && (!n++ || v < best)) best = v }
        }
        END { print n ? best : "-" }' "$1"
}

row() { printf '%s\t%s\t%s\t%s\n' "$@"; } # MEASURE UNIT TARGET VALUE
rows() { # TABLE
    local t=$1 us name
    for us in 0 1 5; do
        row "wave72 dynamic, $us us bodies" us/level '<= 1.65' "$(best less "$t" wave72 "$dynamic" "${us}us .*" us/level)"
        row "wave72 dynamic, $us us bodies, default over best" x '<= 1.1' \
            "$(default_over_best "$t" wave72 "$dynamic" "${us}us" us/level)"
    done
    row 'uneven lu32, dynamic, no profile, over the best of launches and graphs' x '>= 2.05' "$(over "$t" "$dynamic")"
    row 'spawn to start on another worker' us '<= 1.4' "$(to_start "$t")"
    row 'spawned empty tasks, binary tree of 2^23' Mtasks/s '>= 1500' "$(best more "$t" spawn "$spawned" 'binary tree .*' Mtasks/s)"
    row 'spawned empty tasks, fans of 256' Mtasks/s - "$(best more "$t" spawn "$spawned" 'empty child .*' Mtasks/s)"
    row 'chain, dynamic' us '<= 0.55' "$(best less "$t" hop-kept "$chained" 'chain .*' us)"
    row 'static: hop-kept' us 'first + 3 %' "$(best less "$t" hop-kept "$planned" 'chain w1' us)"
    for us in 1 5; do
        row "static: wave72, $us us bodies" us/level 'first + 3 %' "$(best less "$t" wave72 "$planned" "${us}us .*" us/level)"
    done
    row 'static: free tasks' Gtasks/s 'first - 3 %' "$(calc 200/a "$(best less "$t" free "$planned" '200000 empty .*' us)")"
    row 'static: uneven lu32 over the best of launches and graphs' x 'first - 3 %' "$(over "$t" "$planned")"
    row 'static: the same, profiled' x 'first - 3 %' "$(over "$t" "$planned" profiled)"
    row 'uts T1L' ms '<= 6' "$(calc a/1000 "$(best less "$t" uts '.*' 'T1L .*' us)")"
    row 'bfs malta_streets over level by level' x '>= 1.40' "$(goal "$t" 'malta_streets, best policy over the best level by level')"
    row 'heat2d over central' x '>= 2.2' "$(goal "$t" '8192 256x256, best policy over central')"
    for name in $baselines; do
        row "heat2d, $name" us 'first + 5 %' "$(best less "$t" heat2d "$name" '.*' us)"
    done
    row 'auto over the best of all ways, seven apps, S, the worst' x '>= 0.97' "$(goal "$t" 'apps S, auto within 3 % of the best, worst')"
    row 'nvcc, table plain' s '<= 8' "$(best less "$t" nvcc plain time s)"
    row 'nvcc, table spawners' s '<= 12' "$(best less "$t" nvcc spawners time s)"
    for name in plain spawners; do
        row "kernels that stay, table $name" kernels '<= 4' "$(best less "$t" nvcc $name 'kernels that stay' kernels)"
        row "all kernels, table $name" kernels - "$(best less "$t" nvcc $name kernels kernels)"
    done
}

# ---- all trees ----

number=0
for tree; do
    number=$((number + 1))
    if [ "$step" = build ] || { [ "$step" = all ] && command -v nvidia-smi >/dev/null; }; then
        build "$tree" >"$results/build-$number.log" 2>&1 || {
            tail -5 "$results/build-$number.log" >&2
            echo "gate.sh: $tree cannot be built" >&2
            exit 2
        }
        echo "gate.sh: $tree: built, $SECONDS s since the start" >&2
    fi
done
[ "$step" != build ] || exit 0
number=0 tables=()
for tree; do
    number=$((number + 1))
    tables+=("$results/rows-$number")
    : >"$results/tree-$number.tsv"
    if [ -x "$tree/${BUILD:-build-gate}/bench/bench_gpu" ]; then
        measure "$tree" $number >&2 || { echo "gate.sh: $tree: bench_gpu has not measured" >&2 && exit 2; }
        echo "gate.sh: $tree: measured, $SECONDS s since the start" >&2
    else
        echo "gate.sh: $tree: no GPU here, or nothing built: only nvcc is measured" >&2
    fi
    compile "$tree" $number plain $plain_table && compile "$tree" $number spawners $spawner_table || exit 2
    rows "$results/tree-$number.tsv" >"$results/rows-$number"
done

awk -F '\t' -v n=$number '
    FNR == 1 { tree++ }
    { value[tree, FNR] = $4; if (tree == 1) { head[FNR] = $1 "\t" $2 "\t" $3; target[FNR] = $3; n_rows = FNR } }
    function reached(i,   v, first, part) {
        v = value[n, i]
        first = value[1, i]
        split(target[i], part, " ")
        if (v == "-" || target[i] == "-" || (part[1] == "first" && (n == 1 || first == "-"))) return "-"
        if (part[1] == "<=") return v + 0 <= part[2] + 0 ? "yes" : "no"
        if (part[1] == ">=") return v + 0 >= part[2] + 0 ? "yes" : "no"
        return part[2] == "+" ? (v <= first * (1 + part[3] / 100) ? "yes" : "no") : (v >= first * (1 - part[3] / 100) ? "yes" : "no")
    }
    END {
        printf "measure\tunit\ttarget"
        for (t = 1; t <= n; t++) printf "\ttree %d", t
        print "\treached"
        for (i = 1; i <= n_rows; i++) {
            line = head[i]
            for (t = 1; t <= n; t++) line = line "\t" value[t, i]
            print line "\t" reached(i)
            bad += reached(i) == "no"
        }
        exit bad > 0
    }' "${tables[@]}"
