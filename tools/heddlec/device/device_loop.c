/* SPDX-License-Identifier: MIT */
/* device_loop.c - loops of work-sharing constructs and of taskloops. */
#include "device/device.h"

#include <string.h>

/* ---- one loop ---------------------------------------------------------------------------------------------------- */

/* A loop in the form of the macros of openmp_task.h: a variable of type int or wider that counts up (or down, if it is
 * the only one). For other loops an index counts, and the variable is computed from it. */
typedef struct form {
    const hc_loop *loop;
    const char *name, *type, *lower, *upper, *step;
    int is_index, is_down;
    const char *value; /* of the variable, if computed */
} form;

static int has_negative_step(const hc_loop *l)
{
    int is_negative = l->step && l->step->is_constant && l->step->value < 0;
    return l->step_is_minus ? !is_negative : is_negative;
}

static int counts_down(const hc_loop *l) { return l->test[0] == '>' || (l->test[0] == '!' && has_negative_step(l)); }

static char *step_text(hc_device *d, const hc_loop *l)
{
    char *step = l->step ? hc_dev_text(d, l->step) : hc_copy("1", 1);
    if (l->step && l->step->is_constant)
        return hc_format("%lld", (long long)(l->step->value < 0 ? -l->step->value : l->step->value));
    return hc_format(l->step_is_minus == counts_down(l) ? "%s" : "-(%s)", step);
}

static char *upper_text(hc_device *d, const hc_loop *l)
{
    const char *upper = hc_dev_text(d, l->upper);
    if (l->test[0] != '!' && l->test[1] == '=')
        return hc_format(l->test[0] == '<' ? "(%s) + 1" : "(%s) - 1", upper);
    return hc_format("%s", upper);
}

static form form_of(hc_device *d, const hc_loop *l, int is_only)
{
    const hc_type *t = l->var->type;
    form f = {.loop = l, .name = hc_dev_name(l->var->name), .is_down = counts_down(l)};
    const char *low = hc_dev_text(d, l->lower), *up = upper_text(d, l);
    int is_pointer = t->kind == HC_T_POINTER;
    f.step = step_text(d, l);
    if (t->kind == HC_T_INTEGER && (t->size == 4 || t->size == 8) && (is_only || !f.is_down)) {
        f.type = hc_type_text(d, hc_unqualified(t));
        f.lower = low;
        f.upper = up;
        return f;
    }
    f.is_index = 1;
    f.type = "int64_t";
    f.lower = "0";
    f.upper = hc_format(is_pointer ? "(%s) - (%s)" : "(int64_t)(%s) - (int64_t)(%s)", f.is_down ? low : up,
                        f.is_down ? up : low);
    f.value =
        hc_format("(%s)((%s) %c hd_i_%s)", hc_type_text(d, hc_unqualified(t)), low, f.is_down ? '-' : '+', f.name);
    f.name = hc_format("hd_i_%s", f.name);
    f.is_down = 0;
    return f;
}

static char *trips_text(const form *f)
{
    return hc_format("HEDDLE_OMP_TRIPS(%s, %s, %s)", f->is_down ? f->upper : f->lower, f->is_down ? f->lower : f->upper,
                     f->step);
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

#define MOST_TOGETHER 3

/* Newlines of the omitted text, then the indentation of what follows. */
static void put_gap(hc_device *d, const hc_node *from, const hc_node *to)
{
    const char *s = from->unit->text.bytes;
    uint32_t n_lines = 0;
    for (uint32_t at = from->begin; at < to->begin; at++)
        n_lines += s[at] == '\n';
    for (uint32_t i = 0; i < n_lines; i++)
        hc_puts(&d->w.out, "\n");
    if (n_lines)
        hc_dev_indent(d, to);
    else
        hc_puts(&d->w.out, " ");
}

static int is_wide(const form *f) { return f->is_index || f->loop->var->type->size == 8; }

static void write_header(hc_device *d, const form *f, uint32_t n)
{
    int bits = 32;
    for (uint32_t i = 0; i < n; i++)
        bits = is_wide(&f[i]) ? 64 : bits;
    if (n == 1)
        hc_dev_putf(d, "HEDDLE_OMP_%s(", f->is_down ? "DOWN" : "FOR");
    else
        hc_dev_putf(d, "HEDDLE_OMP_FOR%u(%d, ", n, bits);
    for (uint32_t i = 0; i < n; i++) {
        hc_dev_putf(d, "%s, %s, %s, %s, %s", f[i].type, f[i].name, f[i].lower, f[i].upper, f[i].step);
        if (i + 1 < n) {
            hc_puts(&d->w.out, ",");
            put_gap(d, f[i].loop->node, f[i + 1].loop->node);
        }
    }
    hc_puts(&d->w.out, ")");
}

/* ---- shared out -------------------------------------------------------------------------------------------------- */

static void write_shared_body(hc_device *d, const form *f, uint32_t n, hc_node *body)
{
    hc_scene outer = d->s;
    int has_value = 0;
    d->s.mode = HC_THREAD;
    for (uint32_t i = 0; i < n; i++)
        if (f[i].value) {
            hc_dev_putf(d, "%s%s = %s;", has_value ? " " : " { ",
                        hc_declaration(d, hc_unqualified(f[i].loop->var->type), hc_dev_name(f[i].loop->var->name)),
                        f[i].value);
            has_value = 1;
        }
    put_gap(d, f[n - 1].loop->node, body);
    hc_write(&d->w, body);
    hc_puts(&d->w.out, has_value ? " }" : "");
    d->s.mode = outer.mode;
}

/* Each thread runs loops beyond the third by itself. */
static void write_shared(hc_device *d, hc_node *directive, hc_copies *c)
{
    uint32_t n = c->n_loops < MOST_TOGETHER ? c->n_loops : MOST_TOGETHER;
    hc_directive k = directive->pragma->directive;
    form f[MOST_TOGETHER];
    for (uint32_t i = 0; i < n; i++)
        f[i] = form_of(d, &c->loops[i], n == 1);
    hc_dev_trim(d);
    hc_write_text(&d->w, directive->unit, directive->pragma->at.end, c->loops[0].node->begin);
    if ((k == HC_FOR_SIMD || k == HC_PARALLEL_FOR_SIMD) && n == 1)
        hc_puts(&d->w.out, "HEDDLE_OMP_SIMD ");
    write_header(d, f, n);
    for (uint32_t i = 0; i < c->n_loops; i++)
        hc_push_name(d, c->loops[i].var, hc_dev_name(c->loops[i].var->name), 0);
    for (uint32_t i = n; i < c->n_loops; i++)
        if (!c->loops[i].declares)
            hc_dev_putf(d, " { %s;",
                        hc_declaration(d, hc_unqualified(c->loops[i].var->type), hc_dev_name(c->loops[i].var->name)));
    write_shared_body(d, f, n, c->loops[n - 1].body);
    for (uint32_t i = n; i < c->n_loops; i++)
        hc_puts(&d->w.out, c->loops[i].declares ? "" : " }");
}

/* ---- by one thread ----------------------------------------------------------------------------------------------- */

/* The loop as it stands, with a private variable unless it is a plain simd loop. */
static void write_plain(hc_device *d, hc_node *directive, hc_copies *c)
{
    hc_directive k = directive->pragma->directive;
    int is_simd = k == HC_SIMD || k == HC_FOR_SIMD || k == HC_PARALLEL_FOR_SIMD;
    for (uint32_t i = 0; i < c->n_loops && k != HC_SIMD; i++) {
        const hc_decl *var = c->loops[i].var;
        if (c->loops[i].declares || hc_lists(directive, HC_C_LASTPRIVATE, var))
            continue;
        hc_dev_putf(d, "%s; ", hc_declaration(d, hc_unqualified(var->type), hc_dev_name(var->name)));
        hc_push_name(d, var, hc_dev_name(var->name), 0);
    }
    hc_dev_trim(d);
    hc_write_text(&d->w, directive->unit, directive->pragma->at.end, directive->body->begin);
    if (is_simd && directive->body->kind == HC_N_FOR && !hc_clause_of(directive->pragma, HC_C_SAFELEN))
        hc_puts(&d->w.out, "HEDDLE_OMP_SIMD ");
    hc_write(&d->w, directive->body);
}

void hc_write_loop(hc_device *d, hc_node *directive, hc_copies *c)
{
    if (c->is_shared_out)
        write_shared(d, directive, c);
    else
        write_plain(d, directive, c);
}

int hc_take_loops(hc_node *directive, hc_copies *c)
{
    hc_node *collapse = hc_clause_expr(directive, HC_C_COLLAPSE);
    uint32_t n = collapse && collapse->is_constant && collapse->value > 0 ? (uint32_t)collapse->value : 1;
    if (n > sizeof c->loops / sizeof *c->loops) {
        HC_REFUSE(130, collapse, "more than %zu loops in collapse", sizeof c->loops / sizeof *c->loops);
        return -1;
    }
    c->n_loops = n;
    return hc_canonical_loops(directive->body, c->loops, n);
}

char *hc_has_last_text(hc_device *d, const hc_copies *c)
{
    uint32_t n = c->n_loops < MOST_TOGETHER ? c->n_loops : MOST_TOGETHER;
    hc_buf b = {0};
    form f = form_of(d, &c->loops[0], n == 1);
    hc_putf(&b, "HEDDLE_OMP_HAS_LAST(%s, 1", trips_text(&f));
    for (uint32_t i = 1; i < n; i++) {
        f = form_of(d, &c->loops[i], 0);
        hc_putf(&b, " * %s", trips_text(&f));
    }
    hc_puts(&b, ")");
    return b.at;
}

/* The value of a loop's variable after the loop. */
char *hc_final_text(hc_device *d, const hc_loop *l)
{
    form f = form_of(d, l, 1);
    return hc_format("(%s)((%s) %c %s * (%s))", hc_type_text(d, hc_unqualified(l->var->type)), hc_dev_text(d, l->lower),
                     counts_down(l) ? '-' : '+', trips_text(&f), f.step);
}

/* ---- taskloop ---------------------------------------------------------------------------------------------------- */

/* Iteration hd_k of the flattened space, by division; the outermost loop needs no remainder. */
static char *index_text(const hc_task *t, uint32_t k)
{
    hc_buf b = {0};
    hc_puts(&b, "hd_k");
    for (uint32_t i = t->n_loops - 1; i > k; i--)
        hc_putf(&b, " / hd_t->hd_n_%u", i);
    if (k > 0)
        hc_putf(&b, " %% hd_t->hd_n_%u", k);
    return b.at;
}

static int is_simple(const hc_loop *l)
{
    const hc_type *t = l->var->type;
    return !counts_down(l) && (!l->step || l->step->is_constant) && t->kind == HC_T_INTEGER && t->size >= 4 &&
           t->size <= 8;
}

/* One loop that counts up by a constant: the same loop with other bounds. */
static void write_simple_chunk(hc_device *d, const hc_loop *l)
{
    const char *type = hc_type_text(d, hc_unqualified(l->var->type)), *name = hc_dev_name(l->var->name);
    char *step = step_text(d, l);
    hc_dev_putf(
        d, "for (%s %s = (%s)(hd_t->hd_low_0 + hd_t->hd_lb * %s), hd_end_%s = (%s)(hd_t->hd_low_0 + hd_t->hd_ub * %s);",
        type, name, type, step, name, type, step);
    hc_dev_putf(d, " %s < hd_end_%s; %s += %s)", name, name, name, step);
}

void hc_write_chunk(hc_device *d, const hc_task *t)
{
    if (t->n_loops == 1 && is_simple(&t->loops[0])) {
        write_simple_chunk(d, &t->loops[0]);
        hc_puts(&d->w.out, " { ");
        return;
    }
    hc_puts(&d->w.out, "for (int64_t hd_k = hd_t->hd_lb; hd_k < hd_t->hd_ub; hd_k++) { ");
    for (uint32_t i = 0; i < t->n_loops; i++) {
        const hc_decl *var = t->loops[i].var;
        hc_dev_putf(d, "%s = (%s)(hd_t->hd_low_%u + %s * hd_t->hd_step_%u); ",
                    hc_declaration(d, hc_unqualified(var->type), hc_dev_name(var->name)),
                    hc_type_text(d, hc_unqualified(var->type)), i, index_text(t, i), i);
    }
}
