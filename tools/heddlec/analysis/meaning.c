/* SPDX-License-Identifier: MIT */
/* meaning.c - types with the same name in several sources. Types that C considers the same get one id; types from one
 * place in a header that macros made different get two. So ids tell meanings apart. In the bodies' text, common to all
 * sources, a name belongs to the first type that has it; other types are renamed. */
#include "analysis/understand.h"

#include <string.h>

/* ---- one meaning ------------------------------------------------------------------------------------------------- */

/* Pairs of records being compared; stops the recursion of a list that points to itself. */
typedef struct pair {
    const hc_decl *a, *b;
    const struct pair *outer;
} pair;

static int is_same_decl(const hc_decl *a, const hc_decl *b, const pair *outer);
static int is_same_params(const hc_type *a, const hc_type *b, const pair *outer);

static int is_same_type(const hc_type *a, const hc_type *b, const pair *outer)
{
    if (!a || !b || a == b)
        return a == b;
    if (a->kind != b->kind || a->is_const != b->is_const || a->is_volatile != b->is_volatile)
        return 0;
    if (a->kind == HC_T_STRUCT || a->kind == HC_T_UNION || a->kind == HC_T_ENUM)
        return is_same_decl(a->decl, b->decl, outer);
    if (a->size != b->size || (a->kind == HC_T_FUNCTION && !is_same_params(a, b, outer)))
        return 0;
    return a->of ? is_same_type(a->of, b->of, outer) : hc_is_same(a, b);
}

static int is_same_params(const hc_type *a, const hc_type *b, const pair *outer)
{
    if (a->n_params != b->n_params || a->is_variadic != b->is_variadic)
        return 0;
    for (uint32_t i = 0; i < a->n_params; i++)
        if (!is_same_type(a->params[i], b->params[i], outer))
            return 0;
    return 1;
}

/* The field or enumerator at n or behind it. */
static hc_node *member_at(hc_node *n)
{
    while (n && n->kind != HC_N_FIELD && n->kind != HC_N_ENUMERATOR)
        n = n->next;
    return n;
}

static int64_t width_of(const hc_node *field) { return field->first ? field->first->value : 0; }

static int is_same_member(const hc_node *a, const hc_node *b, const pair *outer)
{
    if (a->kind != b->kind || strcmp(a->decl->name, b->decl->name))
        return 0;
    if (a->kind == HC_N_ENUMERATOR)
        return a->decl->value == b->decl->value;
    return width_of(a) == width_of(b) && is_same_type(a->decl->type, b->decl->type, outer);
}

static int has_same_members(const hc_node *a, const hc_node *b, const pair *outer)
{
    a = member_at(a->first);
    b = member_at(b->first);
    for (; a && b; a = member_at(a->next), b = member_at(b->next))
        if (!is_same_member(a, b, outer))
            return 0;
    return a == b;
}

static uint32_t pack_of(const hc_decl *d) { return hc_pack_at(&d->node->unit->text, d->node->begin); }

/* An incomplete record matches any definition. */
static int is_same_record(const hc_decl *a, const hc_decl *b, const pair *outer)
{
    const pair own = {a, b, outer};
    for (; outer; outer = outer->outer)
        if (outer->a == a && outer->b == b)
            return 1;
    if (a->type->kind != b->type->kind)
        return 0;
    if (!a->is_definition || !b->is_definition)
        return 1;
    return a->type->size == b->type->size && pack_of(a) == pack_of(b) && has_same_members(a->node, b->node, &own);
}

static int is_same_decl(const hc_decl *a, const hc_decl *b, const pair *outer)
{
    if (a == b || (a->mark && b->mark))
        return a == b || a->mark == b->mark;
    if (a->kind != b->kind || a->is_system != b->is_system || strcmp(a->name, b->name))
        return 0;
    if (a->is_system)
        return !strcmp(a->id, b->id);
    return a->kind == HC_N_TYPEDEF ? is_same_type(a->type, b->type, outer) : is_same_record(a, b, outer);
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* While ids are assigned, hc_decl.mark is the first declaration of the same meaning. */
typedef HC_LIST(hc_decl *) meanings;

static void join(hc_decl *d, const hc_decl *first);

/* An unnamed type gets the id of its named counterpart. */
static void join_unnamed(const hc_type *d, const hc_type *first)
{
    while (d->of && first->of) {
        d = d->of;
        first = first->of;
    }
    if (d->decl && first->decl && !d->decl->name[0] && !d->decl->mark)
        join((hc_decl *)d->decl, first->decl);
}

static void join_members(hc_node *d, hc_node *first)
{
    d = member_at(d->first);
    first = member_at(first->first);
    for (; d && first; d = member_at(d->next), first = member_at(first->next)) {
        d->decl->id = first->decl->id;
        if (d->kind == HC_N_FIELD)
            join_unnamed(d->decl->type, first->decl->type);
    }
}

static void join(hc_decl *d, const hc_decl *first)
{
    d->id = first->id;
    d->mark = first->mark;
    if (d->kind == HC_N_TYPEDEF)
        join_unnamed(d->type, first->type);
    else if (d->is_definition && first->is_definition)
        join_members(d->node, first->node);
}

/* Whether they have the same name; without one, the same place. */
static int is_of_one_name(const hc_decl *a, const hc_decl *b)
{
    return a->kind == b->kind && !strcmp(a->name, b->name) && (a->name[0] || !strcmp(a->id, b->id));
}

static void part(hc_decl *d, uint32_t n)
{
    d->id = hc_format("%s#%u", d->id, n);
    for (hc_node *m = d->is_definition ? member_at(d->node->first) : NULL; m; m = member_at(m->next))
        m->decl->id = hc_format("%s#%u", m->decl->id, n);
}

static void settle(meanings *known, hc_decl *d)
{
    int is_taken = 0;
    for (uint32_t i = 0; i < known->n; i++) {
        if (!is_of_one_name(known->at[i], d))
            continue;
        if (is_same_decl(known->at[i], d, NULL)) {
            join(d, known->at[i]);
            return;
        }
        is_taken |= !strcmp(known->at[i]->id, d->id);
    }
    if (is_taken)
        part(d, known->n);
    d->mark = d;
    *HC_ADD(known) = d;
}

static int is_type(const hc_decl *d)
{
    return (d->kind == HC_N_TYPEDEF || d->kind == HC_N_RECORD || d->kind == HC_N_ENUM) && d->is_global && !d->is_system;
}

/* Definitions first: a type not defined in its source joins a definition elsewhere. */
void hc_find_meanings(hc_program *p)
{
    meanings known = {0};
    for (int is_definition = 1; p->units.n > 1 && is_definition >= 0; is_definition--)
        for (uint32_t i = 0; i < p->units.n; i++)
            for (uint32_t k = 0; k < p->units.at[i]->decls.n; k++) {
                hc_decl *d = p->units.at[i]->decls.at[k];
                if (is_type(d) && !d->mark && d->is_definition == is_definition)
                    settle(&known, d);
            }
}

/* ---- names in the bodies' text ----------------------------------------------------------------------------------- */

/* A typedef may have the name of its own record. */
static int names_other(const hc_decl *d, const hc_decl *record)
{
    return d->kind == HC_N_TYPEDEF && d->type->decl && !strcmp(d->type->decl->id, record->id);
}

static int is_table(const hc_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->globals.n; i++)
        if (p->globals.at[i].is_constant && !strcmp(p->globals.at[i].name, name))
            return 1;
    return 0;
}

static void claim(hc_program *p, meanings *named, hc_decl *d)
{
    const char *name = hc_own_name(d);
    int is_free = !is_table(p, name);
    if (hc_new_name(p, d))
        return;
    for (uint32_t i = 0; i < named->n && is_free; i++) {
        const hc_decl *first = named->at[i];
        is_free = strcmp(hc_own_name(first), name) || !strcmp(first->id, d->id) || names_other(d, first) ||
                  names_other(first, d);
    }
    if (is_free)
        *HC_ADD(named) = d;
    else
        *HC_ADD(&p->renamed) = (hc_renamed){d, hc_format("hd_type_%u_%s", p->renamed.n + 1, name)};
}

void hc_find_type_names(hc_program *p)
{
    meanings named = {0};
    for (uint32_t i = 0; i < p->types.n; i++) {
        hc_decl *d = p->types.at[i];
        HC_EACH_NODE (n, d->kind == HC_N_TYPEDEF ? d->node->parent : d->node)
            if (n->kind == HC_N_TYPEDEF || n->kind == HC_N_RECORD || n->kind == HC_N_ENUM || n->kind == HC_N_ENUMERATOR)
                claim(p, &named, n->decl);
    }
}

const char *hc_own_name(const hc_decl *d)
{
    hc_place p;
    if (d->name[0] || !d->node)
        return d->name;
    p = hc_place_of(&d->node->unit->text, d->node->begin);
    return hc_format("hd_record_%u_%u", p.line, p.column);
}

const char *hc_new_name(const hc_program *p, const hc_decl *d)
{
    for (uint32_t i = 0; i < p->renamed.n; i++)
        if (p->renamed.at[i].decl->kind == d->kind && !strcmp(p->renamed.at[i].decl->id, d->id))
            return p->renamed.at[i].name;
    return NULL;
}

static int is_use(const hc_unit *u, uint32_t at, const hc_decl *d)
{
    for (uint32_t i = 0; i < u->type_uses.n; i++)
        if (u->type_uses.at[i].begin == at && !strcmp(u->type_uses.at[i].decl->id, d->id))
            return 1;
    return d->node->unit == u && d->name_at == at;
}

const char *hc_new_name_at(const hc_program *p, const hc_unit *u, uint32_t at, size_t n)
{
    for (uint32_t i = 0; i < p->renamed.n; i++) {
        const hc_renamed *r = &p->renamed.at[i];
        if (strlen(r->decl->name) == n && !memcmp(u->text.bytes + at, r->decl->name, n) && is_use(u, at, r->decl))
            return r->name;
    }
    return NULL;
}
