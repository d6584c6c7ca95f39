# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# large - every app on a gigabyte or more, checked; large copies.
stage large 1 exact/test_gpu_large
large_short() { try large 90 "$tests/gpu/test_gpu_large"; }
