/* SPDX-License-Identifier: MIT */
/* memory.c - admission and waiting for memory (memory.h). */
#include "memory.h"

#include <string.h>

void share_memory_init(share_memory *m) { memset(m, 0, sizeof *m); }

void share_memory_gpu(share_memory *m, uint32_t gpu, uint64_t capacity_bytes) { m->capacity[gpu] = capacity_bytes; }

void share_memory_join(share_memory *m, uint32_t client, uint64_t declared_bytes)
{
    memset(&m->clients[client], 0, sizeof m->clients[client]);
    m->clients[client].is_here = 1;
    m->clients[client].joined = ++m->clock;
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++)
        m->clients[client].declared_bytes[g] = declared_bytes;
}

void share_memory_expect(share_memory *m, uint32_t client, uint32_t gpu, uint64_t n_bytes)
{
    m->clients[client].declared_bytes[gpu] = n_bytes;
    m->clients[client].is_known = 1;
}

void share_memory_patience(share_memory *m, uint32_t client, uint32_t ms) { m->clients[client].patience_ms = ms; }

void share_memory_used(share_memory *m, uint32_t client, uint32_t gpu, uint64_t n_bytes)
{
    m->clients[client].used_bytes[gpu] = n_bytes;
}

uint64_t share_memory_needed(const share_memory *m, uint32_t client, uint32_t gpu)
{
    uint64_t used = m->clients[client].used_bytes[gpu], peak = m->clients[client].declared_bytes[gpu];
    return used > peak ? used : peak;
}

static void answer(share_memory *m, uint32_t client, uint32_t gpu, uint32_t said)
{
    share_answer a = {client, gpu, m->clients[client].waits[gpu].seq, said};
    m->clients[client].waits[gpu].kind = SHARE_MEM_NO_WAIT;
    if (said == SHARE_MEM_TRY)
        m->clients[client].news &= ~(1u << gpu);
    if (m->n_answers < sizeof m->answers / sizeof m->answers[0])
        m->answers[m->n_answers++] = a;
}

/* ---- the line of those who declared ---- */

/* But for this client's; SHARE_MOST_CLIENTS: for nobody's. */
static uint64_t reserved_but(const share_memory *m, uint32_t gpu, uint32_t client)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++) {
        uint64_t used = m->clients[i].is_here && i != client ? m->clients[i].used_bytes[gpu] : 0;
        if (m->clients[i].is_here && i != client && (m->clients[i].is_admitted >> gpu & 1))
            used = share_memory_needed(m, i, gpu);
        sum = used > UINT64_MAX - sum ? UINT64_MAX : sum + used;
    }
    return sum;
}

uint64_t share_memory_reserved(const share_memory *m, uint32_t gpu) { return reserved_but(m, gpu, SHARE_MOST_CLIENTS); }

/* The one of a kind that has waited longest, or -1. */
static int longest(const share_memory *m, uint32_t gpu, share_mem_wait kind)
{
    int best = -1;
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (m->clients[i].is_here && m->clients[i].waits[gpu].kind == kind &&
            (best < 0 || m->clients[i].waits[gpu].since < m->clients[best].waits[gpu].since))
            best = i;
    return best;
}

static void let_in(share_memory *m, uint32_t client, uint32_t gpu)
{
    m->clients[client].is_admitted |= 1u << gpu;
    answer(m, client, gpu, SHARE_MEM_TRY);
}

/* What it has itself is a part of its peak. More than the GPU has is admitted when nobody else has any: then CUDA says what becomes of it. */
static void admit(share_memory *m, uint32_t gpu)
{
    int i;
    while ((i = longest(m, gpu, SHARE_MEM_LINE)) >= 0) {
        uint64_t taken = reserved_but(m, gpu, (uint32_t)i), wanted = share_memory_needed(m, (uint32_t)i, gpu);
        if (taken && (taken > m->capacity[gpu] || wanted > m->capacity[gpu] - taken))
            return;
        let_in(m, (uint32_t)i, gpu);
    }
}

void share_memory_idle(share_memory *m, uint64_t ms)
{
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++)
            if (m->clients[i].is_here && m->clients[i].is_known && m->clients[i].waits[g].kind == SHARE_MEM_LINE &&
                m->clients[i].patience_ms <= ms)
                let_in(m, i, g);
}

/* ---- those whose allocation failed ---- */

static int waits_for_any(const share_memory *m, uint32_t client)
{
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++)
        if (m->clients[client].waits[g].kind != SHARE_MEM_NO_WAIT)
            return 1;
    return 0;
}

/* It has what others wait for: to somebody in line a place counts, too. */
static int has_any(const share_memory *m, uint32_t client, uint32_t gpu, share_mem_wait kind)
{
    return m->clients[client].used_bytes[gpu] ||
           (kind == SHARE_MEM_LINE && (m->clients[client].is_admitted >> gpu & 1));
}

/* Somebody else has what this one waits for, and goes on by now. */
static int is_served(const share_memory *m, uint32_t client, uint32_t gpu, const uint8_t *goes)
{
    share_mem_wait kind = m->clients[client].waits[gpu].kind;
    for (uint32_t i = 0; kind != SHARE_MEM_NO_WAIT && i < SHARE_MOST_CLIENTS; i++)
        if (i != client && goes[i] && has_any(m, i, gpu, kind))
            return 1;
    return 0;
}

/* A client goes on when it does not wait, or waits for one that goes on. */
static void find_going(const share_memory *m, uint8_t goes[SHARE_MOST_CLIENTS])
{
    int n_new = 1;
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        goes[i] = m->clients[i].is_here && !waits_for_any(m, i);
    while (n_new) {
        n_new = 0;
        for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
            for (uint32_t g = 0; m->clients[i].is_here && !goes[i] && g < SHARE_MOST_LINKS; g++)
                goes[i] = is_served(m, i, g, goes), n_new += goes[i];
    }
}

/* Of those who wait for more, the youngest that has memory of its own, or else the youngest; -1: nobody waits. */
static int youngest(const share_memory *m, uint32_t gpu)
{
    int best = -1;
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++) {
        int has = m->clients[i].used_bytes[gpu] != 0, best_has = best >= 0 && m->clients[best].used_bytes[gpu] != 0;
        if (m->clients[i].is_here && m->clients[i].waits[gpu].kind == SHARE_MEM_MORE &&
            (best < 0 || has > best_has || (has == best_has && m->clients[i].joined > m->clients[best].joined)))
            best = i;
    }
    return best;
}

/* Those that wait for more and have news. */
static void retry(share_memory *m, uint32_t gpu)
{
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (m->clients[i].is_here && m->clients[i].waits[gpu].kind == SHARE_MEM_MORE && (m->clients[i].news >> gpu & 1))
            answer(m, i, gpu, SHARE_MEM_TRY);
}

/* Of those in line that nobody serves, the one that has waited longest, and its GPU. */
static int stuck_in_line(const share_memory *m, const uint8_t *goes, uint32_t *gpu)
{
    int best = -1;
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++) {
        int i = longest(m, g, SHARE_MEM_LINE);
        if (i >= 0 && !is_served(m, (uint32_t)i, g, goes) &&
            (best < 0 || m->clients[i].waits[g].since < m->clients[best].waits[*gpu].since))
            best = i, *gpu = g;
    }
    return best;
}

/* Where nobody with memory goes on, one that waits for more gives up, and may then free what it has. When none does, programs that stand in
 * line wait for one another, and the first one is let in. 1: somebody was answered. */
static int end_circle(share_memory *m)
{
    uint8_t goes[SHARE_MOST_CLIENTS];
    uint32_t gpu = 0;
    int i;
    find_going(m, goes);
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++)
        if ((i = youngest(m, g)) >= 0 && !is_served(m, (uint32_t)i, g, goes)) {
            answer(m, (uint32_t)i, g, SHARE_MEM_NEVER);
            return 1;
        }
    i = stuck_in_line(m, goes, &gpu);
    if (i >= 0)
        let_in(m, (uint32_t)i, gpu);
    return i >= 0;
}

/* Nothing follows where nobody waits, which is nearly always. */
void share_memory_settle(share_memory *m)
{
    if (!share_memory_is_wanted(m))
        return;
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++) {
        retry(m, g);
        admit(m, g);
    }
    while (share_memory_is_wanted(m) && end_circle(m))
        ;
}

void share_memory_ask(share_memory *m, uint32_t client, uint32_t gpu, uint32_t seq, uint64_t n_bytes, int is_first)
{
    m->clients[client].waits[gpu].kind = !n_bytes ? SHARE_MEM_NO_WAIT : is_first ? SHARE_MEM_LINE : SHARE_MEM_MORE;
    m->clients[client].waits[gpu].seq = seq, m->clients[client].waits[gpu].n_bytes = n_bytes;
    m->clients[client].waits[gpu].since = ++m->clock;
    if (is_first && n_bytes && !m->clients[client].declared_bytes[gpu])
        answer(m, client, gpu, SHARE_MEM_TRY);
    share_memory_settle(m);
}

/* To its own next ask it is no news: the driver refused after that, or as it would without a daemon. */
void share_memory_freed(share_memory *m, uint32_t client, uint32_t gpu)
{
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (i != client || m->clients[i].waits[gpu].kind == SHARE_MEM_MORE)
            m->clients[i].news |= 1u << gpu;
}

void share_memory_leave(share_memory *m, uint32_t client)
{
    m->clients[client].is_here = 0;
    for (uint32_t g = 0; g < SHARE_MOST_LINKS; g++)
        if (m->clients[client].used_bytes[g] || (m->clients[client].is_admitted >> g & 1))
            share_memory_freed(m, client, g);
    share_memory_settle(m);
}

int share_memory_is_wanted(const share_memory *m)
{
    for (uint32_t i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (m->clients[i].is_here && waits_for_any(m, i))
            return 1;
    return 0;
}
