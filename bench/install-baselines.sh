#!/bin/sh
# SPDX-License-Identifier: MIT
# install-baselines.sh - makes the libraries present that `make bench-overhead` compares heddle with: libgomp comes
# with gcc, libomp needs clang, StarPU its development package; the driver is Python. On Debian and its relatives
# missing packages are installed, as root or with passwordless sudo; else the command to type is printed. Never fails:
# what stays missing is skipped by the bench, visibly.
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
# One by one: a package that this release does not have must not keep the others away.
for package in $missing; do
    $as_root apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1 ||
        { $as_root apt-get update >/dev/null 2>&1 &&
            $as_root apt-get install -y --no-install-recommends "$package" >/dev/null 2>&1; } ||
        echo "bench: could not install $package" >&2
done
exit 0
