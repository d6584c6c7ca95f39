/* SPDX-License-Identifier: MIT */
/* parse.h - what the files that take a pragma apart share: the pragma being read, brackets, expressions, items. */
#ifndef HEDDLEC_PARSE_H
#define HEDDLEC_PARSE_H

#include "parse/words.h"

typedef HC_LIST(hc_clause) hc_clauses;

typedef struct hc_parse {
    const hc_text *t;
    hc_pragma *p;
    uint32_t at, end; /* what is still to be read of the line */
    hc_clauses clauses;
    int may_leave, is_left; /* what heddlec does not translate to the C compiler */
} hc_parse;

/* Says an error about the stretch, marks the pragma as broken, returns 0. */
int hc_refuse(hc_parse *p, int code, hc_span at, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* For "%.*s". */
#define HC_SHOW(p, span) (int)((span).end - (span).begin), (p)->t->bytes + (span).begin

static inline char hc_char(const hc_parse *p, uint32_t at, uint32_t end) { return at < end ? p->t->bytes[at] : '\0'; }

/* The span without blanks and comments at its ends. */
hc_span hc_trim(const hc_parse *p, hc_span s);
/* The whole token at s.begin. */
hc_span hc_first_token(const hc_parse *p, hc_span s);
int hc_is_word(const hc_parse *p, hc_span s, const char *word);
const char *hc_intern_span(const hc_parse *p, hc_span s);
/* Behind the bracket that closes the one at `at`; 0 when none does before end. */
uint32_t hc_close(const hc_parse *p, uint32_t at, uint32_t end);
/* Says an error about an opening bracket for which hc_close found none; returns 0. */
int hc_refuse_bracket(hc_parse *p, uint32_t open);
/* The first of the stops (',' and ':') in s that stands in no brackets and belongs to no `?`; s.end when there is none. */
uint32_t hc_find_stop(const hc_parse *p, hc_span s, const char *stops);

/* What a clause has in its brackets. Each returns 0 after saying an error; word is the clause's, for the sentence. */
int hc_take_expression(hc_parse *p, const char *word, hc_span s, hc_item *item);
int hc_take_items(hc_parse *p, hc_clause *c, hc_span s);

/* The clause at p->at; 0 when the rest of the line cannot be read. */
int hc_take_clause(hc_parse *p);
/* Adds a clause unless it may not stand there. */
void hc_add_clause(hc_parse *p, const hc_clause *c);

#endif
