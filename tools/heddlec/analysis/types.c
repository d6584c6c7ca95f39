/* SPDX-License-Identifier: MIT */
/* types.c - the types of the program's own text that device text needs: those named in bodies, in declarations of
 * captured or used variables, and in the declarations of such types. */
#include "analysis/understand.h"

#include <string.h>

/* The declaration to write for a type: the outermost around its node, a typedef's rather than its record's. */
static hc_decl *whole_of(hc_decl *d)
{
    hc_node *n = d->node, *outermost = d->node;
    for (; n && n->kind != HC_N_FILE && n->kind != HC_N_DECLS; n = n->parent)
        if (n->kind == HC_N_RECORD || n->kind == HC_N_ENUM || n->kind == HC_N_TYPEDEF)
            outermost = n;
    for (n = n && n->kind == HC_N_DECLS ? n->first : NULL; n; n = n->next)
        if (n->kind == HC_N_TYPEDEF)
            return n->decl;
    return outermost->decl;
}

/* The type's declaration in the first source that has it. */
static hc_decl *first_of(const hc_program *p, hc_decl *d)
{
    for (uint32_t i = 0; i < p->units.n; i++) {
        const hc_unit *u = p->units.at[i];
        for (uint32_t k = 0; k < u->decls.n; k++)
            if (u->decls.at[k]->kind == d->kind && u->decls.at[k]->node && !strcmp(u->decls.at[k]->id, d->id))
                return u->decls.at[k];
    }
    return d;
}

static void need_in(hc_program *p, const hc_node *n);

static hc_node *declaration_of(hc_node *n) { return n->parent && n->parent->kind == HC_N_DECLS ? n->parent : n; }

static void need(hc_program *p, hc_decl *d, const hc_node *where)
{
    if (d->is_system || !d->node)
        return;
    if (!d->is_global) {
        if (!hc_is_in(d->node, where))
            hc_say(HC_ERROR, 240, &where->unit->text, where->begin, where->end,
                   "the type '%s' of what a task uses is declared in a function: declare it outside", d->name);
        return;
    }
    d = whole_of(d);
    for (uint32_t i = 0; i < p->types.n; i++)
        if (!strcmp(p->types.at[i]->id, d->id))
            return;
    d = first_of(p, d);
    *HC_ADD(&p->types) = d;
    need_in(p, declaration_of(d->node));
}

/* All types that the text of n names. */
static void need_in(hc_program *p, const hc_node *n)
{
    const hc_unit *u = n->unit;
    for (uint32_t i = 0; i < u->type_uses.n; i++)
        if (u->type_uses.at[i].begin >= n->begin && u->type_uses.at[i].end <= n->end)
            need(p, u->type_uses.at[i].decl, n);
    HC_EACH_NODE (name, (hc_node *)n)
        if (name->kind == HC_N_NAME && name->decl && name->decl->kind == HC_N_ENUMERATOR && name->decl->owner &&
            name->decl->owner->is_global) /* enumerators of a function's own enum are written as numbers */
            need(p, name->decl->owner, n);
}

/* A variable's specifiers stand in the surrounding DECLS, beside other variables. A variable-length array is written by
 * its elements only. */
static void need_of(hc_program *p, const hc_decl *d)
{
    const hc_type *t = d->type;
    if (!d->node)
        return;
    if (!hc_is_variable_array(t))
        need_in(p, declaration_of(d->node));
    while (t->of)
        t = t->of;
    if (t->named)
        need(p, (hc_decl *)t->named, d->node);
    if (t->decl) /* also a type defined in the declaration itself */
        need(p, (hc_decl *)t->decl, d->node);
}

static uint32_t unit_number(const hc_program *p, const hc_unit *u)
{
    uint32_t i = 0;
    while (i < p->units.n && p->units.at[i] != u)
        i++;
    return i;
}

static void sort(hc_program *p)
{
    for (uint32_t i = 1; i < p->types.n; i++) {
        hc_decl *d = p->types.at[i];
        uint32_t at = i, unit = unit_number(p, d->node->unit);
        for (; at > 0; at--) {
            const hc_node *before = p->types.at[at - 1]->node;
            uint32_t other = unit_number(p, before->unit);
            if (other < unit || (other == unit && before->begin < d->node->begin))
                break;
            p->types.at[at] = p->types.at[at - 1];
        }
        p->types.at[at] = d;
    }
}

void hc_find_types(hc_program *p)
{
    for (uint32_t i = 0; i < p->tasks.n; i++) {
        const hc_task *t = &p->tasks.at[i];
        need_in(p, t->statement);
        for (uint32_t k = 0; k < t->captures.n; k++)
            need_of(p, t->captures.at[k].decl);
    }
    for (uint32_t i = 0; i < p->functions.n; i++)
        need_in(p, p->functions.at[i].decl->node);
    for (uint32_t i = 0; i < p->globals.n; i++)
        need_of(p, p->globals.at[i].decl);
    sort(p);
}
