/* SPDX-License-Identifier: MIT */
/* btree.cu - two tables with B+ trees over their keys. The first task looks up single keys in the one, the second adds up the
 * values of ranges of keys in the other; the answers of both go out in one copy.
 *
 * A tree has four levels of nodes with up to 128 keys: all levels are arrays, and the node below key i is the 128 keys from
 * 128 i on. A key of an inner node is the least one below it. */
#include "program.h"

#include "noise.h"

#define LEVELS 4
#define NODE 128u
#define TABLES 2
#define APART 64u /* neighbouring keys differ by at most twice this much */
#define MOST_IN_RANGE 24u
#define THREADS 256

typedef struct tree {
    uint32_t n[LEVELS]; /* keys of each level, from the root down; the last are the table's */
} tree;

static tree head[TABLES];
static uint32_t *keys[TABLES][LEVELS], *values[TABLES], *wanted, *range_begin, *range_end, n_asked;
static int *answer; /* of keys, then of ranges */
static tree *device_head[TABLES];
static uint32_t *device_keys[TABLES][LEVELS], *device_values[TABLES], *device_wanted, *device_begin, *device_end;
static int *device_answer;

/* The last of n sorted keys, n > 0, that is not above the key; the first if all are. */
static __device__ uint32_t last_not_above(const uint32_t *sorted, uint32_t n, uint32_t key)
{
    uint32_t low = 0;
    while (n > 1) {
        const uint32_t half = n / 2;
        if (sorted[low + half] <= key)
            low += half, n -= half;
        else
            n = half;
    }
    return low;
}

/* The number of that key in the table. */
static __device__ uint32_t descend(const tree *t, const uint32_t *root, const uint32_t *upper, const uint32_t *lower,
                                   const uint32_t *leaves, uint32_t key)
{
    const uint32_t *const level[LEVELS] = {root, upper, lower, leaves};
    uint32_t node = 0;
    for (int k = 0; k < LEVELS; k++) {
        const uint32_t first = node * NODE, n = t->n[k] - first < NODE ? t->n[k] - first : NODE;
        node = first + last_not_above(level[k] + first, n, key);
    }
    return node;
}

static __global__ void find(const tree *t, const uint32_t *root, const uint32_t *upper, const uint32_t *lower,
                            const uint32_t *leaves, const uint32_t *value, const uint32_t *key, uint32_t n, int *to,
                            uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    program_lengthen(steps);
    if (i < n) {
        const uint32_t at = descend(t, root, upper, lower, leaves, key[i]);
        to[i] = leaves[at] == key[i] ? (int)value[at] : -1;
    }
}

static __global__ void add_ranges(const tree *t, const uint32_t *root, const uint32_t *upper, const uint32_t *lower,
                                  const uint32_t *leaves, const uint32_t *value, const uint32_t *begin,
                                  const uint32_t *end, uint32_t n, int *to, uint32_t steps)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    program_lengthen(steps);
    if (i < n) {
        uint32_t at = descend(t, root, upper, lower, leaves, begin[i]), sum = 0;
        at += leaves[at] < begin[i];
        for (; at < t->n[LEVELS - 1] && leaves[at] < end[i]; at++)
            sum += value[at];
        to[i] = (int)(sum & 0x7fffffffu);
    }
}

static void shape_table(int t, uint32_t n)
{
    for (int k = LEVELS - 1; k >= 0; k--, n = program_blocks(n, NODE)) {
        head[t].n[k] = n;
        keys[t][k] = PROGRAM_NEW(host, uint32_t, n), device_keys[t][k] = PROGRAM_NEW(device, uint32_t, n);
    }
    n = head[t].n[LEVELS - 1];
    values[t] = PROGRAM_NEW(host, uint32_t, n), device_values[t] = PROGRAM_NEW(device, uint32_t, n);
    device_head[t] = PROGRAM_NEW(device, tree, 1);
}
static void shape(double bytes)
{
    n_asked = (uint32_t)(bytes / 402 * 5) + 1; /* as many keys as ranges: three words in, two out */
    for (int t = 0; t < TABLES; t++)           /* a key has a value, and 1/127 of a key above it */
        shape_table(t, (uint32_t)((bytes - 12.0 * n_asked) / TABLES / 4 / (2 + 1.0 / 127)) + 1);
    wanted = PROGRAM_NEW(host, uint32_t, n_asked), device_wanted = PROGRAM_NEW(device, uint32_t, n_asked);
    range_begin = PROGRAM_NEW(host, uint32_t, n_asked), device_begin = PROGRAM_NEW(device, uint32_t, n_asked);
    range_end = PROGRAM_NEW(host, uint32_t, n_asked), device_end = PROGRAM_NEW(device, uint32_t, n_asked);
    answer = PROGRAM_NEW(result, int, 2 * n_asked), device_answer = PROGRAM_NEW(device, int, 2 * n_asked);
}

static uint32_t key_of(int table, uint64_t i)
{
    return (uint32_t)i * APART + (uint32_t)(noise_u64(120 + (uint64_t)table, i) % APART);
}
static void make_key(uint64_t i)
{
    for (int t = 0; t < TABLES; t++)
        if (i < head[t].n[LEVELS - 1]) {
            keys[t][LEVELS - 1][i] = key_of(t, i);
            values[t][i] = (uint32_t)(noise_u64(122 + (uint64_t)t, i) >> 33);
        }
}
/* Every other wanted key is in the table, as a rule. */
static void make_question(uint64_t i)
{
    const uint64_t r = noise_u64(124, i);
    wanted[i] =
        i % 2 ? key_of(0, r % head[0].n[LEVELS - 1]) : (uint32_t)(r % ((uint64_t)head[0].n[LEVELS - 1] * APART));
    range_begin[i] = (uint32_t)(noise_u64(125, i) % ((uint64_t)head[1].n[LEVELS - 1] * APART));
    range_end[i] = range_begin[i] + (uint32_t)(noise_u64(126, i) % (MOST_IN_RANGE * APART));
}
static void fill(void)
{
    program_fill(head[0].n[LEVELS - 1] > head[1].n[LEVELS - 1] ? head[0].n[LEVELS - 1] : head[1].n[LEVELS - 1],
                 make_key);
    for (int t = 0; t < TABLES; t++)
        for (int k = LEVELS - 2; k >= 0; k--)
            for (uint32_t i = 0; i < head[t].n[k]; i++)
                keys[t][k][i] = keys[t][k + 1][(uint64_t)i * NODE];
    program_fill(n_asked, make_question);
}

static void copy_table(int t)
{
    program_copy_in(device_head[t], &head[t], sizeof head[t]);
    for (int k = 0; k < LEVELS; k++)
        program_copy_in(device_keys[t][k], keys[t][k], head[t].n[k] * sizeof(uint32_t));
    program_copy_in(device_values[t], values[t], head[t].n[LEVELS - 1] * sizeof(uint32_t));
}
static void compute(void)
{
    const uint64_t bytes = n_asked * sizeof(uint32_t);
    const uint32_t n_blocks = program_blocks(n_asked, THREADS);
    uint32_t **k = device_keys[0];
    copy_table(0);
    program_copy_in(device_wanted, wanted, bytes);
    PROGRAM_LAUNCH(find, n_blocks, THREADS, device_head[0], k[0], k[1], k[2], k[3], device_values[0], device_wanted,
                   n_asked, device_answer);
    k = device_keys[1];
    copy_table(1);
    program_copy_in(device_begin, range_begin, bytes);
    program_copy_in(device_end, range_end, bytes);
    PROGRAM_LAUNCH(add_ranges, n_blocks, THREADS, device_head[1], k[0], k[1], k[2], k[3], device_values[1],
                   device_begin, device_end, n_asked, device_answer + n_asked);
    program_copy_out(answer, device_answer, 2 * bytes);
}

/* Without a tree: key i is one of the APART numbers from i x APART on. */
static int is_wrong_key(uint64_t i)
{
    const uint32_t at = wanted[i] / APART;
    return answer[i] != (at < head[0].n[LEVELS - 1] && key_of(0, at) == wanted[i] ? (int)values[0][at] : -1);
}
static int is_wrong_range(uint64_t i)
{
    uint32_t sum = 0;
    for (uint64_t at = range_begin[i] / APART; at < head[1].n[LEVELS - 1] && at * APART < range_end[i]; at++)
        if (key_of(1, at) >= range_begin[i] && key_of(1, at) < range_end[i])
            sum += values[1][at];
    return answer[n_asked + i] != (int)(sum & 0x7fffffffu);
}
static uint64_t check(void)
{
    return program_wrong("keys", n_asked, 20, is_wrong_key) + program_wrong("ranges", n_asked, 100, is_wrong_range);
}

const program program_this = {"b+tree", "Keys and ranges looked up in two tables", 402, shape, fill, compute, check};
