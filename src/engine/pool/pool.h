/* SPDX-License-Identifier: MIT */
/* pool.h - what the files of this folder share: the host's side of a pool (core/pool.h has the workers').
 *
 * Slots are dealt out to posts. A spawning thread uses one post, so that several threads seldom meet. A slot is in a list of
 * free ones, or it has a task: then it is free again when the task has ended, its end was seen, and no unfinished task names
 * it. A post's lock guards its slots; their generation is also read without it. */
#ifndef HD_POOL_H
#define HD_POOL_H

#include "graph/dump.h"
#include "heddle/core/send.h"
#include "heddle/pool.h"
#include "run/run.h"

#define HD_POSTS 8u

/* slot.flags */
#define HD_SLOT_BUSY 1u   /* it has a task */
#define HD_SLOT_HANDLE 2u /* with a handle */
#define HD_SLOT_NOTIFY 4u
#define HD_SLOT_SEEN 8u   /* its end was seen; another task may still name it */
#define HD_SLOT_ODD 16u   /* its epoch */
#define HD_SLOT_WATCH 32u /* the keeper looks for its end, or its limit */

/* What the host knows of a slot. */
typedef struct hd_slot {
    uint32_t generation; /* atomic: of its task, or of the next one */
    uint32_t flags, body, time_limit_ms;
    uint32_t refs;    /* atomic: unfinished tasks that name it in `after` */
    uint32_t n_after; /* its handles are in hd_afters */
    uint32_t next;    /* in the list of free slots */
    uint32_t pad;
    uint64_t user;
} hd_slot;

typedef struct hd_post {
    pthread_mutex_t mutex;
    uint32_t first, n; /* its slots */
    uint32_t free, n_used, most_used;
    uint32_t scan;         /* the slot at which the search for ended tasks goes on */
    uint32_t n_spawned[2]; /* atomic, by epoch, modulo 2^32 */
    uint64_t n_spawned_all, n_ended, n_failed, n_canceled;
    uint8_t pad[2 * HD_LINE];
} hd_post;

typedef struct hd_afters {
    heddle_handle handle[HEDDLE_POOL_MOST_AFTER];
} hd_afters;

struct heddle_pool {
    heddle_ctx *ctx;
    heddle_graph *graph; /* empty: the table, and the context's list */
    heddle_pool_config config;
    hd_loaded *loaded;
    const hd_backend *backend;
    const hd_pool *words;
    void *params;
    uint64_t params_bytes; /* allocated */
    hd_slot *slots;
    hd_afters *afters;
    struct hd_pool_trace *trace; /* trace.h; NULL: it is not traced */
    uint32_t n_slots, n_posts;
    hd_post posts[HD_POSTS];
    uint32_t epoch;        /* changes under all locks of posts */
    pthread_mutex_t grace; /* one heddle_pool_wait_all at a time */
    /* the last bad end that nobody asked for: */
    pthread_mutex_t bad_mutex;
    heddle_status bad;
    hd_error bad_text;
    uint64_t n_full, full_ns; /* atomic */
    /* hearing of ends (news.c): */
    pthread_mutex_t news; /* guards news_at, fd, is_signalled */
    uint32_t news_at;
    int fd, is_signalled;
    /* the keeper, a thread (keeper.c): */
    pthread_mutex_t keeper_mutex; /* guards the fields below */
    pthread_cond_t keeper_wanted;
    pthread_t keeper;
    int has_keeper, keeper_ends;
    uint64_t n_watched;      /* unfinished tasks with HD_SLOT_WATCH */
    pthread_mutex_t calling; /* held while fn runs */
    heddle_pool_done_fn fn;
    void *arg;
};

static inline uint32_t hd_slot_generation(const hd_slot *s)
{
    return __atomic_load_n(&s->generation, __ATOMIC_ACQUIRE);
}
static inline heddle_handle hd_slot_handle(const hd_slot *s, uint32_t i) { return (uint64_t)s->generation << 32 | i; }
static inline hd_post *hd_post_of(heddle_pool *p, uint32_t slot) { return &p->posts[slot / (p->n_slots / p->n_posts)]; }
/* The told word of slot i if it is about generation g: how its task has ended, HD_TOLD_LATE, or 0. Acquires what it wrote. */
static inline uint32_t hd_slot_how(const heddle_pool *p, uint32_t i, uint32_t g)
{
    const uint32_t v = HD_LOAD(&p->words->told[i].state, ACQUIRE, SYS);
    return v >> HD_TOLD_BITS == g ? v & HD_TOLD_HOW : 0u;
}
static inline int hd_is_end(uint32_t how) { return how != 0u && how != HD_TOLD_LATE; }

/* pool.c */
/* May this thread call the pool? EINVAL inside a body of the context, EDEVICE. */
heddle_status hd_pool_usable(const heddle_pool *p, const char *call);
/* Nothing runs any more: EDEVICE, or ENOMEM for a full arena, with a sentence. Looks at the backend, so not at each poll. */
heddle_status hd_pool_runs(heddle_pool *p);
/* Rests a little; the longer the caller has waited since then, the longer. */
void hd_pool_rest(uint64_t since_ns);

/* trace.c. The second and third only if p->trace, with the lock of the slot's post: a task gets slot i; its end was seen. */
heddle_status hd_trace_new(heddle_pool *p);
void hd_trace_spawned(heddle_pool *p, uint32_t i, const heddle_pool_task *task);
void hd_trace_ended(heddle_pool *p, uint32_t i, heddle_status status, uint32_t code);
void hd_trace_stats(heddle_pool *p, heddle_pool_stats *out);
void hd_trace_delete(heddle_pool *p);

/* slots.c. The caller holds the post's lock. */
/* A free slot, or HD_NONE. */
uint32_t hd_slot_take(heddle_pool *p, hd_post *post);
/* The end of the task in slot i was seen; `asked`: by a call that wants to know it. */
void hd_slot_see(heddle_pool *p, hd_post *post, uint32_t i, int asked);
/* Fills in the end of slot i's task, and this thread's sentence. */
heddle_status hd_slot_end(heddle_pool *p, uint32_t i, heddle_pool_end *end);

/* keeper.c */
heddle_status hd_keeper_start(heddle_pool *p);
void hd_keeper_stop(heddle_pool *p);
/* The number of watched tasks changes. */
void hd_keeper_count(heddle_pool *p, int by);

/* news.c: takes the next end; 0: there is none. The caller holds p->news. */
int hd_news_take(heddle_pool *p, heddle_pool_end *out);
int hd_news_is_there(const heddle_pool *p);
/* Makes the descriptor readable, or not. The caller holds p->news. */
void hd_news_signal(heddle_pool *p);

#endif
