/* SPDX-License-Identifier: MIT */
/* picture.h - what sat and inthist share: a grey picture, and one or several tables of prefix sums over it,
 * [plane][row][col] in 32 bits; the graph of their tiles, the wave, the check.
 *
 * Input: 8-bit PGM, laid out over more rows or columns if these are asked for (mosaic.h). Without --input: noise. */
#ifndef PICTURE_H
#define PICTURE_H

#include "app.h"
#include "mosaic.h"
#include "prefix.h"

typedef struct picture {
    app_case c;
    uint8_t *pixels;         /* host */
    uint32_t *result, *want; /* host; want NULL until there is a reference                        */
    uint8_t *at_pixels;      /* the pixels where bodies read them */
    app_body body;
    prefix_record record;
} picture;

/* For a case that has its app: its sizes, and the pixels of the first input, else made up. The caller frees *pixels, also on
 * failure; it was NULL. */
int picture_pixels(app_case *c, const app_request *q, uint8_t **pixels, char *error);
app_case *picture_prepare(const app *a, const app_request *q, uint32_t n_planes, char *error);
void picture_free(app_case *c);
/* The table has one body. */
int picture_build(app_case *c, heddle_ctx *ctx);
/* The same as a wave (picture_wave.c): the app's table `cells` has one body. It has no blocks. */
int picture_wave_build(app_case *c, heddle_ctx *ctx);
int picture_begin(picture *p, heddle_ctx *ctx); /* for both: memory and record. 0 or -1 */
int picture_reset(app_case *c); /* pixels do not change; clears the tables, so that no old result can pass */
int picture_read(app_case *c);
int picture_tiles(app_case *c);
/* The plain reference, one plane after another, each row from the one above (NULL: none) by the app's next_row. 0 or -1. */
typedef void (*picture_row_fn)(const picture *p, uint32_t plane, uint64_t r, const uint32_t *above, uint32_t *row);
int picture_reference(app_case *c, picture_row_fn next_row);
/* Equal in every cell. */
int picture_check(app_case *c);

uint64_t picture_cells(const picture *p);            /* of one plane   */
uint64_t picture_sum(const picture *p);              /* of all results, modulo 2^64 */
void picture_sha256(const picture *p, char hex[65]); /* of all results */

#endif
