/* SPDX-License-Identifier: MIT */
/* openmp.c - OpenMP tasks with depend clauses: libgomp when compiled by gcc, libomp when compiled by clang.
 *
 * One thread of the team makes all tasks, the others take them from the start on. The team lives on between parallel
 * regions, so only the first region starts threads. Places and waiting come from the environment (OMP_..., KMP_...). */
#include "subject.h"

static inline void make_task(const step *t, const uint64_t *cells, uint32_t id)
{
    const uint64_t *a = cells + t->in[0], *b = cells + t->in[1], *c = cells + t->inout;
    (void)a, (void)b, (void)c; /* gcc does not count a depend clause as a use */
    switch (t->n_in) {
    case 0:
#pragma omp task depend(inout : c[0]) firstprivate(id) default(none) shared(bench_body)
        bench_body(id);
        break;
    case 1:
#pragma omp task depend(in : a[0]) depend(inout : c[0]) firstprivate(id) default(none) shared(bench_body)
        bench_body(id);
        break;
    default:
#pragma omp task depend(in : a[0], b[0]) depend(inout : c[0]) firstprivate(id) default(none) shared(bench_body)
        bench_body(id);
    }
}

int subject_run(const shape *s, times *out)
{
    const step *steps = s->steps;
    const uint64_t *cells = s->cells;
    uint32_t n = s->n_steps;
    double begin = bench_now();
#pragma omp parallel num_threads(s->n_workers)
#pragma omp single
    for (uint32_t id = 0; id < n; id++)
        make_task(steps + id, cells, id);
    out->total = bench_now() - begin;
    return 0;
}
