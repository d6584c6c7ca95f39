/* SPDX-License-Identifier: MIT */
/* What the analysis finds in a program: regions and their needs, tasks and their captures, dependences, functions and
 * variables that bodies reach. */
#include "understood.h"

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static void check_regions(void)
{
    understand("",
               "void f(int *a, int n, int m) {\n"
               "  int k;\n"
               "#pragma omp target parallel map(to: a[0:n]) private(k) num_threads(64) if(n > 2)\n"
               "  {\n"
               "    int z;;\n"
               "#pragma omp single nowait\n"
               "    for (k = 0; k < n; k++) {\n"
               "#pragma omp task depend(inout: a[k])\n"
               "      a[k] += m;\n"
               "    }\n"
               "  }\n"
               "}\n",
               "region 3 creator 7 target; map a[0:n] 1; private k; num_threads if\n"
               "task f_8: a=value; k=value; m=value; inout a/1/0;\n");
    understand("",
               "void f(int *a) {\n"
               "#pragma heddle region assume(eligible)\n"
               "#pragma omp target map(a[0:4])\n"
               "#pragma omp parallel num_threads(32)\n"
               "  {\n"
               "#pragma omp master\n"
               "    {\n"
               "#pragma omp task\n"
               "      a[0] = 1;\n"
               "    }\n"
               "#pragma omp barrier\n"
               "  }\n"
               "}\n",
               "region 3 creator 7 target assumed; map a[0:4] 3; num_threads\n");
    understand("",
               "void f(int *a) {\n"
               "#pragma omp target map(from: a[0:4])\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = 1;\n"
               "#pragma omp taskwait\n"
               "  }\n"
               "}\n",
               "region 2 creator 3 target barriers; map a[0:4] 2;\n");
}

static void check_parallel(void)
{
    const char *source = "void f(int *a) {\n"
                         "#pragma omp parallel\n"
                         "#pragma omp single\n"
                         "  {\n"
                         "#pragma omp task\n"
                         "    a[0] = 1;\n"
                         "#pragma omp taskwait\n"
                         "  }\n"
                         "#pragma omp parallel for\n"
                         "  for (int i = 0; i < 4; i++)\n"
                         "    a[i]++;\n"
                         "}\n";
    understand("", source, "!region\n!task\n!wait\n");
    understand("p", source, "region 2 creator 4 barriers;\ntask f_5: a=value;\nwait 7 barrier;\n");
    understand("p",
               "void f(int *a) {\n"
               "#pragma omp parallel master\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = 1;\n"
               "  }\n"
               "}\n",
               "region 2 creator 3;\n");
    /* What only the host's OpenMP reaches is left to it; what a region also reaches is not. */
    understand("",
               "void t(int *a) {\n"
               "#pragma omp task\n"
               "  a[0] = 1;\n"
               "}\n"
               "void u(int *a) {\n"
               "#pragma omp task\n"
               "  a[0] = 1;\n"
               "}\n"
               "void f(int *a) {\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  { t(a); u(a); }\n"
               "#pragma omp target\n"
               "  u(a);\n"
               "}\n",
               "!task t_2\ntask u_6: a=value;\nregion 13\n!region 10\n");
}

static void check_refused_regions(void)
{
    understand("",
               "void f(int *a, int n) {\n"
               "#pragma omp target parallel // HC111\n"
               "#pragma omp single\n"
               "  a[0] = 1;\n"
               "#pragma omp target parallel\n"
               "  {\n"
               "    a[1]++; // HC111?\n"
               "#pragma omp single\n"
               "    {\n"
               "#pragma omp task\n"
               "      a[0] = 1;\n"
               "    }\n"
               "#pragma omp for\n"
               "    for (int i = 0; i < n; i++) a[i] = 0;\n"
               "  }\n"
               "#pragma omp target parallel\n"
               "  {\n"
               "#pragma omp task // HC142?\n"
               "    a[0] = 1;\n"
               "  }\n"
               "#pragma omp target parallel\n"
               "  {\n"
               "#pragma omp single\n"
               "    {\n"
               "#pragma omp task\n"
               "      a[0] = 1;\n"
               "    }\n"
               "#pragma omp single\n"
               "    a[0] = 1;\n"
               "    a[1] = 1; // HC111?\n"
               "  }\n"
               "#pragma omp target map(a[0:n]) // HC240\n"
               "  a[0] = 1;\n"
               "#pragma omp target teams // HC240\n"
               "  a[0] = 1;\n"
               "}\n",
               "");
}

static void check_refused_parallel(void)
{
    understand("p",
               "void t(int *a) {\n"
               "#pragma omp task\n"
               "  a[0] = 1;\n"
               "}\n"
               "void f(int *a, int n, int s) {\n"
               "#pragma omp parallel for // HC142?\n"
               "  for (int i = 0; i < n; i++) t(a + i);\n"
               "#pragma omp parallel\n"
               "  {\n"
               "    t(a); // HC142?\n"
               "  }\n"
               "#pragma omp parallel reduction(+: s)\n"
               "#pragma omp single\n"
               "  t(a);\n"
               "#pragma omp parallel\n"
               "#pragma omp single\n"
               "  {\n"
               "    t(a);\n"
               "#pragma omp parallel for\n"
               "    for (int i = 0; i < n; i++) a[i] = 0;\n"
               "  }\n"
               "}\n"
               "void g(int *a, int n) {\n"
               "#pragma omp for\n"
               "  for (int i = 0; i < n; i++) t(a + i);\n"
               "}\n",
               "");
    understand("",
               "void f(int *a, int n) {\n"
               "#pragma omp target parallel device(1) // HC240?\n"
               "#pragma omp single\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = 1;\n"
               "  }\n"
               "#pragma omp target device(0) depend(in: a[0]) // HC240\n"
               "  {\n"
               "#pragma omp task\n"
               "    a[0] = n;\n"
               "  }\n"
               "}\n",
               "");
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static void check_maps(void)
{
    understand("",
               "int big[100];\n"
               "void f(int *a, int n, double m[][8], int **rows) {\n"
               "  double t[4][6]; struct { int *p; int x; } s;\n"
               "#pragma omp target enter data map(to: a[0:n], big) map(alloc: m[0:n][0:8])\n"
               "#pragma omp target update from(t[1:2]) to(a[2:3])\n"
               "#pragma omp target data map(always, tofrom: s.p[0:n]) map(rows[2][0:n])\n"
               "  a[0] = 1;\n"
               "#pragma omp target exit data map(delete: big) map(release: a[0:n])\n"
               "}\n",
               "data 4 maps 3;\ndata 5 maps 2;\ndata 6 maps 2;\ndata 8 maps 2;\n");
    understand("",
               "void f(int *a, int n, double m[][8], int **rows) {\n"
               "#pragma omp target enter data map(to: a) // HC107?\n"
               "#pragma omp target enter data map(to: a[0:n]) nowait // HC105\n"
               "#pragma omp target enter data map(to: rows[0:n][0:2]) // HC104\n"
               "}\n"
               "int z;\n"
               "#pragma omp declare target link(z) // HC106\n",
               "");
    understand("",
               "void f(int *a, int n, int t[][n]) {\n"
               "#pragma omp target enter data map(to: t[0:4][0:n])\n"
               "#pragma omp target enter data map(to: t[1][2:n - 2])\n"
               "#pragma omp target enter data map(to: t[0:4][0:n - 1]) // HC104\n"
               "}\n",
               "");
}

int main(void)
{
    check_regions();
    check_parallel();
    check_refused_regions();
    check_refused_parallel();
    check_maps();
    return 0;
}
