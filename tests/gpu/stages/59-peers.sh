# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# peers - queues that wait for one another without the host, and copies between memories: four parts of a GPU, two GPUs, four. What this
# machine has too few of is skipped, with a row. Long: under memcheck, too.
stage peers 1 exact/test_gpu_peers
peers_short() {
    try peers.parts 20 "$tests/gpu/test_gpu_peers" 1
    try peers.2 20 "$tests/gpu/test_gpu_peers" 2
    try peers.4 20 "$tests/gpu/test_gpu_peers" 4
}
peers_long() {
    peers_short
    if [ "$dry" = 1 ] || command -v compute-sanitizer >/dev/null; then
        for n in 1 2; do
            try "peers.memcheck.$n" 120 compute-sanitizer --tool memcheck --error-exitcode 99 "$tests/gpu/test_gpu_peers" $n
        done
    else
        note peers.memcheck skip 0 "no compute-sanitizer here"
    fi
}
