/* SPDX-License-Identifier: MIT */
/* digest.h - names for things of which only equality counts. Not a secret, and no proof against a rival. */
#ifndef SHARE_DIGEST_H
#define SHARE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t share_digest(uint64_t begin, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t h = begin ^ 0xcbf29ce484222325u;
    for (; n >= 8; at += 8, n -= 8) {
        uint64_t word;
        __builtin_memcpy(&word, at, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; n; at++, n--)
        h = (h ^ *at) * 0x100000001b3u;
    return h ? h : 1;
}

/* Of the bytes of the running executable; of that and its arguments (64 KiB of them). 0: they cannot be read. */
uint64_t share_digest_of_program(void);
uint64_t share_digest_of_command(uint64_t program);

#endif
