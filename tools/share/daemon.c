/* SPDX-License-Identifier: MIT */
/* daemon.c - the daemon of `heddle share`: takes messages, feeds the two state machines, and carries out what they decide. One
 * thread; whatever can wait, waits in poll.
 *
 * While streams of programs stand at gates, their words are looked at every few microseconds: a GPU cannot send a message. */
#include "share.h"

#include "clock.h"
#include "learn.h"
#include "memory.h"
#include "peer.h"
#include "report.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_PEERS = SHARE_MOST_CLIENTS + 16,
    GATE_NS = 20000,
    REST_NS = 200000,
    PULSE_NS = 200000000,
    MOST_MESSAGES = 64
};
/* A turn for each GPU and direction, and the gates; what was lost by the end of a lease may overlap. */
enum { MOST_ASKS_OF_ONE = SHARE_N_GATES + 2 * SHARE_MOST_GPUS * SHARE_N_WAYS };
#define SILENT_NS 5000000000u
#define SAVE_NS 1000000000u
#define SETTLE_NS 1000000000u

typedef struct daemon_state {
    int listener;
    share_arbiter arbiter;
    share_memory memory;
    share_learner learner;
    share_trace *trace; /* NULL: none */
    const char *mps;
    char history[4096]; /* its file; empty: none */
    uint64_t saved_ns;
    share_idle idle;
    share_peer peers[MOST_PEERS];
    share_peer *peer_of[SHARE_MOST_CLIENTS];
    share_card cards[SHARE_MOST_LINKS];
    uint32_t n_cards, pulse, n_gates, n_unseen;
    char unseen[SHARE_NAME_BYTES]; /* the last one */
    uint64_t begin_ns, pulse_ns;
    uint64_t work, worked_ns; /* what all clients have done with GPUs, and when that last changed */
    int ends;
} daemon_state;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static volatile sig_atomic_t is_asked_to_end;

static void on_signal(int number) { is_asked_to_end = number; }

/* ---- what was decided ---- */

static void tell_memory(share_peer *p, const share_answer *a)
{
    int gpu = share_peer_gpu(p, a->gpu);
    if (gpu < 0)
        return;
    p->wait[gpu].told_ns = share_now_ns();
    share_peer_tell_memory(p, (uint32_t)gpu, a->seq, a->said);
}

static void carry_out(daemon_state *d)
{
    for (uint32_t i = 0; i < d->arbiter.n_decisions; i++) {
        share_decision *what = &d->arbiter.decisions[i];
        share_trace_go(d->trace, what, share_now_ns());
        if (d->peer_of[what->client])
            share_peer_tell(d->peer_of[what->client], what);
    }
    d->arbiter.n_decisions = 0;
    for (uint32_t i = 0; i < d->memory.n_answers; i++) {
        const share_answer *a = &d->memory.answers[i];
        if (d->peer_of[a->client])
            tell_memory(d->peer_of[a->client], a);
    }
    d->memory.n_answers = 0;
}

static void for_each_client(daemon_state *d, void (*f)(daemon_state *, share_peer *))
{
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (d->peer_of[i])
            f(d, d->peer_of[i]);
}

static void tell_wanted(daemon_state *d, share_peer *p)
{
    __atomic_store_n(&p->page->memory_wanted, (uint32_t)share_memory_is_wanted(&d->memory), __ATOMIC_SEQ_CST);
}

static void read_used(daemon_state *d, share_peer *p)
{
    for (int g = 0; g < SHARE_MOST_GPUS; g++) {
        uint32_t link = (uint32_t)p->link_of[g], n_freed = __atomic_load_n(&p->page->told[g].n_freed, __ATOMIC_SEQ_CST);
        if (p->link_of[g] < 0)
            continue;
        share_memory_used(&d->memory, (uint32_t)p->client, link,
                          __atomic_load_n(&p->page->told[g].used_bytes, __ATOMIC_SEQ_CST));
        if (n_freed != p->n_freed[g])
            share_memory_freed(&d->memory, (uint32_t)p->client, link);
        p->n_freed[g] = n_freed;
    }
}

/* A client tells of what it frees when it sees that somebody wants memory; what it freed before it could see that is looked for
 * (share_client_used). */
static void tell_all_wanted(daemon_state *d)
{
    for_each_client(d, tell_wanted);
    for_each_client(d, read_used);
    share_memory_settle(&d->memory);
}

/* ---- asks and gates ---- */

/* The one place where turns and gates end. */
static void end_ask(daemon_state *d, uint32_t client, uint32_t seq, uint64_t n_bytes)
{
    const share_ask *a = share_arbiter_find(&d->arbiter, client, seq);
    uint64_t now = share_now_ns();
    if (a && d->trace)
        share_trace_end(d->trace, a, d->arbiter.clients[client].task, n_bytes,
                        share_arbiter_estimate(&d->arbiter, a, n_bytes), now);
    share_arbiter_end(&d->arbiter, client, seq, n_bytes, now);
}

static void gate_arrives(daemon_state *d, const share_peer *p, uint32_t seq)
{
    const share_ask *a = share_arbiter_find(&d->arbiter, (uint32_t)p->client, seq);
    uint64_t now = share_now_ns();
    if (a)
        share_trace_ask(d->trace, a, now);
    share_arbiter_arrive(&d->arbiter, (uint32_t)p->client, seq, now);
}

/* All behind the gate has ended, and nothing more comes. Where more may come, from a program that does something else now, it is closed
 * when it has rested so long, or others wait: a program's pause keeps no GPU idle. */
static int is_over(daemon_state *d, share_peer *p, int slot, uint64_t rest_ns)
{
    uint32_t last = __atomic_load_n(&p->page->last[slot], __ATOMIC_ACQUIRE), seq = p->gates[slot].seq;
    uint32_t done = __atomic_load_n(&p->page->done[slot], __ATOMIC_ACQUIRE);
    uint64_t now = share_now_ns();
    const share_ask *a;
    if (SHARE_LAST(done, 1) == last)
        return 1;
    if (done != p->gates[slot].done) {
        p->gates[slot].done = done, p->gates[slot].rests_ns = now;
        share_arbiter_moved(&d->arbiter, (uint32_t)p->client, seq, now);
    }
    a = share_arbiter_find(&d->arbiter, (uint32_t)p->client, seq);
    return SHARE_LAST(done, 0) == last &&
           (now - p->gates[slot].rests_ns >= rest_ns || (a && share_arbiter_is_wanted(&d->arbiter, a->link, a->way))) &&
           __atomic_compare_exchange_n(&p->page->last[slot], &last, SHARE_LAST(done, 1), 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* With its own bytes. */
static void end_gate(daemon_state *d, share_peer *p, int slot)
{
    const share_ask *a = share_arbiter_find(&d->arbiter, (uint32_t)p->client, p->gates[slot].seq);
    end_ask(d, (uint32_t)p->client, p->gates[slot].seq, a ? a->n_bytes : 0);
    p->gates[slot].seq = 0;
    d->n_gates--;
}

static void look_at_gate(daemon_state *d, share_peer *p, int slot, uint64_t rest_ns)
{
    uint32_t seq = p->gates[slot].seq;
    if (!p->gates[slot].has_arrived && __atomic_load_n(&p->page->arrived[slot], __ATOMIC_ACQUIRE) == seq) {
        p->gates[slot].has_arrived = 1;
        gate_arrives(d, p, seq);
    }
    if (is_over(d, p, slot, rest_ns))
        end_gate(d, p, slot);
    carry_out(d);
}

static void look_at_gates_after(daemon_state *d, share_peer *p, uint64_t rest_ns)
{
    for (int i = 0; i < SHARE_N_GATES; i++)
        if (p->gates[i].seq)
            look_at_gate(d, p, i, rest_ns);
}

static void look_at_gates(daemon_state *d, share_peer *p) { look_at_gates_after(d, p, REST_NS); }

/* ---- messages ---- */

/* It may come to a terminal. */
static void copy_name(char to[SHARE_NAME_BYTES], const char *from)
{
    memcpy(to, from, SHARE_NAME_BYTES);
    to[SHARE_NAME_BYTES - 1] = 0;
    for (; *to; to++)
        if ((unsigned char)*to < 32 || (unsigned char)*to >= 127)
            *to = '?';
}

static const char too_many[] = "there are too many programs already";

static void hello(daemon_state *d, share_peer *p, const share_message *m, int passed)
{
    if (p->client >= 0 || m->u.hello.class_ >= SHARE_N_CLASSES || share_peer_map(p, passed)) {
        p->is_bad = 1;
        return;
    }
    p->client = share_arbiter_join(&d->arbiter, m->u.hello.class_);
    if (p->client < 0) {
        share_peer_send(p, SHARE_REFUSED, too_many);
        p->is_bad = 1;
        return;
    }
    p->pid = m->u.hello.pid, p->class_ = m->u.hello.class_, p->declared_bytes = m->u.hello.memory_bytes;
    copy_name(p->name, m->u.hello.name);
    d->peer_of[p->client] = p;
    share_memory_join(&d->memory, (uint32_t)p->client, p->declared_bytes == SHARE_BY_HISTORY ? 0 : p->declared_bytes);
    share_learn_join(&d->learner, (uint32_t)p->client, m->u.hello.program, m->u.hello.command);
    share_trace_client(d->trace, (uint32_t)p->client, p->pid, p->name);
    if (share_setting(SHARE_SET_AHEAD) != SHARE_AHEAD_AS_DAEMON)
        __atomic_store_n(&p->page->ahead_bytes, share_setting(SHARE_SET_AHEAD), __ATOMIC_RELAXED);
    share_peer_send(p, SHARE_WELCOME, NULL);
}

/* The card of this name, a new one when it is not known. -1: there are too many. */
static int card_of(daemon_state *d, const share_message *m)
{
    uint32_t i;
    for (i = 0; i < d->n_cards; i++)
        if (!memcmp(d->cards[i].uuid, m->u.gpu.uuid, sizeof d->cards[i].uuid))
            return (int)i;
    if (i == SHARE_MOST_LINKS)
        return -1;
    memcpy(d->cards[i].uuid, m->u.gpu.uuid, sizeof d->cards[i].uuid);
    d->cards[i].memory_bytes = m->u.gpu.memory_bytes;
    share_memory_gpu(&d->memory, i, m->u.gpu.memory_bytes);
    share_arbiter_gpu(&d->arbiter, i, m->u.gpu.memory_bytes);
    d->n_cards++;
    return (int)i;
}

static void gpu(daemon_state *d, share_peer *p, const share_message *m)
{
    int card;
    if (m->u.gpu.gpu >= SHARE_MOST_GPUS || p->link_of[m->u.gpu.gpu] != SHARE_NO_LINK) {
        p->is_bad = 1;
        return;
    }
    card = card_of(d, m);
    if (card < 0 || share_peer_gpu(p, (uint32_t)card) >= 0) {
        p->link_of[m->u.gpu.gpu] = SHARE_DECLINED_LINK;
        __atomic_store_n(&p->page->gpu[m->u.gpu.gpu].is_shared, SHARE_DECLINED, __ATOMIC_RELEASE);
        return;
    }
    p->link_of[m->u.gpu.gpu] = card;
    if (p->declared_bytes == SHARE_BY_HISTORY)
        share_memory_expect(&d->memory, (uint32_t)p->client, (uint32_t)card,
                            share_learn_peak_of(&d->learner, (uint32_t)p->client, d->cards[card].uuid));
    share_arbiter_use(&d->arbiter, (uint32_t)p->client, (uint32_t)card);
    tell_wanted(d, p); /* it may free some before it asks for any */
}

/* The link that a message names; SHARE_DECLINED_LINK; or SHARE_NO_LINK: the peer never told of such a GPU, and is bad. */
static int link_of(share_peer *p, uint32_t gpu_number)
{
    int link = gpu_number < SHARE_MOST_GPUS ? p->link_of[gpu_number] : SHARE_NO_LINK;
    p->is_bad |= link == SHARE_NO_LINK;
    return link;
}

/* A client uses a slot again when its GPU has written "done", which may not have been looked at yet. */
static void new_gate(daemon_state *d, share_peer *p, const share_ask *a)
{
    if (p->gates[a->slot].seq)
        end_gate(d, p, a->slot);
    d->n_gates++;
    p->gates[a->slot].seq = a->seq;
    p->gates[a->slot].done = 0, p->gates[a->slot].rests_ns = 0;
    p->gates[a->slot].has_arrived = 0;
}

static void ask(daemon_state *d, share_peer *p, const share_message *m, int is_gate)
{
    int link = link_of(p, m->u.ask.gpu);
    share_ask a = {.client = (uint32_t)p->client,
                   .link = (uint32_t)link,
                   .way = m->u.ask.way,
                   .seq = m->u.ask.seq,
                   .call = m->u.ask.call,
                   .slot = is_gate ? (int)m->u.ask.slot : -1,
                   .n_bytes = m->u.ask.n_bytes};
    if (link == SHARE_DECLINED_LINK)
        return;
    if (link < 0 || a.way >= (is_gate ? SHARE_N_CHANNELS : SHARE_N_WAYS) || !a.seq || a.seq > SHARE_MOST_SEQ ||
        (is_gate && m->u.ask.slot >= SHARE_N_GATES) || share_arbiter_count(&d->arbiter, a.client) >= MOST_ASKS_OF_ONE) {
        p->is_bad = 1;
        return;
    }
    a.expected = share_learn_expect(&d->learner, a.client, d->cards[link].uuid, m->u.ask.task, m->u.ask.first_bytes);
    read_used(d, p);
    a.expected.mem_bytes = share_memory_needed(&d->memory, a.client, a.link);
    if (is_gate)
        new_gate(d, p, &a);
    else
        share_trace_ask(d->trace, &a, share_now_ns());
    share_arbiter_ask(&d->arbiter, &a, m->u.ask.task, share_now_ns());
}

static void turn_ends(daemon_state *d, share_peer *p, const share_message *m)
{
    const share_ask *found = share_arbiter_find(&d->arbiter, (uint32_t)p->client, m->u.end.seq);
    share_ask mine = {.state = SHARE_FAR};
    if (found)
        mine = *found;
    if (mine.state == SHARE_HOLDS)
        share_idle_ends(&d->idle, d->peer_of, &mine);
    end_ask(d, (uint32_t)p->client, m->u.end.seq, m->u.end.n_bytes);
    if (mine.state == SHARE_HOLDS)
        share_idle_ended(&d->idle, &d->arbiter, &mine);
}

/* How long the task's kernels had the GPU, where they ask for it: the program saw them wait, too. 0: they did not ask. */
static uint64_t computed_ns(daemon_state *d, share_peer *p, uint32_t task_number)
{
    if (!d->arbiter.rules.orders_kernels)
        return 0;
    look_at_gates_after(d, p, 0); /* the program has seen its kernels end */
    return d->arbiter.clients[p->client].task == task_number ? d->arbiter.clients[p->client].computed_ns : 0;
}

static uint64_t computed_until(const share_peer *p) { return __atomic_load_n(&p->page->computed_ns, __ATOMIC_RELAXED); }

/* No other program that uses the GPU has had kernels since then. Whether it has some now, or when the last ones had ended, is on its page; so
 * nothing that was told before has to be kept. */
static int is_alone_since(const daemon_state *d, const share_peer *p, uint32_t link, uint64_t since_ns)
{
    int n_others = d->cards[link].computed_ns > since_ns;
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++) {
        const share_peer *other = d->peer_of[i];
        n_others += other && other != p && share_peer_gpu(other, link) >= 0 && computed_until(other) > since_ns;
    }
    return !n_others;
}

static void keep_computed(daemon_state *d, const share_peer *p)
{
    uint64_t until = least(computed_until(p), share_now_ns());
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        if (p->link_of[g] >= 0 && d->cards[p->link_of[g]].computed_ns < until)
            d->cards[p->link_of[g]].computed_ns = until;
}

static void task(daemon_state *d, share_peer *p, const share_message *m)
{
    int link = link_of(p, m->u.task.gpu);
    share_past past = {.task = m->u.task.task,
                       .first_bytes = m->u.task.first_bytes,
                       .in_bytes = m->u.task.in_bytes,
                       .out_bytes = m->u.task.out_bytes,
                       .p_ns = m->u.task.p_ns};
    share_expected expected;
    uint64_t gated_ns;
    if (link < 0)
        return;
    expected = share_learn_expect(&d->learner, (uint32_t)p->client, d->cards[link].uuid, past.task, past.first_bytes);
    gated_ns = past.p_ns ? computed_ns(d, p, past.task) : 0;
    if (gated_ns)
        past.p_ns = gated_ns, past.is_alone = 1;
    else {
        past.is_alone = (uint32_t)is_alone_since(d, p, (uint32_t)link, m->u.task.begin_ns);
        share_trace_kernels(d->trace, (uint32_t)p->client, (uint32_t)link, &past, &expected, share_now_ns());
    }
    share_learn_task(&d->learner, (uint32_t)p->client, d->cards[link].uuid, &past);
}

/* One that was told to try, and soon asks for the same again, has waited all the time. */
static void note_wait(share_peer *p, const share_message *m)
{
    uint32_t g = m->u.mem.gpu;
    uint64_t now = share_now_ns();
    if (m->u.mem.n_bytes != p->wait[g].n_bytes || now - p->wait[g].told_ns > SETTLE_NS)
        p->wait[g].since_ns = now;
    p->wait[g].n_bytes = m->u.mem.n_bytes;
}

/* Of a GPU that was declined there is no line, and nobody knows what others have. */
static void answer_at_once(share_peer *p, const share_message *m)
{
    if (m->type == SHARE_MEM_ASK && m->u.mem.n_bytes)
        share_peer_tell_memory(p, m->u.mem.gpu, m->u.mem.seq & SHARE_MOST_SEQ,
                               m->u.mem.is_first ? SHARE_MEM_TRY : SHARE_MEM_NEVER);
}

static void memory_message(daemon_state *d, share_peer *p, const share_message *m)
{
    int link = link_of(p, m->u.mem.gpu);
    if (link == SHARE_DECLINED_LINK)
        answer_at_once(p, m);
    if (link < 0)
        return;
    for_each_client(d, read_used);
    share_memory_patience(&d->memory, (uint32_t)p->client, m->u.mem.patience_ms);
    if (m->type == SHARE_MEM_ASK) { /* what was freed has been read */
        note_wait(p, m);
        share_memory_ask(&d->memory, (uint32_t)p->client, (uint32_t)link, m->u.mem.seq & SHARE_MOST_SEQ,
                         m->u.mem.n_bytes, m->u.mem.is_first != 0);
    }
    tell_all_wanted(d);
}

/* In parts, of which an empty one is the last. */
static void send_text(share_peer *p, const char *text)
{
    char part[SHARE_TEXT_BYTES];
    size_t n = strlen(text);
    for (size_t at = 0; at < n && !p->is_bad; at += sizeof part - 1) {
        snprintf(part, sizeof part, "%s", text + at);
        share_peer_send(p, SHARE_TEXT, part);
    }
    share_peer_send(p, SHARE_TEXT, NULL);
}

static void status(daemon_state *d, share_peer *p, const share_message *m)
{
    share_report_input in = {d->cards,  d->n_cards,  &d->arbiter,          &d->memory,
                             &d->idle,  d->peer_of,  d->begin_ns,          share_now_ns(),
                             d->unseen, d->n_unseen, d->learner.history.n, d->mps};
    char *text = share_report(&in, m->u.text[0] == 'j');
    send_text(p, text ? text : "");
    free(text);
}

/* A client that comes now would be taken. */
static int has_room(const daemon_state *d)
{
    for (int i = 0; i < SHARE_MOST_CLIENTS; i++)
        if (!d->peer_of[i])
            return 1;
    return 0;
}

static void may_run(daemon_state *d, share_peer *p)
{
    if (has_room(d))
        send_text(p, d->mps);
    else
        share_peer_send(p, SHARE_REFUSED, too_many);
}

static void unseen(daemon_state *d, const share_message *m)
{
    d->n_unseen++;
    copy_name(d->unseen, m->u.text);
}

/* Of a client that said hello. */
static void client_message(daemon_state *d, share_peer *p, const share_message *m)
{
    switch (m->type) {
    case SHARE_GPU: gpu(d, p, m); break;
    case SHARE_ASK: ask(d, p, m, 0); break;
    case SHARE_GATE: ask(d, p, m, 1); break;
    case SHARE_END: turn_ends(d, p, m); break;
    case SHARE_TASK: task(d, p, m); break;
    case SHARE_MEM_ASK:
    case SHARE_MEM_FREED: memory_message(d, p, m); break;
    default: p->is_bad = 1;
    }
}

static const char other_version[] = "the daemon is of another version; end it with `heddle share stop`";

static void message(daemon_state *d, share_peer *p, const share_message *m, int passed)
{
    if (p->is_stranger || (m->version != SHARE_VERSION && m->type != SHARE_STOP)) {
        share_peer_send(p, SHARE_REFUSED, p->is_stranger ? "this daemon is another user's" : other_version);
        p->is_bad = 1;
    } else if (m->type == SHARE_HELLO)
        hello(d, p, m, passed);
    else if (p->client >= 0)
        client_message(d, p, m);
    else if (m->type == SHARE_UNSEEN)
        unseen(d, m);
    else if (m->type == SHARE_STATUS)
        status(d, p, m);
    else if (m->type == SHARE_RUN)
        may_run(d, p);
    else if (m->type == SHARE_STOP) {
        share_peer_send(p, SHARE_TEXT, NULL);
        d->ends = 1;
    } else
        p->is_bad = 1;
    if (passed >= 0)
        close(passed);
}

static void learn_peaks(daemon_state *d, const share_peer *p)
{
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        if (p->link_of[g] >= 0)
            share_learn_peak(&d->learner, (uint32_t)p->client, d->cards[p->link_of[g]].uuid,
                             __atomic_load_n(&p->page->told[g].peak_bytes, __ATOMIC_RELAXED));
}

static void drop(daemon_state *d, share_peer *p)
{
    if (p->client >= 0) {
        for_each_client(d, read_used);
        learn_peaks(d, p);
        keep_computed(d, p);
        d->peer_of[p->client] = NULL;
        share_arbiter_leave(&d->arbiter, (uint32_t)p->client, share_now_ns());
        share_memory_leave(&d->memory, (uint32_t)p->client);
        share_learn_leave(&d->learner, (uint32_t)p->client);
        share_trace_leave(d->trace, (uint32_t)p->client);
        for (int i = 0; i < SHARE_N_GATES; i++)
            d->n_gates -= p->gates[i].seq != 0;
    }
    share_peer_close(p);
    for_each_client(d, tell_wanted);
    carry_out(d);
}

static void read_peer(daemon_state *d, share_peer *p)
{
    share_message m;
    int passed, got = 1;
    for (int i = 0; i < MOST_MESSAGES && !p->is_bad && (got = share_peer_receive(p, &m, &passed)) == 1; i++) {
        message(d, p, &m, passed);
        carry_out(d);
    }
    if (got < 0 || p->is_bad)
        drop(d, p);
}

static void accept_peer(daemon_state *d)
{
    int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    share_peer *p = NULL, none;
    if (fd < 0)
        return;
    for (int i = 0; i < MOST_PEERS && !p; i++)
        p = d->peers[i].fd < 0 ? &d->peers[i] : NULL;
    share_peer_init(p ? p : &none, fd, share_now_ns());
    if (!p) {
        share_peer_send(&none, SHARE_REFUSED, too_many);
        share_peer_close(&none);
    } else
        p->is_stranger = !share_peer_is_user(fd);
}

/* ---- time ---- */

static void read_beats(daemon_state *d)
{
    for (uint32_t l = 0; l < d->n_cards; l++)
        for (uint32_t w = 0; w < SHARE_N_WAYS; w++) {
            const share_ask *a = share_arbiter_holder(&d->arbiter, l, w);
            share_peer *p = a ? d->peer_of[a->client] : NULL;
            int g = p ? share_peer_gpu(p, l) : -1;
            if (g >= 0)
                share_arbiter_beat(&d->arbiter, l, w, __atomic_load_n(&p->page->told[g].beats[w], __ATOMIC_RELAXED),
                                   share_now_ns());
        }
}

static void tell_pulse(daemon_state *d, share_peer *p)
{
    __atomic_store_n(&p->page->pulse, d->pulse, __ATOMIC_RELAXED);
}

/* Everything that a client does with a GPU changes one of these. */
static void add_work(daemon_state *d, share_peer *p)
{
    d->work +=
        __atomic_load_n(&p->page->n_launches, __ATOMIC_RELAXED) + __atomic_load_n(&p->page->n_tasks, __ATOMIC_RELAXED);
    for (int g = 0; g < SHARE_MOST_GPUS; g++)
        d->work += __atomic_load_n(&p->page->told[g].used_bytes, __ATOMIC_RELAXED) +
                   __atomic_load_n(&p->page->told[g].beats[0], __ATOMIC_RELAXED) +
                   __atomic_load_n(&p->page->told[g].beats[1], __ATOMIC_RELAXED);
}

static void watch_line(daemon_state *d, uint64_t now)
{
    uint64_t before = d->work;
    d->work = 0;
    for_each_client(d, add_work);
    if (d->work != before)
        d->worked_ns = now;
    share_memory_idle(&d->memory, (now - d->worked_ns) / 1000000u);
    carry_out(d);
}

/* Not for every program that ends; and not while others wait for the link. */
static void save_history(daemon_state *d, uint64_t now, uint64_t rest_ns)
{
    share_why why;
    if (!d->history[0] || !d->learner.history.is_changed || now - d->saved_ns < rest_ns)
        return;
    d->saved_ns = now;
    if (share_history_write(&d->learner.history, d->history, &why))
        d->history[0] = 0; /* it cannot be written: not tried again */
}

/* Beats are read only when a lease is about to end. */
static void pass_time(daemon_state *d)
{
    uint64_t now = share_now_ns();
    if (d->n_gates)
        for_each_client(d, look_at_gates);
    if (now >= share_arbiter_next(&d->arbiter)) {
        read_beats(d);
        share_arbiter_tick(&d->arbiter, now);
        carry_out(d);
    }
    if (now - d->pulse_ns >= PULSE_NS) {
        d->pulse_ns = now;
        d->pulse++;
        for_each_client(d, tell_pulse);
        watch_line(d, now);
        if (!d->arbiter.n_asks)
            save_history(d, now, SAVE_NS);
    }
}

static struct timespec until_next(const daemon_state *d)
{
    uint64_t now = share_now_ns(), next = share_arbiter_next(&d->arbiter), wait = PULSE_NS;
    wait = least(wait, next > now ? next - now : 0);
    if (d->n_gates)
        wait = least(wait, GATE_NS);
    return (struct timespec){(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
}

/* ---- the loop ---- */

static void serve_once(daemon_state *d, const sigset_t *during)
{
    struct pollfd fds[MOST_PEERS + 1] = {{d->listener, POLLIN, 0}};
    struct timespec wait = until_next(d);
    for (int i = 0; i < MOST_PEERS; i++)
        fds[i + 1] = (struct pollfd){d->peers[i].fd, POLLIN, 0};
    if (ppoll(fds, MOST_PEERS + 1, &wait, during) < 0)
        return;
    for (int i = 0; i < MOST_PEERS; i++) {
        share_peer *p = &d->peers[i];
        if (fds[i + 1].revents)
            read_peer(d, p);
        else if (p->fd >= 0 && p->client < 0 && share_now_ns() - p->since_ns > SILENT_NS)
            drop(d, p);
    }
    if (fds[0].revents)
        accept_peer(d);
    pass_time(d);
}

static void catch_signals(sigset_t *during)
{
    struct sigaction a = {.sa_handler = on_signal};
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGINT);
    sigprocmask(SIG_BLOCK, &held, during);
    sigdelset(during, SIGTERM);
    sigdelset(during, SIGINT);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGINT, &a, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void forget(daemon_state *d, share_peer *p) { share_learn_leave(&d->learner, (uint32_t)p->client); }

int share_daemon_history(share_why *why)
{
    static share_history unused;
    char path[4096];
    return share_history_path(path, sizeof path) ? 0 : share_history_read(&unused, path, why);
}

static void read_history(daemon_state *d)
{
    share_why why;
    if (share_history_path(d->history, sizeof d->history) || share_history_read(&d->learner.history, d->history, &why))
        d->history[0] = 0;
}

int share_daemon_serve(int fd, const share_rules *rules, const char *trace, const char *mps, share_why *why)
{
    daemon_state *d = calloc(1, sizeof *d);
    sigset_t during;
    if (!d)
        return share_because(why, "there is no memory for the daemon");
    share_setting_load();
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
    catch_signals(&during);
    d->listener = fd, d->begin_ns = share_now_ns(), d->mps = mps;
    share_arbiter_init(&d->arbiter, rules);
    share_memory_init(&d->memory);
    read_history(d);
    d->trace = trace ? share_trace_open(trace, d->begin_ns) : NULL;
    for (int i = 0; i < MOST_PEERS; i++)
        d->peers[i].fd = -1, d->peers[i].client = -1;
    while (!d->ends && !is_asked_to_end)
        serve_once(d, &during);
    share_daemon_close(fd); /* first: a client that finds no socket does not wait */
    for_each_client(d, forget);
    for (int i = 0; i < MOST_PEERS; i++)
        share_peer_close(&d->peers[i]);
    save_history(d, share_now_ns(), 0);
    share_trace_close(d->trace);
    free(d);
    return 0;
}

/* ---- its place ---- */

/* Why no other one can begin: one that is not ours says so itself. */
static int runs_already(int connection, share_why *why)
{
    share_why said;
    if (connection >= 0 && share_request_over(connection, SHARE_STATUS, 0, NULL, &said))
        return share_because(why, "a daemon of this user runs already: %.400s", said.text);
    return share_because(why, "a daemon of this user runs already; `heddle share status` shows what it does");
}

/* One that holds the lock and has no socket any more is about to end. 0: the lock is ours. */
static int take_lock(int fd, share_why *why)
{
    uint64_t end_ns = share_now_ns() + SILENT_NS;
    struct timespec nap = {0, 10000000};
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        int other = share_place_connect();
        if (other >= 0 || share_now_ns() > end_ns)
            return runs_already(other, why);
        nanosleep(&nap, NULL);
    }
    return 0;
}

/* The lock is held as long as the daemon lives; its end frees it, whatever that was. */
static int hold_lock(const char *folder, share_why *why)
{
    char path[sizeof((struct sockaddr_un *)0)->sun_path + 8];
    int fd;
    snprintf(path, sizeof path, "%s/lock", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return share_because(why, "%s: %s", path, strerror(errno));
    if (take_lock(fd, why)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int listen_at(const struct sockaddr_un *address, share_why *why)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(address->sun_path); /* of a daemon that was killed: the lock says that none runs */
    if (fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) || listen(fd, SHARE_MOST_CLIENTS)) {
        share_because(why, "%s: %s", address->sun_path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

void share_daemon_close(int fd)
{
    struct sockaddr_un address;
    char folder[sizeof address.sun_path];
    if (!share_place(&address, folder))
        unlink(address.sun_path);
    close(fd);
}

int share_daemon_open(share_why *why)
{
    struct sockaddr_un address;
    char folder[sizeof address.sun_path];
    if (share_place(&address, folder))
        return share_because(why, "%s is too long a name for a socket's folder", folder);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return share_because(why, "%s: %s", folder, strerror(errno));
    if (!share_place_is_safe(folder))
        return share_because(why, "%s is not a folder that only this user may enter", folder);
    return hold_lock(folder, why) < 0 ? -1 : listen_at(&address, why);
}
