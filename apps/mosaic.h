/* SPDX-License-Identifier: MIT */
/* mosaic.h - a photograph laid out over a larger picture: copies side by side, in rows of copies, cut off at the picture's right and lower
 * side. Each copy is moved, modulo its size, by another number of rows and columns, and its values are raised by another number,
 * modulo 256. So no two whole copies are the same bytes, unless there are more than 256 for each pixel of the photograph, or it
 * repeats itself. The first copy is the photograph. */
#ifndef MOSAIC_H
#define MOSAIC_H

#include <stdint.h>

/* Of apps that take photographs (app.formats). */
#define MOSAIC_FORMATS "8-bit PGM (P5), laid out again and again over a larger -n"

/* What is done to copy k, which are counted from 0 along the rows of copies. */
typedef struct mosaic_offset {
    uint64_t down, right;
    uint8_t by;
} mosaic_offset;
/* size: rows and columns of the photograph. */
mosaic_offset mosaic_offset_of(const uint64_t size[2], uint64_t k);

/* Rows or columns of the picture: as asked, or the photograph's if that is 0. -1 with the sentence (APP_ERROR bytes) if it is less. */
int mosaic_side(uint64_t size, uint64_t asked, const char *unit, uint64_t *n, char *error);
/* Fills a picture of n[0] rows and n[1] columns. */
void mosaic_lay(const uint8_t *photograph, const uint64_t size[2], uint8_t *picture, const uint64_t n[2]);

#endif
