/* SPDX-License-Identifier: MIT */
/* openmp_task.c - the macros of heddle/openmp_task.h: loops visit each iteration once for every number of threads, and
 * one thread knows that it had the last. Reductions, critical and atomics run on real threads. openmp_task_flat.c is
 * the same with loops divided as on a GPU. */
#include "check.h"
#include "heddle/openmp_task.h"

#include <pthread.h>

/* ---- loops: threads one after the other -------------------------------------------------------------------------- */

#define MOST 400
static int met[MOST], n_last;

/* Values of a loop's variable, as C has them. */
typedef struct bounds {
    int a, b, s;
} bounds;
static int trips(bounds x) { return x.a < x.b ? (x.b - x.a + x.s - 1) / x.s : 0; }

static void expect(int n, const char *what, uint32_t count)
{
    for (int i = 0; i < MOST; i++) {
        CHECK_MSG(met[i] == (i < n), "%s, %u threads: iteration %d of %d was run %d times", what, count, i, n, met[i]);
        met[i] = 0;
    }
    CHECK_MSG(n_last == (n > 0), "%s, %u threads, %d iterations: %d threads had the last", what, count, n, n_last);
    n_last = 0;
}

/* The thread that claims the last iteration must have had it. */
static void note_last(int says, int had)
{
    n_last += says;
    CHECK(!says || had);
}

static void try_one(uint32_t count, bounds x)
{
    for (uint32_t index = 0; index < count; index++) {
        const heddle_thread l = {index, count, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 1, 1}, *hd_thread = &l;
        int had = 0;
        HEDDLE_OMP_FOR(int, i, x.a, x.b, x.s) { met[(i - x.a) / x.s]++, had |= i + x.s >= x.b; }
        note_last(HEDDLE_OMP_HAS_LAST(HEDDLE_OMP_TRIPS(x.a, x.b, x.s), 1), had);
    }
    expect(trips(x), "for", count);
    for (uint32_t index = 0; index < count; index++) {
        const heddle_thread l = {index, count, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 1, 1}, *hd_thread = &l;
        int had = 0;
        HEDDLE_OMP_DOWN(int64_t, i, -x.a, -x.b, x.s) { met[(-x.a - i) / x.s]++, had |= i - x.s <= -x.b; }
        note_last(HEDDLE_OMP_HAS_LAST(HEDDLE_OMP_TRIPS(-x.b, -x.a, x.s), 1), had);
    }
    expect(trips(x), "down", count);
}

static void try_two(uint32_t count, bounds x, bounds y)
{
    int n = trips(x) * trips(y);
    for (uint32_t index = 0; index < count; index++) {
        const heddle_thread l = {index, count, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 1, 1}, *hd_thread = &l;
        int had = 0;
        HEDDLE_OMP_FOR2(32, int, i, x.a, x.b, x.s, unsigned, j, (unsigned)y.a, (unsigned)y.b, y.s)
        {
            int k = (i - x.a) / x.s * trips(y) + ((int)j - y.a) / y.s;
            met[k]++;
            had |= k + 1 == n;
        }
        note_last(HEDDLE_OMP_HAS_LAST(HEDDLE_OMP_TRIPS(x.a, x.b, x.s), HEDDLE_OMP_TRIPS(y.a, y.b, y.s)), had);
    }
    expect(n, "for of two", count);
}

static void try_three(uint32_t count, bounds x, bounds y, bounds z)
{
    int n = trips(x) * trips(y) * trips(z);
    for (uint32_t index = 0; index < count; index++) {
        const heddle_thread l = {index, count, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 1, 1}, *hd_thread = &l;
        int had = 0;
        HEDDLE_OMP_FOR3(64, long, i, x.a, x.b, x.s, int, j, y.a, y.b, y.s, long, k, z.a, z.b, z.s)
        {
            int at = ((int)(i - x.a) / x.s * trips(y) + (j - y.a) / y.s) * trips(z) + (int)(k - z.a) / z.s;
            if (at % 2)
                continue; /* ends this iteration and no other */
            met[at]++;
            had |= at + 1 >= n - 1;
        }
        HEDDLE_OMP_FOR3(32, int, i, x.a, x.b, x.s, int, j, y.a, y.b, y.s, int, k, z.a, z.b, z.s)
        {
            int at = ((i - x.a) / x.s * trips(y) + (j - y.a) / y.s) * trips(z) + (k - z.a) / z.s;
            met[at] += at % 2;
            had |= at + 1 == n;
        }
        note_last(HEDDLE_OMP_HAS_LAST(HEDDLE_OMP_TRIPS(x.a, x.b, x.s),
                                      HEDDLE_OMP_TRIPS(y.a, y.b, y.s) * HEDDLE_OMP_TRIPS(z.a, z.b, z.s)),
                  had);
    }
    expect(n, "for of three", count);
}

static void test_loops(void)
{
    static const bounds some[] = {{0, 0, 1}, {5, 2, 1}, {0, 1, 1}, {3, 10, 1}, {-4, 9, 3}, {2, 71, 1}, {0, 20, 7}};
    enum { N = sizeof some / sizeof *some };
    for (uint32_t count = 1; count <= 70; count++)
        for (int x = 0; x < N; x++) {
            try_one(count, some[x]);
            for (int y = 0; y < N; y++) {
                if (trips(some[x]) * trips(some[y]) <= MOST && some[y].a >= 0)
                    try_two(count, some[x], some[y]);
                for (int z = 0; z < N; z++)
                    if (trips(some[x]) * trips(some[y]) * trips(some[z]) <= MOST && count % 7 < 2)
                        try_three(count, some[x], some[y], some[z]);
            }
        }
    CHECK(heddle_omp_trips(INT64_MIN / 2, INT64_MAX / 2, 1) == INT64_MAX);
    CHECK(heddle_omp_trips(0, 10, 3) == 4 && heddle_omp_trips(0, 9, 3) == 3 && heddle_omp_trips(1, 1, 5) == 0);
}

/* ---- real threads ------------------------------------------------------------------------------------------------ */

typedef struct block {
    hd_emulated_team team; /* must be the first member */
    pthread_barrier_t barrier;
    char shared[HEDDLE_REDUCE_BYTES];
    uint32_t count;
    uint32_t lock;
    int counted;
    int32_t i;
    uint64_t u;
    float f;
    double d, product;
    int32_t tickets[256];
} block;

typedef struct thread {
    pthread_t id;
    block *b;
    uint32_t index;
    void (*run)(const heddle_thread *hd_thread, block *b);
} thread;

static void meet(hd_emulated_team *team, uint32_t thread)
{
    (void)thread;
    pthread_barrier_wait(&((block *)(void *)team)->barrier);
}

static void *thread_main(void *arg)
{
    thread *t = arg;
    heddle_thread l = {
        t->index, t->b->count, 0, 0, t->b->shared, NULL, t->b->count > 1 ? &t->b->team : NULL, NULL, NULL, 0,
        NULL,     0,           1, 1};
    t->run(&l, t->b);
    return NULL;
}

static void run_threads(uint32_t count, block *b, void (*run)(const heddle_thread *, block *))
{
    static thread threads[256];
    memset(b, 0, sizeof *b);
    b->team.barrier = meet;
    b->count = count;
    b->product = 1;
    pthread_barrier_init(&b->barrier, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = (thread){0, b, i, run};
        CHECK(!pthread_create(&threads[i].id, NULL, thread_main, &threads[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i].id, NULL);
    pthread_barrier_destroy(&b->barrier);
}

static void reduce(const heddle_thread *hd_thread, block *b)
{
    int64_t n = hd_thread->team_size, own = hd_thread->index;
    (void)b;
    for (int round = 0; round < 3; round++) {
        double sum = (double)own + round;
        int8_t small = (int8_t)(own % 100), any = own == n - 1, all = own != n / 2;
        uint32_t least = (uint32_t)(n - own), bits = 1u << own % 32;
        float most = (float)own;
        int64_t product = own % 16 == 1 ? 2 : 1;
        HEDDLE_OMP_REDUCE(double, sum, hd_a + hd_b);
        HEDDLE_OMP_REDUCE(int8_t, small, hd_b > hd_a ? hd_b : hd_a);
        HEDDLE_OMP_REDUCE(uint32_t, least, hd_b < hd_a ? hd_b : hd_a);
        HEDDLE_OMP_REDUCE(uint32_t, bits, hd_a | hd_b);
        HEDDLE_OMP_REDUCE(float, most, hd_b > hd_a ? hd_b : hd_a);
        HEDDLE_OMP_REDUCE(int64_t, product, hd_a * hd_b);
        HEDDLE_OMP_REDUCE(int8_t, any, hd_a || hd_b);
        HEDDLE_OMP_REDUCE(int8_t, all, hd_a && hd_b);
        CHECK_MSG(sum == (double)(n * (n - 1) / 2 + n * round), "%g of %d threads", sum, (int)n);
        CHECK(small == (n > 100 ? 99 : n - 1) && least == 1 && most == (float)(n - 1) && any && !all);
        CHECK(bits == (n >= 32 ? UINT32_MAX : (1u << n) - 1u));
        CHECK(product == (int64_t)1 << (n + 14) / 16);
    }
}

static void one_at_a_time(const heddle_thread *hd_thread, block *b)
{
    for (int k = 0; k < 20; k++) {
        HEDDLE_OMP_CRITICAL(&b->lock) b->counted++;
    }
    heddle_team_barrier(hd_thread);
    CHECK(b->counted == 20 * (int)b->count);
    heddle_team_barrier(hd_thread);
    HEDDLE_OMP_ONE b->counted = -1;
    heddle_team_barrier(hd_thread);
    HEDDLE_OMP_SECTION(1u) CHECK(hd_thread->index == 1 % hd_thread->team_size && b->counted == -1);
}

static void count_atomically(const heddle_thread *hd_thread, block *b)
{
    int n = (int)hd_thread->team_size;
    int32_t ticket, was;
    for (int k = 0; k < 10; k++) {
        heddle_omp_add_32((uint32_t *)&b->i, (uint32_t)-3, 0);
        heddle_omp_or_64(&b->u, (uint64_t)1 << hd_thread->index % 64, 1);
        heddle_omp_add_f32(&b->f, 0.5f, 0);
        heddle_omp_add_f64(&b->d, 0.25, 1);
    }
    HEDDLE_OMP_UPDATE(double, 64, &b->product, hd_old *(hd_thread->index % 8 ? 1 : 2), (void)0, 0);
    HEDDLE_OMP_UPDATE(int, 32, &b->counted, hd_old + 1, ticket = hd_new, 0);
    HEDDLE_OMP_WRITE(int32_t, 32, &b->tickets[ticket - 1], ticket, 0);
    heddle_team_barrier(hd_thread);
    HEDDLE_OMP_READ(int32_t, 32, &b->tickets[n - 1], was, 1);
    CHECK(was == n && b->i == -30 * n && b->f == 5.0f * (float)n && b->d == 2.5 * n);
    CHECK(b->u == (n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1u));
    CHECK(b->product == (double)((uint64_t)1 << (n + 7) / 8));
}

static void test_teams(void)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 32, 33, 70, 129, 200};
    static block b;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        run_threads(counts[i], &b, reduce);
        run_threads(counts[i], &b, one_at_a_time);
        run_threads(counts[i], &b, count_atomically);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void test_stack(void)
{
    static char memory[3 * 1024];
    const heddle_omp_params params = {memory, 1024, NULL, 3};
    heddle_thread thread = {5, 8, 2, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 1, 1},
                  worker = heddle_omp_worker(&thread, &params), next = thread;
    char *top = heddle_omp_stack(&thread, &params), *first = heddle_omp_push(&thread, &params, &top, 17), *own, *end;
    CHECK(first == memory + 2048 && top == first + 32);
    CHECK((char *)heddle_omp_push(&thread, &params, &top, 480) == first + 32 && top == memory + 2048 + 512);
    CHECK(worker.index == 2 && worker.team_size == 3);
    own = end = heddle_omp_slice(&thread, &params);
    CHECK((char *)heddle_omp_push(&thread, &params, &end, heddle_omp_slice_bytes(&thread, &params)) == own &&
          own > top);
    next.index = 6;
    CHECK(end == heddle_omp_slice(&next, &params) && end > own);
    next.index = 7;
    CHECK(heddle_omp_slice(&next, &params) + heddle_omp_slice_bytes(&next, &params) <= memory + sizeof memory);
}

int main(void)
{
    test_loops();
    test_teams();
    test_stack();
    CHECK(heddle_omp_seconds() > 0);
    return 0;
}
