# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# soak - spawned tasks, none lost, none twice. Long: some 10^10 of them.
stage soak 1 exact/test_spawn_soak
soak_short() { try spawn.soak 60 "$tests/spawn/test_spawn_soak" cuda 8 60000000; }
soak_long() { try spawn.soak 580 "$tests/spawn/test_spawn_soak" cuda 300 60000000; }
