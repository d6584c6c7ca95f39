# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# loop - a GPU, and a quarter of it, as an accelerator of a fleet: spans of loops beside plain ones, with copies in and out in three
# queues; failures and refusals; how fast slices go through.
stage loop 1 "exact/test_gpu_accelerator"
loop_short() {
    try loop.accelerator 20 "$tests/gpu/test_gpu_accelerator"
}
