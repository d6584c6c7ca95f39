/* SPDX-License-Identifier: MIT */
/* What the bodies of tasks reach: functions and how they are entered, variables, types, and what device code lacks. */
#include "support/library.h"
#include "understood.h"

static void check_ways(void)
{
    understand("g",
               "void leaf(double *x) { x[0]++; }\n"
               "void deep(double *x) {\n"
               "#pragma omp parallel\n"
               "  { leaf(x); }\n"
               "}\n"
               "int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n"
               "int even(int n);\n"
               "int odd(int n) { return n ? even(n - 1) : 0; }\n"
               "int even(int n) { return n ? odd(n - 1) : 1; }\n"
               "void both(double *x) { x[1] = fact(3); deep(x); }\n"
               "void unused(void) { leaf(0); }\n"
               "void f(double *x, int n) {\n"
               "#pragma omp task\n"
               "  both(x);\n"
               "#pragma omp task\n"
               "  {\n"
               "#pragma omp parallel for\n"
               "    for (int i = 0; i < n; i++) x[i] = odd(i) + fact(i);\n"
               "  }\n"
               "#pragma omp task // HC190?\n"
               "  for (int i = 0; i < n; i++) x[i] = 0;\n"
               "#pragma omp task\n"
               "  x[0] = 1;\n"
               "}\n",
               "task both_13 inner:\ntask f_15 inner:\ntask f_20:\n"
               "function leaf thread;\nfunction deep inner team;\nfunction fact recursive team thread;\n"
               "function both inner team;\nfunction odd recursive thread;\nfunction even recursive thread;\n!unused\n");
}

static void check_variables(void)
{
    understand("",
               "typedef double real;\n"
               "struct in { real a; };\n"
               "typedef struct { struct in i; enum { LOW, HIGH } level; } out;\n"
               "enum mode { FAST, SLOW };\n"
               "struct far; struct near { struct far *f; };\n"
               "struct far { int x; };\n"
               "typedef int unused;\n"
               "static const real weights[2] = {0.5, 2};\n"
               "static const real *const heaviest = &weights[1];\n"
               "static out state; static int calls; extern int elsewhere[4]; static int never;\n"
               "static real weigh(const struct near *n) {\n"
               "  static const int steps[] = {1, 2};\n"
               "  calls++;\n"
               "  return n->f->x * weights[0] * steps[1] * heaviest[0];\n"
               "}\n"
               "void f(struct near *n, real *x) {\n"
               "  static int local[3];\n"
               "#pragma omp task\n"
               "  { x[0] = weigh(n) + SLOW + state.level + elsewhere[0] + local[2]; state.i.a = 1; }\n"
               "}\n",
               "global weights constant;\nglobal heaviest constant;\nglobal steps constant;\nglobal calls variable;\n"
               "global state variable;\nglobal elsewhere variable;\nglobal local variable;\n!never\n!unused\n"
               "type real;type in;type out;type mode;type near;type far;\n");
    understand("g",
               "extern int open[];\n"
               "int counter;\n"
               "#pragma omp threadprivate(counter)\n"
               "static int count(void) { static int n; return ++n; } // HC171\n"
               "void f(int *x) {\n"
               "  struct local { int a; } l = {1}; // HC240\n"
               "#pragma omp task\n"
               "  x[0] = open[0]; // HC240\n"
               "#pragma omp task\n"
               "  x[0] = counter + count(); // HC150\n"
               "#pragma omp task\n"
               "  x[0] = l.a;\n"
               "}\n",
               "");
}

static void check_calls(void)
{
    understand("g",
               "double sqrt(double); float fmaxf(float, float); int printf(const char *, ...); long random(void);\n"
               "void *malloc(unsigned long); int fprintf(void *, const char *, ...); int omp_get_thread_num(void);\n"
               "void omp_set_num_threads(int); void omp_set_lock(void *); int elsewhere(int); int (*pointer)(int);\n"
               "int many(int n, ...) { return n; } // HC181\n"
               "void f(double *x) {\n"
               "#pragma omp task\n"
               "  {\n"
               "    x[0] = sqrt(x[1]) + fmaxf(1, 2) + __builtin_popcount(3) + omp_get_thread_num();\n"
               "    printf(\"%g\", x[0]);\n"
               "    x[1] = random(); // HC180\n"
               "    fprintf(0, \"x\"); // HC181\n"
               "    omp_set_num_threads(2); // HC160\n"
               "    omp_set_lock(x); // HC160\n"
               "    x[2] = elsewhere(3); // HC141\n"
               "    x[3] = pointer(4); // HC240\n"
               "    x[4] = many(1, 2);\n"
               "    __asm__(\"nop\"); // HC181\n"
               "    void *to = &&here;\n"
               "    goto *to; // HC173\n"
               "  here:;\n"
               "    long double wide = x[0]; // HC172?\n"
               "    double _Complex z = 1; // HC172\n"
               "    x[5] = wide + __real__ z;\n"
               "  }\n"
               "}\n",
               "");
    understand("",
               "void whole(double *x) {\n"
               "#pragma omp for // HC240\n"
               "  for (int i = 0; i < 3; i++) x[i] = 0;\n"
               "#pragma omp barrier // HC240\n"
               "#pragma omp target update to(x[0:1]) // HC240\n"
               "#pragma omp parallel\n"
               "  {\n"
               "#pragma omp for nowait\n"
               "    for (int i = 0; i < 3; i++) x[i] = 0;\n"
               "#pragma omp single\n"
               "    x[3] = 1;\n"
               "  }\n"
               "#pragma omp parallel for ordered // HC150\n"
               "  for (int i = 0; i < 3; i++) {\n"
               "#pragma omp ordered // HC150\n"
               "    x[i] = 0;\n"
               "  }\n"
               "}\n"
               "void f(double *x) {\n"
               "#pragma omp task\n"
               "  whole(x);\n"
               "}\n",
               "");
}

/* ---- several sources --------------------------------------------------------------------------------------------- */

static hc_unit *parse(const char *path, const char *source)
{
    char *text = hc_format("# 1 \"%s\"\n# 1 \"<built-in>\" 1\n# 1 \"%s\" 2\n%s", path, path, source);
    return hc_parse_unit(path, text, strlen(text), NULL);
}

static void check_sources(void)
{
    said s = {"", {0}, 0};
    hc_program *p;
    char *all;
    hc_reset();
    p = HC_NEW(hc_program);
    p->options.backend = "cpu";
    hc_hear(hear, &s);
    *HC_ADD(&p->units) =
        parse("one.c", "extern int shared[4]; void kernel(int *); static int help(int i) { return i; }\n"
                       "void make(int *x) {\n"
                       "#pragma omp task\n"
                       "  { kernel(x); shared[0] = help(1); }\n"
                       "}\n");
    *HC_ADD(&p->units) = parse("two.c", "int shared[4]; void make(int *); static int help(int i) { return i + 1; }\n"
                                        "void kernel(int *x) { x[0] = help(2) + shared[1]; }\n"
                                        "void run(void) {\n"
                                        "#pragma omp target parallel map(shared)\n"
                                        "#pragma omp single\n"
                                        "  make(shared);\n"
                                        "}\n");
    hc_understand(p);
    check_said(&s);
    hc_hear(NULL, NULL);
    all = describe(p);
    CHECK_MSG(strstr(all, "function help team;\nfunction kernel team;\nfunction help_2 team;\n"), "%s", all);
    CHECK_MSG(p->globals.n == 1 && !p->globals.at[0].decl->is_extern, "%s", all);
    CHECK_MSG(strstr(all, "region 4 creator 6 target;") && strstr(all, "task make_3: x=value;"), "%s", all);
}

/* ---- the library ------------------------------------------------------------------------------------------------- */

static void check_library(void)
{
    CHECK(hc_library_of("sqrtf")->kind == HC_L_MATH && hc_library_of("__builtin_fabs")->kind == HC_L_MATH);
    CHECK(!strcmp(hc_library_of("sqrtf")->name, "sqrt") && hc_library_of("abs")->kind == HC_L_MATH);
    CHECK(!hc_library_of("absf") && !hc_library_of("expect") && !hc_library_of("my_function") && !hc_library_of(""));
    CHECK(hc_library_of("__builtin_expect")->kind == HC_L_BUILTIN && hc_library_of("memcpy")->kind < HC_L_ISO);
    CHECK(hc_library_of("malloc")->kind == HC_L_ISO && hc_library_of("omp_set_lock")->kind == HC_L_OMP_HOST);
    CHECK(hc_is_taken_word("class", 5) && hc_is_taken_word("float4", 6) && !hc_is_taken_word("float9", 6));
    CHECK(!hc_is_taken_word("classes", 7) && !hc_is_taken_word("clas", 4));
}

int main(void)
{
    check_ways();
    check_variables();
    check_calls();
    check_sources();
    check_library();
    return 0;
}
