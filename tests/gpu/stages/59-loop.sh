# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# loop - a GPU, and a quarter of it, as an accelerator of a fleet: spans of loops beside plain ones, with copies in and out in three
# queues; failures and refusals; how fast slices go through. Applications as loops on fleets with GPUs: the bytes of one thread.
# Wavefronts over quarters of a GPU, and over all GPUs.
# Long: random loops and devices in trouble beside a GPU, too; applications on everything; the figures of HDSS with the thesis' size, in
# OUT/GPU/hdss.
loop_checks="exact/test_gpu_accelerator exact/test_gpu_parts exact/test_apps_loops exact/test_front_same exact/test_front_trouble exact/test_front_calls"
stage loop 1 "$loop_checks" "$loop_checks exact/test_loop_same exact/test_loop_trouble exact/heddle_cli exact/heddle_figures"
loop_short() {
    try loop.accelerator 20 "$tests/gpu/test_gpu_accelerator"
    try loop.parts 20 "$tests/gpu/test_gpu_parts"
    try loop.apps 60 "$tests/test_apps_loops" --cuda
    try loop.front 40 "$tests/front/test_front_same" --cuda
    try loop.front_trouble 40 "$tests/front/test_front_trouble" --cuda
    try loop.front_calls 40 "$tests/front/test_front_calls" --cuda
}
loop_long() {
    local app figures=("$build/exact/heddle-figures" --figures hdss --runs 3 --out "$tables/hdss")
    [ "$dry" = 1 ] || mkdir -p "$tables/hdss"
    try loop.accelerator 20 "$tests/gpu/test_gpu_accelerator"
    try loop.parts 20 "$tests/gpu/test_gpu_parts"
    try loop.same 40 "$tests/loop/test_loop_same" --cuda
    try loop.trouble 40 "$tests/loop/test_loop_trouble" --cuda
    try loop.apps 40 "$tests/test_apps_loops" --cuda
    try loop.front 40 "$tests/front/test_front_same" --cuda
    try loop.front_trouble 40 "$tests/front/test_front_trouble" --cuda
    try loop.front_calls 40 "$tests/front/test_front_calls" --cuda
    for app in blackscholes histogram boxfilter ep mandel matmul hotspot; do
        try "loop.$app" 6 "$build/exact/heddle" run "$app/loop" --devices "cuda:* cpu:*"
    done
    # What a figure has no seconds for is a row that says so.
    try loop.alone 50 "${figures[@]}" --opt figures=alone --opt seconds=40
    try loop.ways 70 "${figures[@]}" --opt figures=ways --opt seconds=60
    try loop.cores 120 "${figures[@]}" --opt figures=cores --opt seconds=108
    try loop.fronts 80 "${figures[@]}" --opt figures=fronts --opt seconds=60
    try loop.blocks 15 "${figures[@]}" --opt figures=blocks --opt seconds=10
    try loop.chunks 50 "${figures[@]}" --opt figures=chunks --opt seconds=40
}
