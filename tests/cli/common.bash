# SPDX-License-Identifier: MIT
# common.bash - shared by the tests of the command. A test is called with the command's path and the source folder,
# sources this file, and ends with `finish`. It works in a folder of its own, which is removed at the end.
set -u
heddle=$(realpath "$1") || exit 1
# shellcheck disable=SC2034
source_dir=$(realpath "$2") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
failures=0
unset HEDDLE_BACKEND HEDDLE_POLICY HEDDLE_DEVICE HEDDLE_WORKERS HEDDLE_TEAM_SIZE HEDDLE_TRACE HEDDLE_TIME_LIMIT_MS
unset HEDDLE_RING HEDDLE_SPIN_US HEDDLE_NO_PIN HEDDLE_EXECUTOR HEDDLE_DISPATCH HEDDLE_BY_BODY HEDDLE_SYNC
unset HEDDLE_TUNING_FILE HEDDLE_DEVICES HEDDLE_SPLIT HEDDLE_FLEET_PROFILE
# Tests of the command run on CPU threads, even beside a GPU.
export HEDDLE_BACKEND=cpu

# needs_json: the test reads JSON through the command; skipped if that was built without it.
needs_json() {
    "$heddle" trace /dev/null 2>&1 | grep -q 'reads no JSON' || return 0
    echo "skipped: this build of the command reads no JSON"
    exit 77
}

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# run STATUS ARG...: runs the command, writes out and err, and checks the exit status.
run() {
    local want=$1 got
    shift
    "$heddle" "$@" >out 2>err
    got=$?
    [ "$got" = "$want" ] || fail "heddle $* gave $got instead of $want: $(head -c 300 err)"
}

# in_out PATTERN, in_err PATTERN: an extended regular expression that must be found.
in_out() { grep -Eq -- "$1" out || fail "no '$1' in: $(head -c 600 out)"; }
in_err() { grep -Eq -- "$1" err || fail "no '$1' on stderr: $(head -c 600 err)"; }
silent_err() { [ ! -s err ] || fail "stderr is not silent: $(head -c 300 err)"; }

# preload NAME: compiles tests/cli/NAME.c, which is to be loaded before the command's library, as `preloaded`. False, with the reason, if it cannot be.
preload() {
    preloaded=$work/$1.so
    if ! nm -D "$(dirname "$heddle")/libheddle.so" 2>/dev/null | grep -q '__[at]san_init' && "${CC:-cc}" -std=c11 -D_GNU_SOURCE -fPIC \
        -shared -I"$source_dir/include" "$source_dir/tests/cli/$1.c" -o "$preloaded" -ldl; then
        return 0
    fi
    echo "not tried with $1: no compiler, or a sanitizer, which must be loaded first"
    return 1
}

# refused PATTERN ARG...: exit status 2, one sentence with the pattern on stderr, nothing on stdout.
refused() {
    local pattern=$1
    shift
    run 2 "$@"
    in_err "$pattern"
    [ "$(grep -c '^heddle: ' err) $(wc -l <err)" = "1 1" ] || fail "heddle $*: stderr is no one sentence: $(cat err)"
    [ ! -s out ] || fail "heddle $*: stdout is not empty: $(head -c 300 out)"
}

# json EXPRESSION [FILE]: the object is `d`; prints the expression's value. Does nothing without python3.
have_python() { command -v python3 >/dev/null 2>&1; }
json() {
    python3 -I -S -c 'import json, sys
d = json.load(open(sys.argv[2]))
print(eval(sys.argv[1]))' "$1" "${2:-out}" 2>&1
}
# json_is VALUE EXPRESSION [FILE]
json_is() {
    local got
    have_python || return 0
    got=$(json "$2" "${3:-out}")
    [ "$got" = "$1" ] || fail "$2 is '$got' instead of '$1'"
}

finish() {
    if [ "$failures" -gt 0 ]; then
        echo "$failures failures"
        exit 1
    fi
    have_python || echo "python3 is not here: JSON was not looked at"
    exit 0
}
