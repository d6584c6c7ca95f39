/* SPDX-License-Identifier: MIT */
/* host_loop.c - taskloop: the iterations of all its loops form one flattened space; each task gets a range of it. */
#include "host/host.h"

#include <string.h>

static char *step_text(hc_host *h, const hc_loop *l)
{
    char *step = l->step ? hc_host_operand(h, l->step) : "1";
    return hc_format(l->step_is_minus ? "-%s" : "%s", step);
}

/* The distance between two bounds; pointers count elements. */
static char *distance(const hc_loop *l, const char *from, const char *to)
{
    if (l->var->type->kind == HC_T_POINTER)
        return hc_format("%s - %s", to, from);
    return hc_format("(int64_t)%s - %s", to, from);
}

static void put_count(hc_host *h, uint32_t in, const hc_loop *l, uint32_t k)
{
    char *low = hc_format("hd_low_%u", k), *upper = hc_host_operand(h, l->upper);
    int is_down = l->test[0] == '>';
    const char *more = l->test[1] == '=' ? " + 1" : "";
    if (strcmp(l->test, "!=") == 0)
        hc_host_start(h, in, "const int64_t hd_n_%u = (%s) / hd_step_%u;", k, distance(l, low, upper), k);
    else if (is_down)
        hc_host_start(h, in, "const int64_t hd_n_%u = heddle_omp_count(-(%s)%s, -hd_step_%u);", k,
                      distance(l, low, upper), more, k);
    else
        hc_host_start(h, in, "const int64_t hd_n_%u = heddle_omp_count(%s%s, hd_step_%u);", k, distance(l, low, upper),
                      more, k);
}

static void put_space(hc_host *h, uint32_t in, const hc_task *t)
{
    for (uint32_t k = 0; k < t->n_loops; k++) {
        const hc_loop *l = &t->loops[k];
        hc_host_start(h, in, "%shd_low_%u = %s;", hc_host_type(l->var, l->var->name), k, hc_host_text(h, l->lower));
        hc_host_start(h, in, "const int64_t hd_step_%u = %s;", k, step_text(h, l));
        put_count(h, in, l, k);
    }
    hc_host_start(h, in, "const int64_t hd_n = hd_n_0");
    for (uint32_t k = 1; k < t->n_loops; k++)
        hc_putf(&h->w.out, " * hd_n_%u", k);
    hc_puts(&h->w.out, ";");
}

/* grainsize(strict: g): each task but the last has exactly g iterations. */
static int is_strict(const hc_task *t)
{
    const hc_clause *c = hc_clause_of(t->node->pragma, HC_C_GRAINSIZE);
    return c && c->word;
}

/* The number of tasks by the clauses. */
static char *tasks_text(hc_host *h, const hc_task *t, char *without)
{
    if (t->num_tasks)
        return hc_host_text(h, t->num_tasks);
    if (t->grainsize && is_strict(t))
        return "heddle_omp_count(hd_n, hd_grain)";
    if (t->grainsize)
        return hc_format("hd_n / %s", hc_host_operand(h, t->grainsize));
    return without;
}

static void put_number(hc_host *h, uint32_t in, const hc_task *t, char *without)
{
    if (is_strict(t))
        hc_host_start(h, in, "const int64_t hd_grain = %s;", hc_host_text(h, t->grainsize));
    hc_host_start(h, in, "const int64_t hd_n_tasks = heddle_omp_chunks(hd_n, %s);", tasks_text(h, t, without));
    hc_host_start(h, in, "for (int64_t hd_i = 0; hd_i < hd_n_tasks; hd_i++) {");
}

/* The iterations of task hd_i. If they do not divide evenly, the first tasks have one more. */
static void put_bounds(hc_host *h, uint32_t in, const hc_task *t, const char *to)
{
    if (is_strict(t)) {
        hc_host_start(h, in, "%shd_lb = hd_i * hd_grain;", to);
        hc_host_start(h, in, "%shd_ub = (hd_i + 1) * hd_grain < hd_n ? (hd_i + 1) * hd_grain : hd_n;", to);
    } else {
        hc_host_start(h, in, "%shd_lb = heddle_omp_begin_of(hd_n, hd_n_tasks, hd_i);", to);
        hc_host_start(h, in, "%shd_ub = heddle_omp_begin_of(hd_n, hd_n_tasks, hd_i + 1);", to);
    }
}

static void put_tasks(hc_host *h, uint32_t in, const hc_task *t)
{
    /* More tasks than workers. */
    put_number(h, in, t, hc_format("4 * (int64_t)heddle_omp_n_workers(&hd_%s_omp)", h->prog));
    hc_host_create(h, in + 4, t);
    for (uint32_t k = 0; k < t->n_loops; k++) {
        hc_host_start(h, in + 4, "hd_t->hd_low_%u = hd_low_%u;", k, k);
        hc_host_start(h, in + 4, "hd_t->hd_step_%u = hd_step_%u;", k, k);
        hc_host_start(h, in + 4, "hd_t->hd_n_%u = hd_n_%u;", k, k);
    }
    put_bounds(h, in + 4, t, "hd_t->");
    hc_host_start(h, in + 4, "hd_t->hd_last = hd_i + 1 == hd_n_tasks;");
    hc_host_fill(h, in + 4, t);
    hc_host_start(h, in, "}");
}

static int is_last(const hc_task *t, const hc_decl *d)
{
    const hc_capture *c = hc_capture_of(t, d);
    return c && c->is_lastprivate;
}

/* ---- run at once ------------------------------------------------------------------------------------------------- */

/* Whether each task would begin with its own copy of outer values. */
static int has_values(const hc_task *t)
{
    for (uint32_t i = 0; i < t->captures.n; i++)
        if (t->captures.at[i].how == HC_BY_VALUE && hc_needs_copy(t, &t->captures.at[i]))
            return 1;
    return 0;
}

static void put_variable(hc_host *h, uint32_t in, const hc_task *t, uint32_t k)
{
    hc_decl *v = t->loops[k].var;
    char *at = k + 1 < t->n_loops ? "hd_j / (1" : "hd_j";
    for (uint32_t i = k + 1; i < t->n_loops; i++)
        at = hc_format("%s * hd_n_%u%s", at, i, i + 1 < t->n_loops ? "" : ")");
    if (!is_last(t, v))
        hc_host_anew(h, in, v, 0);
    hc_host_start(h, in, "%s = hd_low_%u + %s %% hd_n_%u * hd_step_%u;", hc_host_variable(h, v), k, at, k, k);
}

/* The final values of the loops' variables. */
static void put_last(hc_host *h, uint32_t in, const hc_task *t)
{
    for (uint32_t k = 0; k < t->n_loops; k++)
        if (is_last(t, t->loops[k].var))
            hc_host_start(h, in, "%s = hd_low_%u + hd_n_%u * hd_step_%u;", hc_host_variable(h, t->loops[k].var), k, k,
                          k);
}

/* One task after the other. */
static void put_in_turn(hc_host *h, uint32_t in, const hc_task *t)
{
    uint32_t n_plain = h->plain.n;
    int outer = h->in_task;
    put_space(h, in, t);
    hc_host_final(h, in, t, 1);
    put_number(h, in, t, "1");
    put_bounds(h, in + 4, t, "const int64_t ");
    h->in_task = 1;
    hc_host_copies(h, in + 4, t);
    hc_host_start(h, in + 4, "for (int64_t hd_j = hd_lb; hd_j < hd_ub; hd_j++) {");
    for (uint32_t k = 0; k < t->n_loops; k++)
        put_variable(h, in + 8, t, k);
    hc_host_statement(h, t->loops[t->n_loops - 1].body, in + 8);
    h->in_task = outer;
    hc_host_plain_until(h, n_plain);
    hc_host_start(h, in + 4, "}");
    hc_host_start(h, in, "}");
    put_last(h, in, t);
    hc_host_final(h, in, t, 0);
}

/* The loops as they stand; their variables are private even if declared outside. */
static void put_inline(hc_host *h, uint32_t in, const hc_task *t)
{
    uint32_t n_plain = h->plain.n;
    if (t->n_loops && has_values(t)) {
        put_in_turn(h, in + 4, t);
        return;
    }
    for (uint32_t k = 0; k < t->n_loops; k++)
        if (!t->loops[k].declares && !is_last(t, t->loops[k].var))
            hc_host_anew(h, in + 4, t->loops[k].var, 0);
    hc_host_inline(h, in, t);
    hc_host_plain_until(h, n_plain);
}

void hc_host_inner(hc_host *h, hc_node *n, const hc_task *t)
{
    uint32_t in = hc_host_indent(n);
    hc_host_sync(h, n->begin);
    hc_host_start(h, in, "{ /* %s, at once */", hc_directive_words(n->pragma->directive));
    put_inline(h, in, t);
    hc_host_start(h, in, "}");
}

void hc_host_taskloop(hc_host *h, hc_node *n, const hc_task *t)
{
    uint32_t in = hc_host_indent(n);
    hc_host_sync(h, n->begin);
    hc_host_start(h, in, "if (heddle_omp_inside()) { /* taskloop %s */", t->label);
    if (t->if_expr && !t->if_expr->is_constant)
        hc_host_start(h, in + 4, "const int hd_deferred = (%s) != 0;", hc_host_text(h, t->if_expr));
    put_space(h, in + 4, t);
    put_tasks(h, in + 4, t);
    hc_host_undeferred(h, in + 4, t);
    if (hc_wait_of(h->p, n))
        hc_host_wait(h, in + 4, n);
    hc_host_start(h, in, "} else {");
    put_inline(h, in, t);
    hc_host_start(h, in, "}");
}
