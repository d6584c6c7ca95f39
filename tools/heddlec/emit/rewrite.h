/* SPDX-License-Identifier: MIT */
/* rewrite.h - writes a tree back as text, with changes by callbacks.
 *
 * hc_write first calls `node`; when it declines (0), hc_write copies the node's text and writes its children the same
 * way. So code that changes one kind of node need not handle the others, and the user's layout and names stay. Copied
 * text leaves out lines that are not program text (line markers, #define, #include); hc_write_place puts #line where
 * wanted. */
#ifndef HEDDLEC_REWRITE_H
#define HEDDLEC_REWRITE_H

#include "parse/tree.h"

typedef struct hc_writer hc_writer;
struct hc_writer {
    hc_buf out;
    int (*node)(hc_writer *w, hc_node *n); /* 1: it has written n; NULL: declines always                       */
    /* A word of the copied text (including identifiers and keywords outside NAME nodes): the replacement, or NULL. */
    const char *(*word)(hc_writer *w, const hc_unit *u, uint32_t at, size_t n);
    int no_line; /* leave out #line */
    void *arg;
};

void hc_write(hc_writer *w, hc_node *n);
void hc_write_inside(hc_writer *w, hc_node *n); /* does not call `node` for n itself */
void hc_write_text(hc_writer *w, const hc_unit *u, uint32_t begin, uint32_t end);
/* `#line 12 "lu.c"` for the following text, on its own line. */
void hc_write_place(hc_writer *w, const hc_unit *u, uint32_t at);
/* The text that hc_write would write, kept apart from w->out. */
char *hc_written(hc_writer *w, hc_node *n);
/* As a string constant of C. */
char *hc_quoted(const char *s);

#endif
