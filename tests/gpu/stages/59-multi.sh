# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# multi - jobs: random programs on one GPU, on parts of it with pools from just enough upwards, and on all GPUs; beside loops and wavefronts; bodies
# that fail and devices that are lost beside a GPU; cuBLAS in jobs; memcheck of random programs. Where there is one GPU, a row says
# that nothing went from GPU to GPU. Long: more programs, and applications as jobs, also by the command.
multi_checks="exact/test_multi_same exact/test_multi_beside exact/test_multi_trouble exact/test_apps_jobs"
stage multi 1 "$multi_checks exact/heddle_cli" "$multi_checks exact/heddle_cli"
multi_memcheck() { # ROUNDS LIMIT
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        try multi.memcheck "$2" env HEDDLE_ROUNDS="$1" compute-sanitizer --tool memcheck --error-exitcode 99 "$tests/multi/test_multi_same" --cuda
    else
        note multi.memcheck skip 0 "no compute-sanitizer here"
    fi
}
multi_short() {
    [ "$n_gpus" -gt 1 ] || note multi.all skip 0 "1 GPU here: devices are its parts"
    try multi.same 20 env HEDDLE_ROUNDS=2 "$tests/multi/test_multi_same" --cuda
    try multi.beside 20 env HEDDLE_ROUNDS=2 "$tests/multi/test_multi_beside" --cuda
    try multi.trouble 20 "$tests/multi/test_multi_trouble" --cuda
    try multi.cublas 10 "$build/exact/heddle" run matmul/jobs -n 1024 --opt body=library --devices "cuda:*" --stats
    multi_memcheck 1 40
}
multi_long() {
    local app
    [ "$n_gpus" -gt 1 ] || note multi.all skip 0 "1 GPU here: devices are its parts"
    try multi.same 60 env HEDDLE_ROUNDS=20 "$tests/multi/test_multi_same" --cuda
    try multi.beside 60 env HEDDLE_ROUNDS=20 "$tests/multi/test_multi_beside" --cuda
    try multi.trouble 20 "$tests/multi/test_multi_trouble" --cuda
    try multi.apps 150 "$tests/test_apps_jobs" --cuda
    for app in blackscholes histogram boxfilter ep mandel matmul hotspot; do
        try "multi.$app" 10 "$build/exact/heddle" run "$app/jobs" --devices "cuda:*" --stats
        try "multi.$app.parts" 10 "$build/exact/heddle" run "$app/jobs" --devices "4*cuda:0/4" --stats
    done
    try multi.cublas 20 "$build/exact/heddle" run matmul/jobs -n 4096 --opt body=library --devices "cuda:*" --stats
    try multi.small 20 "$build/exact/heddle" run matmul/jobs -n 4096 --devices "cuda:0" --pool 40000000 --stats
    multi_memcheck 3 120
}
