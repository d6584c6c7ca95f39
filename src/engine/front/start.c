/* SPDX-License-Identifier: MIT */
/* start.c - runs of a wavefront: started, waited for, cancelled. It is driven by one thread when it is its turn: by the fleet's driver, or
 * by the thread that wants to wait for its end anyway. In a serial fleet that is the thread that starts it. */
#include "engine/front/front.h"

/* ---- its turn ---------------------------------------------------------------------------------------------------------- */

static int has(const void *self, const heddle_array *a, int only_writes)
{
    const heddle_wavefront *w = self;
    const hd_front_arrays all = hd_front_arrays_of(&w->desc);
    uint32_t i = only_writes ? HD_FRONT_FIRST_WRITTEN : 0;
    while (i < HD_FRONT_ARRAYS && all.at[i] != a)
        i++;
    return i < HD_FRONT_ARRAYS;
}

static void begin(void *self) { ((heddle_wavefront *)self)->start_ns = heddle_host_clock_ns(); }

static void clear_run(heddle_wavefront *w)
{
    w->time_ns = 0;
    hd_chart_clear(w->chart);
    for (uint32_t i = 0; i < w->n_sites; i++) {
        hd_site *s = &w->sites[i];
        s->n_prepared = s->n_flying = 0;
        s->n_rows = s->n_strides = s->busy_ns = s->last_ns = s->bytes_in = s->bytes_out = 0;
        memset(s->copies, 0, sizeof s->copies);
        *s->trouble = 0;
        hd_site_ask(s);
    }
}

static heddle_status drive(void *self)
{
    heddle_wavefront *w = self;
    clear_run(w);
    return hd_front_drive(w);
}

static int is_over(void *self)
{
    (void)self;
    return 1;
}

static void end(void *self)
{
    heddle_wavefront *w = self;
    if (!w->time_ns) /* it has failed */
        w->time_ns = heddle_host_clock_ns() - w->start_ns;
    hd_chart_end(w->chart, w->start_ns, w->time_ns);
    hd_front_tell(w, w->turn.status);
}

const hd_turn_kind hd_front_turns = {.has = has, .begin = begin, .is_over = is_over, .drive = drive, .end = end};

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

static heddle_status leave_jobs(const heddle_wavefront *w)
{
    const hd_front_arrays all = hd_front_arrays_of(&w->desc);
    uint32_t i;
    for (i = 0; i < HD_FRONT_ARRAYS; i++)
        HD_TRY(hd_array_leave_jobs(all.at[i], i >= HD_FRONT_FIRST_WRITTEN));
    hd_fleet_rest_jobs(w->fleet);
    return HEDDLE_OK;
}

static heddle_status start(heddle_wavefront *w, const char *call, const void *params, size_t params_bytes,
                           int is_callers)
{
    if (!w)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the wavefront is NULL", call);
    HD_TRY(hd_turns_check_start(&w->turn, call, w->table, params, params_bytes));
    HD_TRY(leave_jobs(w));
    is_callers |= w->fleet->is_serial;
    if (!is_callers)
        HD_TRY(hd_driver_start(w->fleet));
    if (params_bytes)
        memcpy(w->params, params, params_bytes);
    __atomic_store_n(&w->is_canceled, 0, __ATOMIC_RELEASE);
    hd_turns_add(&w->turn, is_callers);
    if (!is_callers)
        return HEDDLE_OK;
    hd_turns_enter_own(&w->turn);
    hd_turns_drive(&w->turn);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_wavefront_start(heddle_wavefront *w, const void *params, size_t params_bytes)
{
    return start(w, "heddle_wavefront_start", params, params_bytes, 0);
}

HEDDLE_API heddle_status heddle_wavefront_run(heddle_wavefront *w, const void *params, size_t params_bytes)
{
    HD_TRY(start(w, "heddle_wavefront_run", params, params_bytes, 1));
    return heddle_wavefront_wait(w, HEDDLE_FOREVER);
}

HEDDLE_API heddle_status heddle_wavefront_wait(heddle_wavefront *w, uint32_t timeout_ms)
{
    return w ? hd_turns_wait(&w->turn, "heddle_wavefront_wait", timeout_ms)
             : hd_say(NULL, HEDDLE_EINVAL, "heddle_wavefront_wait: the wavefront is NULL");
}

HEDDLE_API void heddle_wavefront_cancel(heddle_wavefront *w)
{
    if (w)
        __atomic_store_n(&w->is_canceled, 1, __ATOMIC_RELEASE);
}
