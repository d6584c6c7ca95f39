/* SPDX-License-Identifier: MIT */
/* figures.c - shared by the figures of made-up graphs. */
#include "figures.h"

size_t settings_verified(bench *b, const char *figure, const shape *s, const char *list, setting *out)
{
    setting_text text;
    size_t n = settings_read(b, list, out, MOST_SETTINGS), kept = 0;
    for (size_t i = 0; i < n; i++) {
        b->extra = out[i].extra;
        if (!bench_late(b) && verify_shape(b, s, &out[i])) /* if late, it will not be timed either */
            bench_missing(b, (row){figure, out[i].subject->name, setting_name(&text, &out[i]), "-", NULL});
        else
            out[kept++] = out[i];
    }
    return kept;
}

static sample changed(const sample *s, double add, double scale)
{
    sample out = {{0}, 0};
    for (uint32_t i = 0; i < s->n; i++)
        sample_add(&out, (s->value[i] + add) * scale);
    return out;
}

double measure_shape(bench *b, const measure *m, const shape *s, const setting *at, uint32_t each_ns, scores *to)
{
    setting_text text;
    char variant[128];
    times t;
    sample out;
    row r = {m->figure, at->subject->name, variant, m->unit, NULL};
    snprintf(variant, sizeof variant, "%s %s", m->variant, setting_name(&text, at));
    b->extra = at->extra;
    if (bench_late(b) ? bench_no_time(b) : time_shape(b, s, at, each_ns, N_SAMPLES, &t)) {
        bench_missing(b, r);
        return 0;
    }
    out = changed(times_best(&t), m->add, m->scale);
    r.note = t.queued.n ? "" : "one run at a time";
    bench_row(b, r, &out, 1);
    if (to)
        scores_add(to, at, sample_median(times_best(&t)));
    return sample_median(times_best(&t));
}
