# SPDX-License-Identifier: MIT
"""random_program.py SEED - a program with task bodies that mix, at random, team work with work of thread 0 for all:
scattered assignments, branches, loops left early, variable-length arrays, calls with a value, inner regions of all
kinds. Without OpenMP it prints the same, so a missing barrier or value shows as another answer."""
import random
import sys

R = random.Random(int(sys.argv[1]))


class Function:
    def __init__(self, name, callees):
        self.name, self.callees, self.n_names, self.fixed = name, callees, 0, set()

    def fresh(self, letter):
        self.n_names += 1
        return f"{letter}{self.n_names}"

    def variable(self):
        """A variable that may be changed here: not that of an enclosing loop."""
        return R.choice([v for v in ("v0", "v1", "v2", "v3", "v4") if v not in self.fixed])

    def value(self, depth=2, memory=True):
        pick = R.random()
        if depth == 0 or pick < 0.25:
            return R.choice([f"v{R.randrange(5)}", str(R.randrange(9))])
        inner = self.value(depth - 1, memory)
        if memory and pick < 0.40:
            return f"a[({inner}) & 15]"
        if memory and pick < 0.50:
            return f"l[({inner}) & 7]"
        if memory and pick < 0.53:
            return R.choice(["s.x", "s.y", "*p", "p[1]", f"w[v{R.randrange(5)} & 3]"])
        if memory and pick < 0.56:
            return f"peek(a, ({inner}) & 15)"
        other = self.value(depth - 1, memory)
        if pick < 0.62:
            return f"pure({inner}, {other})"
        return f"(({inner}) {R.choice('+-^&|')} ({other}))"

    def condition(self):
        return f"({self.value()}) % {R.randrange(2, 5)} {R.choice(['==', '!=', '<'])} {R.randrange(3)}"

    def block(self, depth, in_loop):
        lines = ["{"]
        for _ in range(R.randrange(1, 5)):
            lines += self.statement(depth - 1, in_loop)
        return lines + ["}"]

    def region(self):
        j, v, e = self.fresh("j"), self.variable(), self.value(2, False)
        rows, columns = f"for (int {j} = 0; {j} < 16; {j}++)", f"for (int {j} = 0; {j} < 8; {j}++)"
        return R.choice([
            ["#pragma omp parallel for", f"{rows} a[{j}] += ({e}) + l[{j} & 7];"],
            [f"#pragma omp parallel for reduction(+ : {v})", f"{rows} {v} += a[{j}] & 3;"],
            ["#pragma omp parallel for", f"{columns} l[{j}] = a[{j} + 8] ^ ({e});"],
            ["#pragma omp parallel", "{", f"int m = {e};", "#pragma omp for", f"{rows} a[{j}] ^= m;", "#pragma omp single",
             f"{v} = a[3] + l[2];", "#pragma omp for", f"{columns} l[{j}] += {v};", "}"],
            [f"#pragma omp parallel for lastprivate({v}) if ({self.condition()})",
             f"for (int {j} = 2; {j} < 9; {j} += 2) {{ {v} = {j} * 3; a[{j}] -= {v}; }}"],
            ["#pragma omp parallel for collapse(2)",
             f"for (int {j} = 0; {j} < 4; {j}++) for (int q = 0; q < 4; q++) a[{j} * 4 + q] = a[{j} * 4 + q] * 2 - q + ({e});"],
            ["#pragma omp parallel for", rows + " {", "#pragma omp atomic", f"l[{j} & 3] += a[{j}];", "#pragma omp critical",
             f"s.x += {j} & 1;", "}"],
            ["#pragma omp parallel sections", "{", "#pragma omp section", f"a[0] += {e};", "#pragma omp section",
             f"a[1] ^= {e};", "#pragma omp section", f"s.y = {e};", "}"],
            ["#pragma omp parallel for firstprivate(s)", f"for (int {j} = 0; {j} < n_; {j}++) w[{j}] += s.x + {e};"],
            [f"#pragma omp parallel reduction(max : {v})", "{", "#pragma omp for nowait",
             f"{rows} if (a[{j}] > {v}) {v} = a[{j}];", "#pragma omp for", f"{columns} l[{j}] += 4;", "#pragma omp master",
             "l[0] = 4;", "}"],
        ])

    def call(self, depth, in_loop):
        """A call of a function with inner regions, for its value."""
        call = f"{R.choice(self.callees)}(a, {self.value(1)})"
        return R.choice([
            lambda: [f"{self.variable()} = {call};"],
            lambda: [f"a[({self.value(1, False)}) & 15] = {call};"],
            lambda: [f"l[1] += {call};"],
            lambda: [f"if ({call} % 3 == 1)"] + self.block(depth, in_loop),
        ])()

    def loop(self, depth):
        k = self.fresh("k")
        def with_variable():
            v = self.variable()
            self.fixed.add(v)
            body = self.block(depth, True)
            self.fixed.discard(v)
            return [f"for ({v} = 0; {v} < 3; {v}++)"] + body
        return R.choice([
            with_variable,
            lambda: [f"for (int {k} = 0; {k} < {R.randrange(1, 4)}; {k}++)"] + self.block(depth, True),
            lambda: ["{", f"int {k} = 0;", f"while ({k}++ < 3)"] + self.block(depth, True) + ["}"],
            lambda: ["{", f"int {k} = 0;", "do"] + self.block(depth, True)
            + [f"while ({k}++ < 2 && ({self.condition()}));", "}"],
            lambda: ["{", f"int {k} = 0;", f"while ((a[3]++ & 3) != 2 && {k} < 5)", "{", f"{k}++;"]
            + self.block(depth, True) + ["}", "}"],
        ])()

    def simple(self):
        v, t = self.variable(), self.fresh("t")
        return R.choice([
            lambda: [f"{v} = {self.value()};"],
            lambda: [f"a[({self.value(1)}) & 15] {R.choice(['=', '+=', '^='])} {self.value()};"],
            lambda: [f"l[({self.value(1)}) & 7] = {self.value()};"],
            lambda: [f"{v} += bump(&a[({self.value(1)}) & 15]);"],
            lambda: [f"int {t} = {self.value()};", f"a[2] ^= {t};", R.choice(["", f"{v} += {t};"])],
            lambda: ["touch(&v4);"] if "v4" not in self.fixed else [],
            lambda: [R.choice(["s.x = %s;", "s.y += %s;", "*p ^= %s;", "w[2] = %s;", "p[1] += %s;"]) % self.value()],
            lambda: [f"p = a + (({self.value()}) & 7);"],
        ])()

    def statement(self, depth, in_loop):
        pick = R.random()
        if pick < 0.42:
            return self.simple()
        if pick < 0.60:
            return self.region()
        if pick < 0.66 and self.callees and depth > 0:
            return self.call(depth, in_loop)
        if depth <= 0:
            return [f"{self.variable()}++;"]
        if pick < 0.78:
            lines = [f"if ({self.condition()})"] + self.block(depth, in_loop)
            return lines + (["else"] + self.block(depth, in_loop) if R.random() < 0.5 else [])
        if pick < 0.92:
            return self.loop(depth)
        if pick < 0.95 and in_loop:
            return [f"if ({self.condition()}) {R.choice(['break', 'continue'])};"]
        if pick < 0.97:
            return [f"if ({self.condition()}) return {self.value()};"]
        return ([f"switch (({self.value()}) & 3) {{", "case 0: {"] + self.simple() + ["} break;", "case 1:"]
                + self.block(depth, False) + ["/* on */", "default:"] + self.block(depth, False) + ["}"])

    def text(self):
        lines = [f"static int {self.name}(int *a, int n)", "{",
                 "int v0 = n, v1 = 1, v2 = 2, v3 = n * 3, v4 = 0, l[8] = {1, 2, 3}, n_ = 5, *p = a;",
                 "struct pair s = {n, 7};", "int w[n_];", "for (int i = 0; i < n_; i++) w[i] = i;"]
        for _ in range(R.randrange(4, 9)):
            lines += self.statement(3, False)
        return "\n".join(lines + ["return v0 + v1 + v2 + v3 + v4 + l[3] + s.x + s.y + *p + w[4];", "}"])


HEAD = """#include <stdio.h>
struct pair { int x, y; };
static int pure(int a, int b) { return a * 3 - b; }
static int peek(const int *p, int i) { return p[i]; }
static int bump(int *p) { return (*p)++; }
static void touch(int *p) { *p ^= 5; }"""
MAIN = """int main(void)
{
    int x[4][16], r[4];
    for (int i = 0; i < 64; i++) x[i / 16][i % 16] = i * 7 % 13;
#pragma omp target parallel map(tofrom : x) map(from : r)
#pragma omp single
    for (int k = 0; k < 4; k++) {
#pragma omp task
        {
            r[k] = f2(x[k], k);
            r[k] += f1(x[k], 2);
        }
    }
    for (int k = 0; k < 4; k++) {
        printf("%d:", r[k]);
        for (int i = 0; i < 16; i++) printf(" %d", x[k][i]);
        printf("\\n");
    }
    return 0;
}"""

print(HEAD)
names = []
for i in range(3):
    print(Function(f"f{i}", list(names)).text())
    names.append(f"f{i}")
print(MAIN)
