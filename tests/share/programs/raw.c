/* SPDX-License-Identifier: MIT */
/* raw.c - speaks to a daemon without the client's care: another version, another user, junk.
 *
 *   raw SOCKET hello [VERSION]   prints "welcome", or the sentence of the refusal, or "closed"
 *   raw SOCKET fill              clients, as many as are taken; prints "full", and they stay until it is killed
 *   raw SOCKET gpus              clients with eight GPUs each, until the daemon has numbers for no others; prints "full"
 *   raw SOCKET stop VERSION      ends the daemon, as a command of this version; prints "ends", or the sentence
 *   raw SOCKET junk SEED N       N connections that send random messages, some after a right hello */
#include "wire.h"

#include "check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int open_socket(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    if (connect(fd, (struct sockaddr *)&a, sizeof a)) {
        perror(path);
        exit(1);
    }
    return fd;
}

/* A page: with seals, of the right size, or not. */
static int page(size_t n, int is_sealed)
{
    int fd = memfd_create("raw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(fd, (off_t)n) || (is_sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)))
        abort();
    return fd;
}

static void send_with(int fd, const share_message *m, size_t n, int passed)
{
    struct iovec part = {(void *)(uintptr_t)m, n};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } with = {.bytes = {0}};
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1};
    struct cmsghdr c = {.cmsg_len = CMSG_LEN(sizeof passed), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    if (passed >= 0) {
        h.msg_control = &with, h.msg_controllen = sizeof with;
        memcpy(&with, &c, sizeof c);
        memcpy(CMSG_DATA(&with.align), &passed, sizeof passed);
    }
    (void)!sendmsg(fd, &h, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void hello(int fd, uint32_t version, size_t page_bytes, int is_sealed)
{
    share_message m = {.version = version, .type = SHARE_HELLO};
    int p = page(page_bytes, is_sealed);
    snprintf(m.u.hello.name, sizeof m.u.hello.name, "raw");
    m.u.hello.class_ = SHARE_NORMAL, m.u.hello.pid = getpid();
    send_with(fd, &m, sizeof m, p);
    close(p);
}

static int say_hello(const char *path, uint32_t version)
{
    share_message m;
    int fd = open_socket(path);
    hello(fd, version, SHARE_PAGE_BYTES, 1);
    if (recv(fd, &m, sizeof m, 0) != (ssize_t)sizeof m)
        puts("closed");
    else
        puts(m.type == SHARE_WELCOME ? "welcome" : m.u.text);
    close(fd);
    return 0;
}

static int fill(const char *path)
{
    share_message m;
    do {
        int fd = open_socket(path);
        hello(fd, SHARE_VERSION, SHARE_PAGE_BYTES, 1);
        if (recv(fd, &m, sizeof m, 0) != (ssize_t)sizeof m)
            return 1;
    } while (m.type == SHARE_WELCOME);
    puts("full");
    fflush(stdout);
    return pause();
}

static int tell_gpus(const char *path)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_GPU};
    for (int client = 0; client < 2; client++) {
        share_message welcome;
        int fd = open_socket(path);
        hello(fd, SHARE_VERSION, SHARE_PAGE_BYTES, 1);
        CHECK(recv(fd, &welcome, sizeof welcome, 0) == (ssize_t)sizeof welcome);
        for (uint32_t g = 0; g < SHARE_MOST_GPUS; g++) {
            m.u.gpu.gpu = g, m.u.gpu.uuid[0] = (uint8_t)(client + 1), m.u.gpu.uuid[1] = (uint8_t)g;
            send_with(fd, &m, sizeof m, -1);
        }
        close(fd);
    }
    puts("full");
    return 0;
}

static int stop(const char *path, uint32_t version)
{
    share_message m = {.version = version, .type = SHARE_STOP};
    int fd = open_socket(path);
    send_with(fd, &m, sizeof m, -1);
    if (recv(fd, &m, sizeof m, 0) != (ssize_t)sizeof m)
        return 1;
    puts(m.type == SHARE_TEXT && !m.u.text[0] ? "ends" : m.u.text);
    return 0;
}

/* Fields are small numbers as often as not: these come further. */
static void junk_message(int fd, uint64_t *state)
{
    share_message m;
    uint32_t *words = (uint32_t *)(void *)&m;
    size_t n = check_below(state, 20) ? sizeof m : check_below(state, sizeof m);
    for (size_t i = 0; i < sizeof m / 4; i++)
        words[i] = check_below(state, 3) ? (uint32_t)check_below(state, 4) : (uint32_t)check_random(state);
    m.version = check_below(state, 30) ? SHARE_VERSION : m.version;
    m.type = check_below(state, 30) ? (uint32_t)check_below(state, SHARE_STATUS) : SHARE_N_TYPES + m.type;
    send_with(fd, &m, n, check_below(state, 50) ? -1 : fd);
}

static void junk(const char *path, uint64_t seed, int n)
{
    uint64_t state = seed;
    for (int i = 0; i < n; i++) {
        int fd = open_socket(path);
        if (check_below(&state, 4))
            hello(fd, SHARE_VERSION, check_below(&state, 10) ? SHARE_PAGE_BYTES : 4096u * check_below(&state, 9),
                  check_below(&state, 10) != 0);
        for (uint64_t k = check_below(&state, 30); k > 0; k--)
            junk_message(fd, &state);
        close(fd);
    }
    puts("sent");
}

int main(int argc, char **argv)
{
    if (argc >= 3 && !strcmp(argv[2], "hello"))
        return say_hello(argv[1], argc > 3 ? (uint32_t)atoi(argv[3]) : SHARE_VERSION);
    if (argc >= 3 && !strcmp(argv[2], "fill"))
        return fill(argv[1]);
    if (argc >= 3 && !strcmp(argv[2], "gpus"))
        return tell_gpus(argv[1]);
    if (argc >= 4 && !strcmp(argv[2], "stop"))
        return stop(argv[1], (uint32_t)atoi(argv[3]));
    if (argc < 5)
        return 2;
    junk(argv[1], strtoull(argv[3], NULL, 0), atoi(argv[4]));
    return 0;
}
