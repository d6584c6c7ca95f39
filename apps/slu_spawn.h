/* SPDX-License-Identifier: MIT */
/* slu_spawn.h - for app slu with tasks that spawn tasks: the words of slu_spawn_record in a context's memory, before
 * and after a run. */
#ifndef SLU_SPAWN_H
#define SLU_SPAWN_H

#include "app.h"
#include "slu_spawn_bodies.h"

typedef struct slu_spawn_state {
    slu_spawn_record record;
    void *memory;
    uint32_t *start, *words; /* host: the words before a run, and after one */
    uint64_t n_words;
} slu_spawn_state;

/* Allocates on c->ctx and fills in the record; `blocks` describes the blocks. slu_spawn_put makes it ready for a run.
 * The functions return 0, or -1 with the sentence in c->error. slu_spawn_clear in any case. */
int slu_spawn_new(slu_spawn_state *s, const slu_matrix *m, const slu_record *blocks, app_case *c);
int slu_spawn_put(slu_spawn_state *s, app_case *c);
void slu_spawn_clear(slu_spawn_state *s, heddle_ctx *ctx);

/* Puts the words as a run leaves them that numbers blocks as m does. */
int slu_spawn_put_end(slu_spawn_state *s, const slu_matrix *m, app_case *c);
int slu_spawn_get(slu_spawn_state *s, app_case *c); /* copies the words to the host */
/* After that: whether the run made exactly the blocks of m, and nothing waits any more. */
int slu_spawn_check(const slu_spawn_state *s, const slu_matrix *m, app_case *c);
/* The number that the run gave to block (i, j), or SLU_NONE. */
uint32_t slu_spawn_slot(const slu_spawn_state *s, uint64_t i, uint64_t j);

#endif
