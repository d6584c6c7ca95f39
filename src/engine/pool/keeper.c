/* SPDX-License-Identifier: MIT */
/* keeper.c - a thread that looks for what nobody waits for: ends of tasks with HEDDLE_POOL_NOTIFY, when a descriptor or a
 * function was asked for, tasks past their time limits, and events that have happened. It is started when first needed, and sleeps without a timer while no
 * task is of interest. */
#include "engine/pool/pool.h"

#include <time.h>

#define GRACE_NS 5000000000ull /* after the time limit, for a body to return */
#define EAGER_NS 50000u        /* between two looks when there was something not long ago */
#define LAZY_NS 1000000u
#define EAGER_LOOKS 200u

/* What a worker was seen to do. */
typedef struct sight {
    uint32_t slot, generation;
    uint64_t since;
} sight;

/* ---- ends ---------------------------------------------------------------------------------------------------------- */

static int tell_function(heddle_pool *p)
{
    heddle_pool_end end;
    int any = 0, more = 1;
    pthread_mutex_lock(&p->calling);
    if (p->fn)
        hd_pool_flush(p);
    while (p->fn && more) {
        pthread_mutex_lock(&p->news);
        more = hd_news_take(p, &end);
        pthread_mutex_unlock(&p->news);
        any |= more;
        if (more)
            p->fn(p->arg, &end);
    }
    pthread_mutex_unlock(&p->calling);
    return any;
}

static int tell_news(heddle_pool *p)
{
    const int any = tell_function(p);
    pthread_mutex_lock(&p->news);
    if (p->fd >= 0)
        hd_pool_flush(p);
    hd_news_signal(p);
    pthread_mutex_unlock(&p->news);
    return any;
}

/* ---- time limits ---------------------------------------------------------------------------------------------------- */

/* The task in slot i, of generation g, is late: the host is told, unless the task ends at this moment. */
static void tell_late(heddle_pool *p, uint32_t i, uint32_t g)
{
    uint32_t *state = &p->words->told[i].state, v = HD_LOAD(state, RELAXED, SYS);
    p->backend->pool_stop_task(p->loaded, i, HD_STOP_TIMEOUT);
    if (v >> HD_TOLD_BITS != g)
        (void)HD_CAS(state, v, hd_told_of(g, HD_TOLD_LATE), RELAXED, SYS);
}

/* The caller holds no lock: the slot's limit may be of another task, if this one ends now; then its generation differs. */
static void check_limit(heddle_pool *p, const sight *s)
{
    hd_post *post = hd_post_of(p, s->slot);
    const uint64_t now = heddle_host_clock_ns();
    uint64_t limit = 0;
    hd_post_lock(post);
    if (hd_slot_has_task(p, s->slot) && hd_slot_generation(p, s->slot) == s->generation)
        limit = p->slots[s->slot].time_limit_ms * 1000000ull;
    if (limit && now > s->since + limit)
        tell_late(p, s->slot, s->generation);
    if (limit && now > s->since + limit + GRACE_NS)
        __atomic_store_n(&p->ctx->lost, 1, __ATOMIC_RELAXED);
    hd_post_unlock(post);
}

static void look_at(heddle_pool *p, uint32_t slot, sight *s)
{
    uint32_t g;
    if (slot == HD_NONE) {
        s->slot = HD_NONE;
        return;
    }
    g = hd_slot_generation(p, slot);
    if (s->slot != slot || s->generation != g)
        *s = (sight){slot, g, heddle_host_clock_ns()};
    else
        check_limit(p, s);
}

static void look_at_workers(heddle_pool *p, sight *sights)
{
    hd_doing d;
    uint32_t w;
    for (w = 0; w < hd_pool_n_teams(p->words) && p->backend->doing(p->loaded, w, &d); w++)
        look_at(p, d.task, &sights[w]);
}

/* ---- the thread ------------------------------------------------------------------------------------------------------ */

/* Waits until there is something to look for. 0: the pool is freed. */
static int wanted(heddle_pool *p)
{
    int goes_on;
    pthread_mutex_lock(&p->keeper_mutex);
    while (!__atomic_load_n(&p->n_watched, __ATOMIC_SEQ_CST) && !p->keeper_ends)
        pthread_cond_wait(&p->keeper_wanted, &p->keeper_mutex);
    goes_on = !p->keeper_ends;
    pthread_mutex_unlock(&p->keeper_mutex);
    return goes_on;
}

static void *thread_main(void *arg)
{
    heddle_pool *p = arg;
    const uint64_t n_bytes = hd_pool_n_teams(p->words) * sizeof(sight);
    sight *sights = hd_new(n_bytes); /* without memory, no limits */
    uint32_t quiet = 0, w;
    int eager;
    for (w = 0; sights && w < hd_pool_n_teams(p->words); w++)
        sights[w].slot = HD_NONE;
    while (wanted(p)) {
        quiet = tell_news(p) ? 0 : quiet + 1u;
        eager = hd_events_look(p) || quiet < EAGER_LOOKS;
        if (sights)
            look_at_workers(p, sights);
        (void)nanosleep(&(struct timespec){0, eager ? EAGER_NS : LAZY_NS}, NULL);
    }
    hd_delete(sights, n_bytes);
    return NULL;
}

heddle_status hd_keeper_start(heddle_pool *p)
{
    int failed = 0;
    pthread_mutex_lock(&p->keeper_mutex);
    if (!p->has_keeper) {
        failed = pthread_create(&p->keeper, NULL, thread_main, p);
        p->has_keeper = !failed;
    }
    pthread_mutex_unlock(&p->keeper_mutex);
    return failed ? hd_say(NULL, HEDDLE_ENOMEM, "a pool: the thread that looks for ends could not be started")
                  : HEDDLE_OK;
}

int hd_is_keeper(const heddle_pool *p) { return p->has_keeper && pthread_equal(pthread_self(), p->keeper); }

void hd_keeper_stop(heddle_pool *p)
{
    pthread_mutex_lock(&p->keeper_mutex);
    p->keeper_ends = 1;
    pthread_cond_signal(&p->keeper_wanted);
    pthread_mutex_unlock(&p->keeper_mutex);
    if (p->has_keeper)
        pthread_join(p->keeper, NULL);
}

/* The keeper sleeps while the number is 0, and holds the mutex from its look on. So a change from 0 takes the mutex, too. */
void hd_keeper_count(heddle_pool *p, int by)
{
    if (__atomic_fetch_add(&p->n_watched, (uint64_t)by, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&p->keeper_mutex);
    pthread_cond_signal(&p->keeper_wanted);
    pthread_mutex_unlock(&p->keeper_mutex);
}
