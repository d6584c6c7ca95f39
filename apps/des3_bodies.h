/* SPDX-License-Identifier: MIT */
/* des3_bodies.h - record and list of the bodies of des3: packets through DES three times. */
#ifndef DES3_BODIES_H
#define DES3_BODIES_H

#include "tile.h"

enum { DES3_BLOCK = 8, DES3_ROUNDS = 48, DES3_TABLES = 8 * 64, DES3_KEYS = 2 * DES3_ROUNDS };

typedef struct des3_record {
    const uint8_t *in; /* whole blocks */
    uint8_t *out;
    const uint64_t *begin; /* of each packet, and the end of the last one, in both from `base` on */
    uint64_t base;
    /* DES3_TABLES words: what six bits of input add to the other half, box by box. Then DES3_KEYS: of the rounds in their order, the
     * bits for boxes 0, 2, 4, 6, then those for 1, 3, 5, 7 */
    const uint32_t *tables;
    uint32_t chained, backward; /* CBC, with zeros before the first block; decryption */
} des3_record;

#define DES3_SHARED_BYTES (4 * (DES3_TABLES + DES3_KEYS))
#define DES3_BODIES(X) X(des3_packets, DES3_SHARED_BYTES) /* argument: tile_rect, packets by bytes */
HEDDLE_ENUM(des3, DES3_BODIES)
HEDDLE_DECLARE(des3)
#define DES3_APART_BODIES(X) X(des3_apart_packets, DES3_SHARED_BYTES) /* argument: TILE_APART's */
HEDDLE_ENUM(des3_apart, DES3_APART_BODIES)
HEDDLE_DECLARE(des3_apart)

#endif
