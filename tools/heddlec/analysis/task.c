/* SPDX-License-Identifier: MIT */
/* task.c - the tasks of all functions, tasks inside tasks' statements, and the points where the host waits for tasks. */
#include "analysis/understand.h"

#include <string.h>

#define SAY_AT(level, code, n, ...) \
    hc_say((level), (code), &(n)->unit->text, (n)->begin, (n)->pragma ? (n)->pragma->at.end : (n)->end, __VA_ARGS__)

/* ---- one task ---------------------------------------------------------------------------------------------------- */

/* The function called if the statement is a call, or assigns the result of one. */
static const hc_decl *called_by(hc_node *statement)
{
    hc_node *n = hc_unparen(hc_only_statement(statement));
    if (n->kind == HC_N_ASSIGN)
        n = hc_unparen(n->last);
    return n->kind == HC_N_CALL ? n->decl : NULL;
}

hc_node *hc_task_body(const hc_task *t) { return t->n_loops ? t->loops[t->n_loops - 1].body : t->statement; }

static const char *trace_name(const hc_task *t, const char *what, uint32_t line)
{
    const hc_node *given = hc_clause_expr(t->node, HC_C_LABEL);
    if (given && given->kind == HC_N_LITERAL && given->end - given->begin > 2)
        return hc_copy(hc_source(given) + 1, given->end - given->begin - 2);
    return hc_format("%s:%u", what, line);
}

static void name_task(hc_program *p, hc_task *t)
{
    const hc_decl *callee = called_by(hc_task_body(t));
    const char *what = callee ? callee->name : t->function->name;
    uint32_t line = hc_place_of(&t->unit->text, t->node->begin).line;
    t->name = hc_unique_name(p, hc_format("%s_%u", what, line));
    t->label = trace_name(t, what, line);
}

static void take_loops(hc_task *t)
{
    hc_node *collapse = hc_clause_expr(t->node, HC_C_COLLAPSE);
    uint32_t n = collapse && collapse->is_constant && collapse->value > 0 ? (uint32_t)collapse->value : 1;
    t->is_loop = 1;
    t->nogroup = hc_clause_of(t->node->pragma, HC_C_NOGROUP) != NULL;
    t->grainsize = hc_clause_expr(t->node, HC_C_GRAINSIZE);
    t->num_tasks = hc_clause_expr(t->node, HC_C_NUM_TASKS);
    if (n > sizeof t->loops / sizeof t->loops[0])
        SAY_AT(HC_ERROR, 130, collapse, "more than %zu loops in collapse", sizeof t->loops / sizeof t->loops[0]);
    else if (!hc_canonical_loops(t->statement, t->loops, n))
        t->n_loops = n;
}

static void check_clauses(const hc_node *n)
{
    const hc_clause *c = hc_clause_of(n->pragma, HC_C_DETACH);
    if (c)
        hc_say(HC_ERROR, 122, &n->unit->text, c->at.begin, c->at.end,
               "detach is not supported: a task ends with its statement");
}

static void add_task(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_task t = {.number = p->tasks.n, .unit = n->unit, .node = n, .statement = n->body, .function = fn->decl};
    t.priority = hc_clause_expr(n, HC_C_PRIORITY);
    t.final = hc_clause_expr(n, HC_C_FINAL);
    t.if_expr = hc_clause_expr(n, HC_C_IF);
    if (hc_is_taskloop(n))
        take_loops(&t);
    check_clauses(n);
    hc_find_depends(&t);
    name_task(p, &t);
    *HC_ADD(&p->tasks) = t;
}

/* ---- tasks that tasks create ------------------------------------------------------------------------------------- */

static void add_inner_task(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_task t = {.unit = n->unit, .node = n, .statement = n->body, .function = fn->decl};
    if (hc_is_taskloop(n))
        take_loops(&t);
    hc_find_depends(&t);
    name_task(p, &t);
    *HC_ADD(&p->inner_tasks) = t;
}

/* ---- all of a function ------------------------------------------------------------------------------------------- */

static int stands_in_expression(const hc_node *n)
{
    for (; n && n->kind != HC_N_FUNCTION; n = n->parent)
        if (n->kind == HC_N_STMT_EXPR)
            return 1;
    return 0;
}

static void meet_task(hc_program *p, hc_fn *fn, hc_node *n)
{
    if (stands_in_expression(n))
        SAY_AT(HC_ERROR, 240, n, "a task inside of an expression: make it a statement of its own");
    else if (hc_task_around(n))
        add_inner_task(p, fn, n);
    else
        add_task(p, fn, n);
}

/* Points where all threads of a team would meet: in a region, or in a function that a region calls. An inner region is
 * part of the outer. */
static int is_meeting(const hc_program *p, const hc_fn *fn, hc_node *n)
{
    int is_inside = fn->is_in_region;
    for (uint32_t i = 0; i < p->regions.n; i++)
        is_inside |= hc_is_in(n, p->regions.at[i].creator);
    for (const hc_node *up = n->parent; up; up = up->parent)
        if (hc_is_region(up) && !hc_region_of(p, up) && !hc_makes_tasks(p, (hc_node *)up))
            return 0;
    return is_inside && !hc_task_around(n) && !hc_clause_of(n->pragma, HC_C_NOWAIT) &&
           (!hc_is_region(n) || (!hc_region_of(p, n) && hc_makes_tasks(p, n)));
}

static void meet(hc_program *p, hc_fn *fn, hc_node *n)
{
    if (n->pragma->is_broken || hc_is_left(p, n))
        return;
    if (hc_is_task_directive(n)) {
        meet_task(p, fn, n);
        return;
    }
    switch (n->pragma->directive) {
    case HC_TASKWAIT:
    case HC_TASKGROUP:
        if (!hc_task_around(n))
            *HC_ADD(&p->waits) = (hc_wait){n, 0};
        break;
    default:
        if (hc_has_team(n) && is_meeting(p, fn, n))
            *HC_ADD(&p->waits) = (hc_wait){n, 0};
    }
}

void hc_find_tasks(hc_program *p)
{
    for (uint32_t i = 0; i < p->index->fns.n; i++) {
        hc_fn *fn = p->index->fns.at[i];
        for (uint32_t k = 0; k < fn->directives.n && (fn->is_in_region || !fn->is_in_left); k++)
            meet(p, fn, fn->directives.at[k]);
    }
    for (uint32_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.at[i].is_loop && !p->tasks.at[i].nogroup)
            *HC_ADD(&p->waits) = (hc_wait){p->tasks.at[i].node, 0};
}
