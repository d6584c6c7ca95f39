/* SPDX-License-Identifier: MIT */
/* The distance of two clocks, one of which drifts at random: what is said of it is true at each time, and close once some task was
 * quick. Looking back makes it closer. A clock that is set is noticed. */
#include "check.h"
#include "engine/pool/distance.h"

#define N 400u

typedef struct world {
    uint64_t seed, host_ns; /* now */
    double apart;           /* host less GPU, now */
    double drift;           /* parts */
} world;

/* Times of one task, and the true distance when it was seen. */
typedef struct task {
    uint64_t spawned, begin, end, seen;
    int64_t apart;
    hd_distance said;
} task;

static void pass(world *w, uint64_t ns)
{
    w->host_ns += ns;
    w->apart += (double)ns * w->drift;
}

static uint64_t gpu(const world *w) { return (uint64_t)((double)w->host_ns - w->apart); }

static void run(world *w, task *t)
{
    pass(w, check_below(&w->seed, 1000000));
    t->spawned = w->host_ns;
    pass(w, 2000 + check_below(&w->seed, 50000));
    t->begin = gpu(w);
    pass(w, check_below(&w->seed, 10) ? 1000 : 5000000);
    t->end = gpu(w);
    pass(w, 1500 + check_below(&w->seed, 50000));
    t->seen = w->host_ns;
    t->apart = (int64_t)w->apart;
}

/* Whatever is known, a task is shown to begin after it was spawned, and to end before that was seen, but for the drift. */
static void check_causes(const task *t, const char *when)
{
    const uint64_t by = (uint64_t)hd_distance_of(&t->said, t->spawned, t->begin, t->end, t->seen);
    CHECK_MSG(t->begin + by >= t->spawned && t->end + by <= t->seen + (t->seen - t->spawned) / 10000u, "%s", when);
}

static void check(const task *t, uint64_t most_error, const char *when)
{
    const int64_t off = hd_distance_middle(&t->said) - t->apart;
    CHECK_MSG((uint64_t)(off < 0 ? -off : off) <= hd_distance_error(&t->said) + 2, "%s: off by %lld, and said %llu",
              when, (long long)off, (unsigned long long)hd_distance_error(&t->said));
    check_causes(t, when);
    CHECK_MSG(hd_distance_error(&t->said) <= most_error, "%s: %llu", when,
              (unsigned long long)hd_distance_error(&t->said));
}

static void check_drift(uint64_t seed, double drift)
{
    static task tasks[N];
    world w = {seed, 1000000000000u, -1.7e15, drift};
    hd_distance now = {0, 0, 0};
    uint64_t error = 0, error_back = 0;
    uint32_t i;
    for (i = 0; i < N; i++) {
        run(&w, &tasks[i]);
        hd_distance_see(&now, tasks[i].spawned, tasks[i].begin, tasks[i].end, tasks[i].seen);
        tasks[i].said = now;
        check(&tasks[i], i > N / 2 ? 20000 : 60000, "forward");
        error += hd_distance_error(&now);
    }
    for (i = N; i-- > 1;)
        hd_distance_meet(&tasks[i - 1].said, &tasks[i].said);
    for (i = 0; i < N; i++) {
        check(&tasks[i], 30000, "back");
        error_back += hd_distance_error(&tasks[i].said);
    }
    CHECK(error_back < error);
}

/* From one moment to the next the clock is an hour further. */
static void check_set(void)
{
    world w = {3, 1000000000000u, -1.7e15, 0};
    hd_distance now = {0, 0, 0};
    task t;
    uint32_t i;
    for (i = 0; i < 50; i++) {
        if (i == 25)
            w.apart += 3.6e12;
        run(&w, &t);
        hd_distance_see(&now, t.spawned, t.begin, t.end, t.seen);
        t.said = now;
        check(&t, 60000, "set");
    }
}

int main(void)
{
    const uint64_t seed = check_seed(11);
    uint32_t i;
    for (i = 0; i < 50; i++)
        check_drift(seed + i, ((double)i - 25.0) * 3e-6);
    check_set();
    return 0;
}
