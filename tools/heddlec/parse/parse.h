/* SPDX-License-Identifier: MIT */
/* parse.h - shared by the files that parse a pragma: the pragma being read, brackets, expressions, items. */
#ifndef HEDDLEC_PARSE_H
#define HEDDLEC_PARSE_H

#include "parse/words.h"

typedef HC_LIST(hc_clause) hc_clauses;

typedef struct hc_parse {
    const hc_text *t;
    hc_pragma *p;
    uint32_t at, end; /* the unread part of the line */
    hc_clauses clauses;
    int may_leave, is_left; /* constructs that heddlec does not translate go to the C compiler */
} hc_parse;

/* Reports an error at the span, marks the pragma as broken, returns 0. */
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
/* The end of the bracket pair that opens at `at`; 0 if it is not closed before end. */
uint32_t hc_close(const hc_parse *p, uint32_t at, uint32_t end);
/* Reports an unclosed opening bracket; returns 0. */
int hc_refuse_bracket(hc_parse *p, uint32_t open);
/* The first of the stops (',' and ':') in s outside brackets and not part of a `?`; s.end if there is none. */
uint32_t hc_find_stop(const hc_parse *p, hc_span s, const char *stops);

/* The contents of a clause's brackets. Each returns 0 after an error; word is the clause's, for the sentence. */
int hc_take_expression(hc_parse *p, const char *word, hc_span s, hc_item *item);
int hc_take_items(hc_parse *p, hc_clause *c, hc_span s);

/* The clause at p->at; 0 if the rest of the line cannot be read. */
int hc_take_clause(hc_parse *p);
/* Adds a clause unless it is not allowed there. */
void hc_add_clause(hc_parse *p, const hc_clause *c);

#endif
