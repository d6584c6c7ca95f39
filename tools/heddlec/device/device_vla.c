/* SPDX-License-Identifier: MIT */
/* device_vla.c - arrays of variable length, pointers to them and parameters of such types, as pointers to the element:
 * the type below the last variable dimension, possibly an array. The lengths of dimensions are kept in variables,
 * evaluated at the declaration as in C: hd_<a>_1, hd_<a>_2, ... (hd_<a>_0: an array's own first dimension). a[i][j]
 * becomes a[(i) * hd_<a>_1 + (j)]. */
#include "device/device.h"

#include <ctype.h>
#include <string.h>

#define MOST_DIMENSIONS 8

/* Lengths of the dimensions behind a pointer, or of an array's elements. */
typedef struct lengths {
    uint32_t n;
    const char *at[MOST_DIMENSIONS];
} lengths;

/* Adds brackets unless the text is a name or number. */
static char *operand(char *text)
{
    for (const char *s = text; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return hc_format("(%s)", text);
    return text;
}

static void add(lengths *l, const char *text)
{
    if (l->n < MOST_DIMENSIONS)
        l->at[l->n++] = text;
}

/* ---- from types and declarations --------------------------------------------------------------------------------- */

static char *length_text(hc_device *d, const hc_type *t)
{
    if (t->kind == HC_T_ARRAY)
        return hc_format("%llu", (unsigned long long)t->n);
    for (uint32_t i = d->bounds.n; i-- > 0;)
        if (d->bounds.at[i].bound == t->bound)
            return hc_copy(d->bounds.at[i].name, strlen(d->bounds.at[i].name));
    return t->bound ? operand(hc_dev_text(d, (hc_node *)t->bound)) : hc_copy("1", 1);
}

static void add_type(hc_device *d, lengths *l, const hc_type *t)
{
    for (t = t->of; hc_is_variable_array(t); t = t->of)
        add(l, length_text(d, t));
}

void hc_write_bounds(hc_device *d, const hc_decl *decl)
{
    const hc_type *t = decl->type;
    uint32_t i = 0;
    if (!hc_is_flat(t))
        return;
    for (t = t->kind == HC_T_POINTER ? t->of : t, i = decl->type->kind == HC_T_POINTER; hc_is_variable_array(t);
         t = t->of, i++) {
        const char *name = hc_format("hd_%s_%u", decl->name, i);
        hc_dev_putf(d, "const int64_t %s HEDDLE_UNUSED = %s; ", name, length_text(d, t));
        if (decl->kind == HC_N_TYPEDEF && t->bound)
            *HC_ADD(&d->bounds) = (hc_bound){t->bound, name};
    }
}

char *hc_array_length(hc_device *d, const hc_decl *decl)
{
    hc_buf b = {0};
    uint32_t i = 0;
    (void)d;
    for (const hc_type *t = decl->type; hc_is_variable_array(t); t = t->of, i++)
        hc_putf(&b, "%shd_%s_%u", i ? " * " : "", decl->name, i);
    return b.at;
}

/* ---- of expressions ---------------------------------------------------------------------------------------------- */

static hc_node *inside(hc_node *n)
{
    while (n->kind == HC_N_PAREN)
        n = n->first;
    return n;
}

static hc_node *pointer_of(hc_node *n) { return hc_is_address(n->first->type) ? n->first : n->last; }
static int is_step(const hc_node *n) { return n->kind == HC_N_INDEX || (n->kind == HC_N_UNARY && n->op[0] == '*'); }

static lengths lengths_of(hc_device *d, hc_node *n);

/* The dimensions of an element of p: all but the first. */
static lengths lengths_behind(hc_device *d, hc_node *p)
{
    lengths l = lengths_of(d, p);
    if (l.n > 0)
        memmove(l.at, l.at + 1, --l.n * sizeof *l.at);
    return l;
}

static lengths lengths_of(hc_device *d, hc_node *n)
{
    lengths l = {0};
    n = inside(n);
    switch (n->kind) {
    case HC_N_NAME:
        for (uint32_t i = 1; hc_is_flat(n->type) && i <= hc_flat_rank(n->decl->type); i++)
            add(&l, hc_format("hd_%s_%u", n->decl->name, i));
        return l;
    case HC_N_INDEX: return lengths_behind(d, pointer_of(n));
    case HC_N_UNARY:
        if (n->op[0] == '*')
            return lengths_behind(d, n->first);
        /* &a[i] points to what a points to. */
        if (n->op[0] == '&')
            return is_step(inside(n->first)) ? lengths_of(d, pointer_of(inside(n->first))) : l;
        return lengths_of(d, n->first);
    case HC_N_CAST:
        if (n->type->kind == HC_T_POINTER)
            add_type(d, &l, n->type);
        return l;
    case HC_N_ASSIGN: return lengths_of(d, n->first);
    case HC_N_BINARY: return n->op[0] == ',' ? lengths_of(d, n->last) : lengths_of(d, pointer_of(n));
    case HC_N_CONDITION: return lengths_of(d, n->first->next);
    default: return l;
    }
}

/* "a * b" of dimensions from `first` on; "1" if there are none. */
static char *product(const lengths *l, uint32_t first)
{
    hc_buf b = {0};
    for (uint32_t i = first; i < l->n; i++)
        hc_putf(&b, "%s%s", i > first ? " * " : "", l->at[i]);
    return b.at ? b.at : hc_copy("1", 1);
}

/* ---- indexing ---------------------------------------------------------------------------------------------------- */

typedef struct path {
    hc_node *root;
    char *index[MOST_DIMENSIONS + 1]; /* from the outermost on */
    uint32_t n;
} path;

static void take_path(hc_device *d, hc_node *n, path *p)
{
    hc_node *steps[MOST_DIMENSIONS + 1];
    uint32_t n_steps = 0;
    for (n = inside(n); is_step(n) && n_steps <= MOST_DIMENSIONS;
         n = inside(n->kind == HC_N_INDEX ? pointer_of(n) : n->first)) {
        if (!hc_is_flat(pointer_of(n)->type))
            break;
        steps[n_steps++] = n;
    }
    p->root = n;
    for (p->n = 0; p->n < n_steps; p->n++) {
        hc_node *s = steps[n_steps - 1 - p->n];
        hc_node *index = s->kind == HC_N_INDEX ? (pointer_of(s) == s->first ? s->last : s->first) : NULL;
        p->index[p->n] = index ? operand(hc_dev_text(d, index)) : "0";
    }
}

static char *root_text(hc_device *d, hc_node *root)
{
    return hc_format(root->kind == HC_N_NAME ? "%s" : "(%s)", hc_dev_text(d, root));
}

static char *offset_text(const path *p, const lengths *l)
{
    char *sum = p->index[0];
    for (uint32_t i = 1; i < p->n; i++)
        sum = hc_format(i > 1 ? "(%s) * %s + %s" : "%s * %s + %s", sum, l->at[i - 1], p->index[i]);
    return sum;
}

static int write_index(hc_device *d, hc_node *n)
{
    path p = {0};
    lengths l;
    if (!is_step(n) || !hc_is_flat(pointer_of(n)->type))
        return 0;
    take_path(d, n, &p);
    l = lengths_of(d, p.root);
    if (l.n == 0)
        return 0;
    if (p.n == l.n + 1)
        hc_dev_putf(d, "%s[%s]", root_text(d, p.root), offset_text(&p, &l));
    else
        hc_dev_putf(d, "(%s + %s * %s)", root_text(d, p.root), operand(offset_text(&p, &l)), product(&l, p.n - 1));
    return 1;
}

/* ---- pointers ---------------------------------------------------------------------------------------------------- */

/* p + i, p - i, and p - q of pointers to rows. */
static int write_sum(hc_device *d, hc_node *n)
{
    hc_node *p = n->kind == HC_N_BINARY && strchr("+-", n->op[0]) && n->op[1] == 0 ? pointer_of(n) : NULL;
    hc_node *other = p == n->first ? n->last : n->first;
    lengths l;
    if (!p || !hc_is_flat(p->type))
        return 0;
    l = lengths_of(d, p);
    if (l.n == 0)
        return 0;
    if (hc_is_address(other->type))
        hc_dev_putf(d, "((%s - %s) / (%s))", hc_dev_text(d, p), hc_dev_text(d, other), product(&l, 0));
    else
        hc_dev_putf(d, "(%s %c %s * %s)", hc_dev_text(d, p), n->op[0], operand(hc_dev_text(d, other)), product(&l, 0));
    return 1;
}

/* p += i, p++ */
static int write_move(hc_device *d, hc_node *n)
{
    hc_node *p = hc_changed_by(n);
    lengths l;
    char sign;
    if (!p || !p->type || p->type->kind != HC_T_POINTER || !strcmp(n->op, "=") || !hc_is_flat(p->type))
        return 0;
    l = lengths_of(d, p);
    sign = n->op[n->op[0] == 'p'];
    if (n->kind == HC_N_ASSIGN)
        hc_dev_putf(d, "%s %s (%s) * %s", hc_dev_text(d, p), n->op, hc_dev_text(d, n->last), product(&l, 0));
    else if (n->op[0] == 'p')
        hc_dev_putf(d, "((%s %c= %s) %c %s)", hc_dev_text(d, p), sign, product(&l, 0), sign == '+' ? '-' : '+',
                    product(&l, 0));
    else
        hc_dev_putf(d, "(%s %c= %s)", hc_dev_text(d, p), sign, product(&l, 0));
    return 1;
}

/* &a[i], a row: the row. */
static int write_address(hc_device *d, hc_node *n)
{
    if (n->kind != HC_N_UNARY || n->op[0] != '&' || !n->first->type || !hc_is_flat(n->first->type) ||
        n->first->type->kind == HC_T_POINTER)
        return 0;
    hc_dev_putf(d, "%s", hc_dev_text(d, n->first));
    return 1;
}

static int write_cast(hc_device *d, hc_node *n)
{
    if (n->kind != HC_N_CAST || !hc_is_flat(n->type))
        return 0;
    hc_dev_putf(d, "(%s)(%s)", hc_type_text(d, n->type), hc_dev_text(d, n->last));
    return 1;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* The number of elements of an array expression. */
static char *count_text(hc_device *d, hc_node *n)
{
    lengths l;
    n = inside(n);
    if (n->kind == HC_N_NAME)
        return hc_array_length(d, n->decl);
    l = is_step(n) ? lengths_of(d, pointer_of(n)) : (lengths){0};
    return product(&l, 0);
}

/* sizeof(row) with a typedef row. */
static int write_size_of_name(hc_device *d, const hc_node *n)
{
    for (uint32_t i = 0; i < n->unit->type_uses.n; i++) {
        const hc_type_use *use = &n->unit->type_uses.at[i];
        const hc_decl *t = use->decl;
        if (use->begin < n->begin || use->end > n->end || t->kind != HC_N_TYPEDEF || !hc_is_variable_array(t->type))
            continue;
        if (hc_source(n)[n->end - n->begin - 1] != ')' ||
            hc_blank_end(n->unit->text.bytes, use->end, n->end) != n->end - 1)
            HC_REFUSE(240, n, "sizeof of a type made of '%s', whose length is variable: multiply sizeof(%s)", t->name,
                      t->name);
        hc_dev_putf(d, "(sizeof(%s) * (size_t)(%s))", hc_type_text(d, hc_flat_element(t->type)), hc_array_length(d, t));
        return 1;
    }
    return 0;
}

/* sizeof(double[n][m]): from the text. */
static void write_named_size(hc_device *d, hc_node *n)
{
    const char *s = n->unit->text.bytes;
    uint32_t at = n->begin, end;
    while (at < n->end && s[at] != '(')
        at++;
    for (end = at; end < n->end && s[end] != '['; end++)
        ;
    hc_puts(&d->w.out, "(sizeof");
    hc_write_text(&d->w, n->unit, at, end);
    hc_puts(&d->w.out, ")");
    for (hc_node *bound = n->first; bound; bound = bound->next)
        hc_dev_putf(d, " * (size_t)(%s)", hc_dev_text(d, bound));
    hc_puts(&d->w.out, ")");
}

static int write_size(hc_device *d, hc_node *n)
{
    hc_node *of = n->kind == HC_N_SIZEOF && !n->is_constant ? n->first : NULL;
    if (n->kind == HC_N_SIZEOF && !n->is_constant && !of && write_size_of_name(d, n))
        return 1;
    if (!of || strncmp(hc_source(n), "sizeof", 6))
        return 0;
    if (hc_is_variable_array(of->type))
        hc_dev_putf(d, "(sizeof(%s) * (size_t)(%s))", hc_type_text(d, hc_flat_element(of->type)), count_text(d, of));
    else if (of->type && hc_is_number(of->type))
        write_named_size(d, n);
    else
        return 0;
    return 1;
}

int hc_write_flat(hc_device *d, hc_node *n)
{
    return write_index(d, n) || write_sum(d, n) || write_move(d, n) || write_address(d, n) || write_cast(d, n) ||
           write_size(d, n);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static int has_array(const hc_node *block)
{
    for (const hc_node *n = block->first; n; n = n->next)
        for (const hc_node *v = n->kind == HC_N_DECLS ? n->first : NULL; v; v = v->next)
            if (v->kind == HC_N_VAR && v->decl->type->kind == HC_T_VLA)
                return 1;
    return 0;
}

void hc_write_top(hc_device *d)
{
    const char *top = hc_format("hd_top_%u", ++d->s.n_tops);
    hc_dev_putf(d, " char *%s HEDDLE_UNUSED = %s;", top, d->s.top);
    d->s.top = top;
    d->s.code->needs |= HC_NEEDS_THREAD | HC_NEEDS_APP | (d->s.in_region ? 0u : HC_NEEDS_TOP);
    d->s.code->is_deep = 1;
}

/* Frees the stack memory of a block's arrays at its end. */
int hc_write_block(hc_device *d, hc_node *n)
{
    const char *top = d->s.top;
    uint32_t at = n->begin + 1;
    if (d->s.mode == HC_TEAM || !has_array(n))
        return 0;
    hc_puts(&d->w.out, "{");
    hc_write_top(d);
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        hc_write(&d->w, c);
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    d->s.top = top;
    return 1;
}

void hc_write_own_array(hc_device *d, const hc_decl *decl, const char *name)
{
    const hc_type *element = hc_flat_element(decl->type);
    hc_dev_putf(
        d, hc_is_array(element) ? "HEDDLE_OMP_VLA(__typeof__(%s), %s, %s, %s);" : "HEDDLE_OMP_VLA(%s, %s, %s, %s);",
        hc_type_text(d, element), name, hc_array_length(d, decl), d->s.top);
}

/* In team code on the stack of all threads; elsewhere on a thread's own. */
void hc_write_array(hc_device *d, hc_node *var)
{
    const hc_decl *decl = var->decl;
    const hc_type *element = hc_flat_element(decl->type);
    const char *name = hc_dev_name(decl->name);
    hc_write_bounds(d, decl);
    if (!hc_variable_of(d->s.code, decl) || d->s.mode != HC_TEAM) {
        hc_write_own_array(d, decl, name);
        return;
    }
    d->s.code->needs |= HC_NEEDS_THREAD | HC_NEEDS_APP | HC_NEEDS_TOP;
    d->s.code->is_deep = 1;
    hc_dev_putf(d, "%s = (%s)heddle_omp_push(hd_thread, &hd_params->head, &%s, sizeof(%s) * (size_t)(%s));",
                hc_declaration(d, hc_pointer_to(element), name), hc_type_text(d, hc_pointer_to(element)), d->s.top,
                hc_type_text(d, element), hc_array_length(d, decl));
}
