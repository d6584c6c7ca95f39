/* SPDX-License-Identifier: MIT */
/* told.c - what is told of a loop's last run. In the lines that tell how it was divided, neighbouring cores have one line if theirs differ
 * in numbers only: of each number it has the least and the most. Lines of other units stay as they are. */
#include "engine/loop/fleet.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

#define MOST_ADD 320
#define CORE "cpu:"
#define EACH "each of "
#define TO " to "

/* A number as it stands in a line. */
typedef struct digits {
    const char *at;
    size_t n;
    double value;
} digits;

/* The number at *at, which is behind it then. */
static digits read_digits(const char **at)
{
    digits d = {.at = *at};
    char *end = NULL;
    d.value = strtod(*at, &end);
    d.n = (size_t)(end - *at);
    *at = end;
    return d;
}

static int begins(const char *at, const char *with) { return !strncmp(at, with, strlen(with)); }

static void put(hd_list *out, const char *text, size_t n)
{
    if (out->n + n < out->cap)
        memcpy((char *)out->at + out->n, text, n);
    out->n += n;
}

/* What the joined lines and the next one have at a place: "3", or "3 to 5". */
static void put_both(hd_list *out, const char **joined, const char **next)
{
    digits least = read_digits(joined), most = least;
    const digits d = read_digits(next);
    if (begins(*joined, TO) && isdigit((unsigned char)(*joined)[sizeof TO - 1])) {
        *joined += sizeof TO - 1;
        most = read_digits(joined);
    }
    least = d.value < least.value ? d : least;
    most = d.value > most.value ? d : most;
    put(out, least.at, least.n);
    if (most.value > least.value) {
        put(out, TO, sizeof TO - 1);
        put(out, most.at, most.n);
    }
}

/* Both end with their line. 0: they differ in more than numbers. */
static int join(hd_list *out, const char *joined, const char *next)
{
    joined += begins(joined, EACH) ? sizeof EACH - 1 : 0;
    if (!begins(joined, CORE) || !begins(next, CORE))
        return 0;
    put(out, EACH, sizeof EACH - 1);
    while (*joined && *next)
        if (isdigit((unsigned char)*joined) && isdigit((unsigned char)*next))
            put_both(out, &joined, &next);
        else if (*joined++ == *next)
            put(out, next++, 1);
        else
            return 0;
    return !*joined && !*next;
}

static uint64_t line_begin(const char *text, uint64_t end)
{
    while (end > 0 && text[end - 1] != '\n')
        end--;
    return end;
}

/* The text ends with a line, which becomes one with that before it if it can. */
static void join_last(hd_list *how)
{
    char room[2 * MOST_ADD], *text = how->at;
    hd_list out = {.at = room, .cap = sizeof room};
    const uint64_t last = line_begin(text, how->n - 1), before = last ? line_begin(text, last - 1) : 0;
    char *const next = text + last, *const joined = text + before;
    int can;
    if (!last)
        return;
    text[how->n - 1] = next[-1] = 0;
    can = join(&out, joined, next) && out.n < out.cap && before + out.n + 1 < how->n;
    text[how->n - 1] = next[-1] = '\n';
    if (!can)
        return;
    memcpy(joined, room, out.n);
    memcpy(joined + out.n, "\n", 2);
    how->n = before + out.n + 1;
}

void hd_how_add(hd_list *how, const char *format, ...)
{
    va_list args;
    int n;
    if (hd_list_room(how, MOST_ADD, 1))
        return; /* without memory the text ends here */
    va_start(args, format);
    n = vsnprintf((char *)how->at + how->n, MOST_ADD, format, args);
    va_end(args);
    how->n += (uint64_t)(n < 0 ? 0 : n < MOST_ADD ? n : MOST_ADD - 1);
    if (n > 0 && ((const char *)how->at)[how->n - 1] == '\n')
        join_last(how);
}

heddle_status hd_how_check(const hd_fleet_turn *t, const char *what, const void *out, const char *call)
{
    if (!t)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the %s is NULL", call, what);
    HD_TRY(hd_fleet_check_process(t->fleet, call));
    if (!out || *(const size_t *)out < sizeof(size_t))
        return hd_say(NULL, HEDDLE_EINVAL, "%s: set *out up with its INIT", call);
    if (hd_turns_state(t) == HD_TURN_STARTED)
        return hd_say(NULL, HEDDLE_EBUSY, "%s: the %s is running", call, what);
    return HEDDLE_OK;
}

const char *hd_how_text(const hd_fleet_turn *t, const hd_list *how)
{
    if (hd_fleet_is_forked(t->fleet) || hd_turns_state(t) == HD_TURN_STARTED || !how->n)
        return "";
    return how->at;
}

/* ---- of a loop ------------------------------------------------------------------------------------------------------------ */

static heddle_status check(const heddle_loop *l, const void *out, const char *call)
{
    return hd_how_check(l ? &l->turn : NULL, "loop", out, call);
}

HEDDLE_API heddle_status heddle_loop_get_unit(const heddle_loop *l, uint32_t unit, heddle_loop_unit *out)
{
    heddle_loop_unit full = HEDDLE_LOOP_UNIT_INIT;
    const hd_split_counts *c;
    const hd_share *r;
    const hd_split_model *m;
    HD_TRY(check(l, out, "heddle_loop_get_unit"));
    if (unit >= l->fleet->units.n)
        return hd_say(NULL, HEDDLE_ENODEV, "heddle_loop_get_unit: there is no unit %u", unit);
    c = &l->counts[unit];
    r = &l->runs[unit];
    m = &l->models[hd_unit_at(l->fleet, unit)->kind];
    full.n_indices = c->n_grains * l->desc.tile;
    full.n_slices = c->n_slices;
    full.n_cuts = c->n_cuts;
    full.n_again = c->n_again * l->desc.tile;
    full.busy_ns = c->busy_ns;
    full.host_ns = r->host_ns;
    full.end_ns = c->last_ns > l->start_ns ? c->last_ns - l->start_ns : 0;
    full.bytes_in = r->bytes_in;
    full.bytes_out = r->bytes_out;
    full.start_ns = m->t0_ns;
    full.each_ns = m->each_ns / (double)l->desc.tile;
    full.is_left_out = !c->n_grains;
    full.is_lost =
        (uint32_t)(l->is_alone ? hd_unit_is_lost(hd_unit_at(l->fleet, unit)) : c->is_lost || c->is_suspected);
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_loop_get_stats(const heddle_loop *l, heddle_loop_stats *out)
{
    heddle_loop_stats full = HEDDLE_LOOP_STATS_INIT;
    uint32_t i;
    HD_TRY(check(l, out, "heddle_loop_get_stats"));
    full.time_ns = full.first_ns = l->time_ns;
    full.n_units = (uint32_t)l->fleet->units.n;
    for (i = 0; i < full.n_units; i++) {
        heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
        HD_TRY(heddle_loop_get_unit(l, i, &u));
        full.n_indices += u.n_indices;
        full.n_slices += u.n_slices;
        full.n_cuts += u.n_cuts;
        full.n_again += u.n_again;
        full.bytes_in += u.bytes_in;
        full.bytes_out += u.bytes_out;
        full.n_lost += u.is_lost;
        if (u.n_slices && !u.is_lost && u.end_ns < full.first_ns)
            full.first_ns = u.end_ns;
    }
    full.n_indices = full.n_indices < l->desc.n ? full.n_indices : l->desc.n; /* the last tile may be short */
    hd_copy_known(out, &full, sizeof full);
    return HEDDLE_OK;
}

HEDDLE_API const char *heddle_loop_how(const heddle_loop *l) { return l ? hd_how_text(&l->turn, &l->how) : ""; }

HEDDLE_API heddle_status heddle_loop_get_slices(const heddle_loop *l, heddle_loop_slice *out, uint64_t most,
                                                uint64_t *n)
{
    static const char call[] = "heddle_loop_get_slices";
    if (!n || (most && !out))
        return hd_say(NULL, HEDDLE_EINVAL, "%s: %s is NULL", call, n ? "out" : "n");
    return hd_chart_get_slices(l ? l->chart : NULL, l ? &l->turn : NULL, out, most, n, call);
}

HEDDLE_API heddle_status heddle_loop_write_trace(const heddle_loop *l, const char *path)
{
    return hd_chart_write_trace(l ? l->chart : NULL, l ? &l->turn : NULL, "loop", path, "heddle_loop_write_trace");
}

HEDDLE_API heddle_status heddle_loop_write_timeline(const heddle_loop *l, const char *path, const char *title)
{
    return hd_chart_write_timeline(l ? l->chart : NULL, l ? &l->turn : NULL, "loop", path, title,
                                   "heddle_loop_write_timeline");
}
