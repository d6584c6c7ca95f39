/* SPDX-License-Identifier: MIT */
/* sw_pairs.h - sw beyond one pair with linear gaps: affine gaps, scores from a matrix, and files of many records, all
 * of the first against all of the second. The result is the best score of each pair.
 *
 * A wave only, of one cell: with linear gaps the first letter of a gap costs as much as the others. */
#ifndef SW_PAIRS_H
#define SW_PAIRS_H

#include "border.h"
#include "input.h"
#include "sw_wave_bodies.h"

typedef struct sw_pairs {
    input_records of[2];
    uint64_t n; /* pairs: records of the first times records of the second; 0: not a case of pairs */
    int is_affine;
    int rows;                             /* the file that gives the rows of fields: 0 the first, 1 the second */
    const char *matrix;                   /* path; "": match and mismatch */
    int8_t table[SW_LETTERS][SW_LETTERS]; /* by the letters' codes */
    uint8_t code[256];                    /* of a letter                                                 */
    int32_t *best, *true_best;            /* of pair a * of[1].n + b                                     */
    struct {
        int8_t *table;
        const int8_t **x; /* per letter of rows its row of the table */
        uint32_t *y;      /* per letter of columns its column */
        int32_t *best;
    } memory; /* of the context */
} sw_pairs;

/* For prepare, once the records are loaded: codes, scores, and scores->extend. 0, or -1 with a sentence: a letter that
 * the matrix lacks, a score too large, or an option that only one pair with linear gaps has. */
int sw_pairs_prepare(sw_pairs *p, const border_case *c, sw_scores *scores, char *error);
/* As in border.h; c->of_cell is the record of sw_scores. */
int sw_pairs_build(border_case *c, sw_pairs *p, heddle_ctx *ctx);
int sw_pairs_reset(border_case *c, sw_pairs *p);
int sw_pairs_read(border_case *c, sw_pairs *p);
int sw_pairs_reference(border_case *c, sw_pairs *p, const sw_scores *scores);
int sw_pairs_check(border_case *c, const sw_pairs *p);
void sw_pairs_answer(const sw_pairs *p, const sw_scores *scores, const app_sink *s);
void sw_pairs_free(border_case *c, sw_pairs *p);

#endif
