/* SPDX-License-Identifier: MIT */
/* pool.h - what the files of this folder share: the host's side of a pool (core/pool.h has the workers').
 *
 * Slots are dealt out to posts. A spawning thread uses one post, so that several threads seldom meet. A slot is in a list of
 * free ones, or it has a task: then it is free again when the task has ended, its end was seen, and no unfinished task names
 * it. A post's lock guards its slots; their generation is also read without it.
 *
 * A slot has a mark, a word in an array of its own: the generation of its task, or of its last one, and in the bits where a told word
 * says how the task has ended, what shall become of the slot. Most tasks have no handle and nothing else that the host must look after
 * at their end. Their mark is what the told word will be if they end well. So to gather free slots means to compare two arrays. */
#ifndef HD_POOL_H
#define HD_POOL_H

#include "backend/inside.h"
#include "graph/dump.h"
#include "graph/range.h"
#include "heddle/core/send.h"
#include "heddle/pool.h"
#include "run/run.h"

#define HD_POSTS 8u

/* slot.flags */
#define HD_SLOT_TRACED 1u /* its end goes into the trace */
#define HD_SLOT_HANDLE 2u /* its task has a handle */
#define HD_SLOT_NOTIFY 4u
#define HD_SLOT_SEEN 8u     /* its end was seen; another task may still name it */
#define HD_SLOT_ODD 16u     /* its epoch */
#define HD_SLOT_WATCH 32u   /* the keeper looks for its end, or its limit */
#define HD_SLOT_MORE 128u   /* its task waits for others, has bounces, or is a promise */
#define HD_SLOT_ORDERED 64u /* it names ranges, or is a join: later tasks may have to wait for it (order.c) */
#define HD_SLOT_OPEN 256u   /* its task is a promise that nobody has kept so far (promise.c) */
#define HD_SLOT_EVENT 512u  /* and that the keeper keeps */

/* mark, in the bits HD_TOLD_HOW */
#define HD_MARK_PLAIN ((uint32_t)HD_STOP_DONE) /* a task that needs nothing when it has ended well */
#define HD_MARK_FREE 30u                       /* no task; as the next two, not how a task can end */
#define HD_MARK_KEPT 29u                       /* a task with a handle or a notice: its end must be seen first */
#define HD_MARK_OTHER 31u                      /* another task with flags besides HD_SLOT_ODD */

/* What the host knows of a slot's task, but for its mark. */
typedef struct hd_slot {
    uint32_t refs; /* atomic: unfinished tasks that name it in `after` */
    uint16_t flags, body;
    uint32_t time_limit_ms;
    uint32_t n_after; /* its handles are in hd_afters */
    uint64_t user;
    struct hd_bounces
        *bounces; /* blocks of host memory that its task has instead of memory that is not pinned, or NULL */
} hd_slot;
HD_STATIC_ASSERT(sizeof(hd_slot) == 32, "written by two stores");

typedef struct hd_post {
    uint32_t is_locked; /* atomic */
    uint32_t first, n;  /* its slots */
    uint32_t n_free;    /* they are in p->free, from `first` on */
    uint32_t most_used;
    uint32_t scan;         /* the slot at which the search for ended tasks goes on */
    uint64_t n_spawned[2]; /* atomic, by epoch */
    uint64_t n_uncounted;  /* of these: joins and promises, and those before statistics were set to zero last */
    uint64_t n_ended, n_failed, n_canceled;
    uint8_t pad[2 * HD_LINE];
} hd_post;

typedef struct hd_afters {
    heddle_handle handle[HEDDLE_POOL_MOST_AFTER];
} hd_afters;

/* The tasks that name ranges, in their order. An entry is one of them, or stands for others; the tracker knows entries by number. */
typedef struct hd_ordered {
    hd_ranges *tracker; /* NULL: no task so far */
    hd_list entries;
    hd_list ranges;    /* of the entries' tasks */
    hd_list stood_for; /* the entries that others stand for */
} hd_ordered;

typedef struct hd_order {
    pthread_mutex_t mutex; /* guards the rest; held until the task was sent, so that tasks are sent in their order */
    hd_ordered known;
    uint64_t most; /* entries before those of ended tasks are forgotten */
    uint32_t visit, is_spoilt;
    /* for one call: */
    hd_list areas;
    uint32_t task;     /* the entry of its task */
    uint32_t n_before; /* entries that it comes after; in `before`, and then those that they stand for */
    hd_list before;
    hd_list names; /* and their tasks */
} hd_order;

/* Host memory that the pool's bodies see (host.c). */
typedef struct hd_host_memory {
    pthread_mutex_t mutex; /* guards the rest */
    hd_list regions;       /* pinned, by address */
    hd_list device;        /* blocks of device memory */
    void *free[64];        /* blocks of 1 << i bytes */
} hd_host_memory;

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
    uint32_t *marks; /* atomic: of each slot; changed with its post's lock */
    uint32_t *free;  /* of each post: a stack of free slots */
    hd_afters *afters;
    struct hd_pool_trace *trace; /* trace.h; NULL: it is not traced */
    uint32_t n_slots, n_posts;   /* powers of two */
    uint32_t post_bits;          /* each post has 1 << post_bits slots */
    hd_post posts[HD_POSTS];
    uint32_t epoch;        /* changes under all locks of posts */
    pthread_mutex_t grace; /* one heddle_pool_wait_all at a time */
    /* the last bad end that nobody asked for: */
    pthread_mutex_t bad_mutex;
    heddle_status bad;
    hd_error bad_text;
    /* mode auto (auto.c): */
    uint64_t window_ns; /* atomic: when the window has begun; 0: not yet; or HD_UNMEASURED */
    uint64_t n_windows, windows_ns, window_tasks, before_window; /* guarded by grace */
    uint64_t trial;                                              /* its number in the context */
    int is_tried;                                                /* there is one */
    char how[512];                                               /* then: the mode, and why it is that */
    uint64_t n_full, full_ns;                                    /* atomic */
    uint64_t children_before;                                    /* atomic: when statistics were set to zero last */
    uint32_t starts_before;                                      /* likewise */
    uint32_t n_waiting;                                          /* atomic: threads that wait for a slot */
    hd_order order;
    hd_host_memory host;
    /* hearing of ends (news.c): */
    pthread_mutex_t news; /* guards news_at, fd, is_signalled */
    uint32_t news_at;
    int fd, is_signalled;
    /* the keeper, a thread (keeper.c): */
    pthread_mutex_t keeper_mutex; /* guards the fields below */
    pthread_cond_t keeper_wanted;
    pthread_t keeper;
    int has_keeper, keeper_ends;
    uint64_t n_watched; /* atomic: unfinished tasks with HD_SLOT_WATCH, and events */
    hd_list events;     /* guarded by events_mutex, which is taken before a post's */
    pthread_mutex_t events_mutex;
    pthread_mutex_t calling; /* held while fn runs */
    heddle_pool_done_fn fn;
    void *arg;
};

static inline uint32_t hd_slot_mark(const heddle_pool *p, uint32_t i)
{
    return __atomic_load_n(&p->marks[i], __ATOMIC_ACQUIRE);
}
static inline int hd_slot_has_task(const heddle_pool *p, uint32_t i)
{
    return (hd_slot_mark(p, i) & HD_TOLD_HOW) != HD_MARK_FREE;
}
static inline uint32_t hd_slot_generation(const heddle_pool *p, uint32_t i)
{
    return hd_slot_mark(p, i) >> HD_TOLD_BITS;
}
static inline heddle_handle hd_slot_handle(const heddle_pool *p, uint32_t i)
{
    return (uint64_t)hd_slot_generation(p, i) << 32 | i;
}
static inline hd_post *hd_post_of(heddle_pool *p, uint32_t slot) { return &p->posts[slot >> p->post_bits]; }
/* How the task of generation g in slot i has ended; 0: it has not. Acquires what it wrote. */
static inline uint32_t hd_slot_how(const heddle_pool *p, uint32_t i, uint32_t g)
{
    const uint32_t v = HD_LOAD(&p->words->told[i].state, ACQUIRE, SYS);
    return v >> HD_TOLD_BITS == g ? v & HD_TOLD_HOW : 0u;
}
static inline uint32_t hd_slot_how_now(const heddle_pool *p, uint32_t i)
{
    return hd_slot_how(p, i, hd_slot_generation(p, i));
}
static inline int hd_slot_is_late(const heddle_pool *p, uint32_t i, uint32_t g)
{
    return HD_LOAD(&p->words->told[i].state, RELAXED, SYS) == hd_told_of(g, HD_TOLD_LATE);
}

/* pool.c */
/* May this thread call the pool? EINVAL inside a body of the context, EDEVICE; the slow part says why not. */
heddle_status hd_pool_usable_slowly(const heddle_pool *p, const char *call);
static inline heddle_status hd_pool_usable(const heddle_pool *p, const char *call)
{
    return p && !hd_ctx_lost(p->ctx) && !hd_is_inside(p->ctx->device) ? HEDDLE_OK : hd_pool_usable_slowly(p, call);
}
/* The program waits for ends, or for a slot (backend.h). */
static inline void hd_pool_flush(const heddle_pool *p)
{
    if (p->backend->pool_flush)
        p->backend->pool_flush(p->loaded);
}
/* For calls that wait. Nothing runs any more: EDEVICE, or ENOMEM for a full arena, with a sentence. Looks at the backend, so not at
 * each poll. */
heddle_status hd_pool_runs(heddle_pool *p);
/* Rests a little; the longer the caller has waited since then, the longer. */
void hd_pool_rest(uint64_t since_ns);

/* Block-shared memory that a task may have. */
uint32_t hd_pool_shared_bytes(const heddle_pool *p);
/* EBUSY: there is no free slot. */
heddle_status hd_say_full(const heddle_pool *p);

/* auto.c */
#define HD_UNMEASURED 1u
typedef struct hd_pool_trial hd_pool_trial;
/* The mode to load the pool in; AUTO is resident where that can be. */
heddle_pool_mode hd_auto_begin(heddle_pool *p);
/* After it was loaded in that mode, or was not (s). 0: it is to be loaded as AUTO instead. */
int hd_auto_suits(heddle_pool *p, heddle_pool_mode mode, heddle_status s);
/* The first spawn of a window; and its end, for a caller that holds p->grace. */
void hd_window_begin(heddle_pool *p);
void hd_window_end(heddle_pool *p);
/* Before the pool is freed: what it has measured. */
void hd_auto_end(heddle_pool *p);
/* By the times of a task, resident and by launches; 0: not measured. */
heddle_pool_mode hd_auto_choose(const double ns[2]);

/* send.c */
#define HD_AT_ONCE 64u

/* Up to HD_AT_ONCE tasks that differ in their records only. Their names were counted by hd_name. */
typedef struct hd_request {
    const heddle_pool_task *task; /* as the program gave it: its handles, ranges and copies; NULL if it has none */
    size_t stride;                /* from a task's record to the next one's */
    uint32_t n, tries;            /* tries: 1: it does not wait for a slot */
    hd_slot
        slot; /* what their slots get, but for HD_SLOT_ODD; bounces: of one task, the slot's when that has been sent */
    hd_sent sent; /* the first task, but for its slot and epoch; `after`: what it names, n_after of them */
} hd_request;

/* Names the slot of a task with a handle (kind HD_SLOT_HANDLE) or ranges (HD_SLOT_ORDERED), so that it stays as it is. 1: named; 0: its
 * task has ended well, and need not be waited for; -1: the handle is not valid. */
int hd_name(heddle_pool *p, heddle_handle h, uint32_t kind);
void hd_unname(heddle_pool *p, const heddle_handle *names, uint64_t n);
/* Sends as many tasks of q as there are slots, *got, waiting for the first unless the task says HEDDLE_POOL_TRY. handles may be NULL.
 * After an error nothing was sent, and nothing is named. */
heddle_status hd_request_send(heddle_pool *p, hd_request *q, heddle_handle *handles, uint32_t *got);

/* order.c */
/* Completes the names of q's task, `names` so far, by the tasks that its ranges conflict with. OK: other tasks with ranges wait
 * until hd_order_end says which handle it got, or 0 if it was not sent. After an error nothing is named. */
heddle_status hd_order_begin(heddle_pool *p, hd_request *q, heddle_handle *names);
void hd_order_end(heddle_pool *p, heddle_handle h);
void hd_order_free(heddle_pool *p);

/* host.c */
typedef struct hd_bounces hd_bounces;
/* A task's copies. */
typedef struct hd_copied {
    hd_bounces *bounces;                     /* NULL: all is pinned */
    hd_copy staged[HEDDLE_POOL_MOST_COPIES]; /* for the worker */
    uint32_t n_staged;
    uint64_t n_bytes;
    uint8_t *args; /* its record, with the addresses where its body finds the ranges: `room`, or a block */
    _Alignas(16) uint8_t room[1024];
} hd_copied;
heddle_status hd_copies_begin(heddle_pool *p, const heddle_pool_task *t, const uint8_t *args, hd_copied *to);
/* After it was sent, or not. */
void hd_copies_end(heddle_pool *p, hd_copied *c, int was_sent);
/* The task has ended; well: copies back what it has written. NULL is allowed. */
void hd_bounces_end(heddle_pool *p, hd_bounces *b, int is_well);
void hd_host_free(heddle_pool *p);

/* trace.c. The second and third only if p->trace, with the lock of the slot's post: a task gets slot i; its end was seen. Not for joins. */
heddle_status hd_trace_new(heddle_pool *p);
void hd_trace_spawned(heddle_pool *p, uint32_t i, const hd_sent *s);
void hd_trace_ended(heddle_pool *p, uint32_t i, heddle_status status, uint32_t code);
void hd_trace_stats(heddle_pool *p, heddle_pool_stats *out);
void hd_trace_reset(heddle_pool *p);
void hd_trace_delete(heddle_pool *p);

/* slots.c */
/* A post's lock is held for short times, and taken for each task: two instructions if no other thread has it. */
void hd_post_await(hd_post *post);
static inline void hd_post_lock(hd_post *post)
{
    if (__atomic_exchange_n(&post->is_locked, 1, __ATOMIC_ACQUIRE))
        hd_post_await(post);
}
static inline void hd_post_unlock(hd_post *post) { __atomic_store_n(&post->is_locked, 0, __ATOMIC_RELEASE); }

/* Takes free slots of a post for tasks of q, and says in q which epoch these belong to. Returns how many; their handles are in `out`. */
uint32_t hd_slots_take(heddle_pool *p, hd_post *post, hd_request *q, heddle_handle *out);

/* For the rest of slots.c the caller holds the post's lock. */
/* Does slot i keep a task that has ended until the program sees that? */
int hd_slot_is_kept(const heddle_pool *p, uint32_t i);
/* Frees slots of a post when their tasks have ended well and need no more. Returns whether all are free then. */
int hd_post_gather(heddle_pool *p, hd_post *post);
static inline uint32_t hd_free_mark(uint32_t mark) { return (mark & ~HD_TOLD_HOW) | HD_MARK_FREE; }
static inline void hd_slot_set_mark(heddle_pool *p, uint32_t i, uint32_t mark)
{
    __atomic_store_n(&p->marks[i], mark, __ATOMIC_RELEASE);
}
static inline void hd_slot_clear(heddle_pool *p, hd_post *post, uint32_t i)
{
    p->slots[i].flags = 0;
    hd_slot_set_mark(p, i, hd_free_mark(p->marks[i]));
    p->free[post->first + post->n_free++] = i;
}
/* The end of the task in slot i was seen; `asked`: by a call that wants to know it. Most have nothing but a handle. */
void hd_slot_see_any(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked);
static inline void hd_slot_see(heddle_pool *p, hd_post *post, uint32_t i, uint32_t how, int asked)
{
    const hd_slot *s = &p->slots[i];
    if (how != HD_STOP_DONE || s->flags & ~(HD_SLOT_HANDLE | HD_SLOT_ODD) ||
        __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE)) {
        hd_slot_see_any(p, post, i, how, asked);
        return;
    }
    post->n_ended++;
    hd_slot_clear(p, post, i);
}
/* Fills in the end of the task of handle h, and this thread's sentence; bad_end: of slot i's, status and code, if it has not ended well. */
heddle_status hd_slot_bad_end(heddle_pool *p, uint32_t i, uint32_t how, heddle_pool_end *end);
static inline heddle_status hd_slot_end(heddle_pool *p, heddle_handle h, uint32_t how, heddle_pool_end *end)
{
    const uint32_t i = (uint32_t)h;
    *end = (heddle_pool_end){h, p->slots[i].user, HEDDLE_OK, 0};
    return how == HD_STOP_DONE ? HEDDLE_OK : hd_slot_bad_end(p, i, how, end);
}

/* keeper.c */
heddle_status hd_keeper_start(heddle_pool *p);
void hd_keeper_stop(heddle_pool *p);
/* Is this thread the keeper? */
int hd_is_keeper(const heddle_pool *p);
/* The number of watched tasks changes. */
void hd_keeper_count(heddle_pool *p, int by);

/* promise.c */
/* Breaks the promise in slot i, of generation g, unless it was kept: it ends as canceled. */
void hd_promise_break(heddle_pool *p, uint32_t i, uint32_t g);
/* Breaks all that only the program could keep. */
void hd_promises_break(heddle_pool *p);
/* Keeps the promises of events that have happened. 1: there are others. */
int hd_events_look(heddle_pool *p);
void hd_events_free(heddle_pool *p);

/* news.c: takes the next end; 0: there is none. The caller holds p->news. */
int hd_news_take(heddle_pool *p, heddle_pool_end *out);
int hd_news_is_there(const heddle_pool *p);
/* Makes the descriptor readable, or not. The caller holds p->news. */
void hd_news_signal(heddle_pool *p);

#endif
