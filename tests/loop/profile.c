/* SPDX-License-Identifier: MIT */
/* profile.c - speeds of loops in a profile file: what one fleet has measured, the next one begins with. A file that says that cores are
 * slow has them left out, and they are tried again after a while: neither a file nor a slice that was interrupted is believed for ever. */
#include "engine/loop/fleet.h"
#include "loop/cases.h"

#include <unistd.h>

#define MOST_TRIES 1000

static const char path[] = "loop_profile.txt";
static const looped_case the_case = {looped_turn, 530000, 0, 100, 1, HEDDLE_SPLIT_CUT, 5};

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

/* Says in the file that the device takes so long for a tile. */
static void say(const char *device, const char *ns)
{
    char line[512];
    FILE *from = fopen(path, "r"), *to = fopen("loop_profile.new", "w");
    uint32_t n_said = 0;
    CHECK(from && to);
    while (fgets(line, sizeof line, from)) {
        char *text = strstr(line, device) ? strstr(line, " by 0\t") : NULL;
        if (text) {
            n_said++;
            (void)sprintf(text, " by 0\t0 ns and %s ns a tile\t1\n", ns);
        }
        (void)fputs(line, to);
    }
    CHECK(!fclose(from) && !fclose(to) && !rename("loop_profile.new", path));
    CHECK_MSG(n_said == 1, "%u lines of %s", n_said, device);
}

static int run_without_core(looped_rig *r)
{
    run(r);
    return core_of(r).is_left_out && !core_of(r).n_slices;
}

/* 0: the core took part in one of the first two runs, since it woke long before the other unit. */
static int is_tried_again(void)
{
    looped_rig r;
    heddle_fleet *f = open_fleet(&r);
    const hd_split_model *core = &r.loop->models[hd_unit_at(f, 1)->kind];
    double *idle_ns = &r.loop->idle_ns[hd_unit_at(f, 1)->kind];
    int is_out = run_without_core(&r);
    if (is_out) {
        CHECK(core->n_seen && *idle_ns == (double)r.loop->time_ns);
        *idle_ns = 1e12; /* a thousand seconds of such runs */
        is_out = run_without_core(&r);
    }
    if (is_out) {
        CHECK(!core->n_seen && *idle_ns == 0);
        run_until_known(&r);
        CHECK_MSG(core_of(&r).each_ns < 50000, "%g ns", core_of(&r).each_ns);
    }
    close_both(f, &r);
    return is_out;
}

static void check_tried_again(void)
{
    int n = 0;
    do {
        say("virtual", "100");
        say("core", "5000000");
    } while (!is_tried_again() && ++n < MOST_TRIES);
    CHECK(n < MOST_TRIES);
}

int main(void)
{
    (void)unlink(path);
    check_found();
    check_tried_again();
    CHECK(!unlink(path));
    return 0;
}
