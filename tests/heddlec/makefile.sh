#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# makefile.sh HEDDLEC CC - an ordinary Makefile works with `make CC=heddlec`: objects in a folder of their own, rules
# for make from -MMD, changed files, an archive. The program prints what CC's -fopenmp makes of it. Also objects that
# were moved, that lost their source or have a changed one, or that were made elsewhere or by another compiler.
cc=$2
command -v make >/dev/null || { echo "skipped: no make" && exit 77; }
echo 'int main(void) { return 0; }' | "$cc" -fopenmp -x c - -o /dev/null 2>/dev/null ||
    { echo "skipped: $cc has no -fopenmp here" && exit 77; }
. "$(dirname "$0")/command.bash" "$1"

mkdir src include
echo 'enum { SIZE = 8, BY = 2 };' >include/by.h
cat >include/part.h <<'END'
#include "by.h"
void chain(int n, int *x); /* creates tasks */
void add(int *to, int from);
END
cat >src/main.c <<'END'
#include "part.h"
#include <math.h>
#include <stdio.h>
int main(void)
{
    int x[SIZE] = {1}, sum = 0;
#pragma omp parallel
#pragma omp single
    {
        chain(SIZE, x);
#pragma omp task depend(inout : x[SIZE - 1])
        add(&x[SIZE - 1], 100);
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < SIZE; i++)
        sum += x[i];
    printf("%d %g\n", sum, sqrt(x[1]));
    return 0;
}
END
cat >src/tasks.c <<'END'
#include "part.h"
void chain(int n, int *x)
{
    for (int i = 1; i < n; i++) {
#pragma omp task depend(in : x[i - 1]) depend(inout : x[i])
        add(&x[i], x[i - 1]);
    }
}
END
cat >src/part.c <<'END'
#include "part.h"
static int by(int x) { return x * BY; }
void add(int *to, int from) { *to += by(from); }
END
cat >Makefile <<'END'
CFLAGS = -O2 -Wall -Wextra
CPPFLAGS = -Iinclude -MMD -MP
LDLIBS = -lm
OBJECTS = $(patsubst src/%.c,objects/%.o,$(wildcard src/*.c))
program: $(OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
objects/%.o: src/%.c | objects
	$(CC) $(CFLAGS) $(CPPFLAGS) -c $< -o $@
objects:
	mkdir $@
clean:
	rm -rf objects program
-include $(OBJECTS:.o=.d)
END
# made CC ARG...: make with that CC says nothing on stderr
made() {
    local with=$1
    shift
    make CC="$with" "$@" >out 2>err || fail "make CC=$with $*: $(cat out err)"
    [ ! -s err ] || fail "make CC=$with $* says: $(cat err)"
    [ -z "$(ls -A tmp)" ] || fail "make CC=$with $* left $(ls tmp)"
}
same_as_openmp() {
    "$cc" -fopenmp -Iinclude src/*.c -lm -o reference
    prints "$(./reference)" ./program
}
# has_tasks PROGRAM: it runs them in heddle, not in the compiler's run-time library
has_tasks() {
    HEDDLE_OMP_VERBOSE=1 "./$1" 2>&1 >/dev/null | grep -q tasks || fail "$1: its tasks are not heddle's"
}
older() { # for file systems that count whole seconds
    touch -d '2 hours ago' src/* include/*
    touch -d '1 hour ago' objects/* program
}

echo "-- make"
made "$heddlec --region=parallel" -j2
same_as_openmp
has_tasks program
for f in main tasks part; do
    [ -f objects/$f.d ] || fail "no objects/$f.d"
    grep -q "^objects/$f.o:.*src/$f.c" objects/$f.d || fail "objects/$f.d: $(cat objects/$f.d)"
done
made "$heddlec --region=parallel"
grep -q 'up to date' out || fail "made again: $(cat out)"
! grep -q 'heddlec object' program || fail "the program holds what its objects hold"
for n in 1 2; do
    OMP_NUM_THREADS=$n HEDDLE_OMP_VERBOSE=1 ./program 2>&1 | grep -q "\b$n threads" ||
        fail "OMP_NUM_THREADS=$n: $(OMP_NUM_THREADS=$n HEDDLE_OMP_VERBOSE=1 ./program 2>&1)"
done
"$cc" -fopenmp objects/*.o -lm -o by_cc && prints "$(./reference)" ./by_cc

echo "-- changes"
older
echo 'enum { SIZE = 6, BY = 3 };' >include/by.h
made "$heddlec --region=parallel"
same_as_openmp
[ "$(grep -c -- ' -c ' out)" = 3 ] || fail "a changed header: $(cat out)"
older
sed -i 's/x \* BY/x * BY + 1/' src/part.c
made "$heddlec --region=parallel"
same_as_openmp
[ "$(grep -c -- ' -c ' out)" = 1 ] || fail "a changed source: $(cat out)"

echo "-- errors"
older
cp src/tasks.c kept.c
wrong() { # SED PATTERN: make fails and leaves no program
    sed "$1" kept.c >src/tasks.c
    make CC="$heddlec --region=parallel" >out 2>err && fail "made in spite of $1"
    in_err "$2"
    absent objects/tasks.o
    rm -f objects/tasks.o
}
rm objects/tasks.o
wrong 's/n; i++/m; i++/' '^src/tasks.c:4:.*m'
wrong 's/depend(in : x.i - 1.)/depend(in : ((int **)x)[0:n][0:n])/' '^src/tasks.c:5:.*HC120'
wrong 's/depend(in /depnd(in /' '^src/tasks.c:5:.*HC100'
wrong 's/x\[i - 1\]);/x[i - 1])/' '^src/tasks.c:6:'
cp kept.c src/tasks.c
made "$heddlec --region=parallel"
same_as_openmp

echo "-- objects that moved"
mkdir -p away/deep
(cd away/deep && "$heddlec" --region=parallel -Wall -I../../include -c ../../src/main.c ../../src/tasks.c) || fail "two objects"
cp -r src gone && mv away/deep/tasks.o .
run 0 away/deep/main.o tasks.o src/part.c -Iinclude -o mixed -lm
prints "$(./reference)" ./mixed
has_tasks mixed
sed -i 's/add(/subtract(/' gone/tasks.c
(cd gone && "$heddlec" --region=parallel -I../include -c tasks.c -o ../late.o -w)
rm gone/tasks.c
run 1 objects/main.o late.o objects/part.o -o late -lm --backend cuda # compiles nothing
in_err "gone/tasks.c:6:.*HC141"
in_err 'subtract\(&x\[i\]'
absent late
printf '\n\n/* other text */\n' >gone/tasks.c
run 1 objects/main.o late.o objects/part.o -o late -lm --backend cuda
in_err 'subtract\(&x\[i\]'

echo "-- options that objects were made with"
run 0 objects/*.o -o by_objects -lm
prints "$(./reference)" ./by_objects
has_tasks by_objects
run 0 -c --depend=exact src/part.c -Iinclude -o exact.o
run 0 -c --depend=start src/tasks.c -Iinclude -o start.o
run 1 objects/main.o exact.o start.o -o two_ways -lm
in_err 'start.o was made with --depend=start'
run 0 objects/main.o exact.o start.o -o two_ways -lm --depend=overlap
prints "$(./reference)" ./two_ways
run 0 -c src/main.c -Iinclude -o own.o
[ ! -s err ] || fail "-c says what linking says: $(cat err)"
run 0 own.o objects/part.o objects/tasks.o -o own -lm

echo "-- archives"
ar rc libparts.a objects/tasks.o objects/part.o
for parts in libparts.a "-L. -lparts" "-L . -l parts"; do
    # shellcheck disable=SC2086
    run 0 objects/main.o $parts -lm -o archived
    prints "$(./reference)" ./archived
    has_tasks archived
done
run 0 src/main.c --region=parallel -Iinclude libparts.a -lm -o archived
prints "$(./reference)" ./archived
ar rcT libthin.a objects/tasks.o
run 1 objects/main.o objects/part.o libthin.a -lm -o thin
in_err 'libthin.a is a thin archive'

echo "-- objects of others"
"$cc" -fopenmp -Iinclude -c src/tasks.c -o others.o
run 0 objects/main.o objects/part.o others.o -lm -o with_others
in_err 'warning: others.o has OpenMP tasks that heddlec did not compile'
"$cc" -Iinclude -c src/part.c -o plain.o
run 0 objects/main.o objects/tasks.o plain.o -lm -o with_plain --backend cpu
prints "$(./reference)" ./with_plain
ld -r objects/tasks.o objects/part.o -o joined.o
run 1 objects/main.o joined.o -lm -o joined
in_err 'joined.o is made of several objects'
sed 's/ object 1\// object 0\//' objects/part.o >old.o
run 1 objects/main.o objects/tasks.o old.o -lm -o old
in_err 'old.o was made by another version'

echo "-- a C compiler that does not know all OpenMP"
printf '#!/bin/sh\ncase " $* " in *" -fno-openmp "*) ;; *" -fopenmp "*) echo no such pragma >&2; exit 1;; esac\nexec %s "$@"\n' \
    "$cc" >old_cc
chmod +x old_cc
run 0 -c src/tasks.c -Iinclude -o early.o --cc ./old_cc
in_err 'warning: ./old_cc does not know all OpenMP of src/tasks.c'
run 0 objects/main.o early.o objects/part.o -o early -lm
prints "$(./reference)" ./early
has_tasks early

echo "-- objects without tasks"
printf '#include <stdio.h>\nint main(void) { return puts("no tasks") < 0; }\n' >none.c
echo 'int broken(' >broken.c
sed 's/^.pragma omp task.*/#pragma omp task depend(inout : ((int **)x)[0:n][0:n])/' src/tasks.c >refused.c
run 1 -c refused.c broken.c none.c -Iinclude
in_err '^refused.c:5:.*HC120'
in_err '^broken.c:1:'
absent refused.o broken.o
[ -f none.o ] || fail "-c gives up at the first file that is wrong"
run 0 none.o -o none
prints 'no tasks' ./none
run 0 -E none.c
grep -q 'no tasks' out || fail "-E: $(head -c 300 out)"
run 0 -MM -Iinclude src/part.c
grep -q '^part.o: src/part.c include/part.h' out || fail "-MM: $(cat out)"
run 0 -c none.c -MD -MF rules -MT mine
grep -q '^mine: none.c' rules || fail "-MF: $(cat rules)"
run 0 -c none.c -o /dev/null
[ -c /dev/null ] || fail "/dev/null is a file now"
mkdir other
run 0 -c src/part.c -Iinclude -o other/part.o -MMD --coverage
grep -q '^other/part.o: src/part.c' other/part.d || fail "-MMD: $(cat other/part.d)"
[ -f other/part.gcno ] || fail "--coverage leaves no other/part.gcno"
HEDDLEC_OBJCOPY=false run 1 -c none.c -o no_section.o
in_err 'false failed on no_section.o'
absent no_section.o
run 0 none.c -o none -MD
in_err 'warning: -MD is for -c'

ends
