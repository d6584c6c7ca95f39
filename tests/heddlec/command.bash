# SPDX-License-Identifier: MIT
# command.bash - shared by the tests of heddlec's command line: `. command.bash HEDDLEC` makes a folder, changes into
# it, and provides the functions below and sum.c, a program that prints 45.
set -u
heddlec=$(realpath "$1") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C TMPDIR=$work/tmp HEDDLE_BACKEND=cpu
unset HEDDLE_HOME
mkdir tmp
failures=0
fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}
# run STATUS ARG...: writes out and err; no run may leave files in the folder for temporary files.
run() {
    local want=$1 got
    shift
    "$heddlec" "$@" >out 2>err
    got=$?
    [ "$got" = "$want" ] || fail "heddlec $* gave $got instead of $want: $(head -c 1000 err)"
    [ -z "$(ls -A tmp)" ] || fail "heddlec $* left $(ls tmp)"
    rm -rf tmp/*
}
in_err() { grep -Eq -- "$1" err || fail "no '$1' on stderr: $(head -c 600 err)"; }
absent() { for f in "$@"; do [ ! -e "$f" ] || fail "$f was written"; done; }
# prints WANT PROGRAM
prints() {
    local got
    got=$("$2" 2>&1)
    [ "$got" = "$1" ] || fail "$2 prints '$got' instead of '$1'"
}

cat >sum.c <<'END'
#include <stdio.h>
#ifndef N
#define N 10
#endif
static void add(int *x, int by)
{
#pragma omp parallel for
    for (int k = 0; k < 1; k++)
        x[k] += by;
}
int main(void)
{
    int x[N] = {0}, s = 0;
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    for (int i = 1; i < N; i++) {
#pragma omp task depend(in : x[i - 1]) depend(inout : x[i])
        add(&x[i], x[i - 1] + 1);
    }
    for (int i = 0; i < N; i++)
        s += x[i];
    printf("%d\n", s);
    return 0;
}
END
ends() { [ "$failures" = 0 ] || { echo "$failures failures" && exit 1; }; }
