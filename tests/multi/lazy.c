/* SPDX-License-Identifier: MIT */
/* lazy.c - accelerators that are late (lazy.h). Calls for jobs come from one thread. */
#include "multi/lazy.h"

#include "check.h"
#include "engine/loop/virtual.h"
#include "heddle/loop.h"

#include <string.h>

#define QUEUES 3u
#define MOST 8u
#define BLOCKS 64u

typedef enum kind { COPY, SPAN, POINT, FOLLOW } kind;

typedef struct step {
    kind kind;
    heddle_copy copy;
    heddle_span_work work;
    uint8_t *params;
    uint32_t other, other_queue;
    uint64_t number;
} step;

typedef struct queue {
    step *steps;
    uint64_t n, cap, at;  /* at: the next one to be done */
    uint64_t put, passed; /* points */
    uint64_t failed_at;   /* the last point passed when a body failed */
    heddle_failure failure;
    uint64_t begin; /* of the span that did */
} queue;

/* Queues that wait for one another. */
typedef struct set {
    queue q[MOST][QUEUES];
} set;

struct group;
typedef struct lazy {
    struct group *group;
    uint32_t index;
    int is_lost;
    void *blocks[BLOCKS];
} lazy;

typedef struct record {
    struct group *group;
    uint32_t n, which[MOST]; /* accelerators */
    set set;
    uint64_t n_put, n_ended;
} record;

typedef struct group {
    lazy_config config;
    lazy_counts *counts;
    uint64_t random;
    uint32_t n_open;
    lazy all[MOST];
    char names[MOST][16];
    set set;
    record *recording, *active; /* active: has replays under way */
} group;

/* ---- doing -------------------------------------------------------------------------------------------------------------------- */

static void do_copy(const heddle_copy *c)
{
    uint64_t i;
    for (i = 0; i < c->n_rows; i++)
        memcpy((uint8_t *)c->to + i * c->to_stride, (const uint8_t *)c->from + i * c->from_stride, c->row_bytes);
}

static void do_span(queue *q, const step *s)
{
    _Alignas(128) uint8_t shared[HEDDLE_REDUCE_BYTES + HD_CORE_SHARED];
    heddle_failure failure = hd_span_unfailed();
    heddle_thread thread = heddle_thread_alone(&failure, shared);
    hd_span_launch l;
    uint64_t t;
    hd_span_cut(&l, s->work.begin, s->work.end, s->work.begin_2, s->work.end_2, s->work.tile, s->work.tile_2);
    for (t = 0; t < l.n_tiles && !failure.code; t++) {
        const heddle_span span = hd_span_tile(&l, t);
        thread.task = (uint32_t)span.begin;
        s->work.table->bodies[s->work.body].run(&thread, s->params, &span);
    }
    if (!failure.code || q->failure.code)
        return;
    q->failure = failure;
    q->failed_at = q->passed;
    q->begin = s->work.begin;
}

static void count(group *g, lazy *x)
{
    if (x->index)
        return;
    g->counts->n_done++;
    x->is_lost |= g->config.lose_at && g->counts->n_done >= g->config.lose_at;
}

static int is_blocked(const group *g, const set *s, const step *t)
{
    return t->kind == FOLLOW && !g->all[t->other].is_lost && s->q[t->other][t->other_queue].passed < t->number;
}

static void do_step(group *g, lazy *x, queue *q, const step *t)
{
    switch (t->kind) {
    case COPY:
        do_copy(&t->copy);
        count(g, x);
        break;
    case SPAN:
        do_span(q, t);
        count(g, x);
        break;
    case POINT: q->passed = t->number; break;
    case FOLLOW: break;
    }
}

/* The next step of a queue that can go on, whichever that is. 0: none can. */
static int do_one(group *g, set *s)
{
    const uint32_t n = g->config.n * QUEUES, first = (uint32_t)check_below(&g->random, n);
    uint32_t i;
    for (i = 0; i < n; i++) {
        const uint32_t k = (first + i) % n;
        lazy *x = &g->all[k / QUEUES];
        queue *q = &s->q[k / QUEUES][k % QUEUES];
        if (q->at == q->n || x->is_lost || is_blocked(g, s, &q->steps[q->at]))
            continue;
        do_step(g, x, q, &q->steps[q->at]);
        q->at++;
        return 1;
    }
    return 0;
}

/* ---- putting ------------------------------------------------------------------------------------------------------------------ */

static heddle_status say_lost(const lazy *x)
{
    return hd_say(NULL, HEDDLE_EDEVICE, "%s is lost", x->group->names[x->index]);
}

static queue *queue_of(const lazy *x, uint32_t n)
{
    set *s = x->group->recording ? &x->group->recording->set : &x->group->set;
    return &s->q[x->index][n];
}

static void empty(queue *q)
{
    uint64_t i;
    for (i = 0; i < q->n; i++)
        free(q->steps[i].params);
    q->n = q->at = 0;
}

static step *push(lazy *x, uint32_t n, kind k)
{
    queue *q = queue_of(x, n);
    step *t;
    CHECK(!x->group->active);
    if (q->at == q->n && !x->group->recording)
        empty(q);
    if (q->n == q->cap) {
        q->cap = q->cap ? 2u * q->cap : 64u;
        q->steps = realloc(q->steps, q->cap * sizeof *q->steps);
        CHECK(q->steps);
    }
    t = &q->steps[q->n++];
    memset(t, 0, sizeof *t);
    t->kind = k;
    return t;
}

static heddle_status copy(void *self, uint32_t n, const heddle_copy *c)
{
    lazy *x = self;
    if (x->is_lost)
        return say_lost(x);
    push(x, n, COPY)->copy = *c;
    return HEDDLE_OK;
}

static heddle_status copy_peer(void *self, uint32_t n, const heddle_copy *c, void *other)
{
    (void)other;
    return copy(self, n, c);
}

static heddle_status span(void *self, uint32_t n, const heddle_span_work *w)
{
    lazy *x = self;
    step *t;
    if (x->is_lost)
        return say_lost(x);
    t = push(x, n, SPAN);
    t->work = *w;
    t->params = malloc(w->params_bytes + 1u);
    memcpy(t->params, w->params, w->params_bytes);
    return HEDDLE_OK;
}

static heddle_status point(void *self, uint32_t n, uint64_t number)
{
    lazy *x = self;
    if (x->is_lost)
        return say_lost(x);
    CHECK(number == ++queue_of(x, n)->put);
    push(x, n, POINT)->number = number;
    return HEDDLE_OK;
}

static heddle_status follow(void *self, uint32_t n, void *other, uint32_t other_queue, uint64_t number)
{
    lazy *x = self, *o = other;
    step *t;
    if (x->is_lost)
        return say_lost(x);
    CHECK(number <= queue_of(o, other_queue)->put);
    t = push(x, n, FOLLOW);
    t->other = o->index;
    t->other_queue = other_queue;
    t->number = number;
    return HEDDLE_OK;
}

static heddle_status call(void *self, uint32_t n, heddle_call_fn fn, void *user, const heddle_span_work *w)
{
    (void)self;
    (void)n;
    (void)fn;
    (void)user;
    (void)w;
    return HEDDLE_EINVAL;
}

/* ---- asking ------------------------------------------------------------------------------------------------------------------- */

static heddle_status tell(queue *q, uint32_t *code, uint64_t *index)
{
    *code = q->failure.code;
    *index = hd_span_failed_at(&q->failure, q->begin);
    q->failure = hd_span_unfailed();
    return HEDDLE_EBODY;
}

static heddle_status passed(void *self, uint32_t n, uint64_t *number, uint32_t *code, uint64_t *index)
{
    lazy *x = self;
    group *g = x->group;
    queue *q = &g->set.q[x->index][n];
    uint64_t i;
    CHECK(!g->recording);
    for (i = check_below(&g->random, check_below(&g->random, 8) ? 6 : 100); i > 0; i--)
        (void)do_one(g, &g->set);
    if (x->is_lost)
        return say_lost(x);
    *number = q->failure.code ? q->failed_at : q->passed;
    return q->failure.code ? tell(q, code, index) : HEDDLE_OK;
}

static heddle_status poll(void *self, uint32_t n, uint32_t *code, uint64_t *index)
{
    lazy *x = self;
    queue *q = &x->group->set.q[x->index][n];
    CHECK(!x->group->recording);
    while (!x->is_lost && q->at < q->n)
        (void)do_one(x->group, &x->group->set);
    if (x->is_lost)
        return say_lost(x);
    return q->failure.code ? tell(q, code, index) : HEDDLE_OK;
}

static int reaches(void *self, void *other)
{
    (void)self;
    (void)other;
    return 1;
}

/* ---- records ------------------------------------------------------------------------------------------------------------------ */

static void check_empty(const group *g)
{
    uint32_t i, n;
    for (i = 0; i < g->config.n; i++)
        for (n = 0; n < QUEUES && !g->all[i].is_lost; n++)
            CHECK(g->set.q[i][n].at == g->set.q[i][n].n);
}

static heddle_status record_begin(void *const *selves, uint32_t n)
{
    group *g = ((lazy *)selves[0])->group;
    uint32_t i;
    CHECK(!g->recording && !g->active && n > 0 && n <= g->config.n);
    check_empty(g);
    g->recording = calloc(1, sizeof *g->recording);
    g->recording->group = g;
    for (i = 0; i < n; i++)
        g->recording->which[g->recording->n++] = ((lazy *)selves[i])->index;
    return HEDDLE_OK;
}

static void free_set(set *s)
{
    uint32_t i, n;
    for (i = 0; i < MOST; i++)
        for (n = 0; n < QUEUES; n++) {
            empty(&s->q[i][n]);
            free(s->q[i][n].steps);
        }
}

/* Is one of its accelerators? Only the first of the group ever is. */
static int has_lost(const record *x) { return x->which[0] == 0 && x->group->all[0].is_lost; }

static void record_free(void *recorded)
{
    record *x = recorded;
    CHECK(x->n_put == x->n_ended || has_lost(x));
    if (x->group->active == x)
        x->group->active = NULL;
    free_set(&x->set);
    free(x);
}

static heddle_status record_end(void *const *selves, uint32_t n, void **recorded)
{
    group *g = ((lazy *)selves[0])->group;
    CHECK(g->recording && n);
    *recorded = g->recording;
    g->recording = NULL;
    g->counts->n_records++;
    if (!g->config.refuses)
        return HEDDLE_OK;
    record_free(*recorded);
    *recorded = NULL;
    return hd_say(NULL, HEDDLE_EINVAL, "it is too late for a record");
}

static heddle_status replay(void *recorded)
{
    record *x = recorded;
    CHECK(!x->group->recording && (!x->group->active || x->group->active == x));
    CHECK(x->n_put - x->n_ended < HEDDLE_MOST_REPLAYS);
    check_empty(x->group);
    x->n_put++;
    x->group->active = x;
    return HEDDLE_OK;
}

/* All of its queues are at their ends: the next replay begins. */
static void end_replay(record *x)
{
    uint32_t i, n;
    for (i = 0; i < MOST; i++)
        for (n = 0; n < QUEUES; n++) {
            CHECK(x->set.q[i][n].at == x->set.q[i][n].n);
            x->set.q[i][n].at = x->set.q[i][n].passed = 0;
        }
    x->group->counts->n_replays++;
    if (++x->n_ended == x->n_put)
        x->group->active = NULL;
}

static heddle_status tell_first(record *x, uint32_t *which, uint32_t *code, uint64_t *index)
{
    uint32_t n;
    for (*which = 0; *which < x->n; ++*which)
        for (n = 0; n < QUEUES; n++) {
            queue *q = &x->set.q[x->which[*which]][n];
            if (q->failure.code)
                return tell(q, code, index);
        }
    return HEDDLE_OK;
}

static heddle_status replayed(void *recorded, uint64_t *n, uint32_t *which, uint32_t *code, uint64_t *index)
{
    record *x = recorded;
    group *g = x->group;
    uint64_t i;
    for (i = check_below(&g->random, 40); i > 0 && x->n_ended < x->n_put && !has_lost(x); i--)
        if (!do_one(g, &x->set) && !has_lost(x))
            end_replay(x);
    if (has_lost(x))
        return say_lost(&g->all[0]);
    *n = x->n_ended;
    return tell_first(x, which, code, index);
}

/* ---- opening and closing ------------------------------------------------------------------------------------------------------ */

static void *mem_new(void *self, uint64_t n_bytes)
{
    lazy *x = self;
    uint32_t i;
    for (i = 0; i < BLOCKS; i++)
        if (!x->blocks[i])
            return x->blocks[i] = calloc(1, n_bytes);
    return NULL;
}

static void mem_free(void *self, void *p, uint64_t n_bytes)
{
    lazy *x = self;
    uint32_t i;
    (void)n_bytes;
    for (i = 0; i < BLOCKS; i++)
        if (x->blocks[i] == p)
            x->blocks[i] = NULL;
    free(p);
}

static void close_lazy(void *self, int is_lost)
{
    lazy *x = self;
    group *g = x->group;
    uint32_t i;
    (void)is_lost;
    for (i = 0; i < BLOCKS; i++)
        free(x->blocks[i]);
    if (--g->n_open)
        return;
    free_set(&g->set);
    free(g);
}

static heddle_accelerator describe(group *g, uint32_t i)
{
    heddle_accelerator a = HEDDLE_ACCELERATOR_INIT;
    (void)snprintf(g->names[i], sizeof g->names[i], "lazy:%u", i);
    g->all[i].group = g;
    g->all[i].index = i;
    a.self = &g->all[i];
    a.name = g->names[i];
    a.memory_bytes = 1u << 22;
    a.n_queues = QUEUES;
    a.takes_strides = 1;
    a.mem_new = mem_new;
    a.mem_free = mem_free;
    a.copy = copy;
    a.span = span;
    a.poll = poll;
    a.close = close_lazy;
    a.point = point;
    a.passed = passed;
    a.follow = follow;
    a.reaches = reaches;
    a.copy_peer = copy_peer;
    a.call = call;
    if (!g->config.records)
        return a;
    a.record_begin = record_begin;
    a.record_end = record_end;
    a.replay = replay;
    a.replayed = replayed;
    a.record_free = record_free;
    return a;
}

void lazy_add(heddle_fleet *f, const lazy_config *c, lazy_counts *counts)
{
    group *g = calloc(1, sizeof *g);
    uint32_t i;
    CHECK(g && c->n > 0 && c->n <= MOST);
    g->config = *c;
    g->random = c->seed;
    g->counts = counts;
    g->n_open = c->n;
    memset(counts, 0, sizeof *counts);
    for (i = 0; i < c->n; i++) {
        const heddle_accelerator a = describe(g, i);
        CHECK_OK(NULL, heddle_fleet_add(f, &a));
    }
}
