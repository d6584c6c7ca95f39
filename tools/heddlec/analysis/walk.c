/* SPDX-License-Identifier: MIT */
/* walk.c - walking trees, and the expressions of clauses as nodes. */
#include "analysis/understand.h"

#include <string.h>

/* ---- trees ------------------------------------------------------------------------------------------------------- */

hc_node *hc_behind(const hc_node *root, const hc_node *n)
{
    for (; n != root; n = n->parent)
        if (n->next)
            return n->next;
    return NULL;
}

hc_node *hc_inside(const hc_node *root, const hc_node *n) { return n->first ? n->first : hc_behind(root, n); }

int hc_is_in(const hc_node *n, const hc_node *outer)
{
    return outer && n->unit == outer->unit && n->begin >= outer->begin && n->end <= outer->end;
}

int hc_is_directive(const hc_node *n, hc_directive d)
{
    return n && n->kind == HC_N_DIRECTIVE && n->pragma->directive == d;
}

int hc_is_taskloop(const hc_node *n) { return hc_is_directive(n, HC_TASKLOOP) || hc_is_directive(n, HC_TASKLOOP_SIMD); }

int hc_is_task_directive(const hc_node *n)
{
    return hc_is_directive(n, HC_TASK) || hc_is_taskloop(n) || (n && n->kind == HC_N_DIRECTIVE && n->pragma->is_root);
}

hc_node *hc_directive_around(const hc_node *n)
{
    for (hc_node *up = n->parent; up; up = up->parent)
        if (up->kind == HC_N_DIRECTIVE)
            return up;
    return NULL;
}

int hc_declared_in(const hc_decl *d, const hc_node *outer) { return d->node && hc_is_in(d->node, outer); }

hc_node *hc_only_statement(hc_node *n)
{
    while (n && n->kind == HC_N_BLOCK && n->first && n->first == n->last)
        n = n->first;
    return n;
}

int hc_is_var(const hc_decl *d) { return d && (d->kind == HC_N_VAR || d->kind == HC_N_PARAM); }

int hc_is_region(const hc_node *n)
{
    return hc_is_directive(n, HC_PARALLEL) || hc_is_directive(n, HC_PARALLEL_FOR) ||
           hc_is_directive(n, HC_PARALLEL_FOR_SIMD) || hc_is_directive(n, HC_PARALLEL_SECTIONS) ||
           hc_is_directive(n, HC_PARALLEL_MASTER) || hc_is_directive(n, HC_PARALLEL_MASKED);
}

hc_node *hc_task_around(const hc_node *n)
{
    for (n = hc_directive_around(n); n; n = hc_directive_around(n))
        if (hc_is_task_directive(n))
            return (hc_node *)n;
    return NULL;
}

const char *hc_reduced(const hc_node *task, const hc_decl *d)
{
    const hc_clause *c = hc_lists(task, HC_C_IN_REDUCTION, d);
    const hc_type *t = d->type;
    c = c ? c : hc_lists(task, HC_C_REDUCTION, d);
    if (!c || !(hc_is_local(d) || d->is_global) || !strstr(" + - * & | ^ && || min max ", hc_format(" %s ", c->word)))
        return NULL;
    return (t->kind == HC_T_BOOL || t->kind == HC_T_INTEGER || t->kind == HC_T_FLOATING) && t->size <= 8 ? c->word
                                                                                                         : NULL;
}

int hc_has_team(const hc_node *n)
{
    return hc_is_region(n) || hc_is_directive(n, HC_FOR) || hc_is_directive(n, HC_FOR_SIMD) ||
           hc_is_directive(n, HC_SECTIONS) || hc_is_directive(n, HC_SINGLE) || hc_is_directive(n, HC_BARRIER);
}

int hc_is_loop_variable(const hc_task *t, const hc_decl *d)
{
    for (uint32_t i = 0; i < t->n_loops; i++)
        if (t->loops[i].var == d)
            return 1;
    return 0;
}

int hc_is_local(const hc_decl *d) { return hc_is_var(d) && !d->is_global && !d->is_static && !d->is_extern; }

int hc_same(const hc_decl *a, const hc_decl *b)
{
    return a == b || (a && b && a->is_global && b->is_global && !strcmp(a->id, b->id));
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

struct matching {
    hc_parts parts;
    hc_node *next; /* the directive's child that is the next expression */
    const hc_node *directive;
};

static void match(void *arg, const hc_clause *c, const hc_item *item, int dim, int is_length, hc_span at)
{
    struct matching *m = arg;
    (void)at;
    if (m->next && m->next != m->directive->body) {
        *HC_ADD(&m->parts) = (hc_part){c, item, dim, is_length, m->next};
        m->next = m->next->next;
    }
}

hc_parts hc_parts_of(const hc_node *directive)
{
    struct matching m = {{0}, directive->first, directive};
    hc_overlay_each(directive->pragma, match, &m);
    return m.parts;
}

hc_node *hc_clause_expr(const hc_node *directive, hc_clause_kind kind)
{
    const hc_clause *c = hc_clause_of(directive->pragma, kind);
    hc_parts parts;
    if (!c)
        return NULL;
    parts = hc_parts_of(directive);
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.at[i].clause == c && parts.at[i].item)
            return parts.at[i].node;
    return NULL;
}

const hc_clause *hc_lists(const hc_node *directive, hc_clause_kind kind, const hc_decl *d)
{
    hc_parts parts;
    if (!hc_clause_of(directive->pragma, kind))
        return NULL;
    parts = hc_parts_of(directive);
    for (uint32_t i = 0; i < parts.n; i++) {
        const hc_part *part = &parts.at[i];
        const hc_node *name = hc_unparen(part->node);
        if (part->clause->kind == kind && part->item && part->dim < 0 && name->kind == HC_N_NAME &&
            hc_same(name->decl, d))
            return part->clause;
    }
    return NULL;
}

int hc_has_word(const hc_clause *c, const char *word)
{
    const char *at = c->more ? strstr(c->more, word) : NULL;
    return (c->word && !strcmp(c->word, word)) || at != NULL;
}
