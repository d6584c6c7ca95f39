/* SPDX-License-Identifier: MIT */
/* base.h - the lowest floor: sentences, memory, time, environment. Knows no other object of heddle. */
#ifndef HD_BASE_H
#define HD_BASE_H

#include "heddle.h"

#include <string.h>

/* ---- sentences (status.c) ---- */

/* Where a context keeps the sentence of its last failure. */
typedef struct hd_error {
    char text[512];
} hd_error;
/* Writes the sentence (e NULL: this thread's) and returns s, so that `return hd_say(e, EINVAL, ...)`. */
heddle_status hd_say(hd_error *e, heddle_status s, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* This thread's sentence. */
hd_error *hd_thread_error(void);

#define HD_TRY(call)                 \
    do {                             \
        heddle_status try_ = (call); \
        if (try_ != HEDDLE_OK)       \
            return try_;             \
    } while (0)

/* One of the library's structs that begin with their size, into the caller's, which may be of an older, shorter or a newer,
 * longer header: what both know is written, its size word stays. */
static inline void hd_copy_known(void *to, const void *from, size_t n_bytes)
{
    const size_t room = *(const size_t *)to, n = room < n_bytes ? room : n_bytes;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t), n - sizeof(size_t));
}

/* ---- memory (alloc.c) ---- */

/* Zeroed; aligned to 128; NULL when there is none. Large blocks ask for huge pages. */
void *hd_new(uint64_t n_bytes);
/* Grows or shrinks a block of old_bytes (p NULL: makes one) to *n_bytes or somewhat more, which *n_bytes then says.
 * Contents are kept, new bytes are undefined. NULL: no memory, p is unchanged. */
void *hd_resize(void *p, uint64_t old_bytes, uint64_t *n_bytes);
void hd_delete(void *p, uint64_t n_bytes); /* the size it has; NULL is allowed                     */
/* The same for room of which little may ever be used: memory comes page by page as it is touched, and goes when it is
 * cleared or deleted. */
void *hd_new_sparse(uint64_t n_bytes);
void hd_clear_sparse(void *p, uint64_t n_bytes); /* its first n_bytes are zero again */
void hd_delete_sparse(void *p, uint64_t n_bytes);
/* Bytes held by this process through hd_new, now; and the test hook: the n-th next call of hd_new or hd_resize
 * fails (0 = never). */
uint64_t hd_held_bytes(void);
/* Gives freed blocks that were kept for reuse back to the system. */
void hd_alloc_trim(void);
void hd_fail_alloc_at(uint64_t n);

/* The least power of two that is not less than n; 2^30 at most. */
static inline uint32_t hd_power_of_two(uint64_t n)
{
    uint32_t p = 1;
    while (p < n && p < 1u << 30)
        p *= 2;
    return p;
}

/* A growing array; items of one size, told at each call. */
typedef struct hd_list {
    void *at;
    uint64_t n, cap, n_bytes; /* items, items, allocated */
} hd_list;
/* Room for `more` items behind the first n; 0, or -1 without memory. The caller then writes them and moves n. */
int hd_list_grow(hd_list *l, uint64_t more, uint64_t item_bytes);
static inline int hd_list_room(hd_list *l, uint64_t more, uint64_t item_bytes)
{
    return l->n + more <= l->cap ? 0 : hd_list_grow(l, more, item_bytes);
}
void hd_list_clear(hd_list *l);

/* ---- the process (process.c) ---- */
/* Forks that led to this process since hd_process_watch was first called: a child has another number than its parent. */
extern uint32_t hd_process_forks;
void hd_process_watch(void);

/* ---- time (clock.c) ---- */

/* ---- environment (env.c) ---- */
/* A variable and the field of a struct that it fills: a number (uint32_t) from 0 to max, one of texts by its index (an
 * enumeration; max: the last one), or a text (const char *, the environment's own). */
typedef enum hd_env_kind { HD_ENV_NUMBER, HD_ENV_CHOICE, HD_ENV_TEXT } hd_env_kind;
typedef struct hd_env_variable {
    const char *name, *help;
    hd_env_kind kind;
    size_t field;
    uint32_t max;
    const char *const *texts;
} hd_env_variable;
typedef struct hd_env_table {
    const hd_env_variable *variables;
    size_t n;
} hd_env_table;
/* Fills fields of record that are zero, after a table of its struct. EINVAL with the variable's name for a bad value. */
heddle_status hd_env_fill_struct(const hd_env_table *t, void *record, hd_error *e);
/* The same for a config. */
heddle_status hd_env_fill(heddle_config *cfg, hd_error *e);
/* A schedule of the name that it had before, by its name now; others as they are. */
const char *hd_schedule_now(const char *text);

#endif
