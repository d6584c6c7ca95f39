#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# task_bench_original.sh PROGRAM - the driver for the original Task Bench's interface, with heddle's patterns behind it:
# each pattern runs right beside another one, also when rerun; an unknown pattern is the interface's error.
set -eu
patterns=(trivial no_comm stencil_1d stencil_1d_periodic dom tree fft all_to_all nearest spread random_nearest)
for i in "${!patterns[@]}"; do
    other=${patterns[(i + 3) % ${#patterns[@]}]}
    [ "$("$1" "${patterns[i]}" "$other")" = "right: each task 1 times" ] || { echo "${patterns[i]} beside $other" && exit 1; }
    [ "$("$1" "${patterns[i]}" "$other" -again)" = "right: each task 2 times" ] || { echo "$other again" && exit 1; }
done
! "$1" star dom 2>/dev/null
