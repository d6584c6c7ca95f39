#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# refuse.sh HEDDLEC FOLDER - programs that heddlec must refuse: each line with `expect: HC...` (or the one above an
# `expect-above: HC...`) must get an error of one of these codes, with a caret; no other error may be said, the exit status
# must be 1 and nothing may be written. `also:` in its head: further sources. With --backend cuda, because bodies for the CPU alone may call anything.
set -euo pipefail
. "$(dirname "$0")/head.bash"
heddlec=$1
cd "$2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "$1: $2" && cat "$dir/said" && failed=1
}
for program in *.c; do
    status=0
    rm -rf "$dir/out" && mkdir "$dir/out"
    # shellcheck disable=SC2046
    "$heddlec" "$program" $(head_of "$program" also) --backend cuda -o "$dir/out/program" --emit "$dir/out/emitted" 2>"$dir/said" || status=$?
    [ $status = 1 ] || fail "$program" "exit status $status, not 1"
    [ -z "$(ls -A "$dir/out")" ] || fail "$program" "something was written: $(ls "$dir/out")"
    wanted=$(grep -n 'expect\(-above\)\{0,1\}:' "$program" | sed -E 's/^([0-9]+):.*expect: *([^*]*) *\*\/.*/\1 \2/; t
        s/^([0-9]+):.*expect-above: *([^*]*) *\*\/.*/\1- \2/')
    line=${wanted%% *} codes=${wanted#* }
    [ "${line%-}" = "$line" ] || line=$((${line%-} - 1))
    found=0
    for code in $codes; do
        grep -q "^$program:$line:[0-9]*: error: .*\[$code\]" "$dir/said" && found=1
    done
    [ $found = 1 ] || fail "$program" "no error $codes in line $line"
    others=$(grep ': error: ' "$dir/said" | grep -cv "^$program:$line:" || true)
    [ "$others" = 0 ] || fail "$program" "$others errors at other lines"
    grep -q '\^' "$dir/said" || fail "$program" "no caret"
done
programs=(*.c)
echo "${#programs[@]} programs refused"
exit $failed
