/* SPDX-License-Identifier: MIT */
/* base.c - the arena, growing strings, interned names, and files as text. */
#include "support/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Under AddressSanitizer each piece is its own block, so that an access beyond it is detected. */
#if defined(HEDDLE_ASAN)
#define BLOCK_BYTES 1u
#else
#define BLOCK_BYTES (256u << 10)
#endif

typedef struct block {
    struct block *next;
    size_t room, used;
    max_align_t bytes[];
} block;

static block *newest;
static void *states[HC_N_STATES];

void hc_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("heddlec: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static block *add_block(size_t n_bytes)
{
    size_t room = n_bytes > BLOCK_BYTES ? n_bytes : BLOCK_BYTES;
    block *b = room < SIZE_MAX / 2 ? malloc(sizeof *b + room) : NULL;
    if (!b)
        hc_die("there is no memory for another %zu bytes", n_bytes);
    *b = (block){newest, room, 0};
    return newest = b;
}

void *hc_new(size_t n_bytes)
{
    size_t each = sizeof(max_align_t), left = newest ? newest->room - newest->used : 0;
    block *b = newest && n_bytes <= left ? newest : add_block(n_bytes);
    char *p = (char *)b->bytes + b->used;
    size_t used = b->used + (n_bytes + each - 1) / each * each;
    b->used = used < b->room ? used : b->room;
    return memset(p, 0, n_bytes);
}

void hc_reset(void)
{
    block *b, *next, *kept = NULL;
    for (b = newest; b; b = next) {
        next = b->next;
        if (!kept && b->room == BLOCK_BYTES)
            kept = b;
        else
            free(b);
    }
    if ((newest = kept))
        *kept = (block){NULL, kept->room, 0};
    memset(states, 0, sizeof states);
}

void *hc_state(hc_state_id id, size_t n_bytes)
{
    if (!states[id])
        states[id] = hc_new(n_bytes);
    return states[id];
}

char *hc_copy(const char *s, size_t n)
{
    char *copy = hc_new(n + 1);
    if (n)
        memcpy(copy, s, n);
    return copy;
}

char *hc_vformat(const char *format, va_list arguments)
{
    va_list again;
    char *text;
    int n;
    va_copy(again, arguments);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = hc_new((size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(text, (size_t)n + 1, format, arguments);
    return text;
}

char *hc_format(const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    text = hc_vformat(format, arguments);
    va_end(arguments);
    return text;
}

/* ---- text and lists that grow ------------------------------------------------------------------------------------ */

void hc_put(hc_buf *b, const char *s, size_t n)
{
    if (!b->at || b->room - b->n <= n) {
        size_t room = (b->n + n + 32) * 2;
        char *at = hc_new(room);
        if (b->n)
            memcpy(at, b->at, b->n);
        b->at = at;
        b->room = room;
    }
    if (n)
        memcpy(b->at + b->n, s, n);
    b->n += n;
    b->at[b->n] = 0;
}

void hc_puts(hc_buf *b, const char *s) { hc_put(b, s, strlen(s)); }

void hc_putf(hc_buf *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hc_puts(b, hc_vformat(format, arguments));
    va_end(arguments);
}

void *hc_grow(void *at, uint32_t n, uint32_t *max, size_t each)
{
    void *larger;
    uint32_t room;
    if (n < *max)
        return at;
    if (n >= UINT32_MAX / 2)
        hc_die("a list has more than %u elements", n);
    room = n < 4 ? 4 : n * 2;
    larger = hc_new(room * each);
    if (n)
        memcpy(larger, at, n * each);
    *max = room;
    return larger;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

typedef struct names {
    const char **slots; /* a power of two, at most half full */
    uint32_t n, room;
} names;

uint32_t hc_hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (; n > 0; n--)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

/* The slot of those characters, or the free slot for them. */
static const char **slot_of(names *t, const char *s, size_t n)
{
    uint32_t i;
    for (i = hc_hash(s, n);; i++) {
        const char **slot = &t->slots[i & (t->room - 1)];
        if (!*slot || (!strncmp(*slot, s, n) && !(*slot)[n]))
            return slot;
    }
}

static void widen(names *t)
{
    names wider = {NULL, t->n, t->room ? t->room * 2 : 64};
    uint32_t i;
    wider.slots = hc_new(wider.room * sizeof *wider.slots);
    for (i = 0; i < t->room; i++)
        if (t->slots[i])
            *slot_of(&wider, t->slots[i], strlen(t->slots[i])) = t->slots[i];
    *t = wider;
}

const char *hc_intern(const char *s, size_t n)
{
    names *t = hc_state(HC_STATE_NAMES, sizeof *t);
    const char *zero = memchr(s, 0, n), **slot;
    n = zero ? (size_t)(zero - s) : n; /* names are strings */
    if (t->n * 2 >= t->room)
        widen(t);
    slot = slot_of(t, s, n);
    if (!*slot) {
        *slot = hc_copy(s, n);
        t->n++;
    }
    return *slot;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int is_plain_file(FILE *f)
{
    struct stat about;
    return fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode);
}

char *hc_read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    hc_buf b = {0};
    char piece[16384];
    size_t got;
    int is_read;
    if (!f)
        return NULL;
    hc_put(&b, "", 0);
    is_read = is_plain_file(f);
    while (is_read && (got = fread(piece, 1, sizeof piece, f)) > 0)
        hc_put(&b, piece, got);
    is_read = is_read && !ferror(f);
    fclose(f);
    if (n)
        *n = b.n;
    return is_read ? b.at : NULL;
}
