# SPDX-License-Identifier: MIT
"""random_small.py FROM N [includes] - N small programs in one source, from seed FROM on, each a function that prints a line. What
they try: other names of a shared variable, of every way C has to make one; numbers of threads; structs that tasks capture;
tasks and taskloops that run at once. None has a race, so each has one answer, which gcc -fopenmp knows. With `includes`
the order of the headers is random, too."""
import random
import sys

TYPES = ["int", "long", "double", "short", "unsigned"]


class Small:
    def __init__(self, seed):
        self.r, self.s = random.Random(seed), seed
        self.file, self.n_results = [], 0

    def result(self):
        self.n_results += 1
        return f"r[{self.n_results - 1}]"

    def value(self):
        return str(self.r.randrange(2, 30))

    def change(self, place):
        return f"{place} {self.r.choice(['=', '+=', '-='])} {self.value()};"

    # ---- other names ------------------------------------------------------------------------------------------------

    def variable(self, t):
        """Where it stands, its name, what a depend clause calls it, what declares it in the function."""
        s, kind = self.s, self.r.choice(["local", "static", "global", "inner", "field", "parameter"])
        value = self.value()
        if kind in ("static", "global"):
            self.file.append(f"{'static ' if kind == 'static' else ''}{t} x{s} = {value};")
            return kind, f"x{s}", f"x{s}", []
        if kind == "field":
            self.file.append(f"struct rec{s} {{ char c; {t} v[2]; {t} w; }};")
            return kind, "x.w", "x", [f"struct rec{s} x = {{1, {{2, 3}}, {value}}};"]
        if kind == "parameter":
            return kind, "x", "x", []
        return kind, "x", "x", [f"{'static ' if kind == 'inner' else ''}{t} x = {value};"]

    def holder(self, t):
        self.file.append(f"struct holder{self.s} {{ int n; {t} *p; }};")
        self.file.append(f"static void keep{self.s}(struct holder{self.s} *h, {t} *p) {{ h->n = 1; h->p = p; }}")
        return f"struct holder{self.s}"

    def other_name(self, t, kind, x):
        """Statements, and an expression that points to x."""
        s = self.s
        ways = ["pointer", "kept", "heap", "out", "list", "copied", "union", "number", "returned", "twice", "chosen", "used"]
        way = self.r.choice(ways + (["first", "array", "record"] * 2 if kind in ("static", "global") else []))
        if way == "first":
            self.file.append(f"{self.r.choice(['', 'static '])}{t} *g{s} = &{x};")
            return [], f"g{s}"
        if way == "array":
            self.file.append(f"static {t} *g{s}[3] = {{0, [2] = &{x}}};")
            return [], f"g{s}[2]"
        if way == "record":
            self.file.append(f"static struct {{ int n; {t} *p; }} g{s} = {{1, &{x}}};")
            return [f"{t} *p = g{s}.p;"], "p"
        if way in ("kept", "heap", "copied"):
            h = self.holder(t)
            if way == "heap":
                return [f"{h} *h = malloc(sizeof *h);", f"keep{s}(h, &{x});"], "h->p"
            lines = [f"{h} h;", f"keep{s}(&h, &{x});"]
            copy = self.r.choice(["memcpy(&k, &h, sizeof k);", "k = h;"])
            return (lines + [f"{h} k;", copy], "k.p") if way == "copied" else (lines, "h.p")
        if way == "out":
            self.file.append(f"static void out{s}({t} **to, {t} *p) {{ *to = p; }}")
            return [f"{t} *p;", f"out{s}(&p, &{x});"], "p"
        if way == "list":
            return [f"{t} *l[3];", f"for (int i = 0; i < 3; i++) l[i] = i ? &{x} : NULL;"], "l[1]"
        if way == "union":
            self.file.append(f"union u{s} {{ {t} *p; char c[sizeof(void *)]; }};")
            return [f"union u{s} u, v;", f"u.p = &{x};", "memcpy(v.c, u.c, sizeof v.c);", f"{t} *p = v.p;"], "p"
        if way == "number":
            return [f"uintptr_t n = (uintptr_t)&{x};"], f"(({t} *)n)"
        if way == "returned":
            self.file.append(f"static {t} *same{s}({t} *p) {{ return p; }}")
            return [f"{t} *p = same{s}(&{x});"], "p"
        if way == "twice":
            return [f"{t} *q = &{x}, **p = &q;"], "*p"
        if way == "chosen":
            return [f"{t} *p = few ? &{x} : NULL;"], "p"
        if way == "used":
            self.file.append(f"static void set{s}({t} *p, {t} v) {{ *p = v + *p; }}")
            return [f"set{s}(&{x}, 3);"], f"(&{x})"
        return [f"{t} *p = &{x};"], "p"

    def aliases(self):
        t = self.r.choice(TYPES)
        kind, x, on, lines = self.variable(t)
        more, p = self.other_name(t, kind, x)
        places = [x, f"*{p}"]
        task = f"#pragma omp task depend({{}} : {on}) shared({on.split('.')[0]})"
        lines = lines + more + ["#pragma omp parallel", "#pragma omp single", "{"]
        for _ in range(self.r.randrange(2, 6)):
            pick, place = self.r.random(), self.r.choice(places)
            if pick < 0.4:
                lines += [task.format("inout"), self.change(place)]
            elif pick < 0.8:
                lines += [task.format("in"), f"{self.result()} = {place};"]
            elif pick < 0.9:
                lines += ["#pragma omp taskwait", f"{self.result()} = {place};", self.change(self.r.choice(places))]
            else:
                self.n_results += 3
                lines += ["for (int i = 0; i < 3; i++) {", task.format("inout"), self.change(place), task.format("in"),
                          f"r[{self.n_results - 3} + i] = {self.r.choice(places)};", "}"]
        lines += ["}", f"{self.result()} = {x};"]
        return lines, t if kind == "parameter" else None

    # ---- numbers of threads ------------------------------------------------------------------------------------------

    def threads(self):
        n, clause = self.r.randrange(1, 4), self.r.random() < 0.5
        lines = ["int part[64] = {0}, most[1] = {0};"] + ([] if clause else [f"omp_set_num_threads({n});"])
        body = [f"#pragma omp taskloop grainsize(1) shared(part)", "for (int i = 0; i < 12; i++) {", "#pragma omp atomic",
                "part[omp_get_thread_num()]++;", "}"]
        if self.r.random() < 0.5:
            body = ["for (int i = 0; i < 12; i++) {", "#pragma omp task shared(part)", "#pragma omp atomic",
                    "part[omp_get_thread_num()]++;", "}"]
        region = f"#pragma omp parallel{f' num_threads({n})' if clause else ''}"
        lines += [region, "#pragma omp single", "{", "#pragma omp task shared(most)", "most[0] = omp_get_num_threads();"]
        lines += body + ["}", f"for (int i = 0; i < 64; i++) r[i >= {n}] += part[i];", f"r[2] = most[0] <= {n};"]
        self.n_results = 3
        return lines, None

    # ---- what tasks capture --------------------------------------------------------------------------------------------

    def record(self):
        s = self.s
        self.file.append(f"union word{s} {{ unsigned i; unsigned char c[4]; }};")
        self.file.append(f"struct cap{s} {{ char c; int a[3]; struct {{ double d; short h; }} in; union word{s} u; }};")
        return ["v.c", "v.a[1]", "v.a[few]", "v.in.d", "(v.in).h", "v.u.c[0]", "v.u.i", "q->in.h"]

    def captures(self):
        """A task with copies of its own, in a region, at once, or not deferred."""
        places = self.record()
        how = self.r.choice(["region", "at once", "if(0)", "final(1)"])
        n = self.r.randrange(1, 4)
        lines = [f"struct cap{self.s} v = {{1, {{2, 3, 4}}, {{5, 6}}, {{7}}}}, *q = &v;", "int z[2] = {8, 9}, k = 10;"]
        clause = how if "(" in how else ""
        inside = ["#pragma omp parallel", "#pragma omp single", "{"] if how != "at once" else ["{"]
        lines += inside
        for _ in range(n):
            body = [self.change(self.r.choice([p for p in places if p[0] != "q"] + ["z[1]", "k"]))
                    for _ in range(self.r.randrange(1, 4))]
            body += [f"{self.result()} = {p};" for p in self.r.sample([p for p in places if p[0] != "q"] + ["z[1]", "k"], 2)]
            if "final" in clause:
                body.append(f"{self.result()} = omp_in_final();")
            lines += [f"#pragma omp task firstprivate(v, z, k) shared(r) {clause}", "{"] + body + ["}"]
        lines += ["}"] + [f"{self.result()} = {p};" for p in self.r.sample(places + ["z[1]", "k"], 4)]
        return lines, None

    def loops(self):
        """Each task of a taskloop begins with the values from outside."""
        n, step = self.r.randrange(0, 14), self.r.randrange(1, 4)
        in_region = self.r.random() < 0.5
        head = self.r.choice([f"for (i = 0; i < {n}; i += {step})", f"for (int i = {n}; i > 0; i -= {step})",
                              f"for (long i = 1; i <= {n}; i++)", f"for (unsigned i = 0; i < {n + 1}u; i += {step})"])
        inner, clause, index = "", "", "i"
        if self.r.random() < 0.3:
            inner, clause, index = "for (int j = 0; j < 3; j++)", "collapse(2)", "i * 3 + j"
        count = self.r.choice([f"num_tasks({self.r.randrange(1, 6)})", f"grainsize({self.r.randrange(1, 5)})"])
        lines = ["int i = 0, k = 5, z[2] = {1, 2}, last = -1, o[64] = {0};"]
        lines += ["#pragma omp parallel", "#pragma omp single"] if in_region else []
        if n and self.r.random() < 0.5:
            clause += " lastprivate(last)"
            last = ["last = k;"]
        else:
            last = []
        lines += [f"#pragma omp taskloop {count} {clause} firstprivate(k, z) shared(o)", head, inner, "{",
                  self.change("k"), self.r.choice(["z[1] += k;", "z[0]++;"]), f"o[{index}] = k + 100 * z[1] + z[0];"] + last
        lines += ["}", "for (int j = 0; j < 64; j++) r[0] = r[0] * 3 + o[j] % 1000003, r[0] -= (long)(r[0] / 1000003) * 1000003;",
                  "r[1] = k + z[0] + z[1]; r[2] = last;"]
        self.n_results = 3
        return lines, None

    def text(self):
        pick = self.r.random()
        lines, parameter = (self.aliases if pick < 0.55 else self.threads if pick < 0.62 else self.captures if pick < 0.82
                            else self.loops)()
        s, has = self.s, f"{parameter} x" if parameter else "void"
        show = [f'printf("{s}:");', f"for (int i = 0; i < {max(self.n_results, 1)}; i++)", 'printf(" %g", r[i]);',
                'printf("\\n");']
        return "\n".join(self.file + [f"static void case{s}({has})", "{", f"double r[{max(self.n_results, 1)}] = {{0}};"]
                         + lines + show + ["}"])


def main():
    begin, n = int(sys.argv[1]), int(sys.argv[2])
    headers = ["stdio.h", "stdlib.h", "stdint.h", "string.h", "omp.h"]
    if sys.argv[3:] == ["includes"]:
        random.Random(begin).shuffle(headers)
    print("\n".join(f"#include <{h}>" for h in headers) + "\nstatic int few = 1;")
    calls = []
    for seed in range(begin, begin + n):
        text = Small(seed).text()
        print(text)
        calls.append(f"case{seed}({'' if f'case{seed}(void)' in text else '4'});")
    calls.append('printf("%g\\n", atof("2.5"));')
    print("int main(void)\n{\n" + "\n".join(calls) + "\nreturn 0;\n}")


main()
