# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# stream - heddle among other users of the GPU: streams, capture, several contexts; and what auto chooses.
stage stream 1 "exact/test_gpu_stream exact/test_gpu_choice"
stream_short() {
    try stream 60 "$tests/gpu/test_gpu_stream"
    try choice 60 "$tests/gpu/test_gpu_choice"
}
