/* SPDX-License-Identifier: MIT */
/* accounts.c - random clients against the state machine of memory, and cases by hand. After every event: what was
 * promised fits together; while anybody waits for more, somebody with memory goes on; each wait is answered once; what is promised or taken
 * is what the clients that are here have, as the test counts it; in the end each that comes gets all. */
#include "memory.h"

#include "check.h"

#include <string.h>

enum { N_CLIENTS = 8, GB = 1 << 10, N_EVENTS = 200000 };

static share_memory m;
static uint64_t state;
static uint32_t seq_of[N_CLIENTS]; /* 0: it does not wait */
static uint64_t n_tries, n_nevers;

/* As the test knows it: what was told of each client's life, and nothing of the one before. */
static struct account {
    uint64_t declared_bytes, used_bytes;
    int is_admitted, stands_in_line;
} accounts[N_CLIENTS];

static void hear_all(void)
{
    for (uint32_t i = 0; i < m.n_answers; i++) {
        share_answer *x = &m.answers[i];
        if (!m.clients[x->client].is_here)
            continue;
        CHECK_MSG(seq_of[x->client] == x->seq, "client %u answered %u, waits for %u", x->client, x->seq,
                  seq_of[x->client]);
        seq_of[x->client] = 0;
        accounts[x->client].is_admitted |= accounts[x->client].stands_in_line;
        accounts[x->client].stands_in_line = 0;
        n_tries += x->said == SHARE_MEM_TRY, n_nevers += x->said == SHARE_MEM_NEVER;
    }
    m.n_answers = 0;
}

static uint64_t taken(const struct account *x)
{
    return x->is_admitted && x->declared_bytes > x->used_bytes ? x->declared_bytes : x->used_bytes;
}

static void check(void)
{
    uint64_t promised = 0, sum = 0;
    int n_admitted = 0, n_more = 0, n_going = 0;
    for (int i = 0; i < N_CLIENTS; i++)
        sum += taken(&accounts[i]);
    CHECK_MSG(share_memory_reserved(&m, 0) == sum, "%llu are taken, not %llu",
              (unsigned long long)share_memory_reserved(&m, 0), (unsigned long long)sum);
    for (int i = 0; i < N_CLIENTS; i++) {
        int is_in = m.clients[i].is_here && (m.clients[i].is_admitted & 1);
        CHECK((m.clients[i].is_here && m.clients[i].waits[0].kind != SHARE_MEM_NO_WAIT) ==
              (m.clients[i].is_here && seq_of[i] != 0));
        promised += is_in ? m.clients[i].declared_bytes[0] : 0;
        n_admitted += is_in;
        n_more += m.clients[i].is_here && m.clients[i].waits[0].kind == SHARE_MEM_MORE;
        n_going +=
            m.clients[i].is_here && m.clients[i].waits[0].kind == SHARE_MEM_NO_WAIT && m.clients[i].used_bytes[0];
    }
    CHECK(promised <= m.capacity[0] || n_admitted == 1);
    CHECK_MSG(!n_more || n_going, "%d wait for memory that nobody frees", n_more);
}

static void ask(int i, int is_first)
{
    static uint32_t seq;
    if (seq_of[i])
        return;
    seq_of[i] = ++seq;
    accounts[i].stands_in_line = is_first;
    share_memory_ask(&m, (uint32_t)i, 0, seq, check_below(&state, GB) + 1, is_first);
}

static void event(int i, uint64_t what)
{
    if (!m.clients[i].is_here) {
        seq_of[i] = 0;
        accounts[i].declared_bytes = check_below(&state, 2) ? check_below(&state, 2 * GB) + 1 : 0;
        share_memory_join(&m, (uint32_t)i, accounts[i].declared_bytes);
    } else if (what < 5) {
        share_memory_leave(&m, (uint32_t)i);
        seq_of[i] = 0;
        accounts[i] = (struct account){.is_admitted = 0};
    } else if (what < 40 && m.clients[i].declared_bytes[0] && !(m.clients[i].is_admitted & 1))
        ask(i, 1);
    else if (what < 60)
        ask(i, 0);
    else if (what < 70 && seq_of[i]) {
        share_memory_ask(&m, (uint32_t)i, 0, seq_of[i], 0, 0); /* it has waited long enough */
        seq_of[i] = accounts[i].stands_in_line = 0;
    } else if (!seq_of[i]) {
        uint64_t before = m.clients[i].used_bytes[0], after = check_below(&state, GB / 2);
        share_memory_used(&m, (uint32_t)i, 0, after);
        accounts[i].used_bytes = after;
        if (after < before || !after)
            share_memory_freed(&m, (uint32_t)i, 0);
        share_memory_settle(&m);
    }
}

static void play(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 2 * GB);
    for (int e = 0; e < N_EVENTS / (CHECK_IS_SLOW ? 4 : 1); e++) {
        event((int)check_below(&state, N_CLIENTS), check_below(&state, 100));
        hear_all();
        check();
    }
    for (int i = 0; i < N_CLIENTS; i++)
        if (m.clients[i].is_here)
            share_memory_leave(&m, (uint32_t)i);
    m.n_answers = 0;
    for (uint32_t i = 0; i < N_CLIENTS; i++) { /* those who come next want all, one after the other */
        share_memory_join(&m, i, 2 * GB);
        share_memory_ask(&m, i, 0, 1, 1, 1);
        CHECK(m.n_answers == 1); /* the first one has it */
    }
    for (uint32_t i = 0; i < N_CLIENTS; m.n_answers = 0, share_memory_leave(&m, i++))
        CHECK(m.n_answers == 1 && m.answers[0].client == i && m.answers[0].said == SHARE_MEM_TRY);
}

static uint32_t said_to(uint32_t client)
{
    uint32_t said = 99;
    for (uint32_t i = 0; i < m.n_answers; i++)
        if (m.answers[i].client == client)
            said = m.answers[i].said;
    return said;
}

/* Two that fit together are admitted; the third waits for one to leave, and a small one behind it does not pass it. */
static void of_the_line(void)
{
    static const uint64_t declared[] = {10, 6, 8, 1};
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    for (uint32_t i = 0; i < 4; i++) {
        share_memory_join(&m, i, declared[i]);
        share_memory_ask(&m, i, 0, i + 1, 1, 1);
    }
    CHECK(said_to(0) == SHARE_MEM_TRY && said_to(1) == SHARE_MEM_TRY && said_to(2) == 99 && said_to(3) == 99);
    share_memory_leave(&m, 0);
    CHECK(said_to(2) == SHARE_MEM_TRY && said_to(3) == SHARE_MEM_TRY);
}

/* What one has before it is admitted is a part of its peak: it does not wait for itself, and others may not have that part. */
static void of_its_own(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    share_memory_join(&m, 0, 14);
    share_memory_used(&m, 0, 0, 5);
    share_memory_ask(&m, 0, 0, 1, 1, 1);
    CHECK(said_to(0) == SHARE_MEM_TRY && share_memory_reserved(&m, 0) == 14);
    share_memory_join(&m, 1, 3);
    share_memory_used(&m, 1, 0, 1);
    share_memory_ask(&m, 1, 0, 2, 1, 1);
    CHECK(said_to(1) == 99);
    share_memory_leave(&m, 0);
    CHECK(said_to(1) == SHARE_MEM_TRY);
}

/* All with memory wait: the youngest hears that there is none, and the others are answered when it has freed its own. */
static void of_the_circle(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        share_memory_join(&m, i, 0);
        share_memory_used(&m, i, 0, 5);
    }
    share_memory_ask(&m, 0, 0, 1, 4, 0);
    share_memory_ask(&m, 2, 0, 2, 4, 0);
    CHECK(m.n_answers == 0);
    share_memory_ask(&m, 1, 0, 3, 4, 0);
    CHECK(m.n_answers == 1 && said_to(2) == SHARE_MEM_NEVER);
    m.n_answers = 0;
    share_memory_leave(&m, 2);
    CHECK(said_to(0) == SHARE_MEM_TRY && said_to(1) == SHARE_MEM_TRY);
}

/* Alone nobody can free anything. */
static void of_one(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    share_memory_join(&m, 0, 0);
    share_memory_ask(&m, 0, 0, 1, 40, 0);
    CHECK(said_to(0) == SHARE_MEM_NEVER);
    m.n_answers = 0;
    share_memory_join(&m, 2, 0); /* of which nothing is known: it need not stand in line */
    share_memory_ask(&m, 2, 0, 7, 40, 1);
    CHECK(said_to(2) == SHARE_MEM_TRY && m.n_answers == 1 && !share_memory_is_wanted(&m));
    share_memory_join(&m, 1, 40); /* more than there is: CUDA says so */
    share_memory_ask(&m, 1, 0, 1, 40, 1);
    CHECK(said_to(1) == SHARE_MEM_TRY);
}

/* A peak that is known of one GPU counts on that one. */
static void of_the_known(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    share_memory_gpu(&m, 1, 16);
    for (uint32_t i = 0; i < 2; i++) {
        share_memory_join(&m, i, 0);
        share_memory_expect(&m, i, 0, 10);
        share_memory_ask(&m, i, 1, 10 + i, 1, 1);
        share_memory_ask(&m, i, 0, 20 + i, 1, 1);
    }
    CHECK(m.n_answers == 3 && m.clients[1].waits[0].kind == SHARE_MEM_LINE && share_memory_reserved(&m, 0) == 10 &&
          share_memory_reserved(&m, 1) == 0);
    m.n_answers = 0;
    share_memory_leave(&m, 0);
    CHECK(said_to(1) == SHARE_MEM_TRY);
}

/* Threads of a client wait for memory of two GPUs at a time, each for its own answer. */
static void of_two_gpus(void)
{
    share_memory_init(&m);
    for (uint32_t g = 0; g < 2; g++) {
        share_memory_gpu(&m, g, 16);
        share_memory_join(&m, g, 10);
        share_memory_ask(&m, g, g, 1, 1, 1);
    }
    CHECK(m.n_answers == 2);
    m.n_answers = 0;
    share_memory_join(&m, 2, 10);
    share_memory_ask(&m, 2, 0, 5, 1, 1);
    share_memory_ask(&m, 2, 1, 6, 1, 1);
    CHECK(m.n_answers == 0);
    share_memory_leave(&m, 0);
    CHECK(m.n_answers == 1 && m.answers[0].client == 2 && m.answers[0].gpu == 0 && m.answers[0].seq == 5);
    CHECK(share_memory_is_wanted(&m));
    share_memory_leave(&m, 1);
    CHECK(m.n_answers == 2 && m.answers[1].client == 2 && m.answers[1].gpu == 1 && m.answers[1].seq == 6);
    CHECK(!share_memory_is_wanted(&m));
}

/* Nobody works: one that stands there for a known peak goes on after a while, one that declared it does not. */
static void of_those_who_wait_for_one_another(void)
{
    share_memory_init(&m);
    share_memory_gpu(&m, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        share_memory_join(&m, i, i < 2 ? 10 : 0);
        share_memory_patience(&m, i, 100);
        if (i == 2)
            share_memory_expect(&m, i, 0, 10);
        share_memory_ask(&m, i, 0, 1 + i, 1, 1);
    }
    CHECK(m.n_answers == 1 && said_to(0) == SHARE_MEM_TRY);
    m.n_answers = 0;
    share_memory_idle(&m, 99);
    CHECK(m.n_answers == 0);
    share_memory_idle(&m, 100);
    CHECK(m.n_answers == 1 && said_to(2) == SHARE_MEM_TRY);
    share_memory_idle(&m, 100);
    CHECK(m.n_answers == 1);
}

int main(void)
{
    state = check_seed(21);
    of_the_line();
    of_its_own();
    of_the_circle();
    of_one();
    of_the_known();
    of_two_gpus();
    of_those_who_wait_for_one_another();
    play();
    printf("%llu told to try, %llu that there is none\n", (unsigned long long)n_tries, (unsigned long long)n_nevers);
    CHECK(n_tries > 500 && n_nevers > 100);
    return 0;
}
