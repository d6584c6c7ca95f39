/* SPDX-License-Identifier: MIT */
/* bodies.h - a packet is a task: one body, which encrypts it with ChaCha20 (RFC 8439), and decrypts it as well. */
#ifndef BODIES_H
#define BODIES_H

#include "heddle/task.h"

typedef struct packets_params {
    uint32_t key[8];
} packets_params;

/* The library points `in` and `out` to copies of the packet near the body (heddle_pool_copy). */
typedef struct packets_args {
    const uint8_t *in;
    uint8_t *out;
    uint64_t n_bytes;
    uint64_t number; /* the nonce: no two packets under one key may have the same */
} packets_args;

#define PACKETS_BODIES(X) X(packets_encrypt, 0)
HEDDLE_ENUM(packets, PACKETS_BODIES)
HEDDLE_DECLARE(packets)

#endif
