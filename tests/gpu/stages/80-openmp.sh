# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# openmp - heddle_openmp on a GPU. Long: programs translated by heddlec, here or elsewhere (EMITTED).
stage openmp 1 exact/test_gpu_openmp "exact/test_gpu_openmp exact/heddle_cli exact/heddle_openmp_static exact/heddlec"
openmp_short() { try openmp.runtime 60 "$tests/gpu/test_gpu_openmp"; }
openmp_long() {
    openmp_short
    local emitted=${EMITTED:-}
    if [ -z "$emitted" ] && [ -x "$build/exact/heddlec" ]; then
        emitted=$build/emitted
        try openmp.emit 120 bash "$root/tests/heddlec/emit.sh" "$build/exact/heddlec" cc "$root" "$emitted"
    fi
    if [ -z "$emitted" ] && [ "$dry" = 0 ]; then
        note openmp.programs skip 0 "neither libclang here nor EMITTED"
        return
    fi
    try openmp.programs 400 bash "$root/tests/heddlec/on_gpu.sh" "${emitted:-EMITTED}" "$build/exact" "$root" "$logs"
    [ "$dry" = 1 ] || [ ! -s "$logs/openmp.tsv" ] || told "$logs/openmp.tsv" >"$tables/openmp.tsv"
}
