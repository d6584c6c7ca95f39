/* SPDX-License-Identifier: MIT */
/* cut.h - how a copy is cut for rings (stage.c): into chunks, each moved by one thread, and pieces of several chunks, each one copy for the
 * driver. Pure.
 *
 * Pieces have 1 << SHARE_CUT_RAMP chunks. Those at one end have 1, 2, 4 and so on: copies in begin there, and the link is soon busy; copies
 * out end there, and little is left to be moved when the link has ended. */
#ifndef SHARE_CUT_H
#define SHARE_CUT_H

#include <stddef.h>

enum { SHARE_CUT_RAMP = 3 };

typedef struct share_cut {
    size_t n_bytes, chunk_bytes, n_chunks, n_pieces;
    int is_out;
} share_cut;

/* chunk_bytes and n_bytes are not 0. */
void share_cut_new(share_cut *c, size_t n_bytes, size_t chunk_bytes, int is_out);
/* The piece of a chunk; the first chunk of a piece, of the one behind the last: their number. */
size_t share_cut_piece(const share_cut *c, size_t chunk);
size_t share_cut_first(const share_cut *c, size_t piece);
/* Where a chunk begins; of the one behind the last: the end. */
size_t share_cut_at(const share_cut *c, size_t chunk);

#endif
