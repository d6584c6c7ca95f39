/* SPDX-License-Identifier: MIT */
/* model.c - least squares over few samples. Errors count in proportion to the time of the slice, since loads are uneven in proportion.
 *
 * The fixed cost is what short slices tell; long ones on an uneven load tell anything. A cost that is too large makes slices that are too
 * long, one that is too small costs little. So a new value comes with its deviation, replaces one that is less certain, and is
 * the lower end of what may be. What is known ages, so that it is never frozen. */
#include "engine/loop/model.h"

#include <math.h>

#define LEAST_SPREAD \
    2.5 /* longest over shortest slice, in grains and in time; slices that are made to take the same time tell nothing */
#define LEAST_DEVIATION 0.02 /* of the shortest slice */
#define AGEING 1.0002        /* of what is known of the fixed cost, a slice */
#define MOST_PART 0.9        /* of the shortest slice, for the fixed cost */
#define LEAST_PART 0.5       /* of a slice's time that its grains take */

void hd_samples_add(hd_samples *s, double n, double ns, int is_queued)
{
    const int is_first = is_queued && !s->has_queued;
    if (!is_queued && s->has_queued)
        return;
    if (is_first)
        *s = (hd_samples){.has_queued = 1, .deviation_ns = s->deviation_ns};
    s->n[s->n_seen % HD_N_SAMPLES] = n;
    s->ns[s->n_seen % HD_N_SAMPLES] = ns > 1 ? ns : 1;
    s->n_seen++;
}

double hd_samples_each(const hd_samples *s, double t0_ns)
{
    const uint32_t most = s->n_seen < HD_N_LATEST ? s->n_seen : HD_N_LATEST;
    double n = 0, ns = 0, of_grains;
    for (uint32_t i = 0; i < most; i++) {
        const uint32_t at = (s->n_seen - 1 - i) % HD_N_SAMPLES;
        n += s->n[at];
        ns += s->ns[at];
    }
    of_grains = ns - most * t0_ns;
    return (of_grains > LEAST_PART * ns ? of_grains : LEAST_PART * ns) / n;
}

typedef struct line {
    double w, n, t, nn, nt, tt; /* weighted sums */
    double least_n, most_n, least_t, most_t;
} line;

static void line_add(line *l, double n, double t)
{
    const double w = 1 / (t * t);
    l->w += w;
    l->n += w * n;
    l->t += w * t;
    l->nn += w * n * n;
    l->nt += w * n * t;
    l->tt += w * t * t;
    l->least_n = n < l->least_n ? n : l->least_n;
    l->most_n = n > l->most_n ? n : l->most_n;
    l->least_t = t < l->least_t ? t : l->least_t;
    l->most_t = t > l->most_t ? t : l->most_t;
}

/* Where the line cuts the axis, less twice its standard deviation, which is stored. 0: the samples do not tell. */
static int intercept(const line *l, uint32_t count, double *at, double *deviation)
{
    const double det = l->w * l->nn - l->n * l->n;
    double slope, rest;
    if (count < 3 || l->most_n < LEAST_SPREAD * l->least_n || l->most_t < LEAST_SPREAD * l->least_t || !(det > 0))
        return 0;
    *at = (l->nn * l->t - l->n * l->nt) / det;
    slope = (l->w * l->nt - l->n * l->t) / det;
    rest = (l->tt - *at * l->t - slope * l->nt) / (count - 2);
    *deviation = sqrt((rest > 0 ? rest : 0) * l->nn / det);
    *at -= 2 * *deviation;
    *deviation += LEAST_DEVIATION * l->least_t;
    *at = *at > 0 ? *at : 0;
    return 1;
}

void hd_samples_fit(hd_samples *s, hd_split_model *m)
{
    const uint32_t count = s->n_seen < HD_N_SAMPLES ? s->n_seen : HD_N_SAMPLES;
    line l = {.least_n = s->n[0], .most_n = s->n[0], .least_t = s->ns[0], .most_t = s->ns[0]};
    double t0 = 0, deviation = 0;
    for (uint32_t i = 0; i < count; i++)
        line_add(&l, s->n[i], s->ns[i]);
    s->deviation_ns *= AGEING;
    if (intercept(&l, count, &t0, &deviation) && (s->deviation_ns <= 0 || deviation <= s->deviation_ns)) {
        m->t0_ns = t0;
        s->deviation_ns = deviation;
    }
    s->shortest_ns = s->n_seen > 1 && s->shortest_ns * AGEING < l.least_t ? s->shortest_ns * AGEING : l.least_t;
    if (m->t0_ns > MOST_PART * s->shortest_ns)
        m->t0_ns = MOST_PART * s->shortest_ns;
    m->each_ns = hd_samples_each(s, m->t0_ns);
    m->n_seen++;
}
