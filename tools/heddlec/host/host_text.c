/* SPDX-License-Identifier: MIT */
/* host_text.c - lines of the host's part: their origins, and system headers as #include lines again.
 *
 * The text is preprocessed, so a header's #include line is put back only if the preprocessor entered the header there
 * and it is a system header; the text of the program's own headers stays. Macros of the program are put back only if
 * they may be meant for a system header (_GNU_SOURCE): names without a lower-case letter, or with a leading underscore.
 * A macro that expands to its own name (sa_handler, strcmp in some libraries) would be applied again to expanded text:
 * if the program's text has such a word, the macro is undefined after the header. */
#include "host/host.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void hc_host_start(hc_host *h, uint32_t in, const char *format, ...)
{
    va_list arguments;
    hc_host_fresh(h);
    hc_putf(&h->w.out, "%*s", (int)in, "");
    va_start(arguments, format);
    hc_puts(&h->w.out, hc_vformat(format, arguments));
    va_end(arguments);
}

void hc_host_line(hc_host *h, uint32_t in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hc_host_start(h, in, "%s", hc_vformat(format, arguments));
    va_end(arguments);
    hc_puts(&h->w.out, "\n");
}

/* The number of blanks on the last line if it has nothing else; otherwise -1. */
static int blank_line(const hc_buf *b)
{
    size_t n = 0;
    while (n < b->n && (b->at[b->n - n - 1] == ' ' || b->at[b->n - n - 1] == '\t'))
        n++;
    return n == b->n || b->at[b->n - n - 1] == '\n' ? (int)n : -1;
}

void hc_host_fresh(hc_host *h)
{
    int n = blank_line(&h->w.out);
    if (n < 0)
        hc_puts(&h->w.out, "\n");
    else
        h->w.out.n -= (size_t)n;
}

/* Counts the lines written since the last call. */
static void count_lines(hc_host *h)
{
    for (; h->counted < h->w.out.n; h->counted++)
        h->line += h->w.out.at[h->counted] == '\n';
}

void hc_host_sync(hc_host *h, uint32_t at)
{
    const hc_line *l = &h->unit->text.lines[hc_line_at(&h->unit->text, at)];
    hc_buf *out = &h->w.out;
    int n = blank_line(out);
    char *blanks;
    count_lines(h);
    if (h->w.no_line || n < 0 || (h->file == l->file && h->line == l->number))
        return;
    blanks = hc_copy(out->at + out->n - n, (size_t)n);
    out->n -= (size_t)n;
    if (h->file == l->file && h->line < l->number && l->number - h->line <= 2)
        hc_putf(out, "%.*s", (int)(l->number - h->line), "\n\n");
    else
        hc_putf(out, "#line %u %s\n", l->number, hc_quoted(l->file));
    h->file = l->file, h->line = l->number, h->counted = out->n;
    hc_puts(out, blanks);
}

void hc_host_place(hc_host *h, uint32_t in, const hc_node *n)
{
    hc_place p = hc_place_of(&h->unit->text, n->begin);
    hc_host_start(h, in, "static const heddle_omp_place hd_here = {%s, %u};", hc_quoted(p.file), p.line);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static uint32_t column_of(const hc_text *t, uint32_t at)
{
    uint32_t begin = at;
    while (begin > 0 && t->bytes[begin - 1] != '\n')
        begin--;
    for (at = begin; t->bytes[at] == ' ' || t->bytes[at] == '\t';)
        at++;
    return at - begin;
}

uint32_t hc_host_indent(const hc_node *n)
{
    const hc_node *from = n;
    while (from && from->kind == HC_N_DIRECTIVE && from->body)
        from = from->body;
    if (from->kind != HC_N_DIRECTIVE)
        return column_of(&n->unit->text, from->begin);
    for (from = n; from->prev;)
        if ((from = from->prev)->kind != HC_N_DIRECTIVE)
            return column_of(&n->unit->text, from->begin);
    return n->parent ? column_of(&n->unit->text, n->parent->begin) + 4 : 0;
}

/* Indents the lines from `from` on; #line stays at the margin, strings over several lines are unchanged. */
static void shift(hc_host *h, size_t from, uint32_t by)
{
    hc_buf *out = &h->w.out, moved = {0};
    count_lines(h);
    if (strstr(out->at + from, "\\\n"))
        return;
    for (const char *s = out->at + from, *end; *s; s = end) {
        end = strchr(s, '\n');
        end = end ? end + 1 : s + strlen(s);
        hc_putf(&moved, "%*s%.*s", *s == '#' || *s == '\n' ? 0 : (int)by, "", (int)(end - s), s);
    }
    out->n = from;
    hc_put(out, moved.at, moved.n);
    h->counted = out->n;
}

void hc_host_statement(hc_host *h, hc_node *n, uint32_t in)
{
    uint32_t column = hc_host_indent(n);
    size_t from;
    hc_host_fresh(h);
    from = h->w.out.n;
    hc_host_start(h, column, "%s", "");
    if (n->kind != HC_N_DIRECTIVE) /* a directive begins at the margin */
        hc_host_sync(h, n->begin);
    hc_write(&h->w, n);
    if (in > column)
        shift(h, from, in - column);
}

char *hc_host_text(hc_host *h, hc_node *expression) { return hc_written(&h->w, expression); }

/* ---- between declarations ---------------------------------------------------------------------------------------- */

static int begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* The line marker enters a file of the system: `# 1 "/usr/include/stdio.h" 1 3 4`. */
static int enters_system(const hc_text *t, uint32_t line)
{
    char *s = hc_copy(t->bytes + t->lines[line].begin, hc_line_end(t, line) - t->lines[line].begin);
    const char *flags = strrchr(s, '"');
    return flags && strstr(flags, " 1") && strstr(flags, " 3");
}
static int enters(const hc_text *t, uint32_t line)
{
    const char *s = t->bytes + t->lines[line].begin, *end = t->bytes + hc_line_end(t, line);
    while (end > s && *end != '"')
        end--;
    return begins(end, "\" 1");
}

/* Whether a system header with that name, of length n, was read anywhere. */
static int is_systems(const hc_text *t, const char *name, size_t n)
{
    for (uint32_t l = 0; l < t->n_lines; l++) {
        size_t m = strlen(t->lines[l].file);
        if (t->lines[l].is_system && (l == 0 || t->lines[l].file != t->lines[l - 1].file) && m > n &&
            t->lines[l].file[m - n - 1] == '/' && !strncmp(t->lines[l].file + m - n, name, n))
            return 1;
    }
    return 0;
}

/* Whether the #include line was followed by a system header's text. It has none if another header had included it
 * before, perhaps omp.h, which the host's part leaves out. */
static int includes_system(const hc_text *t, uint32_t line)
{
    const char *name = t->bytes + t->lines[line].begin + strlen("#include <");
    for (uint32_t l = line + 1; l < t->n_lines && begins(t->bytes + t->lines[l].begin, "# "); l++)
        if (enters(t, l))
            return enters_system(t, l);
    return is_systems(t, name, strcspn(name, ">\"\n"));
}

static char *line_of(const hc_text *t, uint32_t line)
{
    char *s = hc_copy(t->bytes + t->lines[line].begin, hc_line_end(t, line) - t->lines[line].begin);
    char *remark = strstr(s, " /* clang -E -dI");
    if (remark)
        *remark = 0;
    return s;
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

/* Whether `text` has the word s[0 .. n-1]. */
static int has_word(const char *text, const char *s, size_t n)
{
    for (size_t m; *text; text += m ? m : 1)
        if ((m = name_length(text)) == n && strncmp(text, s, n) == 0)
            return 1;
    return 0;
}

/* A guard like `#define LU_H` prevents a second reading of a header. */
static int is_guard(const char *name, size_t n)
{
    while (n > 0 && name[n - 1] == '_')
        n--;
    return n > 2 && name[n - 1] == 'H' && name[n - 2] == '_';
}

/* A macro of the program that a system header may test, and that does not affect expanded text. */
static int is_for_system(const char *define)
{
    const char *name = define + strlen("#define ");
    size_t n = name_length(name);
    if (name[n] == '(' || has_word(name + n, name, n) || is_guard(name, n))
        return 0;
    for (size_t i = 0; i < n && name[0] != '_'; i++)
        if (islower((unsigned char)name[i]))
            return 0;
    return 1;
}

/* The last line that includes a system header: macros defined behind it are not needed. */
static uint32_t last_include(const hc_text *t)
{
    for (uint32_t l = t->n_lines; l-- > 0;)
        if (t->lines[l].is_marker && !t->lines[l].is_system && begins(t->bytes + t->lines[l].begin, "#include") &&
            includes_system(t, l))
            return l;
    return 0;
}

/* Included by the command line, with -include. */
static int is_forced(const hc_text *t, uint32_t line)
{
    return t->lines[line].file[0] == '<' && begins(t->bytes + t->lines[line].begin, "#include");
}

static void put_marker(hc_host *h, uint32_t line)
{
    const hc_text *t = &h->unit->text;
    char *s = line_of(t, line);
    int is_openmp = begins(s, "#include <omp.h>") || begins(s, "#include \"omp.h\""), is_early = line < h->last_include;
    if (begins(s, "#include") ? includes_system(t, line) && (h->keeps || !is_openmp)
                              : begins(s, "#undef ") || (begins(s, "#define ") && is_early && is_for_system(s)))
        hc_host_line(h, 0, "%s", s);
}

/* Whether the program's own text has the word. */
static int program_has(const hc_text *t, const char *word, size_t n)
{
    for (uint32_t l = 0; l < t->n_lines; l++)
        if (!t->lines[l].is_system && !t->lines[l].is_marker && has_word(line_of(t, l), word, n))
            return 1;
    return 0;
}

/* A line of a system header: records a macro to undefine. */
static void note_macro(hc_host *h, uint32_t line)
{
    const hc_text *t = &h->unit->text;
    const char *name = t->bytes + t->lines[line].begin + strlen("#define ");
    const char *rest = name + name_length(name);
    char *s;
    if (!begins(t->bytes + t->lines[line].begin, "#define ") || *rest == '\n')
        return;
    s = line_of(t, line) + (rest - t->bytes - t->lines[line].begin);
    if (has_word(s, name, (size_t)(rest - name)) && strlen(s) > (size_t)(rest - name) + 1 &&
        program_has(t, name, (size_t)(rest - name)))
        *HC_ADD(&h->undo) = hc_copy(name, (size_t)(rest - name));
}

void hc_host_undo(hc_host *h)
{
    for (uint32_t i = 0; i < h->undo.n; i++)
        hc_host_line(h, 0, "#undef %s", h->undo.at[i]);
    h->undo.n = 0;
}

/* Declarative pragmas without meaning for the host. */
static int is_left_out(const hc_unit *u, uint32_t begin)
{
    for (uint32_t i = 0; i < u->pragmas.n; i++) {
        hc_directive d = u->pragmas.at[i].directive;
        if (u->pragmas.at[i].at.begin == begin)
            return hc_stand_of(d) == HC_DECLARATIVE && d != HC_THREADPRIVATE && d != HC_DECLARE_REDUCTION;
    }
    return 0;
}

static int is_blank(const char *s, uint32_t begin, uint32_t end)
{
    while (begin < end && isspace((unsigned char)s[begin]))
        begin++;
    return begin == end;
}

static void put_text(hc_host *h, uint32_t line, uint32_t begin, uint32_t end)
{
    const hc_buf *out = &h->w.out;
    int after_empty = out->n < 2 || (out->at[out->n - 1] == '\n' && out->at[out->n - 2] == '\n');
    if (is_blank(h->unit->text.bytes, begin, end)) {
        if (!after_empty && memchr(h->unit->text.bytes + begin, '\n', end - begin))
            hc_puts(&h->w.out, "\n");
        return;
    }
    if (begin == h->unit->text.lines[line].begin)
        hc_host_sync(h, begin);
    hc_write_text(&h->w, h->unit, begin, end);
}

void hc_host_between(hc_host *h, uint32_t begin, uint32_t end)
{
    const hc_text *t = &h->unit->text;
    if (begin == 0)
        h->last_include = last_include(t);
    for (uint32_t l = begin < end ? hc_line_at(t, begin) : 0; begin < end; l++) {
        uint32_t next = l + 1 < t->n_lines ? t->lines[l + 1].begin : t->n, stop = next < end ? next : end;
        if (t->lines[l].is_system && !is_forced(t, l)) {
            if (t->lines[l].is_marker)
                note_macro(h, l);
        } else if (t->lines[l].is_marker) {
            put_marker(h, l);
        } else if (!is_left_out(h->unit, begin)) {
            if (!is_blank(t->bytes, begin, stop))
                hc_host_undo(h);
            put_text(h, l, begin, stop);
        }
        begin = stop;
    }
}

/* ---- for bodies -------------------------------------------------------------------------------------------------- */

static void undo_defines(hc_buf *lines, hc_buf *out)
{
    for (char *s = lines->at; s && *s; s = strchr(s, '\n') + 1)
        if (begins(s, "#define "))
            hc_putf(out, "#undef %.*s\n", (int)name_length(s + strlen("#define ")), s + strlen("#define "));
}

void hc_emit_includes(hc_program *p, hc_buf *out)
{
    for (uint32_t i = 0; i < p->units.n; i++) {
        hc_host h = {.p = p, .unit = p->units.at[i], .keeps = p->calls_openmp, .w.no_line = 1};
        const hc_text *t = &h.unit->text;
        h.last_include = last_include(t);
        for (uint32_t l = 0; l < t->n_lines; l++)
            if (t->lines[l].is_marker && t->lines[l].is_system)
                note_macro(&h, l);
            else if (t->lines[l].is_marker)
                put_marker(&h, l);
        hc_host_undo(&h);
        hc_put(out, h.w.out.at ? h.w.out.at : "", h.w.out.n);
        undo_defines(&h.w.out, out);
    }
}
