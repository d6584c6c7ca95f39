/* SPDX-License-Identifier: MIT */
/* measured.c - a case of the figures of MESI-CUDA's scheduling on the GPUs of this machine, or on the devices that are asked for. Unequal
 * pairs are a GPU and a part of another one. One GPU alone has parts of itself as devices, which share its memory and its link. */
#include "by_hand.h"
#include "mesi.h"

#include <inttypes.h>
#include <string.h>

#define EP_CLASS_D (UINT64_C(1) << 36) /* pairs */
#define COUNT(a) (sizeof(a) / sizeof *(a))

#define PLACE(name, n, devices, least, most, n_whole, is_alone)              \
    {                                                                        \
        {name, n, {{0}}, 0, 0, {0}}, devices, least, most, n_whole, is_alone \
    }
#define MANY UINT32_MAX
static const mesi_place places[] = {
    PLACE("1 GPU", 1, "cuda:0", 1, MANY, 1, 0),
    PLACE("2 GPUs", 2, "cuda:0 cuda:1", 2, MANY, 2, 0),
    PLACE("4 GPUs", 4, "cuda:0 cuda:1 cuda:2 cuda:3", 4, MANY, 4, 0),
    PLACE("1 + 1/2", 2, "cuda:0 cuda:1/2", 2, MANY, 0, 0),
    PLACE("1/2 alone", 1, "cuda:1/2", 2, MANY, 0, 1),
    PLACE("1 + 1/4", 2, "cuda:0 cuda:1/4", 2, MANY, 0, 0),
    PLACE("1/4 alone", 1, "cuda:1/4", 2, MANY, 0, 1),
    PLACE("2 quarters of 1 GPU", 2, "2*cuda:0/4", 1, 1, 0, 0),
    PLACE("4 quarters of 1 GPU", 4, "4*cuda:0/4", 1, 1, 1, 0),
    PLACE("1/2 + 1/4 of 1 GPU", 2, "cuda:0/2 cuda:0/4", 1, 1, 0, 0),
    PLACE("1/2 of 1 GPU alone", 1, "cuda:0/2", 1, 1, 0, 1),
    PLACE("1/4 of 1 GPU alone", 1, "cuda:0/4", 1, 1, 0, 1),
    PLACE("1/2 + 1/8 of 1 GPU", 2, "cuda:0/2 cuda:0/8", 1, 1, 0, 0),
    PLACE("1/8 of 1 GPU alone", 1, "cuda:0/8", 1, 1, 0, 1),
};

size_t mesi_places(const mesi_ask *a, mesi_place out[MESI_MOST_PLACES])
{
    const uint32_t n_gpus = by_hand_gpus();
    size_t n = 0;
    if (a->devices) {
        out[0] = (mesi_place)PLACE(a->devices, mesi_n_devices(a->devices), a->devices, 0, MANY, 0, 0);
        return 1;
    }
    for (size_t i = 0; i < COUNT(places); i++)
        if (places[i].most_gpus >= n_gpus && (n_gpus || places[i].most_gpus == MANY))
            out[n++] = places[i];
    return n;
}

uint64_t mesi_measured_n(const mesi_ask *a, const mesi_case *c)
{
    return a->o->request.n[0] ? a->o->request.n[0] : c->app == HEDDLE_SIMULATED_JOB_EP ? EP_CLASS_D : c->n;
}

/* ---- the case ---- */

void mesi_subject_free(mesi_subject *s)
{
    if (s->c)
        s->c->app->free(s->c);
    s->c = NULL;
}

/* The paper's job is the whole product of matrices of int32. Without a number of tasks it is cut into panels, as suits. */
static int prepare(mesi_subject *s, const mesi_case *c)
{
    const int is_matmul = c->app == HEDDLE_SIMULATED_JOB_MATMUL, is_whole = is_matmul && c->way.n_tasks;
    const app *a = app_find(heddle_simulated_job_name(c->app));
    char steps[16];
    const app_pair product[] = {{"type", "int32"}, {"parts", is_whole ? "1" : "0"}}, chip[] = {{"steps", steps}};
    app_request q = {.n = {c->n, c->app == HEDDLE_SIMULATED_JOB_EP ? 0 : c->n}};
    if (s->c && s->is_whole == is_whole)
        return 0;
    mesi_subject_free(s);
    snprintf(steps, sizeof steps, "%" PRIu32, c->n_steps);
    q.opts = is_matmul ? product : chip;
    q.n_opts = is_matmul ? COUNT(product) : c->app == HEDDLE_SIMULATED_JOB_HOTSPOT ? COUNT(chip) : 0;
    s->c = app_new(a, app_scenario_of(a, app_jobs.name), &q, s->why);
    s->is_whole = is_whole;
    return s->c ? 0 : -1;
}

/* As many as there are tiles by the first index; each in some by the second one, if these are not enough. */
static void set_tasks(app_case *c, uint32_t n_tasks)
{
    const uint64_t tiles = c->b[0] ? (c->n[0] + c->b[0] - 1) / c->b[0] : UINT64_MAX;
    c->spawning.n_tasks = n_tasks;
    if (n_tasks > tiles) {
        c->spawning.n_tasks = tiles;
        c->spawning.n_tasks_2 = (uint32_t)((n_tasks + tiles - 1) / tiles);
    }
}

/* Between two jobs all data goes home, and no device keeps any. What fails here fails again at the next start. */
static void forget(app_case *c, uint64_t run)
{
    const app_looping *l = c->looping;
    for (uint32_t i = 0; run && i < l->form.n_rows; i++) {
        const uint64_t n = l->form.rows[i].n_rows;
        if (heddle_array_fetch(l->arrays[i], 0, n) == HEDDLE_OK)
            (void)heddle_array_wrote(l->arrays[i], 0, n);
    }
}

static int time_jobs(mesi_ask *a, app_case *c, const mesi_case *m, const char *devices, mesi_times *t)
{
    set_tasks(c, mesi_tasks(m));
    c->spawning.map = m->way.map;
    if (mesi_open(a, c, app_jobs.name, devices))
        return -1;
    if (!m->way.keeps)
        c->looping->form.turn = forget;
    return mesi_time_jobs(a, c, 0, t);
}

static double work_of(const mesi_case *c)
{
    const double n = (double)c->n;
    return c->app == HEDDLE_SIMULATED_JOB_MATMUL    ? n * n * n
           : c->app == HEDDLE_SIMULATED_JOB_HOTSPOT ? n * n * c->n_steps
                                                    : n;
}

void mesi_measure_rate(mesi_ask *a, mesi_subject *s, const mesi_case *c)
{
    mesi_program p = {.n_gpus = 1};
    mesi_times t = {.n = 0};
    if (a->devices || !by_hand_gpus() || prepare(s, c))
        return;
    if (!mesi_time_program(a, s->c, &p, &t))
        s->rate = work_of(c) / figure_middle(t.compute_ms, t.n) * 1e-6;
    mesi_program_close(&p);
    mesi_close(s->c);
}

int mesi_measure(mesi_ask *a, mesi_subject *s, const mesi_case *c, const mesi_place *p, mesi_result *out)
{
    const mesi_gpus gpus = {p->n_whole, p->machine.n_gpus, s->rate, 0};
    mesi_times t = {.n = 0};
    int failed;
    if (prepare(s, c))
        return -1;
    failed = time_jobs(a, s->c, c, p->devices, &t);
    memcpy(s->why, s->c->error, sizeof s->why);
    mesi_close(s->c);
    if (failed)
        return failed;
    *out = (mesi_result){.ms = figure_middle(t.total_ms, t.n),
                         .bound_ms = mesi_bound_ms(a, c, &gpus),
                         .links = t.links,
                         .over_model = mesi_over_model(c, &t.links, 1),
                         .source = "measured"};
    return 0;
}
