#!/bin/sh
# SPDX-License-Identifier: MIT
# gpu_core.sh [OUT] - builds tests/litmus for this machine's GPU with cc and nvcc alone, runs it, and leaves OUT/core.txt
# (default: build/gpu) with the machine on top. Within three minutes. Exit status 77: compiled, but no GPU here.
# SECONDS_OF_TRIALS (40): time for the message-passing trials. ARCH (sm_90): what nvcc compiles for. COMMIT: what is
# built, where there is no git.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/gpu}
arch=${ARCH:-sm_90}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }

facts() {
    echo "date $(date -u +%Y-%m-%dT%H:%MZ)"
    echo "commit ${COMMIT:-$(git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)}"
    nvcc --version | grep release
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo "no nvidia-smi"
    uname -sr
}

for f in base/alloc base/clock base/list base/status graph/graph graph/range graph/rank graph/freeze; do
    cc -std=c11 -D_GNU_SOURCE -O2 -I"$root/include" -I"$root/src" -c "$root/src/$f.c" -o "$work/$(basename $f).o"
done
cc -std=c11 -D_GNU_SOURCE -O2 -I"$root/include" -I"$root/src" -c "$root/tests/litmus/graphs.c" -o "$work/graphs.o"
nvcc -std=c++17 -O2 -arch="$arch" -fmad=false -I"$root/include" "$root/tests/litmus/core_gpu.cu" "$work"/*.o \
    -o "$work/core_gpu" -lpthread

facts >"$out/core.txt"
status=0
CUDA_MODULE_LOADING=EAGER timeout 150 "$work/core_gpu" "${SECONDS_OF_TRIALS:-40}" >>"$out/core.txt" 2>&1 || status=$?
[ $status -ne 124 ] || echo "FAILED: stopped after 150 s" >>"$out/core.txt"
cat "$out/core.txt"
exit $status
