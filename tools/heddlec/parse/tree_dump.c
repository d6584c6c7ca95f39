/* SPDX-License-Identifier: MIT */
/* tree_dump.c - walks a tree, writes it, and checks its structure. */
#include "parse/tree.h"

#include <ctype.h>
#include <string.h>

void hc_visit(hc_node *n, hc_visit_fn fn, void *arg)
{
    hc_node *next;
    if (!fn(arg, n))
        return;
    for (hc_node *k = n->first; k; k = next) {
        next = k->next;
        hc_visit(k, fn, arg);
    }
}

hc_node *hc_unparen(hc_node *n)
{
    while ((n->kind == HC_N_PAREN || n->kind == HC_N_CAST) && n->last)
        n = n->last;
    return n;
}

const char *hc_node_name(hc_node_kind k)
{
    static const char *const names[] = {
#define X(id) #id,
        HC_NODE_MAP(X)
#undef X
    };
    return k < HC_N_KINDS ? names[k] : "?";
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

static int is_child(const hc_node *n, const hc_node *of) { return !n || n->parent == of; }

/* What is wrong with n and its own children. */
static const char *wrong_with(const hc_node *n)
{
    uint32_t at = n->begin;
    const hc_node *before = NULL;
    if (n->end < n->begin || n->end > n->unit->text.n)
        return "its stretch is none of the text";
    for (const hc_node *k = n->first; k; before = k, k = k->next) {
        if (k->parent != n || k->prev != before)
            return "a child's links are wrong";
        if (k->begin < at)
            return before ? "a child begins before the one before it has ended" : "a child begins before it";
        if (k->end > n->end)
            return "a child ends behind it";
        at = k->end;
    }
    if (n->last != before)
        return "its last child is not the last one";
    if (!is_child(n->body, n) || !is_child(n->init, n) || !is_child(n->test, n) || !is_child(n->step, n) ||
        !is_child(n->other, n))
        return "a part of it is no child of it";
    return NULL;
}

const char *hc_tree_check(const hc_node *n)
{
    const char *wrong = wrong_with(n);
    if (wrong) {
        hc_place p = hc_place_of(&n->unit->text, n->begin);
        return hc_format("%s:%u:%u: %s: %s", p.file, p.line, p.column, hc_node_name(n->kind), wrong);
    }
    for (const hc_node *k = n->first; k && !wrong; k = k->next)
        wrong = hc_tree_check(k);
    return wrong;
}

/* ---- dump -------------------------------------------------------------------------------------------------------- */

static void put_words_of(hc_buf *out, const char *s, uint32_t n)
{
    int blank = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (isspace((unsigned char)s[i])) {
            blank = 1;
            continue;
        }
        if (blank)
            hc_puts(out, " ");
        blank = 0;
        hc_put(out, s + i, 1);
    }
}

static void put_source(hc_buf *out, const hc_node *n)
{
    if (n)
        put_words_of(out, hc_source(n), n->end - n->begin);
    else
        hc_puts(out, "*");
}

static const char *scalar_name(const hc_type *t)
{
    switch (t->kind) {
    case HC_T_VOID: return "void";
    case HC_T_BOOL: return "bool";
    case HC_T_INTEGER: return hc_format("%c%u", t->is_unsigned ? 'u' : 'i', (unsigned)t->size * 8);
    case HC_T_FLOATING: return hc_format("f%u", (unsigned)t->size * 8);
    case HC_T_COMPLEX: return "complex ";
    case HC_T_VECTOR: return hc_format("vector%u ", (unsigned)t->size);
    case HC_T_ATOMIC: return "atomic ";
    case HC_T_STRUCT: return "struct ";
    case HC_T_UNION: return "union ";
    case HC_T_ENUM: return "enum ";
    default: return "?";
    }
}

static void put_type(hc_buf *out, const hc_type *t);

static void put_function_type(hc_buf *out, const hc_type *t)
{
    hc_puts(out, "fn(");
    for (uint32_t i = 0; i < t->n_params; i++) {
        hc_puts(out, i ? ", " : "");
        put_type(out, t->params[i]);
    }
    hc_puts(out, t->is_variadic && t->n_params ? ", ...)" : t->is_variadic ? "...)" : ")");
}

/* From outside inwards: "*const f64" is a pointer to const double, "[n][4]i32" an array of n arrays of 4 ints. */
static void put_type(hc_buf *out, const hc_type *t)
{
    if (!t) {
        hc_puts(out, "none");
        return;
    }
    hc_puts(out, t->is_const ? "const " : "");
    hc_puts(out, t->is_volatile ? "volatile " : "");
    hc_puts(out, t->is_restrict ? "restrict " : "");
    if (t->kind == HC_T_POINTER) {
        hc_puts(out, "*");
    } else if (t->kind == HC_T_ARRAY) {
        hc_putf(out, "[%llu]", (unsigned long long)t->n);
    } else if (t->kind == HC_T_OPEN_ARRAY) {
        hc_puts(out, "[]");
    } else if (t->kind == HC_T_VLA) {
        hc_puts(out, "[");
        put_source(out, t->bound);
        hc_puts(out, "]");
    } else if (t->kind == HC_T_FUNCTION) {
        put_function_type(out, t);
    } else {
        hc_puts(out, scalar_name(t));
    }
    if (t->decl)
        hc_puts(out, t->decl->name[0] ? t->decl->name : "{}");
    if (t->of)
        put_type(out, t->of);
}

static const char *role_of(const hc_node *n)
{
    const hc_node *p = n->parent;
    if (!p)
        return "";
    return n == p->init    ? "init "
           : n == p->test  ? "test "
           : n == p->step  ? "step "
           : n == p->body  ? "body "
           : n == p->other ? "other "
                           : "";
}

static void put_flags(hc_buf *out, const hc_decl *d)
{
    static const char *const words[] = {" global",   " static", " extern",       " inline",
                                        " register", " thread", " declaretarget"};
    const int has[] = {d->is_global,   d->is_static,       d->is_extern,         d->is_inline,
                       d->is_register, d->is_thread_local, d->is_declared_target};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        hc_puts(out, has[i] ? words[i] : "");
}

static int is_declaration(const hc_node *n) { return n->kind >= HC_N_FUNCTION && n->kind <= HC_N_ENUMERATOR; }

static void put_declaration(hc_buf *out, const hc_node *n)
{
    hc_putf(out, " %s", n->decl->name[0] ? n->decl->name : "{}");
    put_flags(out, n->decl);
    hc_puts(out, n->decl->node == n ? n->decl->is_definition ? " definition" : " declaration" : " again");
    if (n->kind == HC_N_ENUMERATOR)
        hc_putf(out, " = %lld", (long long)n->decl->value);
    if (n->decl->owner)
        hc_putf(out, " of %s", n->decl->owner->name[0] ? n->decl->owner->name : "{}");
}

static void put_details(hc_buf *out, const hc_node *n)
{
    if (n->op && n->op[0])
        hc_putf(out, " %s", n->op);
    if (n->pragma)
        hc_putf(out, " %s", hc_directive_words(n->pragma->directive));
    if (is_declaration(n))
        put_declaration(out, n);
    else if (n->decl)
        hc_putf(out, " %s", n->decl->name);
    if (n->type) {
        hc_puts(out, " : ");
        put_type(out, n->type);
    }
    if (n->becomes) {
        hc_puts(out, " -> ");
        put_type(out, n->becomes);
    }
    if (n->is_constant)
        hc_putf(out, " = %lld", (long long)n->value);
}

static void dump(const hc_node *n, hc_buf *out, int depth)
{
    hc_place a = hc_place_of(&n->unit->text, n->begin), z = hc_place_of(&n->unit->text, n->end - (n->end > n->begin));
    hc_putf(out, "%*s%s%s", depth * 2, "", role_of(n), hc_node_name(n->kind));
    if (n->parent)
        hc_putf(out, " %u:%u-%u:%u", a.line, a.column, z.line, z.column + 1);
    put_details(out, n);
    if (!n->first && n->kind > HC_N_ENUMERATOR && n->kind != HC_N_NAME && n->kind != HC_N_DIRECTIVE) {
        hc_puts(out, " `");
        put_source(out, n);
        hc_puts(out, "`");
    }
    hc_puts(out, "\n");
    for (const hc_node *k = n->first; k; k = k->next)
        dump(k, out, depth + 1);
}

void hc_tree_dump(const hc_node *n, hc_buf *out) { dump(n, out, 0); }
