/* SPDX-License-Identifier: MIT */
/* sizes.h - the apps' sizes: a table to be edited when an app's bodies change. */
#ifndef SIZES_H
#define SIZES_H

#include "app.h"

enum { MOST_TILES = 5 };

typedef struct app_size {
    const char *app, *size; /* size: S fits L2, M 1 GB, L 16 GB                                       */
    uint64_t n[2];
    uint64_t tiles[MOST_TILES][2]; /* tried for each subject, the likeliest first; ends with 0 */
    const char *key, *value;       /* an option, or NULL                                                     */
    const char *settings;          /* tried beside those of all apps (subject.h), or NULL */
    double n_bytes;                /* least traffic of the device's memory */
    int of_waves;                  /* counts among the waves, not among the seven */
    double n_fma, n_int;           /* multiply-adds in fp32, simple integer or fp32 operations of half their rate    */
} app_size;

/* Ends with app NULL. */
extern const app_size app_sizes_table[];

#endif
