/* SPDX-License-Identifier: MIT */
/* understood.h - runs the analysis on a source given as a string. All messages must be announced in the source, and the
 * findings are compared as text.
 *
 * A comment with codes, as in `x++; // HC211 HC190?`, announces the messages about its line: an error, or with a
 * question mark a warning. */
#ifndef UNDERSTOOD_H
#define UNDERSTOOD_H

#include "check.h"
#include "analysis/program.h"

#include <string.h>

typedef struct said {
    const char *source;
    hc_buf list; /* "line:code " for each error, "line:code? " for each warning */
    uint32_t n;
} said;

static inline void hear(void *arg, const hc_message *m)
{
    said *s = arg;
    uint32_t line = m->text ? hc_place_of(m->text, m->begin).line : 0;
    char *one = hc_format("%u:HC%d%s ", line, m->code, m->level == HC_WARNING ? "?" : "");
    if (m->level == HC_NOTE)
        return;
    s->n++;
    hc_puts(&s->list, one);
    if (m->code >= 100 && m->code <= 103)
        printf("%s: %s\n", one, m->sentence);
}

/* Each announced code must have come, and no other. */
static inline void check_said(const said *s)
{
    uint32_t n = 0, line = 1;
    for (const char *at = s->source; *at; at++) {
        if (*at == '\n')
            line++;
        if (!strncmp(at, " HC", 3)) {
            int code = atoi(at + 3);
            char *one = hc_format("%u:HC%d%s ", line, code, at[6] == '?' ? "?" : "");
            n++;
            CHECK_MSG(s->n && strstr(s->list.at, one), "expected %s, said: %s\n%s", one, s->n ? s->list.at : "nothing",
                      s->source);
        }
    }
    CHECK_MSG(n == s->n, "said: %s\n%s", s->n ? s->list.at : "nothing", s->source);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

static inline uint32_t line_of(const hc_node *n) { return hc_place_of(&n->unit->text, n->begin).line; }

static inline void put_regions(const hc_program *p, hc_buf *b)
{
    for (uint32_t i = 0; i < p->regions.n; i++) {
        const hc_region *r = &p->regions.at[i];
        hc_putf(b, "region %u creator %u%s%s%s%s;", line_of(r->node), line_of(r->creator),
                r->is_target ? " target" : "", r->has_barriers ? " barriers" : "", r->host_writes ? " writes" : "",
                r->is_assumed ? " assumed" : "");
        for (uint32_t k = 0; k < r->maps.n; k++)
            hc_putf(b, " map %s %u%s;", r->maps.at[k].name, r->maps.at[k].how, r->maps.at[k].clause ? "" : " implicit");
        for (uint32_t k = 0; k < r->privates.n; k++)
            hc_putf(b, " private %s;", r->privates.at[k]->name);
        for (uint32_t k = 0; k < r->firstprivates.n; k++)
            hc_putf(b, " firstprivate %s;", r->firstprivates.at[k]->name);
        hc_putf(b, "%s%s\n", r->num_threads ? " num_threads" : "", r->if_expr ? " if" : "");
    }
}

static inline void put_task(const hc_task *t, hc_buf *b)
{
    static const char *const hows[] = {"value", "reference", "private"}, *const modes[] = {"", "in", "out", "inout"};
    hc_putf(b, "task %s%s%s%s%s:", t->name, t->is_loop ? " loop" : "", t->nogroup ? " nogroup" : "",
            t->has_inner ? " inner" : "", t->priority ? " priority" : "");
    for (uint32_t i = 0; i < t->captures.n; i++) {
        const hc_capture *c = &t->captures.at[i];
        hc_putf(b, " %s=%s", c->field, hows[c->how]);
        if (c->n_bounds)
            hc_putf(b, "[%u %s]", c->n_bounds, c->element->name);
        hc_puts(b, c->is_lastprivate ? " last;" : ";");
    }
    for (uint32_t i = 0; i < t->depends.n; i++)
        hc_putf(b, " %s %.*s/%u/%u;", modes[t->depends.at[i].mode],
                (int)(t->depends.at[i].base->end - t->depends.at[i].base->begin), hc_source(t->depends.at[i].base),
                t->depends.at[i].n_dims, t->depends.at[i].n_lead);
    hc_puts(b, "\n");
}

static inline void put_reached(const hc_program *p, hc_buf *b)
{
    for (uint32_t i = 0; i < p->functions.n; i++) {
        const hc_function *f = &p->functions.at[i];
        hc_putf(b, "function %s%s%s%s%s;\n", f->name, f->has_inner ? " inner" : "", f->is_recursive ? " recursive" : "",
                f->is_in_team ? " team" : "", f->is_in_thread ? " thread" : "");
    }
    for (uint32_t i = 0; i < p->globals.n; i++)
        hc_putf(b, "global %s %s;\n", p->globals.at[i].name, p->globals.at[i].is_constant ? "constant" : "variable");
    for (uint32_t i = 0; i < p->types.n; i++)
        hc_putf(b, "type %s;", p->types.at[i]->name);
}

static inline char *describe(const hc_program *p)
{
    hc_buf b = {0};
    hc_puts(&b, "\n");
    put_regions(p, &b);
    for (uint32_t i = 0; i < p->tasks.n; i++)
        put_task(&p->tasks.at[i], &b);
    for (uint32_t i = 0; i < p->waits.n; i++)
        hc_putf(&b, "wait %u %s;\n", line_of(p->waits.at[i].node), p->waits.at[i].is_sync ? "sync" : "barrier");
    for (uint32_t i = 0; i < p->slots.n; i++)
        hc_putf(&b, "slot %s;\n", p->slots.at[i].decl->name);
    for (uint32_t i = 0; i < p->data.n; i++)
        hc_putf(&b, "data %u maps %u;\n", line_of(p->data.at[i].node), p->data.at[i].maps.n);
    put_reached(p, &b);
    return b.at;
}

/* ---- one source -------------------------------------------------------------------------------------------------- */

/* options: letters; g: a GPU may be used, p: --region=parallel, s: --memory=system. found: pieces of the description,
 * each ended by a newline; a piece that begins with '!' must be absent. Returns the program. */
static inline hc_program *understand(const char *options, const char *source, const char *found)
{
    said s = {source, {0}, 0};
    hc_program *p;
    hc_unit *u;
    char *all, *text;
    hc_reset(); /* also drops earlier messages */
    p = HC_NEW(hc_program);
    hc_hear(hear, &s);
    p->options.backend = strchr(options, 'g') ? "auto" : "cpu";
    p->options.is_host_only = !strchr(options, 'g');
    p->options.region_parallel = strchr(options, 'p') != NULL;
    p->options.memory_system = strchr(options, 's') != NULL;
    p->options.depend = "overlap";
    text = hc_format("# 1 \"t.c\"\n# 1 \"<built-in>\" 1\n# 1 \"t.c\" 2\n%s", source);
    u = hc_parse_unit("t.c", text, strlen(text), NULL);
    CHECK_MSG(u || s.n, "not parsed, and nothing said: %s", source);
    if (u) {
        *HC_ADD(&p->units) = u;
        hc_understand(p);
    }
    check_said(&s);
    all = describe(p);
    for (const char *end; (end = strchr(found, '\n')) != NULL; found = end + 1) {
        int is_not = found[0] == '!';
        char *piece = hc_copy(found + is_not, (size_t)(end - found) - (size_t)is_not);
        CHECK_MSG((strstr(all, piece) != NULL) != is_not, "%s\nin%sof\n%s", piece, all, source);
    }
    hc_hear(NULL, NULL);
    return p;
}

#endif
