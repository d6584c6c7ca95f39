/* SPDX-License-Identifier: MIT */
/* overlay.h - the text as C without OpenMP, in which the C parser sees the expressions of clauses.
 *
 * Each pragma before a statement is replaced, on its line, by `for (; __hd_c(N, e1, e2, ...); )`, and a stand-alone one
 * by `__hd_s(N, e1, e2, ...);`. N is its number, and e1, e2, ... are its clauses' expressions in the order of
 * hc_overlay_each. Iterators are declared before the call: `({ int i; __hd_c(N, ...); })`. Declarative pragmas become
 * blanks, and so do the #define, #undef and #include lines that the preprocessor kept. Lines keep their numbers; all
 * other lines (also line markers) keep every character. hc_overlay_head, included by the parser, declares the helpers. */
#ifndef HEDDLEC_OVERLAY_H
#define HEDDLEC_OVERLAY_H

#include "parse/pragma.h"

typedef struct hc_overlay {
    char *bytes;
    size_t n;
    struct hc_piece { /* n characters copied from a pragma, at `from` in the text and `to` in the overlay */
        uint32_t to, from, n;
    } * pieces; /* ascending; between pragma lines offsets follow from the line */
    uint32_t n_pieces;
    const hc_text *text;
    uint32_t *lines; /* overlay offset of each line's first character */
} hc_overlay;

extern const char hc_overlay_head[];
hc_overlay hc_make_overlay(const hc_text *t, const hc_pragmas *p);
/* The text for a parser that knows OpenMP. Blanks replace lines kept by the preprocessor, `#pragma heddle`, and parts
 * of pragmas that clang 14 would wrongly refuse. Line markers stay; offsets are the text's. */
char *hc_make_openmp_view(const hc_text *t, const hc_pragmas *p);
uint32_t hc_overlay_line(const hc_overlay *o, uint32_t at); /* index in lines */
/* The text's offset for an offset of the overlay; text made by the overlay maps to the start of its pragma. The place
 * right behind a copied piece maps to the place behind it. */
uint32_t hc_overlay_back(const hc_overlay *o, uint32_t at);

/* Calls fn for each expression of a pragma, in order. For each clause: the ranges of its iterators (item NULL, the
 * dimension is the iterator's number, is_length 0 for begin, 1 for end, 2 for step). Then each item's base, then lower
 * and length of its dimensions where present; then extra's base. fn gets the clause, the item (NULL for extra), the
 * dimension (-1 = base) and whether it is the length. Words (items of NAME, WORDS clauses) are left out. */
typedef void (*hc_overlay_fn)(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at);
void hc_overlay_each(const hc_pragma *p, hc_overlay_fn fn, void *arg);

#endif
