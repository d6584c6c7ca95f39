/* SPDX-License-Identifier: MIT */
/* des.c - implements des.h. */
#include "des.h"

/* ---- the standard's tables ---- */

/* Bit 1 of the result is the bit with this number, and so on. */
static const uint8_t initial[64] = {58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, //
                                    62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8, //
                                    57, 49, 41, 33, 25, 17, 9,  1, 59, 51, 43, 35, 27, 19, 11, 3, //
                                    61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
static const uint8_t after_boxes[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                        2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
static const uint8_t choice_1[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                                     35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                                     46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
static const uint8_t choice_2[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                                     26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                                     51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
/* The four rows of each selection box, a hexadecimal digit a number. */
static const char boxes[DES_BOXES][4 * 16 + 1] = {"e4d12fb83a6c5907"
                                                  "0f74e2d1a6cb9538"
                                                  "41e8d62bfc973a50"
                                                  "fc8249175b3ea06d",
                                                  "f18e6b34972dc05a"
                                                  "3d47f28ec01a69b5"
                                                  "0e7ba4d158c6932f"
                                                  "d8a13f42b67c05e9",
                                                  "a09e63f51dc7b428"
                                                  "d709346a285ecbf1"
                                                  "d6498f30b12c5ae7"
                                                  "1ad069874fe3b52c",
                                                  "7de3069a1285bc4f"
                                                  "d8b56f03472c1ae9"
                                                  "a690cb7df13e5284"
                                                  "3f06a1d8945bc72e",
                                                  "2c417ab6853fd0e9"
                                                  "eb2c47d150fa3986"
                                                  "421bad78f9c5630e"
                                                  "b8c71e2d6f09a453",
                                                  "c1af92680d34e75b"
                                                  "af427c9561de0b38"
                                                  "9ef528c3704a1db6"
                                                  "432c95fabe17608d",
                                                  "4b2ef08d3c975a61"
                                                  "d0b7491ae35c2f86"
                                                  "14bdc37eaf680592"
                                                  "6bd814a7950fe23c",
                                                  "d2846fb1a93e50c7"
                                                  "1fd8a374c56b0e92"
                                                  "7b419ce206adf358"
                                                  "21e74a8dfc90356b"};

/* ---- the algorithm ---- */

/* The bits of an n_from-bit word that `table` lists. */
static uint64_t permuted(uint64_t word, int n_from, const uint8_t *table, int n)
{
    uint64_t out = 0;
    for (int i = 0; i < n; i++)
        out = out << 1 | (word >> (n_from - table[i]) & 1);
    return out;
}

static uint64_t final(uint64_t word)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i++)
        out |= (word >> (63 - i) & 1) << (64 - initial[i]);
    return out;
}

static uint32_t turned(uint32_t half, int by) { return (half << by | half >> (28 - by)) & 0xfffffff; }

void des_keys(uint64_t key, uint64_t out[DES_ROUNDS])
{
    const uint64_t chosen = permuted(key, 64, choice_1, 56);
    uint32_t c = (uint32_t)(chosen >> 28), d = (uint32_t)chosen & 0xfffffff;
    for (int k = 0; k < DES_ROUNDS; k++) {
        const int by = k < 2 || k == 8 || k == 15 ? 1 : 2;
        c = turned(c, by);
        d = turned(d, by);
        out[k] = permuted((uint64_t)c << 28 | d, 56, choice_2, 48);
    }
}

uint32_t des_box(int box, uint32_t six)
{
    const uint32_t row = (six >> 4 & 2) | (six & 1), col = six >> 1 & 15;
    const char digit = boxes[box][16 * row + col];
    const uint32_t four = (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    return (uint32_t)permuted((uint64_t)four << (28 - 4 * box), 32, after_boxes, 32);
}

/* Box i gets bits 4 i to 4 i + 5 of the half, cyclically, and six bits of the key. */
static uint32_t mixed(uint32_t half, uint64_t key)
{
    const uint64_t ring = (uint64_t)(half & 1) << 33 | (uint64_t)half << 1 | half >> 31;
    uint32_t out = 0;
    for (int box = 0; box < DES_BOXES; box++)
        out ^= des_box(box, (uint32_t)((ring >> (28 - 4 * box) ^ key >> (42 - 6 * box)) & 63));
    return out;
}

uint64_t des_block(uint64_t block, const uint64_t keys[DES_ROUNDS], int backward)
{
    const uint64_t begin = permuted(block, 64, initial, 64);
    uint32_t left = (uint32_t)(begin >> 32), right = (uint32_t)begin;
    for (int k = 0; k < DES_ROUNDS; k++) {
        const uint32_t next = left ^ mixed(right, keys[backward ? DES_ROUNDS - 1 - k : k]);
        left = right;
        right = next;
    }
    return final((uint64_t)right << 32 | left);
}
