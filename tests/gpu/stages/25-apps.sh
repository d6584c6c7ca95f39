# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# apps - every app in every way: the bytes of the serial backend. Short: five of eight sizes.
stage apps 1 exact/test_gpu_apps
apps_short() { try same.apps 60 "$tests/gpu/test_gpu_apps" --sizes 5; }
apps_long() { try same.apps 580 "$tests/gpu/test_gpu_apps"; }
