/* SPDX-License-Identifier: MIT */
/* base.h - the lowest layer: error sentences, memory, time, environment. Knows no other object of heddle. */
#ifndef HD_BASE_H
#define HD_BASE_H

#include "heddle.h"

#include <string.h>

/* ---- sentences (status.c) ---- */

/* The sentence of a context's last failure. */
typedef struct hd_error {
    char text[512];
} hd_error;
/* Writes the sentence to e (NULL: this thread's) and returns s, for `return hd_say(e, EINVAL, ...)`. */
heddle_status hd_say(hd_error *e, heddle_status s, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* This thread's sentence. */
hd_error *hd_thread_error(void);

#define HD_TRY(call)                 \
    do {                             \
        heddle_status try_ = (call); \
        if (try_ != HEDDLE_OK)       \
            return try_;             \
    } while (0)

/* Copies a struct that begins with its size into the caller's, which may come from an older (shorter) or newer (longer)
 * header. Writes the fields that both have; the caller's size word stays. */
static inline void hd_copy_known(void *to, const void *from, size_t n_bytes)
{
    const size_t room = *(const size_t *)to, n = room < n_bytes ? room : n_bytes;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t), n - sizeof(size_t));
}

/* ---- memory (alloc.c) ---- */

/* Zeroed, aligned to 128; NULL without memory. Large blocks request huge pages. */
void *hd_new(uint64_t n_bytes);
/* Grows or shrinks a block of old_bytes (p NULL: allocates one) to *n_bytes or somewhat more, and stores the size in
 * *n_bytes. Keeps the contents; new bytes are undefined. NULL without memory, and p is unchanged. */
void *hd_resize(void *p, uint64_t old_bytes, uint64_t *n_bytes);
void hd_delete(void *p, uint64_t n_bytes); /* n_bytes: its size; p may be NULL */
/* The same for blocks that may stay mostly unused: pages are allocated at the first touch, and freed by clearing or
 * deleting. */
void *hd_new_sparse(uint64_t n_bytes);
void hd_clear_sparse(void *p, uint64_t n_bytes); /* zeroes the first n_bytes */
void hd_delete_sparse(void *p, uint64_t n_bytes);
/* Bytes that this process now holds from hd_new. */
uint64_t hd_held_bytes(void);
/* Unmaps the freed blocks that were kept for reuse. */
void hd_alloc_trim(void);
/* Test hook: the n-th next hd_new or hd_resize fails (0 = never). What was left of the last n; 0: that one has failed. */
uint64_t hd_fail_alloc_at(uint64_t n);

/* The least power of two that is not less than n; 2^30 at most. */
static inline uint32_t hd_power_of_two(uint64_t n)
{
    uint32_t p = 1;
    while (p < n && p < 1u << 30)
        p *= 2;
    return p;
}

static inline uint64_t hd_at_most(uint64_t x, uint64_t most) { return x < most ? x : most; }

/* A growing array. All calls on one list pass the same item size. */
typedef struct hd_list {
    void *at;
    uint64_t n, cap, n_bytes; /* items, items, allocated */
} hd_list;
/* Makes room for `more` items behind the first n: 0, or -1 without memory. The caller writes them and advances n. */
int hd_list_grow(hd_list *l, uint64_t more, uint64_t item_bytes);
static inline int hd_list_room(hd_list *l, uint64_t more, uint64_t item_bytes)
{
    return l->n + more <= l->cap ? 0 : hd_list_grow(l, more, item_bytes);
}
void hd_list_clear(hd_list *l);

/* ---- the process (process.c) ---- */
/* Forks between the first call of hd_process_watch and this process: a child's number differs from its parent's. */
extern uint32_t hd_process_forks;
void hd_process_watch(void);

/* ---- time (clock.c) ---- */

/* ---- environment (env.c) ---- */
/* An environment variable and the struct field that it fills. A field is a number (uint32_t, 0 to max), a choice (an
 * enumeration: the index of one of `texts`, the last being max) or a text (const char * into the environment). */
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
/* Fills the zero fields of record, a struct that t describes. EINVAL with the variable's name for a bad value. */
heddle_status hd_env_fill_struct(const hd_env_table *t, void *record, hd_error *e);
/* The variables of a heddle_pool_config. */
extern const hd_env_table hd_pool_env;
/* Those of a heddle_fleet_config, and of a heddle_loop_desc. */
extern const hd_env_table hd_fleet_env, hd_loop_env;
/* Those of a heddle_multi_desc. */
extern const hd_env_table hd_multi_env;
/* The same for a config. */
heddle_status hd_env_fill(heddle_config *cfg, hd_error *e);
/* The present name of a schedule given by a former name; any other text is returned unchanged. */
const char *hd_schedule_now(const char *text);

#endif
