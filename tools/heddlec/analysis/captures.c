/* SPDX-License-Identifier: MIT */
/* captures.c - what a task captures, and how: the data-sharing rules of OpenMP 4.5, 2.15.1.1. Then which shared
 * variables are copied, which are accessed by reference, and where those live. */
#include "analysis/effect.h"

#include "support/library.h"

#include <string.h>

typedef enum sharing { SHARED, FIRSTPRIVATE, PRIVATE, LASTPRIVATE, REDUCED } sharing;

/* ---- the rules --------------------------------------------------------------------------------------------------- */

static int is_mapped(const hc_node *directive, const hc_decl *d)
{
    const hc_clause *defaults = hc_clause_of(directive->pragma, HC_C_DEFAULTMAP);
    return hc_is_array(d->type) || hc_lists(directive, HC_C_MAP, d) || (defaults && hc_has_word(defaults, "tofrom"));
}

/* Whether d is shared by all threads of the innermost parallel region around a task. */
static sharing around(const hc_node *n, const hc_decl *d)
{
    for (const hc_node *up = hc_directive_around(n); up; up = hc_directive_around(up)) {
        if (hc_declared_in(d, up) || hc_is_private_in(up, d))
            return FIRSTPRIVATE;
        switch (up->pragma->directive) {
        case HC_PARALLEL:
        case HC_PARALLEL_MASTER:
        case HC_PARALLEL_MASKED:
        case HC_PARALLEL_FOR:
        case HC_PARALLEL_FOR_SIMD:
        case HC_PARALLEL_SECTIONS:
        case HC_TARGET_PARALLEL: return SHARED;
        case HC_TARGET: return is_mapped(up, d) || d->is_global ? SHARED : FIRSTPRIVATE;
        default: break;
        }
    }
    return d->is_global ? SHARED : FIRSTPRIVATE;
}

/* Tasks take turns at the array of a reduction, or at a variable that is not a number. */
static int has_turns(const hc_node *task, const hc_decl *d)
{
    hc_parts parts = hc_parts_of(task);
    for (uint32_t i = 0; i < parts.n; i++)
        if ((parts.at[i].clause->kind == HC_C_REDUCTION || parts.at[i].clause->kind == HC_C_IN_REDUCTION) &&
            parts.at[i].dim < 0 && parts.at[i].node->decl == d)
            return !(parts.at[i].item && parts.at[i].item->n_dims && d->type->kind == HC_T_POINTER);
    return 0;
}

static sharing sharing_of(const hc_node *task, const hc_decl *d)
{
    const hc_clause *defaults = hc_clause_of(task->pragma, HC_C_DEFAULT);
    if (hc_reduced(task, d))
        return REDUCED;
    if (has_turns(task, d))
        return SHARED;
    if (hc_lists(task, HC_C_LASTPRIVATE, d))
        return LASTPRIVATE;
    if (hc_lists(task, HC_C_PRIVATE, d))
        return PRIVATE;
    if (hc_lists(task, HC_C_FIRSTPRIVATE, d))
        return FIRSTPRIVATE;
    if (hc_lists(task, HC_C_SHARED, d))
        return SHARED;
    if (defaults && hc_has_word(defaults, "firstprivate"))
        return FIRSTPRIVATE;
    if (task->pragma->is_root)
        return SHARED;
    return defaults && hc_has_word(defaults, "shared") ? SHARED : around(task, d);
}

/* ---- which variables --------------------------------------------------------------------------------------------- */

/* Named inside a construct of the task that privatizes d: not a use of the task's d. */
static int is_private_use(const hc_node *n, const hc_task *t)
{
    const hc_node *child = n, *up = n->parent;
    while (up && up->kind != HC_N_DIRECTIVE && up != t->statement) {
        child = up;
        up = up->parent;
    }
    if (up && up->kind == HC_N_DIRECTIVE && child != up->body && hc_lists(up, HC_C_PRIVATE, n->decl) && up != t->node)
        return 1;
    return hc_is_private_at(n, n->decl, t->statement);
}

static hc_capture *add_capture(hc_task *t, hc_decl *d, sharing s)
{
    hc_capture *c = HC_ADD(&t->captures);
    c->decl = d;
    c->how = s == PRIVATE ? HC_PRIVATE : s == FIRSTPRIVATE ? HC_BY_VALUE : HC_BY_REFERENCE;
    c->is_shared = s == SHARED || s == REDUCED;
    c->is_lastprivate = s == LASTPRIVATE;
    c->reduction = s == REDUCED ? hc_reduced(t->node, d) : NULL;
    return c;
}

/* A plain static global that no task changes: its value at creation is the value at the run. A global that is not
 * static may be changed by code that is not here. */
static int is_copied_global(const hc_program *p, hc_decl *d)
{
    const hc_type *t = d->type;
    int is_plain = t->kind == HC_T_BOOL || t->kind == HC_T_INTEGER || t->kind == HC_T_FLOATING ||
                   t->kind == HC_T_ENUM || (t->kind == HC_T_POINTER && t->of->kind != HC_T_FUNCTION);
    return is_plain && !t->is_const && !t->is_volatile && hc_is_hidden(p, d) && !hc_tasks_write(p, d);
}

static void meet_use(const hc_program *p, hc_task *t, hc_node *n)
{
    hc_decl *d = n->decl;
    hc_capture *known;
    sharing s;
    if (!hc_is_var(d) || hc_declared_in(d, t->statement) || !(hc_is_local(d) || d->is_global))
        return;
    s = sharing_of(t->node, d);
    if ((d->is_global && s == SHARED && !is_copied_global(p, d)) || (hc_is_loop_variable(t, d) && s != LASTPRIVATE))
        return;
    if (is_private_use(n, t) && s != LASTPRIVATE)
        s = PRIVATE;
    known = hc_capture_of(t, d);
    if (!known) {
        add_capture(t, d, s);
    } else if (known->how == HC_PRIVATE && s != PRIVATE) { /* the first use was a private one */
        known->how = s == FIRSTPRIVATE ? HC_BY_VALUE : HC_BY_REFERENCE;
        known->is_shared = s == SHARED;
    }
}

/* The tree has no nodes for lengths in the type of a cast or sizeof. */
static void meet_type(const hc_program *p, hc_task *t, const hc_type *type)
{
    for (; type && (type->kind == HC_T_POINTER || hc_is_array(type)); type = type->of)
        if (type->kind == HC_T_VLA && type->bound)
            HC_EACH_NODE (n, (hc_node *)type->bound)
                if (n->kind == HC_N_NAME)
                    meet_use(p, t, n);
}

/* lastprivate loop variables: captured even if the statement does not name them. */
static void meet_last(const hc_program *p, hc_task *t)
{
    hc_parts parts = hc_parts_of(t->node);
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.at[i].clause->kind == HC_C_LASTPRIVATE && hc_is_loop_variable(t, hc_unparen(parts.at[i].node)->decl))
            meet_use(p, t, hc_unparen(parts.at[i].node));
}

static void find_uses(const hc_program *p, hc_task *t)
{
    hc_node *root = hc_task_body(t);
    meet_last(p, t);
    HC_EACH_NODE (n, root) {
        if (n->kind == HC_N_NAME)
            meet_use(p, t, n);
        else if (n->kind == HC_N_CAST)
            meet_type(p, t, n->type);
    }
}

/* ---- by value or by reference ------------------------------------------------------------------------------------ */

static int is_changed_by_tasks(const hc_program *p, const hc_task *t, hc_decl *d)
{
    for (uint32_t i = 0; i < p->tasks.n; i++) {
        const hc_task *other = &p->tasks.at[i];
        const hc_capture *c = other->function == t->function ? hc_capture_of(other, d) : NULL;
        if (other->function == t->function && (!c || c->is_shared || c->is_lastprivate) &&
            hc_writes(hc_task_summary(p, other), d))
            return 1;
    }
    return !hc_is_hidden(p, d) && !d->type->is_const;
}

static void choose_how(const hc_program *p, hc_task *t, hc_capture *c)
{
    if (c->reduction)
        return;
    if (c->is_shared && c->decl->is_global)
        c->how = HC_BY_VALUE;
    else if (c->is_shared && !hc_is_array(c->decl->type) && !is_changed_by_tasks(p, t, c->decl))
        c->how = HC_BY_VALUE;
}

/* ---- copies of tasks that are not deferred ----------------------------------------------------------------------- */

/* Looks for a use that may change the variable: operand of an assignment or of &. */
typedef struct change {
    const hc_decl *decl;
    int found;
} change;

static int is_changed_here(const hc_node *n)
{
    const hc_node *up = n->parent;
    for (; up && (up->kind == HC_N_PAREN || up->kind == HC_N_MEMBER || up->kind == HC_N_INDEX) && up->first == n;
         up = up->parent)
        n = up;
    if (hc_is_array(n->type))
        return 1;
    if (!up || up->first != n)
        return 0;
    return up->kind == HC_N_ASSIGN || (up->kind == HC_N_UNARY && (up->op[0] == '&' || up->op[1] != 0));
}

static int look_for_change(void *arg, hc_node *n)
{
    change *c = arg;
    if (n->kind == HC_N_NAME && n->decl == c->decl)
        c->found |= is_changed_here(n);
    return !c->found;
}

/* The outer variable may also change while the statement runs, if it has aliases. */
int hc_needs_copy(const hc_task *t, const hc_capture *c)
{
    change look = {c->decl, c->how == HC_PRIVATE || c->decl->is_kept || !hc_is_local(c->decl)};
    if (c->how == HC_BY_VALUE && !c->is_shared)
        hc_visit(t->statement, look_for_change, &look);
    return look.found && c->how != HC_BY_REFERENCE && !c->is_shared;
}

/* ---- where by-reference variables live --------------------------------------------------------------------------- */

static hc_region *region_around(const hc_program *p, const hc_node *n)
{
    for (uint32_t i = 0; i < p->regions.n; i++)
        if (hc_is_in(n, p->regions.at[i].node))
            return &p->regions.at[i];
    return NULL;
}

static int has(hc_decl *const *at, uint32_t n, const hc_decl *d)
{
    while (n-- > 0)
        if (hc_same(at[n], d))
            return 1;
    return 0;
}

static int maps(const hc_region *r, const hc_decl *d)
{
    for (uint32_t i = 0; i < r->maps.n; i++)
        if (hc_map_names(&r->maps.at[i], d))
            return 1;
    return 0;
}

/* A const object may be in read-only memory: not copied back. */
void hc_map_implicitly(hc_region *r, hc_decl *d)
{
    const hc_type *t = d->type;
    while (hc_is_array(t))
        t = t->of;
    if (!maps(r, d))
        *HC_ADD(&r->maps) = (hc_map){.decl = d, .how = t->is_const ? 1 : 3, .name = d->name};
}

static void add_slot(hc_program *p, const hc_task *t, hc_decl *d)
{
    if (hc_is_slot(p, d))
        return;
    if (d->type->kind == HC_T_VLA)
        hc_say(
            HC_ERROR, 191, &t->unit->text, t->node->begin, t->node->pragma->at.end,
            "the task shares '%s', an array of variable length that ends before the task runs: declare it before the "
            "region, or allocate it",
            d->name);
    HC_ADD(&p->slots)->decl = d;
}

/* A scalar of a target region that no clause maps is private to the region. */
static int is_regions_own(const hc_region *r, const hc_decl *d)
{
    return r->is_target && !maps(r, d) && !is_mapped(r->node, d);
}

static void place(hc_program *p, hc_task *t, hc_capture *c)
{
    hc_region *r = region_around(p, t->node);
    hc_decl *d = c->decl;
    if (c->how != HC_BY_REFERENCE)
        return;
    if (!r && hc_fn_of(p, t->function)->is_in_region && !hc_fn_of(p, t->function)->is_creating)
        return; /* only tasks call it: they access the variable itself */
    if (!r && d->is_global)
        return; /* lastprivate: hc_find_reached makes it a global of the program, which each region maps */
    if (!r || hc_declared_in(d, r->node) || has(r->privates.at, r->privates.n, d)) {
        add_slot(p, t, d);
    } else if (has(r->firstprivates.at, r->firstprivates.n, d) || is_regions_own(r, d)) {
        if (!has(r->firstprivates.at, r->firstprivates.n, d))
            *HC_ADD(&r->firstprivates) = d;
        add_slot(p, t, d);
    } else {
        hc_map_implicitly(r, d);
    }
}

/* ---- variables of the region that its creator changes ------------------------------------------------------------ */

static void keep_changed(const hc_program *p, hc_region *r, const hc_summary *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->firstprivates.n; i++) {
        hc_decl *d = r->firstprivates.at[i];
        if (hc_writes(s, d) || hc_is_slot(p, d) || !hc_is_hidden(p, d))
            r->firstprivates.at[n++] = d;
    }
    r->firstprivates.n = n;
}

static void add_changed(hc_region *r, const hc_summary *s)
{
    for (uint32_t i = 0; i < s->accesses.n; i++) {
        const hc_access *a = &s->accesses.at[i];
        hc_decl *d = a->at.root;
        if (!a->is_write || !d || a->at.depth || !hc_is_local(d) || hc_declared_in(d, r->node))
            continue;
        if (is_regions_own(r, d) && !has(r->privates.at, r->privates.n, d) &&
            !has(r->firstprivates.at, r->firstprivates.n, d))
            *HC_ADD(&r->firstprivates) = d;
    }
}

static void settle_region(const hc_program *p, hc_region *r)
{
    hc_summary s = hc_summary_of(p, r->creator, 1);
    keep_changed(p, r, &s);
    if (r->is_target)
        add_changed(r, &s);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static int is_field_used(const hc_task *t, const hc_capture *c, const char *field)
{
    for (uint32_t i = 0; i < t->captures.n && &t->captures.at[i] != c; i++) {
        const hc_capture *other = &t->captures.at[i];
        if (!strcmp(other->field, field))
            return 1;
        for (uint32_t k = 1; k <= other->n_bounds; k++)
            if (!strcmp(hc_format("%s_%u", other->field, k), field))
                return 1;
    }
    return hc_is_taken_word(field, strlen(field));
}

static void name_field(hc_task *t, hc_capture *c)
{
    const char *field = c->decl->name;
    while (is_field_used(t, c, field))
        field = hc_format("%s_", field);
    c->field = field;
}

/* The record has the address of the task's own array: a private array is captured like a copy. */
static void own_array(const hc_task *t, hc_capture *c)
{
    if (c->how == HC_PRIVATE && c->decl->type->kind == HC_T_VLA && hc_lists(t->node, HC_C_PRIVATE, c->decl))
        c->how = HC_BY_VALUE;
}

/* Dimensions below the first, down to the last that is variable. */
static void find_bounds(hc_capture *c)
{
    const hc_type *t = c->decl->type, *element;
    if (t->kind != HC_T_POINTER && !hc_is_array(t))
        return;
    for (element = t->of; hc_is_variable_array(element); element = element->of)
        c->n_bounds++;
    c->element = c->n_bounds ? element : NULL;
}

void hc_find_captures(hc_program *p)
{
    for (uint32_t i = 0; i < p->tasks.n; i++)
        find_uses(p, &p->tasks.at[i]);
    for (uint32_t i = 0; i < p->tasks.n; i++) {
        hc_task *t = &p->tasks.at[i];
        for (uint32_t k = 0; k < t->captures.n; k++) {
            hc_capture *c = &t->captures.at[k];
            choose_how(p, t, c);
            find_bounds(c);
            own_array(t, c);
            name_field(t, c);
            place(p, t, c);
            hc_check_capture(p, t, c);
        }
    }
    for (uint32_t i = 0; i < p->inner_tasks.n; i++) {
        hc_task *t = &p->inner_tasks.at[i];
        find_uses(p, t);
        for (uint32_t k = 0; k < t->captures.n; k++) {
            find_bounds(&t->captures.at[k]);
            name_field(t, &t->captures.at[k]);
        }
    }
    for (uint32_t i = 0; i < p->regions.n; i++)
        settle_region(p, &p->regions.at[i]);
}
