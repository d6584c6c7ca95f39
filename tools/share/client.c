/* SPDX-License-Identifier: MIT */
/* client.c - the client's end of the connection (client.h). Words of the page are read and written by two processes, and by the
 * GPU: always as atoms. */
#include "client.h"

#include "clock.h"
#include "digest.h"
#include "place.h"
#include "variable.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_ACQUIRE)
#define STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELEASE)
#define ADD(word, value) __atomic_fetch_add(&(word), value, __ATOMIC_RELAXED)

enum { UNTRIED, CONNECTED, ALONE };
enum { MOST_DEVICES = 64, SILENT_SECONDS = 5, HELLO_MS = 2000 };

static share_page own_page;
static share_page *page = &own_page;
static int state; /* UNTRIED, CONNECTED, ALONE */
static int is_child;
static int fd = -1;
static uint32_t last_seq, task;
static uint64_t first_bytes; /* of the task */
static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER, gates = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ways[SHARE_MOST_GPUS][SHARE_N_WAYS];
static pthread_mutex_t remembering[SHARE_MOST_GPUS]; /* one for each GPU: a thread waits with it */
static int gpu_of_device[MOST_DEVICES];              /* number + 1; 0: not known yet; -1: none left */
static int n_gpus;
static uint32_t gate[SHARE_N_GATES]; /* the number that it began with; 0: never used */

share_page *share_client_page(void) { return LOAD(page); }
int share_client_is_connected(void) { return LOAD(state) == CONNECTED; }
int share_client_is_inert(void) { return LOAD(is_child); }

static void wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); }

static void sleep_on(uint32_t *word, uint32_t seen, long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, &t, NULL, 0);
}

static uint32_t next_seq(void)
{
    uint32_t s;
    do
        s = (ADD(last_seq, 1) + 1) & SHARE_MOST_SEQ;
    while (!s);
    return s;
}

/* ---- the end of the connection ---- */

/* From here on nothing waits for the daemon. New gates are refused under the same lock. */
static void leave(void)
{
    share_page *p = share_client_page();
    pthread_mutex_lock(&gates);
    STORE(state, ALONE);
    for (int i = 0; i < SHARE_N_GATES; i++)
        if (gate[i])
            STORE(p->open[i], gate[i]);
    pthread_mutex_unlock(&gates);
    for (int g = 0; g < SHARE_MOST_GPUS; g++) {
        STORE(p->gpu[g].is_shared, 0);
        for (int w = 0; w < SHARE_N_WAYS; w++) {
            STORE(p->gpu[g].turn[w], 0);
            wake(&p->gpu[g].turn[w]);
        }
        STORE(p->memory[g], 0);
        wake(&p->memory[g]);
    }
    STORE(p->kernels_ask, 0);
    shutdown(fd, SHUT_RDWR); /* the daemon, if it is only slow, frees what we had */
}

int share_gate_is_any(void)
{
    int n = 0;
    pthread_mutex_lock(&gates);
    for (int i = 0; i < SHARE_N_GATES; i++)
        n += gate[i] && LOAD(share_client_page()->done[i]) != LOAD(share_client_page()->last[i]) >> 1;
    pthread_mutex_unlock(&gates);
    return n;
}

/* The daemon says nothing after its welcome: what can be read is the end. While streams wait it must also show that it
 * runs, because nobody else would notice that it was stopped. */
static void *watch(void *unused)
{
    uint32_t pulse = 0;
    int n_silent = 0;
    (void)unused;
    while (n_silent < SILENT_SECONDS) {
        struct pollfd p = {fd, POLLIN, 0};
        int n = poll(&p, 1, 1000);
        uint32_t now = LOAD(share_client_page()->pulse);
        if (n > 0 || LOAD(state) != CONNECTED)
            break;
        n_silent = share_gate_is_any() && now == pulse ? n_silent + 1 : 0;
        pulse = now;
    }
    if (LOAD(state) == CONNECTED)
        leave();
    return NULL;
}

static int start_watch(void)
{
    sigset_t all, before;
    pthread_attr_t detached;
    pthread_t t;
    int failed;
    sigfillset(&all);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&t, &detached, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return failed ? -1 : 0;
}

/* A child has the parent's descriptor, but not its threads: it is nobody's client. The parent's end must be seen though it
 * lives, so the descriptor is closed. */
static void in_child(void)
{
    is_child = 1;
    state = ALONE;
    page = &own_page;
    if (fd >= 0)
        close(fd);
    fd = -1;
}

/* ---- its begin ---- */

static share_page *new_page(int *memory)
{
    void *p = MAP_FAILED;
    *memory = memfd_create("heddle-share", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*memory >= 0 && !ftruncate(*memory, SHARE_PAGE_BYTES) &&
        !fcntl(*memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        p = mmap(NULL, SHARE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *memory, 0);
    return p == MAP_FAILED ? NULL : p;
}

static int send_message(const share_message *m)
{
    return send(fd, m, sizeof *m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof *m ? 0 : -1;
}

/* What the daemon cannot be told makes us leave: it must not count on us. */
static void tell(const share_message *m)
{
    if (LOAD(state) == CONNECTED && send_message(m))
        leave();
}

static int send_hello(int memory)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_HELLO};
    struct iovec part = {&m, sizeof m};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } with = {.bytes = {0}};
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    struct cmsghdr *c = CMSG_FIRSTHDR(&h);
    m.u.hello.pid = getpid();
    m.u.hello.class_ = share_setting_class();
    m.u.hello.memory_bytes = share_setting(SHARE_SET_MEM);
    m.u.hello.program = share_digest_of_program();
    m.u.hello.command = share_digest_of_command(m.u.hello.program);
    snprintf(m.u.hello.name, sizeof m.u.hello.name, "%s", program_invocation_short_name);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof memory), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &memory, sizeof memory);
    return sendmsg(fd, &h, MSG_NOSIGNAL) == (ssize_t)sizeof m ? 0 : -1;
}

/* Whether anything can be read. Signals of the program make it wait no longer than HELLO_MS, and no shorter. */
static int is_answered(void)
{
    struct pollfd p = {fd, POLLIN, 0};
    uint64_t end_ms = share_now_ms() + HELLO_MS, now = share_now_ms();
    int n;
    while ((n = poll(&p, 1, now < end_ms ? (int)(end_ms - now) : 0)) < 0 && errno == EINTR && now < end_ms)
        now = share_now_ms();
    return n == 1;
}

static int is_welcome(void)
{
    share_message m;
    return is_answered() && recv(fd, &m, sizeof m, MSG_DONTWAIT) == (ssize_t)sizeof m && m.version == SHARE_VERSION &&
           m.type == SHARE_WELCOME;
}

/* It may have launched something already. Taken away there, or it would be brought twice. */
static void bring_computed(share_page *p)
{
    uint64_t ns = __atomic_exchange_n(&own_page.computed_ns, 0, __ATOMIC_ACQ_REL);
    if (ns)
        STORE(p->computed_ns, ns);
}

static int shake_hands(void)
{
    int memory = -1, ok;
    share_page *p = new_page(&memory);
    fd = p ? share_place_connect() : -1;
    ok = fd >= 0 && !send_hello(memory) && is_welcome();
    if (memory >= 0)
        close(memory);
    if (!ok)
        return -1;
    bring_computed(p);
    STORE(page, p);
    bring_computed(p); /* of a thread that had found the own page just before */
    STORE(state, CONNECTED);
    if (start_watch())
        leave();
    return 0;
}

static void first_contact(void)
{
    pthread_mutex_lock(&connecting);
    if (LOAD(state) == UNTRIED) {
        for (int g = 0; g < SHARE_MOST_GPUS; g++) {
            for (int w = 0; w < SHARE_N_WAYS; w++)
                pthread_mutex_init(&ways[g][w], NULL);
            pthread_mutex_init(&remembering[g], NULL);
        }
        pthread_atfork(NULL, NULL, in_child);
        if (shake_hands()) {
            if (fd >= 0)
                close(fd);
            fd = -1;
            STORE(state, ALONE);
        }
    }
    pthread_mutex_unlock(&connecting);
}

/* ---- GPUs ---- */

static int new_gpu(const share_driver *real, CUdevice d)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_GPU};
    CUuuid u = {{0}};
    size_t n_bytes = 0;
    if (n_gpus == SHARE_MOST_GPUS || !real->cuDeviceGetUuid || real->cuDeviceGetUuid(&u, d) != CUDA_SUCCESS)
        return -1;
    if (real->cuDeviceTotalMem_v2)
        real->cuDeviceTotalMem_v2(&n_bytes, d);
    m.u.gpu.gpu = (uint32_t)n_gpus++;
    m.u.gpu.memory_bytes = n_bytes;
    memcpy(m.u.gpu.uuid, u.bytes, sizeof m.u.gpu.uuid);
    tell(&m);
    return n_gpus;
}

static int is_declined(int gpu) { return LOAD(share_client_page()->gpu[gpu].is_shared) == SHARE_DECLINED; }

int share_client_gpu_of(const share_driver *real, CUdevice d)
{
    int number;
    if (LOAD(state) == UNTRIED)
        first_contact();
    if (LOAD(state) != CONNECTED || d < 0 || d >= MOST_DEVICES)
        return -1;
    number = LOAD(gpu_of_device[d]);
    if (!number) {
        pthread_mutex_lock(&connecting);
        if (!gpu_of_device[d])
            STORE(gpu_of_device[d], new_gpu(real, d));
        number = gpu_of_device[d];
        pthread_mutex_unlock(&connecting);
    }
    return number > 0 && !is_declined(number - 1) ? number - 1 : -1;
}

int share_client_gpu(const share_driver *real)
{
    CUdevice d = -1;
    if (LOAD(state) == ALONE || !real->cuCtxGetDevice || real->cuCtxGetDevice(&d) != CUDA_SUCCESS)
        d = -1;
    return share_client_gpu_of(real, d);
}

int share_client_asks(int gpu) { return gpu >= 0 && LOAD(share_client_page()->gpu[gpu].is_shared) == 1; }

int share_client_kernels_ask(void) { return LOAD(share_client_page()->kernels_ask) != 0; }
int share_client_kernels_ask_on(int gpu) { return gpu >= 0 && (LOAD(share_client_page()->kernels_ask) >> gpu & 1); }

/* ---- tasks ---- */

uint32_t share_client_task_now(void) { return LOAD(task); }

void share_client_task(uint32_t number, uint64_t its_first_bytes)
{
    STORE(task, number);
    STORE(first_bytes, its_first_bytes);
}

void share_client_tell_task(uint32_t gpu, uint32_t number, uint64_t its_first_bytes, const uint64_t *copied,
                            uint64_t begin_ns, uint64_t p_ns)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_TASK};
    m.u.task.gpu = gpu, m.u.task.task = number, m.u.task.first_bytes = its_first_bytes;
    m.u.task.in_bytes = copied[0], m.u.task.out_bytes = copied[1];
    m.u.task.begin_ns = begin_ns, m.u.task.p_ns = p_ns;
    tell(&m);
}

void share_client_computes(void) { STORE(share_client_page()->computed_ns, SHARE_COMPUTES); }

void share_client_computed(void)
{
    share_page *p = share_client_page();
    if (LOAD(p->computed_ns) == SHARE_COMPUTES)
        STORE(p->computed_ns, share_now_ns());
}

/* ---- turns ---- */

void share_turn_begin(share_turn *t, int gpu, int way)
{
    *t = (share_turn){.gpu = gpu, .way = way};
    if (gpu >= 0)
        pthread_mutex_lock(&ways[gpu][way]);
    t->call = next_seq();
}

void share_turn_end(share_turn *t)
{
    if (t->gpu >= 0)
        pthread_mutex_unlock(&ways[t->gpu][t->way]);
}

void share_turn_ask(share_turn *t, uint64_t n_bytes)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_ASK};
    uint32_t seq;
    if (!share_client_asks(t->gpu))
        return;
    seq = next_seq();
    STORE(share_client_page()->gpu[t->gpu].turn[t->way], SHARE_WORD(seq, SHARE_SAID_NOTHING));
    m.u.ask.gpu = (uint32_t)t->gpu, m.u.ask.way = (uint32_t)t->way, m.u.ask.seq = seq;
    m.u.ask.call = t->call, m.u.ask.task = LOAD(task), m.u.ask.n_bytes = n_bytes;
    m.u.ask.first_bytes = LOAD(first_bytes);
    STORE(t->n_bytes, 0);
    STORE(t->last, seq);
    STORE(t->seq, seq);
    tell(&m);
}

/* The daemon's pulse, and since when it has been the same. */
typedef struct silence {
    uint32_t pulse;
    uint64_t since_ms;
} silence;

static silence silence_begin(void) { return (silence){LOAD(share_client_page()->pulse), share_now_ms()}; }

/* For so long that the daemon is taken for gone. Signals of the program wake its threads at any time, so wake-ups tell no time. */
static int is_silent(silence *s)
{
    if (LOAD(share_client_page()->pulse) != s->pulse)
        *s = silence_begin();
    return share_now_ms() - s->since_ms > SILENT_SECONDS * 1000;
}

static uint32_t said(uint32_t word, uint32_t seq)
{
    return word >> 2 == seq ? word & 3u : (uint32_t)SHARE_SAID_NOTHING;
}

/* A daemon that does not answer and shows no pulse is taken for gone. */
void share_turn_wait(share_turn *t)
{
    share_page *p = share_client_page();
    uint32_t *word, seen;
    silence quiet;
    if (!t->seq)
        return;
    quiet = silence_begin();
    word = &p->gpu[t->gpu].turn[t->way];
    while (seen = LOAD(*word), LOAD(state) == CONNECTED && said(seen, t->seq) < SHARE_SAID_GO) {
        sleep_on(word, seen, 1000);
        if (LOAD(*word) == seen && is_silent(&quiet))
            leave();
    }
    if (LOAD(state) != CONNECTED)
        STORE(t->seq, 0);
}

int share_turn_is_over(const share_turn *t)
{
    uint32_t seq = LOAD(t->seq), word;
    if (t->gpu < 0 || LOAD(state) != CONNECTED)
        return 0;
    if (!seq)
        return share_client_asks(t->gpu);
    word = LOAD(share_client_page()->gpu[t->gpu].turn[t->way]);
    return said(word, seq) == SHARE_SAID_YIELD && LOAD(t->n_bytes) >= share_setting(SHARE_SET_PART);
}

void share_turn_give(share_turn *t, uint64_t n_bytes)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_END};
    if (!t->seq)
        return;
    m.u.end.seq = t->seq, m.u.end.n_bytes = n_bytes;
    STORE(t->seq, 0);
    tell(&m);
}

void share_turn_beat(share_turn *t, uint64_t n_bytes)
{
    share_page *p = share_client_page();
    if (t->gpu < 0)
        return;
    ADD(t->n_bytes, n_bytes);
    ADD(p->told[t->gpu].beats[t->way], 1);
    ADD(p->told[t->gpu].copied_bytes[t->way], n_bytes);
}

void share_turn_issues(share_turn *t)
{
    share_page *p = share_client_page();
    uint32_t last = LOAD(t->last);
    if (LOAD(t->begun) == last || __atomic_exchange_n(&t->begun, last, __ATOMIC_ACQ_REL) == last)
        return;
    STORE(p->told[t->gpu].link[t->way].begun_ns, share_now_ns());
    STORE(p->told[t->gpu].link[t->way].begun, last);
}

/* Of several threads the last one counts. */
void share_turn_landed(const share_turn *t)
{
    share_page *p = share_client_page();
    if (!t->last)
        return;
    STORE(p->told[t->gpu].link[t->way].ended_ns, share_now_ns());
    STORE(p->told[t->gpu].link[t->way].ended, t->last);
}

/* ---- gates ---- */

/* A slot is free when its gate is closed, and the GPU has written that all behind it is done. */
static int is_free(const share_page *p, int slot)
{
    return !gate[slot] || LOAD(p->last[slot]) == SHARE_LAST(LOAD(p->done[slot]), 1);
}

static int free_slot(const share_page *p)
{
    for (int i = 0; i < SHARE_N_GATES; i++)
        if (is_free(p, i))
            return i;
    return -1;
}

int share_gate_room(void)
{
    const share_page *p = share_client_page();
    int n = 0;
    pthread_mutex_lock(&gates);
    for (int i = 0; i < SHARE_N_GATES; i++)
        n += is_free(p, i);
    pthread_mutex_unlock(&gates);
    return n;
}

int share_gate_new(int gpu, int way, uint64_t n_bytes, uint32_t *seq)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_GATE};
    int slot = -1;
    *seq = next_seq();
    pthread_mutex_lock(&gates);
    if (LOAD(state) == CONNECTED)
        slot = free_slot(share_client_page());
    if (slot >= 0) {
        gate[slot] = *seq;
        STORE(share_client_page()->last[slot], SHARE_LAST(*seq, way != SHARE_KERNELS));
    }
    pthread_mutex_unlock(&gates);
    m.u.ask.gpu = (uint32_t)gpu, m.u.ask.way = (uint32_t)way, m.u.ask.seq = m.u.ask.call = *seq;
    m.u.ask.slot = (uint32_t)slot, m.u.ask.task = LOAD(task), m.u.ask.n_bytes = n_bytes;
    m.u.ask.first_bytes = LOAD(first_bytes);
    if (slot >= 0)
        tell(&m);
    return slot;
}

/* The daemon closes it by the same word, so nothing is put behind a gate that it takes for over. */
static int put_behind(uint32_t *word, uint32_t seq)
{
    uint32_t last = LOAD(*word);
    while (!(last & 1))
        if (__atomic_compare_exchange_n(word, &last, SHARE_LAST(seq, 0), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return 1;
    return 0;
}

int share_gate_more(int slot, uint32_t first, uint32_t *seq)
{
    int is_put;
    *seq = next_seq();
    pthread_mutex_lock(&gates);
    is_put = gate[slot] == first && put_behind(&share_client_page()->last[slot], *seq);
    pthread_mutex_unlock(&gates);
    return is_put;
}

void share_gate_close(int slot, uint32_t first)
{
    pthread_mutex_lock(&gates);
    if (gate[slot] == first)
        __atomic_fetch_or(&share_client_page()->last[slot], SHARE_LAST(0, 1), __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&gates);
}

void share_gate_drop(int slot, uint32_t seq)
{
    share_page *p = share_client_page();
    STORE(p->last[slot], SHARE_LAST(seq, 1));
    STORE(p->open[slot], seq);
    STORE(p->arrived[slot], seq);
    STORE(p->done[slot], seq);
}

/* ---- memory ---- */

static void ask_memory(int gpu, uint64_t n_bytes, int is_first, uint32_t seq)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_MEM_ASK};
    m.u.mem.gpu = (uint32_t)gpu, m.u.mem.seq = seq, m.u.mem.n_bytes = n_bytes, m.u.mem.is_first = (uint32_t)is_first;
    m.u.mem.patience_ms = (uint32_t)share_setting(SHARE_SET_MEM_WAIT);
    tell(&m);
}

/* One thread waits at a time. 0: another one did until now; what that was told may hold for this one, too. */
static int enter_memory(int gpu)
{
    if (!pthread_mutex_trylock(&remembering[gpu]))
        return 1;
    pthread_mutex_lock(&remembering[gpu]);
    return 0;
}

/* The answer of this number, or SHARE_MEM_WAITS: time is over, or the daemon gone. */
static int wait_for_memory(int gpu, uint32_t seq, uint64_t end_ms)
{
    uint32_t *word = &share_client_page()->memory[gpu], seen;
    silence quiet = silence_begin();
    while (seen = LOAD(*word), LOAD(state) == CONNECTED && share_now_ms() < end_ms) {
        if (said(seen, seq) != SHARE_MEM_WAITS)
            return (int)said(seen, seq);
        sleep_on(word, seen, 200);
        if (is_silent(&quiet))
            leave();
    }
    return SHARE_MEM_WAITS;
}

int share_client_memory(int gpu, uint64_t n_bytes, int is_first)
{
    uint64_t end_ms = is_first ? UINT64_MAX : share_now_ms() + share_setting(SHARE_SET_MEM_WAIT);
    uint32_t seq = next_seq();
    int answer;
    if (!enter_memory(gpu) && !is_first) {
        pthread_mutex_unlock(&remembering[gpu]);
        return SHARE_MEM_TRY;
    }
    STORE(share_client_page()->memory[gpu], SHARE_WORD(seq, SHARE_MEM_WAITS));
    ask_memory(gpu, n_bytes, is_first, seq);
    answer = wait_for_memory(gpu, seq, end_ms);
    if (answer == SHARE_MEM_WAITS) {
        ask_memory(gpu, 0, 0, seq); /* no longer */
        answer = LOAD(state) == CONNECTED ? SHARE_MEM_NEVER : SHARE_MEM_TRY;
    }
    pthread_mutex_unlock(&remembering[gpu]);
    return answer;
}

/* The daemon writes that memory is wanted, and then reads how often some was freed; here it is the other way round. So one of the two ends sees what
 * the other one wrote. */
void share_client_used(int gpu, int64_t n_bytes)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_MEM_FREED};
    share_page *p = share_client_page();
    uint64_t used, most;
    if (gpu < 0)
        return;
    most = LOAD(p->told[gpu].peak_bytes);
    used = __atomic_add_fetch(&p->told[gpu].used_bytes, (uint64_t)n_bytes, __ATOMIC_SEQ_CST);
    while (used > most &&
           !__atomic_compare_exchange_n(&p->told[gpu].peak_bytes, &most, used, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (n_bytes >= 0)
        return;
    __atomic_add_fetch(&p->told[gpu].n_freed, 1, __ATOMIC_SEQ_CST);
    m.u.mem.gpu = (uint32_t)gpu;
    if (__atomic_load_n(&p->memory_wanted, __ATOMIC_SEQ_CST))
        tell(&m);
}

void share_client_unseen(void)
{
    share_message m = {.version = SHARE_VERSION, .type = SHARE_UNSEEN};
    int end = LOAD(state) == UNTRIED ? share_place_connect() : -1;
    if (end < 0)
        return;
    snprintf(m.u.text, SHARE_NAME_BYTES, "%s", program_invocation_short_name);
    (void)!send(end, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(end);
}
