/* SPDX-License-Identifier: MIT */
/* program.c - the functions and variables of all sources by name, the call graph, and the lookups of program.h. */
#include "analysis/effect.h"

#include "support/library.h"

#include <string.h>

/* ---- definitions ------------------------------------------------------------------------------------------------- */

static struct hc_entry *slot_of(const hc_index *x, const char *id)
{
    uint32_t at = hc_hash(id, strlen(id));
    while (x->entries[at & (x->n_slots - 1)].id && strcmp(x->entries[at & (x->n_slots - 1)].id, id) != 0)
        at++;
    return &x->entries[at & (x->n_slots - 1)];
}

static void widen(hc_index *x)
{
    struct hc_entry *old = x->entries;
    uint32_t n = x->n_slots;
    x->n_slots = n ? 2 * n : 256;
    x->entries = hc_new(x->n_slots * sizeof *x->entries);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].id)
            *slot_of(x, old[i].id) = old[i];
}

static struct hc_entry *entry_of(hc_index *x, const char *id)
{
    struct hc_entry *e;
    if (2 * (x->n_entries + 1) > x->n_slots)
        widen(x);
    e = slot_of(x, id);
    if (!e->id) {
        e->id = id;
        x->n_entries++;
    }
    return e;
}

static void add_function(hc_index *x, hc_decl *d)
{
    struct hc_entry *e = entry_of(x, d->id);
    hc_fn *fn = HC_NEW(hc_fn);
    fn->decl = d;
    fn->node = d->node;
    d->mark = fn;
    *HC_ADD(&x->fns) = fn;
    if (!e->fn) { /* an inline function of a header is defined in each source */
        e->fn = fn;
        e->definition = d;
    }
}

static void add_declarations(hc_index *x, hc_unit *u)
{
    for (uint32_t i = 0; i < u->decls.n; i++) {
        hc_decl *d = u->decls.at[i];
        if (!d->is_global || !d->node || d->is_system)
            continue;
        if (d->kind == HC_N_FUNCTION && d->is_definition && d->node->body)
            add_function(x, d);
        else if (d->kind == HC_N_VAR && (d->is_definition || !entry_of(x, d->id)->definition))
            entry_of(x, d->id)->definition = d;
    }
}

hc_decl *hc_definition(const hc_program *p, const hc_decl *d)
{
    const struct hc_entry *e = p->index->n_slots ? slot_of(p->index, d->id) : NULL;
    hc_decl *found = e && e->id ? e->definition : NULL;
    /* clang does not count `int x;` at file scope as a definition, because another may follow. */
    return found && (found->is_definition || (found->kind == HC_N_VAR && !found->is_extern)) ? found : NULL;
}

hc_decl *hc_canonical(const hc_program *p, hc_decl *d)
{
    const struct hc_entry *e = d->is_global && p->index->n_slots ? slot_of(p->index, d->id) : NULL;
    return e && e->definition ? e->definition : d;
}

hc_fn *hc_fn_of(const hc_program *p, const hc_decl *d)
{
    if (!d || d->kind != HC_N_FUNCTION || !p->index->n_slots)
        return NULL;
    return d->mark ? d->mark : slot_of(p->index, d->id)->fn;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Counts the nodes: an old-style function type has no parameters. */
static uint32_t n_params_of(const hc_fn *fn)
{
    uint32_t n = 0;
    for (const hc_node *p = fn->node->first; p; p = p->next)
        n += p->kind == HC_N_PARAM;
    return n;
}

hc_fn *hc_callee(const hc_program *p, const hc_call *c, uint32_t i)
{
    uint32_t n_args = 0;
    if (c->decl)
        return i ? NULL : hc_fn_of(p, c->decl);
    for (const hc_node *arg = c->node->first ? c->node->first->next : NULL; arg; arg = arg->next)
        n_args++;
    for (uint32_t k = 0; k < p->index->fns.n; k++) {
        hc_fn *fn = p->index->fns.at[k];
        if (fn->is_taken && n_params_of(fn) == n_args && i-- == 0)
            return fn;
    }
    return NULL;
}

/* Its team is the caller's. */
static int is_orphan(const hc_node *n)
{
    for (; n; n = n->parent)
        if (hc_is_region(n) || hc_is_directive(n, HC_TARGET_PARALLEL) || hc_is_task_directive(n))
            return 0;
    return 1;
}

static void look_at(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_fn *named;
    if (n->kind == HC_N_CALL)
        *HC_ADD(&fn->calls) = (hc_call){n, n->decl};
    else if (n->kind == HC_N_DIRECTIVE)
        *HC_ADD(&fn->directives) = n;
    else if (n->kind == HC_N_NAME && (named = hc_fn_of(p, n->decl)) != NULL)
        named->is_taken |= !(n->parent->kind == HC_N_CALL && n->parent->first == n);
    if (hc_is_task_directive(n))
        fn->makes_tasks = fn->takes_part = 1;
    if (hc_is_directive(n, HC_TASKWAIT) || hc_is_directive(n, HC_TASKGROUP) || (hc_has_team(n) && is_orphan(n)))
        fn->takes_part = 1;
}

/* Functions named outside functions, as in tables, may also be called. */
static void look_outside(hc_program *p, hc_unit *u)
{
    for (hc_node *n = u->root; n; n = n->kind == HC_N_FUNCTION ? hc_behind(u->root, n) : hc_inside(u->root, n)) {
        hc_fn *named = n->kind == HC_N_NAME ? hc_fn_of(p, n->decl) : NULL;
        if (named)
            named->is_taken = 1;
    }
}

/* Takes over the flags of fn's callees; returns whether any changed. */
static int take_over(hc_program *p, hc_fn *fn)
{
    int makes = fn->makes_tasks, part = fn->takes_part;
    for (uint32_t i = 0; i < fn->calls.n; i++) {
        hc_fn *to;
        for (uint32_t k = 0; (to = hc_callee(p, &fn->calls.at[i], k)) != NULL; k++) {
            fn->makes_tasks |= to->makes_tasks;
            fn->takes_part |= to->takes_part;
        }
    }
    return makes != fn->makes_tasks || part != fn->takes_part;
}

static void close_makers(hc_program *p)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < p->index->fns.n; i++)
            changed |= take_over(p, p->index->fns.at[i]);
    }
}

hc_index *hc_make_index(hc_program *p)
{
    hc_index *x = p->index = HC_NEW(hc_index);
    for (uint32_t i = 0; i < p->units.n; i++)
        add_declarations(x, p->units.at[i]);
    for (uint32_t i = 0; i < p->units.n; i++)
        look_outside(p, p->units.at[i]);
    for (uint32_t i = 0; i < x->fns.n; i++)
        HC_EACH_NODE (n, x->fns.at[i]->node)
            look_at(p, x->fns.at[i], n);
    close_makers(p);
    return x;
}

hc_fn *hc_function_around(const hc_program *p, const hc_node *n)
{
    for (; n; n = n->parent)
        if (n->kind == HC_N_FUNCTION)
            return hc_fn_of(p, n->decl);
    return NULL;
}

int hc_makes_tasks(const hc_program *p, hc_node *n)
{
    hc_fn *fn = hc_function_around(p, n), *to;
    for (uint32_t i = 0; i < fn->directives.n; i++)
        if (hc_is_in(fn->directives.at[i], n) && hc_is_task_directive(fn->directives.at[i]))
            return 1;
    HC_EACH_CALL (c, fn, n)
        for (uint32_t i = 0; (to = hc_callee(p, c, i)) != NULL; i++)
            if (to->makes_tasks)
                return 1;
    return 0;
}

int hc_is_left(const hc_program *p, const hc_node *n)
{
    for (uint32_t i = 0; i < p->index->left.n; i++)
        if (hc_is_in(n, p->index->left.at[i]))
            return 1;
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int is_name_used(const hc_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (p->functions.at[i].name && !strcmp(p->functions.at[i].name, name))
            return 1;
    for (uint32_t i = 0; i < p->globals.n; i++)
        if (p->globals.at[i].name && !strcmp(p->globals.at[i].name, name))
            return 1;
    for (uint32_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.at[i].name && !strcmp(p->tasks.at[i].name, name))
            return 1;
    return hc_is_taken_word(name, strlen(name));
}

const char *hc_unique_name(hc_program *p, const char *what)
{
    const char *name = what;
    for (uint32_t i = 2; is_name_used(p, name); i++)
        name = hc_format("%s_%u", what, i);
    return name;
}

/* ---- lookups ----------------------------------------------------------------------------------------------------- */

#define FIND(list, condition)                \
    for (uint32_t i = 0; i < p->list.n; i++) \
        if (p->list.at[i].condition)         \
            return &p->list.at[i];           \
    return NULL

hc_region *hc_region_of(const hc_program *p, const hc_node *directive) { FIND(regions, node == directive); }
hc_task *hc_task_of(const hc_program *p, const hc_node *directive) { FIND(tasks, node == directive); }
hc_task *hc_inner_task_of(const hc_program *p, const hc_node *directive) { FIND(inner_tasks, node == directive); }
hc_wait *hc_wait_of(const hc_program *p, const hc_node *directive) { FIND(waits, node == directive); }
hc_data *hc_data_of(const hc_program *p, const hc_node *directive) { FIND(data, node == directive); }

hc_function *hc_function_of(const hc_program *p, const hc_decl *d)
{
    const struct hc_entry *e = p->index->n_slots ? slot_of(p->index, d->id) : NULL;
    return e && e->id && e->n_function ? &p->functions.at[e->n_function - 1] : NULL;
}

void hc_add_function(hc_program *p, hc_decl *d)
{
    const char *name = hc_unique_name(p, d->name);
    *HC_ADD(&p->functions) = (hc_function){.decl = d, .name = name};
    slot_of(p->index, d->id)->n_function = p->functions.n;
}

hc_global *hc_global_of(const hc_program *p, const hc_decl *d)
{
    for (uint32_t i = 0; i < p->globals.n; i++)
        if (p->globals.at[i].decl == d || (d->is_global && !strcmp(p->globals.at[i].decl->id, d->id)))
            return &p->globals.at[i];
    return NULL;
}

int hc_is_slot(const hc_program *p, const hc_decl *d)
{
    for (uint32_t i = 0; i < p->slots.n; i++)
        if (p->slots.at[i].decl == d)
            return 1;
    return 0;
}

hc_capture *hc_capture_of(const hc_task *t, const hc_decl *d)
{
    for (uint32_t i = 0; i < t->captures.n; i++)
        if (hc_same(t->captures.at[i].decl, d))
            return &t->captures.at[i];
    return NULL;
}
