#!/bin/sh
# SPDX-License-Identifier: MIT
# install-baselines.sh - provides the libraries with which `make bench-overhead` compares heddle: libgomp comes with
# gcc, libomp needs clang, StarPU its development package; the driver is Python. On Debian and its relatives it installs
# missing packages, as root or with passwordless sudo; otherwise it prints the command. Never fails: the bench skips
# what is missing, visibly.
set -u

has_header() { printf '#include <%s>\n' "$2" | "$1" -fopenmp -E -x c - >/dev/null 2>&1; }

missing=
command -v gcc >/dev/null || missing="$missing gcc"
command -v python3 >/dev/null || missing="$missing python3"
command -v pkg-config >/dev/null || missing="$missing pkg-config"
if ! command -v clang >/dev/null; then
    missing="$missing clang libomp-dev"
elif ! has_header clang omp.h; then
    missing="$missing libomp-dev"
fi
pkg-config --exists starpu-1.3 2>/dev/null || missing="$missing libstarpu-dev"
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "bench: not here:$missing (by their Debian names); what needs them is skipped" >&2
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "bench: not here:$missing; what needs them is skipped. To install them:" >&2
    echo "    sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 0
fi
echo "bench: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# One by one, so that a package that this release lacks does not prevent the others.
for package in $missing; do
    $as_root apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1 ||
        { $as_root apt-get update >/dev/null 2>&1 &&
            $as_root apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1; } ||
        echo "bench: could not install $package" >&2
done
exit 0
