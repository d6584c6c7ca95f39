/* SPDX-License-Identifier: MIT */
/* combined.c - splits `parallel master taskloop` and similar directives of a preprocessed text into two: `parallel
 * master` with the clauses of a team and of masked, `taskloop` with the others. A clause that OpenMP applies to both
 * goes to taskloop alone: `if` makes its tasks undeferred, and the team shares what it shares or copies. */
#include "parse/pragma.h"

#include <string.h>

typedef struct cursor {
    const char *s;
    uint32_t at, end;
} cursor;

static uint32_t length(cursor *c)
{
    c->at = hc_blank_end(c->s, c->at, c->end);
    return c->at < c->end ? hc_token_end(c->s, c->at, c->end) - c->at : 0;
}

static int take(cursor *c, const char *word)
{
    uint32_t n = length(c);
    if (n != strlen(word) || memcmp(c->s + c->at, word, n) != 0)
        return 0;
    c->at += n;
    return 1;
}

/* The end of the clause at c, brackets included. */
static uint32_t clause_end(cursor c)
{
    int depth = 0;
    do {
        uint32_t n = length(&c);
        if (n == 0)
            break;
        depth += c.s[c.at] == '(' ? 1 : c.s[c.at] == ')' ? -1 : 0;
        c.at += n;
        n = length(&c);
    } while (depth > 0 || (c.at < c.end && c.s[c.at] == '('));
    return c.at;
}

static int is_of_team(cursor c)
{
    if (take(&c, "if"))
        return take(&c, "(") && take(&c, "parallel");
    return take(&c, "num_threads") || take(&c, "proc_bind") || take(&c, "copyin") || take(&c, "filter");
}

/* Writes the two lines; 0: it is another directive. */
static int split(cursor c, const hc_line *line, hc_buf *out)
{
    hc_buf inner = {0};
    const char *team, *one;
    if (!take(&c, "#") || !take(&c, "pragma") || !take(&c, "omp"))
        return 0;
    team = take(&c, "parallel") ? "parallel " : "";
    one = take(&c, "master") ? "master" : take(&c, "masked") ? "masked" : NULL;
    if (!one || !take(&c, "taskloop"))
        return 0;
    hc_putf(&inner, "#pragma omp taskloop%s", take(&c, "simd") ? " simd" : "");
    hc_putf(out, "#pragma omp %s%s", team, one);
    while (length(&c)) {
        uint32_t end = clause_end(c);
        hc_putf(is_of_team(c) ? out : &inner, " %.*s", (int)(end - c.at), c.s + c.at);
        c.at = end;
        take(&c, ",");
    }
    hc_putf(out, "\n# %u\n%s\n", line->number, inner.at);
    return 1;
}

char *hc_split_combined(const hc_text *t, size_t *n)
{
    hc_buf out = {0};
    int n_split = 0;
    for (uint32_t l = 0; l < t->n_lines; l++) {
        const hc_line *line = &t->lines[l];
        uint32_t end = hc_line_end(t, l), next = l + 1 < t->n_lines ? t->lines[l + 1].begin : t->n;
        if (!line->is_system && !line->is_marker && split((cursor){t->bytes, line->begin, end}, line, &out))
            n_split++;
        else
            hc_put(&out, t->bytes + line->begin, next - line->begin);
    }
    *n = n_split ? out.n : *n;
    return n_split ? out.at : NULL;
}
