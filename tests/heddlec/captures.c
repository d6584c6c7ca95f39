/* SPDX-License-Identifier: MIT */
/* Tasks: names, clauses, loops, dependences; and what they capture, by which rule of OpenMP. */
#include "understood.h"

/* ---- data sharing ------------------------------------------------------------------------------------------------ */

/* In a function without a parallel region around it variables are firstprivate; outside functions they are shared. */
static void check_orphan(void)
{
    understand("",
               "static int limit; int count, others; const int fixed = 3; double table[10];\n"
               "void f(int n, double *x) {\n"
               "  int local = n, small[3] = {1, 2, 3};\n"
               "#pragma omp task\n"
               "  { int inner = fixed; count += local + n + small[0] + inner + limit; x[0] = table[others]; }\n"
               "}\n",
               "task f_4: local=value; n=value; small=value; limit=value; x=value;\n"
               "global fixed constant;\nglobal count variable;\nglobal table variable;\nglobal others variable;\n"
               "!global limit\n");
}

static void check_region_rules(void)
{
    understand("p",
               "struct pair { int u, v; };\n"
               "void f(int n, double *x) {\n"
               "  int a = 1, b = 2, c = 3, written = 0, array[4];\n"
               "  struct pair s = {1, 2};\n"
               "#pragma omp parallel private(b)\n"
               "#pragma omp single firstprivate(c)\n"
               "  {\n"
               "    int own = 5;\n"
               "#pragma omp task\n"
               "    { written = a + b + c + own + s.u; array[0] = 1; x[0] = 2; }\n"
               "#pragma omp task\n"
               "    x[1] = written;\n"
               "  }\n"
               "}\n",
               "task f_9: written=reference; a=value; b=value; c=value; own=value; s=value; array=reference; x=value;\n"
               "task f_11: x=value; written=reference;\n"
               " map array 3 implicit;\n map written 3 implicit;\n private b;\n!slot\n!firstprivate c\n");
    /* A scalar of a target region that no clause maps is the region's own. */
    understand(
        "",
        "void f(int n, double *x) {\n"
        "  int sum = 0, i, plain = 2, kept = 0;\n"
        "#pragma omp target parallel map(x[0:n]) map(tofrom: kept)\n"
        "#pragma omp single\n"
        "  for (i = 0; i < n; i++) {\n"
        "#pragma omp task firstprivate(i)\n"
        "    { sum += plain; kept += i; x[i] = 0; } /* HC212? HC212? */\n"
        "  }\n"
        "}\n",
        "sum=reference;\n kept=reference;\n plain=value;\nslot sum;\n firstprivate sum;\n firstprivate i;\n!map sum\n"
        "!firstprivate plain\n!slot kept\n");
    understand("",
               "void f(int *x) {\n"
               "  int sum = 0, more = 0;\n"
               "#pragma omp target map(x[0:2]) defaultmap(tofrom: scalar)\n"
               "  {\n"
               "#pragma omp task shared(more)\n"
               "    { sum++; more++; x[0] = sum; }\n"
               "  }\n"
               "}\n",
               " map sum 3 implicit;\n map more 3 implicit;\n!slot\n");
}

static void check_clauses(void)
{
    understand("",
               "int g;\n"
               "void f(int n) {\n"
               "  int a = 0, b = 0, c = 0, d = 0, e = 0;\n"
               "#pragma omp task private(a) firstprivate(b, g) shared(c) default(shared)\n"
               "  { a = b + g; c = 1; d = 2; n = a; (void)sizeof e; }\n"
               "#pragma omp task default(none) shared(c) firstprivate(d)\n"
               "  c += d;\n"
               "#pragma omp taskwait\n"
               "}\n",
               "a=private;\n b=value;\n g=value;\n c=reference;\n d=reference;\n n=reference;\n e=value;\n!global g\n"
               "slot c;\nslot d;\nslot n;\n");
    /* Names of the record that are taken by C++ or by another capture. */
    understand("",
               "void f(int n, int class, int new_1, double (*new)[n]) {\n"
               "#pragma omp task\n"
               "  new[0][0] = class + new_1;\n"
               "}\n",
               " new_=value[1 double];\n class_=value;\n new_1=value;\n");
}

/* A variable private to an inner construct belongs to the task, or to no task. */
static void check_inner(void)
{
    understand("p",
               "void f(double *x, int n) {\n"
               "  int i, j, k, t, last = 0;\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "    for (int b = 0; b < n; b++) {\n"
               "#pragma omp task\n"
               "      {\n"
               "#pragma omp parallel for private(j, t) lastprivate(last) /* HC212? */\n"
               "        for (i = 0; i < n; i++)\n"
               "          for (j = 0; j < n; j++) { t = j; last = t; x[i] += b; }\n"
               "      }\n"
               "    }\n"
               "    for (i = 0; i < 3; i++)\n"
               "      for (j = 0; j < 3; j++);\n"
               "  }\n"
               "}\n",
               "task f_7 inner: j=private; t=private; last=reference; i=private; n=value; x=value; b=value;\n");
}

static void check_variable_length(void)
{
    understand("p",
               "void f(int n, int m, double q[][m], double (*r)[n][8], double *plain) {\n"
               "  double a[n], b[n][m][3], (*c)[5] = 0;\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = b[0][1][2] + q[0][0] + r[0][0][0] + c[0][0] + plain[0] + ((double (*)[n])plain)[0][0];\n"
               "  }\n"
               "}\n",
               " a=reference;\n b=reference[1 double[3]];\n q=value[1 double];\n r=value[1 double[8]];\n c=value;\n"
               " plain=value;\n n=value;\n map a 3 implicit;\n map b 3 implicit;\n");
    understand("p",
               "void f(int n) {\n"
               "  double own[n];\n"
               "#pragma omp task shared(own) // HC191\n"
               "  own[0] = 1;\n"
               "}\n",
               "");
    understand("p",
               "void f(int n) {\n"
               "  double own[n];\n"
               "#pragma omp task private(own)\n"
               "  (void)own[0];\n"
               "}\n",
               "task f_3: own=value;\n");
}

/* Addresses that go elsewhere: what tasks may change through them is captured by reference. */
static void check_addresses(void)
{
    understand("p",
               "void set(int *p) {\n"
               "#pragma omp task\n"
               "  *p = 1;\n"
               "}\n"
               "void inc(int *p) { ++*p; }\n"
               "int get(const int *p) { return *p; }\n"
               "void f(int *x, struct s { int *p; } *s) {\n"
               "  int a = 0, b = 0, c = 0, d = 0;\n"
               "  s->p = &d;\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "    set(&a);\n"
               "#pragma omp task\n"
               "    { inc(&b); x[0] = a + get(&c) + d; }\n"
               "  }\n"
               "}\n",
               "task f_14: b=reference; x=value; a=reference; c=value; d=reference;\n map a 3 implicit;\n");
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void check_names(void)
{
    hc_program *p = understand("",
                               "void lu(int *x) { x[0]++; }\n"
                               "int get(int *x) { return x[1]; }\n"
                               "void f(int *x) {\n"
                               "#pragma omp task label(\"first one\")\n"
                               "  lu(x);\n"
                               "#pragma omp task priority(3) untied mergeable final(x == 0) if(1)\n"
                               "  { x[0] = get(x); }\n"
                               "#pragma omp task\n"
                               "  { lu(x); lu(x); }\n"
                               "}\n",
                               "task lu_4: x=value;\ntask get_6 priority:\ntask f_8:\nfunction lu team;\n");
    CHECK(!strcmp(p->tasks.at[0].label, "first one") && !strcmp(p->tasks.at[1].label, "get:6"));
    CHECK(p->tasks.at[1].if_expr && p->tasks.at[1].if_expr->value == 1);
    understand("",
               "#define BOTH _Pragma\n"
               "void f(int *x) {\n"
               "#pragma omp task\n"
               "  x[0] = 1;\n"
               "# 3 \"t.c\"\n"
               "#pragma omp task\n"
               "  x[0] = 1;\n"
               "}\n",
               "task f_3:\ntask f_3_2:\n");
}

static void check_taskloop(void)
{
    hc_program *p =
        understand("",
                   "void f(int *x, int n, int m) {\n"
                   "  int i, last = 0, k;\n"
                   "#pragma omp taskloop num_tasks(8) nogroup lastprivate(last) private(k)\n"
                   "  for (i = 0; n >= i; i = 2 + i)\n"
                   "    { k = m; last = k; x[i] = last; }\n"
                   "}\n",
                   "task f_3 loop nogroup: k=private; m=value; last=reference last; x=value;\nslot last;\n");
    const hc_task *t = &p->tasks.at[0];
    CHECK(t->n_loops == 1 && !strcmp(t->loops[0].test, "<=") && !t->loops[0].declares && t->loops[0].step);
    CHECK(t->num_tasks && t->num_tasks->value == 8 && !t->grainsize);
    p = understand("",
                   "void f(int *x, int n) {\n"
                   "#pragma omp taskloop collapse(3)\n"
                   "  for (int i = n; i > 0; i--) {\n"
                   "    for (int j = 0; j != n; ++j)\n"
                   "      for (int *q = x; q < x + n; q = q + 1)\n"
                   "        q[i] = j;\n"
                   "  }\n"
                   "}\n",
                   "task f_2 loop:\nwait 2 sync;\n");
    t = &p->tasks.at[0];
    CHECK(t->n_loops == 3 && t->loops[0].step_is_minus && !t->loops[0].step && t->loops[2].step->value == 1);
    CHECK(!strcmp(t->loops[1].test, "!=") && t->loops[1].declares && !t->loops[1].step_is_minus);
}

/* The host evaluates bounds: a task does not capture what only they use. */
static void check_taskloop_bounds(void)
{
    understand("",
               "struct v { int n; };\n"
               "void f(int *x, struct v *v) {\n"
               "#pragma omp taskloop\n"
               "  for (int i = 0; i < v->n; i++)\n"
               "    x[i] = i;\n"
               "#pragma omp taskloop firstprivate(x) lastprivate(x) // HC240\n"
               "  for (int i = 0; i < 3; i++)\n"
               "    x = 0;\n"
               "}\n",
               "task f_3 loop: x=value;\n");
}

/* Loops without a pragma; with one the C parser checks the form. */
static void check_loop_forms(void)
{
    static const char *const forms[] = {"for (; n > 0; n--) x[n] = 0;",
                                        "for (i = 0; x[i]; i++) x[i] = 0;",
                                        "for (i = 0; i < n; i *= 2) x[i] = 0;",
                                        "for (i = 0; i < n; i = 1 - i) x[i] = 0;",
                                        "for (x[0] = 0; i < n; i++);",
                                        "for (i = 0; i < n;) i++;",
                                        "for (i = 0; i < n; i++) { x[i] = 0; for (int j = 0; j < n; j++); }"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *source = hc_format("void f(int n, int *x, int i) { %s }", forms[i]);
        static char kept[200];
        hc_program *p;
        hc_loop loops[2];
        said s = {source, {0}, 0};
        snprintf(kept, sizeof kept, "%s", source);
        p = understand("", kept, "");
        hc_hear(hear, &s);
        CHECK_MSG(hc_canonical_loops(p->units.at[0]->root->last->body->first, loops, 2) == -1 && s.n == 1, "%s", kept);
        hc_hear(NULL, NULL);
    }
}

static void check_depends(void)
{
    understand("",
               "struct s { double *p, q[3]; };\n"
               "void f(int n, double *a, double **rows, double m[][8], struct s *s, int x) {\n"
               "#pragma omp task depend(in: a[0:n], rows[2][1:n], x, m[1:2][0:8]) "
               "depend(out: s->p[3], s->q[1:2], *a) depend(inout: rows[1])\n"
               "  a[0] = 1;\n"
               "}\n",
               " in a/1/0; in rows/2/1; in x/0/0; in m/2/0; out s->p/1/0; out s->q/1/0; out *a/0/0; inout rows/1/0;\n");
    understand("",
               "extern double open[];\n"
               "void f(int n, double *a, double **rows) {\n"
               "#pragma omp task depend(in: a[0:0]) depend(out: a[1]) // HC112?\n"
               "  a[0] = 1;\n"
               "#pragma omp task depend(in: rows[0:n][0:4]) // HC120\n"
               "  a[0] = 1;\n"
               "#pragma omp task depend(in: rows[3:1][0:4])\n"
               "  a[0] = 1;\n"
               "#pragma omp task depend(inoutset: a[0]) // HC123?\n"
               "  a[0] = 1;\n"
               "#pragma omp task depend(mutexinoutset: a[0]) // HC123?\n"
               "  a[0] = 1;\n"
               "}\n",
               "task f_3: a=value; out a/1/0;\n in rows/2/1;\n");
}

static void check_refused_tasks(void)
{
    understand("",
               "int fib(int n) {\n"
               "  int a, b;\n"
               "  if (n < 2) return n;\n"
               "#pragma omp task shared(a)\n"
               "  a = fib(n - 1);\n"
               "#pragma omp task shared(b)\n"
               "  b = fib(n - 2);\n"
               "#pragma omp taskwait\n"
               "  return a + b;\n"
               "}\n"
               "void g(int *x) {\n"
               "#pragma omp task\n"
               "  {\n"
               "#pragma omp task\n"
               "    x[0] = 1;\n"
               "  }\n"
               "}\n",
               "");
    understand("",
               "void f(int *x, int s) {\n"
               "#pragma omp taskgroup task_reduction(+: s)\n"
               "  {\n"
               "#pragma omp task in_reduction(+: s)\n"
               "    s += x[0];\n"
               "  }\n"
               "#pragma omp taskloop reduction(+: s)\n"
               "  for (int i = 0; i < 3; i++) s += x[i];\n"
               "  (void)({\n"
               "#pragma omp task // HC240\n"
               "    x[0] = 1;\n"
               "    0; });\n"
               "}\n",
               "");
}

/* ---- types that cannot be captured ------------------------------------------------------------------------------- */

static void check_types(void)
{
    understand(
        "g",
        "typedef union { int i; int *p; } either;\n"
        "typedef struct { either e; } wrapped;\n"
        "typedef struct { int *p; unsigned b : 3; } fine;\n"
        "void f(double *x, double _Complex z, _Atomic int a, wrapped w, fine v, long double l, long double *lp) {\n"
        "#pragma omp task // HC172\n"
        "  x[0] = __real__ z;\n"
        "#pragma omp task // HC172\n"
        "  x[0] = a;\n"
        "#pragma omp task // HC170\n"
        "  x[0] = w.e.i;\n"
        "#pragma omp task\n"
        "  x[0] = v.p[0] + v.b;\n"
        "#pragma omp task // HC172?\n"
        "  x[0] = l;\n"
        "#pragma omp task // HC172\n"
        "  x[0] = lp[0];\n"
        "}\n",
        "type fine;\n!type either;type wrapped;type either\n");
    understand("pg",
               "void f(double *x, double **rows, double *other) {\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "#pragma omp task shared(x) // HC240\n"
               "    x = other;\n"
               "#pragma omp task firstprivate(rows)\n"
               "    rows[1][2] = 1; // HC170?\n"
               "  }\n"
               "}\n",
               "");
    understand("pgs",
               "void f(double *x, double **rows, double *other) {\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "#pragma omp task shared(x)\n"
               "    x = other;\n"
               "#pragma omp task firstprivate(rows)\n"
               "    rows[1][2] = 1;\n"
               "  }\n"
               "}\n",
               "x=reference;\n");
}

int main(void)
{
    check_orphan();
    check_region_rules();
    check_clauses();
    check_inner();
    check_variable_length();
    check_addresses();
    check_names();
    check_taskloop();
    check_taskloop_bounds();
    check_loop_forms();
    check_depends();
    check_refused_tasks();
    check_types();
    return 0;
}
