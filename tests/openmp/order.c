/* SPDX-License-Identifier: MIT */
/* order.c - dependences between tasks: random tasks with sections of a few arrays, with barriers and syncs, on CPU
 * threads. A clock records when each task began and ended. A walk over all bytes finds the pairs that must not run
 * together; each such pair must have run in program order. */
#include "openmp/tasks.h"

#include <stdlib.h>

#define N_TASKS 120
#define N_ARRAYS 2
#define MAX_BYTES 2048u
#define MAX_DEPENDS 3u

static heddle_omp_program program = TASKS_PROGRAM;

typedef struct array {
    uint32_t n_dims;
    uint64_t element_bytes;
    int64_t extent[4];
} array;

typedef struct depend {
    uint32_t array;
    heddle_mode mode;
    heddle_omp_dim dims[4];
} depend;

typedef struct task {
    uint64_t begin, end, epoch;
    uint32_t n;
    depend depends[MAX_DEPENDS];
} task;

static array arrays[N_ARRAYS];
static uint8_t memory[N_ARRAYS][MAX_BYTES];
static task made[N_TASKS];
static uint64_t ticks;

static void random_array(array *a, uint64_t *state)
{
    uint32_t d;
    a->n_dims = 1 + (uint32_t)check_below(state, 4);
    a->element_bytes = 1ull << check_below(state, 3);
    for (d = 0; d < a->n_dims; d++)
        a->extent[d] = 1 + (int64_t)check_below(state, a->n_dims == 1 ? 60 : a->n_dims == 2 ? 12 : 4);
}

static depend random_depend(uint64_t *state)
{
    depend p = {.array = (uint32_t)check_below(state, N_ARRAYS), .mode = (heddle_mode)(1 + check_below(state, 3))};
    const array *a = &arrays[p.array];
    uint32_t d;
    for (d = 0; d < a->n_dims; d++) {
        int64_t lower = (int64_t)check_below(state, (uint64_t)a->extent[d]);
        int64_t length = 1 + (int64_t)check_below(state, (uint64_t)(a->extent[d] - lower));
        if (check_below(state, 20) == 0)
            length = 0;
        p.dims[d] = (heddle_omp_dim){lower, length, d ? a->extent[d] : -1};
    }
    return p;
}

/* Sets the section's bytes one by one. Returns 0 if it has none. */
static int bytes_of(const depend *p, uint8_t *bytes)
{
    const array *a = &arrays[p->array];
    int64_t at[4] = {0};
    uint32_t d;
    memset(bytes, 0, MAX_BYTES);
    for (d = 0; d < a->n_dims; d++)
        if (p->dims[d].length <= 0)
            return 0;
    for (;;) {
        int64_t index = 0;
        for (d = 0; d < a->n_dims; d++)
            index = index * a->extent[d] + p->dims[d].lower + at[d];
        memset(bytes + (uint64_t)index * a->element_bytes, 1, a->element_bytes);
        for (d = a->n_dims; d > 0 && ++at[d - 1] == p->dims[d - 1].length; d--)
            at[d - 1] = 0;
        if (d == 0)
            return 1;
    }
}

static uint32_t first_of(const uint8_t *bytes)
{
    uint32_t i = 0;
    while (!bytes[i])
        i++;
    return i;
}

static int conflict(const depend *p, const depend *q)
{
    uint8_t a[MAX_BYTES], b[MAX_BYTES];
    uint32_t i;
    if (p->array != q->array || (p->mode == HEDDLE_MODE_IN && q->mode == HEDDLE_MODE_IN) || !bytes_of(p, a) ||
        !bytes_of(q, b))
        return 0;
    if (program.match == HEDDLE_OMP_START)
        return first_of(a) == first_of(b);
    if (program.match == HEDDLE_OMP_EXACT)
        return !memcmp(a, b, sizeof a);
    for (i = 0; i < MAX_BYTES; i++)
        if (a[i] && b[i])
            return 1;
    return 0;
}

static int ordered(const task *a, const task *b)
{
    uint32_t i, k;
    if (a->epoch != b->epoch)
        return 1;
    for (i = 0; i < a->n; i++)
        for (k = 0; k < b->n; k++)
            if (conflict(&a->depends[i], &b->depends[k]))
                return 1;
    return 0;
}

static void make_task(task *t, uint64_t *state, uint64_t epoch)
{
    uint32_t i;
    *t = (task){.epoch = epoch, .n = (uint32_t)check_below(state, MAX_DEPENDS + 1)};
    *(stamp_args *)heddle_omp_task(task_stamp, (int)check_below(state, 2)) = (stamp_args){&ticks, &t->begin, &t->end};
    for (i = 0; i < t->n; i++) {
        depend *p = &t->depends[i];
        const array *a;
        *p = random_depend(state);
        a = &arrays[p->array];
        if (a->n_dims == 1)
            heddle_omp_depend(p->mode, memory[p->array] + (uint64_t)p->dims[0].lower * a->element_bytes,
                              (uint64_t)p->dims[0].length * a->element_bytes);
        else
            heddle_omp_depend_section(p->mode, memory[p->array], a->element_bytes, a->n_dims, p->dims);
    }
}

static void check_order(void)
{
    uint32_t i, k;
    for (i = 0; i < N_TASKS; i++) {
        CHECK(made[i].begin && made[i].end);
        for (k = i + 1; k < N_TASKS; k++)
            if (ordered(&made[i], &made[k]))
                CHECK_MSG(made[i].end < made[k].begin, "tasks %u and %u ran together", i, k);
    }
}

static void one_region(uint64_t *state)
{
    uint64_t epoch = 0, i, barriers = check_below(state, 2);
    ticks = 0;
    for (i = 0; i < N_ARRAYS; i++)
        random_array(&arrays[i], state);
    heddle_omp_begin(&program, &tasks_place, barriers ? HEDDLE_OMP_BARRIERS : 0, 0);
    for (i = 0; i < N_TASKS; i++) {
        make_task(&made[i], state, epoch);
        if (barriers && check_below(state, 30) == 0) {
            heddle_omp_barrier();
            epoch++;
        }
        if (check_below(state, 60) == 0) {
            heddle_omp_sync();
            epoch++;
        }
    }
    heddle_omp_end();
    check_order();
}

int main(void)
{
    uint64_t state = check_seed(5), i;
    program.backend = HEDDLE_CPU;
    for (i = 0; i < 60; i++) {
        program.match = (heddle_omp_match)(i % 3);
        one_region(&state);
    }
    return 0;
}
