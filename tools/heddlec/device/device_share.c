/* SPDX-License-Identifier: MIT */
/* device_share.c - variables of a team version: which ones each thread has for itself, with the same value in all, and
 * which stand in the block's struct because there must be one. */
#include "device/device.h"

#include <string.h>

/* ---- one use ----------------------------------------------------------------------------------------------------- */

/* Whether a construct between the use and root privatizes the variable. Plain simd loops are written with the variables
 * as they are. */
static int is_own_at(const hc_node *use, const hc_node *root)
{
    for (const hc_node *n = use, *up = use->parent; up && n != root; n = up, up = up->parent) {
        if (up->kind != HC_N_DIRECTIVE || up->body != n)
            continue;
        if (hc_is_directive(up, HC_SIMD) ? hc_lists(up, HC_C_PRIVATE, use->decl) != NULL
                                         : hc_is_private_in(up, use->decl))
            return 1;
    }
    return 0;
}

static int is_in_region(const hc_node *n, const hc_node *root)
{
    for (; n; n = n->parent) {
        if (hc_is_region(n))
            return 1;
        if (n == root)
            break;
    }
    return 0;
}

/* The largest lvalue that begins with this use. */
static hc_node *whole_of(hc_node *n)
{
    hc_node *up = n->parent;
    while (up && (up->kind == HC_N_PAREN || (up->kind == HC_N_MEMBER && up->op[0] == '.') ||
                  (up->kind == HC_N_INDEX && hc_is_array(n->type)))) {
        n = up;
        up = up->parent;
    }
    return n;
}

static int is_clause_name(const hc_node *n) { return n->parent->kind == HC_N_DIRECTIVE && n->parent->body != n; }

/* Whether its address escapes. */
static int is_taken(hc_node *whole)
{
    const hc_node *up = whole->parent;
    if (up && up->kind == HC_N_SIZEOF)
        return 0;
    return (up && up->kind == HC_N_UNARY && up->op[0] == '&') || hc_is_array(whole->type);
}

static int needs_block(hc_node *use, const hc_node *root)
{
    hc_node *whole = whole_of(use);
    if (is_clause_name(use))
        return is_in_region(use, root) && hc_lists(use->parent, HC_C_LASTPRIVATE, use->decl) != NULL;
    if (is_own_at(use, root))
        return 0;
    if (is_taken(whole))
        return 1;
    return whole->parent && hc_changed_by(whole->parent) == whole && is_in_region(use, root);
}

/* Whether the loop begins by setting the variable. */
static int sets(const hc_node *init, const hc_decl *d)
{
    if (init && init->kind == HC_N_BINARY && init->op[0] == ',')
        return sets(init->first, d) || sets(init->last, d);
    return init && init->kind == HC_N_ASSIGN && !strcmp(init->op, "=") && init->first->kind == HC_N_NAME &&
           init->first->decl == d;
}

static int is_in_own_loop(const hc_node *use, const hc_node *root)
{
    for (const hc_node *n = use; n && n != root; n = n->parent)
        if (n->kind == HC_N_FOR && sets(n->init, use->decl))
            return 1;
    return 0;
}

/* ---- all of a variable ------------------------------------------------------------------------------------------- */

static void look_at_uses(hc_variable *v, hc_node *root)
{
    v->is_loop_only = 1;
    v->uses_begin = UINT32_MAX;
    HC_EACH_NODE (n, root) {
        if (n->kind != HC_N_NAME || n->decl != v->decl)
            continue;
        v->uses_begin = n->begin < v->uses_begin ? n->begin : v->uses_begin;
        v->uses_end = n->end > v->uses_end ? n->end : v->uses_end;
        v->is_block |= needs_block(n, root);
        v->is_loop_only &= is_in_own_loop(n, root) || is_own_at(n, root);
    }
}

static void add_variable(hc_code *c, hc_decl *d)
{
    hc_variable *v = HC_ADD(&c->variables);
    v->decl = d;
    look_at_uses(v, c->root);
    if (d->type->kind == HC_T_VLA)
        v->is_block = 0; /* a pointer into the stack, the same for all */
    else if (hc_is_array(d->type))
        v->is_block = 1;
}

/* Variables declared between the inner regions of n. */
static void collect(hc_device *d, hc_code *c, hc_node *n)
{
    if (n->kind == HC_N_DECLS) {
        for (hc_node *v = n->first; v; v = v->next)
            if (v->kind == HC_N_VAR && hc_is_local(v->decl))
                add_variable(c, v->decl);
        return;
    }
    if (n->kind == HC_N_DIRECTIVE || hc_is_expression(n) || hc_is_plain_statement(d, n))
        return;
    for (hc_node *child = n->first; child; child = child->next)
        collect(d, c, child);
}

void hc_find_variables(hc_device *d, hc_code *c)
{
    if (c->function)
        for (hc_node *n = c->function->decl->node->first; n; n = n->next)
            if (n->kind == HC_N_PARAM)
                add_variable(c, n->decl);
    for (uint32_t i = 0; c->task && i < c->task->captures.n; i++)
        if (c->task->captures.at[i].how != HC_BY_REFERENCE || c->task->captures.at[i].is_lastprivate)
            add_variable(c, c->task->captures.at[i].decl);
    collect(d, c, c->root);
}

hc_variable *hc_variable_of(const hc_code *c, const hc_decl *d)
{
    for (uint32_t i = 0; i < c->variables.n; i++)
        if (c->variables.at[i].decl == d)
            return &c->variables.at[i];
    return NULL;
}

/* ---- the block's struct ------------------------------------------------------------------------------------------ */

static const char *free_name(const hc_code *c, const char *name)
{
    const char *tried = name;
    for (uint32_t i = 0, n = 2; i < c->members.n; i++)
        if (!strcmp(c->members.at[i].name, tried)) {
            tried = hc_format("%s_%u", name, n++);
            i = UINT32_MAX; /* start over */
        }
    return tried;
}

static const char *add_member(hc_device *d, const hc_decl *decl, const hc_type *t, const char *name)
{
    hc_code *c = d->s.code;
    hc_member *m = HC_ADD(&c->members);
    m->name = ""; /* does not have to differ from itself */
    name = free_name(c, name);
    m = &c->members.at[c->members.n - 1];
    *m = (hc_member){decl, name, (t->size + 15) / 16 * 16};
    hc_putf(&c->fields, "    %s;\n", hc_declaration(d, hc_unqualified(t), name));
    return name;
}

char *hc_member_text(hc_device *d, const hc_decl *decl)
{
    const hc_code *c = d->s.code;
    for (uint32_t i = 0; i < c->members.n; i++)
        if (c->members.at[i].decl == decl)
            return hc_format("hd_b->%s", c->members.at[i].name);
    return hc_format("hd_b->%s",
                     add_member(d, decl, decl->type->kind == HC_T_VLA ? hc_pointer_to(decl->type->of) : decl->type,
                                hc_dev_name(decl->name)));
}

char *hc_value_member(hc_device *d, const hc_type *t)
{
    return hc_format("hd_b->%s", add_member(d, NULL, t, "hd_value"));
}

uint64_t hc_block_bytes(const hc_code *c)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->members.n; i++)
        n += c->members.at[i].n_bytes;
    return n;
}
