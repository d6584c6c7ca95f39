/* SPDX-License-Identifier: MIT */
/* main.c - 13_out_of_core [DEVICES]: a product of matrices of 1.9 MB, by devices with 400 kB for them. */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 400, PANEL = 40, PANELS = SIDE / PANEL, TILE = 25 };

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static heddle_array *new_matrix(heddle_fleet *f, int32_t first)
{
    heddle_array_desc d = HEDDLE_ARRAY_INIT;
    heddle_array *a;
    d.n_rows = SIDE;
    d.row_bytes = SIDE * sizeof(int32_t);
    must(heddle_array_new(f, &d, &a));
    int32_t *at = heddle_array_host(a);
    for (int32_t i = 0; i < SIDE * SIDE; i++)
        at[i] = first ? (i * first) % 11 - 5 : 0;
    return a;
}

/* A rectangle of the array x: some rows, or those of the slice (0, 0), and some columns in the same way. */
#define RECT(x, mode, row, n_rows, column, n_columns)                                                           \
    HEDDLE_RECT(x, mode, offsetof(blocks_params, x), offsetof(blocks_params, x##_stride), sizeof(int32_t), row, \
                n_rows, column, n_columns)

/* The jobs of a panel: C += some columns of A times as many rows of B. Each is cut into 2 x 2 blocks of C. */
static heddle_multi *new_panel(heddle_fleet *f, heddle_array *a, heddle_array *b, heddle_array *c, uint64_t from)
{
    const heddle_access accesses[] = {RECT(a, HEDDLE_MODE_IN, 0, 0, from, PANEL),
                                      RECT(b, HEDDLE_MODE_IN, from, PANEL, 0, 0),
                                      RECT(c, from ? HEDDLE_MODE_INOUT : HEDDLE_MODE_OUT, 0, 0, 0, 0)};
    heddle_loop_desc d = HEDDLE_LOOP_INIT;
    heddle_multi_desc m = HEDDLE_MULTI_INIT;
    heddle_multi *out;
    d.body = blocks_multiply;
    d.n = d.n_2 = SIDE;
    d.tile = d.tile_2 = TILE;
    d.accesses = accesses;
    d.n_accesses = 3;
    m.n_tasks = m.n_tasks_2 = 2;
    must(heddle_multi_new(f, &blocks, &d, &m, &out));
    return out;
}

int main(int argc, char **argv)
{
    heddle_fleet_config config = HEDDLE_FLEET_INIT;
    heddle_multi *panels[PANELS];
    heddle_fleet *f;
    config.pool_bytes = 400000; /* of each device, for arrays */
    must(heddle_fleet_open(&f, argc > 1 ? argv[1] : "virtual:", &config));
    heddle_array *a = new_matrix(f, 3), *b = new_matrix(f, 7), *c = new_matrix(f, 0);
    for (uint64_t i = 0; i < PANELS; i++)
        panels[i] = new_panel(f, a, b, c, i * PANEL);

    for (uint64_t i = 0; i < PANELS; i++) {
        blocks_params p = {.from = i * PANEL, .to = (i + 1) * PANEL};
        must(heddle_multi_start(panels[i], &p, sizeof p));
    }
    must(heddle_array_fetch(c, 0, SIDE));

    const int32_t *got = heddle_array_host(c);
    int64_t sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += got[i] * (int64_t)(i % 13);
    printf("C: %d %d ... %d, sum %lld\n", got[0], got[1], got[SIDE * SIDE - 1], (long long)sum);
    for (uint64_t i = 0; i < PANELS; i++)
        heddle_multi_free(panels[i]);
    heddle_array_free(a);
    heddle_array_free(b);
    heddle_array_free(c);
    heddle_fleet_close(f);
    return 0;
}
