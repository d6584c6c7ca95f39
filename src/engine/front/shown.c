/* SPDX-License-Identifier: MIT */
/* shown.c - what strides did when, for the trace. All cores have one row, and a stride is one event there. Another site has three, for copies
 * in, waves and copies out; strides of one site may be under way at the same time. Copies are shown as the accelerator's marks tell, else
 * like waves by the host's clock: from when they were given until their end was seen. A wave that waits for the one above is busy. */
#include "engine/front/front.h"

static hd_chart_unit charted(const void *self, uint32_t i)
{
    const hd_site *s = &((const heddle_wavefront *)self)->sites[i];
    return (hd_chart_unit){s->name, 0, s->is_host ? 0 : HD_CHART_PHASES};
}

hd_chart *hd_front_chart(const heddle_wavefront *w)
{
    const hd_chart_form form = {.n_trace = w->desc.n_trace,
                                .n_units = w->n_sites,
                                .title = w->table->bodies[w->desc.body].name,
                                .way = heddle_split_name(w->desc.split),
                                .bodies = "waves",
                                .unit = charted};
    return hd_chart_new(&form, w);
}

/* ---- phases ------------------------------------------------------------------------------------------------------------ */

static hd_site *site_of(const heddle_wavefront *w, const hd_stride *s) { return &w->sites[s->site]; }

static int has_marks(const heddle_wavefront *w, const hd_stride *s, heddle_phase phase)
{
    return w->chart && phase != HEDDLE_PHASE_BODIES && site_of(w, s)->unit->acc.mark;
}

void hd_phase_begin(hd_stride *s)
{
    s->phase_ns = heddle_host_clock_ns();
    s->phase_bytes = 0;
}

static uint64_t n_moved(const hd_site *s) { return s->bytes_in + s->bytes_out; }

heddle_status hd_phase_put(heddle_wavefront *w, hd_stride *s, uint32_t queue, heddle_phase phase, hd_phase_fn *put)
{
    const heddle_accelerator *a = &site_of(w, s)->unit->acc;
    const uint64_t before = n_moved(site_of(w, s));
    hd_phase_begin(s);
    if (has_marks(w, s, HEDDLE_PHASE_IN) &&
        phase == HEDDLE_PHASE_HOME)                       /* copies home have a queue where no phase IN came before, */
        HD_TRY(a->mark(a->self, queue, HEDDLE_PHASE_IN)); /* and that is when an accelerator looks at the clock */
    if (has_marks(w, s, phase))
        HD_TRY(a->mark(a->self, queue, phase));
    HD_TRY(put(w, s));
    if (has_marks(w, s, phase))
        HD_TRY(a->mark(a->self, queue, HEDDLE_PHASE_NONE));
    s->phase_bytes = n_moved(site_of(w, s)) - before;
    return HEDDLE_OK;
}

void hd_phase_end(heddle_wavefront *w, hd_stride *s, uint32_t queue, heddle_phase phase)
{
    const uint64_t now = heddle_host_clock_ns();
    hd_chart_part p = {phase, s->phase_bytes, s->begin, s->end, 0, s->phase_ns, now};
    if (phase != HEDDLE_PHASE_BODIES && !s->phase_bytes)
        return;
    if (has_marks(w, s, phase)) {
        p.queue = queue;
        hd_chart_note_marked(w->chart, s->site, &site_of(w, s)->unit->acc, &p, &s->phase_ns, now);
    } else {
        hd_chart_note(w->chart, s->site, &p);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

HEDDLE_API heddle_status heddle_wavefront_write_trace(const heddle_wavefront *w, const char *path)
{
    return hd_chart_write_trace(w ? w->chart : NULL, w ? &w->turn : NULL, "wavefront", path,
                                "heddle_wavefront_write_trace");
}

HEDDLE_API heddle_status heddle_wavefront_write_timeline(const heddle_wavefront *w, const char *path, const char *title)
{
    return hd_chart_write_timeline(w ? w->chart : NULL, w ? &w->turn : NULL, "wavefront", path, title,
                                   "heddle_wavefront_write_timeline");
}
