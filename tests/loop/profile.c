/* SPDX-License-Identifier: MIT */
/* profile.c - speeds of loops in a profile file: what one fleet has measured, the next one begins with. A file that says that cores are
 * slow has them left out, and they are tried again after a while: neither a file nor a slice that was interrupted is believed for ever. */
#include "engine/loop/fleet.h"
#include "loop/cases.h"
#include "loop/profile_file.h"

#include <unistd.h>

#define MOST_TRIES 1000
#define DEVICE_NS 100u /* of a tile */

static const char path[] = "loop_profile.txt";
static const looped_case the_case = {looped_turn, 53000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};

static heddle_fleet *open_fleet(looped_rig *r)
{
    heddle_fleet_config config = HEDDLE_FLEET_INIT;
    heddle_fleet *f;
    config.profile_file = path;
    CHECK_OK(NULL, heddle_fleet_open(&f, "virtual: cpu:1", &config));
    CHECK_OK(NULL, looped_open(r, f, &the_case));
    return f;
}

static void run(looped_rig *r)
{
    looped_fill(r, &the_case);
    CHECK_OK(NULL, heddle_loop_run(r->loop, &r->params, sizeof r->params));
}

static heddle_loop_unit unit_of(const looped_rig *r, uint32_t i)
{
    heddle_loop_unit u = HEDDLE_LOOP_UNIT_INIT;
    CHECK_OK(NULL, heddle_loop_get_unit(r->loop, i, &u));
    return u;
}

static heddle_loop_unit core_of(const looped_rig *r) { return unit_of(r, 1); }

static void close_both(heddle_fleet *f, looped_rig *r)
{
    looped_close(r);
    heddle_fleet_close(f);
}

/* One unit may have done all before the other has woken. */
static void run_until_known(looped_rig *r)
{
    int n = 0;
    do
        run(r);
    while (!(core_of(r).each_ns > 0 && unit_of(r, 0).each_ns > 0) && ++n < MOST_TRIES);
    CHECK_MSG(n < MOST_TRIES, "%s", heddle_loop_how(r->loop));
}

static void check_found(void)
{
    looped_rig r;
    double each;
    heddle_fleet *f = open_fleet(&r);
    CHECK(core_of(&r).each_ns == 0);
    run_until_known(&r);
    each = core_of(&r).each_ns;
    close_both(f, &r);
    f = open_fleet(&r);
    CHECK_MSG(core_of(&r).each_ns > each * 0.99 && core_of(&r).each_ns < each * 1.01, "%g ns, not %g",
              core_of(&r).each_ns, each);
    close_both(f, &r);
}

/* A run of the device alone, without threads, that took so long: it asks first, so that the core is not worth it. */
static void play(heddle_loop *l, uint64_t time_ns)
{
    const hd_split_config c = {l->n_grains,       HEDDLE_SPLIT_CUT, (uint32_t)l->fleet->units.n,
                               l->fleet->n_kinds, l->split_units,   l->models};
    const uint64_t now_ns = 1000;
    hd_slice slice, other;
    CHECK_OK(NULL, hd_split_new(&l->split, &c));
    CHECK(hd_split_take(l->split, 0, now_ns, &slice) == HD_TAKE_SLICE);
    do {
        CHECK(hd_split_take(l->split, 1, now_ns, &other) != HD_TAKE_SLICE);
        CHECK(hd_split_keep(l->split, 0, &slice) &&
              hd_split_ended(l->split, 0, &slice, now_ns, now_ns + DEVICE_NS * (slice.end - slice.begin)));
    } while (hd_split_take(l->split, 0, now_ns, &slice) == HD_TAKE_SLICE);
    l->start_ns = heddle_host_clock_ns() - time_ns;
    hd_loop_end(l);
    CHECK_OK(NULL, l->turn.status);
}

static int runs_until_tried(heddle_loop *l, const hd_split_model *core)
{
    int n = 0;
    for (; core->n_seen && n < MOST_TRIES; n++)
        play(l, 1000000);
    return n;
}

static void check_tried_again(void)
{
    looped_rig r;
    heddle_fleet *f;
    const hd_split_model *core;
    const hd_absence *absence;
    hd_split_model known;
    int n, again;
    profile_say(path, "virtual", " by 0", "0 ns and 100 ns a tile");
    profile_say(path, "core", " by 0", "0 ns and 5000000 ns a tile");
    f = open_fleet(&r);
    core = &r.loop->models[hd_unit_at(f, 1)->kind];
    absence = &r.loop->absences[hd_unit_at(f, 1)->kind];
    known = *core;
    play(r.loop, 1000000);
    CHECK_MSG(core_of(&r).is_left_out && strstr(heddle_loop_how(r.loop), "left out"), "%s", heddle_loop_how(r.loop));
    CHECK_MSG(core->n_seen && absence->idle_ns == (double)r.loop->time_ns, "%u slices known, idle for %g ns of %g: %s",
              core->n_seen, absence->idle_ns, (double)r.loop->time_ns, heddle_loop_how(r.loop));
    n = 1 + runs_until_tried(r.loop, core);
    CHECK_MSG(n > 6 && n < 15 && absence->idle_ns == 0, "%d runs", n); /* twice 1 and 5 ms */
    r.loop->models[hd_unit_at(f, 1)->kind] = known;                    /* as if the trial had told the same */
    again = runs_until_tried(r.loop, core);
    CHECK_MSG(again > 1.5 * n && again < 2.7 * n, "%d runs, then %d", n, again);
    n = 0;
    do /* on a busy machine a slice may take long */
        run_until_known(&r);
    while (core_of(&r).each_ns >= 50000 && ++n < MOST_TRIES);
    CHECK_MSG(n < MOST_TRIES, "%g ns", core_of(&r).each_ns);
    for (n = 0; absence->after_times > 2 && n < MOST_TRIES; n++) /* it takes part, and that is no trial */
        run(&r);
    CHECK(n < MOST_TRIES);
    close_both(f, &r);
}

int main(void)
{
    (void)unlink(path);
    check_found();
    check_tried_again();
    CHECK(!unlink(path));
    return 0;
}
