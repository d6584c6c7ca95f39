/* SPDX-License-Identifier: MIT */
/* device_use.c - the effects of code on memory, and whether one thread may run it as a whole. */
#include "device/device.h"

#include <string.h>

/* ---- lvalues ----------------------------------------------------------------------------------------------------- */

static hc_node *array_of(hc_node *index)
{
    const hc_type *t = index->first->type;
    return t && (hc_is_array(t) || t->kind == HC_T_POINTER) ? index->first : index->last;
}

hc_decl *hc_target(hc_node *n)
{
    for (;;) {
        if (n->kind == HC_N_PAREN || (n->kind == HC_N_MEMBER && n->op[0] == '.'))
            n = n->first;
        else if (n->kind == HC_N_INDEX && hc_is_array(array_of(n)->type))
            n = array_of(n);
        else
            return n->kind == HC_N_NAME && hc_is_var(n->decl) ? n->decl : NULL;
    }
}

hc_node *hc_changed_by(hc_node *n)
{
    if (n->kind == HC_N_ASSIGN)
        return n->first;
    if (n->kind == HC_N_UNARY && (strstr(n->op, "++") || strstr(n->op, "--")))
        return n->first;
    return NULL;
}

int hc_is_expression(const hc_node *n) { return n->kind >= HC_N_NAME; }

/* ---- regions and jumps ------------------------------------------------------------------------------------------- */

int hc_is_team_call(hc_device *d, const hc_node *n)
{
    const hc_function *f = n->kind == HC_N_CALL && n->decl ? hc_function_of(d->p, n->decl) : NULL;
    return f && f->has_inner;
}

int hc_has_region(hc_device *d, const hc_node *root)
{
    for (hc_node *n = (hc_node *)root; n; n = hc_is_task_directive(n) ? hc_behind(root, n) : hc_inside(root, n))
        if (hc_is_region(n) || hc_is_team_call(d, n))
            return 1;
    return 0;
}

static int is_loop(const hc_node *n) { return n->kind == HC_N_FOR || n->kind == HC_N_WHILE || n->kind == HC_N_DO; }

/* Whether a break, continue or case label belongs to a statement around root. */
static int belongs_outside(const hc_node *n, const hc_node *root)
{
    const hc_node *up = n;
    for (; up != root; up = up->parent) {
        if (up == n)
            continue;
        if (n->kind != HC_N_CASE && n->kind != HC_N_DEFAULT_CASE && is_loop(up))
            return 0;
        if (n->kind != HC_N_CONTINUE && up->kind == HC_N_SWITCH)
            return 0;
    }
    if (root == n)
        return 1;
    if (n->kind == HC_N_CASE || n->kind == HC_N_DEFAULT_CASE)
        return root->kind != HC_N_SWITCH;
    return !is_loop(root) && (n->kind == HC_N_CONTINUE || root->kind != HC_N_SWITCH);
}

static size_t word_at(const char *s, const char **word)
{
    size_t n = 0;
    while (*s == ' ' || *s == '\n' || *s == '\t')
        s++;
    *word = s;
    while (s[n] == '_' || (s[n] >= '0' && s[n] <= '9') || ((s[n] | 32) >= 'a' && (s[n] | 32) <= 'z'))
        n++;
    return n;
}

static size_t label_of(const hc_node *n, const char **word)
{
    return word_at(hc_source(n) + (n->kind == HC_N_GOTO ? 4 : 0), word);
}

/* A label or goto with its other end outside root. */
static int leads_outside(const hc_node *n, const hc_node *root)
{
    const hc_node *function = root;
    const char *word, *other;
    size_t length = label_of(n, &word);
    hc_node_kind wanted = n->kind == HC_N_GOTO ? HC_N_LABEL : HC_N_GOTO;
    while (function->parent && function->kind != HC_N_FUNCTION)
        function = function->parent;
    HC_EACH_NODE (m, (hc_node *)function)
        if (m->kind == wanted && label_of(m, &other) == length && !memcmp(word, other, length) && !hc_is_in(m, root))
            return 1;
    return 0;
}

static int jumps_out(hc_node *root)
{
    HC_EACH_NODE (n, root)
        switch (n->kind) {
        case HC_N_RETURN: return 1;
        case HC_N_BREAK:
        case HC_N_CONTINUE:
        case HC_N_CASE:
        case HC_N_DEFAULT_CASE:
            if (belongs_outside(n, root))
                return 1;
            break;
        case HC_N_GOTO:
        case HC_N_LABEL:
            if (leads_outside(n, root))
                return 1;
            break;
        default: break;
        }
    return 0;
}

int hc_is_plain_statement(hc_device *d, hc_node *n) { return !hc_has_region(d, n) && !jumps_out(n); }

/* ---- effects ----------------------------------------------------------------------------------------------------- */

/* Only n's address is evaluated: its memory is not read. */
static int is_address_only(const hc_node *n)
{
    const hc_node *up = n->parent;
    while (up && (up->kind == HC_N_PAREN || (up->kind == HC_N_MEMBER && up->op[0] == '.') ||
                  (up->kind == HC_N_INDEX && hc_is_array(n->type) && array_of((hc_node *)up) == n))) {
        n = up;
        up = up->parent;
    }
    return (up && up->kind == HC_N_UNARY && up->op[0] == '&') || (n->type && hc_is_array(n->type));
}

static unsigned effects_of_function(hc_device *d, const hc_function *f);

static unsigned effects_of_library(const hc_node *call)
{
    const hc_library *l = call->decl ? hc_library_of(call->decl->name) : NULL;
    if (l && l->kind == HC_L_ISO && l->effect != HC_L_READS) /* malloc: once, with one result for all */
        return HC_READ | HC_WRITE;
    if (!l || l->kind == HC_L_TRAP)
        return l ? HC_WRITE : HC_READ | HC_WRITE;
    switch (l->effect) {
    case HC_L_NOTHING: return 0;
    case HC_L_READS: return HC_READ;
    default: return HC_READ | HC_WRITE;
    }
}

static unsigned effects_of_call(hc_device *d, const hc_node *n)
{
    const hc_function *f = n->decl ? hc_function_of(d->p, n->decl) : NULL;
    if (!f)
        return effects_of_library(n);
    return hc_is_team_call(d, n) && d->s.mode == HC_TEAM ? 0 : effects_of_function(d, f);
}

/* Variables declared in root do not count. */
static unsigned effects_of_change(hc_device *d, hc_node *lvalue, const hc_node *root)
{
    hc_decl *target = hc_target(lvalue);
    if (!target)
        return HC_WRITE;
    if (hc_is_local(target) && hc_declared_in(target, root))
        return 0;
    return hc_is_memory_name(d, target) ? HC_WRITE : 0;
}

static unsigned effects_of_node(hc_device *d, hc_node *n, const hc_node *root)
{
    hc_node *changed = hc_changed_by(n);
    if (changed)
        return effects_of_change(d, changed, root);
    switch (n->kind) {
    case HC_N_CALL: return effects_of_call(d, n);
    case HC_N_ASM: return HC_READ | HC_WRITE;
    case HC_N_DIRECTIVE: return hc_is_directive(n, HC_SIMD) || hc_is_directive(n, HC_FLUSH) ? 0 : HC_READ | HC_WRITE;
    case HC_N_NAME:
        if (!hc_is_var(n->decl) || (hc_is_local(n->decl) && hc_declared_in(n->decl, root)))
            return 0;
        return hc_is_memory_name(d, n->decl) && !is_address_only(n) ? HC_READ : 0;
    case HC_N_UNARY: return n->op[0] == '*' && !is_address_only(n) ? HC_READ : 0;
    case HC_N_INDEX: return hc_target(n) || is_address_only(n) ? 0 : HC_READ;
    case HC_N_MEMBER: return n->op[0] == '.' || is_address_only(n) ? 0 : HC_READ;
    default: return 0;
    }
}

static unsigned effects_in(hc_device *d, hc_node *root)
{
    unsigned all = 0;
    for (hc_node *n = root; n && all != (HC_READ | HC_WRITE);) {
        all |= effects_of_node(d, n, root);
        n = n->kind == HC_N_SIZEOF ? hc_behind(root, n) : hc_inside(root, n);
    }
    return all;
}

unsigned hc_effects(hc_device *d, hc_node *n) { return effects_in(d, n); }

/* A function's local variables are private in every version. During recursion its effect counts as anything. */
static unsigned effects_of_function(hc_device *d, const hc_function *f)
{
    enum { KNOWN = 8 };
    unsigned *known = &d->effects[f - d->p->functions.at];
    hc_scene scene = d->s;
    if (!*known) {
        *known = KNOWN | HC_READ | HC_WRITE;
        d->s = (hc_scene){.mode = HC_THREAD};
        *known = KNOWN | effects_in(d, f->decl->node);
        d->s = scene;
    }
    return *known & (HC_READ | HC_WRITE);
}
