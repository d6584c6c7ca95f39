# SPDX-License-Identifier: MIT
"""random_small.py FROM N PART - N small programs in two sources, from seed FROM on; prints the first or second source.
Each program is a function that prints a line. They test: other names of a shared variable, in every way that C has;
numbers of threads; structs that tasks capture; tasks and taskloops that run at once; variable-length arrays of any
shape; types with one name in both sources. None has a race, so each has one answer, that of gcc -fopenmp. Headers come
in random order."""
import random
import sys

TYPES = ["int", "long", "double", "short", "unsigned"]


class Types:
    """Types with names that the other source has, too, for another type or the same."""

    def __init__(self, r):
        fields = [(f"f{i}", r.choice(TYPES), r.choice(["", "", "[2]", "[LOW]"])) for i in range(r.randrange(1, 4))]
        self.shape, self.array = r.choice(["struct shape", "union shape"]), fields[0][2] != ""
        self.text = (f"enum level {{ LOW = {r.randrange(1, 3)}, HIGH = {r.randrange(4, 6)} }};\n"
                     f"{self.shape} {{ {' '.join(f'{t} {name}{n};' for name, t, n in fields)} }};\n"
                     f"typedef {r.choice(TYPES + ['enum level'])} value;\n"
                     f"typedef struct {{ value v[HIGH]; {self.shape} s; }} item;\n"
                     f"static const {r.choice(TYPES)} levels[3] = {{LOW, HIGH, {r.randrange(9)}}};")


class Small:
    def __init__(self, seed, types):
        self.r, self.s, self.types = random.Random(seed), seed, types
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
        """The declaration's place, the name, its form in a depend clause, and its declaration in the function."""
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
        """A task with copies of its own: in a region, at once, or not deferred."""
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

    # ---- types of one name -----------------------------------------------------------------------------------------------

    def names(self):
        shape, f0 = self.types.shape, "f0[0]" if self.types.array else "f0"
        self.file.append(f"static double weigh{self.s}(const item *p, {shape} s) {{ return p->v[LOW] + s.{f0} + levels[1]; }}")
        lines = ["item it;", f"{shape} s;", "memset(&it, 0, sizeof it);", "memset(&s, 0, sizeof s);",
                 f"it.v[LOW] = (value){self.value()};", f"s.{f0} = {self.value()};", f"it.s.{f0} = {self.value()};"]
        lines += ["#pragma omp parallel", "#pragma omp single", "{"]
        uses = [f"weigh{self.s}(&it, s)", f"x + it.s.{f0}", f"p->{f0} + sizeof *p", f"sizeof(item) + sizeof({shape}[HIGH])",
                "sizeof(value) + levels[0] + HIGH", "e == HIGH ? LOW : copy.v[LOW]", f"(({shape} *)&copy.s)->{f0}"]
        for _ in range(self.r.randrange(1, 4)):
            lines += [f"#pragma omp task firstprivate(it, s) shared(r)", "{", "item copy = it;", f"{shape} *p = &s;",
                      "value x = (value)(copy.v[LOW] + 1);", "enum level e = x > LOW ? HIGH : LOW;", f"p->{f0} += {self.value()};"]
            lines += [f"{self.result()} = {use};" for use in self.r.sample(uses, 3)] + ["}"]
        return lines + ["}"], None

    # ---- arrays of variable length -----------------------------------------------------------------------------------------

    def uses_of(self, element, leaf, dims, loops, at):
        inner = "".join(f"[{d}]" for d in dims[1:])
        uses = ["sum += sizeof w + sizeof w[0] + sizeof(*w);", f"{loops} sum -= {at}{leaf} * (i + 2);",
                f"{element} *one = &w{'[1]' * len(dims)}; sum += one[0]{leaf} + one[-1]{leaf};"]
        if inner:
            zeros = "[0]" * (len(dims) - 2)
            uses += [f"{element} (*p){inner} = w + 1; sum += p[0][1]{zeros}{leaf} + (*p)[0]{zeros}{leaf}; p--; sum += p == w;",
                     f"{element} (*q){inner} = &w[1]; sum += q[-1][1]{zeros}{leaf} + (q - w);",
                     "memcpy(w[1], w[0], sizeof w[0]);",
                     f"memcpy(w + 1, w, sizeof({element}{inner})); sum += sizeof({element}[n]{inner});"]
        return [f"{loops} sum += {at}{leaf} * (i + 1);"] + [f"{{ {use} }}" for use in self.r.sample(uses, 2)] + \
            [f"{loops} sum += {at}{leaf} * (i + 3);"]

    def shapes(self):
        s, t = self.s, self.r.choice(TYPES)
        dims = [self.r.choice(["n", "m", "n + 1", "2", "3"]) for _ in range(self.r.choice([1, 2, 2, 3]))]
        dims[self.r.randrange(len(dims))] = self.r.choice(["n", "m + 1"])
        element, leaf = t, ""
        if self.r.random() < 0.3:
            self.file.append(f"struct pt{s} {{ char c; {t} b[3]; }};")
            element, leaf = f"struct pt{s}", ".b[few]"
        all_dims, inner = "".join(f"[{d}]" for d in dims), "".join(f"[{d}]" for d in dims[1:])
        heads = [f"for (int {x} = 0; {x} < {d}; {x}++)" for x, d in zip("ijk", dims)]
        loops, at = " ".join(heads), "w" + "".join(f"[{x}]" for x, d in zip("ijk", dims))
        number = " + ".join(f"{x} * {self.r.randrange(1, 8)}" for x, d in zip("ijk", dims)) + f" + {self.value()}"
        make = [f"{element} w{all_dims};"]
        if self.r.random() < 0.3:
            make = [f"typedef {element} row{s}{inner};", f"row{s} w[{dims[0]}];"] if inner else \
                [f"typedef {element} row{s}{all_dims};", f"row{s} w;"]
        fill, use = [f"{loops} {at}{leaf} = {number};"], self.uses_of(element, leaf, dims, loops, at)
        way = self.r.choice(["body", "function", "parameter", "pointer", "firstprivate", "team", "tasks"])
        if way in ("parameter", "pointer"):
            param = f"{element} w{all_dims}" if way == "parameter" or not inner else f"{element} (*w){inner}"
            self.file.append(f"static void fill{s}(int n, int m, {param}) {{ {fill[0]} }}")
            fill = [f"fill{s}(n, m, w);"]
        elif way == "team":
            fill = ["#pragma omp parallel for"] + fill
        elif way == "tasks":
            fill = [heads[0], "#pragma omp task shared(w) firstprivate(i)", f"{' '.join(heads[1:])} {at}{leaf} = {number};",
                    "#pragma omp taskwait"]
        region, n = ["#pragma omp parallel", "#pragma omp single"], [f"int n = few + {self.r.randrange(1, 4)}, m = few + 1;"]
        self.n_results = 1
        if way == "firstprivate":
            task = ["#pragma omp task firstprivate(w) shared(r)", "{", "double sum = 0;"] + use[:1] + \
                [f"{loops} {at}{leaf} += 1;"] + use[-1:] + ["r[0] = sum;", "}"]
            return n + make + fill + region + task + [f"{{ double sum = 0; {use[0]} r[0] += sum; }}"], None
        code = make + ["double sum = 0;"] + fill + use
        if way == "body":
            return n + region + ["#pragma omp task shared(r)", "{"] + code + ["r[0] = sum;", "}"], None
        self.file.append("\n".join([f"static double shape{s}(int n, int m)", "{"] + code + ["return sum;", "}"]))
        return n + region + ["#pragma omp task shared(r)", f"r[0] = shape{s}(n, m);"], None

    def text(self):
        pick = self.r.random()
        lines, parameter = (self.aliases if pick < 0.4 else self.threads if pick < 0.47 else self.captures if pick < 0.6
                            else self.loops if pick < 0.72 else self.names if pick < 0.82 else self.shapes)()
        s, has = self.s, f"{parameter} x" if parameter else "void"
        show = [f'printf("{s}:");', f"for (int i = 0; i < {max(self.n_results, 1)}; i++)", 'printf(" %g", r[i]);',
                'printf("\\n");']
        return "\n".join(self.file + [f"void case{s}({has})", "{", f"double r[{max(self.n_results, 1)}] = {{0}};"]
                         + lines + show + ["}"])


def main():
    begin, n, part = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    headers = ["stdio.h", "stdlib.h", "stdint.h", "string.h", "omp.h"]
    random.Random(begin).shuffle(headers)
    types = Types(random.Random(2 * begin + part))
    print("\n".join(f"#include <{h}>" for h in headers) + "\nstatic int few = 1;\n" + types.text)
    calls, declarations = [], []
    for seed in range(begin, begin + n):
        text = Small(seed, types).text()
        has_none = f"case{seed}(void)" in text
        if seed % 2 == part - 1:
            print(text)
        else:
            declarations.append(f"void case{seed}();")
        calls.append(f"case{seed}({'' if has_none else '4'});")
    calls.append('printf("%g\\n", atof("2.5"));')
    if part == 1:
        print("\n".join(declarations) + "\nint main(void)\n{\n" + "\n".join(calls) + "\nreturn 0;\n}")


main()
