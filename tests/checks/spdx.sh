#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# spdx.sh - every source file names its licence in its first line (a script in its second), then its purpose.
. "$(dirname "$0")/common.sh"

project_files '*.c' '*.h' '*.cu' '*.cpp' '*.cmake' '*.sh' '*.in' CMakeLists.txt Makefile run | while read -r file; do
    case $file in
    *.in) [[ $file == *.cmake.in ]] || continue ;;
    run) ;;
    esac
    awk -v file="$file" '
        FNR == 1 && /^#!/ { shift_by = 1; next }
        FNR == 1 + shift_by && !/^(\/\*|#) SPDX-License-Identifier: MIT( \*\/)?$/ { print file ":" FNR ": no SPDX line"; bad = 1 }
        FNR == 2 + shift_by && file ~ /\.(c|h|cu|cpp)$/ && !/^\/\*/ && !bad { print file ":" FNR ": does not say what it is for" }
        FNR > 2 + shift_by { exit }' "$file"
done >"$scratch/bad"
report "$scratch/bad"
