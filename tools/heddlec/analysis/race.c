/* SPDX-License-Identifier: MIT */
/* race.c - a warning for the most common race: unordered tasks write one shared variable, often an inner loop's
 * variable that is not private. Covers only plain variables and fields named in a task's own text. Ignores called
 * functions, elements of arrays, and tasks with a dependence that all of them may share. */
#include "analysis/flow.h"

#include <string.h>

/* The place is a variable or a field of one. */
static int is_plain(hc_node *n)
{
    n = hc_unparen(n);
    while (n->kind == HC_N_MEMBER && n->op[0] == '.')
        n = hc_unparen(n->first);
    return n->kind == HC_N_NAME;
}

static int is_guarded(const hc_node *n)
{
    for (; n; n = n->parent)
        if (hc_is_directive(n, HC_ATOMIC) || hc_is_directive(n, HC_CRITICAL))
            return 1;
    return 0;
}

static int is_ordered(const hc_task *t)
{
    for (uint32_t i = 0; i < t->depends.n; i++)
        if (!t->depends.at[i].n_dims || t->depends.at[i].n_lead)
            return 1;
    return 0;
}

static int is_loop(const hc_node *n) { return n->kind == HC_N_FOR || n->kind == HC_N_WHILE || n->kind == HC_N_DO; }

/* Tasks of this pragma share d: a loop creates them repeatedly and does not declare d itself. */
static int is_again(const hc_task *t, const hc_decl *d)
{
    for (const hc_node *n = t->node; n && !t->is_loop; n = n->parent)
        if (is_loop(n))
            return !hc_declared_in(d, n);
    return t->is_loop;
}

/* Accesses may be inside the locked section or not; not analysed. */
static int takes_lock(const hc_task *t)
{
    HC_EACH_NODE (n, t->statement)
        if (n->kind == HC_N_CALL && n->decl && strstr(n->decl->name, "_lock"))
            return 1;
    return 0;
}

static int is_reduced(const hc_task *t, const hc_decl *d)
{
    return hc_lists(t->node, HC_C_REDUCTION, d) || hc_lists(t->node, HC_C_IN_REDUCTION, d);
}

static int writes(const hc_instance *x, const hc_access *a)
{
    const hc_capture *c = a->at.root ? hc_capture_of(x->task, a->at.root) : NULL;
    return a->is_write && !a->is_birth && a->at.root && !a->at.depth && !hc_is_array(a->at.root->type) &&
           hc_is_in(a->node, x->task->statement) && is_plain(a->node) && !is_guarded(a->node) &&
           !(c && c->is_lastprivate) && !is_reduced(x->task, a->at.root) && !takes_lock(x->task);
}

static int is_same(const hc_access *a, const hc_access *b)
{
    return a->at.root == b->at.root && (!a->field || !b->field || a->field == b->field);
}

void hc_check_race(const hc_flow *f, const hc_instance *first, const hc_instance *second)
{
    for (uint32_t i = 0; i < first->accesses.n; i++)
        for (uint32_t k = 0; k < second->accesses.n; k++) {
            const hc_access *a = &first->accesses.at[i], *b = &second->accesses.at[k];
            const hc_task *t = first->task;
            if (!writes(first, a) || !writes(second, b) || !is_same(a, b) || is_ordered(t) || is_ordered(second->task))
                continue;
            if (t == second->task ? !is_again(t, a->at.root)
                                  : hc_is_local(a->at.root) && a->at.root->owner != f->region->function)
                continue;
            hc_say(
                HC_WARNING, 212, &t->unit->text, a->node->begin, a->node->end,
                "all tasks %s write shared '%s', and nothing orders them: make it private, or declare it in the task; "
                "where it is meant, use atomic, critical or depend",
                t->label, a->at.root->name);
        }
}
