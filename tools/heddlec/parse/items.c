/* SPDX-License-Identifier: MIT */
/* items.c - brackets, expressions, and the variables and sections of a clause's list.
 *
 * An item is split into base and dimensions only if it is a primary expression with suffixes: `a[i][j:n]`, `(*p)[0:n]`,
 * `s->q[i].r[0:n]`; its last brackets are its dimensions. `*p[i]` is one expression. */
#include "parse/parse.h"

#include <string.h>

#define DEEPEST 256 /* nested brackets: clang's limit */

int hc_refuse(hc_parse *p, int code, hc_span at, const char *format, ...)
{
    va_list arguments;
    const char *sentence;
    va_start(arguments, format);
    sentence = hc_vformat(format, arguments);
    va_end(arguments);
    hc_say(HC_ERROR, code, p->t, at.begin, at.end, "%s", sentence);
    p->p->is_broken = 1;
    return 0;
}

hc_span hc_trim(const hc_parse *p, hc_span s)
{
    uint32_t at = s.begin = hc_blank_end(p->t->bytes, s.begin, s.end), last = at;
    while (at < s.end) {
        last = hc_token_end(p->t->bytes, at, s.end);
        at = hc_blank_end(p->t->bytes, last, s.end);
    }
    s.end = last;
    return s;
}

hc_span hc_first_token(const hc_parse *p, hc_span s)
{
    s.end = hc_token_end(p->t->bytes, s.begin, s.end);
    return s;
}

int hc_is_word(const hc_parse *p, hc_span s, const char *word)
{
    return strlen(word) == s.end - s.begin && !memcmp(word, p->t->bytes + s.begin, s.end - s.begin);
}

const char *hc_intern_span(const hc_parse *p, hc_span s) { return hc_intern(p->t->bytes + s.begin, s.end - s.begin); }

uint32_t hc_close(const hc_parse *p, uint32_t at, uint32_t end)
{
    static const char opening[] = "([{", closing[] = ")]}";
    char open[DEEPEST];
    uint32_t depth = 0;
    do {
        char c = p->t->bytes[at];
        const char *o = c ? strchr(opening, c) : NULL;
        if (o && depth == DEEPEST)
            return 0;
        if (o)
            open[depth++] = closing[o - opening];
        else if (c && strchr(closing, c) && open[--depth] != c)
            return 0;
        at = hc_token_end(p->t->bytes, at, end);
        if (depth == 0)
            return at;
        at = hc_blank_end(p->t->bytes, at, end);
    } while (at < end);
    return 0;
}

int hc_refuse_bracket(hc_parse *p, uint32_t open)
{
    const char *bytes = p->t->bytes;
    uint32_t depth = 0, deepest = 0, at;
    for (at = open; at < p->end; at = hc_blank_end(bytes, hc_token_end(bytes, at, p->end), p->end)) {
        depth += bytes[at] == '(' || bytes[at] == '[' || bytes[at] == '{';
        depth -= depth > 0 && (bytes[at] == ')' || bytes[at] == ']' || bytes[at] == '}');
        deepest = depth > deepest ? depth : deepest;
    }
    return hc_refuse(p, 102, (hc_span){open, open + 1}, "%s",
                     deepest > DEEPEST ? "too many brackets stand within this one" : "this bracket is not closed");
}

uint32_t hc_find_stop(const hc_parse *p, hc_span s, const char *stops)
{
    const char *bytes = p->t->bytes;
    uint32_t questions = 0, at = hc_blank_end(bytes, s.begin, s.end), next;
    for (; at < s.end; at = hc_blank_end(bytes, next, s.end)) {
        char c = bytes[at];
        if (c == '(' || c == '[' || c == '{') {
            next = hc_close(p, at, s.end);
            if (!next)
                return s.end;
            continue;
        }
        if (c && !questions && strchr(stops, c))
            return at;
        questions += c == '?';
        questions -= c == ':' && questions > 0;
        next = hc_token_end(bytes, at, s.end);
    }
    return s.end;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* A bracket [a:b] in s, which is not C; absent if there is none. */
static hc_span find_section(const hc_parse *p, hc_span s)
{
    const char *bytes = p->t->bytes;
    uint32_t at = hc_blank_end(bytes, s.begin, s.end), close, next;
    for (; at < s.end; at = hc_blank_end(bytes, next, s.end)) {
        next = hc_token_end(bytes, at, s.end);
        if (bytes[at] != '[' || !(close = hc_close(p, at, s.end)))
            continue;
        if (hc_find_stop(p, (hc_span){at + 1, close - 1}, ":") < close - 1)
            return (hc_span){at, close};
    }
    return (hc_span){s.end, s.end};
}

static int is_string_whole(const char *bytes, uint32_t at, uint32_t end)
{
    uint32_t i;
    if (bytes[at] != '"' && bytes[at] != '\'')
        return 1;
    for (i = at + 1; i + 1 < end; i++)
        if (bytes[i] == '\\')
            i++;
    return i + 1 == end && end - at >= 2 && bytes[end - 1] == bytes[at];
}

/* An unterminated string; absent if there is none. */
static hc_span find_torn_string(const hc_parse *p, hc_span s)
{
    const char *bytes = p->t->bytes;
    uint32_t at = hc_blank_end(bytes, s.begin, s.end), next;
    for (; at < s.end; at = hc_blank_end(bytes, next, s.end)) {
        next = hc_token_end(bytes, at, s.end);
        if (!is_string_whole(bytes, at, next))
            return (hc_span){at, next};
    }
    return (hc_span){s.end, s.end};
}

/* Refuses text that would confuse the C parser. */
static int check_expression(hc_parse *p, const char *word, hc_span s)
{
    hc_span bad = find_torn_string(p, s);
    if (bad.begin < bad.end)
        return hc_refuse(p, 102, bad, "this string has no end");
    bad = find_section(p, s);
    if (bad.begin < bad.end)
        return hc_refuse(p, 102, bad,
                         "a section may only stand at the end of an item of clause '%s', behind a name or (...)", word);
    return 1;
}

int hc_take_expression(hc_parse *p, const char *word, hc_span s, hc_item *item)
{
    uint32_t stop;
    s = hc_trim(p, s);
    if (s.begin == s.end)
        return hc_refuse(p, 102, (hc_span){s.begin, s.begin}, "an expression is missing in clause '%s'", word);
    stop = hc_find_stop(p, s, ",:");
    if (stop < s.end)
        return hc_refuse(p, 102, (hc_span){stop, stop + 1},
                         "one expression is expected in clause '%s', found '%c' behind it", word, p->t->bytes[stop]);
    *item = (hc_item){s, s, NULL, 0};
    return check_expression(p, word, s);
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static uint32_t blank_end(const hc_parse *p, uint32_t at, uint32_t end) { return hc_blank_end(p->t->bytes, at, end); }

/* The end of the name, literal or (...) at s.begin; 0 if there is none. */
static uint32_t primary_end(const hc_parse *p, hc_span s)
{
    const char *bytes = p->t->bytes;
    if (bytes[s.begin] == '(')
        return hc_close(p, s.begin, s.end);
    return hc_is_name(bytes, s.begin, s.end) ? hc_token_end(bytes, s.begin, s.end) : 0;
}

/* The end of the .name, ->name, (...) or [...] at `at`; 0 if there is none. */
static uint32_t suffix_end(const hc_parse *p, uint32_t at, uint32_t end)
{
    const char *bytes = p->t->bytes;
    uint32_t name = 0;
    if (bytes[at] == '[' || bytes[at] == '(')
        return hc_close(p, at, end);
    if (bytes[at] == '.')
        name = blank_end(p, at + 1, end);
    else if (bytes[at] == '-' && hc_char(p, at + 1, end) == '>')
        name = blank_end(p, at + 2, end);
    return name && hc_is_name(bytes, name, end) ? hc_token_end(bytes, name, end) : 0;
}

/* The end of an item's base: before its final brackets, or its own end if it is no such expression. */
static uint32_t base_end(const hc_parse *p, hc_span s)
{
    uint32_t at = primary_end(p, s), base = at, next;
    while (at && (next = blank_end(p, at, s.end)) < s.end) {
        int is_bracket = p->t->bytes[next] == '[';
        at = suffix_end(p, next, s.end);
        if (!is_bracket)
            base = at;
    }
    return at ? base : s.end;
}

/* [lower], [lower : length]; s is the text between the brackets. */
static int take_dim(hc_parse *p, const char *word, hc_span s, hc_dim *d)
{
    uint32_t colon = hc_find_stop(p, s, ":"), second;
    hc_item lower = {{0, 0}, {0, 0}, NULL, 0}, length = lower;
    hc_span low = hc_trim(p, (hc_span){s.begin, colon}), rest;
    d->is_section = colon < s.end;
    if ((!d->is_section || low.begin < low.end) && !hc_take_expression(p, word, low, &lower))
        return 0;
    d->lower = lower.base;
    if (!d->is_section)
        return 1;
    rest = hc_trim(p, (hc_span){colon + 1, s.end});
    second = hc_find_stop(p, rest, ":");
    if (second < rest.end)
        return hc_refuse(p, 104, (hc_span){second, rest.end}, "a section with a stride is not supported");
    if (rest.begin < rest.end && !hc_take_expression(p, word, rest, &length))
        return 0;
    d->length = length.base;
    return 1;
}

static int take_dims(hc_parse *p, const char *word, hc_item *item)
{
    HC_LIST(hc_dim) dims = {0};
    uint32_t at = blank_end(p, item->base.end, item->whole.end), close;
    for (; at < item->whole.end; at = blank_end(p, close, item->whole.end)) {
        hc_dim d = {{0, 0}, {0, 0}, 0};
        close = hc_close(p, at, item->whole.end);
        if (!take_dim(p, word, (hc_span){at + 1, close - 1}, &d))
            return 0;
        *HC_ADD(&dims) = d;
    }
    item->dims = dims.at;
    item->n_dims = dims.n;
    return 1;
}

/* Whether the clause takes variables only; the others take sections and expressions that name memory. */
static int wants_variables(const hc_parse *p, hc_clause_kind k)
{
    switch (k) {
    case HC_C_TO: return p->p->directive == HC_DECLARE_TARGET;
    case HC_C_DEPEND:
    case HC_C_MAP:
    case HC_C_FROM:
    case HC_C_AFFINITY:
    case HC_C_REDUCTION:
    case HC_C_IN_REDUCTION:
    case HC_C_TASK_REDUCTION: return 0;
    default: return 1;
    }
}

static int take_item(hc_parse *p, const hc_clause *c, hc_span s, hc_item *item)
{
    const char *word = c->kind == HC_C_NAME ? hc_directive_words(p->p->directive) : hc_clause_word(c->kind);
    s = hc_trim(p, s);
    if (s.begin == s.end)
        return hc_refuse(p, 102, (hc_span){s.begin, s.begin}, "an item is missing in clause '%s'", word);
    *item = (hc_item){s, s, NULL, 0};
    if (wants_variables(p, c->kind)) {
        if (hc_is_name(p->t->bytes, s.begin, s.end) && hc_token_end(p->t->bytes, s.begin, s.end) == s.end)
            return 1;
        return hc_refuse(p, 102, s, "clause '%s' takes names of variables, and '%.*s' is none", word, HC_SHOW(p, s));
    }
    item->base.end = base_end(p, s);
    return check_expression(p, word, item->base) && take_dims(p, word, item);
}

int hc_take_items(hc_parse *p, hc_clause *c, hc_span s)
{
    HC_LIST(hc_item) items = {0};
    uint32_t comma;
    do {
        hc_item item;
        comma = hc_find_stop(p, s, ",");
        if (!take_item(p, c, (hc_span){s.begin, comma}, &item))
            return 0;
        *HC_ADD(&items) = item;
        s.begin = comma + 1;
    } while (comma < s.end);
    c->items = items.at;
    c->n_items = items.n;
    return 1;
}
