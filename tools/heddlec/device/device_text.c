/* SPDX-License-Identifier: MIT */
/* device_text.c - words with another meaning in C++, lines, indentation. */
#include "device/device.h"

#include <string.h>

void hc_dev_putf(hc_device *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hc_puts(&d->w.out, hc_vformat(format, arguments));
    va_end(arguments);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static const char *const words[][2] = {
    {"restrict", "HEDDLE_OMP_RESTRICT"},
    {"__restrict", "HEDDLE_OMP_RESTRICT"},
    {"__restrict__", "HEDDLE_OMP_RESTRICT"},
    {"_Static_assert", "HEDDLE_OMP_STATIC_ASSERT"},
    {"_Bool", "bool"},
    {"_Alignof", "__alignof__"},
    {"_Alignas", "HEDDLE_OMP_ALIGNAS"},
    {"typeof", "__typeof__"},
    {"register", ""},
    {"auto", ""},
    {"thread", "hd_the_thread"}, /* the body's own name */
};

const char *hc_dev_word(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == n && !memcmp(words[i][0], word, n))
            return words[i][1];
    return hc_is_taken_word(word, n) ? hc_format("hd_%.*s", (int)n, word) : NULL;
}

const char *hc_dev_word_at(hc_writer *w, const hc_unit *u, uint32_t at, size_t n)
{
    const char *other = hc_new_name_at(hc_device_of(w)->p, u, at, n);
    return other ? other : hc_dev_word(u->text.bytes + at, n);
}

const char *hc_dev_name(const char *name)
{
    const char *other = hc_dev_word(name, strlen(name));
    return other ? other : name;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void count_lines(hc_device *d)
{
    for (; d->s.at.counted < d->w.out.n; d->s.at.counted++)
        d->s.at.line += d->w.out.at[d->s.at.counted] == '\n';
}

static int begins_line(const hc_device *d)
{
    size_t n = d->w.out.n;
    while (n > 0 && d->w.out.at[n - 1] == ' ')
        n--;
    return n == 0 || d->w.out.at[n - 1] == '\n';
}

void hc_dev_sync(hc_device *d, const hc_node *n)
{
    hc_place p = hc_place_of(&n->unit->text, n->begin);
    char *blanks;
    size_t end = d->w.out.n;
    count_lines(d);
    if ((d->s.at.file == p.file && d->s.at.line == p.line) || !begins_line(d) || d->w.no_line)
        return;
    while (end > 0 && d->w.out.at[end - 1] == ' ')
        end--;
    blanks = hc_copy(d->w.out.at + end, d->w.out.n - end);
    d->w.out.n = end;
    hc_write_place(&d->w, n->unit, n->begin);
    hc_puts(&d->w.out, blanks);
    d->s.at = (hc_line_state){d->w.out.n, p.line, p.file};
}

void hc_dev_unsync(hc_device *d) { d->s.at.file = NULL; }

void hc_dev_indent(hc_device *d, const hc_node *n)
{
    const char *bytes = n->unit->text.bytes;
    uint32_t at = n->begin;
    if (d->w.out.n == 0 || d->w.out.at[d->w.out.n - 1] != '\n')
        return;
    while (at > 0 && bytes[at - 1] != '\n')
        at--;
    for (; at < n->begin && bytes[at] == ' '; at++)
        hc_puts(&d->w.out, " ");
}

void hc_dev_trim(hc_device *d)
{
    while (d->w.out.n > 0 && d->w.out.at[d->w.out.n - 1] == ' ')
        d->w.out.at[--d->w.out.n] = 0;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

char *hc_dev_quoted(const char *s)
{
    hc_buf b = {0};
    hc_puts(&b, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            hc_puts(&b, "\\");
        hc_put(&b, s, 1);
    }
    hc_puts(&b, "\"");
    return b.at;
}

char *hc_dev_place(const hc_node *n)
{
    hc_place p = hc_place_of(&n->unit->text, n->begin);
    return hc_format("%s, %u", hc_dev_quoted(p.file), p.line);
}
