/* SPDX-License-Identifier: MIT */
/* address.c - finds variables that are accessed by name only; an analysis of names then sees every change.
 *
 * An address does not count as an alias if it is used where it is taken, or passed to a function that uses it only
 * while it runs: an access through it is an access of the variable, which effect.c sees. Any other address may be kept
 * (in a variable, in a record, by code that is not here) and is an alias from then on. So is a parameter that a task
 * captures. In doubt an address is kept. */
#include "analysis/effect.h"

#include "support/library.h"

#include <string.h>

int hc_calls_back(const hc_node *call)
{
    for (const hc_node *arg = call->first->next; arg; arg = arg->next)
        if (hc_is_function(arg->type))
            return 1;
    return 0;
}

static int keeps_value(const hc_program *p, const hc_node *n);

static int is_inside_task(const hc_node *n)
{
    for (; n; n = n->parent)
        if (hc_is_task_directive(n))
            return 1;
    return 0;
}

static const hc_decl *parameter(const hc_fn *fn, uint32_t i)
{
    for (const hc_node *n = fn->node->first; n; n = n->next)
        if (n->kind == HC_N_PARAM && i-- == 0)
            return n->decl;
    return NULL;
}

static int keeps_name(const hc_program *p, const hc_node *n)
{
    return is_inside_task(n) || (n->parent->kind == HC_N_UNARY && n->parent->op[0] == '&') || keeps_value(p, n);
}

/* Whether a function keeps the object behind parameter i; yes also during the computation (recursion). */
static int keeps_parameter(const hc_program *p, hc_fn *fn, uint32_t i)
{
    const hc_decl *d = parameter(fn, i);
    int keeps = 0;
    if (!d || i >= 32)
        return 1;
    if (fn->looked >> i & 1)
        return fn->keeps >> i & 1;
    fn->looked |= 1u << i;
    fn->keeps |= 1u << i;
    HC_EACH_NODE (n, fn->node->body)
        keeps |= n->kind == HC_N_NAME && n->decl == d && keeps_name(p, n);
    if (!keeps)
        fn->keeps &= ~(1u << i);
    return keeps;
}

/* A library function that calls back may do anything; one that returns a pointer may return this one. */
static int keeps_library(const hc_node *call)
{
    int is_value =
        call->parent->kind >= HC_N_NAME || call->parent->kind == HC_N_VAR || call->parent->kind == HC_N_RETURN;
    return hc_calls_back(call) || (is_value && call->type && call->type->kind == HC_T_POINTER);
}

static int keeps_argument(const hc_program *p, const hc_node *call, const hc_node *n)
{
    hc_fn *fn = call->decl ? hc_fn_of(p, call->decl) : NULL;
    uint32_t i = 0;
    if (n == call->first || !call->decl)
        return n != call->first;
    for (const hc_node *arg = call->first->next; arg != n; arg = arg->next)
        i++;
    if (fn && n->kind == HC_N_NAME && n->decl == parameter(fn, i))
        return 0; /* recursion with the same argument */
    return fn ? keeps_parameter(p, fn, i) : !hc_library_of(call->decl->name) || keeps_library(call);
}

static int is_test(const hc_node *up, const hc_node *n)
{
    static const char *const tests[] = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (up->kind == HC_N_BINARY && !strcmp(up->op, tests[i]))
            return 1;
    return up->kind < HC_N_NAME ? up->kind == HC_N_BLOCK || up->test == n || up->step == n : up->kind == HC_N_SIZEOF;
}

/* n is a part of the variable: is its address kept? */
static int keeps_place(const hc_program *p, const hc_node *n)
{
    const hc_node *up = n->parent;
    if (up->kind == HC_N_PAREN || (up->kind == HC_N_MEMBER && up->op[0] == '.'))
        return keeps_place(p, up);
    if (up->kind == HC_N_UNARY && up->op[0] == '&')
        return keeps_value(p, up);
    return up->kind == HC_N_ASM || (hc_is_array(n->type) && keeps_value(p, n));
}

static int keeps_unary(const hc_program *p, const hc_node *up)
{
    if (up->op[0] == '*')
        return keeps_place(p, up);
    return up->op[0] != '!' && keeps_value(p, up);
}

/* n is an address of the variable, or of a part of it: is it kept? */
static int keeps_value(const hc_program *p, const hc_node *n)
{
    const hc_node *up = n->parent;
    if (is_test(up, n))
        return 0;
    switch (up->kind) {
    case HC_N_PAREN: return keeps_value(p, up);
    case HC_N_CAST: return !up->type || up->type->kind != HC_T_POINTER || keeps_value(p, up);
    case HC_N_CONDITION: return (up->first != n || up->last == n->next) && keeps_value(p, up);
    case HC_N_INDEX:
    case HC_N_MEMBER: return keeps_place(p, up);
    case HC_N_UNARY: return keeps_unary(p, up);
    case HC_N_BINARY: return up->type && up->type->kind == HC_T_POINTER && keeps_value(p, up);
    case HC_N_ASSIGN: return up->first != n || (up->op[0] != '=' && keeps_value(p, up));
    case HC_N_CALL: return keeps_argument(p, up, n);
    default: return 1;
    }
}

void hc_find_addresses(hc_program *p)
{
    for (uint32_t i = 0; i < p->units.n; i++)
        HC_EACH_NODE (n, p->units.at[i]->root)
            if (n->kind == HC_N_NAME && hc_is_var(n->decl) && keeps_place(p, n))
                hc_canonical(p, n->decl)->is_kept = 1;
}

int hc_is_hidden(const hc_program *p, hc_decl *d)
{
    d = hc_canonical(p, d);
    return !hc_is_array(d->type) && (hc_is_local(d) || d->is_static) && !d->is_kept;
}
