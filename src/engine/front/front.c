/* SPDX-License-Identifier: MIT */
/* front.c - heddle_wavefront_new and _free. */
#include "engine/front/front.h"

#define GRAINS 4096u /* about so many, of whole bands */

#define SAY(status, ...) hd_say(NULL, status, "heddle_wavefront_new: " __VA_ARGS__)

/* ---- what is asked for ------------------------------------------------------------------------------------------------- */

static heddle_status read_desc(heddle_wavefront_desc *to, const heddle_wavefront_desc *from)
{
    heddle_loop_desc by_env = HEDDLE_LOOP_INIT;
    *to = (heddle_wavefront_desc)HEDDLE_WAVEFRONT_INIT;
    if (from->size < sizeof(size_t) || from->size > 4096)
        return SAY(HEDDLE_EINVAL, "set the description up with HEDDLE_WAVEFRONT_INIT");
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    by_env.split = to->split;
    HD_TRY(hd_env_fill_struct(&hd_loop_env, &by_env, NULL));
    to->split = by_env.split;
    if ((uint32_t)to->split >= HEDDLE_N_SPLITS)
        return SAY(HEDDLE_EINVAL, "there is no way to divide number %u", (unsigned)to->split);
    if (to->n_trace > HEDDLE_LOOP_MOST_TRACE)
        return SAY(HEDDLE_ERANGE, "a trace of %u events a row; %u are the most", to->n_trace, HEDDLE_LOOP_MOST_TRACE);
    return HEDDLE_OK;
}

static heddle_status check_body(const heddle_table *t, const heddle_wavefront_desc *d)
{
    heddle_wave_desc wave = HEDDLE_WAVE_INIT;
    wave.rows = d->rows;
    wave.cols = d->cols;
    if (t->size != sizeof *t || t->core_version != HEDDLE_CORE_VERSION)
        return SAY(HEDDLE_EVERSION, "the table was compiled against another version of heddle");
    HD_TRY(hd_wave_check_body(NULL, "heddle_wavefront_new", t, d->body));
    if (t->waves[d->body].is_tile)
        return SAY(HEDDLE_EINVAL, "%s is a body of a tile; a wavefront has cells", t->bodies[d->body].name);
    if (d->found && !t->waves[d->body].found_bytes)
        return SAY(HEDDLE_EINVAL, "cell %s finds nothing", t->bodies[d->body].name);
    return hd_wave_check_fields(NULL, &wave);
}

/* Elements stand side by side; of rows of cells each is. */
static heddle_status check_array(heddle_wavefront *w, const char *what, heddle_array *a, uint64_t n, uint64_t n_bytes,
                                 int is_cells)
{
    if (!a)
        return HEDDLE_OK;
    if (a->fleet != w->fleet || a->is_freed)
        return SAY(HEDDLE_EINVAL, "array %s is %s", what, a->is_freed ? "freed" : "one of another fleet");
    if (a->n_rows != n || a->row_bytes != n_bytes ||
        (is_cells ? a->stride % w->info->cell_bytes : a->stride != n_bytes))
        return SAY(HEDDLE_EINVAL,
                   "array %s has %llu rows of %llu bytes, %llu apart; the field needs %llu of %llu, side by side%s",
                   what, (unsigned long long)a->n_rows, (unsigned long long)a->row_bytes, (unsigned long long)a->stride,
                   (unsigned long long)n, (unsigned long long)n_bytes, is_cells ? ", or whole cells apart" : "");
    return HEDDLE_OK;
}

static heddle_status check_sweeps(const heddle_wavefront *w)
{
    const heddle_wavefront_desc *d = &w->desc;
    const char *name = w->table->bodies[d->body].name;
    if (!w->info->sweeps && d->sweeps)
        return SAY(HEDDLE_EINVAL, "%u sweeps, and cell %s reads nothing of the sweep before", d->sweeps, name);
    if (!w->info->sweeps)
        return HEDDLE_OK;
    if (!d->cells)
        return SAY(HEDDLE_EINVAL, "cells is NULL, and cell %s sweeps over them", name);
    if (d->x || d->y || d->north || d->west || d->north_cell || d->west_cell || d->corner || d->east || d->last_row ||
        d->last_col)
        return SAY(HEDDLE_EINVAL, "cell %s is one of sweeps, which have cells and nothing else", name);
    return HEDDLE_OK;
}

static heddle_status check_arrays(heddle_wavefront *w)
{
    const heddle_wavefront_desc *d = &w->desc;
    const uint64_t cell = w->info->cell_bytes;
    HD_TRY(check_sweeps(w));
    HD_TRY(check_array(w, "x", d->x, d->rows, w->info->row_bytes, 0));
    HD_TRY(check_array(w, "y", d->y, d->cols, w->info->column_bytes, 0));
    HD_TRY(check_array(w, "north", d->north, d->cols, cell, 0));
    HD_TRY(check_array(w, "west", d->west, d->rows, cell, 0));
    HD_TRY(check_array(w, "last_row", d->last_row, d->cols, cell, 0));
    HD_TRY(check_array(w, "last_col", d->last_col, d->rows, cell, 0));
    HD_TRY(check_array(w, "cells", d->cells, d->rows, d->cols * cell, 1));
    return HEDDLE_OK;
}

/* ---- new and free ------------------------------------------------------------------------------------------------------ */

/* Cells that the user may change later. */
static void copy_constants(heddle_wavefront *w)
{
    const void **of[] = {&w->desc.north_cell, &w->desc.west_cell, &w->desc.corner, &w->desc.east};
    for (uint32_t i = 0; i < 4u; i++)
        if (*of[i]) {
            memcpy(w->constants[i], *of[i], w->info->cell_bytes);
            *of[i] = w->constants[i];
        }
}

/* A stride of sweeps is higher than they are many. */
static void choose_grain(heddle_wavefront *w)
{
    const uint64_t least = (uint64_t)hd_front_sweeps(w) + 1u, rows = w->desc.rows, bands = hd_sites_band_rows(w);
    const uint64_t wanted = rows / GRAINS > least ? rows / GRAINS : least;
    w->grain = (wanted + bands - 1u) / bands * bands;
    w->n_grains = rows / w->grain ? rows / w->grain : 1u;
    w->n_passes = w->info->sweeps ? (hd_front_sweeps(w) - 1u) / w->info->sweeps + 1u : 1u;
}

static void hold_arrays(heddle_wavefront *w)
{
    const hd_front_arrays all = hd_front_arrays_of(&w->desc);
    for (uint32_t i = 0; i < HD_FRONT_ARRAYS; i++)
        if (all.at[i])
            all.at[i]->n_loops++;
}

static void release_arrays(heddle_wavefront *w)
{
    const hd_front_arrays all = hd_front_arrays_of(&w->desc);
    for (uint32_t i = 0; i < HD_FRONT_ARRAYS; i++)
        if (all.at[i] && !--all.at[i]->n_loops && all.at[i]->is_freed)
            hd_array_drop(all.at[i]);
}

static heddle_status make(heddle_wavefront *w)
{
    HD_TRY(check_arrays(w));
    copy_constants(w);
    HD_TRY(hd_sites_open(w));
    choose_grain(w);
    HD_TRY(hd_strides_check_room(w));
    w->params = hd_new(w->params_bytes + 1u);
    if (!w->params)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    if (w->desc.n_trace && !(w->chart = hd_front_chart(w)))
        return SAY(HEDDLE_ENOMEM, "no memory for a trace of %u events a row", w->desc.n_trace);
    hd_front_find_speeds(w);
    return HEDDLE_OK;
}

static void forget(heddle_wavefront *w)
{
    hd_sites_close(w);
    hd_chart_delete(w->chart);
    hd_delete(w->params, w->params_bytes + 1u);
    hd_delete(w, sizeof *w);
}

HEDDLE_API heddle_status heddle_wavefront_new(heddle_fleet *f, const heddle_table *table,
                                              const heddle_wavefront_desc *d, heddle_wavefront **out)
{
    heddle_wavefront_desc full;
    heddle_wavefront *w;
    heddle_status s;
    HD_TRY(hd_fleet_check_new("heddle_wavefront_new", f, table, d, out));
    *out = NULL;
    HD_TRY(read_desc(&full, d));
    HD_TRY(check_body(table, &full));
    w = hd_new(sizeof *w);
    if (!w)
        return SAY(HEDDLE_ENOMEM, "out of memory");
    w->fleet = f;
    w->turn = (hd_fleet_turn){.fleet = f, .kind = &hd_front_turns, .self = w};
    w->table = table;
    w->params_bytes = table->params_bytes;
    w->info = &table->waves[full.body];
    w->desc = full;
    s = make(w);
    if (s != HEDDLE_OK) {
        forget(w);
        return s;
    }
    hold_arrays(w);
    f->had_loops = 1;
    *out = w;
    return HEDDLE_OK;
}

HEDDLE_API void heddle_wavefront_free(heddle_wavefront *w)
{
    if (!w || hd_fleet_is_forked(w->fleet))
        return;
    (void)heddle_wavefront_wait(w, HEDDLE_FOREVER);
    hd_front_keep_speeds(w);
    while (w->strides.n)
        hd_stride_free(w, hd_stride_at(w, --w->strides.n));
    hd_list_clear(&w->strides);
    hd_list_clear(&w->how);
    release_arrays(w);
    forget(w);
}
