/* SPDX-License-Identifier: MIT */
/* accesses.c - what a loop's accesses and reductions become: pieces, and pointers to them in the params.
 *
 * Accesses of one shape to one array share a piece, so that what one of them writes is where the other one reads. An array that is
 * written has one piece only: whether two shapes overlap would have to be found for every pair of slices. */
#include "engine/loop/fleet.h"
#include "graph/range.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_FOUND_BYTES 65536u

static uint64_t one_or_more(uint64_t n) { return n ? n : 1; }

const char *hd_piece_name(const hd_piece *p, char name[HD_PIECE_NAME])
{
    (void)snprintf(name, HD_PIECE_NAME, "%s %u", p->is_found ? "reduction" : "access", p->access);
    return name;
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------ */

/* Indices and the rows or columns that they need, of those that the array has. */
static heddle_status check_side(uint32_t i, const char *what, uint64_t n, uint64_t n_each, uint64_t first, uint64_t has)
{
    if (first <= has && n <= (has - first) / n_each)
        return HEDDLE_OK;
    return HD_SAY_NEW(HEDDLE_EINVAL,
                      "access %u: the array has %" PRIu64 " %s; %" PRIu64 " indices with %" PRIu64
                      " each, from number %" PRIu64 " on, need more",
                      i, has, what, n, n_each, first);
}

static heddle_status check_columns(const heddle_access *a, uint32_t i)
{
    if (a->column_bytes && a->array->row_bytes % a->column_bytes == 0)
        return HEDDLE_OK;
    return HD_SAY_NEW(HEDDLE_EINVAL,
                      "access %u: rows of %" PRIu64 " bytes do not consist of columns of %" PRIu64 " bytes", i,
                      a->array->row_bytes, a->column_bytes);
}

/* Of one side of it: n fixed ones, or those that follow an index. */
static heddle_status check_rect_side(uint32_t i, const char *what, uint64_t n, uint64_t n_each, uint64_t first,
                                     uint64_t n_fixed, uint64_t has)
{
    if (!n_fixed)
        return check_side(i, what, n, one_or_more(n_each), first, has);
    return check_side(i, what, n_fixed, 1, first, has);
}

static heddle_status check_rect(const heddle_loop *l, const heddle_access *a, uint32_t i)
{
    if (!a->n_columns && !l->desc.n_2)
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u follows a second index, and the loop has none", i);
    if (a->n_rows && (a->mode & HEDDLE_MODE_OUT))
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u: different indices would write the same rows or columns", i);
    HD_TRY(check_columns(a, i));
    HD_TRY(check_rect_side(i, "rows", l->desc.n, a->n_each, a->first, a->n_rows, a->array->n_rows));
    return check_rect_side(i, "columns", l->desc.n_2, a->n_each_2, a->first_2, a->n_columns,
                           a->array->row_bytes / a->column_bytes);
}

static heddle_status check_kind(const heddle_loop *l, const heddle_access *a, uint32_t i)
{
    const uint64_t n = l->desc.n, n_rows = a->array->n_rows;
    switch (a->kind) {
    case HEDDLE_ACCESS_ROWS: return check_side(i, "rows", n, one_or_more(a->n_each), a->first, n_rows);
    case HEDDLE_ACCESS_COLUMNS:
        HD_TRY(check_columns(a, i));
        return check_side(i, "columns", n, one_or_more(a->n_each), a->first, a->array->row_bytes / a->column_bytes);
    case HEDDLE_ACCESS_BOTH:
        if (!l->desc.n_2)
            return HD_SAY_NEW(HEDDLE_EINVAL, "access %u follows a second index, and the loop has none", i);
        HD_TRY(check_columns(a, i));
        HD_TRY(check_side(i, "rows", n, one_or_more(a->n_each), a->first, n_rows));
        return check_side(i, "columns", l->desc.n_2, one_or_more(a->n_each_2), a->first_2,
                          a->array->row_bytes / a->column_bytes);
    case HEDDLE_ACCESS_RECT: return check_rect(l, a, i);
    case HEDDLE_ACCESS_PARTS:
        return a->fn ? HEDDLE_OK : HD_SAY_NEW(HEDDLE_EINVAL, "access %u: its function is NULL", i);
    default: return HEDDLE_OK;
    }
}

static int follows_second(heddle_access_kind k) { return k == HEDDLE_ACCESS_BOTH || k == HEDDLE_ACCESS_RECT; }

static int has_halo(const heddle_access *a)
{
    if (a->kind == HEDDLE_ACCESS_ALL || a->kind == HEDDLE_ACCESS_PARTS)
        return 0;
    return a->before || a->after || (follows_second(a->kind) && (a->before_2 || a->after_2));
}

static heddle_status check_access(const heddle_loop *l, const heddle_access *a, uint32_t i)
{
    if (!a->array || a->array->fleet != l->fleet || a->array->is_freed)
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u: the array is %s", i,
                          !a->array            ? "NULL"
                          : a->array->is_freed ? "freed"
                                               : "one of another fleet");
    if (a->mode < HEDDLE_MODE_IN || a->mode > HEDDLE_MODE_INOUT || (uint32_t)a->kind > HEDDLE_ACCESS_RECT)
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u: mode %u, kind %u", i, (unsigned)a->mode, (unsigned)a->kind);
    if (a->mode != HEDDLE_MODE_IN && (a->kind == HEDDLE_ACCESS_ALL || has_halo(a)))
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u: different indices would write the same rows or columns", i);
    return check_kind(l, a, i);
}

/* Its bytes at home; of very many rows those between them, too. */
static heddle_range home_of(const heddle_array *a)
{
    const int is_one = a->stride == a->row_bytes || a->n_rows > UINT32_MAX;
    return (heddle_range){.base = a->host,
                          .row_bytes = is_one ? (a->n_rows - 1u) * a->stride + a->row_bytes : a->row_bytes,
                          .n_rows = is_one ? 1 : a->n_rows,
                          .stride_bytes = is_one ? 0 : a->stride,
                          .mode = HEDDLE_MODE_INOUT};
}

/* Of arrays that share memory each device would have two copies, and one of them without what is written. */
static heddle_status check_pair(const hd_piece *p, const hd_piece *q)
{
    const heddle_range a = home_of(p->array), b = home_of(q->array);
    if (!p->writes)
        return HEDDLE_OK;
    if (p->array == q->array)
        return HD_SAY_NEW(HEDDLE_EINVAL, "access %u: the array is written, and access %u touches it in another way",
                          p->access, q->access);
    if (!hd_range_overlap(&a, &b))
        return HEDDLE_OK;
    return HD_SAY_NEW(HEDDLE_EINVAL,
                      "access %u: the array is written, and access %u has another one with some of its memory; "
                      "both need one array",
                      p->access, q->access);
}

/* Rows that one index writes and another reads would be new or old by chance. */
static heddle_status check_pieces(const heddle_loop *l)
{
    uint64_t i, k;
    for (i = 0; i < l->pieces.n; i++) {
        const hd_piece *p = hd_piece_at(l, i);
        if (p->writes && p->has_halo)
            return HD_SAY_NEW(HEDDLE_EINVAL,
                              "access %u: the array is written, and read with rows or columns of other indices",
                              p->access);
        for (k = 0; k < l->pieces.n; k++)
            if (k != i)
                HD_TRY(check_pair(p, hd_piece_at(l, k)));
    }
    return HEDDLE_OK;
}

/* ---- pieces --------------------------------------------------------------------------------------------------------------- */

/* The side that follows the first index has n things of `bytes` each: rows count as one, columns in bytes. */
static void follow_first(const heddle_loop *l, const heddle_access *a, hd_piece *p, uint64_t n, uint64_t bytes)
{
    const uint64_t n_each = one_or_more(a->n_each) * bytes;
    p->first = a->first * bytes;
    p->n_each = n_each * hd_at_most(l->desc.tile, l->desc.n);
    p->end = p->first + n_each * l->desc.n;
    p->n_all = n * bytes;
    p->before = hd_at_most(a->before, n) * bytes;
    p->after = hd_at_most(a->after, n) * bytes;
}

static void follow_second(const heddle_loop *l, const heddle_access *a, hd_piece *p)
{
    const uint64_t each = a->column_bytes, n = a->array->row_bytes / each;
    p->first_byte = a->first_2 * each;
    p->end_byte = p->first_byte + (a->n_columns ? a->n_columns : l->desc.n_2 * one_or_more(a->n_each_2)) * each;
    p->n_each_2 = l->desc.n_2 ? one_or_more(a->n_each_2) * each * hd_at_most(l->desc.tile_2, l->desc.n_2) : 0;
    p->before_2 = hd_at_most(hd_at_most(a->before_2, n) * each, p->first_byte);
    p->after_2 = hd_at_most(hd_at_most(a->after_2, n) * each, a->array->row_bytes - p->end_byte);
}

/* Of one access that was checked. */
static hd_piece piece_of(const heddle_loop *l, const heddle_access *a)
{
    hd_piece p;
    memset(&p, 0, sizeof p);
    p.array = a->array;
    p.kind = a->kind;
    p.reads = (a->mode & HEDDLE_MODE_IN) != 0;
    p.writes = (a->mode & HEDDLE_MODE_OUT) != 0;
    p.has_halo = has_halo(a);
    p.end_byte = a->array->row_bytes;
    if (a->kind == HEDDLE_ACCESS_ROWS || follows_second(a->kind))
        follow_first(l, a, &p, a->array->n_rows, 1);
    if (a->kind == HEDDLE_ACCESS_COLUMNS)
        follow_first(l, a, &p, a->array->row_bytes / a->column_bytes, a->column_bytes);
    if (follows_second(a->kind))
        follow_second(l, a, &p);
    p.n_rows = a->n_rows;
    p.n_columns = a->n_columns;
    if (a->kind == HEDDLE_ACCESS_PARTS) {
        p.fn = a->fn;
        p.user = a->user;
    }
    return p;
}

/* Do both follow the indices in the same way? */
static int is_like(const hd_piece *p, const hd_piece *q)
{
    return p->array == q->array && p->kind == q->kind && p->n_each == q->n_each && p->first == q->first &&
           p->first_byte == q->first_byte && p->end_byte == q->end_byte && p->fn == q->fn && p->user == q->user &&
           p->n_rows == q->n_rows && p->n_columns == q->n_columns;
}

static uint64_t larger(uint64_t x, uint64_t y) { return x > y ? x : y; }

static void join(hd_piece *p, const hd_piece *q)
{
    p->reads |= q->reads;
    p->writes |= q->writes;
    p->has_halo |= q->has_halo;
    p->before = larger(p->before, q->before);
    p->after = larger(p->after, q->after);
    p->before_2 = larger(p->before_2, q->before_2);
    p->after_2 = larger(p->after_2, q->after_2);
}

static heddle_status check_fields(const heddle_loop *l, const hd_piece *p, size_t offset, size_t stride)
{
    const int has_pointer = offset <= l->params_bytes && sizeof(void *) <= l->params_bytes - offset,
              has_stride = !stride || (stride <= l->params_bytes && sizeof(uint64_t) <= l->params_bytes - stride);
    char name[HD_PIECE_NAME];
    if (has_pointer && has_stride)
        return HEDDLE_OK;
    return HD_SAY_NEW(HEDDLE_EINVAL, "%s: the %s at offset %zu is outside of the params, which have %u bytes",
                      hd_piece_name(p, name), has_pointer ? "stride" : "pointer", has_pointer ? stride : offset,
                      l->params_bytes);
}

/* Adds a pointer to this piece, which may be one that is there. stride: of a field for that, or 0. */
static heddle_status add_piece(heddle_loop *l, const hd_piece *q, size_t offset, size_t stride)
{
    uint64_t i = 0;
    char name[HD_PIECE_NAME];
    HD_TRY(check_fields(l, q, offset, stride));
    while (i < l->pieces.n && !is_like(hd_piece_at(l, i), q))
        i++;
    if (i == HD_MOST_PIECES || hd_list_room(&l->pieces, 1, sizeof *q) || hd_list_room(&l->fields, 1, sizeof(hd_field)))
        return HD_SAY_NEW(HEDDLE_ENOMEM, "%s: no memory, or more than %u arrays", hd_piece_name(q, name),
                          HD_MOST_PIECES);
    if (i < l->pieces.n) {
        join(hd_piece_at(l, i), q);
    } else {
        *hd_piece_at(l, l->pieces.n++) = *q;
        q->array->n_loops++;
    }
    ((hd_field *)l->fields.at)[l->fields.n++] = (hd_field){offset, stride, (uint32_t)i};
    return HEDDLE_OK;
}

static heddle_status add_access(heddle_loop *l, const heddle_access *a, uint32_t i)
{
    hd_piece p;
    HD_TRY(check_access(l, a, i));
    p = piece_of(l, a);
    p.access = i;
    return add_piece(l, &p, a->field, a->stride);
}

/* ---- reductions ------------------------------------------------------------------------------------------------------------- */

static heddle_status check_found(const heddle_loop *l, const heddle_reduction *r, uint32_t i)
{
    if (!r->n || r->n > MOST_FOUND_BYTES / 8u || !r->result || (uint32_t)r->type > HEDDLE_F32 ||
        (uint32_t)r->op > HEDDLE_MAX)
        return HD_SAY_NEW(HEDDLE_EINVAL, "reduction %u: %u numbers (1 to %u), type %u, op %u, into %p", i, r->n,
                          MOST_FOUND_BYTES / 8u, (unsigned)r->type, (unsigned)r->op, r->result);
    if (l->desc.n_2 > l->desc.tile_2)
        return HD_SAY_NEW(HEDDLE_EINVAL,
                          "reduction %u: with two indices tiles must have all of the second; tile_2 is %" PRIu64
                          " of %" PRIu64,
                          i, l->desc.tile_2, l->desc.n_2);
    return HEDDLE_OK;
}

/* A row a grain. */
static heddle_status add_found(heddle_loop *l, const heddle_reduction *r, uint32_t i)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    hd_piece p;
    hd_found *f;
    HD_TRY(check_found(l, r, i));
    if (hd_list_room(&l->founds, 1, sizeof *f))
        return HD_SAY_NEW(HEDDLE_ENOMEM, "reduction %u: out of memory", i);
    f = (hd_found *)l->founds.at + l->founds.n;
    f->desc = *r;
    d.n_rows = l->n_grains;
    d.row_bytes = (uint64_t)r->n * (r->type == HEDDLE_I64 || r->type == HEDDLE_F64 ? 8u : 4u);
    HD_TRY(hd_array_make(l->fleet, &d, &f->partials, "heddle_loop_new"));
    l->founds.n++;
    memset(&p, 0, sizeof p);
    p.array = f->partials;
    p.kind = HEDDLE_ACCESS_ROWS;
    p.access = i;
    p.is_found = p.writes = 1;
    p.n_each = 1;
    p.end = p.n_all = l->n_grains;
    p.end_byte = d.row_bytes;
    return add_piece(l, &p, r->field, 0);
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------ */

heddle_status hd_accesses_read(heddle_loop *l)
{
    uint32_t i;
    for (i = 0; i < l->desc.n_accesses; i++)
        HD_TRY(add_access(l, &l->desc.accesses[i], i));
    HD_TRY(check_pieces(l));
    for (i = 0; i < l->pieces.n; i++)
        if (hd_piece_at(l, i)->kind == HEDDLE_ACCESS_PARTS)
            HD_TRY(hd_map_make(l, hd_piece_at(l, i)));
    for (i = 0; i < l->desc.n_reductions; i++)
        HD_TRY(add_found(l, &l->desc.reductions[i], i));
    return HEDDLE_OK;
}

void hd_accesses_clear(heddle_loop *l)
{
    uint64_t i;
    for (i = 0; i < l->pieces.n; i++) {
        hd_piece *p = hd_piece_at(l, i);
        hd_map_clear(p);
        if (!--p->array->n_loops && p->array->is_freed)
            hd_array_drop(p->array);
    }
    for (i = 0; i < l->founds.n; i++)
        hd_array_drop(((hd_found *)l->founds.at)[i].partials);
    hd_list_clear(&l->pieces);
    hd_list_clear(&l->fields);
    hd_list_clear(&l->founds);
}
