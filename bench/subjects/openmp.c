/* SPDX-License-Identifier: MIT */
/* openmp.c - OpenMP tasks with depend clauses: libgomp when compiled by gcc, libomp when compiled by clang.
 *
 * One thread of the team creates all tasks, the others run them from the start. The team lives on between parallel
 * regions, so only the first region starts threads. Places and waiting come from the environment (OMP_..., KMP_...). Up
 * to five inputs are written out, as a programmer would; more come from a list with an iterator. */
#include "subject.h"

#define PRAGMA(text) _Pragma(#text)
#define MAKE(...)                                                                                       \
    PRAGMA(omp task depend(inout : c[0]) __VA_ARGS__ firstprivate(id) default(none) shared(bench_body)) \
    bench_body(id)

static inline void make_task(const shape *s, uint32_t id)
{
    const step *t = s->steps + id;
    const uint32_t *in = s->in + t->first_in;
    const uint64_t *cells = s->cells, *c = cells + t->inout;
    const int n = (int)t->n_in;
    (void)c, (void)n; /* gcc does not count a depend clause as a use */
    switch (n) {
    case 0: MAKE(); break;
    case 1: MAKE(depend(in : cells[in[0]])); break;
    case 2: MAKE(depend(in : cells[in[0]], cells[in[1]])); break;
    case 3: MAKE(depend(in : cells[in[0]], cells[in[1]], cells[in[2]])); break;
    case 4: MAKE(depend(in : cells[in[0]], cells[in[1]], cells[in[2]], cells[in[3]])); break;
    case 5: MAKE(depend(in : cells[in[0]], cells[in[1]], cells[in[2]], cells[in[3]], cells[in[4]])); break;
    default: MAKE(depend(iterator(int i = 0 : n), in : cells[in[i]]));
    }
}

int subject_run(const shape *s, times *out)
{
    uint32_t n = s->n_steps;
    double begin = bench_now();
#pragma omp parallel num_threads(s->n_workers)
#pragma omp single
    for (uint32_t id = 0; id < n; id++)
        make_task(s, id);
    out->total = bench_now() - begin;
    return 0;
}
