# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# fault - bodies that fail, crash or do not end, limits, waits without end. Short: without the slow cases.
stage fault 1 exact/test_gpu_fault
fault_short() { try fault 60 "$tests/gpu/test_gpu_fault" --short; }
fault_long() { try fault 300 "$tests/gpu/test_gpu_fault"; }
