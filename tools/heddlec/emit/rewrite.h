/* SPDX-License-Identifier: MIT */
/* rewrite.h - writes a tree back as text, changed where somebody wants it changed.
 *
 * hc_write asks `node` first; when it declines (0), the text of the node is copied and its children are written, each by
 * hc_write. So whoever changes one kind of node says nothing about the others, and the user's layout and names stay.
 * Lines that are no program text (line markers, #define, #include) are left out of what is copied; hc_write_place puts
 * #line where it is wanted. */
#ifndef HEDDLEC_REWRITE_H
#define HEDDLEC_REWRITE_H

#include "parse/tree.h"

typedef struct hc_writer hc_writer;
struct hc_writer {
    hc_buf out;
    int (*node)(hc_writer *w, hc_node *n); /* 1: it has written n; NULL: declines always                       */
    /* A word of the copied text (identifiers and keywords outside of NAME nodes included): what to write instead, or NULL. */
    const char *(*word)(hc_writer *w, const hc_unit *u, uint32_t at, size_t n);
    int no_line; /* leave out #line */
    void *arg;
};

void hc_write(hc_writer *w, hc_node *n);
void hc_write_inside(hc_writer *w, hc_node *n); /* without asking for n itself */
void hc_write_text(hc_writer *w, const hc_unit *u, uint32_t begin, uint32_t end);
/* `#line 12 "lud.c"` for what follows, on a line of its own. */
void hc_write_place(hc_writer *w, const hc_unit *u, uint32_t at);
/* The text of a node as hc_write would write it, apart from w->out. */
char *hc_written(hc_writer *w, hc_node *n);
/* As a string constant of C. */
char *hc_quoted(const char *s);

#endif
