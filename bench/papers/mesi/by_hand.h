/* SPDX-License-Identifier: MIT */
/* by_hand.h - matmul and hotspot as a programmer would write them for GPUs without the library, and plain copies. The kernels are the bodies of
 * the apps, on arrays of the host that are copied as a whole. A C interface, implemented with CUDA (matmul.cu, hotspot.cu, copies.cu), or by
 * refusals without it (none.c).
 *
 * Functions that return int return nonzero, with the sentence, if something is not possible. _close must follow _open in any case. */
#ifndef MESI_BY_HAND_H
#define MESI_BY_HAND_H

#include "hotspot_bodies.h"
#include "matmul_bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BY_HAND_ERROR = 160, BY_HAND_MOST_GPUS = 8 };

/* ---- matmul ---- */

/* C = A B, rows side by side. */
typedef struct product {
    const void *a, *b;
    void *c;
    uint64_t m, n, k;
    int is_float;
} product;

/* PLAIN: the body in one launch. CUBLAS: cublasSgemm without TF32. XT: cublasXtSgemm, which copies by itself, in tiles. The libraries take
 * single precision only, and are loaded when they are asked for: a machine may lack them. */
typedef enum product_way { PRODUCT_PLAIN, PRODUCT_CUBLAS, PRODUCT_XT } product_way;

typedef struct by_hand_product by_hand_product;
/* n_gpus counts for XT only, as tile does. */
int by_hand_product_open(by_hand_product **out, product_way way, const product *p, uint32_t n_gpus, uint32_t tile,
                         char error[BY_HAND_ERROR]);
void by_hand_product_close(by_hand_product *h);
/* Copies A and B to the GPU; computes, in so many milliseconds of the GPU, and of XT of the host; copies C home. XT does all in compute. */
int by_hand_product_bring(by_hand_product *h, char error[BY_HAND_ERROR]);
int by_hand_product_compute(by_hand_product *h, double *ms, char error[BY_HAND_ERROR]);
int by_hand_product_take(by_hand_product *h, char error[BY_HAND_ERROR]);

/* ---- hotspot ---- */

typedef struct steps {
    const float *start, *power;
    float *result;
    uint64_t n; /* of steps */
    hotspot_record record;
} steps;

/* The rows are shared out among GPUs. COPIES: when a GPU has done a step, its neighbours copy the row that they need of it. STORES: a second
 * stream computes these rows once more, straight into the neighbours' memory, beside the step. */
typedef enum steps_exchange { STEPS_COPIES, STEPS_STORES } steps_exchange;

typedef struct by_hand_steps by_hand_steps;
/* n_gpus 1: launches one after another. with_graph: most steps are in CUDA graphs over all GPUs, else they are launches and events. */
int by_hand_steps_open(by_hand_steps **out, const steps *s, uint32_t n_gpus, steps_exchange exchange, int with_graph,
                       char error[BY_HAND_ERROR]);
void by_hand_steps_close(by_hand_steps *h);
int by_hand_steps_bring(by_hand_steps *h, char error[BY_HAND_ERROR]);
/* All steps, in so many milliseconds of the host. */
int by_hand_steps_compute(by_hand_steps *h, double *ms, char error[BY_HAND_ERROR]);
int by_hand_steps_take(by_hand_steps *h, char error[BY_HAND_ERROR]);

/* ---- copies ---- */

/* Bytes a nanosecond: to GPUs, from them, and both ways at once, together. */
typedef struct by_hand_rates {
    double in, out, both;
} by_hand_rates;

/* Of copies between pinned memory and GPUs 0 to n_gpus - 1, all at once. */
int by_hand_copies(uint32_t n_gpus, by_hand_rates *out, char error[BY_HAND_ERROR]);

/* GPUs of this machine. */
uint32_t by_hand_gpus(void);

#ifdef __cplusplus
}
#endif

#endif
