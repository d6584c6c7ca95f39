/* SPDX-License-Identifier: MIT */
/* main.c - 08_packets [IN.pcap|- [OUT.pcap]]: encrypts the packets of a capture as they come.
 *
 * One thread does all that is not encrypting, and never waits for one thing only: poll(2) wakes it when packets have come and when
 * tasks have ended. Packets are in a ring: each is read into a place, encrypted by a task, and written out in its turn, whatever
 * the order of the ends. While the ring is full nothing is read, so the sender of the packets has to wait. */
#include "bodies.h"
#include "capture.h"
#include "heddle/pool.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RING = 256, AT_ONCE = 32, LANES = 32 };

typedef struct place {
    uint8_t header[CAPTURE_PACKET_HEADER];
    uint32_t n_bytes;
    int has_ended; /* its task */
} place;

typedef struct loop {
    heddle_ctx *ctx;
    heddle_pool *pool;
    int ends; /* readable while there are ends of tasks to harvest */
    capture in;
    FILE *out;                     /* NULL: nothing is written */
    uint8_t *before, *after;       /* packets, CAPTURE_MOST_BYTES for each place of the ring */
    place ring[RING];              /* packet k is in place k % RING */
    uint64_t n_spawned, n_written; /* packets; those between are in the ring */
    uint64_t n_bytes;
} loop;

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- opening ---- */

/* The key of the RFC's examples. A program that has secrets gets one from elsewhere, and changes it before numbers of packets
 * recur. */
static packets_params key_of_examples(void)
{
    packets_params p;
    for (uint32_t i = 0; i < 8; i++)
        p.key[i] = 0x03020100u + 0x04040404u * i;
    return p;
}

/* The pool has a slot for each place, so its table is never full before the ring is. */
static void open_pool(loop *l)
{
    const packets_params params = key_of_examples();
    heddle_pool_config config = HEDDLE_POOL_CONFIG_INIT;
    config.n_slots = RING;
    must(heddle_ctx_open(&l->ctx, NULL));
    must(heddle_pool_new(l->ctx, &packets, &params, sizeof params, &config, &l->pool));
    must(heddle_pool_fd(l->pool, &l->ends));
}

/* A GPU copies from and to this memory without the host: memory of malloc the library would have to copy once more. */
static uint8_t *new_packets(heddle_pool *pool)
{
    void *memory;
    must(heddle_pool_mem_new(pool, (uint64_t)RING * CAPTURE_MOST_BYTES, &memory));
    return memory;
}

static void open_output(loop *l, const char *name)
{
    l->out = name ? fopen(name, "wb") : NULL;
    if (name && (!l->out || fwrite(l->in.header, CAPTURE_HEADER, 1, l->out) != 1))
        capture_refuse(name, "cannot be written");
}

/* ---- the way of a packet ---- */

/* Packets are short, so a task has as few threads as there can be, and many tasks run side by side. An empty packet has nothing to
 * copy, but ends like others. */
static void spawn(const loop *l, uint64_t number, uint8_t *from, uint8_t *to, uint32_t n_bytes)
{
    const packets_args args = {from, to, n_bytes, number};
    const heddle_pool_copy copies[] = {{from, n_bytes, HEDDLE_MODE_IN, offsetof(packets_args, in), 0, 0},
                                       {to, n_bytes, HEDDLE_MODE_OUT, offsetof(packets_args, out), 0, 0}};
    heddle_pool_task task = HEDDLE_POOL_TASK_INIT;
    task.body = packets_encrypt;
    task.team_size = LANES;
    task.args = &args;
    task.arg_bytes = sizeof args;
    task.copies = copies;
    task.n_copies = n_bytes ? 2 : 0;
    task.flags = HEDDLE_POOL_NOTIFY; /* no handle: its end is harvested, and known by `user` */
    task.user = number;
    must(heddle_pool_spawn_task(l->pool, &task, NULL));
}

static int is_full(const loop *l) { return l->n_spawned - l->n_written == RING; }

/* Takes what has come, as far as there are places. */
static void spawn_some(loop *l)
{
    capture_packet packet;
    while (!is_full(l) && capture_take(&l->in, &packet)) {
        const uint64_t number = l->n_spawned++, at = number % RING * CAPTURE_MOST_BYTES;
        place *p = &l->ring[number % RING];
        memcpy(p->header, packet.header, sizeof p->header);
        p->n_bytes = packet.n_bytes;
        p->has_ended = 0;
        memcpy(l->before + at, packet.bytes, packet.n_bytes);
        spawn(l, number, l->before + at, l->after + at, packet.n_bytes);
    }
}

/* Ends come in batches and in any order. */
static void harvest(loop *l)
{
    heddle_pool_end ends[AT_ONCE];
    size_t n;
    while (heddle_pool_harvest(l->pool, ends, AT_ONCE, 0, &n) == HEDDLE_OK)
        for (size_t i = 0; i < n; i++) {
            if (ends[i].status != HEDDLE_OK)
                capture_refuse(l->in.name, "packet %" PRIu64 " was not encrypted", ends[i].user + 1);
            l->ring[ends[i].user % RING].has_ended = 1;
        }
}

static void write_packet(const loop *l, uint64_t number)
{
    const place *p = &l->ring[number % RING];
    if (!l->out)
        return;
    fwrite(p->header, sizeof p->header, 1, l->out);
    fwrite(l->after + number % RING * CAPTURE_MOST_BYTES, 1, p->n_bytes, l->out);
}

/* Writes up to the first packet that is not encrypted yet: those after it stay in the ring. */
static void write_some(loop *l)
{
    for (; l->n_written < l->n_spawned && l->ring[l->n_written % RING].has_ended; l->n_written++) {
        write_packet(l, l->n_written);
        l->n_bytes += l->ring[l->n_written % RING].n_bytes;
    }
}

/* ---- the loop ---- */

/* poll leaves out a descriptor below 0: there is no more input, or no place for it. */
static void wait_for_something(loop *l)
{
    struct pollfd fds[2] = {{l->in.has_ended || is_full(l) ? -1 : l->in.fd, POLLIN, 0}, {l->ends, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0)
        capture_refuse(l->in.name, "cannot be polled");
    if (fds[0].revents)
        capture_read(&l->in);
    if (fds[1].revents)
        harvest(l);
}

static void run(loop *l)
{
    spawn_some(l); /* those that came with the capture's header */
    while (!l->in.has_ended || l->n_written < l->n_spawned) {
        wait_for_something(l);
        write_some(l);
        spawn_some(l);
    }
}

int main(int argc, char **argv)
{
    static loop l;
    double begin, ms;
    capture_open(&l.in, argc > 1 ? argv[1] : NULL);
    open_output(&l, argc > 2 ? argv[2] : NULL);
    open_pool(&l);
    l.before = new_packets(l.pool);
    l.after = new_packets(l.pool);
    begin = now_ms();
    run(&l);
    ms = now_ms() - begin;
    if (l.out && (ferror(l.out) | fclose(l.out)))
        capture_refuse(argv[2], "cannot be written");
    heddle_pool_free(l.pool); /* and its memory */
    heddle_ctx_close(l.ctx);
    capture_close(&l.in);
    printf("%" PRIu64 " packets, %" PRIu64 " bytes\n", l.n_written, l.n_bytes);
    fprintf(stderr, "%.2f ms, %.1f MB/s\n", ms, (double)l.n_bytes / (1e3 * ms));
    return 0;
}
