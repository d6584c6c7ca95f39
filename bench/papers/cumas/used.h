/* SPDX-License-Identifier: MIT */
/* used.h - when a GPU had kernels and copies out, by the trace of heddle share's daemon (tools/share/trace.h). Of kernels it has the times from a
 * program's first launch until they had ended: then the GPU is in use, also where programs share it by turns. Of a program that had more than
 * 64 tasks it has those of one in 10 ms. Copies out are those that asked for the link, of 1 MiB and more. */
#ifndef CUMAS_USED_H
#define CUMAS_USED_H

#include <stddef.h>

typedef enum used_row { USED_KERNELS, USED_OUT, USED_N_ROWS } used_row;
typedef struct used_span {
    double begin_ms, end_ms; /* on the machine's clock */
} used_span;
typedef struct used {
    used_span *spans[USED_N_ROWS]; /* by their begin */
    size_t n[USED_N_ROWS];
} used;

/* 0, or -1: it is no such trace, or there is no memory. used_free must follow in both cases. */
int used_read(used *u, const char *trace);
void used_free(used *u);
/* How long there was none between the first and the last one of those that began from `from` to before `to`. Negative: none did. */
double used_idle_ms(const used *u, used_row row, double from_ms, double to_ms);

#endif
