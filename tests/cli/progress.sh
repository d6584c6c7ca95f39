# SPDX-License-Identifier: MIT
# progress.sh - the progress line: none unless stderr is a terminal, however long the run; on a terminal it appears
# after a second and is gone at the end; short runs have none.
. "$2/tests/cli/common.bash"
needs_json

echo '{"tasks": [{"id": 1, "us": 3000000}]}' >long.json
echo '{"tasks": [{"id": 1, "us": 10}]}' >short.json
run 0 run long.json
silent_err
! grep -q "$(printf '\033')" out || fail "control sequences in a pipe"

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo "no script, or no pseudo-terminal here: the terminal's side was not looked at"
    [ "$failures" = 0 ] && exit 77
    finish
fi
# on_terminal ARG...: runs the command on a terminal of its own; its output goes to `screen`.
on_terminal() { TERM=xterm script -qec "$(printf '%q ' "$heddle" "$@")" /dev/null >screen </dev/null; }
on_terminal run long.json || fail "the run on a terminal failed"
grep -q 'running  [12]\.[0-9] s' screen || fail "no progress line: $(head -c 300 screen)"
tr '\r' '\n' <screen | grep -q "^$(printf '\033')\[Klong.json - " || fail "the line was not cleared: $(tail -c 500 screen)"
for try in 1 2 3; do # on a busy machine also a short run may take a second
    on_terminal run short.json || fail "the short run on a terminal failed"
    grep -q "$(printf '\033')" screen || break
done
! grep -q "$(printf '\033')" screen || fail "a progress line for $try short runs"
on_terminal run long.json --repeat 2 || fail "the repeated run failed"
grep -q '\] 1/2  ' screen || fail "no bar for repeated runs: $(head -c 300 screen)"
finish
