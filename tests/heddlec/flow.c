/* SPDX-License-Identifier: MIT */
/* Eligibility: which values of tasks reach the host, and what each wait becomes. */
#include "understood.h"

/* Analyses `body` as the creator of a target region of f(int n, double *a, double *b, int *k, int **rows, struct s *s). */
static void flow(const char *body, const char *found)
{
    static char source[4000];
    snprintf(
        source, sizeof source,
        "int printf(const char *, ...); void *malloc(unsigned long); void free(void *); double omp_get_wtime(void);"
        "void elsewhere(double *); int plain(const int *p) { return *p; } struct s { int x, y; double d; };"
        "void f(int n, double *a, double *b, int *k, int **rows, struct s *s) { int x = 0, i; double t;\n"
        "#pragma omp target parallel map(tofrom: x)\n"
        "#pragma omp single\n"
        "%s}\n",
        body);
    understand("", source, found);
}

/* ---- uses that tasks' values reach ------------------------------------------------------------------------------- */

static void check_refused(void)
{
    flow("{\n"
         "#pragma omp task shared(x)\n"
         "  x = k[0];\n"
         "  if (x) // HC210\n"
         "    k[1] = 0;\n"
         "}\n",
         "x=reference;\n");
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "  for (int j = 0; j < a[1]; j++) // HC210\n"
         "    k[j] = b[2];\n"
         "  t = a[3] + 1; // HC210\n"
         "  while (plain(k)) break;\n"
         "  elsewhere(a); // HC210\n"
         "}\n",
         "");
    flow("{\n"
         "#pragma omp task\n"
         "  k[0] = 1;\n"
         "  while (plain(k)) // HC210\n"
         "    x++;\n"
         "}\n",
         "");
    /* In a loop, text further ahead also comes before. */
    flow("for (int j = 0; j < n; j++) {\n"
         "  if (a[j] > 1) // HC210\n"
         "    break;\n"
         "#pragma omp task\n"
         "  a[j] = 1;\n"
         "}\n",
         "");
    flow("for (i = 0; i < n; i++) { // HC211\n"
         "#pragma omp task\n"
         "  a[i] = 1;\n"
         "}\n",
         "");
    flow("{\n"
         "#pragma omp task shared(x)\n"
         "  a[x] = 1;\n"
         "  x = 3; // HC211\n"
         "#pragma omp taskwait\n"
         "  x = 4;\n"
         "}\n",
         "x=value;\nwait 8 barrier;\n");
    /* A captured value is read where the task is created. */
    flow("{\n"
         "#pragma omp task shared(x)\n"
         "  x = 1;\n"
         "#pragma omp task firstprivate(x) // HC210\n"
         "  a[x] = 1;\n"
         "#pragma omp task depend(in: a[x]) // HC210\n"
         "  a[2] = 1;\n"
         "}\n",
         "");
}

static void check_assumed(void)
{
    understand("",
               "void f(int *a) {\n"
               "#pragma heddle region assume(eligible)\n"
               "#pragma omp target map(a[0:4])\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = 1;\n"
               "    if (a[1]) a[2] = 1; // HC210?\n"
               "  }\n"
               "}\n",
               "region 3 creator 4 target assumed;\n");
}

/* Accesses that types, fields and different variables keep apart. */
static void check_apart(void)
{
    flow("{\n"
         "#pragma omp task\n"
         "  { a[0] = 1; s->x = 3; rows[1][2] = 1; }\n"
         "  if (b[0] > k[1] && s->y && s->d && rows[0])\n"
         "    n = 3;\n"
         "}\n",
         "");
    flow("{\n"
         "  double *p = a + n, *q = b;\n"
         "#pragma omp task\n"
         "  p[0] = 1;\n"
         "  t = q[0];\n"
         "  t = a[2]; // HC210\n"
         "}\n",
         "");
    flow("{\n"
         "  int own = 0;\n"
         "#pragma omp task\n"
         "  { own++; a[own] = 1; }\n"
         "  own++;\n"
         "  for (int j = 0; j < own; j++)\n"
         "    k[j] = b[j] = 0;\n"
         "}\n",
         "own=value;\n");
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static void check_waits(void)
{
    flow("for (int j = 0; j < n; j++) {\n"
         "#pragma omp task\n"
         "  a[j] = 1;\n"
         "#pragma omp taskwait\n"
         "}\n",
         "wait 7 barrier;\n target barriers;\n");
    flow("for (int j = 0; j < n; j++) {\n"
         "#pragma omp task\n"
         "  a[j] = 1;\n"
         "#pragma omp taskwait\n"
         "  if (a[0] > 3)\n"
         "    break;\n"
         "}\n",
         "wait 7 sync;\n! barriers\n! writes\n");
    /* Only the last wait before the use. */
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "#pragma omp taskwait\n"
         "#pragma omp taskgroup\n"
         "  {\n"
         "#pragma omp task\n"
         "    a[1] = 1;\n"
         "  }\n"
         "#pragma omp taskwait\n"
         "  t = a[0];\n"
         "}\n",
         "wait 7 barrier;\nwait 8 barrier;\nwait 13 sync;\n");
    /* Different variables may be the same memory, except for values of other types. */
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "#pragma omp taskwait\n"
         "  t = b[0];\n"
         "}\n",
         "wait 7 sync;\n");
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "#pragma omp taskwait\n"
         "  n = k[0] + x;\n"
         "}\n",
         "wait 7 barrier;\n");
}

/* What a task reads must not change before it ran; what it captures may. */
static void check_waits_for_writes(void)
{
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = b[0];\n"
         "#pragma omp taskwait\n"
         "  b[0] = 2;\n"
         "#pragma omp task\n"
         "  a[0] = b[0];\n"
         "}\n",
         "wait 7 sync;\n writes;\n");
    flow("for (int j = 0; j < n; j++) {\n"
         "  double *h = a;\n"
         "#pragma omp task shared(a, b)\n"
         "  a[0] = b[0];\n"
         "#pragma omp taskwait\n"
         "  a = b;\n"
         "  b = h;\n"
         "}\n",
         "wait 8 barrier;\na=value;\n");
    flow("{\n"
         "  double *h = malloc(8);\n"
         "#pragma omp task\n"
         "  h[0] = 1;\n"
         "#pragma omp taskwait\n"
         "  free(h);\n"
         "}\n",
         "wait 8 sync;\n");
}

static void check_clocks(void)
{
    flow("{\n"
         "  t = omp_get_wtime();\n"
         "  printf(\"begin\");\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "  t = omp_get_wtime();\n"
         "  printf(\"created\"); // HC230?\n"
         "#pragma omp taskwait\n"
         "  t = omp_get_wtime() - t;\n"
         "  printf(\"done\");\n"
         "}\n",
         "wait 11 sync;\n");
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "#pragma omp taskwait\n"
         "  printf(\"done\");\n"
         "}\n",
         "wait 7 sync;\n");
}

static void check_undeferred(void)
{
    flow("{\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "#pragma omp task if(0) depend(in: a[0])\n"
         "  {}\n"
         "  t = a[0];\n"
         "}\n",
         "");
    flow("{\n"
         "#pragma omp task if(n > 2)\n"
         "  a[0] = 1;\n"
         "  if (n <= 2) t = a[0];\n"
         "#pragma omp taskwait\n"
         "  t = a[0];\n"
         "}\n",
         "wait 8 sync;\n");
}

static void check_taskloop(void)
{
    flow("{\n"
         "#pragma omp taskloop\n"
         "  for (int j = 0; j < n; j++) a[j] = 1;\n"
         "  t = a[0];\n"
         "#pragma omp taskloop nogroup\n"
         "  for (int j = 0; j < n; j++) a[j] = 1;\n"
         "#pragma omp taskloop nogroup\n"
         "  for (int j = 0; j < a[1]; j++) a[j] = 1; // HC210\n"
         "}\n",
         "wait 5 sync;\n");
}

/* ---- control flow ------------------------------------------------------------------------------------------------ */

static void check_paths(void)
{
    flow("{\n"
         "  switch (n) {\n"
         "  case 1:\n"
         "#pragma omp task\n"
         "    a[0] = 1;\n"
         "    break;\n"
         "  default: t = a[0];\n"
         "  }\n"
         "  if (n > 3) {\n"
         "#pragma omp taskwait\n"
         "    t = a[1];\n"
         "  }\n"
         "  t = a[2]; // HC210\n"
         "}\n",
         "wait 13 sync;\n");
    flow("{\n"
         "  int j = 0;\n"
         "again:\n"
         "  if (a[j] > 0) // HC210\n"
         "    goto end;\n"
         "#pragma omp task\n"
         "  a[0] = 1;\n"
         "  if (j++ < 3) goto again;\n"
         "end:;\n"
         "}\n",
         "");
    flow("{\n"
         "  do {\n"
         "#pragma omp task\n"
         "    a[0] = 1;\n"
         "    if (n-- > 3) continue;\n"
         "#pragma omp taskwait\n"
         "  } while (n && a[0] > 0); // HC210\n"
         "}\n",
         "wait 9 sync;\n");
}

static void check_calls(void)
{
    understand("",
               "void leaf(double *x, int i) {\n"
               "#pragma omp task\n"
               "  x[i] = 1;\n"
               "}\n"
               "void settle(void) {\n"
               "#pragma omp taskwait\n"
               "}\n"
               "double norm(const double *x) { return x[0]; }\n"
               "int deeper(double *x, int n) {\n"
               "  leaf(x, n);\n"
               "  return n > 0 ? deeper(x, n - 1) : 0;\n"
               "}\n"
               "void f(double *a, double *b, int n) {\n"
               "#pragma omp target parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "    double e = norm(b);\n"
               "    deeper(a, n);\n"
               "    e = norm(b);\n"
               "    e = norm(a); // HC210\n"
               "    settle();\n"
               "    e = norm(a);\n"
               "    n && (leaf(b, 1), 1);\n"
               "    e = norm(b); // HC210\n"
               "  }\n"
               "}\n",
               "wait 6 sync;\n");
    /* A call through a pointer may reach any function with its address taken. */
    understand("",
               "static void one(double *x) {\n"
               "#pragma omp task\n"
               "  x[0] = 1;\n"
               "#pragma omp taskwait\n"
               "}\n"
               "static void two(double *x) { x[0] = 2; }\n"
               "void f(double *a, int n) {\n"
               "  void (*way)(double *) = n ? one : two;\n"
               "#pragma omp target\n"
               "  {\n"
               "    way(a);\n"
               "    n = a[0];\n"
               "  }\n"
               "}\n",
               "region 9 creator 10 target;\nwait 4 sync;\n");
    /* No region reaches it: always right. */
    understand("",
               "void f(double *a) {\n"
               "#pragma omp task\n"
               "  a[0] = 1;\n"
               "#pragma omp taskwait\n"
               "}\n",
               "wait 4 sync;\n");
}

/* Variables of the region's function that tasks reach through pointers are mapped. */
static void check_reached(void)
{
    understand("p",
               "void leaf(double *x) {\n"
               "#pragma omp task\n"
               "  x[0]++;\n"
               "}\n"
               "void f(void) {\n"
               "  double a[10], b[10], *p = b, c = 0;\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  { leaf(a); leaf(p + 1); leaf(&c); }\n"
               "}\n",
               " map a 3 implicit;\n map b 3 implicit;\n map c 3 implicit;\n");
}

/* A declaration begins a new variable; tasks still use the last one. */
static void check_birth(void)
{
    flow("for (int j = 0; j < n; j++) {\n"
         "  int own = j;\n"
         "#pragma omp task shared(own)\n"
         "  own += a[j];\n"
         "#pragma omp task shared(own)\n"
         "  a[j] = own;\n"
         "#pragma omp taskwait\n"
         "}\n",
         "wait 10 barrier;\nslot own;\n");
}

int main(void)
{
    check_refused();
    check_assumed();
    check_apart();
    check_waits();
    check_waits_for_writes();
    check_clocks();
    check_undeferred();
    check_taskloop();
    check_paths();
    check_calls();
    check_reached();
    check_birth();
    return 0;
}
