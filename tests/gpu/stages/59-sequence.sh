# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# sequence - sequences of jobs as CUDA graphs: on a GPU, on parts of it, on all GPUs. Long: under memcheck, too, and what a step takes.
stage sequence 1 exact/test_multi_sequence
sequence_short() {
    try sequence 60 "$tests/multi/test_multi_sequence" --cuda
}
sequence_long() {
    sequence_short
    try sequence.time.one 60 "$tests/multi/test_multi_sequence" --time cuda:0 8192 500
    try sequence.time.parts 60 "$tests/multi/test_multi_sequence" --time '4*cuda:0/4' 8192 500
    try sequence.time.all 60 "$tests/multi/test_multi_sequence" --time 'cuda:*' 8192 500
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        try sequence.memcheck 300 env HEDDLE_ROUNDS=1 compute-sanitizer --tool memcheck --error-exitcode 99 \
            "$tests/multi/test_multi_sequence" --cuda
    else
        note sequence.memcheck skip 0 "no compute-sanitizer here"
    fi
}
