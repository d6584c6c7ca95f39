/* SPDX-License-Identifier: MIT */
/* The tree: the sources of golden/, accept/ and apps/ obey tree_rules.h; golden/ also has the trees in files NAME.tree;
 * small sources test what a dump does not show. Option --write renews the files of golden/: read the difference before
 * you commit it. */
#include "check.h"
#include "parse/preprocess.h"
#include "tree_rules.h"

#include <glob.h>

static struct {
    int code;
    uint32_t line, column;
    char sentence[256];
} heard[32];
static uint32_t n_heard;

static void hear(void *arg, const hc_message *m)
{
    hc_place p = m->text ? hc_place_of(m->text, m->begin) : (hc_place){0};
    (void)arg;
    CHECK(n_heard < sizeof heard / sizeof *heard);
    heard[n_heard].code = m->level == HC_ERROR ? m->code : -1;
    heard[n_heard].line = p.line;
    heard[n_heard].column = p.column;
    snprintf(heard[n_heard++].sentence, sizeof heard->sentence, "%s", m->sentence);
}

/* The unit of a text without line markers; NULL if refused, with the messages in `heard`. */
static hc_unit *parse(const char *source)
{
    hc_unit *u;
    n_heard = 0;
    hc_hear(hear, NULL);
    u = hc_parse_unit("test.c", hc_copy(source, strlen(source)), strlen(source), NULL);
    hc_hear(NULL, NULL);
    if (u)
        CHECK_MSG(!broken_rule(u), "%s: %s", source, broken_rule(u));
    return u;
}

static hc_unit *parse_good(const char *source)
{
    hc_unit *u = parse(source);
    CHECK_MSG(u, "%s: %s", source, n_heard ? heard[0].sentence : "");
    return u;
}

static hc_decl *decl_named(const hc_unit *u, const char *name)
{
    for (uint32_t i = 0; i < u->decls.n; i++)
        if (!strcmp(u->decls.at[i]->name, name))
            return u->decls.at[i];
    CHECK_MSG(0, "nothing is called %s", name);
    return NULL;
}

static int is_text(const hc_node *n, const char *text)
{
    return n && length_of(n) == strlen(text) && !strncmp(hc_source(n), text, strlen(text));
}

/* ---- whole files ------------------------------------------------------------------------------------------------- */

static hc_unit *parse_file(const char *path, const char *const *args)
{
    size_t n;
    char *text = hc_preprocess(path, args, &n);
    hc_unit *u = text ? hc_parse_unit(path, text, n, args) : NULL;
    const char *broken = u ? broken_rule(u) : "refused";
    CHECK_MSG(!broken, "%s: %s", path, broken);
    return u;
}

static void put_uses(const hc_unit *u, hc_buf *out)
{
    for (uint32_t i = 0; i < u->type_uses.n; i++) {
        const hc_type_use *use = &u->type_uses.at[i];
        hc_place p = hc_place_of(&u->text, use->begin);
        hc_putf(out, "%u:%u %.*s names %s\n", p.line, p.column, (int)(use->end - use->begin),
                u->text.bytes + use->begin, hc_node_name(use->decl->kind));
    }
}

static uint32_t first_difference(const char *a, const char *b)
{
    uint32_t line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

/* The trees are those of one kind of machine, on every machine. */
static void check_golden(const char *path, int writes)
{
    const char *const args[] = {"--target=x86_64-linux-gnu", NULL};
    char *tree = hc_format("%.*s.tree", (int)strlen(path) - 2, path), *wanted = hc_read_file(tree, NULL);
    hc_unit *u = parse_file(path, args);
    hc_buf out = {0};
    hc_tree_dump(u->root, &out);
    put_uses(u, &out);
    if (writes) {
        FILE *f = fopen(tree, "w");
        CHECK(f && fwrite(out.at, 1, out.n, f) == out.n && fclose(f) == 0);
        return;
    }
    CHECK_MSG(wanted && !strcmp(wanted, out.at), "%s differs in line %u", tree,
              wanted ? first_difference(wanted, out.at) : 0);
}

static void each_file(const char *pattern, uint32_t at_least, void (*fn)(const char *path, int flag), int flag)
{
    glob_t found;
    CHECK(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc >= at_least);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        hc_reset();
        fn(found.gl_pathv[i], flag);
    }
    globfree(&found);
}

static void check_file(const char *path, int flag)
{
    const char *const args[] = {"-I" TEST_SOURCE_DIR "/include", "-I" TEST_SOURCE_DIR "/apps", NULL};
    (void)flag;
    parse_file(path, args);
}

/* ---- declarators ------------------------------------------------------------------------------------------------- */

static int collect_declarators(void *arg, hc_node *n)
{
    if (n->kind == HC_N_VAR || n->kind == HC_N_FIELD || n->kind == HC_N_TYPEDEF || n->kind == HC_N_PARAM)
        hc_putf(arg, "%.*s|", (int)length_of(n), hc_source(n));
    return 1;
}

static void check_declarators(const char *source, const char *wanted)
{
    hc_buf b = {0};
    hc_visit(parse_good(source)->root, collect_declarators, &b);
    CHECK_MSG(!strcmp(b.at, wanted), "%s", b.at);
}

static void test_declarators(void)
{
    check_declarators("int a, *const b = 0, (*c)(int x), d[2][3] = {{1}, {2}};",
                      "a|*const b = 0|(*c)(int x)|d[2][3] = {{1}, {2}}|");
    check_declarators("struct s { unsigned u : 1, : 2; char *p, q[4]; } v, *w;", "u : 1|: 2|*p|q[4]|v|*w|");
    check_declarators("typedef int const t, *volatile u; t const x = 1;", "t|*volatile u|x = 1|");
    check_declarators("int f(int n, double (*a)[n], char *[2], ...);", "int n|double (*a)[n]|char *[2]|");
    check_declarators("void f(void) { for (int i = 0, *p = &i; ; ) ; }", "i = 0|*p = &i|");
    check_declarators("int /* a, */ a /* ; */, /* , */ b = ','; // c;", "a|b = ','|");
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* Compares with the value that this test's compiler computes. */
#define CONSTANT(x)        \
    {                      \
#x, (long long)(x) \
    }
static const struct {
    const char *text;
    long long value;
} constants[] = {
    CONSTANT(1 + 2 * 3),
    CONSTANT(-7 / 2),
    CONSTANT(-7 % 3),
    CONSTANT(~0u >> 4),
    CONSTANT(1 << 20),
    CONSTANT(-1 >> 1),
    CONSTANT('a' + '\n'),
    CONSTANT('\377' == -1),
    CONSTANT(0x10 | (010 & 3)),
    CONSTANT(5 ^ 1),
    CONSTANT(!3 || 2),
    CONSTANT(1 && 0),
    CONSTANT(1 ? 2 : 3),
    CONSTANT(0 ? 2 : 3),
    CONSTANT((unsigned)-1 < 1),
    CONSTANT(3 >= 3),
    CONSTANT(5 != 5),
    CONSTANT((unsigned char)300),
    CONSTANT((_Bool)5),
    CONSTANT((char)200),
    CONSTANT((short)-70000),
    CONSTANT(sizeof(int)),
    CONSTANT(sizeof(long)),
    CONSTANT(sizeof 'a'),
    CONSTANT(sizeof(char *[3])),
    CONSTANT(1ull << 63),
    CONSTANT(sizeof(unsigned short)),
    CONSTANT(2147483647 + 1ll),
    CONSTANT(+'\x7f'),
    CONSTANT(sizeof(float[2][5])),
    CONSTANT(0 - 1u),
    CONSTANT(7u / 2 - 4),
    CONSTANT(sizeof(long double)),
    CONSTANT((-8 >> 1) % 3),
    CONSTANT((1 < 2) + 0x7f),
    CONSTANT(sizeof(const unsigned long long *)),
};

static const hc_node *value_of(const char *expression)
{
    hc_unit *u = parse_good(hc_format("int f(void) { int v = f(); long long x = %s; return x; }", expression));
    return decl_named(u, "x")->node->init;
}

static void test_constants(void)
{
    static const char *const none[] = {"v",        "v + 1",    "1 / (v - v)", "f()",     "sizeof(double[v])",
                                       "(long)&v", "(int)2.5", "1 / 0",       "1 << 32", "1.5"};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        const hc_node *value = value_of(constants[i].text);
        CHECK_MSG(value->is_constant && value->value == constants[i].value, "%s: %lld", constants[i].text,
                  (long long)value->value);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        CHECK_MSG(!value_of(none[i])->is_constant, "%s", none[i]);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static void test_types(void)
{
    hc_unit *u = parse_good(
        "struct s { int x; }; typedef const struct s *cs; enum e { A = -1 };\n"
        "extern int open[]; int open[4]; struct t; struct t *unknown;\n"
        "void f(int n, double a[n][n + 1], int (*const g)(cs, ...)) {\n"
        "  typedef float row[n]; row r, *p = &r; double (*q)[n + 1] = a, z = q[1][2]; p[0][1] = 2;\n"
        "  volatile _Bool b = z; enum e v = A; cs c = 0; unsigned char k[3] = {1}; (void)(a + 1), (void)b;\n}");
    const hc_type *a = decl_named(u, "a")->type, *g = decl_named(u, "g")->type, *c = decl_named(u, "c")->type;
    const hc_type *p = decl_named(u, "p")->type, *q = decl_named(u, "q")->type, *k = decl_named(u, "k")->type;
    CHECK(a->kind == HC_T_POINTER && a->of->kind == HC_T_VLA && is_text(a->of->bound, "n + 1") && a->of->of->size == 8);
    CHECK(g->kind == HC_T_POINTER && g->is_const && g->of->kind == HC_T_FUNCTION && g->of->is_variadic);
    CHECK(g->of->n_params == 1 && g->of->params[0]->of == c->of && g->of->of->kind == HC_T_INTEGER);
    CHECK(c->of->kind == HC_T_STRUCT && c->of->is_const && c->of->decl == decl_named(u, "s") && !strcmp(c->name, "cs"));
    CHECK(p->of->kind == HC_T_VLA && is_text(p->of->bound, "n") && p->of->of->kind == HC_T_FLOATING);
    CHECK(q->of->kind == HC_T_VLA && is_text(q->of->bound, "n + 1") &&
          q->of->bound->parent == decl_named(u, "q")->node);
    CHECK(k->kind == HC_T_ARRAY && k->n == 3 && k->size == 3 && k->of->is_unsigned);
    CHECK(decl_named(u, "b")->type->is_volatile && decl_named(u, "b")->type->kind == HC_T_BOOL);
    CHECK(decl_named(u, "v")->type->kind == HC_T_ENUM && decl_named(u, "A")->value == -1);
    CHECK(decl_named(u, "open")->type->kind == HC_T_ARRAY && decl_named(u, "open")->is_definition);
    CHECK(decl_named(u, "unknown")->type->of->size == 0 && !decl_named(u, "t")->node);
}

/* ---- identifiers ------------------------------------------------------------------------------------------------- */

static const char *id_in(const char *path, const char *source, const char *name)
{
    hc_unit *u = hc_parse_unit(path, hc_copy(source, strlen(source)), strlen(source), NULL);
    CHECK(u);
    return decl_named(u, name)->id;
}

static void check_ids(const char *source, const char *name, int is_same)
{
    const char *with_more = hc_format("typedef int more;\n# 1 \"common.h\" 1\n%s", source);
    const char *alone = hc_format("# 1 \"common.h\" 1\n%s", source);
    int equal = !strcmp(id_in("a.c", alone, name), id_in("b.c", with_more, name));
    CHECK_MSG(equal == is_same, "%s in %s", name, source);
}

static void test_ids(void)
{
    check_ids("int f(int x) { return x; }", "f", 1);
    check_ids("extern int v;", "v", 1);
    check_ids("typedef struct { int m; } t;", "t", 1);
    check_ids("typedef struct { int m; } t;", "m", 1);
    check_ids("enum { A };", "A", 1);
    check_ids("static int f(int x) { return x; }", "f", 0);
    check_ids("static int v;", "v", 0);
    check_ids("int f(int x) { return x; }", "x", 0);
    CHECK(strcmp(id_in("a.c", "static int f; int g(void) { static int f; return f; }", "f"),
                 id_in("a.c", "int g(void) { static int f; return f; }", "f")));
}

static void test_declarations(void)
{
    hc_unit *u =
        parse_good("# 1 \"s.h\" 1 3\nextern int printed(const char *, ...); struct hidden { int x; };\n"
                   "typedef struct hidden hidden;\n# 2 \"test.c\" 2\n"
                   "int early(void);\nint early(void) { static int own; register int r = 1; return own + r; }\n"
                   "#pragma omp declare target\nstatic inline int inner(hidden *h) { return h->x; }\n"
                   "#pragma omp end declare target\n"
                   "extern int listed;\n#pragma omp declare target(listed)\n"
                   "int (*call(void))(void) { printed(\"\"); __sync_synchronize(); return early; }");
    const hc_decl *early = decl_named(u, "early"), *printed = decl_named(u, "printed");
    CHECK(early->is_definition && early->node->kind == HC_N_FUNCTION && early->node->body && early->is_global);
    CHECK(u->text.bytes[early->name_at] == 'e' && early->name_at > early->node->begin && !early->is_declared_target);
    CHECK(printed->is_system && !printed->node && printed->type->is_variadic && decl_named(u, "x")->is_system);
    CHECK(decl_named(u, "hidden")->is_system && !decl_named(u, "hidden")->node && u->type_uses.n == 1);
    CHECK(decl_named(u, "own")->is_static && !decl_named(u, "own")->is_global && decl_named(u, "own")->owner == early);
    CHECK(decl_named(u, "r")->is_register && decl_named(u, "inner")->is_inline && decl_named(u, "inner")->is_static);
    CHECK(decl_named(u, "inner")->is_declared_target && decl_named(u, "listed")->is_declared_target);
    CHECK(decl_named(u, "listed")->is_extern && !decl_named(u, "listed")->is_definition &&
          decl_named(u, "listed")->node);
    CHECK(decl_named(u, "__sync_synchronize")->is_system);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void check_refused(const char *source, int code, uint32_t line, uint32_t column)
{
    uint32_t n_errors = 0;
    CHECK_MSG(!parse(source), "%s", source);
    for (uint32_t i = 0; i < n_heard; i++)
        n_errors += heard[i].code > 0;
    CHECK_MSG(n_errors == 1 && heard[0].code == code && heard[0].line == line && heard[0].column == column,
              "%s: %u errors, HC%d at %u:%u: %s", source, n_errors, heard[0].code, heard[0].line, heard[0].column,
              heard[0].sentence);
}

static void test_refusals(void)
{
    check_refused("int f(void) { return x; }", 103, 1, 22);
    check_refused("void f(void)\n{\n#pragma omp task depend(in: nobody)\n ;\n}", 103, 3, 29);
    check_refused("void f(int n)\n{\n#pragma omp task\n return;\n}", 103, 4, 2);
    check_refused("void f(int n)\n{\n#pragma omp task\n break;\n}", 103, 4, 2);
    check_refused("void f(int n)\n{\n#pragma omp task priority(1) untied foo\n ;\n}", 100, 3, 37);
    check_refused("int f(a, b)\nint b, a; { return a - b; }", 240, 1, 5);
    check_refused("void f(int *p)\n{\n#pragma omp for ordered(1)\nfor (int i = 0; i < 3; i++) {\n"
                  "#pragma omp ordered depend(source)\n}\n#pragma omp task depend(source)\n ;\n}",
                  121, 7, 18);
    check_refused("int x = 1;\nint x = 2;", 103, 2, 5);
    CHECK(n_heard == 2 && heard[1].code == -1 && heard[1].line == 1);
}

/* What other C compilers accept with a warning is accepted, without a message. */
static void test_lenient(void)
{
    parse_good("f() { undeclared(1); int *p = 3; long q = p; return \"abc\"; }");
    CHECK(n_heard == 0);
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static int count_nodes(void *arg, hc_node *n)
{
    ++*(uint32_t *)arg;
    return n->kind != HC_N_BINARY;
}

static void test_walking(void)
{
    hc_unit *u = parse_good("int x = (int)(((1 + 2))), y = 1 + (2);");
    hc_node *x = decl_named(u, "x")->node, *literal = hc_unparen(x->init);
    uint32_t n = 0;
    CHECK(literal->kind == HC_N_BINARY && hc_unparen(literal) == literal && is_text(literal, "1 + 2"));
    hc_visit(u->root, count_nodes, &n);
    CHECK(n == 10);
    CHECK(!strcmp(hc_node_name(HC_N_STMT_EXPR), "STMT_EXPR"));
    CHECK(!hc_tree_check(u->root));
    literal->begin -= 2;
    CHECK(hc_tree_check(u->root) && strstr(hc_tree_check(u->root), "PAREN: a child begins before it"));
    literal->begin += 2;
    literal->end = x->end + 1;
    CHECK(hc_tree_check(u->root) && strstr(hc_tree_check(u->root), "PAREN: a child ends behind it"));
}

int main(int argc, char **argv)
{
    int writes = argc > 1 && !strcmp(argv[1], "--write");
    each_file(TEST_SOURCE_DIR "/tests/heddlec/golden/*.c", 7, check_golden, writes);
    each_file(TEST_SOURCE_DIR "/tests/heddlec/accept/*.c", 40, check_file, 0);
    each_file(TEST_SOURCE_DIR "/apps/*.c", 15, check_file, 0);
    hc_reset();
    test_declarators();
    test_constants();
    test_types();
    test_ids();
    test_declarations();
    test_refusals();
    test_lenient();
    test_walking();
    return 0;
}
