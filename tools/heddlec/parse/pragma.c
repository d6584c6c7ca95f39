/* SPDX-License-Identifier: MIT */
/* pragma.c - finds the pragmas of a text and parses each: directive, brackets behind some directives, clauses. After an
 * error in one clause it reads the next, so that one run reports all errors. */
#include "parse/parse.h"

#include <string.h>

/* ---- sources ----------------------------------------------------------------------------------------------------- */

/* The end of the word, or other token, at *at after blanks; *at moves to its start. */
static const char *word_at(const char *s, uint32_t *at, uint32_t end, size_t *n)
{
    *at = hc_blank_end(s, *at, end);
    s += *at;
    *n = *at < end ? hc_token_end(s - *at, *at, end) - *at : 0;
    *at += (uint32_t)*n;
    return s;
}

static int is_among(const char *words, const char *s, size_t n)
{
    for (size_t m; *words; words += m + (words[m] == ' '))
        if ((m = strcspn(words, " ")) == n && strncmp(words, s, n) == 0)
            return 1;
    return 0;
}

/* A pragma that heddlec may handle: it has tasks, or its first word is not OpenMP's. */
static int is_ours(const char *s, uint32_t at, uint32_t end)
{
    static const char others[] =
        "parallel for simd sections section single master masked critical barrier atomic flush "
        "ordered threadprivate target teams distribute declare taskwait taskyield taskgroup "
        "loop scan scope cancel cancellation requires end begin allocate";
    size_t n;
    const char *word = word_at(s, &at, end, &n);
    if (!is_among("omp heddle", word, n))
        return 0;
    if (*word == 'h' || (word = word_at(s, &at, end, &n), !is_among(others, word, n)))
        return 1;
    while (n && !is_among("task taskloop", word, n))
        word = word_at(s, &at, end, &n);
    return n != 0;
}

int hc_has_tasks(const hc_text *t)
{
    for (uint32_t l = 0; l < t->n_lines; l++) {
        uint32_t at = t->lines[l].begin, end = hc_line_end(t, l);
        const char *word;
        size_t n;
        if (t->lines[l].is_system || *word_at(t->bytes, &at, end, &n) != '#' || n != 1)
            continue;
        word = word_at(t->bytes, &at, end, &n);
        if (is_among("pragma", word, n) && is_ours(t->bytes, at, end))
            return 1;
    }
    return 0;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

/* The end of a directive's words at `at`; 0 if they do not match. */
static uint32_t words_end(const hc_parse *p, const char *words)
{
    uint32_t at = p->at, end = 0;
    if (hc_char(p, at, p->end) != *words)
        return 0;
    while (*words) {
        uint32_t n = (uint32_t)strcspn(words, " ");
        end = hc_token_end(p->t->bytes, at, p->end);
        if (end - at != n || memcmp(p->t->bytes + at, words, n) != 0)
            return 0;
        at = hc_blank_end(p->t->bytes, end, p->end);
        words += n + (words[n] == ' ');
    }
    return end;
}

static int refuse_directive(hc_parse *p, int is_heddle)
{
    hc_span word = hc_first_token(p, (hc_span){p->at, p->end});
    hc_guess g = hc_guess_for(p->t->bytes + word.begin, word.end - word.begin);
    uint32_t d;
    if (!hc_is_name(p->t->bytes, word.begin, word.end))
        return hc_refuse(p, 102, word, "a directive is expected");
    for (d = 0; d < HC_N_DIRECTIVES; d++)
        if (hc_is_heddle((hc_directive)d) == is_heddle)
            hc_guess_each(&g, hc_directive_words((hc_directive)d), 1);
    return hc_refuse(p, 100, word, "unknown directive '%.*s'%s", HC_SHOW(p, word), hc_guess_text(&g));
}

/* In a source without tasks it goes to the C compiler. */
static int is_foreign(hc_directive d)
{
    return d == HC_TARGET_TEAMS || d == HC_TARGET_PARALLEL_FOR || d == HC_TEAMS || d == HC_DISTRIBUTE;
}

static int leave(hc_parse *p)
{
    p->p->directive = HC_N_DIRECTIVES;
    p->is_left = 1;
    return 0;
}

/* The longest directive that matches, of heddlec or of OpenMP only. */
static int take_directive(hc_parse *p, int is_heddle)
{
    uint32_t best = 0, end, i;
    const char *other;
    for (i = 0; i < HC_N_DIRECTIVES; i++) {
        if (hc_is_heddle((hc_directive)i) != is_heddle)
            continue;
        end = words_end(p, hc_directive_words((hc_directive)i));
        if (end > best) {
            best = end;
            p->p->directive = (hc_directive)i;
        }
    }
    for (i = 0; !is_heddle && (other = hc_other_directive(i)); i++)
        if (words_end(p, other) > best)
            return p->may_leave ? leave(p)
                                : hc_refuse(p, 100, (hc_span){p->at, words_end(p, other)},
                                            "directive '%s' is not supported", other);
    if (!best)
        return refuse_directive(p, is_heddle);
    if (p->may_leave && is_foreign(p->p->directive))
        return leave(p);
    p->at = best;
    return 1;
}

/* ---- brackets behind a directive --------------------------------------------------------------------------------- */

/* critical (name) */
static int take_name(hc_parse *p, hc_clause *c, hc_span s)
{
    hc_span word = hc_trim(p, s);
    if (!hc_is_name(p->t->bytes, word.begin, word.end) || hc_first_token(p, word).end != word.end)
        return hc_refuse(p, 102, c->at, "one name is expected in the brackets of 'critical'");
    c->word = hc_intern_span(p, word);
    return 1;
}

/* declare reduction (name : types : combiner) initializer(...): only the name is used. */
static int take_declared_reduction(hc_parse *p, hc_clause *c, hc_span s)
{
    uint32_t open, close;
    c->word = hc_intern_span(p, hc_first_token(p, hc_trim(p, s)));
    p->at = hc_blank_end(p->t->bytes, p->at, p->end);
    if (!hc_is_word(p, hc_first_token(p, (hc_span){p->at, p->end}), "initializer"))
        return 1;
    open = hc_blank_end(p->t->bytes, hc_token_end(p->t->bytes, p->at, p->end), p->end);
    if (hc_char(p, open, p->end) != '(' || !(close = hc_close(p, open, p->end)))
        return hc_refuse(p, 102, (hc_span){p->at, p->end}, "'initializer' has the form initializer(...)");
    p->at = c->at.end = close;
    return 1;
}

static int take_behind(hc_parse *p, hc_clause *c)
{
    hc_span s = {c->at.begin + 1, c->at.end - 1};
    switch (p->p->directive) {
    case HC_CRITICAL: return take_name(p, c, s);
    case HC_DECLARE_REDUCTION: return take_declared_reduction(p, c, s);
    case HC_DECLARE_TARGET: c->kind = HC_C_TO; return hc_take_items(p, c, s);
    case HC_FLUSH:
    case HC_THREADPRIVATE:
    case HC_DEPOBJ: return hc_take_items(p, c, s);
    default: return hc_refuse(p, 102, c->at, "'%s' takes no brackets of its own", hc_directive_words(p->p->directive));
    }
}

static int needs_brackets(hc_directive d)
{
    return d == HC_THREADPRIVATE || d == HC_DEPOBJ || d == HC_DECLARE_REDUCTION;
}

/* The brackets right behind a directive. */
static int take_brackets(hc_parse *p)
{
    hc_clause c = {HC_C_NAME, {0, 0}, NULL, NULL, NULL, 0, {{0, 0}, {0, 0}, NULL, 0}, NULL, 0};
    uint32_t open = hc_blank_end(p->t->bytes, p->at, p->end), close;
    if (hc_char(p, open, p->end) != '(')
        return !needs_brackets(p->p->directive) ||
               hc_refuse(p, 102, p->p->at, "'%s' needs brackets", hc_directive_words(p->p->directive));
    if (!(close = hc_close(p, open, p->end)))
        return hc_refuse_bracket(p, open);
    c.at = (hc_span){open, close};
    p->at = close;
    if (take_behind(p, &c))
        hc_add_clause(p, &c);
    return 1;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void take_clauses(hc_parse *p)
{
    int is_read = take_brackets(p);
    for (; is_read; is_read = hc_take_clause(p)) {
        p->at = hc_blank_end(p->t->bytes, p->at, p->end);
        if (p->at == p->end)
            return;
        if (hc_char(p, p->at, p->end) == ',')
            p->at = hc_blank_end(p->t->bytes, p->at + 1, p->end);
    }
}

/* The token behind the last one. */
static hc_span next_word(const hc_parse *p, hc_span last)
{
    uint32_t at = hc_blank_end(p->t->bytes, last.end, p->end);
    return hc_first_token(p, (hc_span){at, p->end});
}

/* Whether the line is a pragma for heddlec; moves p->at behind `omp` or `heddle`. */
static int begins_pragma(hc_parse *p, uint32_t line, int *is_heddle)
{
    const hc_line *l = &p->t->lines[line];
    hc_span word;
    p->at = hc_line_first(p->t, line);
    p->end = hc_line_end(p->t, line);
    if (l->is_system || l->is_marker || hc_char(p, p->at, p->end) != '#')
        return 0;
    p->p->at = (hc_span){p->at, p->end};
    word = next_word(p, (hc_span){p->at, p->at + 1});
    if (!hc_is_word(p, word, "pragma"))
        return 0;
    word = next_word(p, word);
    *is_heddle = hc_is_word(p, word, "heddle");
    p->at = hc_blank_end(p->t->bytes, word.end, p->end);
    return *is_heddle || hc_is_word(p, word, "omp");
}

static void take_line(hc_parse *p, uint32_t line, int is_heddle)
{
    if (line + 1 < p->t->n_lines && p->t->lines[line + 1].in_comment) {
        hc_refuse(p, 102, p->p->at, "a comment goes on behind the line of this pragma");
        return;
    }
    if (take_directive(p, is_heddle))
        take_clauses(p);
}

hc_pragmas hc_parse_pragmas(const hc_text *t)
{
    HC_LIST(hc_pragma) found = {0};
    HC_LIST(hc_span) left = {0};
    uint32_t line;
    int may_leave = !hc_has_tasks(t);
    for (line = 0; line < t->n_lines; line++) {
        hc_pragma pragma = {.directive = HC_N_DIRECTIVES, .number = found.n};
        hc_parse p = {.t = t, .p = &pragma, .may_leave = may_leave};
        int is_heddle;
        if (!begins_pragma(&p, line, &is_heddle))
            continue;
        take_line(&p, line, is_heddle);
        pragma.clauses = p.clauses.at;
        pragma.n_clauses = p.clauses.n;
        if (pragma.directive != HC_N_DIRECTIVES)
            *HC_ADD(&found) = pragma;
        else if (p.is_left)
            *HC_ADD(&left) = pragma.at;
    }
    return (hc_pragmas){found.at, found.n, left.at, left.n};
}

const hc_clause *hc_clause_next(const hc_pragma *p, const hc_clause *c)
{
    const hc_clause *o;
    for (o = c + 1; o < p->clauses + p->n_clauses; o++)
        if (o->kind == c->kind)
            return o;
    return NULL;
}

const hc_clause *hc_clause_of(const hc_pragma *p, hc_clause_kind kind)
{
    uint32_t i;
    for (i = 0; i < p->n_clauses; i++)
        if (p->clauses[i].kind == kind)
            return &p->clauses[i];
    return NULL;
}
