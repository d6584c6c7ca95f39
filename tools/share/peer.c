/* SPDX-License-Identifier: MIT */
/* peer.c - connections of the daemon (peer.h). */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEND_MS = 200 };

void share_peer_init(share_peer *p, int fd, uint64_t now_ns)
{
    memset(p, 0, sizeof *p);
    p->fd = fd, p->client = -1, p->since_ns = now_ns;
    for (int i = 0; i < SHARE_MOST_GPUS; i++)
        p->link_of[i] = SHARE_NO_LINK;
}

void share_peer_close(share_peer *p)
{
    if (p->page)
        munmap(p->page, SHARE_PAGE_BYTES);
    if (p->fd >= 0)
        close(p->fd);
    p->page = NULL, p->fd = -1, p->client = -1;
}

static int is_of_descriptors(const struct cmsghdr *c)
{
    return c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
}

/* The first one that came, or -1; others are closed. Returns how many came: where there is room for one, there may be for two. */
static size_t take_descriptors(struct msghdr *h, int *first)
{
    size_t n = 0;
    *first = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c))
        for (size_t at = CMSG_LEN(0); is_of_descriptors(c) && at + sizeof *first <= c->cmsg_len; at += sizeof *first) {
            int fd;
            memcpy(&fd, (const char *)c + at, sizeof fd);
            if (n++)
                close(fd);
            else
                *first = fd;
        }
    return n;
}

int share_peer_receive(share_peer *p, share_message *m, int *passed)
{
    struct iovec part = {m, sizeof *m};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } with;
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    ssize_t n = recvmsg(p->fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *passed = -1;
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    if (take_descriptors(&h, passed) <= 1 && n == (ssize_t)sizeof *m && !(h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return 1;
    if (*passed >= 0)
        close(*passed);
    *passed = -1;
    return -1;
}

void share_peer_send(share_peer *p, uint32_t type, const char *text)
{
    share_message m = {.version = SHARE_VERSION, .type = type};
    struct pollfd f = {p->fd, POLLOUT, 0};
    snprintf(m.u.text, sizeof m.u.text, "%s", text ? text : "");
    if (poll(&f, 1, SEND_MS) != 1 || send(p->fd, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof m)
        p->is_bad = 1;
}

/* Seals keep the size: a client that could cut its page would end the daemon by a signal. */
int share_peer_map(share_peer *p, int passed)
{
    struct stat s;
    int wanted = F_SEAL_SHRINK | F_SEAL_GROW, seals = passed >= 0 ? fcntl(passed, F_GET_SEALS) : -1;
    void *m = MAP_FAILED;
    if (seals >= 0 && (seals & wanted) == wanted && !fstat(passed, &s) && s.st_size == SHARE_PAGE_BYTES)
        m = mmap(NULL, SHARE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, passed, 0);
    if (m == MAP_FAILED)
        return -1;
    p->page = m;
    return 0;
}

int share_peer_gpu(const share_peer *p, uint32_t link)
{
    for (int i = 0; i < SHARE_MOST_GPUS; i++)
        if (p->link_of[i] == (int)link)
            return i;
    return -1;
}

static void say(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void tell_use(share_peer *p, int gpu, uint32_t way, int asks)
{
    uint32_t bit = 1u << gpu;
    if (way != SHARE_KERNELS)
        __atomic_store_n(&p->page->gpu[gpu].is_shared, (uint32_t)asks, __ATOMIC_RELEASE);
    else if (asks)
        __atomic_fetch_or(&p->page->kernels_ask, bit, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&p->page->kernels_ask, ~bit, __ATOMIC_RELEASE);
}

void share_peer_tell(share_peer *p, const share_decision *d)
{
    static const uint32_t said[] = {
        [SHARE_TO_DECK] = SHARE_SAID_DECK, [SHARE_TO_GO] = SHARE_SAID_GO, [SHARE_TO_YIELD] = SHARE_SAID_YIELD};
    int gpu = share_peer_gpu(p, d->link);
    if (gpu < 0 || !p->page)
        return;
    if (d->what == SHARE_TO_ASK || d->what == SHARE_TO_PASS)
        tell_use(p, gpu, d->way, d->what == SHARE_TO_ASK);
    else if (d->slot >= 0 && d->what == SHARE_TO_YIELD)
        __atomic_fetch_or(&p->page->last[d->slot], SHARE_LAST(0, 1), __ATOMIC_ACQ_REL);
    else if (d->slot >= 0)
        __atomic_store_n(&p->page->open[d->slot], d->seq, __ATOMIC_RELEASE);
    else
        say(&p->page->gpu[gpu].turn[d->way], SHARE_WORD(d->seq, said[d->what]));
}

void share_peer_tell_memory(share_peer *p, uint32_t gpu, uint32_t seq, uint32_t said)
{
    say(&p->page->memory[gpu], SHARE_WORD(seq, said));
}
