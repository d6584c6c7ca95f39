#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rings.sh SOURCE_DIR BUILD_DIR [FOLDER...] - no files of a folder need each other, by the symbols of the built objects
# (rings.py): each file can be read, tested and moved with those below it. Apps, tools, benches and examples use no
# internal name of the library: heddle/body.h has public ones for bodies. Tools may use the file writer. heddlec may
# write its own hd_ names into programs, unless a header of the library has them.
. "$(dirname "$0")/common.sh"
build=$2
shift 2

command -v python3 >/dev/null || skip "no python3 here"
command -v nm >/dev/null || skip "no nm here"
python3 tests/checks/rings.py "$build" "$@" >"$scratch/bad"

# Macros and functions of core and of the other headers.
taken=$(cat include/heddle/*.h include/heddle/core/*.h include/heddle/core/baselines/*.h | grep -oE '#define HD_\w+|\bHD_(SELDOM_)?FN [^;({=]*\(' |
    grep -oE '\b(hd|HD)_\w+' | sort -u | paste -sd'|')
project_files '*.c' '*.h' '*.cu' '*.cpp' | grep -E '^(apps|tools|bench|examples)/' >"$scratch/files"
{
    grep -v '^tools/heddlec/' "$scratch/files" | xargs grep -nHoE '\b(hd|HD)_\w+' |
        grep -vE '^tools/.*:hd_(error|files?_(check|save|discard))$' || true
    grep '^tools/heddlec/' "$scratch/files" | xargs grep -nHoE "\b($taken)\b" || true
    xargs grep -nHoE '#include "heddle/core/[a-z_/]+\.h"' <"$scratch/files" || true # layers.sh does not read CUDA files
} | sort -u | sed -E 's/^([^:]+:[0-9]+):(.*)/\1: \2 is a name of the inside of the library/' >>"$scratch/bad"
report "$scratch/bad"
