#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# warnings.sh HEDDLEC - compilers' messages reach the user: requested warnings are about the user's text only; if
# generated text does not compile, heddlec takes the blame and shows the source that it stands for.
. "$(dirname "$0")/command.bash" "$1"

# By itself this source has two warnings. The text generated for it would have more.
cat >warn.c <<'END'
#include <stdio.h>
static int never(void) { return 1; }
static void add(int *x, int by) { *x += by; }
int main(void)
{
    int x = 1, unused;
    const int only_in_tasks = 2;
#pragma heddle region assume(eligible)
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        add(&x, only_in_tasks);
    }
    printf("%d\n", x);
    return 0;
}
END

echo "-- the user's warnings"
# only_warn ARG...: exactly these two, and exit status 0
only_warn() {
    run 0 "$@"
    in_err "^warn.c:2:.*never.*-Wunused-function"
    in_err "^warn.c:6:.*unused.*-Wunused-variable"
    [ "$(grep -c 'warning:' err)" = 2 ] || fail "heddlec $*: not two warnings: $(cat err)"
}
only_warn warn.c -o warn -Wall -Wextra
prints 3 ./warn
only_warn -c warn.c -Wall -Wextra
run 0 warn.o -o linked -Wall -Wextra
[ ! -s err ] || fail "an object is warned of again: $(cat err)"
prints 3 ./linked
run 0 warn.c -o silent
run 0 warn.c -o silent -Wall -w
[ ! -s err ] || fail "warnings that nobody asked for: $(cat err)"
run 0 warn.c -o silent -Wall -Wno-unused-function -Wno-unused-variable -Wno-unused-but-set-variable
[ ! -s err ] || fail "warnings that are switched off: $(cat err)"
run 1 warn.c -o strict -Wall -Werror
in_err '^warn.c:6:.*error: .*unused'
in_err 'failed to compile warn.c$'
run 1 -c warn.c -o strict.o -Wall -Werror=unused-variable
in_err '^warn.c:6:.*error: .*unused'
absent strict strict.o
(cat sum.c && echo '#warning seen') >seen.c
for how in "-c seen.c" "seen.c -o seen" "seen.c -o seen -Wall"; do
    # shellcheck disable=SC2086
    run 0 $how
    [ "$(grep -c 'warning: .*seen' err)" = 1 ] || fail "$how: #warning is not told once: $(cat err)"
done
sed 's/printf("%d/printf("%s/' sum.c >format.c
run 0 format.c -o format -Wformat
in_err "^format.c:[0-9]*:.*-Wformat"

echo "-- functions that nothing declares"
sed 's/int main(void)/int main()/; s/, x);/, later(x));/; s/int x = 1, unused/int x = 1/' warn.c >lax.c
echo 'int later(int x) { return -x; }' >>lax.c
run 0 lax.c -o lax
prints -3 ./lax
run 1 lax.c -o strict -Wall -Werror=implicit-function-declaration
in_err '^lax.c:15:.*later'

echo "-- generated text that does not compile"
# spoil FILE SCRIPT: a C compiler for which sed has changed a generated file
spoil() {
    printf '#!/bin/sh\nfor w; do case $w in *%s) sed -i "%s" "$w";; esac; done\nexec cc "$@"\n' "$1" "$2" >spoil
    chmod +x spoil
}
blamed() { # PATTERN for the shown line
    run 1 sum.c -o spoiled --cc ./spoil
    in_err "heddlec generated.*this is a defect of heddlec"
    in_err "$1"
    ! grep -q "$work/tmp" err || fail "a file is named that is gone: $(cat err)"
    absent spoiled
}
spoil sum.heddle.c 's/heddle_omp_begin/no_such_function/'
blamed '^sum.c:1[0-9]:.*no_such_function'
spoil sum.heddle.c 's/#include <stdio.h>//' # then printf has no declaration, and what it returns is guessed
blamed '^sum.c:22:.*printf'
spoil spoiled.heddle.bodies.c 's/int i = hd_t->i/int i = hd_t->nothing/'
blamed 'spoiled.heddle.bodies.c:[0-9]* is there for sum.c:18: *add'
spoil .none ''
run 1 sum.c -o spoiled --cc ./spoil -fno-such-option
in_err 'failed to compile sum.c$'
! grep -q defect err || fail "an option is called heddlec's fault: $(cat err)"
sed 's/return 0;/return no_such_place();/' sum.c >nowhere.c
run 1 nowhere.c -o spoiled
in_err 'undefined reference.*no_such_place'
! grep -q "$work/tmp" err || fail "a file is named that is gone: $(cat err)"
"$heddlec" nowhere.c -o spoiled --keep 2>err && fail "--keep makes a program of it"
in_err "$work/tmp/.*undefined|$work/tmp/.*in function"

ends
