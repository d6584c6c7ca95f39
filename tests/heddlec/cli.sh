#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cli.sh HEDDLEC - the command line of heddlec: errors are reported and nothing is written; generated sources build with
# the script beside them; flags reach their tools; names with blanks and duplicate names do no harm.
. "$(dirname "$0")/command.bash" "$1"
sed 's/depend(in/depend(depobj/' sum.c >refused.c

echo "-- the command line"
usage() { # PATTERN ARG...
    local pattern=$1
    shift
    run 2 "$@"
    in_err "$pattern"
    [ "$(wc -l <err)" = 1 ] || fail "heddlec $*: no one sentence: $(cat err)"
    [ ! -s out ] || fail "heddlec $*: stdout is not empty"
}
usage 'no source'
usage 'no option --backendd' sum.c --backendd cpu
usage 'needs a value' sum.c -o
usage 'gpu' sum.c --backend gpu
usage 'gpu' sum.c --backend=gpu
usage 'HC999' sum.c -Werror=HC999
usage 'HC19x' sum.c -Wno-HC19x
usage 'sum.f90' sum.f90
usage 'twice' sum.c sum.c
usage 'no option -c' sum.c -- -c
usage 'needs a value' sum.c -- -I
usage 'heddlec itself' sum.c --cc "ccache $heddlec"
usage 'no source' -c
usage 'no source' -c sum.o
usage 'each source' -c sum.c refused.c -o both.o
usage 'makes no program' -c sum.c --emit emitted
cp sum.c mine.c
ln mine.c 'mine too'
for name in mine.c ./mine.c 'mine too'; do
    usage 'mine.c is a source' mine.c -o "$name"
    usage 'mine.c is a source' mine.c --emit mine.d --deps "$name"
done
cmp -s sum.c mine.c || fail "-o wrote over a source"
absent a.out mine.d
run 0 --help
for word in -c --emit --backend --region --memory --depend --dump --no-line --keep --cc --nvcc -Werror -v --version; do
    grep -q -- "$word" out || fail "--help does not tell of $word"
done
run 0 --version
grep -Eq '^heddlec [0-9]+\.[0-9]+\.[0-9]+$' out || fail "--version says $(cat out)"

echo "-- nothing is written on error"
run 1 missing.c -o missing
in_err 'missing.c'
run 1 refused.c -o refused --emit refused.d
in_err 'refused.c:17:.*HC1[0-9][0-9]'
mkdir there && echo mine >there/file
run 1 refused.c -o refused --emit there
[ "$(ls there)" = file ] || fail "there holds $(ls there)"
run 1 sum.c -o no_compiler --cc "$work/no-such-cc"
in_err 'no-such-cc'
run 1 sum.c -o no_compiler --cc false --emit no_compiler.d
in_err 'false failed to compile sum.c$'
run 1 sum.c -o no_link -lthere_is_no_such_library
in_err 'failed to link no_link'
! grep -q generated err || fail "a failed link is called heddlec's fault: $(cat err)"
echo 'int wrong(void) { return this; }' >wrong.c
run 1 wrong.c -o no_object
in_err 'failed to compile wrong.c$'
echo 'int broken(' >broken.c
run 1 sum.c broken.c -o no_parse
in_err 'broken.c:1:'
HEDDLE_HOME=$work run 1 sum.c -o no_home
in_err HEDDLE_HOME
absent missing refused refused.d no_compiler no_compiler.d no_link no_object no_parse no_home

echo "-- programs"
run 0 sum.c -o sum
prints 45 ./sum
HEDDLE_BACKEND=serial prints 45 ./sum
run 0 sum.c
prints 45 ./a.out
run 0 -DN=5 sum.c -o five -- -O3 -g -Wall
prints 10 ./five
run 0 sum.c -o six -- -D N=6 -std=c99 -pthread
prints 15 ./six
run 0 --backend=cpu --depend=exact sum.c -o exact -v
prints 45 ./exact
in_err "std=gnu11"

echo "-- emitted sources"
mkdir "my folder"
cp sum.c "my folder/sum it.c"
run 0 "my folder/sum it.c" --emit "emitted sources" -- -DN=7
(cd / && sh "$work/emitted sources/build.sh") || fail "build.sh fails"
prints 21 "emitted sources/sum_it"
grep -q '#line' emitted\ sources/*.heddle.c || fail "no #line in the sources"
run 0 "my folder/sum it.c" --emit plain.d --no-line -o "my folder/sum it"
! grep -q '#line' plain.d/*.c || fail "#line in spite of --no-line"
prints 45 "my folder/sum it"
run 0 sum.c --emit made.d --deps made.d/read.d
grep -q 'sum.c' made.d/read.d || fail "read.d names no source: $(cat made.d/read.d)"
grep -q 'stdio.h' made.d/read.d || fail "read.d names no header: $(cat made.d/read.d)"
if ! grep -qa __tsan_init "$heddlec"; then # ThreadSanitizer's own memory is a file
    (failures=0 && ulimit -f 1 && run 1 sum.c --emit limited.d && in_err 'writing failed: File too large' &&
        [ "$failures" = 0 ]) || failures=$((failures + 1)) # files of 1 KiB at most
    absent limited.d
fi

echo "-- looking"
for what in tree pragmas program; do
    run 0 sum.c --dump=$what
    [ -s out ] || fail "--dump=$what is empty"
done
grep -q 'task 0 add:17' out || fail "--dump=program: $(cat out)"

echo "-- no source"
head -c 200000 "$heddlec" >binary.c
run 1 binary.c -o binary
[ "$(wc -l <err)" -lt 200 ] || fail "$(wc -l <err) lines about a file that is no source"
absent binary

echo "-- warnings"
cat >narrow.c <<'END'
int a[4];
int main(void)
{
#pragma omp target parallel map(tofrom : a)
#pragma omp single
    {
#pragma omp task depend(in : a[0:0])
        a[0]++;
    }
    return 0;
}
END
run 0 narrow.c -o narrow
in_err 'warning:.*HC112'
run 1 narrow.c -o strict -Werror=HC112
in_err 'error:.*HC112'
absent strict
run 0 narrow.c -o quiet -Wno-HC112
[ ! -s err ] || fail "-Wno-HC112 leaves: $(cat err)"
printf '#pragma pack(2)\nstruct s { char c; long n; } a;\nint main(void)\n{\n#pragma omp target parallel map(a)\n#pragma omp single\n%s\n%s\n}\n' \
    '#pragma omp task' 'a.n++;' >pack.c
"$heddlec" pack.c --backend cuda --emit packed >out 2>err || true # a heddle without CUDA also refuses the backend
in_err 'warning:.*HC174'

echo "-- several sources"
mkdir a b include
echo '#define BY 3' >include/by.h
cat >a/part.c <<'END'
#include <by.h>
static int scale(int x) { return x * BY; }
void first(int *x) { *x = scale(*x + 1); }
END
cat >b/part.c <<'END'
static int scale(int x) { return x + 10; }
void second(int *x) { *x = scale(*x); }
END
cat >both.c <<'END'
#include <stdio.h>
void first(int *x);
void second(int *x);
int third(int x);
int main(void)
{
    int x = 1;
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        first(&x);
#pragma omp task depend(inout : x)
        second(&x);
    }
    printf("%d\n", third(x));
    return 0;
}
END
echo 'int third(int x) { return -x; }' >third.c
cc -c third.c -o third.o
run 0 both.c a/part.c b/part.c third.o -o both -lm -- -Iinclude
prints -16 ./both
run 0 both.c a/part.c b/part.c --emit both.d -- -Iinclude third.o
sh both.d/build.sh && prints -16 both.d/both

echo "-- system headers"
cat >system.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static void on(int number) { (void)number; }
int main(void)
{
    struct sigaction act;
    int x = 0;
    memset(&act, 0, sizeof act);
    act.sa_handler = on;
    assert(act.sa_handler == on && sigaction(SIGUSR1, &act, NULL) == 0);
#pragma omp target parallel map(tofrom : x)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 42;
    }
    errno = 0;
    printf("%d %s %d\n", x, strchrnul("abc", 'c'), errno);
    return 0;
}
END
run 0 system.c -o system
prints '42 c 0' ./system

cat >order.c <<'END'
#include <stdio.h>
#include <omp.h>
#include <stdlib.h>
#include <stdint.h>
int main(void)
{
    uint64_t big = UINT64_C(1) << 40;
    double v = atof("2.5") + (strchrnul("abc", 'c') == NULL) + (omp_get_level() != 0);
#pragma omp target parallel map(tofrom : v)
#pragma omp single
#pragma omp task depend(inout : v)
    v *= 2;
    printf("%g %d\n", v, (int)(big >> 38));
    return 0;
}
END
run 0 order.c -o order --emit order.d --no-line -- -include string.h -D _GNU_SOURCE
prints '5 4' ./order
for header in stdlib stdint string; do
    grep -q "^#include [<\"]$header.h[>\"]" order.d/order.heddle.c || fail "$header.h is not in the host's part"
done

echo "-- programs without tasks"
cat >plain.c <<'END'
#include <stdio.h>
int main(void)
{
    int s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < 10; i++)
        s += i;
    printf("%d\n", s);
    return 0;
}
END
if echo 'int main(void) { return 0; }' | cc -fopenmp -x c - -o probe 2>/dev/null; then
    run 0 plain.c -o plain
    prints 45 ./plain
    for directive in 'target map(tofrom : s)' 'parallel for ordered reduction(+ : s)' \
        'target teams distribute parallel for map(tofrom : s) reduction(+ : s)'; do
        sed "s/omp parallel for.*/omp $directive/" plain.c >others.c
        run 0 others.c -o others
        prints 45 ./others
        run 0 others.c -o others --region=parallel
        prints 45 ./others
    done
    printf '%s\n' '#include <omp.h>' '#include <stdio.h>' \
        'int main(void) { return printf("%d\n", omp_in_parallel()) < 0; }' >calls.c
    run 0 calls.c -o calls
    prints 0 ./calls
fi
sed 's/int main/int first(void);\nint main/; s/d\\n", s/d\\n", s + first()/' sum.c >part.c
printf '%s\n' 'int first(void)' '{' '#ifdef _OPENMP' 'return 100;' '#else' 'return 200;' '#endif' '}' >first.c
run 0 part.c first.c -o part
prints 145 ./part
sed 's/parallel for/paralel for/' plain.c >typo.c
run 1 typo.c -o typo
in_err 'typo.c:5:.*HC100'
absent typo
grep -v pragma plain.c >bare.c
run 0 bare.c -o bare
prints 45 ./bare

echo "-- the temporary folder"
"$heddlec" sum.c -o kept --keep 2>err || fail "--keep fails"
kept=$(sed -n 's/.* in //p' err)
[ -f "$kept/sum.heddle.c" ] || fail "--keep leaves nothing: $(cat err)"

ends
