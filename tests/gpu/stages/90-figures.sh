# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# figures - bench_gpu. Short: the cost of passing, spawning and freeing a task, with bodies that only take time. Long:
# all measurements (or those in FIGURES), with products and sums contracted (FMA).
stage figures 1 exact/bench_gpu fma/bench_gpu

# The rows with their figure: a figure ends with the row of its time. Rows of a figure that was cut off are left out.
named() {
    awk -F '\t' -v OFS='\t' -v more="$form	$commit	$gpu	$driver	$date" '
        /^#/ { next }
        !head++ { print $0, "run", "form", "commit", "gpu", "driver", "date"; next }
        { row[n++] = $0 }
        $1 == "bench" && $2 == "time taken" { for (i = 0; i < n; i++) print row[i], $3, more; n = 0 }' "$1"
}
figures_of() { # FOLDER SECONDS NAMES
    if "$build/$1/bench/bench_gpu" --list >/dev/null 2>&1 || [ "$dry" = 1 ]; then
        try figures $(($2 + 15)) "$build/$1/bench/bench_gpu" --out "$logs" --budget "$2" ${3:+--only "$3"}
    else
        note figures FAIL 0 "there is no bench_gpu"
    fi
    [ "$dry" = 0 ] && [ -s "$logs/figures.tsv" ] || return 0
    named "$logs/figures.tsv" >"$logs/figures.named.tsv"
    merge "$tables/figures.tsv" "$logs/figures.named.tsv" 9 10
}
figures_short() { figures_of exact 14 hop,kept,free,wave,spawn; }
figures_long() { figures_of fma $((budget - SECONDS - 20)) "${FIGURES:-}"; }
