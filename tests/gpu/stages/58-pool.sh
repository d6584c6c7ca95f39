# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# pool - tasks spawned from the host, in all modes: every call, refusals, random programs beside plain loops, by handles and by ranges,
# with copies of host memory; promises, events and streams; the choice of a mode; and what a trace tells
# of such programs.
# Long: more programs, and every call under compute-sanitizer; rates and latencies beside a kernel for each task.
pool_checks="exact/test_pool_calls exact/test_pool_same exact/test_pool_ranges exact/test_pool_copies exact/test_pool_promise
exact/test_pool_auto exact/test_pool_trace exact/test_pool_refused exact/test_pool_soak exact/test_apps_apart"
stage pool 1 "$pool_checks" "$pool_checks exact/heddle_cli"
pool_short() {
    try pool.calls 20 "$tests/pool/test_pool_calls" --cuda
    try pool.refused 10 "$tests/pool/test_pool_refused" --cuda
    try pool.same 20 env HEDDLE_PROGRAMS=80 "$tests/pool/test_pool_same" --cuda
    try pool.ranges 20 "$tests/pool/test_pool_ranges" --cuda
    try pool.copies 20 "$tests/pool/test_pool_copies" --cuda
    try pool.promise 20 "$tests/pool/test_pool_promise" --cuda
    try pool.auto 20 "$tests/pool/test_pool_auto" --cuda
    try pool.trace 20 "$tests/pool/test_pool_trace" --cuda
    try pool.apps 30 "$tests/test_apps_apart" --cuda
    try pool.soak 20 env HEDDLE_STARTS=3000 "$tests/pool/test_pool_soak" --cuda
}
pool_long() {
    try pool.calls 20 "$tests/pool/test_pool_calls" --cuda
    try pool.refused 10 "$tests/pool/test_pool_refused" --cuda
    try pool.speed 90 "$build/exact/heddle" bench spawn --runs 7 --tsv "$logs/pool.tsv"
    [ "$dry" = 1 ] || [ ! -s "$logs/pool.tsv" ] || told "$logs/pool.tsv" >"$tables/pool.tsv"
    try pool.soak 150 env HEDDLE_TASKS=1000000000 HEDDLE_STARTS=100000 "$tests/pool/test_pool_soak" --cuda
    try pool.same 200 env HEDDLE_PROGRAMS=1200 "$tests/pool/test_pool_same" --cuda
    try pool.ranges 90 env HEDDLE_PROGRAMS=600 "$tests/pool/test_pool_ranges" --cuda
    try pool.copies 60 env HEDDLE_PROGRAMS=400 "$tests/pool/test_pool_copies" --cuda
    try pool.promise 20 "$tests/pool/test_pool_promise" --cuda
    try pool.auto 20 "$tests/pool/test_pool_auto" --cuda
    try pool.apps 60 "$tests/test_apps_apart" --cuda
    try pool.trace 60 env HEDDLE_PROGRAMS=600 "$tests/pool/test_pool_trace" --cuda
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        try pool.memcheck 90 compute-sanitizer --tool memcheck --error-exitcode 1 "$tests/pool/test_pool_calls" --cuda
    else
        note pool.memcheck skip 0 "no compute-sanitizer here"
    fi
}
