/* SPDX-License-Identifier: MIT */
/* map.h - host objects with a copy on the device, and how often they are mapped (OpenMP 4.5, 2.15.5.1).
 *
 * Objects are disjoint ranges of host addresses. A pointer belongs to the object that contains it; one past an object's end
 * belongs to that object, unless another one begins there. Four functions (hd_omp_mover) manage the copies, so that the table
 * can be tested without a device. Calls return the status of these functions. */
#ifndef HD_OMP_MAP_H
#define HD_OMP_MAP_H

#include "openmp/say.h"

typedef struct hd_omp_mover {
    void *self;
    heddle_status (*make)(void *self, uint64_t n_bytes, void **out);
    void (*drop)(void *self, void *copy);
    heddle_status (*write)(void *self, void *copy, const void *host, uint64_t n_bytes);
    heddle_status (*read)(void *self, void *host, const void *copy, uint64_t n_bytes);
} hd_omp_mover;

typedef struct hd_omp_object {
    uint64_t begin, end; /* host addresses */
    unsigned char *copy;
    uint64_t count;
    const char *name;
    const heddle_omp_place *place; /* first mapped here */
    uint32_t newer;                /* the copy may be newer than the host's bytes */
} hd_omp_object;

typedef struct hd_omp_map {
    hd_omp_mover by;
    hd_omp_buffer objects; /* hd_omp_object *, by address */
    hd_omp_object *met;    /* found last */
    hd_omp_buffer spare;   /* copies of unmapped objects, for reuse at equal size */
} hd_omp_map;

/* The object that p belongs to, or NULL. */
hd_omp_object *hd_omp_map_find(hd_omp_map *m, uint64_t p);
/* The first object that has a byte of [begin, end), or NULL. */
hd_omp_object *hd_omp_map_meets(hd_omp_map *m, uint64_t begin, uint64_t end);
/* The device address of the copy of p. */
static inline void *hd_omp_map_copy(const hd_omp_object *o, uint64_t p) { return o->copy + (int64_t)(p - o->begin); }

/* Counts [begin, end) up: *out is its object, new with count 1 or an existing one. EINVAL: the object *out has only a part of
 * it. ENOMEM from the mover. */
heddle_status hd_omp_map_up(hd_omp_map *m, uint64_t begin, uint64_t end, const char *name,
                            const heddle_omp_place *place, hd_omp_object **out);
/* Counts down; unmaps the object at 0. */
void hd_omp_map_down(hd_omp_map *m, hd_omp_object *o);
/* Copies the part of [begin, end) inside o to the device, or back. */
heddle_status hd_omp_map_write(const hd_omp_map *m, const hd_omp_object *o, uint64_t begin, uint64_t end);
heddle_status hd_omp_map_read(const hd_omp_map *m, const hd_omp_object *o, uint64_t begin, uint64_t end);
/* Frees the spare copies; 1 if there were any. */
int hd_omp_map_drop_spares(hd_omp_map *m);
/* Unmaps all objects, whatever their counts. */
void hd_omp_map_clear(hd_omp_map *m);

#endif
