/* SPDX-License-Identifier: MIT */
/* words.h - the words of pragmas: those OpenMP knows, those heddlec supports, and guesses at misspelt ones. */
#ifndef HEDDLEC_WORDS_H
#define HEDDLEC_WORDS_H

#include "parse/pragma.h"

typedef enum hc_form { HC_F_NOTHING, HC_F_EXPR, HC_F_OPT_EXPR, HC_F_LIST, HC_F_WORDS } hc_form;
hc_form hc_form_of(hc_clause_kind k);

int hc_is_heddle(hc_directive d); /* belongs to `#pragma heddle`, not to `#pragma omp` */
/* The i-th word that is a directive in OpenMP 5.2 but not in heddlec, NULL behind the last. */
const char *hc_other_directive(uint32_t i);

/* HC_N_CLAUSES if it is no clause of heddlec. */
hc_clause_kind hc_find_clause(const char *s, uint32_t n);
int hc_is_other_clause(const char *s, uint32_t n);   /* OpenMP 5.2 has it */
int hc_fits(hc_directive d, hc_clause_kind k);       /* the clause is allowed there */
int hc_is_unique(hc_clause_kind k);                  /* allowed once */
int hc_excludes(hc_clause_kind a, hc_clause_kind b); /* not allowed together */
const char *hc_bare_words(hc_directive d);           /* its parameters without brackets: "threads simd" */

/* Modifiers are lists of words separated by blanks. The first goes to hc_clause.word, the second to hc_clause.more. */
const char *hc_main_words(hc_clause_kind k);
const char *hc_more_words(hc_clause_kind k);
int hc_is_other_modifier(const char *s, uint32_t n); /* OpenMP 5.2 has it somewhere */
int hc_word_in(const char *words, const char *s, uint32_t n);

/* The nearest of the words tried; best NULL if none is near. */
typedef struct hc_guess {
    const char *word;
    uint32_t n;
    const char *best;
    uint32_t best_n, score;
} hc_guess;
hc_guess hc_guess_for(const char *word, uint32_t n);
void hc_guess_try(hc_guess *g, const char *candidate, uint32_t n, int is_likely);
void hc_guess_each(hc_guess *g, const char *words, int is_likely);
const char *hc_guess_text(const hc_guess *g); /* "; did you mean 'x'?" or "" */

#endif
