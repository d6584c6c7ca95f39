/* SPDX-License-Identifier: MIT */
/* device_atomic.c - atomic constructs: the hardware's operation if there is one, else a compare-and-swap loop. */
#include "device/device.h"

#include <string.h>

/* x becomes `value`; v gets the old or the new x. */
typedef struct change {
    hc_node *x, *v, *operand; /* v NULL: not wanted; operand NULL: 1 */
    const char *op;           /* "+" ...; "=": x becomes operand */
    int x_is_right;           /* operand op x */
    int wants_new;
} change;

/* ---- the forms --------------------------------------------------------------------------------------------------- */

static hc_node *bare(hc_node *n)
{
    while (n->kind == HC_N_PAREN)
        n = n->first;
    return n;
}

/* Whether both are the same lvalue, judged by the text. */
static int is_same_place(const hc_node *a, const hc_node *b)
{
    const char *s = a->unit->text.bytes, *t = b->unit->text.bytes;
    uint32_t i = a->begin, k = b->begin;
    for (;;) {
        while (i < a->end && strchr(" \t\n();", s[i]))
            i++;
        while (k < b->end && strchr(" \t\n();", t[k]))
            k++;
        if (i >= a->end || k >= b->end)
            return i >= a->end && k >= b->end;
        if (s[i++] != t[k++])
            return 0;
    }
}

static const char *without_equals(const char *op) { return hc_copy(op, strlen(op) - 1); }

/* x++, x op= e, x = x op e, x = e op x, and with_any: x = e. */
static int take_change(hc_node *n, change *c, int with_any)
{
    hc_node *sum;
    n = bare(n);
    c->x = hc_changed_by(n);
    if (!c->x)
        return -1;
    if (n->kind == HC_N_UNARY) {
        c->op = strstr(n->op, "++") ? "+" : "-";
        c->wants_new = n->op[0] != 'p';
        return 0;
    }
    c->wants_new = 1;
    c->operand = n->last;
    if (strcmp(n->op, "=") != 0) {
        c->op = without_equals(n->op);
        return 0;
    }
    sum = bare(n->last);
    c->op = "=";
    if (sum->kind == HC_N_BINARY && (is_same_place(sum->first, c->x) || is_same_place(sum->last, c->x))) {
        c->x_is_right = !is_same_place(sum->first, c->x);
        c->operand = c->x_is_right ? sum->first : sum->last;
        c->op = sum->op;
        return 0;
    }
    return with_any ? 0 : -1;
}

/* v = (a change). */
static int take_capture(hc_node *n, change *c)
{
    n = bare(n);
    if (n->kind != HC_N_ASSIGN || strcmp(n->op, "=") != 0)
        return -1;
    c->v = n->first;
    return take_change(n->last, c, 1);
}

/* { v = x; change } or { change; v = x; } */
static int take_captures(hc_node *block, change *c)
{
    hc_node *a = block->first, *b = a ? a->next : NULL;
    int is_first;
    if (!b || b->next || !hc_is_expression(a) || !hc_is_expression(b))
        return -1;
    a = bare(a);
    b = bare(b);
    /* In the reading assignment the other statement's x is the whole right side. */
    is_first =
        a->kind == HC_N_ASSIGN && !strcmp(a->op, "=") && hc_changed_by(b) && is_same_place(a->last, hc_changed_by(b));
    if (take_change(is_first ? b : a, c, 1))
        return -1;
    a = is_first ? a : b;
    if (a->kind != HC_N_ASSIGN || strcmp(a->op, "=") != 0 || !is_same_place(a->last, c->x))
        return -1;
    c->v = a->first;
    c->wants_new = !is_first;
    return 0;
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static int is_ordered(const hc_node *n)
{
    return hc_clause_of(n->pragma, HC_C_SEQ_CST) || hc_clause_of(n->pragma, HC_C_ACQ_REL) ||
           hc_clause_of(n->pragma, HC_C_ACQUIRE) || hc_clause_of(n->pragma, HC_C_RELEASE);
}

/* The function of openmp_task.h that returns the old value; NULL: none for this operation. */
static char *fetch_name(const change *c, const hc_type *t)
{
    static const char *const names[][2] = {{"+", "add"}, {"-", "add"}, {"&", "and"}, {"|", "or"}, {"^", "xor"}};
    unsigned bits = (unsigned)t->size * 8;
    if (c->x_is_right && !strcmp(c->op, "-"))
        return NULL;
    if (t->kind == HC_T_FLOATING)
        return strchr("+-", c->op[0]) && !c->op[1] ? hc_format("heddle_omp_add_f%u", bits) : NULL;
    for (size_t i = 0; t->kind == HC_T_INTEGER && i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i][0], c->op))
            return hc_format("heddle_omp_%s_%u", names[i][1], bits);
    return NULL;
}

static char *operand_text(hc_device *d, const change *c)
{
    return c->operand ? hc_dev_text(d, c->operand) : hc_copy("1", 1);
}

static char *new_value(const change *c, const char *old, const char *operand)
{
    if (!strcmp(c->op, "="))
        return hc_format("%s", operand);
    if (c->x_is_right)
        return hc_format("(%s) %s %s", operand, c->op, old);
    return hc_format("%s %s (%s)", old, c->op, operand);
}

static void write_fetch(hc_device *d, const change *c, const char *fetch, int ordered)
{
    const hc_type *t = hc_unqualified(c->x->type);
    const char *type = hc_type_text(d, t), *x = hc_dev_text(d, c->x), *operand = operand_text(d, c);
    const char *word = t->kind == HC_T_FLOATING ? type : t->size == 4 ? "uint32_t" : "uint64_t";
    char *call =
        hc_format("%s((%s *)&%s, (%s)%s(%s), %d)", fetch, word, x, word, c->op[0] == '-' ? "-" : "", operand, ordered);
    if (!c->v)
        hc_dev_putf(d, "%s;", call);
    else if (!c->wants_new)
        hc_dev_putf(d, "%s = (%s)%s;", hc_dev_text(d, c->v), type, call);
    else
        hc_dev_putf(d, "%s = (%s)(%s);", hc_dev_text(d, c->v), type,
                    new_value(c, hc_format("(%s)%s", type, call), operand));
}

static void write_update(hc_device *d, const change *c, int ordered)
{
    const hc_type *t = hc_unqualified(c->x->type);
    char *fetch = fetch_name(c, t);
    const char *then = "(void)0";
    if (fetch) {
        write_fetch(d, c, fetch, ordered);
        return;
    }
    if (c->v)
        then = hc_format("%s = %s", hc_dev_text(d, c->v), c->wants_new ? "hd_new" : "hd_old");
    hc_dev_putf(d, "HEDDLE_OMP_UPDATE(%s, %u, &%s, %s, %s, %d);", hc_type_text(d, t), (unsigned)t->size * 8,
                hc_dev_text(d, c->x), new_value(c, "hd_old", operand_text(d, c)), then, ordered);
}

/* v = x */
static int write_read(hc_device *d, hc_node *n, int ordered)
{
    if (n->kind != HC_N_ASSIGN || strcmp(n->op, "=") != 0)
        return -1;
    hc_dev_putf(d, "HEDDLE_OMP_READ(%s, %u, &%s, %s, %d);", hc_type_text(d, hc_unqualified(n->last->type)),
                (unsigned)n->last->type->size * 8, hc_dev_text(d, n->last), hc_dev_text(d, n->first), ordered);
    return 0;
}

/* x = e */
static int write_write(hc_device *d, hc_node *n, int ordered)
{
    if (n->kind != HC_N_ASSIGN || strcmp(n->op, "=") != 0)
        return -1;
    hc_dev_putf(d, "HEDDLE_OMP_WRITE(%s, %u, &%s, %s, %d);", hc_type_text(d, hc_unqualified(n->first->type)),
                (unsigned)n->first->type->size * 8, hc_dev_text(d, n->first), hc_dev_text(d, n->last), ordered);
    return 0;
}

static int is_possible(const hc_node *x)
{
    const hc_type *t = x && x->type ? x->type : NULL;
    return t && (hc_is_number(t) || t->kind == HC_T_POINTER) && (t->size == 4 || t->size == 8);
}

static int write_form(hc_device *d, hc_node *n, hc_node *body)
{
    int ordered = is_ordered(n), is_capture = hc_clause_of(n->pragma, HC_C_CAPTURE) != NULL;
    change c = {0};
    if (hc_clause_of(n->pragma, HC_C_READ))
        return is_possible(body->last) ? write_read(d, body, ordered) : -1;
    if (hc_clause_of(n->pragma, HC_C_WRITE))
        return is_possible(body->first) ? write_write(d, body, ordered) : -1;
    if (body->kind == HC_N_BLOCK ? take_captures(body, &c)
        : is_capture             ? take_capture(body, &c)
                                 : take_change(body, &c, 0))
        return -1;
    if (!is_possible(c.x))
        return -1;
    write_update(d, &c, ordered);
    return 0;
}

void hc_write_atomic(hc_device *d, hc_node *n)
{
    hc_node *body = n->body;
    while (body->kind == HC_N_BLOCK && body->first && body->first == body->last)
        body = body->first;
    hc_dev_indent(d, n->body);
    hc_puts(&d->w.out, "/* atomic */");
    hc_write_text(&d->w, n->unit, n->pragma->at.end, n->body->begin);
    if (write_form(d, n, bare(body)))
        HC_REFUSE(152, n,
                  "atomic is on numbers of 32 or 64 bits, with x++, x op= e, x = x op e, v = x, x = e, or a capture of "
                  "one of them");
}
