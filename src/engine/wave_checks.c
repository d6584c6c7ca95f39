/* SPDX-License-Identifier: MIT */
/* wave_checks.c - what heddle_wave_new refuses of a wave of cells: sizes, types, borders, sweeps, strides. */
#include "engine/wave_draft.h"

#define NOTHING_BYTES ((uint32_t)sizeof(heddle_nothing))

static heddle_status check_size(hd_error *e, const char *what, uint64_t n)
{
    if ((int64_t)n <= 0)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: a field of %lld %s", (long long)n, what);
    if (n > HD_WAVE_MOST)
        return hd_say(e, HEDDLE_ERANGE, "heddle_wave_new: a field of %llu %s; 2^31 are the most", (unsigned long long)n,
                      what);
    return HEDDLE_OK;
}

heddle_status hd_wave_check_body(hd_error *e, const char *call, const heddle_table *table, uint32_t body)
{
    if (!table)
        return hd_say(e, HEDDLE_EINVAL, "%s: table is NULL", call);
    if (!table->waves)
        return hd_say(e, HEDDLE_EINVAL, "%s: table %s was not made by HEDDLE_WAVES or HEDDLE_TILES", call, table->name);
    if (body >= table->n_bodies)
        return hd_say(e, HEDDLE_EINVAL, "%s: table %s has %u cells, there is no cell %u", call, table->name,
                      table->n_bodies, body);
    return HEDDLE_OK;
}

static heddle_status check_aligned(hd_wave_draft *m, const char *what, const void *p, uint32_t align)
{
    if ((uintptr_t)p % align)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s = %p is not aligned to %u bytes", what, p, align);
    return HEDDLE_OK;
}

static heddle_status check_array(hd_wave_draft *m, const char *what, const void *p, uint32_t n_bytes, uint32_t align)
{
    if (!p && n_bytes != NOTHING_BYTES)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s is NULL, and cell %s reads %u bytes of it for each %s",
                      what, m->table->bodies[m->desc->body].name, n_bytes, *what == 'x' ? "row" : "column");
    return check_aligned(m, what, p, align);
}

static heddle_status check_border(hd_wave_draft *m, const char *what, const heddle_wave_border *b)
{
    if (b->array && b->constant)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border %s is an array or a constant, not both", what);
    if (b->count && !b->array)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border %s has a count, and no array", what);
    if ((uintptr_t)b->count % 4u)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: the count of border %s, %p, is not aligned to 4 bytes",
                      what, (const void *)b->count);
    return HEDDLE_OK;
}

/* Kernels read and write cells, and what they find, as their types; threads as words. */
static heddle_status check_types(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    const uint32_t align = m->info->cell_align > 4u ? m->info->cell_align : 4u;
    const uint32_t found = m->info->found_align > 4u ? m->info->found_align : 4u;
    HD_TRY(check_aligned(m, "north.array", d->north.array, align));
    HD_TRY(check_aligned(m, "west.array", d->west.array, align));
    HD_TRY(check_aligned(m, "last_row", d->last_row, align));
    HD_TRY(check_aligned(m, "last_col", d->last_col, align));
    HD_TRY(check_aligned(m, "found", d->found, found));
    return check_aligned(m, "found_each", d->found_each, found);
}

static heddle_status check_east_count(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    if (d->last_col_count && !d->last_col)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: last_col_count, and last_col is NULL");
    return check_aligned(m, "last_col_count", d->last_col_count, 4u);
}

heddle_status hd_wave_check_fields(hd_error *e, const heddle_wave_desc *d)
{
    uint64_t i;
    if (d->items && !d->n_items)
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: items of which there are 0");
    if (d->items && (d->rows || d->cols))
        return hd_say(e, HEDDLE_EINVAL, "heddle_wave_new: rows and cols are the items' when there are items");
    for (i = 0; i < (d->items ? d->n_items : 1u); i++) {
        HD_TRY(check_size(e, "rows", d->items ? d->items[i].rows : d->rows));
        HD_TRY(check_size(e, "columns", d->items ? d->items[i].cols : d->cols));
    }
    return HEDDLE_OK;
}

/* Sizes of whole words are copied by words. */
static uint32_t align_of(uint32_t n_bytes, uint32_t align) { return n_bytes % 4u || align > 4u ? align : 4u; }

/* Checks what the macros enforce, for tables made by other programs. */
static heddle_status check_info(hd_wave_draft *m)
{
    const heddle_wave_info *info = m->info;
    const char *name = m->table->bodies[m->desc->body].name;
    if (!info->neighbours)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s has an empty set of neighbours", name);
    if (!info->cell_bytes || info->cell_bytes % 4u || info->cell_bytes > 16u)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s has %u bytes; it can have 4, 8, 12 or 16", name,
                      info->cell_bytes);
    return HEDDLE_OK;
}

/* Names fields of the desc that sweeps cannot have, or NULL: their cells read only the field, which includes its rim. */
static const char *not_of_sweeps(const heddle_wave_desc *d)
{
    return d->x || d->y                          ? "x, y"
           : d->north.array || d->north.constant ? "border north"
           : d->west.array || d->west.constant   ? "border west"
           : d->corner || d->east                ? "corner, east"
           : d->last_row                         ? "last_row"
           : d->last_col                         ? "last_col"
           : d->found || d->found_each           ? "found"
                                                 : NULL;
}

static heddle_status check_sweeps(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    const char *name = m->table->bodies[d->body].name;
    if (d->sweeps && !m->info->sweeps)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %u sweeps, and cell %s reads nothing of the sweep before",
                      d->sweeps, name);
    if (!m->info->sweeps)
        return HEDDLE_OK;
    if (not_of_sweeps(d))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s is one of sweeps, which have no %s", name,
                      not_of_sweeps(d));
    if (!d->cells)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cells is NULL, and cell %s sweeps over them", name);
    return HEDDLE_OK;
}

/* The first stride has a border in the north, all others outer rows; the last has a last row. */
static heddle_status check_outer(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    if (!d->row_at != !d->above)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride from row %llu on, and above is %s",
                      (unsigned long long)d->row_at, d->above ? "there" : "NULL");
    if (d->above && (d->north.array || d->north.constant))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: border north of a stride that has another one above");
    if (hd_is_last_stride(d) ? !!d->below : !!d->last_row)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: %s of a stride that is %s",
                      hd_is_last_stride(d) ? "below" : "last_row", hd_is_last_stride(d) ? "the last" : "not the last");
    HD_TRY(check_aligned(m, "above", d->above, HD_LINE));
    return check_aligned(m, "below", d->below, HD_LINE);
}

static heddle_status check_stride(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    const uint64_t sweeps = m->info->sweeps ? d->sweeps ? d->sweeps : 1u : 0u;
    if (!d->whole_rows && !d->row_at && !d->above && !d->below)
        return HEDDLE_OK;
    if (d->items)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of a field, and items");
    HD_TRY(check_size(m->e, "rows", d->whole_rows));
    if (d->row_at > d->whole_rows || d->rows > d->whole_rows - d->row_at)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of %llu rows from %llu on, of a field of %llu",
                      (unsigned long long)d->rows, (unsigned long long)d->row_at, (unsigned long long)d->whole_rows);
    if (hd_is_stride(d) && (d->rows <= sweeps || (d->row_at && d->row_at <= sweeps)))
        return hd_say(m->e, HEDDLE_EINVAL,
                      "heddle_wave_new: a stride of %llu rows from %llu on, and %llu sweeps need more before and in it",
                      (unsigned long long)d->rows, (unsigned long long)d->row_at, (unsigned long long)sweeps);
    return check_outer(m);
}

heddle_status hd_wave_check_bands(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    if (!hd_suits_stride(m, m->band_rows))
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: a stride of %llu rows, with more below, and bands of %u",
                      (unsigned long long)d->rows, m->band_rows);
    if (hd_is_stride(d) && m->lag > HD_OUTER_PAD)
        return hd_say(m->e, HEDDLE_ERANGE,
                      "heddle_wave_new: a stride of bands that are %u columns behind; %u are the most", m->lag,
                      HD_OUTER_PAD);
    return HEDDLE_OK;
}

/* Kernels may have been compiled without code for outputs other than `found`. */
static heddle_status check_found_only(hd_wave_draft *m)
{
    const heddle_wave_desc *d = m->desc;
    if ((m->info->kernels & HD_KERNELS_FOUND_ONLY) && (d->cells || d->last_row || d->last_col))
        return hd_say(m->e, HEDDLE_EINVAL,
                      "heddle_wave_new: cells, last_row or last_col of %s, whose table was compiled with "
                      "HEDDLE_WAVE_FOUND_ONLY: it leaves what is found and nothing else",
                      m->table->bodies[d->body].name);
    return HEDDLE_OK;
}

heddle_status hd_wave_check(hd_wave_draft *m)
{
    const hd_kept kept = hd_kept_of(m);
    const heddle_wave_desc *d = m->desc;
    HD_TRY(hd_wave_check_fields(m->e, d));
    if (d->band_rows)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: band_rows is for tiles, and %s is a body of a cell",
                      m->table->bodies[d->body].name);
    HD_TRY(check_info(m));
    HD_TRY(check_sweeps(m));
    HD_TRY(check_stride(m));
    HD_TRY(check_found_only(m));
    HD_TRY(hd_layout_check(&kept));
    HD_TRY(check_array(m, "x", d->x, m->info->row_bytes, align_of(m->info->row_bytes, m->info->row_align)));
    HD_TRY(check_array(m, "y", d->y, m->info->column_bytes, align_of(m->info->column_bytes, m->info->column_align)));
    HD_TRY(check_border(m, "north", &d->north));
    HD_TRY(check_border(m, "west", &d->west));
    HD_TRY(check_east_count(m));
    HD_TRY(check_types(m));
    if ((d->found || d->found_each) && !m->info->found_bytes)
        return hd_say(m->e, HEDDLE_EINVAL, "heddle_wave_new: cell %s finds nothing", m->table->bodies[d->body].name);
    return HEDDLE_OK;
}
