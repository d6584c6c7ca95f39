/* SPDX-License-Identifier: MIT */
/* input_packets.c - readers of packet captures and of plain bytes: see input.h. */
#include "app.h"
#include "input.h"
#include "input_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_HEADER = 24, PACKET_HEADER = 16, PACKET_BYTES = 8 };

int input_bytes(const char *path, char **bytes, uint64_t *n, char *error)
{
    input_file r;
    if (input_read(&r, path, error))
        return -1;
    if (r.n == 0)
        return input_refuse(&r, "is empty");
    *n = r.n;
    *bytes = input_take(&r, r.n);
    return 0;
}

/* A capture's numbers are in the order of bytes of the machine that made it. */
static uint32_t word(const input_file *r, uint64_t at, int big)
{
    const unsigned char *p = (const unsigned char *)r->bytes + at;
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* Whether the first word is one of the two of a capture: with microseconds, with nanoseconds. */
static int is_capture(uint32_t first) { return first == 0xa1b2c3d4u || first == 0xa1b23c4du; }

/* Packets move to the front of the file's bytes. */
static int add_packets(input_file *r, int big, input_records *out)
{
    uint64_t n_bytes = 0;
    for (r->at = FILE_HEADER; r->at < r->n; out->n++) {
        const uint64_t left = r->n - r->at;
        const uint32_t n = left < PACKET_HEADER ? 0 : word(r, r->at + PACKET_BYTES, big);
        if (left < PACKET_HEADER)
            return input_refuse(r, "breaks off in the header of packet %" PRIu64, out->n + 1);
        if (n == 0 || n > left - PACKET_HEADER)
            return input_refuse(r, "packet %" PRIu64 " has %" PRIu32 " bytes, %" PRIu64 " are left", out->n + 1, n,
                                left - PACKET_HEADER);
        out->begin[out->n] = n_bytes;
        memmove(r->bytes + n_bytes, r->bytes + r->at + PACKET_HEADER, n);
        n_bytes += n;
        r->at += PACKET_HEADER + n;
    }
    out->begin[out->n] = n_bytes;
    return out->n ? 0 : input_refuse(r, "no packet");
}

int input_packets(const char *path, input_records *out, char *error)
{
    input_file r;
    int big;
    memset(out, 0, sizeof *out);
    if (input_read(&r, path, error))
        return -1;
    if (r.n < FILE_HEADER)
        return input_refuse(&r, "is no capture: it has less than %d bytes", FILE_HEADER);
    big = is_capture(word(&r, 0, 1));
    if (!big && !is_capture(word(&r, 0, 0)))
        return input_refuse(&r, "is no capture: it does not begin with a1b2c3d4 or a1b23c4d");
    out->begin = malloc((r.n / (PACKET_HEADER + 1) + 1) * sizeof *out->begin);
    if (!out->begin)
        return input_refuse(&r, "out of memory for the places of packets");
    if (add_packets(&r, big, out)) {
        free(out->begin);
        memset(out, 0, sizeof *out);
        return -1;
    }
    out->letters = input_take(&r, out->begin[out->n]);
    return 0;
}
