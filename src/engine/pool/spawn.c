/* SPDX-License-Identifier: MIT */
/* spawn.c - spawning into a pool: arguments are checked, slots found, and the tasks sent to the backend. */
#include "engine/pool/pool.h"

#define AT_ONCE 64u /* tasks of spawn_many that are sent in one call */

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static heddle_status check_team(const heddle_pool *p, uint32_t team_size)
{
    if (team_size % 32u)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: a team of %u threads; a multiple of 32 is expected", team_size);
    if ((team_size ? team_size : p->config.team_size) > p->words->most_threads)
        return hd_say(NULL, HEDDLE_ERANGE, "a pool: a team of %u threads; %u are the most",
                      team_size ? team_size : p->config.team_size, p->words->most_threads);
    return HEDDLE_OK;
}

static heddle_status check_body(const heddle_pool *p, const heddle_pool_task *t)
{
    const heddle_table *table = p->graph->g.table;
    const heddle_body_info *body;
    if (t->body >= table->n_bodies)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: table %s has %u bodies, there is no body %u", table->name,
                      table->n_bodies, t->body);
    body = &table->bodies[t->body];
    if (t->arg_bytes != body->arg_bytes)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: body %s takes %u argument bytes, not %zu", body->name,
                      body->arg_bytes, t->arg_bytes);
    if (p->words->no_spawns && body->n_children)
        return hd_say(NULL, HEDDLE_ENODEV, "a pool: body %s spawns tasks; backend %s has no workers that run them",
                      body->name, heddle_backend_name(p->backend->kind));
    if (t->n_blocks > 1 && body->n_children)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: body %s spawns tasks, so a task of it has one block, not %u",
                      body->name, t->n_blocks);
    return HEDDLE_OK;
}

static heddle_status check_task(const heddle_pool *p, const heddle_pool_task *t)
{
    HD_TRY(check_body(p, t));
    HD_TRY(check_team(p, t->team_size));
    if (t->flags & ~(HEDDLE_POOL_TRY | HEDDLE_POOL_NOTIFY))
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: flags 0x%x are not known", t->flags);
    if (t->reserved)
        return hd_say(NULL, HEDDLE_EINVAL,
                      "a pool: a reserved field is not zero: set the task up with HEDDLE_POOL_TASK_INIT");
    if (t->n_after > HEDDLE_POOL_MOST_AFTER)
        return hd_say(NULL, HEDDLE_ERANGE, "a pool: a task that waits for %zu others; %u are the most", t->n_after,
                      HEDDLE_POOL_MOST_AFTER);
    if (t->n_after && !t->after)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: after is NULL, and n_after %zu", t->n_after);
    return HEDDLE_OK;
}

/* ---- the tasks that it waits for ---------------------------------------------------------------------------------- */

/* Names slot i, so that it stays as it is. 1: named; 0: its task has ended well, and need not be waited for; -1: the handle
 * is not valid. */
static int name(heddle_pool *p, heddle_handle h)
{
    const uint32_t i = (uint32_t)h;
    hd_slot *s = &p->slots[i];
    hd_post *post;
    int said = -1;
    if (i >= p->n_slots)
        return -1;
    post = hd_post_of(p, i);
    pthread_mutex_lock(&post->mutex);
    if (s->generation == h >> 32 && s->flags & HD_SLOT_HANDLE && !(s->flags & HD_SLOT_SEEN)) {
        said = hd_slot_how(p, i, s->generation) != HD_STOP_DONE;
        __atomic_add_fetch(&s->refs, (uint32_t)said, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&post->mutex);
    return said;
}

static void unname(heddle_pool *p, const heddle_handle *names, uint32_t n)
{
    uint32_t k;
    for (k = 0; k < n; k++)
        __atomic_sub_fetch(&p->slots[(uint32_t)names[k]].refs, 1, __ATOMIC_RELEASE);
}

static heddle_status name_all(heddle_pool *p, const heddle_pool_task *t, heddle_handle *names, uint32_t *n)
{
    size_t k;
    *n = 0;
    for (k = 0; k < t->n_after; k++) {
        const int said = name(p, t->after[k]);
        if (said < 0) {
            unname(p, names, *n);
            return hd_say(
                NULL, HEDDLE_EINVAL,
                "a pool: handle %zu of `after` (0x%llx) names no task of this pool, or one whose end was seen", k,
                (unsigned long long)t->after[k]);
        }
        if (said)
            names[(*n)++] = t->after[k];
    }
    return HEDDLE_OK;
}

/* ---- a slot ------------------------------------------------------------------------------------------------------- */

/* The post that this thread uses first. */
static uint32_t my_post(const heddle_pool *p)
{
    static uint32_t n_threads;
    static _Thread_local uint32_t mine;
    if (!mine)
        mine = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
    return mine % p->n_posts;
}

static void fill(heddle_pool *p, hd_post *post, uint32_t i, const heddle_pool_task *t, int has_handle)
{
    hd_slot *s = &p->slots[i];
    const uint32_t limit = t->time_limit_ms ? t->time_limit_ms : p->config.time_limit_ms;
    s->flags = HD_SLOT_BUSY | (has_handle ? HD_SLOT_HANDLE : 0u) | (p->epoch ? HD_SLOT_ODD : 0u) |
               (t->flags & HEDDLE_POOL_NOTIFY ? HD_SLOT_NOTIFY : 0u) |
               (limit || t->flags & HEDDLE_POOL_NOTIFY ? HD_SLOT_WATCH : 0u);
    s->body = t->body;
    s->time_limit_ms = limit;
    s->n_after = 0;
    s->user = t->user;
    if (p->trace)
        hd_trace_spawned(p, i, t);
    post->n_spawned_all++;
    __atomic_store_n(&post->n_spawned[p->epoch], post->n_spawned[p->epoch] + 1u, __ATOMIC_RELAXED);
}

/* Takes up to n slots of one post for such tasks. Returns how many. */
static uint32_t take_of(heddle_pool *p, hd_post *post, const heddle_pool_task *t, int has_handle, uint32_t n,
                        uint32_t *out)
{
    uint32_t k;
    pthread_mutex_lock(&post->mutex);
    for (k = 0; k < n && (out[k] = hd_slot_take(p, post)) != HD_NONE; k++)
        fill(p, post, out[k], t, has_handle);
    pthread_mutex_unlock(&post->mutex);
    return k;
}

static uint32_t take_any(heddle_pool *p, const heddle_pool_task *t, int has_handle, uint32_t n, uint32_t *out)
{
    const uint32_t mine = my_post(p);
    uint32_t k, got = 0;
    for (k = 0; k < p->n_posts && !got; k++)
        got = take_of(p, &p->posts[(mine + k) % p->n_posts], t, has_handle, n, out);
    return got;
}

/* Do all slots hold ended tasks, and the program is to see their ends? */
static int is_stuck(heddle_pool *p)
{
    uint32_t i, k;
    for (k = 0; k < p->n_posts; k++) {
        hd_post *post = &p->posts[k];
        int ended = 1;
        pthread_mutex_lock(&post->mutex);
        for (i = post->first; ended && i < post->first + post->n; i++)
            ended = p->slots[i].flags & HD_SLOT_BUSY && !(p->slots[i].flags & HD_SLOT_SEEN) &&
                    p->slots[i].flags & (HD_SLOT_HANDLE | HD_SLOT_NOTIFY) &&
                    hd_is_end(hd_slot_how(p, i, p->slots[i].generation));
        pthread_mutex_unlock(&post->mutex);
        if (!ended)
            return 0;
    }
    return 1;
}

/* Takes up to n slots, waiting until there is one. */
static heddle_status take(heddle_pool *p, const heddle_pool_task *t, int has_handle, uint32_t n, uint32_t *out,
                          uint32_t *got)
{
    uint64_t since;
    *got = take_any(p, t, has_handle, n, out);
    if (*got)
        return HEDDLE_OK;
    __atomic_add_fetch(&p->n_full, 1, __ATOMIC_RELAXED);
    if (t->flags & HEDDLE_POOL_TRY)
        return hd_say(NULL, HEDDLE_EBUSY, "a pool: all %u slots are in use", p->n_slots);
    for (since = heddle_host_clock_ns(); !*got; *got = take_any(p, t, has_handle, n, out)) {
        HD_TRY(hd_pool_runs(p));
        if (is_stuck(p))
            return hd_say(NULL, HEDDLE_EBUSY,
                          "a pool: all %u slots hold tasks that have ended, and nobody has seen their ends: wait for "
                          "their handles, or harvest",
                          p->n_slots);
        hd_pool_rest(since);
    }
    __atomic_add_fetch(&p->full_ns, heddle_host_clock_ns() - since, __ATOMIC_RELAXED);
    return HEDDLE_OK;
}

/* ---- sending ------------------------------------------------------------------------------------------------------ */

/* Sends n tasks like t; their slots were taken. */
static void send_all(heddle_pool *p, const heddle_pool_task *t, const uint8_t *args, size_t stride,
                     const uint32_t *slots, uint32_t n, int has_handle, const heddle_handle *names, uint32_t n_names)
{
    const uint32_t team_size = t->team_size ? t->team_size : p->config.team_size;
    hd_sent sent[AT_ONCE];
    uint32_t k;
    for (k = 0; k < n; k++) {
        hd_slot *s = &p->slots[slots[k]];
        sent[k] = (hd_sent){.slot = slots[k],
                            .generation = s->generation,
                            .body = t->body,
                            .flags = (has_handle ? HD_TASK_PINNED : 0u) | (t->urgent ? HD_TASK_URGENT : 0u) |
                                     team_size / 32u << HD_TASK_TEAM | (s->flags & HD_SLOT_ODD ? HD_TASK_ODD : 0u) |
                                     (t->flags & HEDDLE_POOL_NOTIFY ? HD_TASK_NOTIFY : 0u),
                            .n_blocks = t->n_blocks ? t->n_blocks : 1u,
                            .team_size = team_size,
                            .arg_bytes = (uint32_t)t->arg_bytes,
                            .n_after = n_names,
                            .args = args + k * stride,
                            .after = names};
    }
    p->backend->pool_send(p->loaded, sent, n);
}

/* The names of slots[0] become the ones of all n slots. */
static void keep_names(heddle_pool *p, const uint32_t *slots, uint32_t n, const heddle_handle *names, uint32_t n_names)
{
    uint32_t k, j;
    for (k = 0; k < n; k++) {
        hd_post *post = hd_post_of(p, slots[k]);
        pthread_mutex_lock(&post->mutex);
        memcpy(p->afters[slots[k]].handle, names, n_names * sizeof *names);
        p->slots[slots[k]].n_after = n_names;
        pthread_mutex_unlock(&post->mutex);
        for (j = 0; k && j < n_names; j++)
            __atomic_add_fetch(&p->slots[(uint32_t)names[j]].refs, 1, __ATOMIC_RELAXED);
    }
}

/* One call's part of at most AT_ONCE tasks. *got: how many were spawned. */
static heddle_status spawn_part(heddle_pool *p, const heddle_pool_task *t, const uint8_t *args, size_t stride,
                                uint32_t n, heddle_handle *handles, uint32_t *got)
{
    heddle_handle names[HEDDLE_POOL_MOST_AFTER];
    uint32_t slots[AT_ONCE], n_names, k;
    heddle_status s;
    *got = 0;
    if (t->time_limit_ms || p->config.time_limit_ms)
        HD_TRY(hd_keeper_start(p));
    HD_TRY(name_all(p, t, names, &n_names));
    s = take(p, t, handles != NULL, n, slots, got);
    if (s != HEDDLE_OK) {
        unname(p, names, n_names);
        return s;
    }
    if (n_names)
        keep_names(p, slots, *got, names, n_names);
    for (k = 0; k < *got; k++) {
        if (handles)
            handles[k] = hd_slot_handle(&p->slots[slots[k]], slots[k]);
        if (p->slots[slots[k]].flags & HD_SLOT_WATCH)
            hd_keeper_count(p, 1);
    }
    send_all(p, t, args, stride, slots, *got, handles != NULL, names, n_names);
    return HEDDLE_OK;
}

static heddle_status spawn_all(heddle_pool *p, const heddle_pool_task *t, const void *args, size_t stride, size_t n,
                               heddle_handle *handles, size_t *n_out)
{
    size_t done = 0;
    uint32_t got;
    heddle_status s = HEDDLE_OK;
    while (s == HEDDLE_OK && done < n) {
        const uint32_t part = n - done < AT_ONCE ? (uint32_t)(n - done) : AT_ONCE;
        s = spawn_part(p, t, (const uint8_t *)args + done * stride, stride, part, handles ? handles + done : NULL,
                       &got);
        done += got;
    }
    if (n_out)
        *n_out = done;
    return s;
}

/* ---- the calls ----------------------------------------------------------------------------------------------------- */

/* Reads a caller's struct, which may be shorter or longer. */
static heddle_status read_task(heddle_pool_task *to, const heddle_pool_task *from, const char *call)
{
    *to = (heddle_pool_task)HEDDLE_POOL_TASK_INIT;
    if (!from)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: the task is NULL", call);
    if (from->size < sizeof(size_t) || from->size > 4096)
        return hd_say(NULL, HEDDLE_EINVAL, "%s: set the task up with HEDDLE_POOL_TASK_INIT", call);
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    return HEDDLE_OK;
}

HEDDLE_API heddle_status heddle_pool_spawn_many(heddle_pool *p, const heddle_pool_task *common, const void *args,
                                                size_t stride, size_t n, heddle_handle *handles, size_t *n_out)
{
    heddle_pool_task t;
    if (n_out)
        *n_out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_spawn_many"));
    HD_TRY(read_task(&t, common, "heddle_pool_spawn_many"));
    HD_TRY(check_task(p, &t));
    if (!args && n && t.arg_bytes)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_spawn_many: args is NULL");
    return spawn_all(p, &t, args, stride, n, handles, n_out);
}

HEDDLE_API heddle_status heddle_pool_spawn_task(heddle_pool *p, const heddle_pool_task *task, heddle_handle *out)
{
    heddle_pool_task t;
    uint32_t got;
    if (out)
        *out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_spawn_task"));
    HD_TRY(read_task(&t, task, "heddle_pool_spawn_task"));
    HD_TRY(check_task(p, &t));
    if (!t.args && t.arg_bytes)
        return hd_say(NULL, HEDDLE_EINVAL, "heddle_pool_spawn_task: args is NULL");
    return spawn_part(p, &t, t.args, 0, 1, out, &got);
}

HEDDLE_API heddle_status heddle_pool_spawn(heddle_pool *p, uint32_t body, const void *args, size_t arg_bytes,
                                           uint32_t team_size, heddle_handle *out)
{
    heddle_pool_task t = HEDDLE_POOL_TASK_INIT;
    t.body = body;
    t.args = args;
    t.arg_bytes = arg_bytes;
    t.team_size = team_size;
    return heddle_pool_spawn_task(p, &t, out);
}
