/* SPDX-License-Identifier: MIT */
/* sha1.h - SHA-1 (FIPS 180-4) of short messages of whole 32-bit words: one step of compression. In the common part of
 * C, C++ and CUDA.
 *
 *     sha1_words(m, n, digest)    n words, 13 at most; words are numbers, not bytes
 *
 * The steps are unrolled, so that the words of the padding are constants of the code. Not for secrets. */
#ifndef SHA1_H
#define SHA1_H

#include "heddle/task.h"

#define SHA1_FN HEDDLE_FN __attribute__((always_inline))

#define SHA1_ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define SHA1_CHOOSE(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define SHA1_PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define SHA1_MAJORITY(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))

/* Word t of the schedule, in a ring of 16. */
#define SHA1_GIVEN(w, t) (w)[(t)]
#define SHA1_NEXT(w, t)                                                               \
    ((w)[(t)&15] ^= (w)[((t) + 13) & 15] ^ (w)[((t) + 8) & 15] ^ (w)[((t) + 2) & 15], \
     (w)[(t)&15] = SHA1_ROTATE((w)[(t)&15], 1))

#define SHA1_STEP(a, b, c, d, e, f, k, word)                \
    do {                                                    \
        e += SHA1_ROTATE(a, 5) + f(b, c, d) + (k) + (word); \
        b = SHA1_ROTATE(b, 30);                             \
    } while (0)
#define SHA1_STEPS_5(f, k, get, w, t)                    \
    do {                                                 \
        SHA1_STEP(a, b, c, d, e, f, k, get(w, (t)));     \
        SHA1_STEP(e, a, b, c, d, f, k, get(w, (t) + 1)); \
        SHA1_STEP(d, e, a, b, c, f, k, get(w, (t) + 2)); \
        SHA1_STEP(c, d, e, a, b, f, k, get(w, (t) + 3)); \
        SHA1_STEP(b, c, d, e, a, f, k, get(w, (t) + 4)); \
    } while (0)
#define SHA1_STEPS_20(f, k, w, t)                   \
    do {                                            \
        SHA1_STEPS_5(f, k, SHA1_NEXT, w, (t));      \
        SHA1_STEPS_5(f, k, SHA1_NEXT, w, (t) + 5);  \
        SHA1_STEPS_5(f, k, SHA1_NEXT, w, (t) + 10); \
        SHA1_STEPS_5(f, k, SHA1_NEXT, w, (t) + 15); \
    } while (0)

/* The digest of the padded words; overwrites them. */
SHA1_FN void sha1_block(uint32_t w[16], uint32_t out[5])
{
    uint32_t a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
    SHA1_STEPS_5(SHA1_CHOOSE, 0x5a827999u, SHA1_GIVEN, w, 0);
    SHA1_STEPS_5(SHA1_CHOOSE, 0x5a827999u, SHA1_GIVEN, w, 5);
    SHA1_STEPS_5(SHA1_CHOOSE, 0x5a827999u, SHA1_GIVEN, w, 10);
    SHA1_STEP(a, b, c, d, e, SHA1_CHOOSE, 0x5a827999u, w[15]);
    SHA1_STEP(e, a, b, c, d, SHA1_CHOOSE, 0x5a827999u, SHA1_NEXT(w, 16));
    SHA1_STEP(d, e, a, b, c, SHA1_CHOOSE, 0x5a827999u, SHA1_NEXT(w, 17));
    SHA1_STEP(c, d, e, a, b, SHA1_CHOOSE, 0x5a827999u, SHA1_NEXT(w, 18));
    SHA1_STEP(b, c, d, e, a, SHA1_CHOOSE, 0x5a827999u, SHA1_NEXT(w, 19));
    SHA1_STEPS_20(SHA1_PARITY, 0x6ed9eba1u, w, 20);
    SHA1_STEPS_20(SHA1_MAJORITY, 0x8f1bbcdcu, w, 40);
    SHA1_STEPS_20(SHA1_PARITY, 0xca62c1d6u, w, 60);
    out[0] = a + 0x67452301u;
    out[1] = b + 0xefcdab89u;
    out[2] = c + 0x98badcfeu;
    out[3] = d + 0x10325476u;
    out[4] = e + 0xc3d2e1f0u;
}

SHA1_FN void sha1_words(const uint32_t *m, uint32_t n, uint32_t digest[5])
{
    uint32_t w[16], i;
    for (i = 0; i < 16u; i++)
        w[i] = i < n ? m[i] : i == n ? 0x80000000u : i == 15u ? 32u * n : 0u;
    sha1_block(w, digest);
}

#endif
