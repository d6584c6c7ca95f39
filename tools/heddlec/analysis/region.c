/* SPDX-License-Identifier: MIT */
/* region.c - regions: their constructs, the statement that creates their tasks, their clauses. Also their neighbours in
 * the host's code: target data, and regions left to the host's OpenMP. */
#include "analysis/understand.h"

#include <string.h>

#define SAY(level, code, n, ...) \
    hc_say((level), (code), &(n)->unit->text, (n)->begin, (n)->pragma ? (n)->pragma->at.end : (n)->end, __VA_ARGS__)

static const char *words(const hc_node *n) { return hc_directive_words(n->pragma->directive); }

static int is_one_of(const hc_node *n, const hc_directive *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (hc_is_directive(n, list[i]))
            return 1;
    return 0;
}
#define IS_ONE_OF(n, ...)                             \
    is_one_of(n, (const hc_directive[]){__VA_ARGS__}, \
              sizeof((const hc_directive[]){__VA_ARGS__}) / sizeof(hc_directive))

static int is_single(const hc_node *n) { return IS_ONE_OF(n, HC_SINGLE, HC_MASTER, HC_MASKED); }
static int is_parallel(const hc_node *n) { return IS_ONE_OF(n, HC_PARALLEL, HC_PARALLEL_MASTER, HC_PARALLEL_MASKED); }
static int is_sharing(const hc_node *n) /* shares work among threads */
{
    return IS_ONE_OF(n, HC_FOR, HC_FOR_SIMD, HC_SECTIONS, HC_PARALLEL_FOR, HC_PARALLEL_FOR_SIMD, HC_PARALLEL_SECTIONS);
}
/* Statements of all threads beside the creator that change nothing. */
static int is_idle(const hc_node *n)
{
    return n->kind == HC_N_DECLS || n->kind == HC_N_NULL_STMT || IS_ONE_OF(n, HC_BARRIER, HC_TASKWAIT, HC_FLUSH);
}

/* ---- the creator ------------------------------------------------------------------------------------------------- */

/* Constructs that run each statement by one thread: independent of the number of threads. */
static hc_node *part_of(hc_node *n)
{
    n = n->kind == HC_N_BLOCK ? hc_only_statement(n) : n;
    return n && (is_single(n) || IS_ONE_OF(n, HC_FOR, HC_FOR_SIMD, HC_SECTIONS)) ? n : NULL;
}

/* The only `single` with an effect in a statement of all threads; NULL if other statements have effects. */
static hc_node *only_single(hc_node *statement)
{
    hc_node *found = NULL, *n = hc_only_statement(statement);
    if (is_single(n))
        return n;
    for (n = n->kind == HC_N_BLOCK ? n->first : NULL; n; n = n->next)
        if (!found && part_of(n) && is_single(part_of(n)))
            found = part_of(n);
        else if (!is_idle(n))
            return NULL;
    return found;
}

/* A statement of all threads that is not only parts, or that asks for their number. */
static hc_node *beside_parts(hc_node *statement)
{
    hc_node *n = part_of(statement) ? NULL : statement;
    for (n = n && n->kind == HC_N_BLOCK ? n->first : n; n; n = n == statement ? NULL : n->next)
        if (!part_of(n) && !is_idle(n))
            return n;
    return NULL;
}

static int has_directive(hc_node *root, int (*is)(const hc_node *))
{
    HC_EACH_NODE (n, root)
        if (is(n))
            return 1;
    return 0;
}

/* ---- clauses of a region's constructs ---------------------------------------------------------------------------- */

static int is_listed(hc_decl *const *at, uint32_t n, const hc_decl *d)
{
    while (n-- > 0)
        if (at[n] == d)
            return 1;
    return 0;
}

static void take_private(hc_region *r, const hc_part *part)
{
    hc_decl *d = hc_unparen(part->node)->decl;
    if (part->dim >= 0 || !hc_is_var(d))
        return;
    if (part->clause->kind == HC_C_PRIVATE && !is_listed(r->privates.at, r->privates.n, d))
        *HC_ADD(&r->privates) = d;
    if (part->clause->kind == HC_C_FIRSTPRIVATE && !is_listed(r->firstprivates.at, r->firstprivates.n, d))
        *HC_ADD(&r->firstprivates) = d;
}

static void check_clause(const hc_node *n, const hc_part *part)
{
    if (part->clause->kind == HC_C_DEPEND && part->dim < 0)
        SAY(HC_ERROR, 240, part->node, "depend on `%s`: it runs at once, in the order of the program", words(n));
    else if (part->clause->kind == HC_C_DEVICE && !(part->node->is_constant && part->node->value == 0))
        SAY(HC_WARNING, 240, part->node, "device(...) is not looked at: HEDDLE_DEVICE says which device is used");
    else if (part->clause->kind == HC_C_FILTER && !(part->node->is_constant && part->node->value == 0))
        SAY(HC_ERROR, 142, part->node, "a filter other than 0: write `#pragma omp masked` or `#pragma omp single`");
}

/* One thread computes reduction and lastprivate variables in place. */
static void take_clauses(hc_region *r, hc_node *n)
{
    hc_parts parts = hc_parts_of(n);
    for (uint32_t i = 0; i < parts.n; i++) {
        const hc_part *part = &parts.at[i];
        check_clause(n, part);
        take_private(r, part);
        if (part->clause->kind == HC_C_NUM_THREADS)
            r->num_threads = part->node;
        if (part->clause->kind == HC_C_IF && r->is_target && n == r->node &&
            (!part->clause->word || !strcmp(part->clause->word, "target")))
            r->if_expr = part->node;
    }
}

static int is_assumed(const hc_node *n)
{
    const hc_clause *c = hc_is_directive(n->prev, HC_REGION) ? hc_clause_of(n->prev->pragma, HC_C_ASSUME) : NULL;
    return c != NULL;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* One thread runs all of it, and waits where a team would meet. */
static hc_node *take_whole(const hc_program *p, hc_region *r, hc_node *parallel)
{
    hc_node *beside = is_sharing(parallel) ? parallel : beside_parts(parallel->body);
    r->is_one = beside != NULL;
    if (beside)
        SAY(HC_WARNING, hc_makes_tasks(p, beside) ? 142 : 111, beside,
            "all threads would do this: the team of this region is one thread; tasks run on all workers");
    return parallel->body;
}

static hc_node *creator_of(const hc_program *p, hc_region *r)
{
    hc_node *at = r->node, *single;
    if (hc_is_directive(at, HC_TARGET)) {
        at = hc_only_statement(at->body);
        if (!is_parallel(at))
            return r->node->body;
        take_clauses(r, at);
    }
    if (IS_ONE_OF(at, HC_PARALLEL_MASTER, HC_PARALLEL_MASKED))
        return at->body;
    single = is_sharing(at) ? NULL : only_single(at->body);
    if (!single)
        return take_whole(p, r, at);
    take_clauses(r, single);
    return single->pragma->is_root ? single : single->body;
}

/* Loops shared by threads have private variables. */
static void take_loop_variables(hc_region *r)
{
    hc_node *collapse = hc_clause_expr(r->node, HC_C_COLLAPSE);
    uint32_t n = collapse && collapse->is_constant ? (uint32_t)collapse->value : 1;
    hc_loop loops[8];
    if (!IS_ONE_OF(r->node, HC_PARALLEL_FOR, HC_PARALLEL_FOR_SIMD) || n > 8 ||
        hc_canonical_loops(r->node->body, loops, n))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (!loops[i].declares && !hc_lists(r->node, HC_C_LASTPRIVATE, loops[i].var) &&
            !is_listed(r->privates.at, r->privates.n, loops[i].var))
            *HC_ADD(&r->privates) = loops[i].var;
}

static void add_region(hc_program *p, hc_node *n, int is_target)
{
    hc_region r = {.unit = n->unit, .node = n, .is_target = is_target, .is_assumed = is_assumed(n)};
    r.function = hc_function_around(p, n)->decl;
    take_clauses(&r, n);
    take_loop_variables(&r);
    r.creator = creator_of(p, &r);
    if (!hc_makes_tasks(p, r.creator))
        SAY(HC_ERROR, 111, n, "the statement of this region's `single` creates no task");
    hc_find_maps(n, &r.maps);
    *HC_ADD(&p->regions) = r;
}

static int is_device(const hc_node *n)
{
    return IS_ONE_OF(n, HC_TARGET, HC_TARGET_PARALLEL, HC_TARGET_DATA, HC_TARGET_ENTER_DATA, HC_TARGET_EXIT_DATA,
                     HC_TARGET_UPDATE);
}

/* A source goes to the C compiler with all its maps if no target region creates tasks, and it has no tasks elsewhere. */
static int is_for_c(const hc_program *p, const hc_unit *u)
{
    int n_targets = (int)u->pragmas.n_left;
    HC_EACH_NODE (n, u->root) {
        int is_target = IS_ONE_OF(n, HC_TARGET, HC_TARGET_PARALLEL);
        if (is_target && hc_makes_tasks(p, n))
            return 0;
        n_targets += is_target;
    }
    return n_targets > 0 && !hc_has_tasks(&u->text);
}

/* Tasks would not see what the C compiler's OpenMP does to memory. */
static void refuse_left(const hc_unit *u)
{
    const hc_span *at = u->pragmas.left;
    if (!u->is_for_c && u->pragmas.n_left)
        hc_say(HC_ERROR, 240, &u->text, at->begin, at->end,
               "not translated, in a source whose `target` regions create tasks: give it a source of its own");
}

/* target and target parallel. */
static void meet_target(hc_program *p, hc_node *n)
{
    if (hc_makes_tasks(p, n) || (has_directive(n->body, is_single) && hc_is_directive(n, HC_TARGET_PARALLEL)))
        add_region(p, n, 1);
    else
        SAY(HC_ERROR, 240, n,
            "a `%s` region without tasks: make its statement a task in `target parallel` and `single`", words(n));
}

/* parallel and its combinations in the host's code. */
static void meet_parallel(hc_program *p, hc_node *n)
{
    if (!hc_makes_tasks(p, n))
        return;
    if (p->options.region_parallel) {
        add_region(p, n, 0);
    } else {
        SAY(HC_NOTE, 0, n, "left to the host's OpenMP; --region=parallel translates it");
        *HC_ADD(&p->index->left) = n;
    }
}

static void meet_data(hc_program *p, hc_node *n)
{
    hc_data d = {.node = n, .if_expr = hc_clause_expr(n, HC_C_IF)};
    const hc_clause *late = hc_clause_of(n->pragma, HC_C_DEPEND);
    late = late ? late : hc_clause_of(n->pragma, HC_C_NOWAIT);
    if (late)
        hc_say(HC_ERROR, 105, &n->unit->text, late->at.begin, late->at.end,
               "%s on `%s`: it runs where it stands; leave the clause out and put a taskwait before",
               hc_clause_word(late->kind), words(n));
    hc_find_maps(n, &d.maps);
    *HC_ADD(&p->data) = d;
}

/* Returns 1 when n's contents are settled. */
static int meet(hc_program *p, hc_node *n)
{
    if (n->kind != HC_N_DIRECTIVE || n->pragma->is_broken)
        return 0;
    if (n->unit->is_for_c && is_device(n))
        return 1;
    if (IS_ONE_OF(n, HC_TARGET, HC_TARGET_PARALLEL))
        meet_target(p, n);
    else if (is_parallel(n) || IS_ONE_OF(n, HC_PARALLEL_FOR, HC_PARALLEL_FOR_SIMD, HC_PARALLEL_SECTIONS))
        meet_parallel(p, n);
    else if (IS_ONE_OF(n, HC_TARGET_PARALLEL_FOR, HC_TARGET_TEAMS, HC_TEAMS, HC_DISTRIBUTE))
        SAY(HC_ERROR, 240, n, "`%s` is not translated: create tasks in `target parallel` and `single`", words(n));
    else if (IS_ONE_OF(n, HC_TARGET_DATA, HC_TARGET_ENTER_DATA, HC_TARGET_EXIT_DATA, HC_TARGET_UPDATE))
        meet_data(p, n);
    return IS_ONE_OF(n, HC_TARGET, HC_TARGET_PARALLEL, HC_PARALLEL_FOR, HC_PARALLEL_FOR_SIMD, HC_PARALLEL_SECTIONS,
                     HC_TASK, HC_TASKLOOP, HC_TASKLOOP_SIMD) ||
           is_parallel(n);
}

/* Refuses unsupported requests of declarative pragmas. */
static void check_declared(const hc_unit *u)
{
    for (uint32_t i = 0; i < u->pragmas.n; i++) {
        const hc_clause *c = hc_clause_of(&u->pragmas.at[i], HC_C_LINK);
        if (c)
            hc_say(HC_ERROR, 106, &u->text, c->at.begin, c->at.end,
                   "declare target link(...) is not supported: map the variable, or declare it without link");
    }
}

/* ---- functions of a region --------------------------------------------------------------------------------------- */

static void follow(hc_program *p, hc_fn *fn, hc_node *n, int in_region);

static void enter(hc_program *p, hc_fn *to, int in_region)
{
    int *is_in = in_region ? &to->is_in_region : &to->is_in_left;
    if (*is_in)
        return;
    *is_in = 1;
    follow(p, to, to->node, in_region);
}

static void follow(hc_program *p, hc_fn *fn, hc_node *n, int in_region)
{
    hc_fn *to;
    HC_EACH_CALL (c, fn, n)
        for (uint32_t i = 0; (to = hc_callee(p, c, i)) != NULL; i++)
            enter(p, to, in_region);
}

/* Functions that only tasks call do not belong to the creator. */
static void follow_creator(hc_program *p, hc_fn *fn, hc_node *n)
{
    hc_fn *to;
    fn->is_creating = 1;
    HC_EACH_CALL (c, fn, n)
        for (uint32_t i = 0; !hc_task_around(c->node) && (to = hc_callee(p, c, i)) != NULL; i++)
            if (!to->is_creating)
                follow_creator(p, to, to->node);
}

void hc_find_regions(hc_program *p)
{
    hc_index *x = p->index;
    for (uint32_t i = 0; i < p->units.n; i++)
        if (!(p->units.at[i]->is_for_c = is_for_c(p, p->units.at[i])))
            check_declared(p->units.at[i]);
    for (uint32_t i = 0; i < p->units.n; i++)
        refuse_left(p->units.at[i]);
    for (uint32_t i = 0; i < x->fns.n; i++) {
        hc_node *root = x->fns.at[i]->node, *n = root;
        while (n)
            n = meet(p, n) ? hc_behind(root, n) : hc_inside(root, n);
    }
    for (uint32_t i = 0; i < p->regions.n; i++)
        follow(p, hc_fn_of(p, p->regions.at[i].function), p->regions.at[i].creator, 1);
    for (uint32_t i = 0; i < p->regions.n; i++)
        follow_creator(p, hc_fn_of(p, p->regions.at[i].function), p->regions.at[i].creator);
    for (uint32_t i = 0; i < x->left.n; i++)
        follow(p, hc_function_around(p, x->left.at[i]), x->left.at[i], 0);
}
