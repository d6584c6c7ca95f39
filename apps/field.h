/* SPDX-License-Identifier: MIT */
/* field.h - what the two stencils, heat and jacobi, share: a row-major fp32 field of temperatures with a fixed border;
 * its tiles and their neighbours; its check and answer.
 *
 * Cells hold the difference from the middle of the field's range: a mean of differences is the difference of the mean,
 * and near 0 fp32 has bits to spare. In kelvin, a cell around 320 would stop moving once a sweep changes it by less
 * than 1.5e-5; after 100 sweeps sums of squares would be off by 2e-5 of their value.
 *
 * Input: one number per line (Rodinia's hotspot files). Without --input: 320 + 24 * noise, in kelvin. */
#ifndef FIELD_H
#define FIELD_H

#include "app.h"
#include "tile.h"

typedef struct field {
    app_case c;
    int64_t sweeps;
    double middle;                /* subtracted from every cell */
    float *start, *result, *want; /* host; want NULL until there is a reference                      */
} field;                          /* the case of each stencil begins with one */

/* A zeroed case of case_bytes with c, sweeps (the option) and start filled in; a sweep has n_bodies tasks per tile. */
app_case *field_prepare(const app *a, const app_request *q, uint64_t n_bodies, size_t case_bytes, char *error);
void field_free(field *f);

/* Allocates one field on c.ctx. 0 or -1. */
int field_mem_new(field *f, float **out);
int field_put(field *f, float *to);         /* copies start to such memory */
int field_get(field *f, const float *from); /* copies such memory to result */

uint64_t field_tiles(const field *f, int axis); /* tiles along an axis */
/* Tile (i, j) without the cells of the border. */
tile_rect field_tile(const field *f, uint64_t i, uint64_t j);
/* The cells of t in the field at x. For a tile that is all border: its first cell, which is never written. */
heddle_range field_cells(const field *f, const float *x, const tile_rect *t, heddle_mode mode);
/* The ranges that a five-point stencil reads beside tile (i, j), named as whole tiles. Then all tasks name the same
 * ranges, found by one look-up each; halos would add four ranges per tile that overlap these. The edges are the same.
 * Returns the number of ranges; tiles that are all border are never written and are left out. */
size_t field_beside(const field *f, const float *x, uint64_t i, uint64_t j, heddle_range out[4]);

/* Sets want to a copy of start, for a reference to work in. 0 or -1. */
int field_want(field *f);
/* Compares every cell bitwise with want. */
int field_check(app_case *c);
void field_answer(app_case *c, const app_sink *s);

#endif
