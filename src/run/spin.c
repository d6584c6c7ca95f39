/* SPDX-License-Identifier: MIT */
/* spin.c - bodies that only spin, for graphs read from a file. */
#include "run/run.h"

#include <string.h>

/* One thread spins; the others of a block wait at the barrier that ends the task. */
static void spin(const heddle_thread *thread, const void *params, const void *args)
{
    uint64_t end = heddle_host_clock_ns() + ((const hd_spin_args *)args)->ns;
    (void)params;
    while (thread->index == 0 && ((const hd_spin_args *)args)->ns && heddle_host_clock_ns() < end)
        HD_PAUSE(0);
}

typedef struct spin_table {
    heddle_table table; /* first: a spin_table is used as a heddle_table */
    uint64_t n_bytes;
    heddle_body_info bodies[];
} spin_table;

heddle_table *hd_spin_table_new(char *const *names, uint32_t n_names)
{
    uint64_t n_bytes = sizeof(spin_table) + n_names * sizeof(heddle_body_info), at = n_bytes;
    spin_table *t;
    uint32_t i;
    for (i = 0; i < n_names; i++)
        n_bytes += strlen(names[i]) + 1;
    t = hd_new(n_bytes);
    if (!t)
        return NULL;
    t->n_bytes = n_bytes;
    t->table = (heddle_table){
        sizeof(heddle_table), HEDDLE_CORE_VERSION, "file", 0, n_names, t->bodies, NULL, 1, NULL, 0, 0, 0};
    for (i = 0; i < n_names; i++) {
        char *name = (char *)t + at;
        at += strlen(names[i]) + 1;
        memcpy(name, names[i], strlen(names[i]) + 1);
        t->bodies[i] = (heddle_body_info){name, spin, sizeof(hd_spin_args), 0, 0};
    }
    return &t->table;
}

void hd_spin_table_free(heddle_table *t)
{
    if (t)
        hd_delete(t, ((spin_table *)(void *)t)->n_bytes);
}
