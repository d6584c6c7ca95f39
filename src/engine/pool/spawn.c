/* SPDX-License-Identifier: MIT */
/* spawn.c - spawning into a pool: arguments are checked, and what a task waits for is found. */
#include "engine/pool/pool.h"

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

static inline heddle_status check_body(const heddle_pool *p, uint32_t number, size_t arg_bytes, uint32_t n_blocks)
{
    const heddle_table *table = p->graph->g.table;
    const heddle_body_info *body;
    if (number >= table->n_bodies)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: table %s has %u bodies, there is no body %u", table->name,
                      table->n_bodies, number);
    body = &table->bodies[number];
    if (arg_bytes != body->arg_bytes)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: body %s takes %u argument bytes, not %zu", body->name,
                      body->arg_bytes, arg_bytes);
    if (p->words->no_spawns && body->n_children)
        return hd_say(NULL, HEDDLE_ENODEV, "a pool: body %s spawns tasks; backend %s has no workers that run them",
                      body->name, heddle_backend_name(p->backend->kind));
    if (n_blocks > 1 && body->n_children)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: body %s spawns tasks, so a task of it has one block, not %u",
                      body->name, n_blocks);
    return HEDDLE_OK;
}

static heddle_status check_ranges(const heddle_pool_task *t)
{
    size_t i;
    if (t->n_ranges && !t->ranges)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: ranges is NULL, and n_ranges %zu", t->n_ranges);
    for (i = 0; i < t->n_ranges; i++)
        HD_TRY(hd_range_check(&t->ranges[i], hd_thread_error()));
    return HEDDLE_OK;
}

static heddle_status check_copy(const heddle_pool_task *t, const heddle_pool_copy *c)
{
    const heddle_range r = {c->host, c->n_bytes, 1, 0, c->mode};
    HD_TRY(hd_range_check(&r, hd_thread_error()));
    if (!c->host || c->reserved)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: a copy %s",
                      c->host ? "with a reserved field that is not zero" : "of host memory at NULL");
    if (c->at % sizeof(void *) || t->arg_bytes < sizeof(void *) || c->at > t->arg_bytes - sizeof(void *))
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: a copy's pointer at byte %u of %zu argument bytes", c->at,
                      t->arg_bytes);
    return HEDDLE_OK;
}

static heddle_status check_copies(const heddle_pool *p, const heddle_pool_task *t)
{
    size_t i;
    if (t->n_copies && !t->copies)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: copies is NULL, and n_copies %zu", t->n_copies);
    if (t->n_copies > p->config.most_copies)
        return hd_say(NULL, HEDDLE_ERANGE,
                      "a pool: a task with %zu copies; %u are the most (most_copies of the config)", t->n_copies,
                      p->config.most_copies);
    for (i = 0; i < t->n_copies; i++)
        HD_TRY(check_copy(t, &t->copies[i]));
    return HEDDLE_OK;
}

static heddle_status check_task(const heddle_pool *p, const heddle_pool_task *t)
{
    HD_TRY(check_body(p, t->body, t->arg_bytes, t->n_blocks));
    HD_TRY(check_team(p, t->team_size));
    if (t->flags & ~(HEDDLE_POOL_TRY | HEDDLE_POOL_NOTIFY))
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: flags 0x%x are not known", t->flags);
    if (t->shared_bytes > hd_pool_shared_bytes(p))
        return hd_say(
            NULL, HEDDLE_ERANGE,
            "a pool: a task with %u bytes of block-shared memory; %u are the most (shared_bytes of the config)",
            t->shared_bytes, hd_pool_shared_bytes(p));
    if (t->n_after > HEDDLE_POOL_MOST_AFTER)
        return hd_say(NULL, HEDDLE_ERANGE, "a pool: a task that waits for %zu others; %u are the most", t->n_after,
                      HEDDLE_POOL_MOST_AFTER);
    if (t->n_after && !t->after)
        return hd_say(NULL, HEDDLE_EINVAL, "a pool: after is NULL, and n_after %zu", t->n_after);
    HD_TRY(check_ranges(t));
    return check_copies(p, t);
}

static heddle_status check_args(const void *args, size_t arg_bytes, const char *call)
{
    return args || !arg_bytes ? HEDDLE_OK : hd_say(NULL, HEDDLE_EINVAL, "%s: args is NULL", call);
}

/* ---- the tasks that it waits for ---------------------------------------------------------------------------------- */

static heddle_status name_all(heddle_pool *p, const heddle_pool_task *t, heddle_handle *names, uint32_t *n)
{
    size_t k;
    *n = 0;
    for (k = 0; k < t->n_after; k++) {
        const int said = hd_name(p, t->after[k], HD_SLOT_HANDLE);
        if (said < 0) {
            hd_unname(p, names, *n);
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

/* ---- spawning ----------------------------------------------------------------------------------------------------- */

/* Tasks that wait for handles. *got: how many were spawned. */
static heddle_status spawn_after(heddle_pool *p, hd_request *q, heddle_handle *handles, uint32_t *got)
{
    heddle_handle names[HEDDLE_POOL_MOST_AFTER];
    HD_TRY(name_all(p, q->task, names, &q->sent.n_after));
    q->sent.after = names;
    return hd_request_send(p, q, handles, got);
}

/* One task that names ranges, too. */
static heddle_status spawn_ordered(heddle_pool *p, hd_request *q, heddle_handle *out, uint32_t *got)
{
    heddle_handle names[HEDDLE_POOL_MOST_AFTER], h;
    heddle_status s;
    HD_TRY(name_all(p, q->task, names, &q->sent.n_after));
    s = hd_order_begin(p, q, names);
    if (s != HEDDLE_OK)
        return s;
    q->n = 1;
    q->slot.flags |= HD_SLOT_ORDERED;
    q->sent.flags |= HD_TASK_PINNED;
    s = hd_request_send(p, q, &h, got);
    hd_order_end(p, s == HEDDLE_OK ? h : 0);
    if (s == HEDDLE_OK && out)
        *out = h;
    return s;
}

static heddle_status spawn_request(heddle_pool *p, hd_request *q, heddle_handle *handles, uint32_t *got)
{
    return q->task->n_ranges ? spawn_ordered(p, q, handles, got) : spawn_after(p, q, handles, got);
}

/* One task with copies. */
static heddle_status spawn_copied(heddle_pool *p, hd_request *q, heddle_handle *out, uint32_t *got)
{
    hd_copied c;
    heddle_status s;
    HD_TRY(hd_copies_begin(p, q->task, q->sent.args, &c));
    q->n = 1;
    q->sent.args = c.args;
    q->sent.copies = c.staged;
    q->sent.flags |= c.n_staged << HD_TASK_COPIES;
    q->slot.bounces = c.bounces;
    s = spawn_request(p, q, out, got);
    hd_copies_end(p, &c, s == HEDDLE_OK);
    return s;
}

static inline hd_slot slot_of(const heddle_pool *p, const heddle_pool_task *t, int with_handles)
{
    const uint32_t limit = t->time_limit_ms ? t->time_limit_ms : p->config.time_limit_ms;
    const uint32_t flags = (with_handles ? HD_SLOT_HANDLE : 0u) | (limit ? HD_SLOT_WATCH : 0u) |
                           (p->trace ? HD_SLOT_TRACED : 0u) |
                           (t->flags & HEDDLE_POOL_NOTIFY ? HD_SLOT_NOTIFY | HD_SLOT_WATCH : 0u);
    return (hd_slot){.flags = (uint16_t)flags, .body = (uint16_t)t->body, .time_limit_ms = limit, .user = t->user};
}

static inline hd_sent sent_of(const heddle_pool *p, const heddle_pool_task *t, const void *args, int with_handles)
{
    const uint32_t team_size = t->team_size ? t->team_size : p->config.team_size;
    return (hd_sent){.body = t->body,
                     .flags = (with_handles ? HD_TASK_PINNED : 0u) | (t->urgent ? HD_TASK_URGENT : 0u) |
                              team_size / 32u << HD_TASK_TEAM | (t->flags & HEDDLE_POOL_NOTIFY ? HD_TASK_NOTIFY : 0u),
                     .n_blocks = t->n_blocks ? t->n_blocks : 1u,
                     .team_size = team_size,
                     .arg_bytes = (uint32_t)t->arg_bytes,
                     .args = args};
}

static heddle_status begin_limits(heddle_pool *p)
{
    if (p->words->no_limits)
        return hd_say(NULL, HEDDLE_ENODEV, "a pool: a task with a time limit; there are none in mode table");
    return hd_keeper_start(p);
}

/* One call's part of at most HD_AT_ONCE tasks. Inline: in heddle_pool_spawn most of t is known to be zero. */
static inline __attribute__((always_inline)) heddle_status spawn_part(heddle_pool *p, const heddle_pool_task *t,
                                                                      const uint8_t *args, size_t stride, uint32_t n,
                                                                      heddle_handle *handles, uint32_t *got)
{
    const int has_copies = t->n_copies != 0, is_ordered = t->n_ranges || t->n_after;
    hd_request q = {.stride = stride,
                    .n = n,
                    .tries = t->flags & HEDDLE_POOL_TRY,
                    .slot = slot_of(p, t, handles != NULL),
                    .sent = sent_of(p, t, args, handles != NULL)};
    *got = 0;
    if (!__atomic_load_n(&p->window_ns, __ATOMIC_RELAXED))
        hd_window_begin(p);
    if (q.slot.time_limit_ms)
        HD_TRY(begin_limits(p));
    if (has_copies || is_ordered)
        q.task = t;
    if (has_copies)
        return spawn_copied(p, &q, handles, got);
    return is_ordered ? spawn_request(p, &q, handles, got) : hd_request_send(p, &q, handles, got);
}

static heddle_status spawn_all(heddle_pool *p, const heddle_pool_task *t, const void *args, size_t stride, size_t n,
                               heddle_handle *handles, size_t *n_out)
{
    size_t done = 0;
    uint32_t got;
    heddle_status s = HEDDLE_OK;
    while (s == HEDDLE_OK && done < n) {
        const uint32_t part = n - done < HD_AT_ONCE ? (uint32_t)(n - done) : HD_AT_ONCE;
        s = spawn_part(p, t, (const uint8_t *)args + done * stride, stride, part, handles ? handles + done : NULL,
                       &got);
        done += got;
    }
    if (n_out)
        *n_out = done;
    return s;
}

/* ---- the calls ----------------------------------------------------------------------------------------------------- */

/* The caller's struct, or its known part in `room`. NULL: it is none, with a sentence. */
static const heddle_pool_task *read_task(const heddle_pool_task *from, heddle_pool_task *room, const char *call)
{
    if (from && from->size == sizeof *from)
        return from;
    if (!from || from->size < sizeof(size_t) || from->size > 4096) {
        (void)hd_say(NULL, HEDDLE_EINVAL,
                     from ? "%s: set the task up with HEDDLE_POOL_TASK_INIT" : "%s: the task is NULL", call);
        return NULL;
    }
    *room = (heddle_pool_task)HEDDLE_POOL_TASK_INIT;
    memcpy(room, from, from->size < sizeof *room ? from->size : sizeof *room);
    return room;
}

HEDDLE_API heddle_status heddle_pool_spawn_many(heddle_pool *p, const heddle_pool_task *common, const void *args,
                                                size_t stride, size_t n, heddle_handle *handles, size_t *n_out)
{
    heddle_pool_task room;
    const heddle_pool_task *t;
    if (n_out)
        *n_out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_spawn_many"));
    t = read_task(common, &room, "heddle_pool_spawn_many");
    HD_TRY(t ? check_task(p, t) : HEDDLE_EINVAL);
    HD_TRY(n ? check_args(args, t->arg_bytes, "heddle_pool_spawn_many") : HEDDLE_OK);
    return spawn_all(p, t, args, stride, n, handles, n_out);
}

HEDDLE_API heddle_status heddle_pool_spawn_task(heddle_pool *p, const heddle_pool_task *task, heddle_handle *out)
{
    heddle_pool_task room;
    const heddle_pool_task *t;
    uint32_t got;
    if (out)
        *out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_spawn_task"));
    t = read_task(task, &room, "heddle_pool_spawn_task");
    HD_TRY(t ? check_task(p, t) : HEDDLE_EINVAL);
    HD_TRY(check_args(t->args, t->arg_bytes, "heddle_pool_spawn_task"));
    return spawn_part(p, t, t->args, 0, 1, out, &got);
}

HEDDLE_API heddle_status heddle_pool_spawn(heddle_pool *p, uint32_t body, const void *args, size_t arg_bytes,
                                           uint32_t team_size, heddle_handle *out)
{
    heddle_pool_task t;
    uint32_t got;
    if (out)
        *out = 0;
    HD_TRY(hd_pool_usable(p, "heddle_pool_spawn"));
    HD_TRY(check_body(p, body, arg_bytes, 1));
    HD_TRY(check_team(p, team_size));
    HD_TRY(check_args(args, arg_bytes, "heddle_pool_spawn"));
    t = (heddle_pool_task){
        .size = sizeof t, .body = body, .team_size = team_size, .args = args, .arg_bytes = arg_bytes};
    return spawn_part(p, &t, args, 0, 1, out, &got);
}
