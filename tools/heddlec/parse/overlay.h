/* SPDX-License-Identifier: MIT */
/* overlay.h - the text as C without OpenMP, in which the C parser sees what stands in clauses.
 *
 * Each pragma before a statement is replaced, on its line, by `for (; __hd_c(N, e1, e2, ...); )`, and one that stands alone
 * by `__hd_s(N, e1, e2, ...);` (iterators are declared before the call: `({ int i; __hd_c(N, ...); })`), with N its number and e1, e2, ... the expressions of its clauses in the order of
 * hc_overlay_each. A declarative pragma becomes blanks, and so do the #define, #undef and #include lines that the
 * preprocessor kept. Lines keep their numbers, and all other lines (also line markers) every character. The helpers are declared by hc_overlay_head, which is given to the parser as an included file. */
#ifndef HEDDLEC_OVERLAY_H
#define HEDDLEC_OVERLAY_H

#include "parse/pragma.h"

typedef struct hc_overlay {
    char *bytes;
    size_t n;
    struct hc_piece { /* characters copied from a pragma: n at `from` in the text stand at `to` in the overlay */
        uint32_t to, from, n;
    } * pieces; /* ascending; between pragma lines offsets follow from the line */
    uint32_t n_pieces;
    const hc_text *text;
    uint32_t *lines; /* offset of each line's first character in the overlay */
} hc_overlay;

extern const char hc_overlay_head[];
hc_overlay hc_make_overlay(const hc_text *t, const hc_pragmas *p);
/* The text for a parser that knows OpenMP: what the preprocessor kept and `#pragma heddle` become blanks, and so does what
 * clang 14 would wrongly refuse in a pragma. Line markers stay, offsets are the text's. */
char *hc_make_openmp_view(const hc_text *t, const hc_pragmas *p);
uint32_t hc_overlay_line(const hc_overlay *o, uint32_t at); /* index in lines */
/* The offset in the text of an offset in the overlay; what was made by the overlay counts as the start of its pragma. The
 * place right behind a copied piece counts as behind it. */
uint32_t hc_overlay_back(const hc_overlay *o, uint32_t at);

/* The expressions of a pragma in their order: for each clause, what its iterators go through (the item is NULL, the dimension
 * the iterator's number, is_length 0 for begin, 1 for end, 2 for step), each item's base, then lower and length of each of its
 * dimensions where present, then extra's base. Calls fn for each with the clause, the item (NULL for extra), the dimension
 * (-1 = base) and whether it is the length. What is a word and no expression (items of NAME, WORDS clauses) is left out. */
typedef void (*hc_overlay_fn)(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at);
void hc_overlay_each(const hc_pragma *p, hc_overlay_fn fn, void *arg);

#endif
