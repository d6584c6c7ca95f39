/* SPDX-License-Identifier: MIT */
/* news.c - ends of tasks that asked to be heard of: workers put them into a ring (core/pool.h), and one reader at a time takes
 * them out, the program by heddle_pool_harvest or the keeper for heddle_pool_on_done. */
#include "engine/pool/pool.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static uint32_t *next(const heddle_pool *p) { return &p->words->news[p->news_at & (p->n_slots - 1u)]; }

int hd_news_is_there(const heddle_pool *p) { return HD_LOAD(next(p), ACQUIRE, SYS) != 0u; }

int hd_news_take(heddle_pool *p, heddle_pool_end *out)
{
    const uint32_t word = HD_LOAD(next(p), ACQUIRE, SYS), i = word - 1u;
    uint32_t how;
    hd_post *post;
    if (!word)
        return 0;
    if (!hd_slot_how_now(p, i))
        hd_pool_flush(p); /* told on a GPU, and to be copied back */
    HD_STORE(next(p), 0u, RELAXED, SYS);
    p->news_at++;
    post = hd_post_of(p, i);
    hd_post_lock(post);
    how = hd_slot_how_now(p, i);
    (void)hd_slot_end(p, hd_slot_handle(p, i), how, out);
    hd_slot_see(p, post, i, how, 1);
    hd_post_unlock(post);
    return 1;
}

void hd_news_signal(heddle_pool *p)
{
    const int shall = hd_news_is_there(p);
    uint64_t one = 1;
    if (p->fd < 0 || shall == p->is_signalled)
        return;
    if ((shall ? write(p->fd, &one, sizeof one) : read(p->fd, &one, sizeof one)) == sizeof one || errno == EAGAIN)
        p->is_signalled = shall;
}

static size_t take_some(heddle_pool *p, heddle_pool_end *out, size_t n_max)
{
    size_t n = 0;
    pthread_mutex_lock(&p->news);
    while (n < n_max && hd_news_take(p, &out[n]))
        n++;
    hd_news_signal(p);
    pthread_mutex_unlock(&p->news);
    return n;
}

HEDDLE_API heddle_status heddle_pool_harvest(heddle_pool *p, heddle_pool_end *out, size_t n_max, uint32_t timeout_ms,
                                             size_t *n_out)
{
    const uint64_t since = heddle_host_clock_ns(), deadline = hd_job_deadline(timeout_ms);
    if (n_out)
        *n_out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_harvest"));
    if (!out || !n_out || !n_max)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_harvest: %s",
                      !out     ? "out is NULL"
                      : !n_out ? "n_out is NULL"
                               : "n_max is 0");
    while ((*n_out = take_some(p, out, n_max)) == 0) {
        if (heddle_host_clock_ns() >= deadline) {
            hd_pool_flush(p);
            return hd_say(NULL, HEDDLE_EBUSY, "heddle_pool_harvest: no task has ended");
        }
        HD_TRY(hd_pool_runs(p));
        hd_pool_rest(since);
    }
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_pool_fd(heddle_pool *p, int *out)
{
    HD_TRY(hd_pool_usable(p, "heddle_pool_fd"));
    if (!out)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_fd: out is NULL");
    *out = -1;
    pthread_mutex_lock(&p->news);
    if (p->fd < 0)
        p->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    *out = p->fd;
    hd_news_signal(p);
    pthread_mutex_unlock(&p->news);
    if (*out < 0)
        return hd_say(NULL, HEDDLE_ENOMEM, "heddle_pool_fd: the system gives no descriptor: %s", strerror(errno));
    return hd_keeper_start(p);
}

HEDDLE_API heddle_status heddle_pool_on_done(heddle_pool *p, heddle_pool_done_fn fn, void *arg)
{
    HD_TRY(hd_pool_usable(p, "heddle_pool_on_done"));
    if (hd_is_keeper(p))
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_on_done: called by the function that it has set");
    pthread_mutex_lock(&p->calling);
    p->fn = fn;
    p->arg = arg;
    pthread_mutex_unlock(&p->calling);
    return fn ? hd_keeper_start(p) : HEDDLE_OK;
}
