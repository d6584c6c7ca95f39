# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# stream - heddle beside other users of the GPU: streams, capture, several contexts; auto's choices; and a program with
# bodies that the GPU cannot run.
stage stream 1 "exact/test_gpu_stream exact/test_gpu_choice exact/heddle"
stream_short() {
    try stream 60 "$tests/gpu/test_gpu_stream"
    try choice 60 "$tests/gpu/test_gpu_choice"
    try readme 60 bash "$root/tests/checks/readme.sh" "$root" "$build/exact"
}
