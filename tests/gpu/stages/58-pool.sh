# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# pool - tasks spawned from the host, as launches: every call, refusals, random programs beside plain loops. Long: more programs, and
# every call under compute-sanitizer.
stage pool 1 "exact/test_pool_calls exact/test_pool_same exact/test_pool_refused"
pool_short() {
    try pool.calls 20 "$tests/pool/test_pool_calls" --cuda
    try pool.refused 10 "$tests/pool/test_pool_refused" --cuda
    try pool.same 20 "$tests/pool/test_pool_same" --cuda
}
pool_long() {
    try pool.calls 20 "$tests/pool/test_pool_calls" --cuda
    try pool.refused 10 "$tests/pool/test_pool_refused" --cuda
    try pool.same 200 env HEDDLE_PROGRAMS=4000 "$tests/pool/test_pool_same" --cuda
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        try pool.memcheck 60 compute-sanitizer --tool memcheck --error-exitcode 1 "$tests/pool/test_pool_calls" --cuda
    else
        note pool.memcheck skip 0 "no compute-sanitizer here"
    fi
}
