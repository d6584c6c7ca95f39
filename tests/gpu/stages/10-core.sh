# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# core - the core alone, with kernels of its own: message passing (seconds), then graphs.
stage core 1 exact/test_gpu_core
core_short() { CUDA_MODULE_LOADING=EAGER try core 60 "$tests/gpu/test_gpu_core" 3; }
core_long() { CUDA_MODULE_LOADING=EAGER try core 580 "$tests/gpu/test_gpu_core" 300; }
