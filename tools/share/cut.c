/* SPDX-License-Identifier: MIT */
/* cut.c - chunks and pieces of a copy (cut.h). Copies out are cut like copies in from the other end. */
#include "cut.h"

enum { WHOLE = 1 << SHARE_CUT_RAMP };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* From the end with small pieces on: piece p begins with chunk 2^p - 1, on the ramp. */
static size_t ramp_piece(size_t chunk)
{
    size_t p = 0;
    if (chunk + 1 >= WHOLE)
        return SHARE_CUT_RAMP + (chunk + 1 - WHOLE) / WHOLE;
    while (chunk + 1 >= (size_t)2 << p)
        p++;
    return p;
}

static size_t ramp_first(size_t piece)
{
    return piece < SHARE_CUT_RAMP ? ((size_t)1 << piece) - 1 : (piece - SHARE_CUT_RAMP + 1) * WHOLE - 1;
}

void share_cut_new(share_cut *c, size_t n_bytes, size_t chunk_bytes, int is_out)
{
    c->n_bytes = n_bytes, c->chunk_bytes = chunk_bytes, c->is_out = is_out;
    c->n_chunks = n_bytes / chunk_bytes + (n_bytes % chunk_bytes != 0);
    c->n_pieces = ramp_piece(c->n_chunks - 1) + 1;
}

size_t share_cut_piece(const share_cut *c, size_t chunk)
{
    return c->is_out ? c->n_pieces - 1 - ramp_piece(c->n_chunks - 1 - chunk) : ramp_piece(chunk);
}

size_t share_cut_first(const share_cut *c, size_t piece)
{
    if (c->is_out)
        return c->n_chunks - least(ramp_first(c->n_pieces - piece), c->n_chunks);
    return least(ramp_first(piece), c->n_chunks);
}

size_t share_cut_at(const share_cut *c, size_t chunk) { return least(chunk * c->chunk_bytes, c->n_bytes); }
