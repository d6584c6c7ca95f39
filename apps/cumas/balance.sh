#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# balance.sh PROGRAMS MIX - prints the mix with other --work, so that the kernels of each program take as many ms on this GPU as
# its line says behind the #. PROGRAMS is the folder of the executables. Exit status 0, or that of the program that failed.
set -euo pipefail
programs=$1 mix=$2
while IFS= read -r line; do
    if [[ $line =~ ^([^ #]+)( .*)?\ \#\ ([0-9.]+)\ ms$ ]]; then
        name=${BASH_REMATCH[1]} ms=${BASH_REMATCH[3]}
        work=$(timeout 60 "$programs/$name" --calibrate "$ms") || exit $?
        line="$name --work $(cut -f 3 <<<"$work") # $ms ms"
    fi
    printf '%s\n' "$line"
done <"$mix"
