/* SPDX-License-Identifier: MIT */
/* overlay.c - the texts given to parsers, and the way back from the overlay's offsets to the text's. */
#include "parse/overlay.h"

#include <string.h>

/* omp_all_memory is a word of OpenMP 5.1 in the place of a variable. */
const char hc_overlay_head[] = "int __hd_c(int, ...);\n"
                               "void __hd_s(int, ...);\n"
                               "extern char omp_all_memory;\n";

typedef HC_LIST(struct hc_piece) piece_list;

typedef struct build {
    const hc_text *t;
    hc_buf out;
    piece_list pieces;
} build;

static void put_piece(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at)
{
    build *b = arg;
    (void)c, (void)item, (void)dim, (void)is_length;
    hc_puts(&b->out, ", ");
    *HC_ADD(&b->pieces) = (struct hc_piece){(uint32_t)b->out.n, at.begin, at.end - at.begin};
    hc_put(&b->out, b->t->bytes + at.begin, at.end - at.begin);
}

/* `ordered depend(...)` has no statement; with other clauses, or none, it has one. */
static int stands_alone(const hc_pragma *p)
{
    return hc_stand_of(p->directive) == HC_ALONE || (p->directive == HC_ORDERED && hc_clause_of(p, HC_C_DEPEND));
}

/* Declares each iterator name once, in a statement expression around the call. */
static int put_iterators(build *b, const hc_pragma *p)
{
    const char *s = b->t->bytes;
    hc_buf names = {0};
    for (uint32_t i = 0; i < p->n_clauses; i++)
        for (uint32_t k = 0; k < p->clauses[i].n_iterators; k++) {
            const hc_iterator *it = &p->clauses[i].iterators[k];
            int has_type = it->type.begin < it->type.end;
            char *name = hc_format(" %.*s ", (int)(it->name.end - it->name.begin), s + it->name.begin);
            hc_puts(&b->out, names.n ? "" : "({ ");
            if (names.n && strstr(names.at, name))
                continue;
            hc_puts(&names, name);
            hc_putf(&b->out, "%.*s%s; ", has_type ? (int)(it->type.end - it->type.begin) : 3,
                    has_type ? s + it->type.begin : "int", name);
        }
    return names.n > 0;
}

static void put_pragma(build *b, const hc_pragma *p)
{
    int is_alone = stands_alone(p), has_iterators;
    if (hc_stand_of(p->directive) == HC_DECLARATIVE)
        return;
    hc_puts(&b->out, is_alone ? "" : "for (; ");
    has_iterators = put_iterators(b, p);
    hc_putf(&b->out, is_alone ? "__hd_s(%u" : "__hd_c(%u", p->number);
    hc_overlay_each(p, put_piece, b);
    hc_puts(&b->out, has_iterators ? "); })" : ")");
    hc_puts(&b->out, is_alone ? ";" : "; )");
}

static void put_line(build *b, uint32_t line, const hc_pragma *p)
{
    uint32_t begin = b->t->lines[line].begin, end = hc_line_end(b->t, line);
    uint32_t kept = p || b->t->lines[line].is_dropped ? hc_line_first(b->t, line) : end;
    hc_put(&b->out, b->t->bytes + begin, kept - begin);
    if (p)
        put_pragma(b, p);
    if (end < b->t->n)
        hc_put(&b->out, "\n", 1);
}

hc_overlay hc_make_overlay(const hc_text *t, const hc_pragmas *p)
{
    build b = {t, {0}, {0}};
    uint32_t *lines = hc_new((t->n_lines + 1) * sizeof *lines), line, next = 0;
    hc_put(&b.out, "", 0);
    for (line = 0; line < t->n_lines; line++) {
        int is_pragma = next < p->n && p->at[next].at.begin <= hc_line_end(t, line);
        lines[line] = (uint32_t)b.out.n;
        put_line(&b, line, is_pragma ? &p->at[next] : NULL);
        next += (uint32_t)is_pragma;
    }
    lines[t->n_lines] = (uint32_t)b.out.n;
    return (hc_overlay){b.out.at, b.out.n, b.pieces.at, b.pieces.n, t, lines};
}

/* ---- for a parser that knows OpenMP ------------------------------------------------------------------------------ */

/* Overwrites the view up to `end` with blanks. */
static void blank_out(char *view, uint32_t begin, uint32_t end) { memset(view + begin, ' ', end - begin); }

/* The first word behind the clause's opening bracket. */
static uint32_t content_of(const hc_text *t, const hc_clause *c)
{
    uint32_t open = hc_blank_end(t->bytes, hc_token_end(t->bytes, c->at.begin, c->at.end), c->at.end);
    return hc_blank_end(t->bytes, open + 1, c->at.end);
}

/* label is heddle's own; the others are of OpenMP 5.1, which clang 14 knows only in part. */
static void blank_clause(char *view, const hc_text *t, const hc_pragma *p, const hc_clause *c)
{
    int is_new_nowait = c->kind == HC_C_NOWAIT && p->directive == HC_TASKWAIT;
    const char *word = c->word ? c->word : "";
    if (c->kind == HC_C_LABEL || is_new_nowait || (c->kind == HC_C_ORDER && c->more))
        blank_out(view, c->at.begin, c->at.end);
    else if ((c->kind == HC_C_GRAINSIZE || c->kind == HC_C_NUM_TASKS) && *word)
        blank_out(view, content_of(t, c), c->items[0].whole.begin);
    else if (c->kind == HC_C_DEPEND && !strcmp(word, "inoutset")) /* reads as inout */
        blank_out(view, content_of(t, c) + (uint32_t)strlen("inout"), content_of(t, c) + (uint32_t)strlen("inoutset"));
}

char *hc_make_openmp_view(const hc_text *t, const hc_pragmas *p)
{
    char *view = hc_copy(t->bytes, t->n);
    uint32_t line, i, k;
    for (line = 0; line < t->n_lines; line++)
        if (t->lines[line].is_dropped)
            blank_out(view, hc_line_first(t, line), hc_line_end(t, line));
    for (i = 0; i < p->n; i++) {
        if (p->at[i].directive == HC_REGION)
            blank_out(view, p->at[i].at.begin, p->at[i].at.end);
        for (k = 0; k < p->at[i].n_clauses; k++)
            blank_clause(view, t, &p->at[i], &p->at[i].clauses[k]);
    }
    return view;
}

/* ---- the way back ------------------------------------------------------------------------------------------------ */

uint32_t hc_overlay_line(const hc_overlay *o, uint32_t at)
{
    uint32_t low = 0, high = o->text->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (o->lines[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The piece that contains `at` or ends there; NULL if there is none. */
static const struct hc_piece *piece_of(const hc_overlay *o, uint32_t at)
{
    uint32_t low = 0, high = o->n_pieces;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (o->pieces[middle].to <= at)
            low = middle;
        else
            high = middle;
    }
    if (low < high && o->pieces[low].to <= at && at <= o->pieces[low].to + o->pieces[low].n)
        return &o->pieces[low];
    return NULL;
}

uint32_t hc_overlay_back(const hc_overlay *o, uint32_t at)
{
    const hc_text *t = o->text;
    const struct hc_piece *piece = piece_of(o, at);
    uint32_t line = hc_overlay_line(o, at), begin = t->lines[line].begin, end = hc_line_end(t, line),
             in_line = at - o->lines[line];
    uint32_t n = o->lines[line + 1] - o->lines[line], length = end < t->n ? end + 1 - begin : end - begin;
    if (piece)
        return piece->from + (at - piece->to);
    if (n == length && !memcmp(o->bytes + o->lines[line], t->bytes + begin, n))
        return begin + (in_line < end - begin ? in_line : end - begin);
    return hc_line_first(t, line);
}

/* ---- the expressions of a pragma --------------------------------------------------------------------------------- */

/* dim is the iterator's number; is_length: 0 begin, 1 end, 2 step. */
static void each_of_iterators(const hc_clause *c, hc_overlay_fn fn, void *arg)
{
    for (uint32_t k = 0; k < c->n_iterators; k++) {
        const hc_iterator *it = &c->iterators[k];
        fn(arg, c, NULL, (int)k, 0, it->begin);
        fn(arg, c, NULL, (int)k, 1, it->end);
        if (it->step.begin < it->step.end)
            fn(arg, c, NULL, (int)k, 2, it->step);
    }
}

static void each_of_item(const hc_clause *c, const hc_item *item, hc_overlay_fn fn, void *arg)
{
    uint32_t i;
    fn(arg, c, item, -1, 0, item->base);
    for (i = 0; i < item->n_dims; i++) {
        const hc_dim *d = &item->dims[i];
        if (d->lower.begin < d->lower.end)
            fn(arg, c, item, (int)i, 0, d->lower);
        if (d->length.begin < d->length.end)
            fn(arg, c, item, (int)i, 1, d->length);
    }
}

void hc_overlay_each(const hc_pragma *p, hc_overlay_fn fn, void *arg)
{
    uint32_t i, k;
    for (i = 0; i < p->n_clauses; i++) {
        const hc_clause *c = &p->clauses[i];
        each_of_iterators(c, fn, arg);
        for (k = 0; c->kind != HC_C_NAME && k < c->n_items; k++)
            each_of_item(c, &c->items[k], fn, arg);
        if (c->extra.base.begin < c->extra.base.end)
            fn(arg, c, NULL, -1, 0, c->extra.base);
    }
}
