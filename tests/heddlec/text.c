/* SPDX-License-Identifier: MIT */
/* Lines, places and messages: line markers, the way to the user's line around macros, carets below tabs, messages that
 * are printed once, messages that are left out. */
#include "check.h"
#include "support/text.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/heddlec_text_XXXXXX";
static char source[64], log_path[64];

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Copies bytes, which hc_format may have made, so that they outlive hc_reset. */
static void init(hc_text *t, const char *path, const char *bytes)
{
    static char kept[1024];
    snprintf(kept, sizeof kept, "%s", bytes);
    hc_reset();
    hc_text_init(t, path, kept, strlen(kept));
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Prints file:line and flags of each line: s system, m marker, d dropped, c comment. */
static const char *show_lines(const hc_text *t)
{
    hc_buf out = {0};
    uint32_t i;
    for (i = 0; i < t->n_lines; i++) {
        const hc_line *l = &t->lines[i];
        hc_putf(&out, "%s:%u%s%s%s%s ", l->file, l->number, l->is_system ? "s" : "", l->is_marker ? "m" : "",
                l->is_dropped ? "d" : "", l->in_comment ? "c" : "");
    }
    return out.at;
}

static void check_shown(const char *bytes, const char *shown)
{
    hc_text t;
    init(&t, "p.c", bytes);
    CHECK_MSG(!strcmp(show_lines(&t), shown), "%s: %s", bytes, show_lines(&t));
}

static void check_lines(void)
{
    check_shown("", "p.c:1 ");
    check_shown("x", "p.c:1 ");
    check_shown("x\n\ny\n", "p.c:1 p.c:2 p.c:3 ");
    check_shown("# 1 \"a.c\"\nx\ny\n# 7 \"b.h\" 1 3 4\nz\n# 3 \"a.c\" 2\nw",
                "p.c:1m a.c:1 a.c:2 a.c:3m b.h:7s b.h:8sm a.c:3 ");
    check_shown("#line 9 \"q\\\"r\\\\\\101.c\"\nx\n  #  line 4\ny", "p.c:1m q\"r\\A.c:9 q\"r\\A.c:10m q\"r\\A.c:4 ");
    check_shown("# 1 \"<built-in>\"\n#define X\n# 1 \"a.c\"\n", "p.c:1m <built-in>:1smd <built-in>:2sm ");
    check_shown("#undef X\n#include <a> /* clang -E -dI */\n#pragma define\n#ident \"x\"\n# define y\n#defined\n",
                "p.c:1md p.c:2md p.c:3 p.c:4 p.c:5md p.c:6 ");
    check_shown("/*\n# 5 \"a.c\"\n*/\n\"/*\"\n'\"' // /*\n1'0 /*\n*/ # 8 \"b.c\"\nx",
                "p.c:1 p.c:2c p.c:3c p.c:4 p.c:5 p.c:6 p.c:7mc b.c:8 ");
}

static void check_at(void)
{
    hc_text t;
    uint32_t i;
    init(&t, "p.c", "ab\n\ncd\n");
    for (i = 0; i <= t.n + 1; i++)
        CHECK(hc_line_at(&t, i) == (i < 3 ? 0 : i < 4 ? 1 : 2));
    CHECK(hc_line_end(&t, 0) == 2 && hc_line_end(&t, 1) == 3 && hc_line_end(&t, 2) == 6);
    CHECK(hc_place_of(&t, 5).line == 3 && hc_place_of(&t, 5).column == 2);
    init(&t, "p.c", "/* x\ny */ z");
    CHECK(hc_line_first(&t, 0) == 4 && hc_line_first(&t, 1) == 10);
}

static void check_tokens(void)
{
    static const char *const whole[] = {"abc_1$", "0x1p-3f", "1'000u",    ".5e+3", "\"a\\\"b\"",
                                        "'\\''",  "1.e5",    "\xc3\xa9t", "+",     "("};
    uint32_t i;
    for (i = 0; i < sizeof whole / sizeof *whole; i++) {
        char s[64];
        uint32_t n = (uint32_t)strlen(whole[i]);
        snprintf(s, sizeof s, "%s +", whole[i]);
        CHECK_MSG(hc_token_end(s, 0, n + 2) == n && hc_token_end(s, 0, n) == n, "%s", whole[i]);
    }
    CHECK(hc_token_end("\"ab\nc\"", 0, 6) == 3 && hc_token_end("\"ab\\", 0, 4) == 4);
    CHECK(hc_blank_end(" \t/* // */ \\\n \\\r\n// x\ny", 0, 23) == 21 && hc_blank_end("/* x", 0, 4) == 4);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* The user's line 1; the preprocessor's text, with the place marked '^'; and where the user sees it. */
static const struct {
    const char *user, *text;
    uint32_t line, column;
    int is_found;
} places[] = {
    {"\tint   x;", " int ^x;", 1, 8, 1},
    {"\tint   xyz;", " int xy^z;", 1, 10, 1},
    {"f(a,  /* , */ b)", "f(a, ^b)", 1, 15, 1},
    {"#  pragma omp   task  depend(in:x)", "#pragma omp task ^depend(in:x)", 1, 23, 1},
    {"#pragma omp task \\\n    depend(in: x)", "#pragma omp task ^depend(in: x)", 2, 5, 1},
    {"#pragma omp task \\\n    depend(in: \\\n  x)", "#pragma omp task depend(in: ^x)", 3, 3, 1},
    {"y = N + z;", "y = 10 + ^z;", 1, 9, 1},
    {"y = N + z;", "y = ^10 + z;", 1, 5, 0},
    {"y = EMPTY z;", "y = ^z;", 1, 11, 1},
    {"y = BLK(a, i) + i;", "y = a[(i)*10:10] + ^i;", 1, 17, 1},
    {"y = BLK(a, i) + i;", "y = a[(^i)*10:10] + i;", 1, 12, 1},
    {"y = BLK(a, i) + i;", "y = a[(i)*^10:10] + i;", 1, 5, 0},
    {"y = BLK(a, 2) + 5;", "y = a[(2)*10:10] + ^5;", 1, 17, 1},
    {"P(task dpend(in: a))", "#pragma omp task ^dpend(in: a)", 1, 8, 1},
    {"P(task dpend(in: abc))", "#pragma omp task dpend(in: ab^c)", 1, 20, 1},
    {"_Pragma(\"omp task dpend(in: a)\") f();", "#pragma omp task ^dpend(in: a)", 1, 19, 1},
    {"  MAKE(q)", "  struct ^s { int q; };", 1, 3, 0},
    {"a = 1; a = 2;", "a = 1; ^a = 2;", 1, 8, 1},
    {"+ other", "- ^word", 1, 1, 0},
};

static void check_places(void)
{
    uint32_t i;
    for (i = 0; i < sizeof places / sizeof *places; i++) {
        char bytes[256];
        uint32_t at = (uint32_t)(strchr(places[i].text, '^') - places[i].text), head;
        hc_text t;
        hc_origin o;
        write_file(source, places[i].user);
        head = (uint32_t)snprintf(bytes, sizeof bytes, "# 1 \"%s\"\n", source);
        snprintf(bytes + head, sizeof bytes - head, "%.*s%s\n", (int)at, places[i].text, places[i].text + at + 1);
        init(&t, source, bytes);
        o = hc_origin_of(&t, head + at);
        CHECK_MSG(o.place.line == places[i].line && o.place.column == places[i].column &&
                      o.is_found == places[i].is_found,
                  "%s: %u:%u %d", places[i].text, o.place.line, o.place.column, o.is_found);
        CHECK(!strcmp(o.place.file, source) && !o.place.is_system);
    }
}

/* The first place of these bytes outside line markers: a folder with a random name may have them, too. */
static uint32_t at(const hc_text *t, const char *bytes)
{
    const char *line, *found = t->bytes - 1;
    do {
        found = line = strstr(found + 1, bytes);
        CHECK(found);
        while (line > t->bytes && line[-1] != '\n')
            line--;
    } while (*line == '#');
    return (uint32_t)(found - t->bytes);
}

/* A file shorter than its line numbers, and a missing file. */
static void check_lost(void)
{
    hc_text t;
    hc_origin o;
    write_file(source, "one\n");
    init(&t, "p.c", hc_format("# 7 \"%s\"\nab cd\n# 1 \"%s/none.h\" 1 3\nef gh\n", source, folder));
    o = hc_origin_of(&t, at(&t, "cd"));
    CHECK(!o.line && o.place.line == 7 && o.place.column == 4);
    o = hc_origin_of(&t, at(&t, "gh"));
    CHECK(!o.line && o.place.line == 1 && o.place.column == 4 && o.place.is_system);
}

/* ---- printed messages -------------------------------------------------------------------------------------------- */

static int real_stderr;

static void listen(void)
{
    fflush(stderr);
    real_stderr = dup(2);
    CHECK(real_stderr >= 0 && freopen(log_path, "w", stderr));
}

static const char *heard(void)
{
    fflush(stderr);
    CHECK(dup2(real_stderr, 2) == 2);
    close(real_stderr);
    return hc_read_file(log_path, NULL);
}

static void check_heard(const char *expected)
{
    const char *was = heard();
    CHECK_MSG(was && !strcmp(was, expected), "\n%s\nexpected\n%s", was, expected);
}

static void check_carets(void)
{
    hc_text t;
    write_file(source, "int a;\n\tif (\"\xc3\xa9\" ==\tlong_name) N;\r\nint b;\n");
    init(&t, "p.c", hc_format("# 2 \"%s\"\n if (\"\xc3\xa9\" == long_name) 10;\n", source));
    listen();
    hc_say(HC_ERROR, 210, &t, at(&t, "long"), at(&t, ") 10"), "no %s", "way");
    hc_say(HC_NOTE, 0, &t, at(&t, "if"), 0, "look");
    hc_say(HC_WARNING, 190, &t, at(&t, "10"), t.n - 2, "from a macro");
    hc_complain(HC_ERROR, "no place");
    check_heard(
        hc_format("%s:2:14: error: no way [HC210]\n  \tif (\"\xc3\xa9\" ==\tlong_name) N;\n  \t          \t^~~~~~~~~\n"
                  "%s:2:2: note: look\n  \tif (\"\xc3\xa9\" ==\tlong_name) N;\n  \t^\n"
                  "%s:2:25: warning: from a macro [HC190]\n  \tif (\"\xc3\xa9\" ==\tlong_name) N;\n"
                  "  \t          \t           ^\n  with macros expanded:\n   if (\"\xc3\xa9\" == long_name) 10;\n"
                  "                         ^~\nheddlec: error: no place\n",
                  source, source, source));
    CHECK(hc_n_errors() == 2);
}

/* A stretch over two lines is underlined to the end of the first; without the file the text itself is shown. */
static void check_stretches(void)
{
    hc_text t;
    write_file(source, "f(a,\n  b);\n");
    init(&t, "p.c", hc_format("# 1 \"%s\"\nf(a,\n  b);\n# 1 \"%s/none.h\"\n  g(c);\n", source, folder));
    listen();
    hc_say(HC_ERROR, 100, &t, at(&t, "f("), at(&t, ";"), "one");
    hc_say(HC_ERROR, 100, &t, at(&t, "(c"), 0, "two");
    check_heard(
        hc_format("%s:1:1: error: one [HC100]\n  f(a,\n  ^~~~\n%s/none.h:1:4: error: two [HC100]\n    g(c);\n     ^\n",
                  source, folder));
}

/* ---- which messages are printed ---------------------------------------------------------------------------------- */

static char words[512];
static void hear(void *arg, const hc_message *m)
{
    static const char *const levels[] = {"note", "warning", "error"};
    size_t n = strlen(words);
    (void)arg;
    snprintf(words + n, sizeof words - n, "%s %d %s;", levels[m->level], m->code, m->sentence);
}

static void check_said(const char *expected)
{
    CHECK_MSG(!strcmp(words, expected), "%s", words);
    words[0] = 0;
}

static void check_once(void)
{
    hc_text t;
    init(&t, "p.c", "# 1 \"a.h\"\none two\n# 1 \"a.h\"\none two\n");
    hc_say(HC_ERROR, 100, &t, 10, 13, "x");
    hc_say(HC_NOTE, 0, &t, 14, 17, "n");
    hc_say(HC_ERROR, 100, &t, 10, 13, "y");
    hc_say(HC_ERROR, 100, &t, 28, 31, "x"); /* the same line of the same header */
    hc_say(HC_NOTE, 0, &t, 32, 35, "n");
    hc_say(HC_ERROR, 100, &t, 32, 35, "x");
    hc_say(HC_NOTE, 0, &t, 32, 35, "n");
    check_said("error 100 x;note 0 n;error 100 y;error 100 x;note 0 n;");
    CHECK(hc_n_errors() == 3);
    hc_reset();
    CHECK(hc_n_errors() == 0);
}

static void check_codes(void)
{
    hc_text t;
    init(&t, "p.c", "one two three four");
    CHECK(!hc_set_code(999, HC_ERROR) && !hc_set_code(-1, HC_ERROR) && !hc_set_code(1000, HC_ERROR));
    CHECK(hc_set_code(190, HC_ERROR) && hc_set_code(191, HC_NOTE));
    hc_say(HC_WARNING, 190, &t, 0, 3, "a");
    hc_say(HC_WARNING, 191, &t, 0, 3, "b");
    hc_say(HC_NOTE, 0, &t, 4, 7, "of b");
    hc_say(HC_ERROR, 191, &t, 0, 3, "c");
    hc_say(HC_NOTE, 0, &t, 4, 7, "of c");
    check_said("error 190 a;error 191 c;note 0 of c;");
    CHECK(hc_n_errors() == 2 && hc_set_code(190, HC_WARNING) && hc_set_code(191, HC_WARNING));
    hc_say(HC_WARNING, 190, &t, 4, 7, "d");
    hc_complain(HC_WARNING, "e");
    check_said("warning 190 d;warning 0 e;");
    CHECK(hc_n_errors() == 2);
}

/* ---- memory and strings ------------------------------------------------------------------------------------------ */

static void check_base(void)
{
    hc_buf b = {0};
    HC_LIST(int) numbers = {0};
    char *large;
    int i;
    size_t n = 0;
    for (i = 0; i < 1000; i++) {
        *HC_ADD(&numbers) = i;
        hc_putf(&b, "%d,", i);
    }
    for (i = 0; i < 1000; i++)
        CHECK(numbers.at[i] == i);
    CHECK(b.n == 3890 && !b.at[b.n] && !strncmp(b.at, "0,1,2,", 6) && !strcmp(b.at + b.n - 4, "999,"));
    CHECK(hc_intern("abc", 3) == hc_intern("abcd", 3) && hc_intern("abc", 3) != hc_intern("abd", 3));
    large = hc_new(1 << 20);
    CHECK(!large[0] && !large[(1 << 20) - 1] && !hc_read_file(folder, NULL) && !hc_read_file("/nowhere/x", NULL));
    write_file(source, "ab\n");
    CHECK(!strcmp(hc_read_file(source, &n), "ab\n") && n == 3);
}

int main(void)
{
    CHECK(mkdtemp(folder));
    unsetenv("TERM");
    snprintf(source, sizeof source, "%s/user.c", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    check_lines();
    check_at();
    check_tokens();
    check_places();
    check_lost();
    check_carets();
    check_stretches();
    hc_hear(hear, NULL);
    check_once();
    check_codes();
    check_base();
    unlink(source);
    unlink(log_path);
    rmdir(folder);
    return 0;
}
