/* SPDX-License-Identifier: MIT */
/* base.h - memory and strings of a compiler that runs once and ends: an arena that is freed whole, a growing buffer of
 * characters, a growing list. Running out of memory ends the program with a sentence; nothing here returns NULL. */
#ifndef HEDDLEC_BASE_H
#define HEDDLEC_BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory that lives until the program ends, or until hc_reset. */
void *hc_new(size_t n_bytes);
#define HC_NEW(type) ((type *)hc_new(sizeof(type)))
uint32_t hc_hash(const char *s, size_t n);
char *hc_copy(const char *s, size_t n); /* of n characters, zero-terminated */
char *hc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *hc_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
/* The unique copy of those characters: equal strings, equal pointers. */
const char *hc_intern(const char *s, size_t n);

/* Growing text. {0} is empty; at is valid after the first hc_put and always zero-terminated. */
typedef struct hc_buf {
    char *at;
    size_t n, room;
} hc_buf;
void hc_put(hc_buf *b, const char *s, size_t n);
void hc_puts(hc_buf *b, const char *s);
void hc_putf(hc_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A growing list: HC_LIST(int) numbers = {0}; *HC_ADD(&numbers) = 3; numbers.at[0]. A new element is zeroed. */
#define HC_LIST(type)    \
    struct {             \
        type *at;        \
        uint32_t n, max; \
    }
void *hc_grow(void *at, uint32_t n, uint32_t *max, size_t each);
#define HC_ADD(l) ((l)->at = hc_grow((l)->at, (l)->n, &(l)->max, sizeof *(l)->at), &(l)->at[(l)->n++])

/* A module's state between calls: zeroed at first and after hc_reset. */
typedef enum hc_state_id { HC_STATE_NAMES, HC_STATE_FILES, HC_STATE_SAID, HC_N_STATES } hc_state_id;
void *hc_state(hc_state_id id, size_t n_bytes);
/* Frees all memory of this module, including modules' states: for tests that parse a million texts. */
void hc_reset(void);
/* Ends the program with a sentence. */
_Noreturn void hc_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A whole file as zero-terminated text; NULL if it cannot be read or is not a plain file. n may be NULL. */
char *hc_read_file(const char *path, size_t *n);

#endif
