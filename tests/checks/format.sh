#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# format.sh - clang-format 14 must change nothing; --write applies its changes. Other versions format differently and
# are skipped.
. "$(dirname "$0")/common.sh"

tool=$(command -v clang-format-14 || command -v clang-format) || skip "no clang-format here"
version=$("$tool" --version | sed -E 's/.*version ([0-9]+).*/\1/')
[ "$version" = 14 ] || skip "clang-format is version $version, not 14"

mode=(--dry-run -Werror)
[ "${2:-}" = --write ] && mode=(-i)
project_files '*.c' '*.h' '*.cu' '*.cpp' | xargs "$tool" "${mode[@]}" || exit 1
