/* SPDX-License-Identifier: MIT */
/* rewrite.c - copies text between nodes, word by word, and writes nodes that no callback wrote. See rewrite.h. */
#include "emit/rewrite.h"

#include <ctype.h>
#include <string.h>

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The end of a string or character constant that begins at `at`. */
static uint32_t behind_quoted(const char *s, uint32_t at, uint32_t end)
{
    char quote = s[at++];
    for (; at < end && s[at] != quote; at++)
        if (s[at] == '\\')
            at++;
    return at < end ? at + 1 : end;
}

static void put_words(hc_writer *w, const hc_unit *u, uint32_t at, uint32_t end)
{
    const char *s = u->text.bytes;
    while (at < end) {
        uint32_t begin = at;
        const char *other = NULL;
        if (s[at] == '"' || s[at] == '\'') {
            at = behind_quoted(s, at, end);
        } else if (!is_word(s[at])) {
            at++;
        } else {
            while (at < end && is_word(s[at]))
                at++;
            other = w->word ? w->word(w, u, begin, at - begin) : NULL;
        }
        if (other)
            hc_puts(&w->out, other);
        else
            hc_put(&w->out, s + begin, at - begin);
    }
}

void hc_write_text(hc_writer *w, const hc_unit *u, uint32_t begin, uint32_t end)
{
    const hc_text *t = &u->text;
    for (uint32_t l = begin < end ? hc_line_at(t, begin) : 0; begin < end; l++) {
        uint32_t next = l + 1 < t->n_lines ? t->lines[l + 1].begin : t->n;
        uint32_t stop = next < end ? next : end;
        if (!t->lines[l].is_marker)
            put_words(w, u, begin, stop);
        begin = stop;
    }
}

void hc_write_inside(hc_writer *w, hc_node *n)
{
    uint32_t at = n->begin;
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(w, n->unit, at, c->begin);
        hc_write(w, c);
        at = c->end;
    }
    hc_write_text(w, n->unit, at, n->end);
}

void hc_write(hc_writer *w, hc_node *n)
{
    if (!w->node || !w->node(w, n))
        hc_write_inside(w, n);
}

char *hc_written(hc_writer *w, hc_node *n)
{
    hc_buf outer = w->out, inner;
    memset(&w->out, 0, sizeof w->out);
    hc_write(w, n);
    inner = w->out;
    w->out = outer;
    return inner.at ? inner.at : hc_copy("", 0);
}

void hc_write_place(hc_writer *w, const hc_unit *u, uint32_t at)
{
    hc_place p = hc_place_of(&u->text, at);
    if (w->out.n && w->out.at[w->out.n - 1] != '\n')
        hc_puts(&w->out, "\n");
    if (!w->no_line)
        hc_putf(&w->out, "#line %u \"%s\"\n", p.line, p.file);
}

char *hc_quoted(const char *s)
{
    hc_buf b = {0};
    hc_puts(&b, "\"");
    for (; *s; s++)
        hc_putf(&b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    hc_puts(&b, "\"");
    return b.at;
}
