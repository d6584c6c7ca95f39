/* SPDX-License-Identifier: MIT */
/* host_task.c - a task: inside a region its record is filled and its dependences are passed on. Elsewhere its statement
 * runs at once, as OpenMP specifies for a task outside parallel regions. */
#include "host/host.h"

/* ---- the argument record ----------------------------------------------------------------------------------------- */

/* A[0][0] with n zeros. */
static char *inner(const char *x, uint32_t n)
{
    hc_buf b = {0};
    hc_puts(&b, x);
    while (n-- > 0)
        hc_puts(&b, "[0]");
    return b.at;
}

static void put_bounds(hc_host *h, uint32_t in, const hc_capture *c, const char *x)
{
    for (uint32_t i = 1; i <= c->n_bounds; i++)
        hc_host_start(h, in, "hd_t->%s_%u = sizeof %s / sizeof %s;", c->field, i, inner(x, i), inner(x, i + 1));
}

static void put_capture(hc_host *h, uint32_t in, const hc_capture *c)
{
    const hc_type *t = c->decl->type;
    char *x = hc_host_variable(h, c->decl);
    int is_slot = x[0] == '(';
    if (c->how == HC_PRIVATE && c->n_bounds == 0)
        return;
    if (c->how == HC_BY_VALUE && t->kind == HC_T_VLA)
        hc_host_start(h, in, "hd_t->%s = __builtin_memcpy(heddle_omp_slot(sizeof %s), %s, sizeof %s);", c->field, x, x,
                      x);
    else if (c->how != HC_PRIVATE && (c->n_bounds > 0 || t->kind == HC_T_VLA))
        hc_host_start(h, in, "hd_t->%s = (void *)%s;", c->field, x);
    else if (c->how == HC_BY_REFERENCE && is_slot)
        hc_host_start(h, in, "hd_t->%s = (void *)hd_slot_%s;", c->field, c->decl->name);
    else if (c->how == HC_BY_REFERENCE)
        hc_host_start(h, in, "hd_t->%s = (void *)&%s;", c->field, x);
    else if (hc_is_array(t))
        hc_host_start(h, in, "__builtin_memcpy(hd_t->%s, %s, sizeof %s);", c->field, x, x);
    else
        hc_host_start(h, in, "hd_t->%s = %s;", c->field, x);
    put_bounds(h, in, c, x);
}

void hc_host_fill(hc_host *h, uint32_t in, const hc_task *t)
{
    for (uint32_t i = 0; i < t->captures.n; i++)
        put_capture(h, in, &t->captures.at[i]);
    for (uint32_t i = 0; i < t->depends.n; i++)
        hc_host_depend(h, in, &t->depends.at[i]);
    if (t->final)
        hc_host_start(h, in, "hd_t->hd_final = (%s) != 0;", hc_host_text(h, t->final));
}

/* ---- the statement, run at once ---------------------------------------------------------------------------------- */

void hc_host_final(hc_host *h, uint32_t in, const hc_task *t, int begins)
{
    if (!t->final || !h->p->asks_final)
        return;
    if (begins)
        hc_host_start(h, in, "const int hd_final = (%s) != 0;", hc_host_text(h, t->final));
    hc_host_start(h, in, "heddle_omp_final(%shd_final);", begins ? "" : "-");
}

void hc_host_copies(hc_host *h, uint32_t in, const hc_task *t)
{
    for (uint32_t i = 0; i < t->captures.n; i++)
        if (hc_needs_copy(t, &t->captures.at[i]))
            hc_host_anew(h, in, t->captures.at[i].decl, t->captures.at[i].how == HC_BY_VALUE);
}

void hc_host_inline(hc_host *h, uint32_t in, const hc_task *t)
{
    uint32_t n_plain = h->plain.n;
    int outer = h->in_task;
    hc_host_final(h, in + 4, t, 1);
    h->in_task = 1;
    hc_host_copies(h, in + 4, t);
    hc_host_statement(h, t->statement, in + 4);
    h->in_task = outer;
    hc_host_plain_until(h, n_plain);
    hc_host_final(h, in + 4, t, 0);
}

/* ---- the task ---------------------------------------------------------------------------------------------------- */

static char *priority(hc_host *h, const hc_task *t) { return t->priority ? hc_host_text(h, t->priority) : "0"; }

void hc_host_create(hc_host *h, uint32_t in, const hc_task *t)
{
    hc_host_start(h, in, "struct hd_%s_args *hd_t = heddle_omp_task(hd_%s, %s);", t->name, t->name, priority(h, t));
}

/* if(e): an undeferred task has run before the host goes on. */
void hc_host_undeferred(hc_host *h, uint32_t in, const hc_task *t)
{
    const hc_node *e = t->if_expr;
    if (e && !e->is_constant)
        hc_host_sync_call(h, in, "if (!hd_deferred) ");
    else if (e && !e->value)
        hc_host_sync_call(h, in, "");
}

void hc_host_task(hc_host *h, hc_node *n, const hc_task *t)
{
    uint32_t in = hc_host_indent(n);
    hc_host_sync(h, n->begin);
    hc_host_start(h, in, "{ /* task %s */", t->label);
    if (t->if_expr && !t->if_expr->is_constant)
        hc_host_start(h, in + 4, "const int hd_deferred = (%s) != 0;", hc_host_text(h, t->if_expr));
    if (t->is_between_barriers)
        hc_host_start(h, in + 4, "heddle_omp_barrier(); /* depend(inout: omp_all_memory) */");
    hc_host_create(h, in + 4, t);
    hc_host_start(h, in + 4, "if (hd_t) {");
    hc_host_fill(h, in + 8, t);
    if (t->is_between_barriers)
        hc_host_start(h, in + 8, "heddle_omp_barrier();");
    hc_host_undeferred(h, in + 8, t);
    hc_host_start(h, in + 4, "} else {");
    hc_host_inline(h, in + 4, t);
    hc_host_start(h, in + 4, "}");
    hc_host_start(h, in, "}");
}
