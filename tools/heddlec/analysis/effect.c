/* SPDX-License-Identifier: MIT */
/* effect.c - the accesses of statements, of functions (as their callers see them) and of tasks. */
#include "analysis/effect.h"

#include "support/library.h"

#include <string.h>

typedef struct walker {
    const hc_program *p;
    hc_summary *out;
    hc_node *root;
    int without_parts;
} walker;

static void walk(walker *w, hc_node *n);
static void walk_value(walker *w, hc_node *n);

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static hc_class class_of(const hc_type *t)
{
    while (hc_is_array(t) || (t && t->kind == HC_T_ATOMIC))
        t = t->of;
    if (!t)
        return HC_CLASS_ANY;
    if (t->kind == HC_T_POINTER)
        return HC_CLASS_POINTER;
    if (t->kind == HC_T_FLOATING)
        return t->size == 4 ? HC_CLASS_FLOAT : HC_CLASS_DOUBLE;
    if (t->kind == HC_T_INTEGER || t->kind == HC_T_ENUM)
        return t->size == 2 ? HC_CLASS_2 : t->size == 4 ? HC_CLASS_4 : t->size == 8 ? HC_CLASS_8 : HC_CLASS_ANY;
    return HC_CLASS_ANY;
}

static void add(hc_summary *s, hc_access a)
{
    for (uint32_t i = 0; i < s->accesses.n; i++) {
        const hc_access *b = &s->accesses.at[i];
        if (a.at.root == b->at.root && a.at.depth == b->at.depth && a.of == b->of && a.field == b->field &&
            a.is_write == b->is_write)
            return;
    }
    *HC_ADD(&s->accesses) = a;
}

static void add_objects(walker *w, const hc_objects *l, hc_access a)
{
    for (uint32_t i = 0; i < l->n; i++) {
        a.at = l->at[i];
        if (!a.at.root || a.at.depth || !hc_is_private_at(a.node, a.at.root, w->root))
            add(w->out, a);
    }
}

static const hc_decl *field_of(hc_node *n)
{
    n = hc_unparen(n);
    while (n->kind == HC_N_INDEX && n->first->type && n->first->type->kind != HC_T_POINTER)
        n = hc_unparen(n->first);
    return n->kind == HC_N_MEMBER ? n->decl : NULL;
}

static void touch(walker *w, hc_node *place, int is_write)
{
    hc_objects in = {0};
    hc_lies_in(w->p, place, &in);
    add_objects(
        w, &in,
        (hc_access){.of = class_of(place->type), .field = field_of(place), .is_write = is_write, .node = place});
}

/* Records a read or write of the object behind `value`: of a number by its class, of a pointer as any access behind it. */
static void touch_behind(walker *w, hc_node *value, int is_write)
{
    const hc_type *t = hc_unparen(value)->type;
    hc_class of = t ? class_of(t->of) : HC_CLASS_ANY;
    hc_objects in = {0};
    hc_points_to(w->p, value, &in);
    add_objects(w, &in,
                (hc_access){.of = of == HC_CLASS_POINTER ? HC_CLASS_ANY : of, .is_write = is_write, .node = value});
}

/* ---- what is private --------------------------------------------------------------------------------------------- */

static int is_loop_variable(const hc_node *directive, const hc_decl *d)
{
    const hc_node *collapse = hc_clause_expr(directive, HC_C_COLLAPSE);
    int64_t n = collapse && collapse->is_constant ? collapse->value : 1;
    hc_node *loop = hc_only_statement(directive->body);
    switch (directive->pragma->directive) {
    case HC_FOR:
    case HC_FOR_SIMD:
    case HC_PARALLEL_FOR:
    case HC_PARALLEL_FOR_SIMD:
    case HC_TASKLOOP:
    case HC_TASKLOOP_SIMD: break;
    default: return 0;
    }
    for (; n > 0 && loop && loop->kind == HC_N_FOR; n--, loop = hc_only_statement(loop->body))
        if (loop->init && loop->init->kind == HC_N_ASSIGN && hc_unparen(loop->init->first)->decl == d)
            return 1;
    return 0;
}

/* A simd construct alone keeps the last value of changed variables: only `private` makes a variable its own. */
int hc_is_private_in(const hc_node *directive, const hc_decl *d)
{
    static const hc_clause_kind kinds[] = {HC_C_PRIVATE, HC_C_FIRSTPRIVATE, HC_C_LASTPRIVATE, HC_C_REDUCTION,
                                           HC_C_LINEAR};
    if (hc_is_directive(directive, HC_SIMD))
        return hc_lists(directive, HC_C_PRIVATE, d) != NULL;
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (hc_lists(directive, kinds[i], d))
            return 1;
    return is_loop_variable(directive, d);
}

int hc_is_private_at(const hc_node *n, const hc_decl *d, const hc_node *outer)
{
    for (const hc_node *up = n->parent; n != outer && up; n = up, up = up->parent) {
        if (up->kind == HC_N_DIRECTIVE && up->body == n && hc_is_private_in(up, d))
            return 1;
        if (up == outer)
            break;
    }
    return 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

int hc_call_takes_part(const hc_program *p, const hc_node *call)
{
    hc_call c = {(hc_node *)call, call->decl};
    hc_fn *fn;
    for (uint32_t i = 0; (fn = hc_callee(p, &c, i)) != NULL; i++)
        if (fn->takes_part)
            return 1;
    return 0;
}

static void take_summary(walker *w, hc_node *call, const hc_fn *fn)
{
    for (uint32_t i = 0; fn->summary && i < fn->summary->accesses.n; i++) {
        hc_access a = fn->summary->accesses.at[i];
        hc_objects l = {0};
        hc_pass(w->p, fn, call, a.at, &l);
        a.node = call;
        add_objects(w, &l, a);
    }
    if (fn->summary && fn->summary->output)
        w->out->output = call;
    if (fn->summary && fn->summary->time)
        w->out->time = call;
}

/* Whether the call may write through pointer argument i. */
static int is_written(const hc_node *call, uint32_t i)
{
    const hc_type *t = call->decl ? call->decl->type : NULL;
    return !t || i >= t->n_params || t->params[i]->kind != HC_T_POINTER || !t->params[i]->of->is_const;
}

static void take_pointers(walker *w, hc_node *call, hc_library_effect effect)
{
    uint32_t i = 0;
    for (hc_node *arg = call->first->next; arg; arg = arg->next, i++) {
        if (!hc_is_address(arg->type) || hc_is_function(arg->type))
            continue;
        touch_behind(w, arg, 0);
        if (effect == HC_L_ENDS || ((effect == HC_L_WRITES || effect == HC_L_TIME) && is_written(call, i)))
            touch_behind(w, arg, 1);
    }
}

/* Whether a later statement of the block ends the program. */
static int is_last_word(const hc_node *call)
{
    const hc_node *n = call;
    while (n && n->parent && n->parent->kind != HC_N_BLOCK)
        n = n->parent;
    for (n = n ? n->next : NULL; n; n = n->next) {
        const hc_library *l = n->kind == HC_N_CALL && n->decl ? hc_library_of(n->decl->name) : NULL;
        if (l && l->kind == HC_L_TRAP)
            return 1;
    }
    return 0;
}

/* A function without source here may do anything. */
static void take_unknown(walker *w, hc_node *call)
{
    take_pointers(w, call, HC_L_WRITES);
    if (call->decl && call->decl->is_system && !hc_calls_back(call))
        return;
    add(w->out, (hc_access){.at = {NULL, 1}, .node = call});
    add(w->out, (hc_access){.at = {NULL, 1}, .is_write = 1, .node = call});
}

static void take_library(walker *w, hc_node *call, const hc_library *l)
{
    if (hc_calls_back(call))
        take_unknown(w, call);
    if (l->effect != HC_L_NOTHING)
        take_pointers(w, call, l->effect);
    if (l->effect == HC_L_OUTPUT && !is_last_word(call))
        w->out->output = call;
    if (l->effect == HC_L_TIME)
        w->out->time = call;
}

static void walk_call(walker *w, hc_node *n)
{
    hc_call c = {n, n->decl};
    const hc_library *l = n->decl ? hc_library_of(n->decl->name) : NULL;
    hc_fn *fn = hc_callee(w->p, &c, 0);
    if (!n->decl)
        walk_value(w, n->first);
    for (hc_node *arg = n->first->next; arg; arg = arg->next)
        walk_value(w, arg);
    if (w->without_parts && hc_call_takes_part(w->p, n))
        return;
    for (uint32_t i = 1; fn; fn = hc_callee(w->p, &c, i++))
        take_summary(w, n, fn);
    if (!hc_callee(w->p, &c, 0) && l)
        take_library(w, n, l);
    else if (!hc_callee(w->p, &c, 0))
        take_unknown(w, n);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* Walks the expressions that determine a place. */
static void walk_place(walker *w, hc_node *n)
{
    n = hc_unparen(n);
    if (n->kind == HC_N_NAME)
        return;
    if (n->kind == HC_N_INDEX || n->kind == HC_N_UNARY)
        for (hc_node *c = n->first; c; c = c->next)
            walk_value(w, c);
    else if (n->kind == HC_N_MEMBER && !strcmp(n->op, "."))
        walk_place(w, n->first);
    else if (n->kind == HC_N_MEMBER)
        walk_value(w, n->first);
    else
        walk_value(w, n);
}

static void walk_lvalue(walker *w, hc_node *n)
{
    walk_place(w, n);
    if (!hc_is_array(n->type) && !(n->kind == HC_N_NAME && !hc_is_var(n->decl)))
        touch(w, n, 0);
}

static void walk_change(walker *w, hc_node *place, int is_read)
{
    walk_place(w, place);
    if (is_read)
        touch(w, place, 0);
    touch(w, place, 1);
}

static void walk_unary(walker *w, hc_node *n)
{
    if (n->op[0] == '&')
        walk_place(w, n->first);
    else if (n->op[0] == '*')
        walk_lvalue(w, n);
    else if (strstr(n->op, "++") || strstr(n->op, "--"))
        walk_change(w, n->first, 1);
    else
        walk_value(w, n->first);
}

static void walk_value(walker *w, hc_node *n)
{
    switch (n->kind) {
    case HC_N_NAME:
    case HC_N_INDEX:
    case HC_N_MEMBER: walk_lvalue(w, n); break;
    case HC_N_UNARY: walk_unary(w, n); break;
    case HC_N_ASSIGN:
        walk_value(w, n->last);
        walk_change(w, n->first, n->op[0] != '=');
        break;
    case HC_N_SIZEOF: break;
    case HC_N_CALL: walk_call(w, n); break;
    default:
        for (hc_node *c = n->first; c; c = c->next)
            walk(w, c);
    }
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static void walk_part(walker *w, const hc_part *part, int is_of_task)
{
    hc_clause_kind k = part->clause->kind;
    int is_list = part->item && part->dim < 0;
    if (!is_list)
        walk_value(w, part->node);
    else if (k == HC_C_IN_REDUCTION || k == HC_C_TASK_REDUCTION || (k == HC_C_REDUCTION && is_of_task))
        walk_place(w, part->node);
    else if (k == HC_C_REDUCTION || k == HC_C_LASTPRIVATE || k == HC_C_LINEAR)
        walk_change(w, part->node, k == HC_C_REDUCTION);
    else if (k == HC_C_DEPEND || k == HC_C_AFFINITY || k == HC_C_MAP || k == HC_C_TO || k == HC_C_FROM)
        walk_place(w, part->node);
    else if (k != HC_C_PRIVATE && k != HC_C_SHARED)
        walk_value(w, part->node);
}

static void walk_clauses(walker *w, hc_node *n)
{
    hc_parts parts = hc_parts_of(n);
    for (uint32_t i = 0; i < parts.n; i++)
        walk_part(w, &parts.at[i], hc_is_task_directive(n));
}

static void walk(walker *w, hc_node *n)
{
    if (n->kind == HC_N_DIRECTIVE) {
        walk_clauses(w, n);
        if (n->body && !(w->without_parts && hc_is_task_directive(n)))
            walk(w, n->body);
    } else if (n->kind == HC_N_VAR) {
        for (hc_node *c = n->first; c; c = c->next)
            walk_value(w, c);
        if (n->init)
            add(w->out,
                (hc_access){
                    .at = {n->decl, 0}, .of = class_of(n->decl->type), .is_write = 1, .is_birth = 1, .node = n});
    } else {
        walk_value(w, n);
    }
}

hc_summary hc_summary_of(const hc_program *p, hc_node *code, int without_parts)
{
    hc_summary s = {0};
    walker w = {p, &s, code, without_parts};
    walk(&w, code);
    return s;
}

hc_summary hc_clause_summary(const hc_program *p, hc_node *directive)
{
    hc_summary s = {0};
    walker w = {p, &s, directive, 1};
    walk_clauses(&w, directive);
    return s;
}

/* ---- functions and tasks ----------------------------------------------------------------------------------------- */

/* Whether callers see the object. */
static int is_seen_outside(hc_object o)
{
    return !o.root || o.root->is_global || (o.root->kind == HC_N_PARAM && o.depth);
}

static int renew(const hc_program *p, hc_fn *fn)
{
    hc_summary now = hc_summary_of(p, fn->node->body, 0), *old = fn->summary;
    uint32_t n = 0;
    int changed;
    for (uint32_t i = 0; i < now.accesses.n; i++)
        if (is_seen_outside(now.accesses.at[i].at))
            now.accesses.at[n++] = now.accesses.at[i];
    now.accesses.n = n;
    changed = !old || old->accesses.n != n || !old->output != !now.output || !old->time != !now.time;
    if (changed) {
        fn->summary = HC_NEW(hc_summary);
        *fn->summary = now;
    }
    return changed;
}

void hc_find_summaries(hc_program *p)
{
    hc_find_addresses(p);
    hc_find_points(p);
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < p->index->fns.n; i++)
            changed |= renew(p, p->index->fns.at[i]);
    }
}

/* Adds the writes to outer variables by a taskloop's lastprivate clauses. */
static void add_last(const hc_program *p, const hc_task *t, hc_summary *s)
{
    hc_summary clauses = hc_clause_summary(p, t->node);
    for (uint32_t i = 0; i < clauses.accesses.n; i++) {
        const hc_access *a = &clauses.accesses.at[i];
        if (a->is_write && a->at.root && hc_lists(t->node, HC_C_LASTPRIVATE, a->at.root))
            add(s, *a);
    }
}

const hc_summary *hc_task_summary(const hc_program *p, const hc_task *t)
{
    hc_index *x = p->index;
    hc_summary *s;
    while (x->task_summaries.n <= t->number)
        *HC_ADD(&x->task_summaries) = NULL;
    if (x->task_summaries.at[t->number])
        return x->task_summaries.at[t->number];
    s = x->task_summaries.at[t->number] = HC_NEW(hc_summary);
    hc_summary all = hc_summary_of(p, hc_task_body(t), 0);
    for (uint32_t i = 0; i < all.accesses.n; i++)
        if (!all.accesses.at[i].at.root || !hc_declared_in(all.accesses.at[i].at.root, t->statement))
            *HC_ADD(&s->accesses) = all.accesses.at[i];
    add_last(p, t, s);
    return s;
}

int hc_writes(const hc_summary *s, const hc_decl *d)
{
    for (uint32_t i = 0; i < s->accesses.n; i++)
        if (s->accesses.at[i].at.root == d && !s->accesses.at[i].at.depth && s->accesses.at[i].is_write)
            return 1;
    return 0;
}

static int calls_unknown(const hc_summary *s)
{
    for (uint32_t i = 0; i < s->accesses.n; i++)
        if (!s->accesses.at[i].at.root && s->accesses.at[i].is_write)
            return 1;
    return 0;
}

static int functions_write(const hc_program *p, const hc_decl *d)
{
    for (uint32_t i = 0; i < p->index->fns.n; i++)
        if (hc_writes(p->index->fns.at[i]->summary, d))
            return 1;
    return 0;
}

/* A call of unknown code may call any function of the program. */
int hc_tasks_write(const hc_program *p, hc_decl *d)
{
    d = hc_canonical(p, d);
    for (uint32_t i = 0; i < p->tasks.n; i++) {
        const hc_summary *s = hc_task_summary(p, &p->tasks.at[i]);
        if (hc_writes(s, d) || (calls_unknown(s) && functions_write(p, d)))
            return 1;
    }
    return 0;
}
