/* SPDX-License-Identifier: MIT */
/* accounts.c - random clients with two GPUs against the state machine of memory, and cases by hand. After every event: what was
 * promised fits together, unless those who have the rest could not go on; nobody waits for those who wait for it; each wait is answered once; what is
 * promised or taken is what the clients that are here have, as the test counts it; in the end each that comes gets all. */
#include "memory.h"

#include "check.h"

#include <string.h>

enum { N_CLIENTS = 8, N_GPUS = 2, GB = 1 << 10, N_EVENTS = 200000 };

static share_memory m;
static uint64_t state;
static uint32_t seq_of[N_CLIENTS][N_GPUS]; /* 0: it does not wait */
static uint64_t n_tries, n_nevers, n_beyond;

/* As the test knows it: what was told of each client's life, and nothing of the one before. */
static struct account {
    uint64_t declared_bytes, used_bytes;
    int is_admitted, stands_in_line;
} accounts[N_CLIENTS][N_GPUS];

static uint64_t taken(const struct account *x)
{
    return x->is_admitted && x->declared_bytes > x->used_bytes ? x->declared_bytes : x->used_bytes;
}

static int waits(int i)
{
    int n = 0;
    for (int g = 0; g < N_GPUS; g++)
        n += seq_of[i][g] != 0;
    return n;
}

/* Somebody has what this one waits for, and goes on by now. */
static int is_served(int i, int g, const int *goes)
{
    int n = 0;
    for (int k = 0; k < N_CLIENTS; k++)
        n += k != i && goes[k] && (accounts[i][g].stands_in_line ? taken(&accounts[k][g]) : accounts[k][g].used_bytes);
    return n;
}

/* Lets all go on that can, in any order, and so often that all could. */
static void find_going(int goes[N_CLIENTS])
{
    for (int i = 0; i < N_CLIENTS; i++)
        goes[i] = m.clients[i].is_here && !waits(i);
    for (int round = 0; round < N_CLIENTS; round++)
        for (int i = 0; i < N_CLIENTS; i++)
            for (int g = 0; g < N_GPUS; g++)
                goes[i] |= seq_of[i][g] && is_served(i, g, goes);
}

static int fits(int i, int g)
{
    struct account mine = accounts[i][g];
    uint64_t others = 0;
    for (int k = 0; k < N_CLIENTS; k++)
        others += k != i ? taken(&accounts[k][g]) : 0;
    mine.is_admitted = 1;
    return !others || others + taken(&mine) <= m.capacity[g];
}

/* Answers are heard in the order in which they were given. */
static void hear(const share_answer *x)
{
    uint32_t *seq = &seq_of[x->client][x->gpu];
    struct account *mine = &accounts[x->client][x->gpu];
    int goes[N_CLIENTS];
    CHECK_MSG(*seq == x->seq, "client %u answered %u, waits for %u", x->client, x->seq, *seq);
    find_going(goes);
    if (mine->stands_in_line && !fits((int)x->client, (int)x->gpu)) {
        n_beyond++;
        CHECK(!is_served((int)x->client, (int)x->gpu, goes));
    }
    *seq = 0;
    mine->is_admitted |= mine->stands_in_line;
    mine->stands_in_line = 0;
    n_tries += x->said == SHARE_MEM_TRY, n_nevers += x->said == SHARE_MEM_NEVER;
}

static void hear_all(void)
{
    for (uint32_t i = 0; i < m.n_answers; i++)
        if (m.clients[m.answers[i].client].is_here)
            hear(&m.answers[i]);
    m.n_answers = 0;
}

static void check_circles(void)
{
    int goes[N_CLIENTS];
    find_going(goes);
    for (int i = 0; i < N_CLIENTS; i++)
        CHECK_MSG(goes[i] || !m.clients[i].is_here, "client %d waits for ever", i);
}

static void check_gpu(int g)
{
    uint64_t sum = 0;
    for (int i = 0; i < N_CLIENTS; i++) {
        sum += taken(&accounts[i][g]);
        CHECK((m.clients[i].is_here && m.clients[i].waits[g].kind != SHARE_MEM_NO_WAIT) == (seq_of[i][g] != 0));
    }
    CHECK_MSG(share_memory_reserved(&m, (uint32_t)g) == sum, "%llu are taken, not %llu",
              (unsigned long long)share_memory_reserved(&m, (uint32_t)g), (unsigned long long)sum);
}

static void check(void)
{
    for (int g = 0; g < N_GPUS; g++)
        check_gpu(g);
    check_circles();
}

static void ask(int i, int g, int is_first)
{
    static uint32_t seq;
    if (seq_of[i][g])
        return;
    seq_of[i][g] = ++seq;
    accounts[i][g].stands_in_line = is_first;
    share_memory_ask(&m, (uint32_t)i, (uint32_t)g, seq, check_below(&state, GB) + 1, is_first);
}

static void join(int i)
{
    uint64_t declared = check_below(&state, 2) ? check_below(&state, 2 * GB) + 1 : 0;
    memset(seq_of[i], 0, sizeof seq_of[i]);
    memset(accounts[i], 0, sizeof accounts[i]);
    for (int g = 0; g < N_GPUS; g++)
        accounts[i][g].declared_bytes = declared;
    share_memory_join(&m, (uint32_t)i, declared);
}

static void leave(int i)
{
    memset(seq_of[i], 0, sizeof seq_of[i]);
    memset(accounts[i], 0, sizeof accounts[i]);
    share_memory_leave(&m, (uint32_t)i);
}

/* It has more or less than before. */
static void use(int i, int g)
{
    uint64_t before = m.clients[i].used_bytes[g], after = check_below(&state, GB / 2);
    share_memory_used(&m, (uint32_t)i, (uint32_t)g, after);
    accounts[i][g].used_bytes = after;
    if (after < before || !after)
        share_memory_freed(&m, (uint32_t)i, (uint32_t)g);
    share_memory_settle(&m);
}

static void event(int i, int g, uint64_t what)
{
    if (!m.clients[i].is_here)
        join(i);
    else if (what < 5)
        leave(i);
    else if (what < 40 && m.clients[i].declared_bytes[g] && !(m.clients[i].is_admitted >> g & 1))
        ask(i, g, 1);
    else if (what < 60)
        ask(i, g, 0);
    else if (what < 70 && seq_of[i][g]) {
        uint32_t seq = seq_of[i][g]; /* it has waited long enough */
        seq_of[i][g] = 0, accounts[i][g].stands_in_line = 0;
        share_memory_ask(&m, (uint32_t)i, (uint32_t)g, seq, 0, 0);
    } else if (!seq_of[i][g])
        use(i, g);
}

static void play(void)
{
    share_memory_init(&m);
    for (uint32_t g = 0; g < N_GPUS; g++)
        share_memory_gpu(&m, g, 2 * GB);
    for (int e = 0; e < N_EVENTS / (CHECK_IS_SLOW ? 4 : 1); e++) {
        event((int)check_below(&state, N_CLIENTS), (int)check_below(&state, N_GPUS), check_below(&state, 100));
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

/* Two with two GPUs, each with a place, or memory, on one: they ask for the other one. */
static void two_with_two_gpus(void)
{
    share_memory_init(&m);
    for (uint32_t g = 0; g < 2; g++) {
        share_memory_gpu(&m, g, 16);
        share_memory_join(&m, g, 10);
        share_memory_ask(&m, g, g, 1 + g, 1, 1);
        share_memory_used(&m, g, g, 10);
    }
    CHECK(m.n_answers == 2);
    m.n_answers = 0;
    share_memory_ask(&m, 0, 1, 3, 1, 1);
    CHECK(m.n_answers == 0);
}

/* Both stand in line: the one that came first is let in. One waits for more: it hears that there is none, and the other goes on in its line. */
static void of_those_who_have_a_gpu_each(void)
{
    two_with_two_gpus();
    share_memory_ask(&m, 1, 0, 4, 1, 1);
    CHECK(m.n_answers == 1 && said_to(0) == SHARE_MEM_TRY && m.answers[0].gpu == 1);
    m.n_answers = 0;
    share_memory_leave(&m, 0);
    CHECK(said_to(1) == SHARE_MEM_TRY);
    two_with_two_gpus();
    share_memory_ask(&m, 1, 0, 4, 10, 0);
    CHECK(m.n_answers == 1 && said_to(1) == SHARE_MEM_NEVER);
    two_with_two_gpus(); /* the same, the other way round */
    share_memory_join(&m, 2, 10);
    share_memory_ask(&m, 0, 1, 3, 0, 0);
    share_memory_ask(&m, 1, 0, 4, 10, 0);
    CHECK(m.n_answers == 0);
    share_memory_ask(&m, 0, 1, 5, 1, 1);
    CHECK(m.n_answers == 1 && said_to(1) == SHARE_MEM_NEVER);
}

/* One waits for a third that goes on: those that wait for this one are not told that there is none, and are not let in. */
static void of_a_chain(void)
{
    two_with_two_gpus();
    share_memory_join(&m, 2, 10);
    share_memory_ask(&m, 2, 0, 7, 1, 1);
    share_memory_join(&m, 3, 0);
    share_memory_ask(&m, 3, 0, 8, 1, 0);
    CHECK(m.n_answers == 0);
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
    of_those_who_have_a_gpu_each();
    of_a_chain();
    of_those_who_wait_for_one_another();
    play();
    printf("%llu told to try, %llu that there is none, %llu let in beyond their turn\n", (unsigned long long)n_tries,
           (unsigned long long)n_nevers, (unsigned long long)n_beyond);
    CHECK(n_tries > 500 && n_nevers > 100 && n_beyond > 0);
    return 0;
}
