/* SPDX-License-Identifier: MIT */
/* slu_spawn.h - for app slu where tasks make tasks: the words of slu_spawn_record in a context's memory, and what a run
 * has made of them. */
#ifndef SLU_SPAWN_H
#define SLU_SPAWN_H

#include "app.h"
#include "slu_spawn_bodies.h"

typedef struct slu_spawn_state {
    slu_spawn_record record;
    void *memory;
    uint32_t *start, *words; /* host: what is there before a run, and after one                         */
    uint64_t n_words;
} slu_spawn_state;

/* Memory on c->ctx, record filled in for blocks as `blocks` says; all ready for a run after slu_spawn_put. The functions
 * return 0, or -1 with the sentence in c->error. slu_spawn_clear in any case. */
int slu_spawn_new(slu_spawn_state *s, const slu_matrix *m, const slu_record *blocks, app_case *c);
int slu_spawn_put(slu_spawn_state *s, app_case *c);
void slu_spawn_clear(slu_spawn_state *s, heddle_ctx *ctx);

/* As a run leaves it that gives blocks the numbers they have in m. */
int slu_spawn_put_end(slu_spawn_state *s, const slu_matrix *m, app_case *c);
int slu_spawn_get(slu_spawn_state *s, app_case *c); /* brings the words to the host */
/* After that: whether each block that m has is there, no other, and nothing waits any more. */
int slu_spawn_check(const slu_spawn_state *s, const slu_matrix *m, app_case *c);
/* The number that the run gave to block (i, j), or SLU_NONE. */
uint32_t slu_spawn_slot(const slu_spawn_state *s, uint64_t i, uint64_t j);

#endif
