# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# beside - behaviour of CUDA calls beside a resident kernel: a measurement, no test (doc/cuda-beside.md has the rows).
stage beside 1 exact/gpu_beside
beside_short() {
    try beside 60 "$tests/gpu/gpu_beside" "$logs/beside.tsv"
    [ "$dry" = 0 ] && [ -s "$logs/beside.tsv" ] || return 0
    told "$logs/beside.tsv" >"$tables/beside.tsv"
    awk -F '\t' 'NR > 1 {
        how = $3 ? "waits" : sprintf("returns, %.2f ms", $4)
        if ($2 == 1) first[$1] = how
        else printf "| %s | %s | %s |\n", $1, first[$1], how
    }' "$logs/beside.tsv" >"$logs/beside.md"
}
