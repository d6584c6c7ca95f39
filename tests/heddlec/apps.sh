#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# apps.sh HEDDLEC HEDDLE ROOT - the applications of apps/openmp, translated, give the answers of those of apps/: on one
# thread, on CPU workers and on emulated threads, also for sizes that are no multiple of the block.
set -euo pipefail
heddlec=$1 heddle=$2 root=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HEDDLE_TIME_LIMIT_MS=${HEDDLE_TIME_LIMIT_MS:-60000}

# Both print lines "key = value"; numbers are compared as numbers, because one prints fewer digits if those suffice.
same() {
    python3 - "$@" <<'END'
import sys

def read(path):
    answers = {}
    for line in open(path):
        key, _, value = line.replace("  answer", "", 1).strip().partition(" = ")
        try:
            answers[key] = float(value)
        except ValueError:
            answers[key] = value
    return answers

got, want = read(sys.argv[1]), read(sys.argv[2])
digests = [key for key in want if key.startswith("sha256")]
wrong = [key for key in want if key not in digests and got.get(key) != want[key]]
for key in wrong:
    print(f"{key}: {got.get(key)}, not {want[key]}")
sys.exit(bool(wrong or not got))
END
}

for app in lu jacobi heat sat inthist dtw sw; do
    "$heddlec" "$root/apps/openmp/$app.c" -o "$dir/$app" --backend cpu 2>"$dir/said" || { cat "$dir/said" && exit 1; }
    for size in "96 16" "107 19"; do
        read -r n b <<<"$size"
        "$heddle" run "$app" -n "$n" -b "$b" --backend serial | sed -n '/^  answer/,/^  check/p' | grep ' = ' >"$dir/want"
        for how in "HEDDLE_BACKEND=serial" "HEDDLE_BACKEND=cpu HEDDLE_WORKERS=3" "HEDDLE_BACKEND=serial HEDDLE_TEAM_SIZE=5"; do
            # shellcheck disable=SC2086
            env $how "$dir/$app" "$n" "$b" >"$dir/got" 2>"$dir/errors" || { cat "$dir/errors" && exit 1; }
            same "$dir/got" "$dir/want" || { echo "$app $size, $how: other answers" && exit 1; }
        done
    done
    echo "$app: same answers"
done
