/* SPDX-License-Identifier: MIT */
/* serial.c - no library: calls the bodies in program order. The oracle of the digests, and the lower bound of the cost. */
#include "subject.h"

int subject_run(const shape *s, times *out)
{
    double begin = bench_now();
    for (uint32_t id = 0; id < s->n_steps; id++)
        bench_body(id);
    out->total = bench_now() - begin;
    return 0;
}
