/* SPDX-License-Identifier: MIT */
/* main.c - 15_library [DEVICES]: a product of matrices by a body of our own, and by a library's function in its place. */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256 };

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

/* Small whole numbers, so that sums are exact in any order. */
static heddle_array *new_matrix(heddle_fleet *f, int first)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a;
    d.n_rows = SIDE;
    d.row_bytes = SIDE * sizeof(float);
    must(heddle_array_new(f, &d, &a));
    float *at = heddle_array_host(a);
    for (int i = 0; i < SIDE * SIDE; i++)
        at[i] = (float)(i * first % 11 - 5);
    return a;
}

/* call: puts the work of a slice into a stream; NULL: the body does it. */
static heddle_multi *new_product(heddle_fleet *f, heddle_array *a, heddle_array *b, heddle_array *c,
                                 heddle_call_fn call)
{
    const heddle_access accesses[] = {HEDDLE_ROWS(a, HEDDLE_MODE_IN, offsetof(product_params, a), 0, 0),
                                      HEDDLE_ALL(b, offsetof(product_params, b)),
                                      HEDDLE_ROWS(c, HEDDLE_MODE_OUT, offsetof(product_params, c), 0, 0)};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_multi_desc m = HEDDLE_MULTI_INIT;
    heddle_multi *out;
    d.body = product_rows;
    d.n = SIDE;
    d.tile = 16;
    d.accesses = accesses;
    d.n_accesses = 3;
    m.call = call;
    must(heddle_multi_new(f, &product, &d, &m, &out));
    return out;
}

int main(int argc, char **argv)
{
    const product_params params = {NULL, NULL, NULL, SIDE};
    heddle_fleet *f;
    must(heddle_fleet_open(&f, argc > 1 ? argv[1] : "2*virtual:", NULL));
    heddle_array *a = new_matrix(f, 3), *b = new_matrix(f, 7), *c = new_matrix(f, 0), *d = new_matrix(f, 0);
    heddle_multi *by_body = new_product(f, a, b, c, NULL), *by_library = new_product(f, a, b, d, product_call);

    must(heddle_multi_start(by_body, &params, sizeof params));
    must(heddle_multi_start(by_library, &params, sizeof params)); /* A and B are there already */
    must(heddle_array_fetch(c, 0, SIDE));
    must(heddle_array_fetch(d, 0, SIDE));
    must(heddle_multi_wait(by_body, HEDDLE_FOREVER));
    must(heddle_multi_wait(by_library, HEDDLE_FOREVER));

    const float *got = heddle_array_host(c);
    const int is_same = !memcmp(got, heddle_array_host(d), SIDE * SIDE * sizeof(float));
    printf("C: %.0f %.0f ... %.0f; %s\n", got[0], got[1], got[SIDE * SIDE - 1],
           is_same ? "the library has the same" : "the library has something else");
    heddle_multi_free(by_body);
    heddle_multi_free(by_library);
    heddle_array_free(a);
    heddle_array_free(b);
    heddle_array_free(c);
    heddle_array_free(d);
    heddle_fleet_close(f);
    return !is_same;
}
