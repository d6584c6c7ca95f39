/* SPDX-License-Identifier: MIT */
/* memory.h - memory of GPUs among clients: a state machine like arbiter.h.
 *
 * A client that declared a peak, or is known to have one, is admitted, in order, when the sum of peaks fits. Another one, when an allocation failed, waits
 * while somebody else has memory that may become free. When all with memory wait, and for one another, the youngest is told that there will be none;
 * when all stand in line, the first one is admitted. A client with one thread that waits counts as one that waits: what its other threads do,
 * nobody knows. Accounts of a client are gone when it leaves. */
#ifndef SHARE_MEMORY_H
#define SHARE_MEMORY_H

#include "arbiter.h"

typedef struct share_answer {
    uint32_t client, gpu, seq, said; /* SHARE_MEM_TRY, SHARE_MEM_NEVER */
} share_answer;

typedef enum share_mem_wait { SHARE_MEM_NO_WAIT, SHARE_MEM_LINE, SHARE_MEM_MORE } share_mem_wait;
typedef struct share_memory {
    uint64_t capacity[SHARE_MOST_LINKS];
    struct {
        int is_here, is_known; /* is_known: it declared nothing, its peaks are those of earlier runs */
        uint64_t joined, declared_bytes[SHARE_MOST_LINKS], used_bytes[SHARE_MOST_LINKS];
        uint32_t is_admitted; /* bit set of GPUs */
        uint32_t news;        /* the same: others freed some since the client was last told to try */
        uint32_t patience_ms;
        struct {
            share_mem_wait kind;
            uint32_t seq;
            uint64_t n_bytes, since; /* since: place in the line */
        } waits[SHARE_MOST_LINKS];   /* a thread for each GPU */
    } clients[SHARE_MOST_CLIENTS];
    uint64_t clock;
    share_answer answers[SHARE_MOST_CLIENTS * SHARE_MOST_GPUS * 2];
    uint32_t n_answers;
} share_memory;

void share_memory_init(share_memory *m);
void share_memory_gpu(share_memory *m, uint32_t gpu, uint64_t capacity_bytes);
void share_memory_join(share_memory *m, uint32_t client, uint64_t declared_bytes);
/* Of a client that declared nothing this peak is known. It stands in line, but not for ever: programs that wait for one another, as ranks
 * of MPI, may together have more peaks than there is memory. */
void share_memory_expect(share_memory *m, uint32_t client, uint32_t gpu, uint64_t n_bytes);
/* So long will it stand there while nobody works. */
void share_memory_patience(share_memory *m, uint32_t client, uint32_t ms);
/* Nobody has worked for so long: programs without more patience are admitted. */
void share_memory_idle(share_memory *m, uint64_t ms);
/* What the client has, or its peak where that is more. */
uint64_t share_memory_needed(const share_memory *m, uint32_t client, uint32_t gpu);
/* What is promised, or taken. */
uint64_t share_memory_reserved(const share_memory *m, uint32_t gpu);
void share_memory_leave(share_memory *m, uint32_t client);
/* What the client has; to be told before a decision depends on it. */
void share_memory_used(share_memory *m, uint32_t client, uint32_t gpu, uint64_t n_bytes);
/* For each GPU a client waits once at a time. n_bytes 0: it does not wait any more. is_first: it waits for its peak; without one it need not. */
void share_memory_ask(share_memory *m, uint32_t client, uint32_t gpu, uint32_t seq, uint64_t n_bytes, int is_first);
/* The client freed some. Others that wait for more try again when it is settled, and one that asks later does so at once: it may have been
 * refused before that. */
void share_memory_freed(share_memory *m, uint32_t client, uint32_t gpu);
/* Decides what follows from all that was told. */
void share_memory_settle(share_memory *m);
/* Whether anybody waits for what others may free. */
int share_memory_is_wanted(const share_memory *m);

#endif
