/* SPDX-License-Identifier: MIT */
/* short_daemon.c - a daemon for one client that lets it ask, and dies at the first message of a kind.
 *
 *   short_daemon SOCKET KIND [silent]   KIND: a number of wire.h; silent: it does not die but says nothing more
 *
 * It tells every GPU to ask, grants the first turn at once (all, when it is to die later than at turns), and leaves gates closed. Exits with 0 when the kind came. */
#include "wire.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int receive(int fd, share_message *m, int *passed)
{
    struct iovec part = {m, sizeof *m};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } with;
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    ssize_t n = recvmsg(fd, &h, 0);
    if (n == (ssize_t)sizeof *m && CMSG_FIRSTHDR(&h))
        memcpy(passed, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof *passed);
    return n == (ssize_t)sizeof *m;
}

static void serve(share_page *p, int fd, const share_message *m, int kind)
{
    static unsigned n;
    share_message welcome = {.version = SHARE_VERSION, .type = SHARE_WELCOME};
    uint32_t *word;
    if (m->type == SHARE_HELLO)
        (void)!send(fd, &welcome, sizeof welcome, 0);
    else if (m->type == SHARE_GPU) {
        __atomic_store_n(&p->gpu[m->u.gpu.gpu].is_shared, 1, __ATOMIC_RELEASE);
        __atomic_store_n(&p->memory_wanted, 1, __ATOMIC_RELEASE);
    } else if (m->type == SHARE_ASK && (n++ == 0 || kind > SHARE_ASK)) {
        word = &p->gpu[m->u.ask.gpu].turn[m->u.ask.way];
        __atomic_store_n(word, SHARE_WORD(m->u.ask.seq, SHARE_SAID_GO), __ATOMIC_RELEASE);
        syscall(SYS_futex, word, FUTEX_WAKE, 100, NULL, NULL, 0);
    } else if (m->type == SHARE_MEM_ASK) {
        word = &p->memory[m->u.mem.gpu];
        __atomic_store_n(word, SHARE_WORD(m->u.mem.seq, SHARE_MEM_TRY), __ATOMIC_RELEASE);
        syscall(SYS_futex, word, FUTEX_WAKE, 100, NULL, NULL, 0);
    }
}

static int is_command(int fd, const share_message *m)
{
    share_message none = {.version = SHARE_VERSION, .type = SHARE_TEXT};
    if (m->type == SHARE_RUN)
        (void)!send(fd, &none, sizeof none, 0);
    return m->type == SHARE_RUN;
}

int main(int argc, char **argv)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), fd, passed = -1;
    share_page *p = NULL;
    share_message m;
    if (argc < 3)
        return 2;
    snprintf(a.sun_path, sizeof a.sun_path, "%s", argv[1]);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 4))
        return 2;
    do
        fd = accept(listener, NULL, NULL); /* the command asks whether a program may come, and goes */
    while (!receive(fd, &m, &passed) || (m.type != (uint32_t)atoi(argv[2]) && is_command(fd, &m)));
    do {
        if (m.type == SHARE_HELLO && passed >= 0)
            p = mmap(NULL, SHARE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, passed, 0);
        if (m.type == (uint32_t)atoi(argv[2])) {
            if (argc > 3)
                pause();
            return 0;
        }
        serve(p, fd, &m, atoi(argv[2]));
    } while (receive(fd, &m, &passed));
    return 1;
}
