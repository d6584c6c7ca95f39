/* SPDX-License-Identifier: MIT */
/* capture.c - implements capture.h. */
#include "capture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, MADE_UP = 200 };

_Noreturn void capture_refuse(const char *name, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

static uint32_t word(const uint8_t *p, int is_big)
{
    return is_big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                  : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* ---- what is made up ---- */

static void put(FILE *f, const uint32_t *words, size_t n)
{
    if (fwrite(words, sizeof *words, n, f) != n)
        capture_refuse("the made-up capture", "no room for it");
}

/* Words have this machine's order of bytes: a reader sees from the first which that is. */
static int make_up(void)
{
    static const uint32_t begin[] = {0xa1b2c3d4u, 0x00040002u, 0, 0, CAPTURE_MOST_BYTES, 1};
    FILE *f = tmpfile();
    uint32_t noise = 1;
    int fd;
    if (!f)
        capture_refuse("the made-up capture", "no file for it");
    put(f, begin, sizeof begin / sizeof *begin);
    for (uint32_t k = 0; k < MADE_UP; k++) {
        const uint32_t n_words = (noise = noise * 1103515245u + 12345u) >> 16 & 255u;
        put(f, (uint32_t[]){k, 0, 4 * n_words, 4 * n_words}, 4);
        for (uint32_t i = 0; i < n_words; i++)
            put(f, &k, 1);
    }
    rewind(f);
    fd = dup(fileno(f)); /* the file goes when its last descriptor is closed */
    fclose(f);
    return fd;
}

/* ---- opening ---- */

static int open_any(const char *name)
{
    return !name ? make_up() : !strcmp(name, "-") ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
}

/* The first word tells classic captures, with micro- or nanoseconds, from others, and the order of bytes. */
static int is_classic(const uint8_t *header, int is_big)
{
    const uint32_t first = word(header, is_big);
    return first == 0xa1b2c3d4u || first == 0xa1b23c4du;
}

void capture_open(capture *c, const char *name)
{
    *c = (capture){.name = name ? name : "the made-up capture", .fd = open_any(name), .bytes = malloc(BUFFER)};
    if (c->fd < 0 || !c->bytes)
        capture_refuse(c->name, "%s", c->fd < 0 ? "cannot be opened" : "no memory for it");
    while (c->end < CAPTURE_HEADER && !c->has_ended)
        capture_read(c);
    c->is_big = is_classic(c->bytes, 1);
    if (c->end < CAPTURE_HEADER || (!c->is_big && !is_classic(c->bytes, 0)))
        capture_refuse(c->name, "is no classic pcap: it does not begin with a1b2c3d4 or a1b23c4d");
    memcpy(c->header, c->bytes, CAPTURE_HEADER);
    c->begin = CAPTURE_HEADER;
}

void capture_close(capture *c)
{
    close(c->fd);
    free(c->bytes);
}

/* ---- reading ---- */

/* What is left of a packet moves to the front first, so that there is room for the rest of it. */
void capture_read(capture *c)
{
    ssize_t n;
    memmove(c->bytes, c->bytes + c->begin, c->end - c->begin);
    c->end -= c->begin;
    c->begin = 0;
    n = read(c->fd, c->bytes + c->end, BUFFER - c->end);
    if (n < 0)
        capture_refuse(c->name, "cannot be read");
    c->end += (size_t)n;
    c->has_ended = n == 0;
}

static int is_cut(const capture *c)
{
    if (c->has_ended && c->begin < c->end)
        capture_refuse(c->name, "breaks off in packet %" PRIu64, c->n_packets + 1);
    return 0;
}

int capture_take(capture *c, capture_packet *out)
{
    const size_t there = c->end - c->begin;
    const uint8_t *at = c->bytes + c->begin;
    if (there < CAPTURE_PACKET_HEADER)
        return is_cut(c);
    out->n_bytes = word(at + 8, c->is_big);
    if (out->n_bytes > CAPTURE_MOST_BYTES)
        capture_refuse(c->name, "packet %" PRIu64 " has %" PRIu32 " bytes, and %d are the most", c->n_packets + 1,
                       out->n_bytes, CAPTURE_MOST_BYTES);
    if (there < CAPTURE_PACKET_HEADER + out->n_bytes)
        return is_cut(c);
    memcpy(out->header, at, CAPTURE_PACKET_HEADER);
    out->bytes = at + CAPTURE_PACKET_HEADER;
    c->begin += CAPTURE_PACKET_HEADER + out->n_bytes;
    c->n_packets++;
    return 1;
}
