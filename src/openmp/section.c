/* SPDX-License-Identifier: MIT */
/* section.c - converts a section of an array to ranges.
 *
 * Dimensions are merged from the innermost outwards. While a dimension is whole, the next one continues where it ends, and
 * both form one row. The first dimension that does not continue makes the rows of a block. Their stride is the array's, not
 * the section's: sections of one array cut in that dimension share a stride, so their overlap is exact. Outer dimensions
 * extend the rows if they continue them evenly; else each of their indices is a separate block. */
#include "openmp/list.h"

typedef struct block {
    uint64_t row_bytes, n_rows, stride;
} block;

typedef struct section {
    uint64_t first; /* address of its first byte */
    uint32_t n_dims;
    uint64_t length[HD_OMP_MAX_DIMS], stride[HD_OMP_MAX_DIMS];
    int within; /* no length exceeds its extent */
} section;

/* 0: the section is empty. */
static int read_section(section *b, const void *base, uint64_t element_bytes, uint32_t n_dims,
                        const heddle_omp_dim *dims)
{
    uint64_t stride = element_bytes;
    uint32_t d;
    if (n_dims == 0 || n_dims > HD_OMP_MAX_DIMS)
        hd_omp_die(NULL, "a dependence of %u dimensions; 1 to %u are allowed", n_dims, HD_OMP_MAX_DIMS);
    *b = (section){.first = (uint64_t)(uintptr_t)base, .n_dims = n_dims, .within = 1};
    for (d = n_dims; d-- > 0;) {
        if (dims[d].length <= 0 || element_bytes == 0)
            return 0;
        b->first += (uint64_t)dims[d].lower * stride;
        b->length[d] = (uint64_t)dims[d].length;
        b->stride[d] = stride;
        b->within &= d == 0 || dims[d].length <= dims[d].extent;
        stride *= (uint64_t)dims[d].extent;
    }
    return 1;
}

/* The rows that one range can describe; other dimensions go into `outer`. */
static block merge(const section *b, uint32_t outer[HD_OMP_MAX_DIMS], uint32_t *n_outer)
{
    uint32_t d = b->n_dims - 1;
    block k = {b->length[d] * b->stride[d], 1, 0};
    *n_outer = 0;
    while (d-- > 0) {
        if (k.stride == 0 && k.row_bytes == b->stride[d]) {
            k.row_bytes *= b->length[d];
        } else if (k.stride == 0) {
            k.n_rows = b->length[d];
            k.stride = b->stride[d];
        } else if (k.n_rows * k.stride == b->stride[d]) {
            k.n_rows *= b->length[d];
        } else {
            outer[(*n_outer)++] = d;
        }
    }
    return k;
}

static uint64_t count_pieces(const section *b, const uint32_t *outer, uint32_t n_outer)
{
    uint64_t n = 1;
    uint32_t i;
    for (i = 0; i < n_outer && n <= HD_OMP_MAX_PIECES; i++)
        n = b->length[outer[i]] > HD_OMP_MAX_PIECES ? HD_OMP_MAX_PIECES + 1u : n * b->length[outer[i]];
    return n;
}

static void put(hd_omp_list *l, heddle_mode mode, uint64_t first, const block *k)
{
    hd_omp_list_block(l, mode, first, k->row_bytes, k->n_rows, k->stride);
}

static block whole(const section *b)
{
    block k = {b->stride[b->n_dims - 1], 1, 0};
    uint32_t d;
    for (d = 0; d < b->n_dims; d++)
        k.row_bytes += (b->length[d] - 1) * b->stride[d];
    return k;
}

/* Appends one block for each index of the outer dimensions. */
static void put_pieces(hd_omp_list *l, heddle_mode mode, const section *b, const block *k, const uint32_t *outer,
                       uint32_t n_outer)
{
    uint64_t at[HD_OMP_MAX_DIMS] = {0}, first = b->first;
    uint32_t i;
    do {
        put(l, mode, first, k);
        for (i = 0; i < n_outer; i++) {
            first += b->stride[outer[i]];
            if (++at[i] < b->length[outer[i]])
                break;
            first -= at[i] * b->stride[outer[i]];
            at[i] = 0;
        }
    } while (i < n_outer);
}

void hd_omp_list_section(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                         const heddle_omp_dim *dims)
{
    uint32_t outer[HD_OMP_MAX_DIMS], n_outer;
    block k;
    section b;
    if (!read_section(&b, base, element_bytes, n_dims, dims))
        return;
    k = merge(&b, outer, &n_outer);
    if (!b.within || k.n_rows > UINT32_MAX || count_pieces(&b, outer, n_outer) > HD_OMP_MAX_PIECES) {
        k = whole(&b);
        n_outer = 0;
    }
    put_pieces(l, mode, &b, &k, outer, n_outer);
}

/* ---- keys --------------------------------------------------------------------------------------------------------- */

static void put_key(hd_omp_list *l, heddle_mode mode, uint64_t key)
{
    static const block byte = {1, 1, 0};
    put(l, mode, key, &byte);
}

void hd_omp_list_start(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                       const heddle_omp_dim *dims)
{
    section b;
    if (read_section(&b, base, element_bytes, n_dims, dims))
        put_key(l, mode, b.first);
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

/* Ignores dimensions of one element: A[i] and A[i:1][0:n] are one section of an array A[][n]. */
void hd_omp_list_exact(hd_omp_list *l, heddle_mode mode, const void *base, uint64_t element_bytes, uint32_t n_dims,
                       const heddle_omp_dim *dims)
{
    uint32_t outer[HD_OMP_MAX_DIMS], n_outer, i;
    block k;
    section b;
    uint64_t h;
    if (!read_section(&b, base, element_bytes, n_dims, dims))
        return;
    k = merge(&b, outer, &n_outer);
    h = mix(mix(mix(mix(0, b.first), k.row_bytes), k.n_rows), k.n_rows > 1 ? k.stride : 0);
    for (i = 0; i < n_outer; i++)
        if (b.length[outer[i]] > 1)
            h = mix(mix(h, b.length[outer[i]]), b.stride[outer[i]]);
    put_key(l, mode, h >> 1); /* the last byte of the address space cannot be a key */
}
