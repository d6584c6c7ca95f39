/* SPDX-License-Identifier: MIT */
/* profile.c - speeds of wavefronts in a profile file: what one fleet has measured, the next one begins with, for the same kind of field only.
 * A file that says that a unit is slow has it left out of the first run, and of some more. A file of something else is left alone. */
#include "engine/front/front.h"
#include "front/cases.h"
#include "loop/profile_file.h"

#include <string.h>
#include <unistd.h>

static const char path[] = "front_profile.txt";
static const char devices[] = "virtual: virtual:speed=0.9 cpu:1";
enum { N_UNITS = 3 };

static void open_both(heddle_fleet **f, front_rig *r, const front_case *c)
{
    heddle_fleet_config config = HEDDLE_FLEET_INIT;
    config.profile_file = path;
    CHECK_OK(NULL, heddle_fleet_open(f, devices, &config));
    CHECK_OK(NULL, front_open(r, *f, c));
    front_fill(r);
}

static void close_both(heddle_fleet *f, front_rig *r)
{
    front_close(r);
    heddle_fleet_close(f);
}

static heddle_wavefront_unit unit_of(const front_rig *r, uint32_t i)
{
    heddle_wavefront_unit u = HEDDLE_WAVEFRONT_UNIT_INIT;
    CHECK_OK(NULL, heddle_wavefront_get_unit(r->w, i, &u));
    return u;
}

/* Speeds before any run. Returns how many are known. */
static uint32_t known(const front_case *c, double ns[N_UNITS])
{
    heddle_fleet *f;
    front_rig r;
    uint32_t n = 0;
    open_both(&f, &r, c);
    for (uint32_t i = 0; i < N_UNITS; i++) {
        ns[i] = unit_of(&r, i).row_ns;
        n += ns[i] > 0;
    }
    close_both(f, &r);
    return n;
}

/* A first run does not count, so two are needed to learn. */
static void learn(const front_case *c, double ns[N_UNITS])
{
    heddle_fleet *f;
    front_rig r;
    open_both(&f, &r, c);
    for (int i = 0; i < 3; i++)
        CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    for (uint32_t i = 0; i < N_UNITS; i++)
        ns[i] = unit_of(&r, i).row_ns;
    close_both(f, &r);
}

static void check_found(const front_case *c)
{
    double learnt[N_UNITS], found[N_UNITS];
    front_case other = *c;
    CHECK(known(c, found) == 0);
    learn(c, learnt);
    CHECK_MSG(known(c, found) == N_UNITS, "%g, %g, %g ns", found[0], found[1], found[2]);
    for (uint32_t i = 0; i < N_UNITS; i++)
        CHECK_MSG(found[i] > learnt[i] * 0.999 && found[i] < learnt[i] * 1.001, "unit %u: %g ns, not %g", i, found[i],
                  learnt[i]);
    other.seed++; /* other numbers, the same kind of field */
    CHECK(known(&other, found) == N_UNITS);
    other.rows++;
    other.cols++;
    CHECK(known(&other, found) == 0);
    other = *c;
    other.keeps = 1;
    CHECK(known(&other, found) == 0);
}

/* Of two devices one is told to be a thousand times as slow as the other, and the core, too. */
static void check_used(const front_case *c)
{
    heddle_fleet *f;
    front_rig r;
    profile_say(path, "virtual speed=1", "sweeps=0", "1000 ns a unit");
    profile_say(path, "virtual speed=0.9", "sweeps=0", "1000000 ns a unit");
    profile_say(path, "cpu:1", "sweeps=0", "1000000 ns a unit");
    open_both(&f, &r, c);
    CHECK_OK(NULL, heddle_wavefront_run(r.w, &r.params, sizeof r.params));
    CHECK(!unit_of(&r, 0).is_left_out && unit_of(&r, 1).is_left_out && unit_of(&r, 2).is_left_out);
    CHECK(unit_of(&r, 0).n_rows == c->rows);
    front_compare(front_plain(c), front_take(&r), c, "with a profile");
    close_both(f, &r);
}

/* One that was twenty times as slow as its weight says is forgotten after 2000 runs without it. One that never was tried stays left out. */
static void check_again(void)
{
    hd_site sites[3] = {{.weight = 10, .row_ns = 1000}, {.weight = 5, .row_ns = 40000}, {.weight = 1}};
    uint32_t order[3] = {0, 1, 2}, n = 0;
    heddle_wavefront w = {.n_sites = 3, .sites = sites, .order = order};
    w.desc.split = HEDDLE_SPLIT_CUT;
    do {
        hd_front_order(&w);
        hd_front_leave_out(&w);
        CHECK(!sites[0].is_left_out && sites[2].is_left_out && sites[0].row_ns == 1000.0);
    } while (sites[1].is_left_out && ++n < 5000);
    CHECK_MSG(n == 2000 && !(sites[1].row_ns > 0), "left out for %u runs", n);
    sites[1].row_ns = 2500; /* as it is */
    hd_front_leave_out(&w);
    CHECK(!sites[1].is_left_out && !sites[1].n_missed);
}

static void check_foreign(const front_case *c)
{
    static const char text[] = "not a profile\n";
    char got[64] = "";
    double ns[N_UNITS];
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
    learn(c, ns);
    CHECK(known(c, ns) == 0);
    file = fopen(path, "r");
    CHECK(file && fgets(got, sizeof got, file) && !strcmp(got, text) && !fclose(file));
}

int main(void)
{
    const front_case c = {
        .body = front_best, .rows = 200, .cols = 960, .seed = 3, .split = HEDDLE_SPLIT_STATIC, .fail_row = UINT32_MAX};
    front_case by_speed = c;
    by_speed.split = HEDDLE_SPLIT_CUT;
    (void)unlink(path);
    check_found(&c);
    check_used(&by_speed);
    check_again();
    check_foreign(&c);
    CHECK(!unlink(path));
    return 0;
}
