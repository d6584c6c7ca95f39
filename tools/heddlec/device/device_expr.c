/* SPDX-License-Identifier: MIT */
/* device_expr.c - expressions: names, and conversions that are implicit in C but not in C++. */
#include "device/device.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

void hc_push_name(hc_device *d, const hc_decl *decl, const char *text, int is_memory)
{
    *HC_ADD(&d->names) = (hc_alias){decl, text, is_memory};
}

static const hc_alias *alias_of(const hc_device *d, const hc_decl *decl)
{
    for (uint32_t i = d->names.n; i-- > 0;)
        if (d->names.at[i].decl == decl)
            return &d->names.at[i];
    return NULL;
}

static const hc_global *global_of(hc_device *d, const hc_decl *decl)
{
    return hc_is_local(decl) ? NULL : hc_global_of(d->p, decl);
}

int hc_is_memory_name(hc_device *d, const hc_decl *decl)
{
    const hc_alias *a = alias_of(d, decl);
    const hc_global *g = a ? NULL : global_of(d, decl);
    return a ? a->is_memory : g && !g->is_constant;
}

const char *hc_name_of(hc_device *d, const hc_decl *decl)
{
    const hc_alias *a = alias_of(d, decl);
    const hc_global *g = a ? NULL : global_of(d, decl);
    if (a)
        return a->text;
    if (!g)
        return hc_dev_name(decl->name);
    if (g->is_constant)
        return g->name;
    d->s.code->needs |= HC_NEEDS_APP;
    return hc_format("(*hd_params->%s)", g->name);
}

const char *hc_thread_text(hc_device *d)
{
    d->s.code->needs |= HC_NEEDS_THREAD;
    if (d->s.in_region || (d->s.code->function && d->s.code->mode == HC_THREAD))
        return "hd_thread";
    d->s.code->has_worker = 1;
    d->s.code->needs |= HC_NEEDS_APP;
    return "&hd_worker";
}

/* The program's by its address, a library's by its name. */
static void write_host_function(hc_device *d, hc_node *n)
{
    const hc_global *g = hc_global_of(d->p, n->decl);
    if (g)
        d->s.code->needs |= HC_NEEDS_APP;
    hc_dev_putf(d, g ? "(*hd_params->%s)" : "%s", g ? g->name : n->decl->name);
}

static int write_name(hc_device *d, hc_node *n)
{
    if (hc_is_var(n->decl))
        hc_puts(&d->w.out, hc_name_of(d, n->decl));
    else if (n->decl && n->decl->kind == HC_N_ENUMERATOR && n->decl->owner && !n->decl->owner->is_global)
        hc_dev_putf(d, "%lld", (long long)n->decl->value); /* a function's own enum is not known here */
    else if (n->decl && n->decl->kind == HC_N_ENUMERATOR)
        hc_puts(&d->w.out, hc_type_name(d, n->decl));
    else if (n->decl && n->decl->kind == HC_N_FUNCTION && d->p->options.is_host_only)
        write_host_function(d, n);
    else if (n->decl && n->decl->kind == HC_N_FUNCTION && hc_function_of(d->p, n->decl))
        HC_REFUSE(240, n, "the address of a function in a task: call the functions by name, in a switch");
    else
        return 0;
    return 1;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

/* The type in the written text: arrays as pointers, flat ones as pointers to elements. */
static const hc_type *text_type(const hc_type *t)
{
    if (hc_is_flat(t))
        return hc_pointer_to(hc_flat_element(t));
    return hc_is_array(t) ? hc_pointer_to(t->of) : t;
}

static int is_string(const hc_node *n)
{
    while (n->kind == HC_N_PAREN)
        n = n->first;
    return n->kind == HC_N_LITERAL && n->type && n->type->kind == HC_T_ARRAY;
}

static int is_zero(const hc_node *n) { return n->kind == HC_N_LITERAL && n->is_constant && n->value == 0; }

static int needs_pointer_cast(const hc_node *n, const hc_type *to)
{
    const hc_type *from = text_type(n->type);
    if (from->kind == HC_T_FUNCTION)
        return 0;
    if (from->kind != HC_T_POINTER)
        return !is_zero(n);
    if ((from->of->is_const && !to->of->is_const) || (from->of->is_volatile && !to->of->is_volatile))
        return 1;
    if (is_string(n) && !to->of->is_const)
        return 1;
    if (to->of->kind == HC_T_VOID)
        return 0;
    return !hc_is_same(hc_unqualified(from->of), hc_unqualified(to->of));
}

static int needs_enum_cast(const hc_node *n, const hc_type *to)
{
    if (n->kind == HC_N_NAME && n->decl && n->decl->kind == HC_N_ENUMERATOR && n->decl->owner &&
        !strcmp(n->decl->owner->id, to->decl->id))
        return 0;
    return n->type->kind != HC_T_ENUM || !hc_is_same(n->type, to);
}

static int is_library_argument(const hc_node *n)
{
    const hc_node *call = n->parent;
    return call && call->kind == HC_N_CALL && call->first != n && call->decl && hc_library_of(call->decl->name);
}

static int is_in_list(const hc_node *n)
{
    return n->parent && (n->parent->kind == HC_N_INIT_LIST || n->parent->kind == HC_N_DESIGNATED);
}

/* C++ overloads functions where C converts the argument, and does not narrow in braces. */
static int needs_number_cast(const hc_node *n, const hc_type *to)
{
    if (is_library_argument(n))
        return n->type->kind != to->kind || n->type->size != to->size;
    return is_in_list(n) && !n->is_constant && !hc_is_same(hc_unqualified(n->type), hc_unqualified(to));
}

static const hc_type *param_type(hc_device *d, const hc_node *argument)
{
    const hc_node *call = argument->parent, *p = NULL;
    const hc_function *f = call->decl ? hc_function_of(d->p, call->decl) : NULL;
    if (!f || argument == call->first)
        return NULL;
    for (p = f->decl->node->first; p && p->kind != HC_N_PARAM; p = p->next)
        ;
    for (const hc_node *a = call->first->next; p && p->kind == HC_N_PARAM && a != argument; a = a->next)
        p = p->next;
    return p && p->kind == HC_N_PARAM ? p->decl->type : NULL;
}

/* The type that n's context requires. C converts nothing between arrays of constant and of variable length. */
static const hc_type *wanted_type(hc_device *d, const hc_node *n)
{
    const hc_node *up = n->parent;
    const hc_type *t = NULL;
    if (up && up->kind == HC_N_CALL)
        t = param_type(d, n);
    else if (up && up->kind == HC_N_VAR && up->init == n)
        t = up->decl->type;
    else if (up && up->kind == HC_N_ASSIGN && up->last == n && !strcmp(up->op, "="))
        t = up->first->type;
    return t && t->kind == HC_T_POINTER && n->type && hc_is_flat(t) != hc_is_flat(n->type) ? t : n->becomes;
}

static const hc_type *needed_cast(hc_device *d, const hc_node *n)
{
    const hc_type *to = n->kind == HC_N_INIT_LIST ? NULL : wanted_type(d, n);
    int needed = 0;
    if (!to || !n->type)
        return NULL;
    to = text_type(to);
    if (to->kind == HC_T_POINTER)
        needed = needs_pointer_cast(n, to);
    else if (to->kind == HC_T_ENUM)
        needed = needs_enum_cast(n, to);
    else if (hc_is_number(to) && hc_is_number(n->type))
        needed = needs_number_cast(n, to);
    else if (to->kind == HC_T_INTEGER)
        needed = n->type->kind == HC_T_POINTER || hc_is_array(n->type);
    return needed ? hc_unqualified(to) : NULL;
}

/* ---- enumerations ------------------------------------------------------------------------------------------------ */

/* e += x, e++: C++ has no such operators for enums. */
static int write_enum_change(hc_device *d, hc_node *n)
{
    hc_node *place = hc_changed_by(n);
    char *x, *type;
    if (!place || !place->type || place->type->kind != HC_T_ENUM || !strcmp(n->op, "="))
        return 0;
    x = hc_dev_text(d, place);
    type = hc_type_text(d, hc_unqualified(place->type));
    if (n->kind == HC_N_ASSIGN)
        hc_dev_putf(d, "%s = (%s)(%s %.*s (%s))", x, type, x, (int)strlen(n->op) - 1, n->op, hc_dev_text(d, n->last));
    else if (n->op[0] == 'p' && !(n->parent && n->parent->kind == HC_N_BLOCK))
        hc_dev_putf(d, "(%s = (%s)(%s %c 1), (%s)(%s %c 1))", x, type, x, n->op[1], type, x,
                    n->op[1] == '+' ? '-' : '+');
    else
        hc_dev_putf(d, "%s = (%s)(%s %c 1)", x, type, x, n->op[n->op[0] == 'p']);
    return 1;
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static int write_sizeof(hc_device *d, hc_node *n)
{
    const hc_node *of = n->first;
    while (of && of->kind == HC_N_PAREN)
        of = of->first;
    /* A character, comparison or logical expression is an int only in C. */
    if (!of || !n->is_constant || !of->type || of->type->kind != HC_T_INTEGER || hc_target((hc_node *)of))
        return 0;
    if (of->kind != HC_N_LITERAL && of->kind != HC_N_BINARY && of->kind != HC_N_UNARY)
        return 0;
    hc_dev_putf(d, "sizeof(%s)", hc_type_text(d, hc_unqualified(of->type)));
    return 1;
}

/* void *p; p + 1 */
static int write_void_sum(hc_device *d, hc_node *n)
{
    hc_node *p = n->first;
    if ((n->op[0] != '+' && n->op[0] != '-') || !n->type || n->type->kind != HC_T_POINTER || !n->type->of ||
        n->type->of->kind != HC_T_VOID || !p->type || p->type->kind != HC_T_POINTER)
        return 0;
    hc_dev_putf(d, "((%s)((char *)(%s) %c (%s)))", hc_type_text(d, n->type), hc_dev_text(d, p), n->op[0],
                hc_dev_text(d, n->last));
    return 1;
}

/* ---- the hook ---------------------------------------------------------------------------------------------------- */

static int is_end_of_block(const hc_node *n) { return hc_source(n)[n->end - n->begin - 1] == ';'; }

static int write_expression(hc_device *d, hc_node *n)
{
    if (hc_write_flat(d, n))
        return 1;
    switch (n->kind) {
    case HC_N_NAME: return write_name(d, n);
    case HC_N_CALL: return hc_write_call(d, n);
    case HC_N_ASSIGN:
    case HC_N_UNARY: return write_enum_change(d, n);
    case HC_N_BINARY: return write_void_sum(d, n);
    case HC_N_SIZEOF: return write_sizeof(d, n);
    case HC_N_INIT_LIST: return hc_write_initialiser(d, n);
    case HC_N_GENERIC: return hc_write_generic(d, n);
    case HC_N_COMPOUND_LITERAL: return hc_write_literal(d, n);
    default: return 0;
    }
}

/* A statement's node includes its semicolon; the text of an expression does not. */
static int write_converted(hc_device *d, hc_node *n)
{
    const hc_type *cast = needed_cast(d, n);
    int is_statement = is_end_of_block(n), is_written;
    if (cast)
        hc_dev_putf(d, "(%s)(", hc_type_text(d, cast));
    is_written = write_expression(d, n);
    if (!is_written && cast)
        hc_write_inside(&d->w, n);
    if (cast)
        hc_puts(&d->w.out, ")");
    if (is_statement && is_written)
        hc_puts(&d->w.out, ";");
    return is_written || cast;
}

int hc_dev_node(hc_writer *w, hc_node *n)
{
    hc_device *d = hc_device_of(w);
    if (n->kind == HC_N_DIRECTIVE) {
        hc_write_directive(d, n);
        return 1;
    }
    if (hc_split_return(d, n) || hc_hoist_literals(d, n))
        return 1;
    if (n->kind == HC_N_BLOCK)
        return hc_write_block(d, n);
    if (n->kind == HC_N_DECLS)
        return hc_write_declarations(d, n);
    if (n->kind == HC_N_RECORD)
        return hc_write_record(d, n);
    return hc_is_expression(n) && write_converted(d, n);
}

char *hc_dev_text(hc_device *d, hc_node *n) { return hc_written(&d->w, n); }
