# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# loop - a GPU, and a quarter of it, as an accelerator of a fleet: spans of loops beside plain ones, with copies in and out in three
# queues; failures and refusals; how fast slices go through. Applications as loops on fleets with GPUs: the bytes of one thread.
stage loop 1 "exact/test_gpu_accelerator exact/test_apps_loops"
loop_short() {
    try loop.accelerator 20 "$tests/gpu/test_gpu_accelerator"
    try loop.apps 60 "$tests/test_apps_loops" --cuda
}
