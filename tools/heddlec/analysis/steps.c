/* SPDX-License-Identifier: MIT */
/* steps.c - from the statements of a region to the steps of its flow. */
#include "analysis/flow.h"

#include <ctype.h>
#include <string.h>

#define MOST_STEPS 50000u

/* A function during its expansion into steps. */
typedef struct frame {
    const hc_fn *fn;
    const hc_node *call; /* NULL: the region's own function */
    struct frame *up;
    uint32_t entry, exit;
    HC_LIST(struct label {
        const char *name;
        size_t n;
        uint32_t step;
    })
    labels;
} frame;

typedef struct maker {
    hc_flow *f;
    frame *in;
    uint32_t behind_break, behind_continue, head_of_switch;
    int has_default;
} maker;

static uint32_t put(maker *m, hc_node *n, uint32_t at);

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static uint32_t new_step(maker *m, hc_step_kind kind, hc_node *n)
{
    hc_step *s = HC_ADD(&m->f->steps);
    s->kind = kind;
    s->node = n;
    return m->f->steps.n - 1;
}

static void link(maker *m, uint32_t from, uint32_t to)
{
    *HC_ADD(&m->f->steps.at[from].next) = to;
    *HC_ADD(&m->f->steps.at[to].before) = from;
}

static uint32_t follow(maker *m, uint32_t at, hc_step_kind kind, hc_node *n)
{
    uint32_t s = new_step(m, kind, n);
    link(m, at, s);
    return s;
}

/* A step that nothing leads to. */
static uint32_t nowhere(maker *m) { return new_step(m, HC_STEP_ACCESS, NULL); }

/* ---- objects of the region's function ---------------------------------------------------------------------------- */

static void resolve(const maker *m, const frame *in, hc_object o, hc_objects *out)
{
    hc_objects l = {0};
    if (!in->call || !o.root || o.root->kind != HC_N_PARAM || !o.depth) {
        hc_add_object(out, o);
        return;
    }
    hc_pass(m->f->p, in->fn, in->call, o, &l);
    for (uint32_t i = 0; i < l.n; i++)
        resolve(m, in->up, l.at[i], out);
}

static void add_accesses(const maker *m, hc_access a, hc_accesses *out)
{
    hc_objects l = {0};
    resolve(m, m->in, a.at, &l);
    for (uint32_t i = 0; i < l.n; i++) {
        a.at = l.at[i];
        *HC_ADD(out) = a;
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* Whether n may be skipped when the outer expression is evaluated. */
static int is_conditional(const hc_node *n, const hc_node *outer)
{
    for (; n != outer; n = n->parent)
        if (n != n->parent->first &&
            (n->parent->kind == HC_N_CONDITION || !strcmp(n->parent->op ? n->parent->op : "", "&&") ||
             !strcmp(n->parent->op ? n->parent->op : "", "||")))
            return 1;
    return 0;
}

static frame *on_stack(const maker *m, const hc_fn *fn)
{
    for (frame *f = m->in; f; f = f->up)
        if (f->fn == fn && f->call)
            return f;
    return NULL;
}

static void put_callee(maker *m, const hc_fn *fn, hc_node *call, uint32_t at, uint32_t behind)
{
    frame *known = on_stack(m, fn);
    frame in = {.fn = fn, .call = call, .up = m->in};
    maker inner = {.f = m->f, .in = &in};
    if (known) {
        link(m, at, known->entry);
        link(m, known->exit, behind);
        return;
    }
    in.entry = follow(m, at, HC_STEP_ACCESS, NULL);
    in.exit = new_step(m, HC_STEP_ACCESS, NULL);
    link(m, in.exit, behind);
    link(m, put(&inner, fn->node->body, in.entry), in.exit);
}

static uint32_t put_call(maker *m, hc_node *call, uint32_t at, int is_conditional)
{
    hc_call c = {call, call->decl};
    uint32_t behind = new_step(m, HC_STEP_ACCESS, NULL);
    const hc_fn *fn;
    m->f->is_cut |= m->f->steps.n > MOST_STEPS;
    for (uint32_t i = 0; !m->f->is_cut && (fn = hc_callee(m->f->p, &c, i)) != NULL; i++)
        if (fn->takes_part)
            put_callee(m, fn, call, at, behind);
        else
            is_conditional = 1;
    if (is_conditional || m->f->is_cut)
        link(m, at, behind);
    return behind;
}

static uint32_t put_accesses(maker *m, const hc_summary *s, hc_node *n, uint32_t at, int reads, int writes)
{
    uint32_t step = follow(m, at, HC_STEP_ACCESS, n);
    hc_accesses all = {0};
    for (uint32_t i = 0; i < s->accesses.n; i++)
        if (s->accesses.at[i].is_write ? writes : reads)
            add_accesses(m, s->accesses.at[i], &all);
    m->f->steps.at[step].accesses = all;
    if (writes) {
        m->f->steps.at[step].output = s->output;
        m->f->steps.at[step].time = s->time;
    }
    return step;
}

/* Calls that create tasks or wait, inner ones first. */
typedef HC_LIST(hc_node *) nodes;
static void find_parts(const maker *m, hc_node *n, nodes *out)
{
    for (hc_node *c = n->first; c; c = c->next)
        find_parts(m, c, out);
    if (n->kind == HC_N_CALL && hc_call_takes_part(m->f->p, n))
        *HC_ADD(out) = n;
}

static uint32_t put_value(maker *m, hc_node *n, uint32_t at)
{
    hc_summary s = hc_summary_of(m->f->p, n, 1);
    nodes parts = {0};
    find_parts(m, n, &parts);
    at = put_accesses(m, &s, n, at, 1, !parts.n);
    for (uint32_t i = 0; i < parts.n; i++)
        at = put_call(m, parts.at[i], at, is_conditional(parts.at[i], n));
    return parts.n ? put_accesses(m, &s, n, at, 0, 1) : at;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static uint32_t new_instance(maker *m, const hc_task *t)
{
    const hc_summary *s = hc_task_summary(m->f->p, t);
    hc_instance x = {.task = t};
    for (uint32_t i = 0; i < s->accesses.n; i++) {
        hc_access a = s->accesses.at[i];
        const hc_capture *c = a.at.root && !a.at.depth ? hc_capture_of(t, a.at.root) : NULL;
        if (c && c->is_shared && c->how == HC_BY_VALUE)
            *HC_ADD(&x.copied) = a;
        else if (c ? c->is_shared || c->is_lastprivate : !a.at.root || a.at.depth || !hc_is_loop_variable(t, a.at.root))
            add_accesses(m, a, &x.accesses);
    }
    *HC_ADD(&m->f->instances) = x;
    return m->f->instances.n - 1;
}

/* The expressions that the host evaluates to create the task. */
static uint32_t put_creation(maker *m, const hc_task *t, uint32_t at)
{
    hc_summary s = hc_clause_summary(m->f->p, t->node);
    for (uint32_t i = 0; i < t->captures.n; i++) {
        const hc_capture *c = &t->captures.at[i];
        if (c->how == HC_BY_VALUE && !c->is_shared && !hc_lists(t->node, HC_C_FIRSTPRIVATE, c->decl))
            *HC_ADD(&s.accesses) = (hc_access){.at = {c->decl, 0}, .node = t->node};
    }
    at = put_accesses(m, &s, t->node, at, 1, 1);
    for (uint32_t i = 0; i < t->n_loops; i++) {
        at = put_value(m, t->loops[i].lower, at);
        at = put_value(m, t->loops[i].upper, at);
        at = t->loops[i].step ? put_value(m, t->loops[i].step, at) : at;
    }
    return at;
}

static uint32_t put_wait(maker *m, hc_node *n, uint32_t at)
{
    hc_wait *wait = hc_wait_of(m->f->p, n);
    if (!wait)
        return at;
    at = follow(m, at, HC_STEP_WAIT, n);
    m->f->steps.at[at].wait = wait;
    return at;
}

static uint32_t put_task(maker *m, hc_node *n, uint32_t at)
{
    const hc_task *t = hc_task_of(m->f->p, n);
    uint32_t instance;
    if (!t)
        return at;
    at = put_creation(m, t, at);
    instance = new_instance(m, t);
    at = follow(m, at, HC_STEP_TASK, n);
    m->f->steps.at[at].instance = instance;
    if (t->if_expr && !(t->if_expr->is_constant && t->if_expr->value))
        at = follow(m, at, t->if_expr->is_constant ? HC_STEP_SYNC : HC_STEP_MAYBE, n);
    return put_wait(m, n, at);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static uint32_t put_if(maker *m, hc_node *n, uint32_t at)
{
    uint32_t other, end = new_step(m, HC_STEP_ACCESS, NULL);
    at = put_value(m, n->test, at);
    other = n->other ? put(m, n->other, at) : at;
    at = put(m, n->body, at);
    link(m, at, end);
    link(m, other, end);
    return end;
}

/* for, while and do: the test stands before the body, or behind it. */
static uint32_t put_loop(maker *m, hc_node *n, uint32_t at)
{
    maker inner = *m;
    uint32_t end = inner.behind_break = new_step(m, HC_STEP_ACCESS, NULL), begin, top;
    inner.behind_continue = new_step(m, HC_STEP_ACCESS, NULL);
    if (n->init)
        at = put(m, n->init, at);
    top = begin = follow(m, at, HC_STEP_ACCESS, NULL);
    if (n->test && n->kind != HC_N_DO) {
        begin = put_value(m, n->test, begin);
        link(m, begin, end);
    }
    link(m, put(&inner, n->body, begin), inner.behind_continue);
    at = inner.behind_continue;
    if (n->step)
        at = put_value(m, n->step, at);
    if (n->test && n->kind == HC_N_DO) {
        at = put_value(m, n->test, at);
        link(m, at, end);
    }
    link(m, at, top);
    return end;
}

static uint32_t put_switch(maker *m, hc_node *n, uint32_t at)
{
    maker inner = *m;
    inner.behind_break = new_step(m, HC_STEP_ACCESS, NULL);
    inner.head_of_switch = put_value(m, n->test, at);
    inner.has_default = 0;
    link(m, put(&inner, n->body, nowhere(m)), inner.behind_break);
    if (!inner.has_default)
        link(m, inner.head_of_switch, inner.behind_break);
    return inner.behind_break;
}

static uint32_t put_case(maker *m, hc_node *n, uint32_t at)
{
    at = follow(m, at, HC_STEP_ACCESS, NULL);
    link(m, m->head_of_switch, at);
    m->has_default |= n->kind == HC_N_DEFAULT_CASE;
    return n->body ? put(m, n->body, at) : at;
}

static uint32_t label_step(maker *m, const char *name)
{
    struct label *l;
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_')
        n++;
    for (uint32_t i = 0; i < m->in->labels.n; i++)
        if (m->in->labels.at[i].n == n && !memcmp(m->in->labels.at[i].name, name, n))
            return m->in->labels.at[i].step;
    l = HC_ADD(&m->in->labels);
    l->name = name;
    l->n = n;
    return l->step = nowhere(m);
}

static uint32_t put_goto(maker *m, hc_node *n, uint32_t at)
{
    const char *name = hc_source(n) + strlen("goto");
    while (isspace((unsigned char)*name))
        name++;
    link(m, at, label_step(m, name));
    return nowhere(m);
}

static uint32_t put_directive(maker *m, hc_node *n, uint32_t at)
{
    if (hc_is_task_directive(n))
        return put_task(m, n, at);
    if (hc_is_left(m->f->p, n))
        return at;
    if (n->body) {
        hc_summary s = hc_clause_summary(m->f->p, n);
        at = put(m, n->body, put_accesses(m, &s, n, at, 1, 1));
    }
    return put_wait(m, n, at);
}

static uint32_t put_all(maker *m, hc_node *n, uint32_t at)
{
    for (hc_node *c = n->first; c; c = c->next)
        at = put(m, c, at);
    return at;
}

static uint32_t put_jump(maker *m, hc_node *n, uint32_t at)
{
    if (n->kind == HC_N_RETURN && n->first)
        at = put_value(m, n->first, at);
    link(m, at, n->kind == HC_N_RETURN ? m->in->exit : n->kind == HC_N_BREAK ? m->behind_break : m->behind_continue);
    return nowhere(m);
}

static uint32_t put(maker *m, hc_node *n, uint32_t at)
{
    switch (n->kind) {
    case HC_N_BLOCK:
    case HC_N_DECLS: return put_all(m, n, at);
    case HC_N_IF: return put_if(m, n, at);
    case HC_N_FOR:
    case HC_N_WHILE:
    case HC_N_DO: return put_loop(m, n, at);
    case HC_N_SWITCH: return put_switch(m, n, at);
    case HC_N_CASE:
    case HC_N_DEFAULT_CASE: return put_case(m, n, at);
    case HC_N_RETURN:
    case HC_N_BREAK:
    case HC_N_CONTINUE: return put_jump(m, n, at);
    case HC_N_GOTO: return put_goto(m, n, at);
    case HC_N_LABEL: {
        uint32_t s = label_step(m, hc_source(n));
        link(m, at, s);
        return n->body ? put(m, n->body, s) : s;
    }
    case HC_N_DIRECTIVE: return put_directive(m, n, at);
    default: return put_value(m, n, at);
    }
}

hc_flow hc_flow_of(const hc_program *p, hc_region *r)
{
    hc_flow f = {.p = p, .region = r};
    frame in = {.fn = hc_fn_of(p, r->function)};
    maker m = {.f = &f, .in = &in};
    uint32_t begin = new_step(&m, HC_STEP_ACCESS, NULL);
    in.exit = new_step(&m, HC_STEP_ACCESS, NULL);
    link(&m, put(&m, r->creator, begin), in.exit);
    return f;
}
