/* SPDX-License-Identifier: MIT */
/* stride.c - a stride of a wavefront, from its memory to its results. */
#include "engine/front/front.h"

#define ALIGN 256u
#define STOP_MS 5000u /* patience with a wave that was cancelled */
#define QUEUE 0u      /* of the accelerator */

/* ---- where things are -------------------------------------------------------------------------------------------------- */

static hd_site *site_of(const heddle_wavefront *w, const hd_stride *s) { return &w->sites[s->site]; }
static uint64_t width(const hd_stride *s) { return s->end - s->begin; }
static int is_last(const heddle_wavefront *w, const hd_stride *s) { return s->end == w->desc.cols; }

/* Columns before the stride's that it sweeps over, too. */
static uint64_t before(const heddle_wavefront *w, const hd_stride *s) { return s->begin ? hd_front_sweeps(w) : 0; }

static uint64_t add(uint64_t *n_bytes, const heddle_array *a, uint64_t n)
{
    const uint64_t at = *n_bytes;
    *n_bytes += a ? (n + ALIGN - 1u) / ALIGN * ALIGN : 0u;
    return at;
}

/* Memory of an accelerator. */
static void lay_out(const heddle_wavefront *w, hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    const uint64_t cell = w->info->cell_bytes;
    uint64_t n = 0;
    s->x_at = add(&n, d->x, d->rows * w->info->row_bytes);
    s->y_at = add(&n, d->y, width(s) * w->info->column_bytes);
    s->north_at = add(&n, d->north, width(s) * cell);
    s->west_at = add(&n, s->begin ? NULL : d->west, d->rows * cell);
    s->cells_at = add(&n, d->cells, d->rows * (before(w, s) + width(s)) * cell);
    s->last_row_at = add(&n, d->last_row, width(s) * cell);
    s->found_at = n;
    s->n_bytes = n + ALIGN;
}

/* Element `first` of an array, at home or at `at` in the accelerator's memory, which begins with that one. */
static void *place(const heddle_wavefront *w, const hd_stride *s, heddle_array *a, uint64_t at, uint64_t first)
{
    if (!a)
        return NULL;
    return site_of(w, s)->is_host ? a->host + first * a->stride : s->memory + at;
}

static void *cells_of(const heddle_wavefront *w, const hd_stride *s)
{
    const uint64_t cell = w->info->cell_bytes;
    if (!w->desc.cells)
        return NULL;
    if (site_of(w, s)->is_host)
        return w->desc.cells->host + s->begin * cell;
    return s->memory + s->cells_at + before(w, s) * cell;
}

static uint64_t row_cells(const heddle_wavefront *w, const hd_stride *s)
{
    return site_of(w, s)->is_host ? w->desc.cells->stride / w->info->cell_bytes : before(w, s) + width(s);
}

/* ---- borders ----------------------------------------------------------------------------------------------------------- */

static uint64_t east_cells(const heddle_wavefront *w) { return (w->desc.rows + w->info->sweeps) * w->n_passes; }
static uint32_t *counts_of(const heddle_wavefront *w, const hd_stride *s)
{
    const uint64_t at = (east_cells(w) * hd_front_cell_bytes(w) + 63u) / 64u * 64u;
    return (uint32_t *)(void *)(s->east->host + at);
}

static heddle_status make_east(heddle_wavefront *w, hd_stride *s)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    if (is_last(w, s) && !w->desc.last_col)
        return HEDDLE_OK;
    d.n_rows = 1;
    d.row_bytes = east_cells(w) * hd_front_cell_bytes(w) + 64u + 4u * w->n_passes;
    HD_TRY(hd_array_make(w->fleet, &d, &s->east, "heddle_wavefront_run"));
    if (w->fleet->pins && !s->east->is_pinned)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_run: a stride's last column is %s", s->east->how);
    return HEDDLE_OK;
}

/* What stands to the north-west: of the first stride as the user says, else the cell above the column before. */
static const void *corner_of(const heddle_wavefront *w, const hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    if (!s->begin)
        return d->corner;
    return d->north ? d->north->host + (s->begin - 1u) * d->north->stride : d->north_cell;
}

static void set_west(const heddle_wavefront *w, const hd_stride *s, const hd_stride *left, heddle_wave_desc *to)
{
    const heddle_wavefront_desc *d = &w->desc;
    if (s->begin) {
        to->west.array = left->east->host;
        to->west.count = w->fleet->is_serial ? NULL : counts_of(w, left); /* there strides follow one another */
    } else if (d->west)
        to->west.array = place(w, s, d->west, s->west_at, 0);
    else
        to->west.constant = d->west_cell;
}

/* ---- making one -------------------------------------------------------------------------------------------------------- */

static heddle_wave_desc wave_of(const heddle_wavefront *w, const hd_stride *s, const hd_stride *left)
{
    const heddle_wavefront_desc *d = &w->desc;
    heddle_wave_desc to = HEDDLE_WAVE_INIT;
    to.body = d->body;
    to.sweeps = d->sweeps;
    to.rows = d->rows;
    to.cols = width(s);
    to.row_at = s->begin;
    to.whole_rows = d->rows;
    to.x = place(w, s, d->x, s->x_at, 0);
    to.y = place(w, s, d->y, s->y_at, s->begin);
    to.north.array = place(w, s, d->north, s->north_at, s->begin);
    to.north.constant = d->north ? NULL : d->north_cell;
    to.corner = corner_of(w, s);
    to.east = d->east;
    to.last_row = place(w, s, d->last_row, s->last_row_at, s->begin);
    to.cells = cells_of(w, s);
    to.row_cells = to.cells ? row_cells(w, s) : 0;
    if (d->found)
        to.found = site_of(w, s)->is_host ? s->found : s->memory + s->found_at;
    if (s->east) {
        to.last_col = s->east->host;
        to.last_col_count = counts_of(w, s);
    }
    set_west(w, s, left, &to);
    return to;
}

static heddle_status get_memory(heddle_wavefront *w, hd_stride *s)
{
    hd_site *site = site_of(w, s);
    s->found = hd_new(HD_FOUND_BYTES);
    if (!s->found)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_run: out of memory");
    if (site->is_host)
        return HEDDLE_OK;
    lay_out(w, s);
    s->memory = site->unit->acc.mem_new(site->unit->acc.self, s->n_bytes);
    if (!s->memory)
        return hd_say(
            NULL, HEDDLE_ENOMEM,
            "heddle_wavefront_run: %s has no memory for columns %llu to %llu, which take %llu bytes; it has %llu",
            site->name, (unsigned long long)s->begin, (unsigned long long)s->end - 1u, (unsigned long long)s->n_bytes,
            (unsigned long long)site->unit->acc.memory_bytes);
    if (site->unit->is_virtual)
        hd_virtual_open(s->memory, s->n_bytes);
    return HEDDLE_OK;
}

heddle_status hd_stride_make(heddle_wavefront *w, uint64_t i)
{
    hd_stride *s = hd_stride_at(w, i);
    const hd_site *site = site_of(w, s);
    heddle_wave_desc d;
    heddle_status status;
    HD_TRY(get_memory(w, s));
    HD_TRY(make_east(w, s));
    d = wave_of(w, s, i ? s - 1 : NULL);
    status = heddle_wave_new(site->ctx, w->table, &d, &s->graph);
    return status == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, status, "%s", heddle_error_text(site->ctx));
}

/* What a lost GPU has is left: freeing it would wait. */
void hd_stride_free(heddle_wavefront *w, hd_stride *s)
{
    const hd_site *site = site_of(w, s);
    const int is_left = site->is_lost && site->unit->ctx;
    if (!is_left)
        heddle_graph_free(s->graph);
    if (s->memory && !is_left)
        site->unit->acc.mem_free(site->unit->acc.self, s->memory, s->n_bytes);
    if (s->east && !s->job) /* else it may still be written */
        hd_array_drop(s->east);
    hd_delete(s->found, HD_FOUND_BYTES);
    memset(s, 0, sizeof *s);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

typedef struct box {
    uint8_t *home, *there;
    uint64_t n_rows, row_bytes, home_stride, there_stride;
} box;

static heddle_status move(hd_site *site, const box *b, int is_in)
{
    const heddle_copy in = {b->there, b->home, b->n_rows, b->row_bytes, b->there_stride, b->home_stride, 1};
    const heddle_copy out = {b->home, b->there, b->n_rows, b->row_bytes, b->home_stride, b->there_stride, 0};
    *(is_in ? &site->bytes_in : &site->bytes_out) += b->n_rows * b->row_bytes;
    return site->unit->acc.copy(site->unit->acc.self, QUEUE, is_in ? &in : &out);
}

/* n elements of an array, from `first` on. Elements stand side by side (front.c). */
static heddle_status move_elements(hd_site *site, heddle_array *a, uint64_t first, uint64_t n, uint8_t *there,
                                   int is_in)
{
    box b;
    if (!a)
        return HEDDLE_OK;
    b = (box){a->host + first * a->stride, there, 1, n * a->stride, n * a->stride, n * a->stride};
    return move(site, &b, is_in);
}

/* Columns begin .. end - 1 of rows first .. first + n - 1 of the field. */
static heddle_status move_cells(heddle_wavefront *w, hd_stride *s, uint64_t first, uint64_t n, uint64_t begin,
                                uint64_t end, int is_in)
{
    const heddle_array *a = w->desc.cells;
    const uint64_t cell = w->info->cell_bytes, stride = row_cells(w, s) * cell;
    uint8_t *there = s->memory + s->cells_at + (begin + before(w, s) - s->begin) * cell;
    const box b = {
        a->host + first * a->stride + begin * cell, there + first * stride, n, (end - begin) * cell, a->stride, stride};
    return begin < end && n ? move(site_of(w, s), &b, is_in) : HEDDLE_OK;
}

/* Of the columns before its own, which the stride to the left sweeps over first, only the field's rim is read. */
static heddle_status bring_field(heddle_wavefront *w, hd_stride *s)
{
    const uint64_t rows = w->desc.rows, from = s->begin - before(w, s);
    HD_TRY(move_cells(w, s, 0, rows, s->begin, s->end, 1));
    HD_TRY(move_cells(w, s, 0, 1, from, s->begin, 1));
    return rows > 1 ? move_cells(w, s, rows - 1u, 1, from, s->begin, 1) : HEDDLE_OK;
}

static heddle_status bring(heddle_wavefront *w, hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    hd_site *site = site_of(w, s);
    HD_TRY(move_elements(site, d->x, 0, d->rows, s->memory + s->x_at, 1));
    HD_TRY(move_elements(site, d->y, s->begin, width(s), s->memory + s->y_at, 1));
    HD_TRY(move_elements(site, d->north, s->begin, width(s), s->memory + s->north_at, 1));
    if (!s->begin)
        HD_TRY(move_elements(site, d->west, 0, d->rows, s->memory + s->west_at, 1));
    return hd_front_sweeps(w) ? bring_field(w, s) : HEDDLE_OK;
}

/* The rim of a field that is swept over does not change. */
static heddle_status take_home(heddle_wavefront *w, hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    const uint64_t sweeps = hd_front_sweeps(w), rim = sweeps ? 1u : 0u;
    hd_site *site = site_of(w, s);
    HD_TRY(move_elements(site, d->last_row, s->begin, width(s), s->memory + s->last_row_at, 0));
    if (d->cells && d->rows > 2u * rim)
        HD_TRY(move_cells(w, s, rim, d->rows - 2u * rim, s->begin - before(w, s),
                          is_last(w, s) ? s->end : s->end - sweeps, 0));
    if (d->found) {
        const uint64_t n = w->info->found_bytes;
        const box b = {s->found, s->memory + s->found_at, 1, n, n, n};
        return move(site, &b, 0);
    }
    return HEDDLE_OK;
}

/* ---- its life ---------------------------------------------------------------------------------------------------------- */

static heddle_status submit(heddle_wavefront *w, hd_stride *s)
{
    heddle_ctx *ctx = site_of(w, s)->ctx;
    heddle_status status;
    hd_phase_begin(s);
    status = heddle_graph_submit(ctx, s->graph, w->params, w->params_bytes, &s->job);
    s->state = HD_STRIDE_RUNS;
    return status == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, status, "%s", heddle_error_text(ctx));
}

heddle_status hd_stride_begin(heddle_wavefront *w, hd_stride *s)
{
    s->began_ns = heddle_host_clock_ns();
    if (s->east)
        memset(counts_of(w, s), 0, 4u * w->n_passes);
    if (site_of(w, s)->is_host)
        return submit(w, s);
    s->state = HD_STRIDE_COMES;
    return hd_phase_put(w, s, QUEUE, HEDDLE_PHASE_IN, bring);
}

/* The wave has ended, or not yet. */
static heddle_status look_at_job(heddle_wavefront *w, hd_stride *s, int *moved)
{
    const hd_site *site = site_of(w, s);
    const heddle_status status = heddle_job_test(s->job);
    if (status == HEDDLE_EBUSY)
        return HEDDLE_OK;
    *moved = 1;
    if (status != HEDDLE_OK)
        return hd_say(NULL, status, "%s", heddle_error_text(site->ctx));
    hd_phase_end(w, s, QUEUE, HEDDLE_PHASE_BODIES);
    heddle_job_free(s->job);
    s->job = NULL;
    s->state = site->is_host ? HD_STRIDE_ENDED : HD_STRIDE_LEAVES;
    return site->is_host ? HEDDLE_OK : hd_phase_put(w, s, QUEUE, HEDDLE_PHASE_HOME, take_home);
}

heddle_status hd_stride_look(heddle_wavefront *w, hd_stride *s, int *moved)
{
    const heddle_accelerator *a = &site_of(w, s)->unit->acc;
    uint32_t code;
    uint64_t index;
    heddle_status status;
    if (s->state == HD_STRIDE_RUNS)
        return look_at_job(w, s, moved);
    if (s->state != HD_STRIDE_COMES && s->state != HD_STRIDE_LEAVES)
        return HEDDLE_OK;
    status = a->poll(a->self, QUEUE, &code, &index);
    if (status == HEDDLE_EBUSY)
        return HEDDLE_OK;
    *moved = 1;
    HD_TRY(status);
    hd_phase_end(w, s, QUEUE, s->state == HD_STRIDE_COMES ? HEDDLE_PHASE_IN : HEDDLE_PHASE_HOME);
    if (s->state == HD_STRIDE_COMES)
        return submit(w, s);
    s->state = HD_STRIDE_ENDED;
    return HEDDLE_OK;
}

static void stop_copies(hd_site *site)
{
    const uint64_t until = heddle_host_clock_ns() + STOP_MS * 1000000ull;
    const heddle_accelerator *a = &site->unit->acc;
    heddle_status status;
    uint32_t code, n = 0;
    uint64_t index;
    while ((status = a->poll(a->self, QUEUE, &code, &index)) == HEDDLE_EBUSY && heddle_host_clock_ns() < until)
        HD_PAUSE(n++);
    if (status == HEDDLE_OK)
        return;
    if (status == HEDDLE_EBUSY)
        (void)hd_say(NULL, HEDDLE_EDEVICE, "%s does not answer", site->name);
    hd_site_lose(site);
}

static void stop_job(hd_site *site, hd_stride *s)
{
    heddle_job_cancel(s->job);
    if (heddle_job_wait(s->job, STOP_MS) != HEDDLE_EBUSY) {
        heddle_job_free(s->job);
        s->job = NULL;
    } else if (!site->is_lost) {
        (void)hd_say(NULL, HEDDLE_EDEVICE, "%s does not answer", site->name);
        hd_site_lose(site);
    }
}

void hd_stride_stop(heddle_wavefront *w, hd_stride *s)
{
    hd_site *site = site_of(w, s);
    if ((s->state == HD_STRIDE_COMES || s->state == HD_STRIDE_LEAVES) && !site->is_lost)
        stop_copies(site);
    if (s->job)
        stop_job(site, s);
    s->state = HD_STRIDE_IDLE;
}
