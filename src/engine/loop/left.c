/* SPDX-License-Identifier: MIT */
/* left.c - which indices the last run has not done. These are the split's grains that have not ended, and spoilt slices. Of a spoilt slice a
 * device wrote results home, or half of them, when it was no longer its own, and the loop reads these rows, too; or the device may still
 * write them. If somebody else has run it since, that does not count.
 *
 * Memory is there before a run, so that its end cannot fail. After the failure of a body nothing is told (EINVAL). */
#include "engine/loop/fleet.h"

heddle_status hd_left_reserve(heddle_loop *l)
{
    uint64_t i, n_slots = 0;
    for (i = 0; i < l->fleet->units.n; i++)
        n_slots += l->split_units[i].most_flying;
    /* The split has at most an interval a slot, one a claim and one that nobody has claimed. Each spoilt slice may cut one of them in two. */
    if (hd_list_room(&l->spoilt, n_slots, sizeof(hd_slice)) ||
        hd_list_room(&l->left, 3u * n_slots + l->fleet->units.n + 1u, sizeof(hd_left)))
        return HD_SAY_NEW(HEDDLE_ENOMEM, "out of memory");
    return HEDDLE_OK;
}

/* The first spoilt grains from `from` on. */
static int next_spoilt(const heddle_loop *l, uint64_t from, hd_left *out)
{
    const uint32_t is_read = (uint32_t)hd_loop_reads_results(l);
    uint64_t i;
    *out = (hd_left){UINT64_MAX, UINT64_MAX, is_read};
    for (i = 0; i < l->spoilt.n; i++) {
        const hd_slice *s = (const hd_slice *)l->spoilt.at + i;
        const uint64_t begin = s->begin > from ? s->begin : from;
        if (begin < s->end && begin < out->begin)
            *out = (hd_left){begin, s->end, is_read};
    }
    return out->begin < out->end;
}

static int next(const heddle_loop *l, uint64_t from, hd_left *out)
{
    hd_left spoilt, plain = {0, 0, 0};
    const int has_plain = hd_split_left(l->split, from, &plain.begin, &plain.end);
    if (next_spoilt(l, from, &spoilt) && !(has_plain && plain.begin < spoilt.begin)) {
        *out = spoilt;
        return 1;
    }
    *out = plain;
    out->end = hd_at_most(plain.end, spoilt.begin);
    return has_plain;
}

void hd_left_note(heddle_loop *l)
{
    hd_left x = {0, 0, 0};
    for (l->left.n = 0; l->left.n < l->left.cap && next(l, x.end, &x); l->left.n++)
        ((hd_left *)l->left.at)[l->left.n] = x;
}

uint64_t hd_left_n_indices(const heddle_loop *l)
{
    uint64_t i, n = 0;
    for (i = 0; i < l->left.n; i++)
        n += hd_grain_begin(l, hd_left_at(l, i)->end) - hd_grain_begin(l, hd_left_at(l, i)->begin);
    return n;
}

HEDDLE_API heddle_status heddle_loop_get_left(const heddle_loop *l, uint64_t index, heddle_loop_left *out)
{
    static const char call[] = "heddle_loop_get_left";
    heddle_loop_left full = HEDDLE_LOOP_LEFT_INIT;
    HD_TRY(hd_how_check(l ? &l->turn : NULL, "loop", out, call));
    if (l->turn.status == HEDDLE_EBODY)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: a body has failed, and what others did then is not known", call);
    if (index >= l->left.n)
        return hd_say(NULL, HEDDLE_ERANGE, "%s: there is no interval %llu; %llu are not done", call,
                      (unsigned long long)index, (unsigned long long)l->left.n);
    full.begin = hd_grain_begin(l, hd_left_at(l, index)->begin);
    full.end = hd_grain_begin(l, hd_left_at(l, index)->end);
    full.is_spoilt = hd_left_at(l, index)->is_spoilt;
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}
