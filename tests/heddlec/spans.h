/* SPDX-License-Identifier: MIT */
/* spans.h - what holds for every parsed pragma, whatever the text: its spans lie in its line and nest, the overlay
 * keeps the lines, and its offsets lead back. */
#ifndef SPANS_H
#define SPANS_H

#include "check.h"
#include "parse/overlay.h"

#include <string.h>

static inline void check_inside(hc_span inner, hc_span outer)
{
    CHECK_MSG(inner.begin <= inner.end && outer.begin <= inner.begin && inner.end <= outer.end, "%u..%u in %u..%u",
              inner.begin, inner.end, outer.begin, outer.end);
}

static inline void check_item(const hc_item *item, hc_span clause)
{
    uint32_t i, last = item->base.end;
    check_inside(item->whole, clause);
    check_inside(item->base, item->whole);
    CHECK(item->base.begin == item->whole.begin && item->base.begin < item->base.end);
    for (i = 0; i < item->n_dims; i++) {
        const hc_dim *d = &item->dims[i];
        int has_lower = d->lower.begin < d->lower.end, has_length = d->length.begin < d->length.end;
        CHECK(d->is_section || (has_lower && !has_length));
        if (has_lower) {
            check_inside(d->lower, (hc_span){last + 1, item->whole.end - 1});
            last = d->lower.end;
        }
        if (has_length) {
            check_inside(d->length, (hc_span){last + 1, item->whole.end - 1});
            last = d->length.end;
        }
    }
    CHECK(item->n_dims > 0 || item->base.end == item->whole.end);
}

static inline void check_pragma(const hc_text *t, const hc_pragma *p)
{
    uint32_t line = hc_line_at(t, p->at.begin), i, k;
    CHECK(p->directive < HC_N_DIRECTIVES);
    check_inside(p->at, (hc_span){t->lines[line].begin, hc_line_end(t, line)});
    CHECK(t->bytes[p->at.begin] == '#' && p->at.end == hc_line_end(t, line));
    for (i = 0; i < p->n_clauses; i++) {
        const hc_clause *c = &p->clauses[i];
        CHECK(c->kind < HC_N_CLAUSES && c->at.begin < c->at.end);
        check_inside(c->at, p->at);
        CHECK(i == 0 || p->clauses[i - 1].at.end <= c->at.begin);
        for (k = 0; k < c->n_items; k++)
            check_item(&c->items[k], c->at);
        for (k = 0; k < c->n_iterators; k++) {
            check_inside(c->iterators[k].name, c->at);
            check_inside(c->iterators[k].end, c->at);
        }
        if (c->extra.base.begin < c->extra.base.end)
            check_item(&c->extra, c->at);
    }
}

typedef struct piece_walk {
    const hc_overlay *o;
    uint32_t next;
} piece_walk;

static inline void check_piece(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at)
{
    piece_walk *w = arg;
    const struct hc_piece *piece = &w->o->pieces[w->next];
    CHECK(w->next++ < w->o->n_pieces && piece->from == at.begin && piece->n == at.end - at.begin);
    CHECK(!memcmp(w->o->bytes + piece->to, w->o->text->bytes + at.begin, piece->n));
    CHECK(hc_overlay_back(w->o, piece->to) == at.begin && hc_overlay_back(w->o, piece->to + piece->n) == at.end);
    CHECK((item || c->extra.base.begin == at.begin || dim < (int)c->n_iterators) && dim >= -1 &&
          (is_length == 0 || dim >= 0));
}

/* The overlay has the text's lines; lines without a pragma are unchanged, or empty. */
static inline void check_lines(const hc_text *t, const hc_pragmas *p, const hc_overlay *o)
{
    uint32_t line, next = 0;
    for (line = 0; line < t->n_lines; line++) {
        uint32_t begin = t->lines[line].begin, end = hc_line_end(t, line), to = o->lines[line],
                 n = o->lines[line + 1] - to;
        int has_newline = end < t->n;
        CHECK(!memchr(o->bytes + to, '\n', n - (uint32_t)has_newline) &&
              (!has_newline || o->bytes[to + n - 1] == '\n'));
        if (next < p->n && p->at[next].at.begin <= end) {
            CHECK(hc_overlay_back(o, to + p->at[next].at.begin - begin) == p->at[next].at.begin);
            next++;
        } else if (!t->lines[line].is_dropped) {
            CHECK(n == end - begin + (uint32_t)has_newline && !memcmp(o->bytes + to, t->bytes + begin, n));
            CHECK(n == 0 || (hc_overlay_back(o, to) == begin && hc_overlay_back(o, to + n - 1) == begin + n - 1));
        }
    }
    CHECK(next == p->n && o->lines[t->n_lines] == o->n);
}

static inline void check_all(const hc_text *t, const hc_pragmas *p)
{
    hc_overlay o = hc_make_overlay(t, p);
    piece_walk walk = {&o, 0};
    char *view = hc_make_openmp_view(t, p);
    uint32_t i;
    for (i = 0; i < p->n; i++) {
        CHECK(p->at[i].number == i && (i == 0 || p->at[i - 1].at.end < p->at[i].at.begin));
        check_pragma(t, &p->at[i]);
        if (hc_stand_of(p->at[i].directive) != HC_DECLARATIVE)
            hc_overlay_each(&p->at[i], check_piece, &walk);
    }
    CHECK(walk.next == o.n_pieces);
    check_lines(t, p, &o);
    for (i = 0; i < t->n; i++)
        CHECK(view[i] == t->bytes[i] || view[i] == ' ');
}

#endif
