/* SPDX-License-Identifier: MIT */
/* clause.c - one clause: its word, its modifiers, the contents of its brackets. */
#include "parse/parse.h"

#include <string.h>

/* ---- modifiers --------------------------------------------------------------------------------------------------- */

static int is_reduction(hc_clause_kind k)
{
    return k == HC_C_REDUCTION || k == HC_C_IN_REDUCTION || k == HC_C_TASK_REDUCTION;
}

static void add_more(hc_clause *c, const char *word)
{
    const char *all = c->more ? hc_format("%s %s", c->more, word) : word;
    c->more = hc_intern(all, strlen(all));
}

/* A modifier that heddlec does not support. */
static int refuse_modifier(hc_parse *p, const hc_clause *c, hc_span s)
{
    const char *clause = hc_clause_word(c->kind);
    const char *what = hc_form_of(c->kind) == HC_F_WORDS ? "word" : "modifier";
    hc_guess g = hc_guess_for(p->t->bytes + s.begin, s.end - s.begin);
    if (hc_is_other_modifier(g.word, g.n))
        return hc_refuse(p, 100, s, "%s '%.*s' in clause '%s' is not supported", what, HC_SHOW(p, s), clause);
    hc_guess_each(&g, hc_main_words(c->kind), 1);
    hc_guess_each(&g, hc_more_words(c->kind), 1);
    return hc_refuse(p, 100, s, "unknown %s '%.*s' in clause '%s'%s", what, HC_SHOW(p, s), clause, hc_guess_text(&g));
}

/* One word before the colon, or of a clause of words. */
static int take_modifier(hc_parse *p, hc_clause *c, hc_span s)
{
    const char *bytes = p->t->bytes + s.begin;
    uint32_t n = s.end - s.begin;
    if (hc_word_in(hc_more_words(c->kind), bytes, n)) {
        add_more(c, hc_intern_span(p, s));
        return 1;
    }
    if (!hc_word_in(hc_main_words(c->kind), bytes, n))
        return refuse_modifier(p, c, s);
    if (c->word)
        return hc_refuse(p, 102, s, "'%.*s' in clause '%s' beside '%s'", HC_SHOW(p, s), hc_clause_word(c->kind),
                         c->word);
    c->word = hc_intern_span(p, s);
    return 1;
}

/* `int i = 0 : n : 2` */
static int take_iterator(hc_parse *p, hc_span s, hc_iterator *out)
{
    uint32_t equals = hc_find_stop(p, s, "="), colon, second;
    hc_span head = hc_trim(p, (hc_span){s.begin, equals}), range = {equals + 1, s.end}, word = head;
    hc_item begin, end, step = {{0, 0}, {0, 0}, NULL, 0};
    if (equals == s.end || head.begin == head.end)
        return hc_refuse(p, 102, hc_trim(p, s), "an iterator has the form name = begin : end, or with : step");
    for (hc_span rest = head; rest.begin < rest.end; rest = hc_trim(p, (hc_span){word.end, head.end}))
        word = hc_first_token(p, rest);
    colon = hc_find_stop(p, range, ":");
    second = colon < s.end ? hc_find_stop(p, (hc_span){colon + 1, s.end}, ":") : s.end;
    if (!hc_is_name(p->t->bytes, word.begin, word.end) || colon == s.end)
        return hc_refuse(p, 102, hc_trim(p, s), "an iterator has the form name = begin : end, or with : step");
    if (!hc_take_expression(p, "depend", (hc_span){range.begin, colon}, &begin) ||
        !hc_take_expression(p, "depend", (hc_span){colon + 1, second}, &end) ||
        (second < s.end && !hc_take_expression(p, "depend", (hc_span){second + 1, s.end}, &step)))
        return 0;
    *out = (hc_iterator){hc_trim(p, (hc_span){head.begin, word.begin}), word, begin.base, end.base, step.base};
    return 1;
}

/* The contents of iterator(...)'s brackets. */
static int take_iterators(hc_parse *p, hc_clause *c, hc_span s)
{
    HC_LIST(hc_iterator) list = {0};
    uint32_t comma;
    do {
        hc_iterator one;
        comma = hc_find_stop(p, s, ",");
        if (!take_iterator(p, (hc_span){s.begin, comma}, &one))
            return 0;
        *HC_ADD(&list) = one;
        s.begin = comma + 1;
    } while (comma < s.end);
    c->iterators = list.at;
    c->n_iterators = list.n;
    return 1;
}

/* A modifier, with its brackets if it is the iterator of a depend clause. *end: behind it. */
static int take_modifier_at(hc_parse *p, hc_clause *c, hc_span s, uint32_t *end)
{
    hc_span word = hc_first_token(p, s);
    uint32_t open = hc_blank_end(p->t->bytes, word.end, s.end), close;
    *end = word.end;
    if (c->kind != HC_C_DEPEND || c->iterators || !hc_is_word(p, word, "iterator") || hc_char(p, open, s.end) != '(')
        return take_modifier(p, c, word);
    if (!(close = hc_close(p, open, s.end)))
        return hc_refuse_bracket(p, open);
    *end = close;
    return take_iterators(p, c, (hc_span){open + 1, close - 1});
}

/* `always, to`; `iterator(i = 0:n), in`. Other modifiers with brackets are not supported; their brackets are not read. */
static int take_modifiers(hc_parse *p, hc_clause *c, hc_span s)
{
    s = hc_trim(p, s);
    if (s.begin == s.end)
        return hc_refuse(p, 102, (hc_span){s.begin, s.begin}, "a word is missing in clause '%s'",
                         hc_clause_word(c->kind));
    while (s.begin < s.end) {
        uint32_t end;
        if (!take_modifier_at(p, c, s, &end))
            return 0;
        s = hc_trim(p, (hc_span){end, s.end});
        if (hc_char(p, s.begin, s.end) == ',')
            s = hc_trim(p, (hc_span){s.begin + 1, s.end});
    }
    return 1;
}

/* `+`, `task, +`, `mymax`. */
static int take_operator(hc_parse *p, hc_clause *c, hc_span s)
{
    uint32_t comma = hc_find_stop(p, s, ",");
    hc_span sign = hc_trim(p, comma < s.end ? (hc_span){comma + 1, s.end} : s);
    const char *bytes = p->t->bytes + sign.begin;
    uint32_t n = sign.end - sign.begin;
    if (comma < s.end) {
        hc_span modifier = hc_trim(p, (hc_span){s.begin, comma});
        if (!hc_word_in(hc_more_words(c->kind), p->t->bytes + modifier.begin, modifier.end - modifier.begin))
            return refuse_modifier(p, c, modifier);
        add_more(c, hc_intern_span(p, modifier));
    }
    if (!hc_word_in(hc_main_words(c->kind), bytes, n) &&
        !(hc_is_name(p->t->bytes, sign.begin, sign.end) && hc_first_token(p, sign).end == sign.end))
        return hc_refuse(p, 102, sign, "'%.*s' in clause '%s' is no operator; known are %s", HC_SHOW(p, sign),
                         hc_clause_word(c->kind), hc_main_words(c->kind));
    c->word = hc_intern_span(p, sign);
    return 1;
}

/* The directive that `if` is meant for: `target data`. */
static int take_directive_word(hc_parse *p, hc_clause *c, hc_span s)
{
    hc_buf words = {0};
    hc_guess g;
    uint32_t d;
    hc_span all = s = hc_trim(p, s);
    while (s.begin < s.end) {
        hc_span word = hc_first_token(p, s);
        hc_putf(&words, "%s%.*s", words.n ? " " : "", HC_SHOW(p, word));
        s = hc_trim(p, (hc_span){word.end, s.end});
    }
    g = hc_guess_for(words.at ? words.at : "", (uint32_t)words.n);
    for (d = 0; d < HC_N_DIRECTIVES; d++) {
        const char *candidate = hc_directive_words((hc_directive)d);
        if (!hc_fits((hc_directive)d, HC_C_IF))
            continue;
        if (g.n == strlen(candidate) && !memcmp(g.word, candidate, g.n)) {
            c->word = hc_intern(g.word, g.n);
            return 1;
        }
        hc_guess_try(&g, candidate, (uint32_t)strlen(candidate), 1);
    }
    return hc_refuse(p, 100, all, "unknown directive '%s' in clause 'if'%s", g.word, hc_guess_text(&g));
}

static int has_prefix(const hc_parse *p, hc_clause_kind k)
{
    if (k == HC_C_TO && p->p->directive == HC_DECLARE_TARGET)
        return 0;
    return k == HC_C_IF || k == HC_C_AFFINITY || (*hc_main_words(k) && k != HC_C_LINEAR);
}

/* Takes the part before the colon, if the clause may have one; s becomes the rest. */
static int take_prefix(hc_parse *p, hc_clause *c, hc_span *s)
{
    hc_span prefix = *s;
    prefix.end = has_prefix(p, c->kind) ? hc_find_stop(p, *s, ":") : s->end;
    if (prefix.end == s->end)
        return 1;
    s->begin = prefix.end + 1;
    if (c->kind == HC_C_IF)
        return take_directive_word(p, c, prefix);
    return is_reduction(c->kind) ? take_operator(p, c, prefix) : take_modifiers(p, c, prefix);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* linear(x, y : step), linear(val(x) : step), aligned(p : 64): the colon stands behind the list. */
static int take_list_and_extra(hc_parse *p, hc_clause *c, hc_span s)
{
    uint32_t colon = hc_find_stop(p, s, ":"), close;
    hc_span list = hc_trim(p, (hc_span){s.begin, colon}), word = hc_first_token(p, list);
    if (colon < s.end && !hc_take_expression(p, hc_clause_word(c->kind), (hc_span){colon + 1, s.end}, &c->extra))
        return 0;
    if (hc_char(p, hc_blank_end(p->t->bytes, word.end, list.end), list.end) == '(') {
        if (!take_modifier(p, c, word))
            return 0;
        list = hc_trim(p, (hc_span){word.end, list.end});
        close = hc_close(p, list.begin, list.end);
        if (close != list.end)
            return hc_refuse(p, 102, list, "',' or ')' is expected behind '%s(...)'", c->word);
        list = (hc_span){list.begin + 1, close - 1};
    }
    return hc_take_items(p, c, list);
}

/* allocate(allocator : list) */
static int take_allocate(hc_parse *p, hc_clause *c, hc_span s)
{
    uint32_t colon = hc_find_stop(p, s, ":");
    if (colon < s.end) {
        hc_span allocator = hc_trim(p, (hc_span){s.begin, colon}), word = hc_first_token(p, allocator);
        if (word.end < allocator.end && hc_is_other_modifier(p->t->bytes + word.begin, word.end - word.begin))
            return refuse_modifier(p, c, word);
        if (!hc_take_expression(p, "allocate", allocator, &c->extra))
            return 0;
        s.begin = colon + 1;
    }
    return hc_take_items(p, c, s);
}

/* depend(source) has neither colon nor list; the other kinds need both. */
static int take_depend(hc_parse *p, hc_clause *c, hc_span whole, hc_span s)
{
    if (!c->word && s.begin == whole.begin && hc_is_word(p, hc_trim(p, s), "source")) {
        c->word = hc_intern("source", 6);
        return 1;
    }
    if (!c->word)
        return hc_refuse(p, 102, c->at, "clause 'depend' has the form depend(in: list), with in, out or inout");
    if (!strcmp(c->word, "source") && hc_trim(p, s).begin == s.end)
        return 1;
    return hc_take_items(p, c, s);
}

static int take_list(hc_parse *p, hc_clause *c, hc_span s)
{
    hc_span whole = s;
    if (c->kind == HC_C_LINEAR || c->kind == HC_C_ALIGNED)
        return take_list_and_extra(p, c, s);
    if (c->kind == HC_C_ALLOCATE)
        return take_allocate(p, c, s);
    if (!take_prefix(p, c, &s))
        return 0;
    if (c->kind == HC_C_DEPEND)
        return take_depend(p, c, whole, s);
    if (is_reduction(c->kind) && !c->word)
        return hc_refuse(p, 102, c->at, "clause '%s' has the form %s(+: list)", hc_clause_word(c->kind),
                         hc_clause_word(c->kind));
    return hc_take_items(p, c, s);
}

/* ---- words and expressions --------------------------------------------------------------------------------------- */

/* default(none); schedule(monotonic: static, 4); defaultmap(tofrom: scalar); order(concurrent). */
static int take_words(hc_parse *p, hc_clause *c, hc_span s)
{
    uint32_t comma = s.end, colon = hc_find_stop(p, s, ":");
    if (c->kind == HC_C_SCHEDULE || c->kind == HC_C_DIST_SCHEDULE)
        comma = hc_find_stop(p, (hc_span){colon < s.end ? colon + 1 : s.begin, s.end}, ",");
    if (comma < s.end && !hc_take_expression(p, hc_clause_word(c->kind), (hc_span){comma + 1, s.end}, &c->extra))
        return 0;
    if (colon < comma &&
        (!take_modifiers(p, c, (hc_span){s.begin, colon}) || !take_modifiers(p, c, (hc_span){colon + 1, comma})))
        return 0;
    if (colon >= comma && !take_modifiers(p, c, (hc_span){s.begin, comma}))
        return 0;
    if (!c->word)
        return hc_refuse(p, 102, c->at, "clause '%s' needs one of the words: %s", hc_clause_word(c->kind),
                         hc_main_words(c->kind));
    return 1;
}

static int take_one(hc_parse *p, hc_clause *c, hc_span s)
{
    hc_item *item = HC_NEW(hc_item);
    if (!take_prefix(p, c, &s) || !hc_take_expression(p, hc_clause_word(c->kind), s, item))
        return 0;
    c->items = item;
    c->n_items = 1;
    return 1;
}

/* The contents of the clause's brackets. */
static int take_content(hc_parse *p, hc_clause *c, hc_span s)
{
    if (c->kind == HC_C_UPDATE && p->p->directive == HC_DEPOBJ)
        return take_words(p, c, s);
    switch (hc_form_of(c->kind)) {
    case HC_F_EXPR:
    case HC_F_OPT_EXPR: return take_one(p, c, s);
    case HC_F_LIST: return take_list(p, c, s);
    case HC_F_WORDS: return take_words(p, c, s);
    default: return hc_refuse(p, 102, c->at, "clause '%s' takes no brackets", hc_clause_word(c->kind));
    }
}

/* ---- a clause ---------------------------------------------------------------------------------------------------- */

void hc_add_clause(hc_parse *p, const hc_clause *c)
{
    const char *word = hc_clause_word(c->kind);
    uint32_t i;
    for (i = 0; i < p->clauses.n; i++) {
        const hc_clause *o = &p->clauses.at[i];
        int is_twice = o->kind == c->kind && hc_is_unique(c->kind) && (c->kind != HC_C_IF || o->word == c->word);
        if (!is_twice && !hc_excludes(o->kind, c->kind))
            continue;
        if (is_twice)
            hc_refuse(p, 101, c->at, "clause '%s' is given twice", word);
        else
            hc_refuse(p, 101, c->at, "clause '%s' may not stand beside '%s'", word, hc_clause_word(o->kind));
        hc_say(HC_NOTE, 0, p->t, o->at.begin, o->at.end, "the other one is here");
        return;
    }
    *HC_ADD(&p->clauses) = *c;
}

/* A word that is no clause: one of OpenMP's, or a misspelling. Also tries the words that continue a directive. */
static void refuse_word(hc_parse *p, hc_span word)
{
    const char *directive = hc_directive_words(p->p->directive);
    size_t length = strlen(directive);
    hc_guess g = hc_guess_for(p->t->bytes + word.begin, word.end - word.begin);
    uint32_t i;
    if (hc_is_other_clause(g.word, g.n)) {
        hc_refuse(p, 100, word, "clause '%.*s' is not supported", HC_SHOW(p, word));
        return;
    }
    for (i = 0; i < HC_N_CLAUSES; i++) {
        const char *candidate = hc_clause_word((hc_clause_kind)i);
        hc_guess_try(&g, candidate, (uint32_t)strlen(candidate), hc_fits(p->p->directive, (hc_clause_kind)i));
    }
    for (i = 0; i < HC_N_DIRECTIVES; i++) {
        const char *candidate = hc_directive_words((hc_directive)i);
        if (!strncmp(candidate, directive, length) && candidate[length] == ' ')
            hc_guess_try(&g, candidate + length + 1, (uint32_t)strcspn(candidate + length + 1, " "), 1);
    }
    hc_guess_each(&g, hc_bare_words(p->p->directive), 1);
    hc_refuse(p, 100, word, "unknown clause '%.*s'%s", HC_SHOW(p, word), hc_guess_text(&g));
}

/* The brackets behind a word, absent if there are none; 0 if they are not closed. */
static int take_brackets(hc_parse *p, hc_span word, hc_span *brackets)
{
    uint32_t open = hc_blank_end(p->t->bytes, word.end, p->end), close = word.end;
    *brackets = (hc_span){word.end, word.end};
    p->at = word.end;
    if (hc_char(p, open, p->end) != '(')
        return 1;
    if (!(close = hc_close(p, open, p->end)))
        return hc_refuse_bracket(p, open);
    *brackets = (hc_span){open, close};
    p->at = close;
    return 1;
}

static void take_known(hc_parse *p, hc_clause *c, hc_span brackets)
{
    hc_form form = hc_form_of(c->kind);
    if (!hc_fits(p->p->directive, c->kind)) {
        hc_refuse(p, 101, c->at, "clause '%s' has no meaning on '%s'", hc_clause_word(c->kind),
                  hc_directive_words(p->p->directive));
        return;
    }
    if (brackets.begin < brackets.end) {
        if (!take_content(p, c, (hc_span){brackets.begin + 1, brackets.end - 1}))
            return;
    } else if (form != HC_F_NOTHING && form != HC_F_OPT_EXPR) {
        hc_refuse(p, 102, c->at, "clause '%s' needs brackets", hc_clause_word(c->kind));
        return;
    }
    hc_add_clause(p, c);
}

int hc_take_clause(hc_parse *p)
{
    hc_span word = hc_first_token(p, (hc_span){p->at, p->end}), brackets;
    hc_clause c = {HC_N_CLAUSES, {0, 0}, NULL, NULL, NULL, 0, {{0, 0}, {0, 0}, NULL, 0}, NULL, 0};
    if (!hc_is_name(p->t->bytes, word.begin, word.end))
        return hc_refuse(p, 102, word, "a clause is expected, found '%.*s'", HC_SHOW(p, word)); /* may be empty */
    if (!take_brackets(p, word, &brackets))
        return 0;
    c.at = (hc_span){word.begin, brackets.end};
    if (brackets.begin == brackets.end &&
        hc_word_in(hc_bare_words(p->p->directive), p->t->bytes + word.begin, word.end - word.begin)) {
        c.kind = HC_C_NAME;
        c.word = hc_intern_span(p, word);
        hc_add_clause(p, &c);
        return 1;
    }
    c.kind = hc_find_clause(p->t->bytes + word.begin, word.end - word.begin);
    if (c.kind == HC_N_CLAUSES)
        refuse_word(p, word);
    else
        take_known(p, &c, brackets);
    return 1;
}
