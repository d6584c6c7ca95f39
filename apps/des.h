/* SPDX-License-Identifier: MIT */
/* des.h - the Data Encryption Standard as FIPS 46-3 defines it, bit by bit: the reference of des3, and where its tables come
 * from. Bit 1 of a word, in the standard's numbering, is the highest. */
#ifndef DES_H
#define DES_H

#include <stdint.h>

enum { DES_ROUNDS = 16, DES_BOXES = 8 };

/* The round keys, 48 bits each. Parity bits of the key are ignored. */
void des_keys(uint64_t key, uint64_t out[DES_ROUNDS]);
/* One block through the sixteen rounds; with backward, under the keys in reverse order, which decrypts. */
uint64_t des_block(uint64_t block, const uint64_t keys[DES_ROUNDS], int backward);
/* What a selection box adds to the other half for six bits of input: its four bits, permuted. */
uint32_t des_box(int box, uint32_t six);

#endif
