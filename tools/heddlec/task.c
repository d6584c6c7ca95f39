/* SPDX-License-Identifier: MIT */
/* task.c - the tasks of all functions, those in the statements of others, and the points where the host waits for tasks. */
#include "understand.h"

#include <string.h>

#define SAY_AT(level, code, n, ...) \
    hc_say((level), (code), &(n)->unit->text, (n)->begin, (n)->pragma ? (n)->pragma->at.end : (n)->end, __VA_ARGS__)

/* ---- one task --------------------------------------------------------------------------------------------------------- */

/* The function called when the statement is a call, also one whose result is assigned. */
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

/* Clauses of tasks and groups that are refused. */
static void check_clauses(const hc_node *n)
{
    static const char add_up[] = "let each task write an element of its own and add them up in a last task";
    static const struct {
        hc_clause_kind kind;
        int code;
        const char *hint;
    } refused[] = {
        {HC_C_DETACH, 122, "a task ends with its statement"},
        {HC_C_IN_REDUCTION, 122, add_up},
        {HC_C_TASK_REDUCTION, 122, add_up},
        {HC_C_REDUCTION, 151, add_up},
    };
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const hc_clause *c = hc_clause_of(n->pragma, refused[i].kind);
        if (c)
            hc_say(HC_ERROR, refused[i].code, &n->unit->text, c->at.begin, c->at.end, "%s is not supported here: %s",
                   hc_clause_word(c->kind), refused[i].hint);
    }
}

static void add_task(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_task t = {.number = p->tasks.n, .unit = n->unit, .node = n, .statement = n->body, .function = fn->decl};
    t.priority = hc_clause_expr(n, HC_C_PRIORITY);
    t.final = hc_clause_expr(n, HC_C_FINAL);
    t.if_expr = hc_clause_expr(n, HC_C_IF);
    if (!hc_is_directive(n, HC_TASK))
        take_loops(&t);
    check_clauses(n);
    hc_find_depends(&t);
    name_task(p, &t);
    *HC_ADD(&p->tasks) = t;
}

/* ---- tasks that tasks create --------------------------------------------------------------------------------------------- */

static void add_inner_task(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_task t = {.unit = n->unit, .node = n, .statement = n->body, .function = fn->decl};
    if (!hc_is_directive(n, HC_TASK))
        take_loops(&t);
    hc_find_depends(&t);
    name_task(p, &t);
    *HC_ADD(&p->inner_tasks) = t;
}

/* ---- all of a function ---------------------------------------------------------------------------------------------------- */

static hc_node *task_around(const hc_node *n)
{
    for (n = hc_directive_around(n); n; n = hc_directive_around(n))
        if (hc_is_task_directive(n))
            return (hc_node *)n;
    return NULL;
}

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
    else if (task_around(n))
        add_inner_task(p, fn, n);
    else
        add_task(p, fn, n);
}

static void meet_sharing(hc_program *p, hc_node *n)
{
    if (!task_around(n) && hc_makes_tasks(p, n))
        SAY_AT(HC_ERROR, 142, n,
               "every thread that meets this `%s` creates tasks: put the loop into `#pragma omp single`",
               hc_directive_words(n->pragma->directive));
}

/* Stands in a region of parts, which one thread runs. */
static int is_in_parts(const hc_program *p, const hc_node *n)
{
    for (uint32_t i = 0; i < p->regions.n; i++)
        if (p->regions.at[i].has_parts && hc_is_in(n, p->regions.at[i].creator))
            return !task_around(n);
    return 0;
}

static void meet(hc_program *p, hc_fn *fn, hc_node *n)
{
    if (n->pragma->is_broken || hc_is_left(p, n))
        return;
    switch (n->pragma->directive) {
    case HC_TASK:
    case HC_TASKLOOP:
    case HC_TASKLOOP_SIMD: meet_task(p, fn, n); break;
    case HC_TASKWAIT:
    case HC_TASKGROUP:
        check_clauses(n);
        if (!task_around(n))
            *HC_ADD(&p->waits) = (hc_wait){n, 0};
        break;
    case HC_FOR:
    case HC_FOR_SIMD:
    case HC_SECTIONS:
        if (!is_in_parts(p, n))
            meet_sharing(p, n); /* fall through */
    case HC_SINGLE:
    case HC_BARRIER: /* where all threads would meet */
        if (is_in_parts(p, n) && !hc_clause_of(n->pragma, HC_C_NOWAIT))
            *HC_ADD(&p->waits) = (hc_wait){n, 0};
        break;
    default: break;
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
