/* SPDX-License-Identifier: MIT */
/* device_init.c - initialisers with designators, which C++ accepts only in order and never for arrays: written by
 * position, with zeros for unnamed elements. _Generic: the expression that C chooses. */
#include "device/device.h"

#include <ctype.h>
#include <string.h>

/* ---- designators ------------------------------------------------------------------------------------------------- */

#define MOST_ELEMENTS 65536u

typedef struct values {
    HC_LIST(hc_node *) at; /* by position; NULL: zero */
    const hc_type *type;
} values;

static int has_designators(const hc_node *list)
{
    for (const hc_node *n = list->first; n; n = n->next)
        if (n->kind == HC_N_DESIGNATED)
            return 1;
    return 0;
}

/* .a.b, [1][2], .a[3]: more than one step. */
static int is_long(const hc_node *n)
{
    const char *s = n->unit->text.bytes;
    uint32_t n_steps = 0;
    for (uint32_t at = n->begin; at < n->init->begin && s[at] != '='; at++)
        n_steps += s[at] == '[' || (s[at] == '.' && s[at + 1] != '.' && s[at - 1] != '.');
    return n_steps > 1;
}

static hc_node *field_at(const hc_type *t, uint32_t position)
{
    for (hc_node *f = t->decl && t->decl->node ? t->decl->node->first : NULL; f; f = f->next)
        if (f->kind == HC_N_FIELD && position-- == 0)
            return f;
    return NULL;
}

static uint32_t position_of(const hc_type *t, const hc_node *n)
{
    uint32_t i = 0;
    hc_node *f;
    if (hc_is_array(t))
        return n->first->is_constant ? (uint32_t)n->first->value : MOST_ELEMENTS;
    while ((f = field_at(t, i)) != NULL && f->decl != n->decl)
        i++;
    return f ? i : MOST_ELEMENTS;
}

static const hc_type *type_at(const hc_type *t, uint32_t position)
{
    const hc_node *f = hc_is_array(t) ? NULL : field_at(t, position);
    return hc_is_array(t) ? t->of : f ? f->decl->type : NULL;
}

static int set_value(values *v, uint32_t position, hc_node *value)
{
    if (position >= MOST_ELEMENTS || !type_at(v->type, position))
        return -1;
    while (v->at.n <= position)
        *HC_ADD(&v->at) = NULL;
    v->at.at[position] = value;
    return 0;
}

static int take_values(hc_node *list, values *v)
{
    uint32_t position = 0;
    for (hc_node *n = list->first; n; n = n->next, position++) {
        int is_designated = n->kind == HC_N_DESIGNATED;
        if (is_designated && is_long(n))
            return -1;
        position = is_designated ? position_of(v->type, n) : position;
        if (set_value(v, position, is_designated ? n->init : n))
            return -1;
    }
    return 0;
}

static void write_zero(hc_device *d, const hc_type *t)
{
    if (hc_is_array(t) || t->kind == HC_T_STRUCT || t->kind == HC_T_UNION)
        hc_puts(&d->w.out, "{}");
    else if (t->kind == HC_T_ENUM)
        hc_dev_putf(d, "(%s)0", hc_type_text(d, hc_unqualified(t)));
    else
        hc_puts(&d->w.out, "0");
}

int hc_write_initialiser(hc_device *d, hc_node *n)
{
    values v = {.type = n->type};
    if (!has_designators(n) || !n->type || n->type->kind == HC_T_UNION)
        return 0;
    if (take_values(n, &v)) {
        HC_REFUSE(240, n,
                  "designators of several steps, or without braces around the inner values: write inner braces");
        return 1;
    }
    hc_puts(&d->w.out, "{");
    for (uint32_t i = 0; i < v.at.n; i++) {
        hc_puts(&d->w.out, i ? ", " : "");
        if (v.at.at[i])
            hc_write(&d->w, v.at.at[i]);
        else
            write_zero(d, type_at(v.type, i));
    }
    hc_puts(&d->w.out, "}");
    return 1;
}

/* ---- compound literals ------------------------------------------------------------------------------------------- */

/* In C it lives as long as its block, and has an address; in C++ neither. */
static int is_object(const hc_node *n)
{
    const hc_node *up = n->parent;
    while (up->kind == HC_N_PAREN)
        up = up->parent;
    return hc_is_array(n->type) || (up->kind == HC_N_UNARY && up->op[0] == '&');
}

static const char *literal_name(const hc_device *d, const hc_node *n)
{
    for (uint32_t i = 0; i < d->literals.n; i++)
        if (d->literals.at[i] == n)
            return hc_format("hd_literal_%u", i + 1);
    return NULL;
}

int hc_write_literal(hc_device *d, hc_node *n)
{
    const char *name = literal_name(d, n);
    if (name)
        hc_puts(&d->w.out, name);
    return name != NULL;
}

/* The part evaluated once, at the beginning of a statement; NULL: none. */
static hc_node *evaluated(hc_node *n)
{
    switch (n->kind) {
    case HC_N_DECLS: return n->parent->kind == HC_N_BLOCK ? n : NULL;
    case HC_N_IF:
    case HC_N_SWITCH: return n->test;
    case HC_N_RETURN: return n->first;
    default: return hc_is_expression(n) && hc_source(n)[n->end - n->begin - 1] == ';' ? n : NULL;
    }
}

static void declare_literal(hc_device *d, hc_node *n)
{
    char *text = hc_dev_text(d, n->last); /* nested literals first */
    *HC_ADD(&d->literals) = n;
    hc_dev_putf(d, "%s = %s; ", hc_declaration(d, hc_unqualified(n->type), literal_name(d, n)), text);
}

int hc_hoist_literals(hc_device *d, hc_node *n)
{
    hc_node *root = evaluated(n);
    uint32_t n_before = d->literals.n;
    int needs_braces = n->parent && n->parent->kind != HC_N_BLOCK;
    HC_EACH_NODE (l, root) {
        if (l->kind != HC_N_COMPOUND_LITERAL || !is_object(l) || literal_name(d, l))
            continue;
        hc_puts(&d->w.out, needs_braces && d->literals.n == n_before ? "{ " : "");
        declare_literal(d, l);
    }
    if (d->literals.n == n_before)
        return 0;
    hc_write(&d->w, n);
    hc_puts(&d->w.out, needs_braces ? " }" : "");
    return 1;
}

/* ---- _Generic ---------------------------------------------------------------------------------------------------- */

/* The type's name before an association's expression; "" if it is not in that form. */
static char *type_before(const hc_node *n)
{
    const char *s = n->unit->text.bytes;
    uint32_t end = n->begin, begin;
    while (end > 0 && (isspace((unsigned char)s[end - 1]) || s[end - 1] == ':'))
        end--;
    for (begin = end; begin > 0 && s[begin - 1] != ',' && s[begin - 1] != '('; begin--)
        ;
    while (begin < end && isspace((unsigned char)s[begin]))
        begin++;
    return hc_copy(s + begin, end - begin);
}

static void write_chosen(hc_device *d, hc_node *n)
{
    hc_puts(&d->w.out, "(");
    hc_write(&d->w, n);
    hc_puts(&d->w.out, ")");
}

/* An array decays to a pointer, and qualifiers of numbers are ignored. */
int hc_write_generic(hc_device *d, hc_node *n)
{
    const hc_type *t = n->first ? n->first->becomes ? n->first->becomes : n->first->type : NULL;
    hc_node *other = NULL;
    if (!t)
        return 0;
    t = hc_is_array(t) ? hc_pointer_to(t->of) : hc_unqualified(t);
    for (hc_node *a = n->first->next; a; a = a->next) {
        char *name = type_before(a);
        if (!strcmp(name, "default"))
            other = a;
        else if ((t->name && !strcmp(name, t->name)) || !strcmp(name, hc_type_text(NULL, t))) {
            write_chosen(d, a);
            return 1;
        }
    }
    if (!other)
        return 0;
    write_chosen(d, other);
    return 1;
}
