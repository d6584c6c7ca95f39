/* SPDX-License-Identifier: MIT */
/* log.c - what was given since the first body that may have to be given again (directory.h): bodies, and writes by the host, with what they
 * touch. They are numbered from 1 in the order of the calls, which is the order that results look as if they came from. */
#include "engine/multi/directory.h"

int hd_seg_log_room(hd_segments *s, uint32_t n_touches)
{
    return hd_list_room(&s->entries, 1, sizeof(hd_seg_entry)) ||
           hd_list_room(&s->touches, n_touches, sizeof(hd_seg_touch));
}

/* Forgets what lies before the first entry. */
static void shorten(hd_segments *s)
{
    hd_seg_entry *e = s->entries.at;
    hd_seg_touch *t = s->touches.at;
    const uint64_t n_gone = e[s->first_entry].first_touch;
    s->entries.n -= s->first_entry;
    s->touches.n -= n_gone;
    memmove(e, e + s->first_entry, s->entries.n * sizeof *e);
    memmove(t, t + n_gone, s->touches.n * sizeof *t);
    for (uint64_t i = 0; i < s->entries.n; i++)
        e[i].first_touch -= n_gone;
    s->first_entry = 0;
}

/* Those at the beginning that are not open are left behind, and forgotten when they are more than half of all. */
static void trim(hd_segments *s)
{
    const hd_seg_entry *e = s->entries.at;
    for (; s->first_entry < s->entries.n && e[s->first_entry].state != HD_SEG_OPEN; s->first_entry++)
        s->first_number++;
    if (s->first_entry == s->entries.n)
        s->first_entry = s->entries.n = s->touches.n = 0;
    else if (2 * s->first_entry > s->entries.n)
        shorten(s);
}

uint64_t hd_seg_log_add(hd_segments *s, const hd_seg_use *uses, uint32_t n, hd_seg_point p, hd_seg_state state)
{
    const uint64_t number = hd_seg_log_end(s);
    ((hd_seg_entry *)s->entries.at)[s->entries.n++] = (hd_seg_entry){s->touches.n, n, state, p};
    for (uint32_t i = 0; i < n; i++)
        ((hd_seg_touch *)s->touches.at)[s->touches.n++] = (hd_seg_touch){uses[i].array, uses[i].mode, uses[i].rect};
    return number;
}

hd_seg_entry *hd_seg_log_at(const hd_segments *s, uint64_t number)
{
    return (hd_seg_entry *)s->entries.at + s->first_entry + (number - s->first_number);
}

void hd_seg_log_drop(hd_segments *s, uint32_t array)
{
    hd_seg_touch *t = s->touches.at;
    for (uint64_t i = 0; i < s->touches.n; i++)
        if (t[i].array == array)
            t[i] = (hd_seg_touch){0};
}

void hd_segments_ended(hd_segments *s, uint64_t body)
{
    if (body < s->first_number)
        return;
    hd_seg_log_at(s, body)->state = HD_SEG_ENDED;
    trim(s);
}

int hd_segments_is_again(const hd_segments *s, uint64_t body)
{
    return body >= s->first_number && hd_seg_log_at(s, body)->state == HD_SEG_AGAIN;
}
