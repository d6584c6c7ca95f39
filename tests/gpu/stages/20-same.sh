# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# same - random graphs in every way: the bytes of the serial backend, each task once, order kept.
stage same 1 exact/test_gpu_same
same_short() { try same.graphs 60 "$tests/gpu/test_gpu_same" --graphs 1000 --seconds 15; }
same_long() { try same.graphs 580 "$tests/gpu/test_gpu_same" --graphs 100000 --seconds 400; }
