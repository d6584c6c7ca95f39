# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# spawn - tasks that spawn tasks: order among siblings, refusals, the apps that do it.
stage spawn 1 "exact/test_spawn_siblings exact/test_spawn_misuse exact/test_apps_spawned"
spawn_short() {
    try spawn.siblings 60 "$tests/spawn/test_spawn_siblings" --cuda
    try spawn.misuse 30 "$tests/spawn/test_spawn_misuse" --cuda
    try spawn.apps 100 "$tests/test_apps_spawned" --cuda
}
