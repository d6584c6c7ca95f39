#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# needs.sh - provides what the build needs. It installs what is missing with apt-get, as root or through passwordless
# sudo; otherwise it prints the command and returns 1. At the end it lists what the build will have to leave out.
set -euo pipefail

missing=()
need() { # PACKAGE COMMAND...: the package is missing if the command fails
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
cmake_is_new() { cmake --version | awk 'NR == 1 { split($3, v, "."); exit !(v[1] > 3 || v[1] == 3 && v[2] >= 25) }'; }
has_libclang() { # with its header and the clang of the same version, for tools/heddlec
    local llvm
    for llvm in /usr/lib/llvm-*; do
        [ -f "$llvm/include/clang-c/Index.h" ] && [ -e "$llvm/lib/libclang.so" ] && [ -x "$llvm/bin/clang" ] && return 0
    done
    return 1
}

probe() {
    missing=()
    need build-essential sh -c 'command -v cc && command -v c++'
    need cmake cmake_is_new
    need pkg-config command -v pkg-config
    need libjansson-dev pkg-config --exists 'jansson >= 2.9'
    need libssl-dev pkg-config --exists libcrypto
    need libhwloc-dev pkg-config --exists 'hwloc >= 2.0' # optional, but easy to have
    need libclang-dev has_libclang # heddlec
    need clang has_libclang
    need python3 command -v python3 # reads JSON in the tests
}

as_root=()
may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] && return 0
    as_root=(sudo)
    sudo -n true 2>/dev/null
}

probe
if [ ${#missing[@]} -gt 0 ]; then
    if ! may_install; then
        echo "heddle needs packages that are not here. Please run:"
        echo "    sudo apt-get install --no-install-recommends ${missing[*]}"
        exit 1
    fi
    echo "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
    probe
    if [ ${#missing[@]} -gt 0 ]; then
        echo "still missing after the installation: ${missing[*]}"
        exit 1
    fi
fi

command -v nvcc >/dev/null || echo "left out: compiling bodies as CUDA (no nvcc here)"
command -v nvidia-smi >/dev/null || echo "left out: GPUs (none here); tasks run on CPU threads"
