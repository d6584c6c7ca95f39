/* SPDX-License-Identifier: MIT */
/* border.h - the host side of border_bodies.h: a case of an app that keeps only the borders of tiles.
 *
 * The app supplies a border_kind and puts border_case first in its case. build, reset, read, reference, tiles and free
 * are the same for all. Tile (i, j) updates in place its piece of the row and its row's record of the column; its edges
 * from the left and upper neighbour follow from these ranges. With `keep` it also writes its block of the whole matrix. */
#ifndef BORDER_H
#define BORDER_H

#include "app.h"
#include "border_bodies.h"

#define BORDER_MAX_N ((uint64_t)1 << 31)

struct border_case;
typedef struct border_kind {
    uint32_t body;
    uint32_t (*shared_bytes)(uint32_t h, uint32_t w); /* of the portable body                              */
    /* 0, or -1 with a sentence: whether a version of the body can hold this case's values in its blocks. NULL: always. */
    int (*portable_fits)(const struct border_case *c, char *error);
    int (*tuned_fits)(const struct border_case *c, char *error);
    int32_t outside;                           /* cells beside the matrix; the upper left corner is 0 */
    void (*add)(void *sums, const void *more); /* adds to the sums those of the next row of tiles below */
    uint32_t cells[2];                         /* the wave's cell bodies: without sums, with */
    void (*take)(void *sums, const void *found, int has_sums); /* turns a wave's results into sums */
    /* The plain reference: row i from the one above (NULL: outside), adding to the sums. */
    void (*next_row)(const struct border_case *c, uint64_t i, const int32_t *above, int32_t *row, void *sums);
} border_kind;

/* A record of params. */
typedef struct border_record {
    const void *p;
    size_t n_bytes;
} border_record;
#define BORDER_RECORD(x) ((border_record){&(x), sizeof(x)})

typedef struct border_case {
    app_case base;
    const border_kind *kind;
    border_grid *grid;              /* in the app's params; points to memory of build */
    border_record of_tile, of_cell; /* params of the tile's body, and of a wave's cell */
    int16_t *x, *y;                 /* host: n and m symbols                                                        */
    int keep, sums; /* options: the whole matrix; sums over all cells                                  */
    app_body body;
    /* host: results of read; row and column also their initial values */
    int32_t *row, *column, *matrix;
    uint64_t sums_read[BORDER_SUMS_BYTES / 8];
    int (*read_more)(struct border_case *c); /* reads all but row and matrix */
    struct {
        int32_t *column, *x, *y; /* on the context; a symbol is a word there */
        void *found;
    } wave;
    struct {
        int32_t *x, *y; /* of a fleet: host; a symbol is a word there */
        uint64_t found[BORDER_SUMS_BYTES / 8];
    } front;
    uint64_t n_records, record_bytes;
    unsigned char *records;
    void *shared; /* block-shared memory for border_tiles */
    int32_t *true_row, *true_column;
    uint64_t true_sums[BORDER_SUMS_BYTES / 8]; /* valid when true_row is */
} border_case;

/* The first call of prepare: sets the kind, the grid in the app's params, and the records. */
void border_begin(border_case *c, const border_kind *kind, border_grid *grid, border_record of_tile,
                  border_record of_cell);
/* The options body, keep and sums, for the table of an app and for its prepare. 0 or -1. */
#define BORDER_OPTIONS                                                       \
    {"keep", "0", "1 = store the whole matrix, not only borders of blocks"}, \
        {"sums", "1", "0 = no sums over all cells, which nobody needs for an alignment"}, APP_OPTION_BODY
int border_options(border_case *c, const app *a, const app_request *q, char *error);
/* For prepare, once sizes and symbols are known: whether the requested version fits. 0 or -1. */
int border_check_fit(const border_case *c, char *error);
int border_build(app_case *c, heddle_ctx *ctx);
int border_reset(app_case *c);
int border_tiles(app_case *c);
/* The same as a wave, which has no blocks (border_wave.c). */
int border_wave_build(app_case *c, heddle_ctx *ctx);
int border_wave_reset(app_case *c);
/* ... over a fleet (border_front.c). */
int border_front_build(app_case *c, heddle_ctx *ctx);
int border_front_reset(app_case *c);
/* -1 with a sentence if option body is given. */
int border_refuse_body(border_case *c);
int border_read(app_case *c);
int border_reference(app_case *c);
/* Checks row, column, and the matrix if kept; the app checks the sums. */
int border_check(app_case *c);
/* c was made by malloc; NULL is allowed. */
void border_free(app_case *c);

/* For both builds; return 0, or -1 with a sentence. border_new_memory allocates n_bytes on the context and stores the
 * address in *out, a pointer of any type; the others copy, allocate row, column and matrix, and set their outer values. */
int border_new_memory(border_case *c, uint64_t n_bytes, void *out);
int border_put(border_case *c, const void *dst, const void *host, uint64_t n_bytes);
int border_get(border_case *c, void *host, const void *src, uint64_t n_bytes);
int border_new_results(border_case *c); /* of the host only */
int border_new_cells(border_case *c);
int border_put_outside(border_case *c);
static inline uint64_t border_bytes(uint64_t n_cells) { return n_cells * sizeof(int32_t); }

#endif
