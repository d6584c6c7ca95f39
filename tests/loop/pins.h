/* SPDX-License-Identifier: MIT */
/* pins.h - pinning that a test can have fail, for fleets without GPUs: each pin is an allocation of the library. */
#ifndef LOOP_PINS_H
#define LOOP_PINS_H

#include "engine/loop/fleet.h"

#include "check.h"

#define PINS_MOST 16u
#define PINS_BYTES 64u

static struct {
    void *at[PINS_MOST], *record[PINS_MOST];
    uint32_t n, n_refused; /* now; since the fleet had them */
} pins;

static heddle_status pins_pin(hd_device *d, void *p, uint64_t n_bytes, hd_error *e)
{
    void *record = hd_new(PINS_BYTES);
    (void)d;
    pins.n_refused += !record;
    if (!record)
        return hd_say(e, HEDDLE_ENOMEM, "no more than %llu bytes are pinned", (unsigned long long)n_bytes);
    CHECK(pins.n < PINS_MOST);
    pins.at[pins.n] = p;
    pins.record[pins.n++] = record;
    return HEDDLE_OK;
}

static void pins_unpin(hd_device *d, void *p)
{
    uint32_t i = 0;
    (void)d;
    while (i < pins.n && pins.at[i] != p)
        i++;
    CHECK_MSG(i < pins.n, "%p was not pinned", p);
    hd_delete(pins.record[i], PINS_BYTES);
    pins.n--;
    pins.at[i] = pins.at[pins.n];
    pins.record[i] = pins.record[pins.n];
}

/* The fleet pins its arrays from now on. */
static void pins_begin(heddle_fleet *f)
{
    static const hd_backend backend = {.host_pin = pins_pin, .host_unpin = pins_unpin};
    static heddle_ctx ctx = {.backend = &backend};
    pins.n_refused = 0;
    f->pins = &ctx;
}

static int pins_has(const void *p)
{
    uint32_t i = 0;
    while (i < pins.n && pins.at[i] != p)
        i++;
    return i < pins.n;
}

/* Each array says whether it is pinned, and why it is not. Returns how many are not. */
static uint32_t pins_check_told(heddle_array *const *arrays, uint32_t n)
{
    uint32_t n_unpinned = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int is_pinned = arrays[i] && pins_has(heddle_array_host(arrays[i]));
        const char *how = heddle_array_how(arrays[i]);
        CHECK_MSG(!arrays[i] || (is_pinned ? !strncmp(how, "pinned in ", 10) : !!strstr(how, "no more than ")),
                  "array %u is%s pinned: %s", i, is_pinned ? "" : " not", how);
        n_unpinned += arrays[i] && !is_pinned;
    }
    return n_unpinned;
}

#endif
