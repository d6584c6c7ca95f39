/* SPDX-License-Identifier: MIT */
/* The text of task bodies: what each part becomes, and that a C compiler, a C++ compiler and nvcc accept it. A missing
 * compiler is reported as skipped. */
#include "heddlec/understood.h"

#include "device/bodies.h"

#include <unistd.h>

/* ---- compilers --------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/heddle-device-XXXXXX";

static const struct compiler {
    const char *name, *flags;
} compilers[] = {{"cc", "-std=gnu11 -Werror -x c -fsyntax-only"},
                 {"c++", "-std=gnu++17 -Werror -Wno-pedantic -x c++ -fsyntax-only"},
                 {"nvcc", "-std=c++17 -arch=sm_90 -Werror all-warnings -x cu -c -o /dev/null"}};
enum { N_COMPILERS = sizeof compilers / sizeof *compilers };
static int is_here[N_COMPILERS];

static void find_compilers(void)
{
    for (int i = 0; i < N_COMPILERS; i++) {
        is_here[i] = system(hc_format("command -v %s >%s/which 2>&1", compilers[i].name, folder)) == 0;
        if (!is_here[i])
            printf("skipped: %s is not here\n", compilers[i].name);
    }
}

static void compile(const char *text, const char *name)
{
    char *path = hc_format("%s/%s.c", folder, name), *log = hc_format("%s/log", folder);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
    for (int i = 0; i < N_COMPILERS; i++) {
        char *command = hc_format("%s %s -I %s/include %s >%s 2>&1", compilers[i].name, compilers[i].flags,
                                  TEST_SOURCE_DIR, path, log);
        CHECK_MSG(!is_here[i] || system(command) == 0, "%s: %s\n%s\n%s", name, command, hc_read_file(log, NULL), text);
    }
}

/* ---- one source -------------------------------------------------------------------------------------------------- */

/* The functions, then a region with one task around `call`. */
static char *with_task(const char *functions, const char *parameters, const char *call)
{
    static char source[8192]; /* static: the arena is emptied before the analysis */
    int n = snprintf(source, sizeof source,
                     "%s"
                     "void start(%s) {\n"
                     "#pragma omp target\n"
                     "  {\n"
                     "#pragma omp task\n"
                     "    %s;\n"
                     "  }\n"
                     "}\n",
                     functions, parameters, call);
    CHECK(n > 0 && n < (int)sizeof source);
    return source;
}

/* Returns the bodies' text, which must contain these pieces in this order; a piece that begins with '!' must be absent. */
static char *emit(const char *name, const char *source, const char *const *pieces)
{
    hc_program *p = understand("s", source, "");
    hc_buf out = {0};
    const char *at;
    p->options.no_line = 1;
    hc_emit_bodies(p, "t", NULL, &out);
    at = out.at;
    for (; *pieces; pieces++) {
        const char *found = strstr(**pieces == '!' ? out.at : at, *pieces + (**pieces == '!'));
        CHECK_MSG((found != NULL) != (**pieces == '!'), "%s: `%s` in\n%s", name, *pieces, out.at);
        at = **pieces == '!' ? at : found + strlen(*pieces);
    }
    compile(out.at, name);
    return out.at;
}
#define EMIT(name, source, ...) emit(name, source, (const char *const[]){__VA_ARGS__, NULL})

/* ---- the team's threads together --------------------------------------------------------------------------------- */

/* Listing 3's lu0: one barrier per step; the loop's variable and the private one belong to each thread. */
static void check_region(void)
{
    EMIT("region",
         with_task("static void lu0(float *a, int n) {\n"
                   "  int i, j, k;\n"
                   "  for (k = 0; k < n; k++)\n"
                   "#pragma omp parallel for private(j)\n"
                   "    for (i = k + 1; i < n; i++)\n"
                   "      for (j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];\n"
                   "}\n",
                   "float *a, int n", "lu0(a, n)"),
         "lu0_team(const heddle_thread *hd_thread, float *a, int n)", "for (k = 0; k < n; k++)",
         "{ heddle_team_barrier(hd_thread); /* parallel for */ int j;", "HEDDLE_OMP_FOR(int, i, k + 1, n, 1)",
         "HEDDLE_OMP_BODY(lu0_11, struct hd_lu0_11_args)", "lu0_team(hd_thread, a, n);", "X(lu0_11, 0)",
         "!struct hd_lu0_team_block");
}

/* Thread 0 changes memory between barriers, with the statements beside it; a value that it changed is broadcast. */
static void check_sections_of_one_thread(void)
{
    EMIT("one_thread",
         with_task("static void f(int *a, int n) {\n"
                   "  int x = n, unused = a[1];\n"
                   "  a[0] = 1;\n"
                   "  a[1] = a[0];\n"
                   "  x = x * 2;\n"
                   "  a[2] = x++;\n"
                   "#pragma omp parallel for\n"
                   "  for (int i = 0; i < n; i++) a[i] += x;\n"
                   "  if (a[3] > unused) a[4] = 0;\n"
                   "}\n",
                   "int *a, int n", "f(a, n)"),
         "int x = n, unused = a[1];",
         "heddle_team_barrier(hd_thread); HEDDLE_OMP_ONE { a[0] = 1;\n  a[1] = a[0]; }\n  x = x * 2;",
         "HEDDLE_OMP_ONE { a[2] = x++; hd_b->x = x; } heddle_team_barrier(hd_thread); x = hd_b->x;",
         "heddle_team_barrier(hd_thread); /* parallel for */", "a[i] += x;",
         "heddle_team_barrier(hd_thread); HEDDLE_OMP_ONE { if (a[3] > unused) a[4] = 0; }", "X(f_14, 16)");
}

/* One variable for all threads: an array, a variable that an inner region changes, one with its address taken. */
static void check_block(void)
{
    EMIT("block",
         with_task("static void g(int *p) { *p = 3; }\n"
                   "static void f(int *a, int n) {\n"
                   "  int table[4] = {1, 2}, shared = 0, taken, own = 7;\n"
                   "  g(&taken);\n"
                   "#pragma omp parallel\n"
                   "  {\n"
                   "#pragma omp single\n"
                   "    shared = own;\n"
                   "#pragma omp for nowait\n"
                   "    for (int i = 0; i < n; i++) a[i] = shared + table[i & 3] + taken;\n"
                   "#pragma omp barrier\n"
                   "#pragma omp critical(name)\n"
                   "    a[0]++;\n"
                   "  }\n"
                   "}\n",
                   "int *a, int n", "f(a, n)"),
         "struct hd_f_team_block {\n    int table[4];\n    int shared;\n    int taken;\n};", "int own = 7;",
         "g_thread(&hd_b->taken)", "{ heddle_team_barrier(hd_thread); /* parallel */", "/* single */ HEDDLE_OMP_ONE {",
         "hd_b->shared = own; } heddle_team_barrier(hd_thread); }",
         "hd_b->shared + hd_b->table[i & 3] + hd_b->taken; }\nheddle_team_barrier(hd_thread);",
         "HEDDLE_OMP_CRITICAL(hd_params->head.locks + 0)", "X(f_19, 48)");
}

static void check_results(void)
{
    EMIT("results",
         with_task("static double sum(const double *x, int n) {\n"
                   "  double s = 1, top = x[0];\n"
                   "#pragma omp parallel for reduction(+ : s) reduction(max : top)\n"
                   "  for (int i = n - 1; i >= 0; i -= 2) { s += x[i]; if (x[i] > top) top = x[i]; }\n"
                   "  return s + top;\n"
                   "}\n"
                   "static void f(double *x, int n) {\n"
                   "  int last = -1;\n"
                   "  x[0] = sum(x, n) + sum(x, 1);\n"
                   "  while (sum(x, n) < 10) x[1]++;\n"
                   "#pragma omp parallel for collapse(2) lastprivate(last) if (n > 2)\n"
                   "  for (long i = 0; i < n; i++) for (int j = 0; j <= 3; j++) last = j;\n"
                   "  x[2] = last;\n"
                   "}\n",
                   "double *x, int n", "f(x, n)"),
         "double hd_own_s = 0; double hd_own_top = top;", "HEDDLE_OMP_DOWN(int, i, n - 1, (0) - 1, 2)",
         "HEDDLE_OMP_REDUCE(double, hd_own_s, hd_a + hd_b); s = s + hd_own_s;",
         "top = hd_own_top > top ? hd_own_top : top;", "return s + top;",
         "{ double hd_result_1 = sum_team(hd_thread, x, n); double hd_result_2 = sum_team(hd_thread, x, 1);",
         "HEDDLE_OMP_ONE { x[0] = hd_result_1 + hd_result_2; } }", "while (sum_team(hd_thread, x, n) < 10)",
         "if (n > 2) {", "HEDDLE_OMP_FOR2(64, long, i, 0, n, 1, int, j, 0, (3) + 1, 1)", "hd_own_last = j;",
         "if (HEDDLE_OMP_HAS_LAST(HEDDLE_OMP_TRIPS(0, n, 1), 1 * HEDDLE_OMP_TRIPS(0, (3) + 1, 1))) { hd_b->last = "
         "hd_own_last; }");
}

/* Loops of one thread need none of this. */
static void check_thread(void)
{
    EMIT("thread",
         with_task("static int f(const int *a, int n) {\n"
                   "  int s = 0, i;\n"
                   "  for (i = 0; i < n; i++) {\n"
                   "    if (a[i] < 0) break;\n"
                   "    s += a[i];\n"
                   "  }\n"
                   "  return s;\n"
                   "}\n",
                   "int *a, int n", "a[0] = f(a, n)"),
         "int f_thread(const int *a, int n)\n{", "HEDDLE_BODY(f_12,", "if (hd_thread->index != 0)\n        return;",
         "a[0] = f_thread(a, n);", "!heddle_team_barrier(hd_thread)", "!HEDDLE_OMP_ONE");
}

static void check_taskloop(void)
{
    EMIT("taskloop",
         "void f(int *a, int n, int m) {\n"
         "  int last = 0;\n"
         "#pragma omp target map(last)\n"
         "  {\n"
         "#pragma omp taskloop lastprivate(last)\n"
         "    for (int i = 2; i < n; i += 3) last = a[i];\n"
         "#pragma omp taskloop collapse(2)\n"
         "    for (int i = 0; i < n; i++)\n"
         "      for (char j = 5; j > 0; j--) a[i] += j * m;\n"
         "  }\n"
         "  a[0] = last;\n"
         "}\n",
         "int hd_low_0;\n    int64_t hd_step_0;\n    int64_t hd_n_0;\n    int64_t hd_lb;\n    int64_t hd_ub;\n    "
         "int64_t hd_last;",
         "for (int i = (int)(hd_t->hd_low_0 + hd_t->hd_lb * 3)", "i < hd_end_i; i += 3) {",
         "if (hd_t->hd_last) { *hd_t->last = last; }",
         "int i = (int)(hd_t->hd_low_0 + hd_k / hd_t->hd_n_1 * hd_t->hd_step_0);",
         "char j = (char)(hd_t->hd_low_1 + hd_k % hd_t->hd_n_1 * hd_t->hd_step_1);");
}

static void check_atomics(void)
{
    EMIT("atomics",
         with_task("static void f(unsigned *u, double *d, long *l, int n) {\n"
                   "#pragma omp parallel for\n"
                   "  for (int i = 0; i < n; i++) {\n"
                   "    long v;\n"
                   "#pragma omp atomic\n"
                   "    u[0] |= 1u << i;\n"
                   "#pragma omp atomic update seq_cst\n"
                   "    d[0] = d[0] - 0.5;\n"
                   "#pragma omp atomic capture\n"
                   "    v = l[0]++;\n"
                   "#pragma omp atomic capture\n"
                   "    { *l *= 2; v = *l; }\n"
                   "#pragma omp atomic\n"
                   "    d[1] = 2 / d[1];\n"
                   "#pragma omp atomic read\n"
                   "    v = l[1];\n"
                   "#pragma omp atomic write\n"
                   "    l[2] = v;\n"
                   "  }\n"
                   "}\n",
                   "unsigned *u, double *d, long *l, int n", "f(u, d, l, n)"),
         "heddle_omp_or_32(", "heddle_omp_add_f64(", "-(0.5), 1)", "v = (long)heddle_omp_add_64(",
         "HEDDLE_OMP_UPDATE(long, 64, &*l, hd_old * (2), v = hd_new, 0);",
         "HEDDLE_OMP_UPDATE(double, 64, &d[1], (2) / hd_old, (void)0, 0);", "HEDDLE_OMP_READ(long, 64, &l[1], v, 0);",
         "HEDDLE_OMP_WRITE(long, 64, &l[2], v, 0);");
}

/* ---- C that C++ rejects ------------------------------------------------------------------------------------------ */

static void check_lengths(void)
{
    EMIT("lengths",
         with_task(
             "static void f(int n, int m, double a[n][m], double (*b)[m + 1]) {\n"
             "  double row[m];\n"
             "#pragma omp parallel for\n"
             "  for (int i = 0; i < m; i++) { double t[2 * n]; t[0] = b[i % n][0]; row[i] = t[0] + a[n - 1][i]; }\n"
             "  b++;\n"
             "  (*b)[1] = row[0] + sizeof(row) + sizeof a[0] + (int)(b - b);\n"
             "}\n",
             "int n, int m, double (*a)[m], double (*b)[m + 1]", "f(n, m, a, b)"),
         "int64_t a_1;", "double *a, double *b)", "const int64_t hd_a_1 HEDDLE_UNUSED = m;",
         "const int64_t hd_b_1 HEDDLE_UNUSED = (m + 1);",
         "double *row = (double *)heddle_omp_push(hd_thread, &hd_params->head, &hd_top_1,",
         "HEDDLE_OMP_VLA(double, t, hd_t_0, hd_top_2);", "b[(i % n) * hd_b_1 + 0]", "a[(n - 1) * hd_a_1 + i]",
         "b += hd_b_1", "b[0 * hd_b_1 + 1] = ", "(sizeof(double) * (size_t)(hd_row_0))",
         "heddle_omp_stack(hd_thread, &hd_params->head)");
}

static void check_idioms(void)
{
    EMIT("idioms",
         with_task("enum step { ONE = 1, TWO };\n"
                   "struct point { int x, y; struct deep { int d; } in; };\n"
                   "typedef struct { int class, new; } words;\n"
                   "static const struct { const char *name; int w[3]; } table[] = {[1] = {.w = {[2] = 4}, .name = "
                   "\"b\"}, [0] = {\"a\"}};\n"
                   "static int total(const int *restrict p, int n) { return p[n - 1]; }\n"
                   "static void f(void *raw, int n) {\n"
                   "  int *a = raw, this = sizeof('a');\n"
                   "  enum step s = n;\n"
                   "  struct point p = {.y = 2, .in = {n}};\n"
                   "  struct deep d = p.in;\n"
                   "  words w = {.new = 1};\n"
                   "  int *list = (int[]){1, 2};\n"
                   "  _Bool flag = n;\n"
                   "  _Static_assert(sizeof(int) == 4, \"\");\n"
                   "  s++;\n"
                   "  s |= ONE;\n"
                   "  if (n) goto end;\n"
                   "  int late = 3;\n"
                   "  a[0] = total(list, 2) + this + s + d.d + w.new + flag + late + table[1].w[2];\n"
                   "end:\n"
                   "  a[1] = _Generic(n, double: 1, int: 2);\n"
                   "}\n",
                   "int *a, int n", "f(a, n)"),
         "struct deep { int d; };\nstruct point { int x, y; struct deep in; };", "int hd_class, hd_new;",
         "{{\"a\"}, {\"b\", {0, 0, 4}}}", "const int *HEDDLE_OMP_RESTRICT p",
         "int *a; a = (int *)(raw); int hd_this; hd_this = sizeof(int);", "s = (enum step)(n);", "{0, 2, {n}}",
         "{0, 1}", "int hd_literal_1[2] = {1, 2};", "bool flag;", "s = (enum step)(s + 1);",
         "s = (enum step)(s | (ONE));", "int late; late = 3;", "a[1] = (2);");
}

static void check_globals(void)
{
    EMIT("globals",
         with_task("static const double weight[2] = {0.5, 2};\n"
                   "static int count[3];\n"
                   "long total;\n"
                   "static void f(int n) {\n"
                   "  static const char letters[] = \"ab\";\n"
                   "  count[n] += letters[n] * (int)weight[n];\n"
                   "  total++;\n"
                   "}\n",
                   "int n", "f(n)"),
         "static HEDDLE_OMP_CONST const double weight[2] = {0.5, 2};", "int (*count)[3];", "long *total;",
         "f_thread(const struct hd_params *hd_params, int n)", "(*hd_params->count)[n] += letters[n]",
         "(*hd_params->total)++;", "!static const char letters");
}

/* Sizes in the tables. */
static void check_tables(void)
{
    hc_program *p;
    EMIT("few", with_task("", "int *a", "a[0] = 1"), "HEDDLE_TABLE(hd_t_table, struct hd_params, HD_BODIES)");
    p = understand("s",
                   with_task("static void f(int *a) {\n"
                             "  int big[4000];\n"
                             "#pragma omp parallel for\n"
                             "  for (int i = 0; i < 4000; i++) big[i] = a[i];\n"
                             "#pragma omp critical(x)\n"
                             "  a[0] = big[3];\n"
                             "#pragma omp critical\n"
                             "  a[1] = big[4];\n"
                             "}\n",
                             "int *a", "f(a)"),
                   "");
    hc_emit_bodies(p, "t", NULL, &(hc_buf){0});
    CHECK_MSG(hc_stack_bytes(p) == 16000, "%llu", (unsigned long long)hc_stack_bytes(p));
    CHECK(hc_n_locks(p) == 2);
}

int main(void)
{
    CHECK(mkdtemp(folder));
    find_compilers();
    check_region();
    check_sections_of_one_thread();
    check_block();
    check_results();
    check_thread();
    check_taskloop();
    check_atomics();
    check_lengths();
    check_idioms();
    check_globals();
    check_tables();
    return system(hc_format("rm -r %s", folder)) != 0;
}
