/* SPDX-License-Identifier: MIT */
/* mosaic.c - see mosaic.h. */
#include "mosaic.h"

#include "app.h"

#include <inttypes.h>
#include <stdio.h>

#define RISE 37u /* of values from copy to copy: odd, so that all 256 come */

/* A place modulo the size comes again after as many copies as there are pixels; values are raised by one more then. */
mosaic_offset mosaic_offset_of(const uint64_t size[2], uint64_t k)
{
    const uint64_t n = size[0] * size[1], place = k % n;
    return (mosaic_offset){place % size[0], place / size[0], (uint8_t)(place * RISE + k / n)};
}

int mosaic_side(uint64_t size, uint64_t asked, const char *unit, uint64_t *n, char *error)
{
    *n = asked ? asked : size;
    if (*n >= size)
        return 0;
    snprintf(error, APP_ERROR, "-n asks for %" PRIu64 " %s, but the input has %" PRIu64, *n, unit, size);
    return -1;
}

typedef struct laying {
    const uint8_t *photograph;
    uint8_t *picture;
    const uint64_t *size, *n;
} laying;

/* Pixels from i on that stand side by side in the photograph, too; `end` is behind the last that is wanted. Returns their number. */
static uint64_t lay_some(const laying *l, uint64_t i, uint64_t end)
{
    const uint64_t *size = l->size, row = i / l->n[1], column = i % l->n[1];
    const uint64_t n_across = (l->n[1] + size[1] - 1) / size[1];
    const mosaic_offset o = mosaic_offset_of(size, row / size[0] * n_across + column / size[1]);
    const uint64_t from = (column + o.right) % size[1];
    const uint8_t *photograph = l->photograph + (row + o.down) % size[0] * size[1] + from;
    uint64_t n = app_smaller(end - i, l->n[1] - column);
    n = app_smaller(n, app_smaller(size[1] - column % size[1], size[1] - from));
    for (uint64_t k = 0; k < n; k++)
        l->picture[i + k] = (uint8_t)(photograph[k] + o.by);
    return n;
}

static void lay(void *self, uint64_t begin, uint64_t end)
{
    while (begin < end)
        begin += lay_some(self, begin, end);
}

void mosaic_lay(const uint8_t *photograph, const uint64_t size[2], uint8_t *picture, const uint64_t n[2])
{
    laying l = {photograph, picture, size, n};
    app_spread(n[0] * n[1], 1, lay, &l);
}
