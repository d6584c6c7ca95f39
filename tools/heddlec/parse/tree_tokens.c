/* SPDX-License-Identifier: MIT */
/* tree_tokens.c - the tokens of the overlay, and the begin and end of declarators among them. Lines that begin with '#'
 * have no tokens. */
#include "parse/clang.h"

#include <string.h>

static void match_brackets(hc_tokens *t)
{
    HC_LIST(uint32_t) open = {0};
    for (uint32_t i = 0; i < t->n; i++) {
        char c = t->s[t->at[i].begin];
        t->at[i].partner = i;
        if (c == '(' || c == '[' || c == '{') {
            *HC_ADD(&open) = i;
        } else if ((c == ')' || c == ']' || c == '}') && open.n) {
            uint32_t other = open.at[--open.n];
            t->at[i].partner = other;
            t->at[other].partner = i;
        }
    }
}

static uint32_t line_end(const char *s, uint32_t at, uint32_t n)
{
    const char *end = memchr(s + at, '\n', n - at);
    return end ? (uint32_t)(end - s) : n;
}

hc_tokens hc_tokens_of(const char *s, uint32_t n)
{
    hc_tokens t = {.s = s};
    int is_first = 1; /* on its line */
    for (uint32_t at = hc_blank_end(s, 0, n); at < n; at = hc_blank_end(s, at, n)) {
        if (s[at] == '\n') {
            is_first = 1;
            at++;
        } else if (s[at] == '#' && is_first) {
            at = line_end(s, at, n);
        } else {
            hc_token *new = HC_ADD(&t);
            *new = (hc_token){at, hc_token_end(s, at, n), 0};
            at = new->end;
            is_first = 0;
        }
    }
    match_brackets(&t);
    return t;
}

uint32_t hc_token_from(const hc_tokens *t, uint32_t offset)
{
    uint32_t low = 0, high = t->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->at[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int hc_token_is(const hc_tokens *t, uint32_t i, const char *word)
{
    size_t n = strlen(word);
    return i < t->n && t->at[i].end - t->at[i].begin == n && !memcmp(t->s + t->at[i].begin, word, n);
}

/* Skips the contents of brackets if i opens some. */
static uint32_t over(const hc_tokens *t, uint32_t i) { return t->at[i].partner > i ? t->at[i].partner : i; }

uint32_t hc_token_semicolon(const hc_tokens *t, uint32_t i)
{
    while (i < t->n && !hc_token_is(t, i, ";"))
        i = over(t, i) + 1;
    return i;
}

const char *hc_tokens_between(const hc_tokens *t, uint32_t a, uint32_t b)
{
    uint32_t first = hc_token_from(t, a), end = hc_token_from(t, b);
    if (first >= end)
        return "";
    return hc_intern(t->s + t->at[first].begin, t->at[end - 1].end - t->at[first].begin);
}

static int is_one_of(const hc_tokens *t, uint32_t i, const char *const *words)
{
    for (; *words; words++)
        if (hc_token_is(t, i, *words))
            return 1;
    return 0;
}

static const char *const qualifiers[] = {"const",     "volatile",  "restrict",          "__restrict", "__restrict__",
                                         "__const",   "__const__", "__volatile__",      "__volatile", "_Atomic",
                                         "_Nullable", "_Nonnull",  "_Null_unspecified", NULL};
/* Words with brackets that are not part of a declarator. */
static const char *const with_brackets[] = {"__attribute__", "__attribute", "__asm__",    "__asm",
                                            "asm",           "typeof",      "__typeof__", "__typeof",
                                            "_Alignas",      "_Atomic",     "__declspec", NULL};

/* The first token of the qualifiers and attributes that end before i. */
static uint32_t before_qualifiers(const hc_tokens *t, uint32_t i)
{
    for (;;) {
        if (i > 0 && is_one_of(t, i - 1, qualifiers))
            i--;
        else if (i > 1 && hc_token_is(t, i - 1, ")") && t->at[i - 1].partner > 0 &&
                 is_one_of(t, t->at[i - 1].partner - 1, with_brackets) &&
                 !hc_token_is(t, t->at[i - 1].partner - 1, "_Atomic"))
            i = t->at[i - 1].partner - 1;
        else
            return i;
    }
}

/* Goes left from the name over stars, brackets, and qualifiers behind these. Counts the brackets that it opens. */
static uint32_t declarator_begin(const hc_tokens *t, uint32_t name, uint32_t *n_open)
{
    uint32_t first = name;
    for (*n_open = 0;;) {
        uint32_t i = before_qualifiers(t, first);
        if (i > 0 && (hc_token_is(t, i - 1, "*") || hc_token_is(t, i - 1, "^"))) {
            first = i - 1;
        } else if (i > 0 && hc_token_is(t, i - 1, "(") && t->at[i - 1].partner > name) {
            first = i - 1;
            ++*n_open;
        } else if (i > 0 && hc_token_is(t, i - 1, ",")) {
            return i;
        } else {
            return first;
        }
    }
}

/* Takes the tokens from i on up to the comma, semicolon or bracket that ends the declarator. */
static void declarator_rest(const hc_tokens *t, uint32_t i, uint32_t n_open, hc_declarator *d)
{
    int in_init = 0;
    for (; i < t->n; i = over(t, i) + 1) {
        if (hc_token_is(t, i, ")") && n_open > 0)
            n_open--;
        else if (t->at[i].partner < i || hc_token_is(t, i, ";") || (n_open == 0 && hc_token_is(t, i, ",")))
            return;
        else if (hc_token_is(t, i, "=") || hc_token_is(t, i, ":"))
            in_init = 1;
        else if (!in_init && hc_token_is(t, i, "["))
            *HC_ADD(&d->brackets) = i;
        d->last = over(t, i);
    }
}

hc_declarator hc_declarator_at(const hc_tokens *t, uint32_t name)
{
    hc_declarator d = {.last = name};
    uint32_t n_open;
    d.first = declarator_begin(t, name, &n_open);
    declarator_rest(t, name + 1, n_open, &d);
    return d;
}

hc_declarator hc_abstract_declarator(const hc_tokens *t, uint32_t first, uint32_t last)
{
    hc_declarator d = {.first = first, .last = last};
    for (uint32_t i = first; i <= last && i < t->n; i++) {
        int opens_group = hc_token_is(t, i + 1, "*") || hc_token_is(t, i + 1, "(") || hc_token_is(t, i + 1, "[");
        if (is_one_of(t, i, with_brackets) && hc_token_is(t, i + 1, "("))
            i = over(t, i + 1);
        else if (hc_token_is(t, i, "["))
            *HC_ADD(&d.brackets) = i;
        if (hc_token_is(t, i, "[") || hc_token_is(t, i, "{") || (hc_token_is(t, i, "(") && !opens_group))
            i = over(t, i);
    }
    return d;
}
