/* SPDX-License-Identifier: MIT */
/* brood.h - random families of kin_bodies.h, and the bytes that their serial order leaves. */
#ifndef SPAWN_BROOD_H
#define SPAWN_BROOD_H

#include "kin_bodies.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define BROOD_FAMILIES 4u /* per graph, at most */
#define BROOD_BYTES 2048u /* per family             */

typedef struct brood { /* the families of one graph */
    uint32_t n_families, n_all, n_before;
    kin_family family[BROOD_FAMILIES];
    kin_child child[BROOD_FAMILIES * HEDDLE_MAX_CHILDREN];
    uint32_t before[BROOD_FAMILIES * HEDDLE_MAX_CHILDREN * HEDDLE_MAX_CHILDREN / 2];
    uint8_t bytes[BROOD_FAMILIES * BROOD_BYTES]; /* the expected bytes */
} brood;

/* Makes up to n_most families. The caller frees the result. */
brood *brood_new(uint32_t n_most, uint64_t *seed);
/* Applies one run to the expected bytes: the children of each family one after another. */
void brood_run(brood *b);

#if defined(__cplusplus)
}
#endif
#endif
