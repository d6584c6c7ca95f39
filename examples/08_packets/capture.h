/* SPDX-License-Identifier: MIT */
/* capture.h - a capture of packets (classic pcap) as it comes: from a file or a pipe, as far as it has been written. A capture has
 * a header, and each packet has one. What cannot be read ends the program with a sentence. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_HEADER = 24, CAPTURE_PACKET_HEADER = 16, CAPTURE_MOST_BYTES = 1 << 16 };

typedef struct capture {
    const char *name;
    int fd, is_big, has_ended; /* is_big: its numbers begin with their highest byte */
    uint8_t header[CAPTURE_HEADER];
    uint8_t *bytes;    /* what has been read */
    size_t begin, end; /* of these, what has not been taken yet */
    uint64_t n_packets;
} capture;

typedef struct capture_packet {
    uint8_t header[CAPTURE_PACKET_HEADER]; /* time and lengths, which stay as they are */
    const uint8_t *bytes;                  /* until the next call */
    uint32_t n_bytes;                      /* at most CAPTURE_MOST_BYTES */
} capture_packet;

/* name "-": standard input; NULL: a small capture that is made up. Waits for the header. */
void capture_open(capture *c, const char *name);
void capture_close(capture *c);
/* Waits until more bytes are there, or the capture has ended. */
void capture_read(capture *c);
/* Takes the next packet if all of it is there: returns 1, else 0. */
int capture_take(capture *c, capture_packet *out);

/* Ends the program with a sentence: NAME, and what printf makes of the rest. */
_Noreturn void capture_refuse(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
