/* SPDX-License-Identifier: MIT */
/* points.c - what pointers point to: objects that flow through assignments to local variables, in any order, and out of
 * functions that return pointers. */
#include "analysis/effect.h"

#include "support/library.h"

#include <string.h>

hc_var *hc_var_of(const hc_program *p, hc_decl *d)
{
    d = hc_canonical(p, d);
    if (!d->mark)
        d->mark = HC_NEW(hc_var);
    return d->mark;
}

void hc_add_object(hc_objects *l, hc_object o)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i].root == o.root && l->at[i].depth == o.depth)
            return;
    *HC_ADD(l) = o;
}

static void add_all(hc_objects *to, const hc_objects *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        hc_add_object(to, from->at[i]);
}

static int is_record(const hc_type *t) { return t && (t->kind == HC_T_STRUCT || t->kind == HC_T_UNION); }

/* ---- expressions ------------------------------------------------------------------------------------------------- */

void hc_load(const hc_program *p, hc_object o, hc_objects *out)
{
    const hc_var *v = o.root && !o.depth ? hc_var_of(p, o.root) : NULL;
    if (v)
        add_all(out, &v->points);
    if (!v || !v->points.n || o.root->kind == HC_N_PARAM || o.root->is_global)
        hc_add_object(out, (hc_object){o.root, o.root && o.depth ? 2 : 1});
}

static void load_all(const hc_program *p, hc_node *place, hc_objects *out)
{
    hc_objects in = {0};
    hc_lies_in(p, place, &in);
    for (uint32_t i = 0; i < in.n; i++)
        hc_load(p, in.at[i], out);
}

void hc_lies_in(const hc_program *p, hc_node *n, hc_objects *out)
{
    n = hc_unparen(n);
    if (n->kind == HC_N_NAME && hc_is_var(n->decl)) {
        hc_add_object(out, (hc_object){hc_canonical(p, n->decl), 0});
    } else if (n->kind == HC_N_MEMBER && !strcmp(n->op, ".")) {
        hc_lies_in(p, n->first, out);
    } else if (n->kind == HC_N_INDEX) {
        const hc_type *t = n->first->type;
        hc_points_to(p, hc_is_array(t) || (t && t->kind == HC_T_POINTER) ? n->first : n->last, out);
    } else if (n->kind == HC_N_MEMBER || (n->kind == HC_N_UNARY && n->op[0] == '*')) {
        hc_points_to(p, n->first, out);
    } else if (n->kind != HC_N_LITERAL && n->kind != HC_N_COMPOUND_LITERAL && n->kind != HC_N_CALL) {
        hc_add_object(out, (hc_object){NULL, 1});
    }
}

/* The objects that the function returns, in the caller's terms; new memory has no object. */
static void points_call(const hc_program *p, hc_node *n, hc_objects *out)
{
    hc_call c = {n, n->decl};
    hc_fn *fn = hc_callee(p, &c, 0);
    if (!fn && n->decl && hc_library_of(n->decl->name) && strncmp(n->decl->name, "mem", 3) != 0)
        return;
    for (uint32_t i = 0; (fn = hc_callee(p, &c, i)) != NULL; i++)
        for (uint32_t k = 0; k < fn->returns.n; k++)
            hc_pass(p, fn, n, fn->returns.at[k], out);
    for (hc_node *arg = n->first->next; arg && !hc_callee(p, &c, 0); arg = arg->next)
        if (arg->type && (arg->type->kind == HC_T_POINTER || hc_is_array(arg->type)))
            hc_points_to(p, arg, out);
}

static void points_unary(const hc_program *p, hc_node *n, hc_objects *out)
{
    if (n->op[0] == '&')
        hc_lies_in(p, n->first, out);
    else if (n->op[0] == '*')
        load_all(p, n, out);
    else
        hc_points_to(p, n->first, out);
}

void hc_points_to(const hc_program *p, hc_node *n, hc_objects *out)
{
    n = hc_unparen(n);
    if (hc_is_array(n->type) && n->kind != HC_N_LITERAL) {
        hc_lies_in(p, n, out);
        return;
    }
    switch (n->kind) {
    case HC_N_NAME:
        if (hc_is_var(n->decl))
            hc_load(p, (hc_object){hc_canonical(p, n->decl), 0}, out);
        break;
    case HC_N_INDEX:
    case HC_N_MEMBER: load_all(p, n, out); break;
    case HC_N_UNARY: points_unary(p, n, out); break;
    case HC_N_CALL: points_call(p, n, out); break;
    case HC_N_ASSIGN: hc_points_to(p, n->op[0] == '=' ? n->last : n->first, out); break;
    case HC_N_BINARY:
    case HC_N_CONDITION:
    case HC_N_INIT_LIST:
    case HC_N_DESIGNATED:
    case HC_N_COMPOUND_LITERAL:
        for (hc_node *c = n->first; c; c = c->next)
            if (c->type && (c->type->kind == HC_T_POINTER || hc_is_array(c->type) || is_record(c->type)))
                hc_points_to(p, c, out);
        break;
    default: break;
    }
}

static int param_number(const hc_fn *fn, const hc_decl *d)
{
    int i = 0;
    for (const hc_node *n = fn->node->first; n; n = n->next)
        if (n->kind == HC_N_PARAM) {
            if (n->decl == d)
                return i;
            i++;
        }
    return -1;
}

/* All objects reachable from `from` through pointers. */
static void load_deep(const hc_program *p, const hc_objects *from, hc_objects *out)
{
    hc_objects all = {0};
    for (uint32_t i = 0; i < from->n; i++)
        hc_load(p, from->at[i], &all);
    for (uint32_t i = 0; i < all.n; i++) /* grows in the loop */
        hc_load(p, all.at[i], &all);
    add_all(out, &all);
}

void hc_pass(const hc_program *p, const hc_fn *to, const hc_node *call, hc_object o, hc_objects *out)
{
    int i = o.root && o.root->kind == HC_N_PARAM && o.depth ? param_number(to, o.root) : -1;
    hc_node *arg = call->first;
    hc_objects direct = {0};
    if (!o.root || o.root->is_global)
        hc_add_object(out, o);
    for (int k = 0; arg && k <= i; k++)
        arg = arg->next;
    if (i < 0 || !arg)
        return;
    hc_points_to(p, arg, &direct);
    if (o.depth == 1)
        add_all(out, &direct);
    else
        load_deep(p, &direct, out);
}

/* ---- assignments ------------------------------------------------------------------------------------------------- */

static int holds_pointer(const hc_type *t) { return t && (t->kind == HC_T_POINTER || hc_is_array(t) || is_record(t)); }

/* Adds the objects that `value` points to; if there are none, the variable's own object. */
static int flow_into(const hc_program *p, hc_decl *to, hc_node *value)
{
    hc_var *v = hc_var_of(p, to);
    hc_objects from = {0};
    uint32_t n = v->points.n;
    hc_points_to(p, value, &from);
    add_all(&v->points, &from);
    if (!from.n)
        hc_add_object(&v->points, (hc_object){hc_canonical(p, to), 1});
    return v->points.n != n;
}

static int flow_assignment(const hc_program *p, hc_node *n)
{
    hc_objects to = {0};
    int changed = 0;
    hc_lies_in(p, n->first, &to);
    for (uint32_t i = 0; i < to.n; i++)
        if (to.at[i].root && !to.at[i].depth && !to.at[i].root->is_global)
            changed |= flow_into(p, to.at[i].root, n->last);
    return changed;
}

static int flow_return(const hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_objects from = {0};
    uint32_t n_before = fn->returns.n;
    hc_points_to(p, n->first, &from);
    add_all(&fn->returns, &from);
    return fn->returns.n != n_before;
}

static int flow_node(const hc_program *p, hc_fn *fn, hc_node *n)
{
    if (n->kind == HC_N_VAR && n->init && holds_pointer(n->decl->type) && !n->decl->is_static)
        return flow_into(p, n->decl, n->init);
    if (n->kind == HC_N_ASSIGN && n->op[0] == '=' && holds_pointer(n->first->type))
        return flow_assignment(p, n);
    if (n->kind == HC_N_RETURN && n->first && holds_pointer(fn->decl->type->of))
        return flow_return(p, fn, n);
    return 0;
}

void hc_find_points(hc_program *p)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < p->index->fns.n; i++)
            HC_EACH_NODE (n, p->index->fns.at[i]->node)
                changed |= flow_node(p, p->index->fns.at[i], n);
    }
}
