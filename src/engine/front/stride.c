/* SPDX-License-Identifier: MIT */
/* stride.c - a stride of a wavefront, from its memory to its results. */
#include "engine/front/front.h"

#define ALIGN 256u
#define STOP_MS 5000u /* patience with a wave that was cancelled */

/* ---- where things are -------------------------------------------------------------------------------------------------- */

static hd_site *site_of(const heddle_wavefront *w, const hd_stride *s) { return &w->sites[s->site]; }
static heddle_ctx *ctx_of(const heddle_wavefront *w, const hd_stride *s) { return site_of(w, s)->lanes[s->lane]; }
static uint64_t height(const hd_stride *s) { return s->end - s->begin; }
static int is_last(const heddle_wavefront *w, const hd_stride *s) { return s->end == w->desc.rows; }

/* Rows before the stride's that it sweeps over, too. */
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
    s->x_at = add(&n, d->x, height(s) * w->info->row_bytes);
    s->y_at = add(&n, d->y, d->cols * w->info->column_bytes);
    s->north_at = add(&n, s->begin ? NULL : d->north, d->cols * cell);
    s->west_at = add(&n, d->west, height(s) * cell);
    s->cells_at = add(&n, d->cells, (before(w, s) + height(s)) * d->cols * cell);
    s->last_row_at = add(&n, is_last(w, s) ? d->last_row : NULL, d->cols * cell);
    s->last_col_at = add(&n, d->last_col, height(s) * cell);
    s->found_at = n;
    s->n_bytes = n + ALIGN;
}

/* What a stride has of an array. */
typedef struct part {
    const char *name;
    uint64_t n_bytes;
} part;

static part largest_part(const hd_stride *s)
{
    const part all[] = {{"x", s->y_at - s->x_at},
                        {"y", s->north_at - s->y_at},
                        {"north", s->west_at - s->north_at},
                        {"west", s->cells_at - s->west_at},
                        {"cells", s->last_row_at - s->cells_at},
                        {"last_row", s->last_col_at - s->last_row_at},
                        {"last_col", s->found_at - s->last_col_at}};
    uint32_t i, most = 0;
    for (i = 1; i < sizeof all / sizeof *all; i++)
        most = all[i].n_bytes > all[most].n_bytes ? i : most;
    return all[most];
}

/* One of one grain; the first, or one below it. */
static hd_stride least_stride(const heddle_wavefront *w)
{
    const uint64_t height = w->n_grains > 1 ? w->grain : w->desc.rows;
    hd_stride first = {.end = height}, next = {.begin = height, .end = 2u * height};
    lay_out(w, &first);
    lay_out(w, &next);
    return w->n_grains > 1 && next.n_bytes > first.n_bytes ? next : first;
}

heddle_status hd_strides_check_room(const heddle_wavefront *w)
{
    const hd_stride least = least_stride(w);
    const part most = largest_part(&least);
    for (uint32_t i = 0; i < w->n_sites; i++) {
        const hd_site *site = &w->sites[i];
        if (!site->is_host && least.n_bytes > site->unit->acc.memory_bytes)
            return hd_say(NULL, HEDDLE_ENOMEM,
                          "heddle_wavefront_new: %s has %llu bytes; the least stride, %llu rows, takes %llu, %llu of "
                          "them for array %s",
                          site->name, (unsigned long long)site->unit->acc.memory_bytes,
                          (unsigned long long)height(&least), (unsigned long long)least.n_bytes,
                          (unsigned long long)most.n_bytes, most.name);
    }
    return HEDDLE_OK;
}

/* Element `first` of an array, at home or at `at` in the accelerator's memory, which begins with that one. */
static void *place(const heddle_wavefront *w, const hd_stride *s, heddle_array *a, uint64_t at, uint64_t first)
{
    if (!a)
        return NULL;
    return site_of(w, s)->is_host ? a->host + first * a->stride : s->memory + at;
}

static uint64_t row_cells(const heddle_wavefront *w, const hd_stride *s)
{
    return site_of(w, s)->is_host ? w->desc.cells->stride / w->info->cell_bytes : w->desc.cols;
}

static void *cells_of(const heddle_wavefront *w, const hd_stride *s)
{
    if (!w->desc.cells)
        return NULL;
    if (site_of(w, s)->is_host)
        return w->desc.cells->host + s->begin * w->desc.cells->stride;
    return s->memory + s->cells_at + before(w, s) * w->desc.cols * w->info->cell_bytes;
}

/* ---- borders ----------------------------------------------------------------------------------------------------------- */

static heddle_status make_outer(heddle_wavefront *w, hd_stride *s)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    if (is_last(w, s))
        return HEDDLE_OK;
    d.n_rows = 1;
    d.row_bytes = heddle_wave_outer_bytes(w->table, w->desc.body, w->desc.cols, hd_front_sweeps(w));
    HD_TRY(hd_array_make(w->fleet, &d, &s->outer, "heddle_wavefront_run"));
    if (w->fleet->pins && !s->outer->is_pinned)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_run: a stride's lowest row is %s", s->outer->how);
    return HEDDLE_OK;
}

static hd_outer *outer_of(const hd_stride *s) { return (hd_outer *)(void *)s->outer->host; }

/* Words of earlier runs, or of the same stride before it was stopped, count no more. */
static void renew_outer(const hd_stride *s)
{
    const uint32_t run = outer_of(s)->run + 1u;
    if (!run)
        memset(s->outer->host, 0, s->outer->row_bytes);
    HD_STORE(&outer_of(s)->run, run ? run : 1u, RELAXED, SYS);
}

/* Has the wave handed on anything in that pass? If it is the last one, all its bands have begun. */
static int hands_on(const heddle_wavefront *w, const hd_stride *s, uint32_t pass)
{
    const hd_pair_word *first =
        hd_outer_row(outer_of(s), pass, w->desc.cols + w->info->sweeps, w->info->south_bytes / 4u);
    return hd_wave_tag(HD_BORDER_LOAD(first)) == outer_of(s)->run;
}

/* What stands to the north-west: of the first stride as the user says, else the cell to the west of the row above. */
static const void *corner_of(const heddle_wavefront *w, const hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    if (!s->begin)
        return d->corner;
    return d->west ? d->west->host + (s->begin - 1u) * d->west->stride : d->west_cell;
}

static int has_corner(const heddle_wavefront *w, const hd_stride *s) { return s->begin && w->desc.west; }

int hd_stride_is_stale(const heddle_wavefront *w, const hd_stride *s)
{
    return has_corner(w, s) && memcmp(s->corner, corner_of(w, s), w->info->cell_bytes);
}

/* ---- making one -------------------------------------------------------------------------------------------------------- */

static void set_north(const heddle_wavefront *w, const hd_stride *s, const hd_stride *up, heddle_wave_desc *to)
{
    const heddle_wavefront_desc *d = &w->desc;
    if (s->begin)
        to->above = up->outer->host;
    else if (d->north)
        to->north.array = place(w, s, d->north, s->north_at, 0);
    else
        to->north.constant = d->north_cell;
    to->below = s->outer ? s->outer->host : NULL;
}

static heddle_wave_desc wave_of(const heddle_wavefront *w, const hd_stride *s, const hd_stride *up)
{
    const heddle_wavefront_desc *d = &w->desc;
    heddle_wave_desc to = HEDDLE_WAVE_INIT;
    to.body = d->body;
    to.sweeps = d->sweeps;
    to.rows = height(s);
    to.cols = d->cols;
    to.row_at = s->begin;
    to.whole_rows = d->rows;
    to.x = place(w, s, d->x, s->x_at, s->begin);
    to.y = place(w, s, d->y, s->y_at, 0);
    to.west.array = place(w, s, d->west, s->west_at, s->begin);
    to.west.constant = d->west ? NULL : d->west_cell;
    to.corner = corner_of(w, s);
    to.east = d->east;
    to.last_row = place(w, s, is_last(w, s) ? d->last_row : NULL, s->last_row_at, 0);
    to.last_col = place(w, s, d->last_col, s->last_col_at, s->begin);
    to.cells = cells_of(w, s);
    to.row_cells = to.cells ? row_cells(w, s) : 0;
    if (d->found)
        to.found = site_of(w, s)->is_host ? s->found : s->memory + s->found_at;
    set_north(w, s, up, &to);
    return to;
}

static void open_array(const hd_stride *s, const heddle_array *a, uint64_t at, uint64_t n_bytes)
{
    if (a)
        hd_virtual_open(s->memory + at, n_bytes);
}

/* Of a virtual device: the wave finds what it leaves; what it reads is opened when it comes. Of a field that is swept over that is all but
 * the rows before the stride's. */
static void open_results(const heddle_wavefront *w, const hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    const uint64_t cell = w->info->cell_bytes, n_rows = hd_front_sweeps(w) ? before(w, s) : height(s);
    open_array(s, d->cells, s->cells_at, n_rows * d->cols * cell);
    open_array(s, is_last(w, s) ? d->last_row : NULL, s->last_row_at, d->cols * cell);
    open_array(s, d->last_col, s->last_col_at, height(s) * cell);
    hd_virtual_open(s->memory + s->found_at, w->info->found_bytes);
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
            "heddle_wavefront_run: %s has no memory for rows %llu to %llu, which take %llu bytes; it has %llu",
            site->name, (unsigned long long)s->begin, (unsigned long long)s->end - 1u, (unsigned long long)s->n_bytes,
            (unsigned long long)site->unit->acc.memory_bytes);
    if (site->unit->is_virtual)
        open_results(w, s);
    return HEDDLE_OK;
}

heddle_status hd_stride_make(heddle_wavefront *w, uint64_t i)
{
    hd_stride *s = hd_stride_at(w, i);
    heddle_wave_desc d;
    heddle_status status;
    HD_TRY(get_memory(w, s));
    HD_TRY(make_outer(w, s));
    if (has_corner(w, s))
        memcpy(s->corner, corner_of(w, s), w->info->cell_bytes);
    d = wave_of(w, s, i ? s - 1 : NULL);
    status = heddle_wave_new(ctx_of(w, s), w->table, &d, &s->graph);
    return status == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, status, "%s", heddle_error_text(ctx_of(w, s)));
}

/* What a lost GPU has is left: freeing it would wait. Of a silent one the memory is freed when it answers; the graph is not. */
void hd_stride_free(heddle_wavefront *w, hd_stride *s)
{
    const hd_site *site = site_of(w, s);
    const int is_left = site->is_lost && site->unit->ctx;
    if (!is_left)
        heddle_graph_free(s->graph);
    if (s->memory)
        hd_orphan_add(site->unit, s->memory, s->n_bytes);
    if (s->outer && !s->job && !s->is_read) /* else it may still be written, or read */
        hd_array_drop(s->outer);
    if (s->job && s->begin)
        s[-1].is_read = 1;
    hd_delete(s->found, HD_FOUND_BYTES);
    memset(s, 0, sizeof *s);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

typedef struct box {
    uint8_t *home, *there;
    uint64_t n_rows, row_bytes, home_stride, there_stride;
} box;

/* Queues of the accelerator: one for each way, if it has two. */
static uint32_t queue_of(const hd_site *site, uint32_t way) { return way < site->unit->acc.n_queues ? way : 0u; }

static heddle_status move(hd_site *site, const box *b, uint32_t way)
{
    const int is_in = way == HD_FRONT_IN;
    const heddle_copy in = {b->there, b->home, b->n_rows, b->row_bytes, b->there_stride, b->home_stride, 1};
    const heddle_copy out = {b->home, b->there, b->n_rows, b->row_bytes, b->home_stride, b->there_stride, 0};
    *(is_in ? &site->bytes_in : &site->bytes_out) += b->n_rows * b->row_bytes;
    return site->unit->acc.copy(site->unit->acc.self, queue_of(site, way), is_in ? &in : &out);
}

/* n elements of an array, from `first` on. Elements stand side by side (front.c). */
static heddle_status move_elements(hd_site *site, heddle_array *a, uint64_t first, uint64_t n, uint8_t *there,
                                   uint32_t way)
{
    box b;
    if (!a)
        return HEDDLE_OK;
    b = (box){a->host + first * a->stride, there, 1, n * a->stride, n * a->stride, n * a->stride};
    return move(site, &b, way);
}

/* Rows begin .. end - 1 of the field, n cells of each from `column` on. */
static heddle_status move_cells(heddle_wavefront *w, hd_stride *s, uint64_t begin, uint64_t end, uint64_t column,
                                uint64_t n, uint32_t way)
{
    const heddle_array *a = w->desc.cells;
    const uint64_t cell = w->info->cell_bytes, stride = w->desc.cols * cell;
    uint8_t *there = s->memory + s->cells_at + (begin + before(w, s) - s->begin) * stride;
    const box b = {
        a->host + begin * a->stride + column * cell, there + column * cell, end - begin, n * cell, a->stride, stride};
    return begin < end ? move(site_of(w, s), &b, way) : HEDDLE_OK;
}

/* Of the rows before its own, which the stride above sweeps over first, only the field's rim is read. */
static heddle_status bring_field(heddle_wavefront *w, hd_stride *s)
{
    const uint64_t cols = w->desc.cols, from = s->begin - before(w, s);
    HD_TRY(move_cells(w, s, s->begin, s->end, 0, cols, HD_FRONT_IN));
    HD_TRY(move_cells(w, s, from, s->begin, 0, 1, HD_FRONT_IN));
    return cols > 1 ? move_cells(w, s, from, s->begin, cols - 1u, 1, HD_FRONT_IN) : HEDDLE_OK;
}

static heddle_status bring(heddle_wavefront *w, hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    hd_site *site = site_of(w, s);
    HD_TRY(move_elements(site, d->x, s->begin, height(s), s->memory + s->x_at, HD_FRONT_IN));
    HD_TRY(move_elements(site, d->y, 0, d->cols, s->memory + s->y_at, HD_FRONT_IN));
    HD_TRY(move_elements(site, s->begin ? NULL : d->north, 0, d->cols, s->memory + s->north_at, HD_FRONT_IN));
    HD_TRY(move_elements(site, d->west, s->begin, height(s), s->memory + s->west_at, HD_FRONT_IN));
    return hd_front_sweeps(w) ? bring_field(w, s) : HEDDLE_OK;
}

/* The first and the last row of a field that is swept over do not change. */
static heddle_status take_home(heddle_wavefront *w, hd_stride *s)
{
    const heddle_wavefront_desc *d = &w->desc;
    const uint64_t sweeps = hd_front_sweeps(w), rim = sweeps ? 1u : 0u, n = w->info->found_bytes;
    const uint64_t begin = s->begin ? s->begin - sweeps : rim, end = is_last(w, s) ? s->end - rim : s->end - sweeps;
    const box found = {s->found, s->memory + s->found_at, 1, n, n, n};
    hd_site *site = site_of(w, s);
    HD_TRY(
        move_elements(site, is_last(w, s) ? d->last_row : NULL, 0, d->cols, s->memory + s->last_row_at, HD_FRONT_HOME));
    HD_TRY(move_elements(site, d->last_col, s->begin, height(s), s->memory + s->last_col_at, HD_FRONT_HOME));
    if (d->cells)
        HD_TRY(move_cells(w, s, begin, end, 0, d->cols, HD_FRONT_HOME));
    return d->found ? move(site, &found, HD_FRONT_HOME) : HEDDLE_OK;
}

/* ---- its life ---------------------------------------------------------------------------------------------------------- */

void hd_stride_begin(heddle_wavefront *w, hd_stride *s)
{
    s->began_ns = heddle_host_clock_ns();
    hd_site_busy(site_of(w, s));
    if (s->outer)
        renew_outer(s);
    s->state = site_of(w, s)->is_host ? HD_STRIDE_READY : HD_STRIDE_BEGUN;
}

static heddle_phase phase_of(uint32_t way) { return way == HD_FRONT_IN ? HEDDLE_PHASE_IN : HEDDLE_PHASE_HOME; }

/* Copies in or home, if the site does so for no other stride. */
static heddle_status copy(heddle_wavefront *w, uint64_t i, uint32_t way, int *moved)
{
    hd_stride *s = hd_stride_at(w, i);
    hd_site *site = site_of(w, s);
    const int is_shared = queue_of(site, HD_FRONT_IN) == queue_of(site, HD_FRONT_HOME);
    if (site->copies[way] || (is_shared && site->copies[!way]))
        return HEDDLE_OK;
    *moved = 1;
    site->copies[way] = i + 1u;
    s->state = way == HD_FRONT_IN ? HD_STRIDE_COMES : HD_STRIDE_LEAVES;
    return hd_phase_put(w, s, queue_of(site, way), phase_of(way), way == HD_FRONT_IN ? bring : take_home);
}

static heddle_status look_at_copies(heddle_wavefront *w, hd_stride *s, uint32_t way, int *moved)
{
    hd_site *site = site_of(w, s);
    const heddle_accelerator *a = &site->unit->acc;
    uint32_t code;
    uint64_t index;
    const heddle_status status = a->poll(a->self, queue_of(site, way), &code, &index);
    if (status == HEDDLE_EBUSY)
        return HEDDLE_OK;
    *moved = 1;
    HD_TRY(status);
    site->copies[way] = 0;
    hd_phase_end(w, s, queue_of(site, way), phase_of(way));
    s->state = way == HD_FRONT_IN ? HD_STRIDE_READY : HD_STRIDE_ENDED;
    return HEDDLE_OK;
}

/* The stride above was started, and threads, which would spin, wait for its first word. */
static int is_due(const heddle_wavefront *w, const hd_stride *s)
{
    const hd_stride *up = s - 1;
    if (!s->begin || up->state > HD_STRIDE_RUNS)
        return 1;
    return up->state == HD_STRIDE_RUNS && (site_of(w, s)->unit->ctx || hands_on(w, up, 0));
}

/* It is due; the lane is free; and the site's waves above need nothing that this one could take. */
static int may_start(const heddle_wavefront *w, uint64_t i)
{
    const hd_stride *s = hd_stride_at(w, i);
    if (!is_due(w, s))
        return 0;
    while (i--) {
        const hd_stride *up = hd_stride_at(w, i);
        if (up->site == s->site && up->state == HD_STRIDE_RUNS &&
            (up->lane == s->lane || !hands_on(w, up, w->n_passes - 1u)))
            return 0;
    }
    return 1;
}

static heddle_status start(heddle_wavefront *w, hd_stride *s, int *moved)
{
    heddle_ctx *ctx = ctx_of(w, s);
    heddle_status status;
    hd_phase_begin(s);
    status = heddle_graph_submit(ctx, s->graph, w->params, w->params_bytes, &s->job);
    *moved = 1;
    s->state = HD_STRIDE_RUNS;
    return status == HEDDLE_OK ? HEDDLE_OK : hd_say(NULL, status, "%s", heddle_error_text(ctx));
}

/* The wave has ended, or not yet. */
static heddle_status look_at_job(heddle_wavefront *w, hd_stride *s, int *moved)
{
    const heddle_status status = heddle_job_test(s->job);
    if (status == HEDDLE_EBUSY)
        return HEDDLE_OK;
    *moved = 1;
    if (status != HEDDLE_OK)
        return hd_say(NULL, status, "%s", heddle_error_text(ctx_of(w, s)));
    hd_phase_end(w, s, 0, HEDDLE_PHASE_BODIES);
    heddle_job_free(s->job);
    s->job = NULL;
    s->state = site_of(w, s)->is_host ? HD_STRIDE_ENDED : HD_STRIDE_DONE;
    return HEDDLE_OK;
}

heddle_status hd_stride_look(heddle_wavefront *w, uint64_t i, int *moved)
{
    hd_stride *s = hd_stride_at(w, i);
    switch (s->state) {
    case HD_STRIDE_BEGUN: return copy(w, i, HD_FRONT_IN, moved);
    case HD_STRIDE_COMES: return look_at_copies(w, s, HD_FRONT_IN, moved);
    case HD_STRIDE_READY: return may_start(w, i) ? start(w, s, moved) : HEDDLE_OK;
    case HD_STRIDE_RUNS: return look_at_job(w, s, moved);
    case HD_STRIDE_DONE: return copy(w, i, HD_FRONT_HOME, moved);
    case HD_STRIDE_LEAVES: return look_at_copies(w, s, HD_FRONT_HOME, moved);
    default: return HEDDLE_OK;
    }
}

static void stop_copies(hd_site *site, uint32_t way)
{
    const uint64_t until = heddle_host_clock_ns() + STOP_MS * 1000000ull;
    const heddle_accelerator *a = &site->unit->acc;
    heddle_status status;
    uint32_t code, n = 0;
    uint64_t index;
    do
        status = a->poll(a->self, queue_of(site, way), &code, &index);
    while (status == HEDDLE_EBUSY && heddle_host_clock_ns() < until && (HD_PAUSE(n++), 1));
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

void hd_stride_stop(heddle_wavefront *w, uint64_t i)
{
    hd_stride *s = hd_stride_at(w, i);
    hd_site *site = site_of(w, s);
    for (uint32_t way = 0; way < HD_FRONT_WAYS; way++)
        if (site->copies[way] == i + 1u) {
            site->copies[way] = 0;
            if (!site->is_lost)
                stop_copies(site, way);
        }
    if (s->job)
        stop_job(site, s);
    if (s->state != HD_STRIDE_IDLE && s->state != HD_STRIDE_ENDED)
        hd_site_idle(site, heddle_host_clock_ns());
    s->state = HD_STRIDE_IDLE;
}
