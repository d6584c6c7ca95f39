/* SPDX-License-Identifier: MIT */
/* none.c - by_hand.h in a build without CUDA. */
#include "by_hand.h"

#include <stdio.h>

static int refuse(char *error)
{
    snprintf(error, BY_HAND_ERROR, "built without CUDA");
    return -1;
}

int by_hand_product_open(by_hand_product **out, product_way way, const product *p, uint32_t n_gpus, uint32_t tile,
                         char error[BY_HAND_ERROR])
{
    (void)way, (void)p, (void)n_gpus, (void)tile;
    *out = NULL;
    return refuse(error);
}
void by_hand_product_close(by_hand_product *h) { (void)h; }
int by_hand_product_bring(by_hand_product *h, char error[BY_HAND_ERROR])
{
    (void)h;
    return refuse(error);
}
int by_hand_product_compute(by_hand_product *h, double *ms, char error[BY_HAND_ERROR])
{
    (void)h, (void)ms;
    return refuse(error);
}
int by_hand_product_take(by_hand_product *h, char error[BY_HAND_ERROR])
{
    (void)h;
    return refuse(error);
}

int by_hand_steps_open(by_hand_steps **out, const steps *s, uint32_t n_gpus, steps_exchange exchange, int with_graph,
                       char error[BY_HAND_ERROR])
{
    (void)s, (void)n_gpus, (void)exchange, (void)with_graph;
    *out = NULL;
    return refuse(error);
}
void by_hand_steps_close(by_hand_steps *h) { (void)h; }
int by_hand_steps_bring(by_hand_steps *h, char error[BY_HAND_ERROR])
{
    (void)h;
    return refuse(error);
}
int by_hand_steps_compute(by_hand_steps *h, double *ms, char error[BY_HAND_ERROR])
{
    (void)h, (void)ms;
    return refuse(error);
}
int by_hand_steps_take(by_hand_steps *h, char error[BY_HAND_ERROR])
{
    (void)h;
    return refuse(error);
}

int by_hand_copies(uint32_t n_gpus, by_hand_rates *out, char error[BY_HAND_ERROR])
{
    (void)n_gpus, (void)out;
    return refuse(error);
}

uint32_t by_hand_gpus(void) { return 0; }
