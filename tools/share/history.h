/* SPDX-License-Identifier: MIT */
/* history.h - what programs did on earlier runs: by digest of the executable and GPU, number of the task, and bytes of its first copy,
 * what the task copies and how long its kernels take; and by digest of executable, arguments and GPU, how much memory of the GPU the program had at most. In memory
 * tables; between daemons a file.
 *
 * The file is text, written whole under another name first. It is checked when read: anything that this daemon would not have
 * written makes it a bad one, which is set aside as FILE.bad and said. The daemon then starts without. Files of older
 * versions are read: the first had no peaks, and the second did not say which kernels ran alone. */
#ifndef SHARE_HISTORY_H
#define SHARE_HISTORY_H

#include "share.h"

#include <stddef.h>
#include <stdint.h>

enum { SHARE_MOST_PASTS = 4096, SHARE_MOST_PEAKS = 1024 };
#define SHARE_MOST_PAST_BYTES ((uint64_t)1 << 50)
#define SHARE_MOST_PAST_NS 3600000000000u
#define SHARE_ANY_TASK UINT32_MAX /* the last one of the program that began so */

typedef struct share_past {
    uint64_t program;     /* a digest, not 0 */
    uint32_t task;        /* from 1, or SHARE_ANY_TASK */
    uint64_t first_bytes; /* of its first large copy */
    uint64_t in_bytes, out_bytes, p_ns;
    uint32_t n_seen, is_alone; /* is_alone: its kernels ran while no others did */
} share_past;

typedef struct share_peak {
    uint64_t program, n_bytes; /* neither is 0 */
    uint32_t n_seen;
} share_peak;

typedef struct share_history {
    share_past pasts[SHARE_MOST_PASTS]; /* found by digest */
    share_peak peaks[SHARE_MOST_PEAKS]; /* the same */
    uint32_t n, n_peaks;
    int is_changed; /* since it was read or written */
} share_history;

/* NULL: it was never seen. */
const share_past *share_history_find(const share_history *h, uint64_t program, uint32_t task, uint64_t first_bytes);
/* The task of this number that the program began with other bytes, as many times more or fewer as may be. NULL: there is none. It looks at
 * the whole table. */
const share_past *share_history_nearest(const share_history *h, uint64_t program, uint32_t task, uint64_t first_bytes);
/* A task has ended (n_seen is not read). What cannot be is passed over. Times of kernels that ran alone are averaged, later ones
 * counting more. Others only lengthen kernels: a time beside them is the least so far, until there is one alone. 0 tells nothing. When the
 * table is full, it begins anew. */
void share_history_learn(share_history *h, const share_past *p);

/* The most memory that the program had on its last runs; 0: it was never seen. */
uint64_t share_history_peak(const share_history *h, uint64_t program);
/* A run has ended. A higher peak is believed at once, a lower one slowly. When the table is full, it begins anew. */
void share_history_learn_peak(share_history *h, uint64_t program, uint64_t n_bytes);

/* Text of the file: to be freed; NULL: no memory. */
char *share_history_text(const share_history *h, size_t *n_bytes);
/* 0, or -1 with a sentence, and nothing in *h. */
int share_history_parse(share_history *h, const char *text, size_t n_bytes, share_why *why);

/* $XDG_CACHE_HOME/heddle/share-history, or below ~/.cache; -1: there is neither variable, or the name is too long. */
int share_history_path(char *path, size_t n_bytes);
/* 0: read, or there is none. -1: a sentence; a bad file was set aside. */
int share_history_read(share_history *h, const char *path, share_why *why);
int share_history_write(share_history *h, const char *path, share_why *why);

#endif
