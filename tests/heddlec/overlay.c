/* SPDX-License-Identifier: MIT */
/* The overlay: what each kind of pragma becomes, which lines are dropped, and that every offset leads back. */
#include "heddlec/spans.h"

static hc_text text;
static hc_pragmas pragmas;

static hc_overlay overlay_of(const char *bytes)
{
    hc_reset();
    hc_text_init(&text, "<test>", bytes, strlen(bytes));
    pragmas = hc_parse_pragmas(&text);
    check_all(&text, &pragmas);
    return hc_make_overlay(&text, &pragmas);
}

static const struct {
    const char *text, *overlay;
} cases[] = {
    {"", ""},
    {"\n", "\n"},
    {"int x;", "int x;"},
    {"#pragma omp taskwait", "__hd_s(0);"},
    {"#pragma omp task\nf();\n", "for (; __hd_c(0); )\nf();\n"},
    {"if (c)\n\t#pragma omp task depend(in: a[i][j:n], *p) depend(out: b) if(k > 1)\n\tf();\nelse g();",
     "if (c)\n\tfor (; __hd_c(0, a, i, j, n, *p, b, k > 1); )\n\tf();\nelse g();"},
    {"#pragma omp for schedule(static, 4) linear(i: s) private(q)\nfor (;;) ;",
     "for (; __hd_c(0, 4, i, s, q); )\nfor (;;) ;"},
    {"#pragma omp task depend(in: a[:n], b[k:], c[:])\n;", "for (; __hd_c(0, a, n, b, k, c); )\n;"},
    {"#pragma omp target update to(a[0:n])\nx;\n#pragma omp barrier\n", "__hd_s(0, a, 0, n);\nx;\n__hd_s(1);\n"},
    {"#pragma omp target enter data map(to: a)\n#pragma omp target data map(a)\n;",
     "__hd_s(0, a);\nfor (; __hd_c(1, a); )\n;"},
    {"#pragma omp declare target (f)\nvoid f();\n#pragma omp end declare target\n", "\nvoid f();\n\n"},
    {"#pragma omp threadprivate(x)\nint y;\n", "\nint y;\n"},
    {"#pragma omp flush(x)\n#pragma omp critical (name)\n;", "__hd_s(0);\nfor (; __hd_c(1); )\n;"},
    {"#pragma omp ordered depend(sink: i - 1)\n#pragma omp ordered\n;", "__hd_s(0, i - 1);\nfor (; __hd_c(1); )\n;"},
    {"#pragma heddle region assume(eligible)\n#pragma omp target\n;", "__hd_s(0);\nfor (; __hd_c(1); )\n;"},
    {"# 1 \"a.c\"\n#define N 3\n#undef N\n#include <x.h> /* clang -E -dI */\nint x;\n# 2 \"b.h\" 1 3\n#ident \"v\"\n",
     "# 1 \"a.c\"\n\n\n\nint x;\n# 2 \"b.h\" 1 3\n#ident \"v\"\n"},
    {"# 1 \"/usr/include/s.h\" 1 3\n#pragma omp task\n# 2 \"a.c\" 2\n#pragma omp task\n;",
     "# 1 \"/usr/include/s.h\" 1 3\n#pragma omp task\n# 2 \"a.c\" 2\nfor (; __hd_c(0); )\n;"},
    {"/* a\n#define X\n*/ #define Y\n/* b\n*/ #pragma omp taskwait\n", "/* a\n#define X\n*/ \n/* b\n*/ __hd_s(0);\n"},
    {"#pragma once\n#pragma omp parallel // why\n{ }", "#pragma once\nfor (; __hd_c(0); )\n{ }"},
};

static void check_cases(void)
{
    uint32_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hc_overlay o = overlay_of(cases[i].text);
        CHECK_MSG(o.n == strlen(cases[i].overlay) && !strcmp(o.bytes, cases[i].overlay), "%s\n%s", cases[i].text,
                  o.bytes);
    }
}

static uint32_t at_of(const char *in, const char *what) { return (uint32_t)(strstr(in, what) - in); }

/* Both ends of a piece lead back, and so does each character in between; inserted text leads to the pragma's '#'. */
static void check_back(void)
{
    hc_overlay o = overlay_of("int x;\n  #pragma omp task depend(inout: abc[12:xyz])\n  tail();\nmore");
    uint32_t line = at_of(text.bytes, "#"), piece = at_of(o.bytes, "abc"), i;
    for (i = 0; i <= 3; i++)
        CHECK(hc_overlay_back(&o, piece + i) == at_of(text.bytes, "abc") + i);
    for (i = 0; i <= 2; i++)
        CHECK(hc_overlay_back(&o, at_of(o.bytes, "12") + i) == at_of(text.bytes, "12") + i);
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "for")) == line);
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "__hd_c") + 1) == line);
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "); )")) == at_of(text.bytes, "xyz") + 3);
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "); )") + 1) == line);
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "tail")) == at_of(text.bytes, "tail"));
    CHECK(hc_overlay_back(&o, at_of(o.bytes, "more")) == at_of(text.bytes, "more"));
    CHECK(hc_overlay_back(&o, (uint32_t)o.n) == text.n);
}

static void check_view(void)
{
    static const char *const bytes =
        "# 1 \"a.c\"\n#define N\n#pragma omp task label(\"x\") untied\n # pragma heddle region assume(eligible)\n/* x\n"
        "#undef y\n*/ #undef z\n#pragma omp taskloop grainsize( strict : 4) label (\"y\")\n"
        "#pragma omp taskwait depend( inoutset: a) nowait\n#pragma omp for order(reproducible: concurrent) nowait\n";
    static const char *const expected =
        "# 1 \"a.c\"\n         \n#pragma omp task            untied\n                                        \n/* x\n"
        "#undef y\n*/         \n#pragma omp taskloop grainsize(          4)            \n"
        "#pragma omp taskwait depend( inout   : a)       \n#pragma omp for                                 nowait\n";
    const char *view;
    overlay_of(bytes);
    view = hc_make_openmp_view(&text, &pragmas);
    CHECK_MSG(!strcmp(view, expected), "%s", view);
}

/* Lists the pieces in the order of the header. */
static void note(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at)
{
    hc_putf(arg, "%s %d %d %d %.*s|", hc_clause_word(c->kind), item ? (int)(item - c->items) : -1, dim, is_length,
            (int)(at.end - at.begin), text.bytes + at.begin);
}

static void check_each(void)
{
    hc_buf seen = {0};
    overlay_of("#pragma omp parallel for reduction(+: a[0:n], b) schedule(static, c) default(none) if(parallel: d)\n;");
    hc_overlay_each(&pragmas.at[0], note, &seen);
    CHECK_MSG(!strcmp(seen.at, "reduction 0 -1 0 a|reduction 0 0 0 0|reduction 0 0 1 n|reduction 1 -1 0 b|"
                               "schedule -1 -1 0 c|if 0 -1 0 d|"),
              "%s", seen.at);
}

int main(void)
{
    check_cases();
    check_back();
    check_view();
    check_each();
    return 0;
}
