/* SPDX-License-Identifier: MIT */
/* bodies.c - ChaCha20 (RFC 8439): a stream of numbers made from key, nonce and counter is added to the packet by exclusive or, so
 * doing it again decrypts. Block i of the stream, of 64 bytes, needs no other block: threads of a team make blocks side by side. */
#include "bodies.h"

enum { BLOCK = 64, WORDS = 16, DOUBLE_ROUNDS = 10 };

HEDDLE_FN uint32_t turned(uint32_t x, int n) { return x << n | x >> (32 - n); }

HEDDLE_FN void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = turned(*d ^ *a, 16);
    *c += *d, *b = turned(*b ^ *c, 12);
    *a += *b, *d = turned(*d ^ *a, 8);
    *c += *d, *b = turned(*b ^ *c, 7);
}

/* Columns, then diagonals, of x as a square of four rows. */
HEDDLE_FN void double_round(uint32_t x[WORDS])
{
    quarter_round(&x[0], &x[4], &x[8], &x[12]);
    quarter_round(&x[1], &x[5], &x[9], &x[13]);
    quarter_round(&x[2], &x[6], &x[10], &x[14]);
    quarter_round(&x[3], &x[7], &x[11], &x[15]);
    quarter_round(&x[0], &x[5], &x[10], &x[15]);
    quarter_round(&x[1], &x[6], &x[11], &x[12]);
    quarter_round(&x[2], &x[7], &x[8], &x[13]);
    quarter_round(&x[3], &x[4], &x[9], &x[14]);
}

/* The first row is a constant of the cipher. The counter begins at 1, as in the RFC's example; the nonce's first word is 0. */
HEDDLE_FN void begin_block(uint32_t x[WORDS], const uint32_t key[8], uint64_t number, uint32_t block)
{
    x[0] = 0x61707865u, x[1] = 0x3320646eu, x[2] = 0x79622d32u, x[3] = 0x6b206574u;
    for (int i = 0; i < 8; i++)
        x[4 + i] = key[i];
    x[12] = block + 1;
    x[13] = 0;
    x[14] = (uint32_t)number;
    x[15] = (uint32_t)(number >> 32);
}

HEDDLE_FN void stream_of(uint32_t stream[WORDS], const uint32_t key[8], uint64_t number, uint32_t block)
{
    uint32_t start[WORDS];
    begin_block(start, key, number, block);
    for (int i = 0; i < WORDS; i++)
        stream[i] = start[i];
    for (int i = 0; i < DOUBLE_ROUNDS; i++)
        double_round(stream);
    for (int i = 0; i < WORDS; i++)
        stream[i] += start[i];
}

HEDDLE_BODY(packets_encrypt, packets_params, params, packets_args, t)
{
    HEDDLE_EACH (block, (t->n_bytes + BLOCK - 1) / BLOCK) {
        const uint64_t begin = (uint64_t)block * BLOCK, left = t->n_bytes - begin;
        uint32_t stream[WORDS];
        stream_of(stream, params->key, t->number, (uint32_t)block);
        for (uint64_t i = 0; i < BLOCK && i < left; i++) /* words are little-endian, whatever the machine is */
            t->out[begin + i] = (uint8_t)(t->in[begin + i] ^ stream[i / 4] >> i % 4 * 8);
    }
}

HEDDLE_POOL_TABLE(packets, packets_params, PACKETS_BODIES)
