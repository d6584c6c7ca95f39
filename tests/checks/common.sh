# SPDX-License-Identifier: MIT
# common.sh - shared by the checks. Each is called as `bash NAME.sh SOURCE_DIR [...]`, prints one line per violation
# ("file:line: what"), and exits with 0, 1 or 77 (skipped, with the reason).
set -euo pipefail
cd "$1"

skip() {
    echo "skipped: $*"
    exit 77
}

# Files of the project whose name matches one of the patterns, without builds and without data.
project_files() {
    local expression=(-name "$1")
    shift
    for pattern in "$@"; do expression+=(-o -name "$pattern"); done
    find . \( -name .git -o -path './build*' -o -path ./out -o -path ./data \) -prune -o \
        -type f \( "${expression[@]}" \) -print | sed 's|^\./||' | LC_ALL=C sort
}

# Exits with 1 if the file of violations is not empty.
report() {
    cat "$1"
    [ ! -s "$1" ] || exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
