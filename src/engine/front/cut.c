/* SPDX-License-Identifier: MIT */
/* cut.c - how quick sites are, and which rows each gets under the split `cut`: the strides are known before the first begins.
 *
 * Strides are dealt to the sites in turn, in rounds, each as high as its site is quick. Several rounds have two uses. Where cells are copied,
 * copies of one stride go beside the wave of another. Elsewhere a stride has no more rows than its device goes over at once: else
 * the stride below would wait until the first of its bands have crossed the whole field. */
#include "engine/front/front.h"

#define LEFT_OUT 0.25 /* of the quickest's speed: slower sites are left out */
#define LEFT_LONG 100.0
#define MOST_COPIED \
    8u /* rounds: each costs the time of a band's way along the field, while a site has no lane for it */
#define MOST_ROUNDS 16u

uint64_t hd_front_least_copy = 64ull << 20;

double hd_front_row_ns(const heddle_wavefront *w, uint32_t site)
{
    const hd_site *s = &w->sites[site], *known = s;
    for (uint32_t i = 0; i < w->n_sites && !(known->row_ns > 0); i++)
        known = &w->sites[i];
    return known->row_ns > 0 ? known->row_ns * known->weight / s->weight : 1.0 / s->weight;
}

/* Insertion sort: there are few. */
void hd_front_order(heddle_wavefront *w)
{
    for (uint32_t i = 0; i < w->n_sites; i++) {
        uint32_t k = i;
        for (; k && hd_front_row_ns(w, w->order[k - 1u]) > hd_front_row_ns(w, i); k--)
            w->order[k] = w->order[k - 1u];
        w->order[k] = i;
    }
}

/* It may have been slow because it was interrupted, and runs without it show nothing new. So its speed is forgotten after a hundred times as many
 * runs as it was slower than its weight says: a run with it may take that many times as long. */
static void forget_in_time(hd_site *s, const hd_site *quickest)
{
    if (!s->is_left_out || !(s->row_ns > 0)) {
        s->n_missed = 0;
        return;
    }
    if ((double)++s->n_missed < LEFT_LONG * s->row_ns * s->weight / (quickest->row_ns * quickest->weight))
        return;
    s->row_ns = 0;
    s->n_missed = 0;
}

/* The quickest that is there never is. */
void hd_front_leave_out(heddle_wavefront *w)
{
    const hd_site *quickest = NULL;
    double least = 0;
    for (uint32_t k = 0; k < w->n_sites; k++) {
        const double ns = hd_front_row_ns(w, w->order[k]);
        hd_site *s = &w->sites[w->order[k]];
        s->is_left_out = quickest && w->desc.split == HEDDLE_SPLIT_CUT && least / ns < LEFT_OUT;
        if (!s->is_lost && !quickest) {
            quickest = s;
            least = ns;
        }
        if (quickest && quickest->row_ns > 0)
            forget_in_time(s, quickest);
    }
}

/* Of all sites that take part. */
static double speed(const heddle_wavefront *w, uint32_t *n)
{
    double sum = 0;
    *n = 0;
    for (uint32_t i = 0; i < w->n_sites; i++)
        if (hd_site_is_in(&w->sites[i])) {
            sum += 1.0 / hd_front_row_ns(w, i);
            ++*n;
        }
    return sum;
}

/* Rounds that a site of so many rows asks for. */
static uint64_t rounds_of(const heddle_wavefront *w, const hd_site *s, double rows, uint32_t n_sites)
{
    const double copied = rows * (double)w->desc.cols * (double)w->info->cell_bytes;
    const uint64_t n = w->desc.cells ? (uint64_t)(copied / (double)hd_front_least_copy)
                                     : (uint64_t)(rows / (double)hd_wave_rows_at_once(s->lanes[0], w->info) + 0.999);
    if (w->desc.cells)
        return s->is_host ? 1u : n < MOST_COPIED ? n : MOST_COPIED;
    return n_sites == 1 ? 1u : n < MOST_ROUNDS ? n : MOST_ROUNDS;
}

/* Of n grains, by the site that asks for the most. A stride has a grain at least. */
static uint64_t rounds(const heddle_wavefront *w, uint64_t n)
{
    uint64_t most = 1;
    uint32_t n_sites;
    const double all = speed(w, &n_sites), rows = (double)(n * w->grain);
    for (uint32_t i = 0; i < w->n_sites; i++) {
        const hd_site *s = &w->sites[i];
        const uint64_t r = hd_site_is_in(s) ? rounds_of(w, s, rows / hd_front_row_ns(w, i) / all, n_sites) : 0;
        most = r > most ? r : most;
    }
    return most * n_sites <= n ? most : n_sites && n / n_sites ? n / n_sites : 1u;
}

/* Appends rows up to `end` for a site, if there are any. */
static heddle_status add(hd_list *to, uint32_t site, uint64_t *at, uint64_t end)
{
    if (end <= *at)
        return HEDDLE_OK;
    if (hd_list_room(to, 1, sizeof(hd_cut)))
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_wavefront_run: out of memory");
    ((hd_cut *)to->at)[to->n++] = (hd_cut){site, *at, end};
    *at = end;
    return HEDDLE_OK;
}

heddle_status hd_front_cut(const heddle_wavefront *w, uint64_t n, hd_list *to)
{
    const uint64_t n_rounds = rounds(w, n);
    uint64_t at = 0;
    uint32_t n_sites;
    const double all = speed(w, &n_sites);
    for (uint64_t r = 0; r < n_rounds; r++) {
        double done = 0;
        for (uint32_t k = 0; k < w->n_sites; k++) {
            const uint32_t i = w->order[k];
            if (!hd_site_is_in(&w->sites[i]))
                continue;
            done += 1.0 / hd_front_row_ns(w, i) / all;
            HD_TRY(add(to, i, &at, (uint64_t)(((double)r + done) / (double)n_rounds * (double)n + 0.5)));
        }
    }
    if (n_sites && at < n) /* by rounding; the last one had less */
        ((hd_cut *)to->at)[to->n - 1u].end = n;
    return HEDDLE_OK;
}
