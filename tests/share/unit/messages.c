/* SPDX-License-Identifier: MIT */
/* messages.c - random messages of several clients, straight into the daemon: right ones, wrong ones, pages that change under it. It
 * drops a peer that sends what cannot be, and no other; turns stay single; when all are gone, nothing is held or counted: those who come next get
 * the whole GPU and the turn, one after the other.
 *
 * HEDDLE_SHARE_MESSAGES says how many (200,000). The daemon's source is a part of this file: its loop is not called. */
#include "memory.h"

/* Something may happen to pages between what the daemon reads and what it writes. */
static void (*meanwhile)(void);
static void ask_memory(share_memory *m, uint32_t client, uint32_t gpu, uint32_t seq, uint64_t n_bytes, int is_first)
{
    share_memory_ask(m, client, gpu, seq, n_bytes, is_first);
    if (meanwhile)
        meanwhile();
}
#define share_memory_ask ask_memory
#include "daemon.c"

#include "check.h"

#include <dirent.h>

#include <sys/mman.h>

enum { N_PEERS = 6, GPU_BYTES = 1 << 30 };

static daemon_state d;
static int others[N_PEERS]; /* the client's ends of the sockets */
static uint64_t state, n_sent, n_dropped, n_hellos;

static int page(int seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0 && !ftruncate(fd, SHARE_PAGE_BYTES) && !fcntl(fd, F_ADD_SEALS, seals));
    return fd;
}

/* Its page is sealed as it must be, or not. */
static void connect_peer(int i, uint32_t class_, uint64_t program, uint64_t memory_bytes, int is_sealed)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_HELLO};
    int ends[2];
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
    share_peer_init(&d.peers[i], ends[0], share_now_ns());
    others[i] = ends[1];
    m.u.hello.class_ = class_, m.u.hello.program = program, m.u.hello.memory_bytes = memory_bytes;
    memset(m.u.hello.name, 'x', sizeof m.u.hello.name); /* without an end */
    message(&d, &d.peers[i], &m, page(is_sealed ? F_SEAL_SHRINK | F_SEAL_GROW : F_SEAL_GROW));
    for (uint32_t g = 0; g < 2; g++) {
        share_message use = {.version = SHARE_VERSION,
                             .type = SHARE_GPU,
                             .u.gpu = {.gpu = g, .uuid = {(uint8_t)g}, .memory_bytes = GPU_BYTES}};
        if (!d.peers[i].is_bad)
            message(&d, &d.peers[i], &use, -1);
    }
    n_hellos++;
}

static void drop_peer(int i)
{
    drop(&d, &d.peers[i]);
    close(others[i]);
    others[i] = -1;
    n_dropped++;
}

/* Small numbers most of the time, so that fields are right together now and then. */
static uint32_t field(uint32_t most)
{
    return check_below(&state, 2000) ? (uint32_t)check_below(&state, most) : (uint32_t)check_random(&state);
}

static share_message random_message(void)
{
    static const uint32_t types[] = {SHARE_ASK, SHARE_ASK,  SHARE_ASK,     SHARE_END,       SHARE_END,
                                     SHARE_END, SHARE_GATE, SHARE_MEM_ASK, SHARE_MEM_FREED, SHARE_TASK};
    share_message m = {.version = check_below(&state, 1000) ? SHARE_VERSION : field(9),
                       .type = types[check_below(&state, sizeof types / sizeof types[0])]};
    if (!check_below(&state, 300))
        m.type = field(SHARE_N_TYPES + 2);
    switch (m.type) {
    case SHARE_GPU:
        m.u.gpu.gpu = field(SHARE_MOST_GPUS);
        m.u.gpu.uuid[0] = (uint8_t)check_below(&state, 20);
        m.u.gpu.memory_bytes = 1u << 30;
        break;
    case SHARE_END: m.u.end.seq = field(120) + 1, m.u.end.n_bytes = check_random(&state); break;
    case SHARE_TASK:
        m.u.task.gpu = field(2), m.u.task.task = field(6), m.u.task.first_bytes = 1 + field(1u << 20);
        m.u.task.in_bytes = field(1u << 30), m.u.task.out_bytes = check_random(&state) >> 34,
        m.u.task.p_ns = check_random(&state) >> check_below(&state, 64), m.u.task.begin_ns = check_random(&state) >> 8;
        break;
    case SHARE_MEM_ASK:
    case SHARE_MEM_FREED:
        m.u.mem.gpu = field(2), m.u.mem.seq = field(120), m.u.mem.n_bytes = check_random(&state) >> 34,
        m.u.mem.is_first = field(2);
        break;
    default:
        m.u.ask.gpu = field(2), m.u.ask.way = field(m.type == SHARE_GATE ? 3 : 2), m.u.ask.seq = field(120) + 1,
        m.u.ask.call = field(120), m.u.ask.task = field(6);
        m.u.ask.first_bytes = 1 + field(1u << 20);
        m.u.ask.slot = field(SHARE_N_GATES), m.u.ask.n_bytes = check_random(&state) >> check_below(&state, 64);
    }
    return m;
}

/* What a client, or its GPU, might write: the daemon's own words, too. */
static void scribble(share_peer *p)
{
    uint32_t *words = (uint32_t *)(void *)p->page;
    int slot = (int)check_below(&state, SHARE_N_GATES);
    words[check_below(&state, sizeof *p->page / 4)] = field(1u << 20);
    p->page->arrived[slot] = p->gates[slot].seq;
    p->page->last[slot] = SHARE_LAST(p->gates[slot].seq, check_below(&state, 2));
    if (check_below(&state, 3) == 0)
        p->page->done[slot] = p->gates[slot].seq;
}

static void check_all(void)
{
    uint32_t n_gates = 0;
    for (uint32_t l = 0; l < SHARE_MOST_LINKS; l++)
        for (uint32_t w = 0; w < SHARE_N_CHANNELS; w++) {
            const share_ask *h = share_arbiter_holder(&d.arbiter, l, w);
            int holders = 0, waiting = 0, others = 0;
            for (uint32_t i = 0; i < d.arbiter.n_asks; i++) {
                const share_ask *a = &d.arbiter.asks[i];
                holders += a->link == l && a->way == w && a->state == SHARE_HOLDS;
                others += a->link == l && a->way == w && a->state == SHARE_HOLDS && a->client != h->client;
                waiting += a->link == l && a->way == w && a->state == SHARE_WAITS;
            }
            CHECK((holders <= 1 || w == SHARE_KERNELS) && !others && (holders || !waiting));
        }
    for (int i = 0; i < N_PEERS; i++)
        for (int g = 0; g < SHARE_N_GATES; g++)
            n_gates += d.peers[i].fd >= 0 && d.peers[i].gates[g].seq;
    CHECK_MSG(n_gates == d.n_gates, "%u gates, %u counted", n_gates, d.n_gates);
}

static void drain(int i)
{
    share_message m;
    while (recv(others[i], &m, sizeof m, 0) > 0)
        ;
}

static void step(int i)
{
    share_peer *p = &d.peers[i];
    share_message m;
    if (p->fd < 0) {
        connect_peer(i, (uint32_t)check_below(&state, SHARE_N_CLASSES), check_below(&state, 3),
                     check_below(&state, 2) ? check_below(&state, GPU_BYTES) : 0, check_below(&state, 20) != 0);
        carry_out(&d);
    } else {
        m = random_message();
        message(&d, p, &m, -1);
        carry_out(&d);
        n_sent++;
    }
    if (p->page && check_below(&state, 10) == 0)
        scribble(p);
    if (check_below(&state, 10) == 0)
        pass_time(&d);
    drain(i);
    if (p->is_bad || check_below(&state, 2000) == 0)
        drop_peer(i);
    d.ends = 0;
}

static void say(int i, const share_message *m)
{
    message(&d, &d.peers[i], m, -1);
    carry_out(&d);
    CHECK(!d.peers[i].is_bad);
}

/* Each wants all memory of the first GPU, and a turn on its link. What those before left behind would keep it from them. */
static void of_the_next(void)
{
    const share_message memory = {
        .version = SHARE_VERSION, .type = SHARE_MEM_ASK, .u.mem = {.seq = 7, .is_first = 1, .n_bytes = 1}};
    const share_message turn = {.version = SHARE_VERSION, .type = SHARE_ASK, .u.ask = {.seq = 8, .n_bytes = 1 << 20}};
    d.arbiter.rules.patience_ns = 60000000000u; /* nobody is to yield */
    for (int i = 0; i < N_PEERS; i++) {
        connect_peer(i, SHARE_NORMAL, 0, GPU_BYTES, 1);
        say(i, &memory);
        say(i, &turn);
        CHECK(d.arbiter.clients[d.peers[i].client].expected.mem_bytes == GPU_BYTES);
    }
    CHECK(d.arbiter.mem_bytes[0] == GPU_BYTES);
    for (int i = 0; i < N_PEERS; i++) {
        for (int k = i; k < N_PEERS; k++) {
            const share_page *p = d.peers[k].page;
            CHECK((p->memory[0] == SHARE_WORD(7, SHARE_MEM_TRY)) == (k == i));
            CHECK((p->gpu[0].turn[0] == SHARE_WORD(8, SHARE_SAID_GO)) == (k == i));
        }
        drop_peer(i);
    }
}

/* Tells of a task with kernels from then on, and returns whether they are taken to have run alone. */
static uint32_t told_as_alone(uint32_t number, uint64_t begin_ns)
{
    const share_message m = {
        .version = SHARE_VERSION,
        .type = SHARE_TASK,
        .u.task = {.task = number, .first_bytes = 1, .in_bytes = 1, .begin_ns = begin_ns, .p_ns = number}};
    say(0, &m);
    return d.learner.clients[d.peers[0].client].told.is_alone;
}

/* Kernels of one program, and when another one last had some: before, meanwhile, still, also when it has left. */
static void of_neighbours(void)
{
    const uint64_t now = share_now_ns();
    connect_peer(0, SHARE_NORMAL, 7, 0, 1);
    CHECK(told_as_alone(1, now));
    connect_peer(1, SHARE_NORMAL, 7, 0, 1);
    d.peers[1].page->computed_ns = now - 100;
    CHECK(told_as_alone(2, now - 100) && !told_as_alone(3, now - 101));
    d.peers[1].page->computed_ns = SHARE_COMPUTES;
    CHECK(!told_as_alone(4, now));
    d.peers[1].page->computed_ns = now + 200;
    d.peers[0].page->computed_ns = SHARE_COMPUTES; /* its own next ones */
    CHECK(told_as_alone(5, now + 200) && !told_as_alone(6, now));
    drop_peer(1);
    CHECK(!told_as_alone(7, now) && told_as_alone(8, now + 200));
    connect_peer(1, SHARE_NORMAL, 7, 0, 1);
    d.peers[1].page->computed_ns = SHARE_COMPUTES;
    drop_peer(1);
    CHECK(!told_as_alone(9, now + 200) && told_as_alone(10, share_now_ns()));
    drop_peer(0);
}

/* A gate ends with its own bytes, also when its slot is used again before anybody saw its end. */
static void of_a_slot_that_is_used_again(void)
{
    share_message gate = {.version = SHARE_VERSION, .type = SHARE_GATE, .u.ask = {.seq = 1, .n_bytes = 4 << 20}};
    const uint64_t before = d.arbiter.links[0][0].n_bytes;
    connect_peer(0, SHARE_NORMAL, 7, 0, 1);
    d.peers[0].page->last[0] = SHARE_LAST(1, 1);
    say(0, &gate);
    d.peers[0].page->arrived[0] = 1;
    pass_time(&d);
    CHECK(d.peers[0].page->open[0] == 1);
    d.peers[0].page->done[0] = 1;
    d.peers[0].page->last[0] = SHARE_LAST(2, 1);
    gate.u.ask.seq = 2, gate.u.ask.n_bytes = 64 << 20;
    say(0, &gate);
    CHECK_MSG(d.arbiter.links[0][0].n_bytes == before + (4 << 20), "%llu bytes more",
              (unsigned long long)(d.arbiter.links[0][0].n_bytes - before));
    CHECK(d.n_gates == 1);
    drop_peer(0);
}

/* The client looks whether anybody wants memory when it has freed some. */
static void free_unseen(void)
{
    CHECK(!d.peers[0].page->memory_wanted);
    d.peers[0].page->told[0].used_bytes -= 1000;
    d.peers[0].page->told[0].n_freed++;
}

static int is_told_to_try(int i, const share_message *ask)
{
    say(i, ask);
    return d.peers[i].page->memory[0] == SHARE_WORD(ask->u.mem.seq, SHARE_MEM_TRY);
}

/* The driver refused, another program freed some, and only then the ask comes: after the next refusal nothing is left to try for. */
static void of_memory_that_is_freed_before_the_ask(void)
{
    const share_message memory = {
        .version = SHARE_VERSION, .type = SHARE_MEM_ASK, .u.mem = {.seq = 9, .n_bytes = GPU_BYTES}};
    connect_peer(0, SHARE_NORMAL, 7, 0, 1);
    connect_peer(1, SHARE_NORMAL, 7, 0, 1);
    d.peers[0].page->told[0].used_bytes = 1000;
    free_unseen();
    CHECK(is_told_to_try(1, &memory) && !is_told_to_try(1, &memory));
    CHECK(d.peers[1].page->memory[0] == SHARE_WORD(9, SHARE_MEM_NEVER));
    d.peers[0].page->told[0].n_freed++; /* what rose and fell since the last look */
    CHECK(is_told_to_try(1, &memory) && !is_told_to_try(1, &memory));
    d.peers[1].page->told[0].n_freed++; /* its own: the driver refused after that */
    CHECK(!is_told_to_try(1, &memory));
    d.peers[0].page->told[0].used_bytes = 1000;
    drop_peer(0); /* its end frees all that it had */
    CHECK(is_told_to_try(1, &memory) && !is_told_to_try(1, &memory));
    drop_peer(1);
}

/* What is freed before its program can see that somebody waits for it. */
static void of_memory_that_is_freed_meanwhile(void)
{
    const share_message memory = {
        .version = SHARE_VERSION, .type = SHARE_MEM_ASK, .u.mem = {.seq = 7, .n_bytes = GPU_BYTES}};
    connect_peer(0, SHARE_NORMAL, 7, 0, 1);
    connect_peer(1, SHARE_NORMAL, 7, 0, 1);
    d.peers[0].page->told[0].used_bytes = GPU_BYTES;
    say(1, &memory);
    CHECK(d.peers[1].page->memory[0] != SHARE_WORD(7, SHARE_MEM_TRY) && d.peers[0].page->memory_wanted);
    connect_peer(2, SHARE_NORMAL, 7, 0, 1); /* one that need not ask is to tell, too */
    CHECK(d.peers[2].page->memory_wanted);
    drop_peer(1);
    CHECK(!d.peers[0].page->memory_wanted);
    connect_peer(1, SHARE_NORMAL, 7, 0, 1);
    meanwhile = free_unseen;
    say(1, &memory);
    meanwhile = NULL;
    CHECK(d.peers[1].page->memory[0] == SHARE_WORD(7, SHARE_MEM_TRY));
    for (int i = 0; i < 3; i++)
        drop_peer(i);
}

static int n_descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int n = 0;
    CHECK(all);
    while (readdir(all))
        n++;
    closedir(all);
    return n;
}

/* Over the socket: so many bytes of a message, with so many descriptors. */
static void send_with(int i, const share_message *m, size_t n_bytes, int n_passed)
{
    struct iovec part = {(void *)(uintptr_t)m, n_bytes};
    int fds[3] = {page(F_SEAL_GROW), others[i], others[i]};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof fds)];
    } with = {.bytes = {0}};
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &with};
    const size_t size = (size_t)n_passed * sizeof fds[0];
    h.msg_controllen = CMSG_SPACE(size);
    with.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&with.align), fds, size);
    CHECK(sendmsg(others[i], &h, MSG_NOSIGNAL) == (ssize_t)n_bytes);
    close(fds[0]);
}

/* Bad messages leave no descriptor behind, whatever makes them bad. */
static void of_descriptors(void)
{
    const share_message again[2] = {{.version = SHARE_VERSION, .type = SHARE_HELLO}};
    const share_message of_no_class = {
        .version = SHARE_VERSION, .type = SHARE_HELLO, .u.hello.class_ = SHARE_N_CLASSES};
    const struct {
        const share_message *m;
        size_t n_bytes;
        int n_passed, says_hello;
    } bad[] = {{again, sizeof *again, 1, 1},     {&of_no_class, sizeof *again, 1, 0}, {again, 12, 1, 0},
               {again, sizeof *again, 2, 0},     {again, sizeof *again, 3, 0},        {again, 12, 2, 0},
               {again, sizeof *again + 8, 1, 0}, {again, sizeof *again, 1, 0}};
    const int before = n_descriptors();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int ends[2];
        if (bad[i].says_hello)
            connect_peer(0, SHARE_NORMAL, 7, 0, 1);
        else {
            CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
            share_peer_init(&d.peers[0], ends[0], share_now_ns());
            others[0] = ends[1];
        }
        send_with(0, bad[i].m, bad[i].n_bytes, bad[i].n_passed);
        read_peer(&d, &d.peers[0]);
        CHECK_MSG(d.peers[0].fd < 0, "bad message %zu was taken", i);
        close(others[0]);
        CHECK_MSG(n_descriptors() == before, "bad message %zu: %d descriptors, not %d", i, n_descriptors(), before);
    }
}

/* More GPUs than the daemon has numbers for: what is said of one is neither heeded nor held against the client, which is told. */
static void of_gpus_that_are_declined(void)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_GPU};
    static const uint32_t types[] = {SHARE_TASK, SHARE_MEM_FREED, SHARE_ASK, SHARE_GATE};
    for (uint32_t k = 0; k < SHARE_MOST_LINKS; k++)
        d.cards[k].uuid[15] = 77;
    d.n_cards = SHARE_MOST_LINKS;
    connect_peer(0, SHARE_NORMAL, 7, GPU_BYTES, 1);
    CHECK(d.peers[0].page->gpu[0].is_shared == SHARE_DECLINED);
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        m = (share_message){.version = SHARE_VERSION, .type = types[k]};
        if (types[k] == SHARE_ASK || types[k] == SHARE_GATE)
            m.u.ask.seq = 5, m.u.ask.n_bytes = 1 << 20;
        say(0, &m);
    }
    m = (share_message){.version = SHARE_VERSION, .type = SHARE_MEM_ASK};
    m.u.mem.seq = 8, m.u.mem.n_bytes = 1, m.u.mem.is_first = 1;
    say(0, &m);
    CHECK(d.peers[0].page->memory[0] == SHARE_WORD(8, SHARE_MEM_TRY));
    m.u.mem.seq = 9, m.u.mem.is_first = 0;
    say(0, &m);
    CHECK(d.peers[0].page->memory[0] == SHARE_WORD(9, SHARE_MEM_NEVER));
    CHECK(!d.arbiter.n_asks && !d.n_gates);
    drop_peer(0);
}

int main(void)
{
    const char *text = getenv("HEDDLE_SHARE_MESSAGES");
    uint64_t n = text ? strtoull(text, NULL, 0) : CHECK_IS_SLOW ? 50000 : 200000;
    share_rules rules = {SHARE_POLICY_EXACT, 4, 1000000, 1};
    state = check_seed(22);
    share_arbiter_init(&d.arbiter, &rules);
    share_memory_init(&d.memory);
    for (int i = 0; i < MOST_PEERS; i++)
        d.peers[i].fd = -1, d.peers[i].client = -1;
    while (n_sent < n) {
        step((int)check_below(&state, N_PEERS));
        if (check_below(&state, 50) == 0)
            check_all();
    }
    for (int i = 0; i < N_PEERS; i++)
        if (d.peers[i].fd >= 0)
            drop_peer(i);
    check_all();
    CHECK(d.arbiter.n_asks == 0 && d.n_gates == 0);
    of_the_next();
    of_neighbours();
    of_a_slot_that_is_used_again();
    of_memory_that_is_freed_meanwhile();
    of_memory_that_is_freed_before_the_ask();
    of_descriptors();
    of_gpus_that_are_declined();
    printf("%llu messages, %llu clients, %llu dropped\n", (unsigned long long)n_sent, (unsigned long long)n_hellos,
           (unsigned long long)n_dropped);
    CHECK(n_dropped > 10 && n_sent / n_hellos > 10);
    CHECK_MSG(d.learner.history.n > 20, "%u tasks learnt", d.learner.history.n);
    return 0;
}
