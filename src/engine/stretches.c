/* SPDX-License-Identifier: MIT */
/* stretches.c - heddle_wave_get_stretches: what a traced run has noted of the bands of a wave. */
#include "engine/wave.h"

static heddle_wave_stretch stretch_of(const hd_outcome *o, uint32_t worker, const hd_event *ev)
{
    hd_stretch s;
    o->legend.stretch_of(o->legend.self, ev, &s);
    return (heddle_wave_stretch){.worker = worker,
                                 .lane = hd_lane_of(o, ev),
                                 .item = s.item,
                                 .pass = s.pass,
                                 .band = s.band,
                                 .first_column = s.first,
                                 .last_column = s.last,
                                 .begin_ns = hd_since(o, ev->begin),
                                 .end_ns = hd_since(o, ev->end),
                                 .waited_ns = hd_event_waited(ev)};
}

HEDDLE_API heddle_status heddle_wave_get_stretches(heddle_graph *graph, heddle_wave_stretch *out, size_t n_max,
                                                   size_t *n_out)
{
    hd_outcome o;
    size_t n = 0;
    uint32_t w, i;
    HD_TRY(hd_graph_outcome(graph, &o, "heddle_wave_get_stretches"));
    if (!n_out || (n_max && !out))
        return hd_say(&graph->ctx->error, HEDDLE_EINVAL,
                      "heddle_wave_get_stretches: n_out, or out with n_max > 0, is NULL");
    for (w = 0; w < o.n_workers; w++)
        for (i = 0; i < hd_n_events(&o, w); i++) {
            const hd_event *ev = &hd_events_of(&o, w)[i];
            if (!hd_event_is_stretch(ev))
                continue;
            if (n < n_max)
                out[n] = stretch_of(&o, w, ev);
            n++;
        }
    *n_out = n;
    return HEDDLE_OK;
}
