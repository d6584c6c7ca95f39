/* SPDX-License-Identifier: MIT */
/* flow.c - eligibility by reaching definitions, and which waits must be synchronising points.
 *
 * A task that was created and not waited for is *loose*. After a wait that is only a barrier of the graph it is
 * *awaited*: it is ordered, but has not run yet. An access of the host that conflicts with a write of a loose task is
 * refused (HC210, HC211). An access that may conflict with an awaited task makes the last waits before it synchronising
 * points. The first rule takes different variables for different memory, the second one does not. */
#include "analysis/flow.h"

#include <string.h>

typedef struct solver {
    hc_flow *f;
    uint32_t n_words;
    uint64_t *loose, *awaited; /* before each step */
    HC_LIST(uint32_t) work;    /* worklist of steps */
    uint8_t *is_seen;          /* a byte per step */
    HC_LIST(const hc_node *) said;
} solver;

/* ---- which tasks reach which steps ------------------------------------------------------------------------------- */

static uint64_t *row(const solver *s, uint64_t *set, uint32_t step) { return set + (size_t)step * s->n_words; }
static int is_set(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }

/* The state after a step. */
static void leave(const solver *s, uint32_t at, uint64_t *loose, uint64_t *awaited)
{
    const hc_step *step = &s->f->steps.at[at];
    size_t n_bytes = s->n_words * sizeof *loose;
    int waits = step->kind == HC_STEP_WAIT || step->kind == HC_STEP_MAYBE;
    int runs = step->kind == HC_STEP_SYNC || (step->kind == HC_STEP_WAIT && step->wait->is_sync);
    memcpy(loose, row(s, s->loose, at), n_bytes);
    memcpy(awaited, row(s, s->awaited, at), n_bytes);
    if (step->kind == HC_STEP_TASK)
        loose[step->instance / 64] |= 1ull << (step->instance % 64);
    for (uint32_t i = 0; i < s->n_words && waits; i++)
        awaited[i] |= loose[i];
    if (runs)
        memset(awaited, 0, n_bytes);
    if (runs || waits)
        memset(loose, 0, n_bytes);
}

static int join(const solver *s, uint64_t *into, const uint64_t *from)
{
    int changed = 0;
    for (uint32_t i = 0; i < s->n_words; i++) {
        changed |= (from[i] & ~into[i]) != 0;
        into[i] |= from[i];
    }
    return changed;
}

static void solve(solver *s)
{
    hc_flow *f = s->f;
    uint64_t *loose = hc_new(s->n_words * sizeof *loose), *awaited = hc_new(s->n_words * sizeof *awaited);
    memset(s->is_seen, 0, f->steps.n); /* here: waits in the list */
    memset(s->loose, 0, (size_t)f->steps.n * s->n_words * sizeof *loose);
    memset(s->awaited, 0, (size_t)f->steps.n * s->n_words * sizeof *loose);
    for (uint32_t i = 0; i < f->steps.n; i++)
        if (f->steps.at[i].kind == HC_STEP_TASK)
            *HC_ADD(&s->work) = i;
    while (s->work.n) {
        uint32_t at = s->work.at[--s->work.n];
        s->is_seen[at] = 0;
        leave(s, at, loose, awaited);
        for (uint32_t k = 0; k < f->steps.at[at].next.n; k++) {
            uint32_t to = f->steps.at[at].next.at[k];
            int changed = join(s, row(s, s->loose, to), loose);
            changed |= join(s, row(s, s->awaited, to), awaited);
            if (changed && !s->is_seen[to]) {
                s->is_seen[to] = 1;
                *HC_ADD(&s->work) = to;
            }
        }
    }
}

/* ---- which accesses meet ----------------------------------------------------------------------------------------- */

static int agree(const hc_access *a, const hc_access *b)
{
    return (a->of == b->of || a->of == HC_CLASS_ANY || b->of == HC_CLASS_ANY) &&
           (!a->field || !b->field || a->field == b->field);
}

static int is_same_object(const hc_access *a, const hc_access *b)
{
    return a->at.root && a->at.root == b->at.root && a->at.depth == b->at.depth;
}

/* No pointer leads there. */
static int is_hidden(const hc_program *p, const hc_access *a)
{
    return a->at.root && !a->at.depth && hc_is_hidden(p, a->at.root);
}

static int may_meet(const hc_program *p, const hc_access *a, const hc_access *b)
{
    if (!agree(a, b))
        return 0;
    if (is_same_object(a, b))
        return 1;
    if (is_hidden(p, a) || is_hidden(p, b))
        return 0;
    return !a->at.root || !b->at.root || a->at.depth || b->at.depth;
}

/* The access of a task that conflicts with an access of the host. */
static const hc_access *find(const hc_flow *f, const hc_accesses *l, const hc_access *a,
                             int (*is)(const hc_program *, const hc_access *, const hc_access *))
{
    for (uint32_t i = 0; i < l->n; i++)
        if (is(f->p, a, &l->at[i]))
            return &l->at[i];
    return NULL;
}

static int needs_run(const hc_program *p, const hc_access *host, const hc_access *task)
{
    return !host->is_birth && (host->is_write || task->is_write) && may_meet(p, host, task);
}

static int reads_written(const hc_program *p, const hc_access *host, const hc_access *task)
{
    (void)p;
    return !host->is_write && task->is_write && is_same_object(host, task) && agree(host, task);
}

/* Not for arrays: the host may write one element while tasks use others. */
static int writes_shared(const hc_program *p, const hc_access *host, const hc_access *task)
{
    (void)p;
    return host->is_write && !host->is_birth && !host->at.depth && is_same_object(host, task) && agree(host, task) &&
           !hc_is_array(host->at.root->type);
}

/* ---- synchronising points ---------------------------------------------------------------------------------------- */

static int sync_at(hc_wait *w)
{
    int changed = !w->is_sync;
    w->is_sync = 1;
    return changed;
}

/* Makes the last waits before a step, after which `instance` had not run, synchronising points. Returns whether one is new. */
static int sync_before(solver *s, uint32_t at, uint32_t instance)
{
    hc_flow *f = s->f;
    int changed = 0;
    memset(s->is_seen, 0, f->steps.n);
    *HC_ADD(&s->work) = at;
    while (s->work.n) {
        const hc_step *step = &f->steps.at[s->work.at[--s->work.n]];
        for (uint32_t i = 0; i < step->before.n; i++) {
            uint32_t from = step->before.at[i];
            const hc_step *b = &f->steps.at[from];
            int reaches = is_set(row(s, s->awaited, from), instance) || is_set(row(s, s->loose, from), instance);
            if (s->is_seen[from] || !reaches || b->kind == HC_STEP_SYNC || b->kind == HC_STEP_MAYBE)
                continue;
            s->is_seen[from] = 1;
            if (b->kind == HC_STEP_WAIT)
                changed |= sync_at(b->wait);
            else
                *HC_ADD(&s->work) = from;
        }
    }
    return changed;
}

static int is_used(const hc_flow *f, const hc_step *step, const hc_instance *x)
{
    for (uint32_t k = 0; k < step->accesses.n; k++)
        if (find(f, &x->accesses, &step->accesses.at[k], needs_run))
            return 1;
    return step->output || step->time;
}

static int find_syncs(solver *s)
{
    hc_flow *f = s->f;
    int changed = 0;
    for (uint32_t i = 0; i < f->steps.n; i++)
        for (uint32_t k = 0; k < f->instances.n; k++)
            if (is_set(row(s, s->awaited, i), k) && is_used(f, &f->steps.at[i], &f->instances.at[k]))
                changed |= sync_before(s, i, k);
    return changed;
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void note_task(const hc_task *t)
{
    hc_say(HC_NOTE, 0, &t->unit->text, t->node->begin, t->node->pragma->at.end, "by this task");
}

static hc_level level_of(const hc_flow *f) { return f->region->is_assumed ? HC_WARNING : HC_ERROR; }

/* One diagnostic per place, even if several tasks reach it. */
static int is_said(solver *s, const hc_node *n)
{
    for (uint32_t i = 0; i < s->said.n; i++)
        if (s->said.at[i] == n)
            return 1;
    *HC_ADD(&s->said) = n;
    return 0;
}

static void say_read(solver *s, const hc_access *a, const hc_task *t)
{
    if (is_said(s, a->node))
        return;
    hc_say(
        level_of(s->f), 210, &a->node->unit->text, a->node->begin, a->node->end,
        "the host reads %s'%s', which a task writes, and nothing waits for the task before: put `#pragma omp taskwait` "
        "here, or keep the value in a task",
        a->at.depth ? "what is behind " : "", a->at.root->name);
    note_task(t);
}

static int is_loop_step(const hc_access *a)
{
    const hc_node *n = a->node;
    for (; n && n->kind >= HC_N_NAME; n = n->parent)
        if (n->parent && n->parent->kind == HC_N_FOR)
            return 1;
    return 0;
}

static void say_write(solver *s, const hc_access *a, const hc_task *t)
{
    const char *name = a->at.root->name;
    if (is_said(s, a->node))
        return;
    hc_say(level_of(s->f), 211, &a->node->unit->text, a->node->begin, a->node->end,
           is_loop_step(a)
               ? "loop variable '%s' is shared in task %s: write firstprivate(%s)"
               : "'%s' changes here while task %s may still read it: wait before, or write firstprivate(%s)",
           name, t->label, name);
    note_task(t);
}

static void check_step(solver *s, const hc_step *step, const hc_instance *x)
{
    const hc_flow *f = s->f;
    for (uint32_t i = 0; i < step->accesses.n; i++) {
        const hc_access *a = &step->accesses.at[i];
        if (find(f, &x->accesses, a, reads_written))
            say_read(s, a, x->task);
        if (find(f, &x->accesses, a, writes_shared) || find(f, &x->copied, a, writes_shared))
            say_write(s, a, x->task);
    }
    if (step->output && !is_said(s, step->output)) {
        hc_say(HC_WARNING, 230, &step->output->unit->text, step->output->begin, step->output->end,
               "this happens before the tasks that were created so far have run: put `#pragma omp taskwait` before");
        note_task(x->task);
    }
}

/* A conflict over a value that the host cannot know before tasks have run. In an array or behind a pointer other tasks
 * may write other elements; on a plain variable it is a race. */
static int is_entangled(const solver *s, const hc_access *a, const hc_instance *x, int *is_race)
{
    const hc_flow *f = s->f;
    int is_found = find(f, &x->accesses, a, reads_written) || find(f, &x->accesses, a, writes_shared) ||
                   find(f, &x->copied, a, writes_shared);
    *is_race |= is_found && !a->at.depth && !hc_is_array(a->at.root->type);
    return is_found;
}

/* Then the creator itself runs as a task, and its tasks are children of that task: what it waits for has run. */
static int wants_root(const solver *s)
{
    const hc_flow *f = s->f;
    const hc_node *single = f->region->creator->parent;
    int is_found = 0, is_race = 0;
    if (f->region->is_target || f->region->is_assumed || single->kind != HC_N_DIRECTIVE ||
        single->body != f->region->creator ||
        !(hc_is_directive(single, HC_SINGLE) || hc_is_directive(single, HC_MASTER) ||
          hc_is_directive(single, HC_MASKED)))
        return 0;
    for (uint32_t i = 0; i < f->steps.n; i++)
        for (uint32_t k = 0; k < f->instances.n; k++)
            for (uint32_t a = 0; is_set(row(s, s->loose, i), k) && a < f->steps.at[i].accesses.n; a++)
                is_found |= is_entangled(s, &f->steps.at[i].accesses.at[a], &f->instances.at[k], &is_race);
    return is_found && !is_race;
}

static void make_root(hc_program *p, const hc_node *single)
{
    single->unit->pragmas.at[single->pragma->number].is_root = 1;
    p->has_new_root = 1;
    hc_say(
        HC_WARNING, 213, &single->unit->text, single->begin, single->pragma->at.end,
        "the statement that creates tasks uses what they write: it runs as a task itself, and its tasks as that one's");
}

static void check(solver *s)
{
    hc_flow *f = s->f;
    for (uint32_t i = 0; i < f->steps.n; i++)
        for (uint32_t k = 0; k < f->instances.n; k++)
            if (is_set(row(s, s->loose, i), k)) {
                check_step(s, &f->steps.at[i], &f->instances.at[k]);
                if (f->steps.at[i].kind == HC_STEP_TASK)
                    hc_check_race(f, &f->instances.at[k], &f->instances.at[f->steps.at[i].instance]);
            }
    for (uint32_t k = 0; k < f->instances.n; k++)
        if (f->instances.at[k].task->is_loop)
            hc_check_race(f, &f->instances.at[k], &f->instances.at[k]);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static int writes_mapped(const hc_flow *f, const hc_step *step)
{
    for (uint32_t k = 0; k < f->instances.n; k++)
        for (uint32_t i = 0; i < step->accesses.n; i++)
            if (step->accesses.at[i].is_write && find(f, &f->instances.at[k].accesses, &step->accesses.at[i], may_meet))
                return 1;
    return 0;
}

/* Walks from all synchronising points. */
static int writes_behind_sync(const hc_flow *f)
{
    HC_LIST(uint32_t) work = {0};
    uint8_t *is_seen = hc_new(f->steps.n + 1u);
    for (uint32_t i = 0; i < f->steps.n; i++)
        if (f->steps.at[i].kind == HC_STEP_SYNC ||
            (f->steps.at[i].kind == HC_STEP_WAIT && f->steps.at[i].wait->is_sync))
            *HC_ADD(&work) = i;
    while (work.n) {
        const hc_step *step = &f->steps.at[work.at[--work.n]];
        if (writes_mapped(f, step))
            return 1;
        for (uint32_t i = 0; i < step->next.n; i++)
            if (!is_seen[step->next.at[i]]) {
                is_seen[step->next.at[i]] = 1;
                *HC_ADD(&work) = step->next.at[i];
            }
    }
    return 0;
}

static int has_barriers(const hc_program *p, const hc_flow *f)
{
    for (uint32_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.at[i].is_between_barriers)
            return 1;
    for (uint32_t i = 0; i < f->steps.n; i++)
        if (f->steps.at[i].kind == HC_STEP_WAIT && !f->steps.at[i].wait->is_sync)
            return 1;
    return f->is_cut;
}

/* The declaration by which a region can name a variable; NULL if there is none. */
static hc_decl *name_in(const hc_region *r, hc_decl *d)
{
    if (hc_is_local(d))
        return d->owner == r->function && !hc_declared_in(d, r->node) && d->type->size ? d : NULL;
    for (uint32_t i = 0; d->is_global && i < r->unit->decls.n; i++) {
        hc_decl *here = r->unit->decls.at[i];
        if (here->kind == HC_N_VAR && hc_same(here, d) && here->node && here->node->begin < r->node->begin &&
            here->type->size)
            return here;
    }
    return NULL;
}

/* Maps arrays and variables that tasks reach through pointers, if the region can name them. */
static void map_reached(const hc_flow *f)
{
    for (uint32_t k = 0; k < f->instances.n; k++)
        for (uint32_t i = 0; i < f->instances.at[k].accesses.n; i++) {
            hc_object o = f->instances.at[k].accesses.at[i].at;
            hc_decl *d = o.root && !o.depth ? name_in(f->region, o.root) : NULL;
            if (d && !hc_is_slot(f->p, d) && !hc_global_of(f->p, d))
                hc_map_implicitly(f->region, d);
        }
}

/* Waits that no region reaches, or that were left out, synchronise, which is always correct. */
static void sync_the_rest(hc_program *p, hc_flow *flows)
{
    for (uint32_t w = 0; w < p->waits.n; w++) {
        int is_reached = 0;
        for (uint32_t r = 0; r < p->regions.n; r++) {
            for (uint32_t i = 0; i < flows[r].steps.n && !flows[r].is_cut; i++)
                is_reached |= flows[r].steps.at[i].wait == &p->waits.at[w];
        }
        p->waits.at[w].is_sync |= !is_reached;
    }
}

static solver start(hc_flow *f)
{
    solver s = {.f = f, .n_words = f->instances.n / 64 + 1};
    size_t n_bytes = (size_t)f->steps.n * s.n_words * sizeof *s.loose;
    s.loose = hc_new(n_bytes);
    s.awaited = hc_new(n_bytes);
    s.is_seen = hc_new(f->steps.n);
    return s;
}

void hc_find_flow(hc_program *p)
{
    hc_flow *flows = hc_new((p->regions.n + 1) * sizeof *flows);
    for (uint32_t i = 0; i < p->regions.n; i++) {
        solver s;
        flows[i] = hc_flow_of(p, &p->regions.at[i]);
        map_reached(&flows[i]);
        s = start(&flows[i]);
        do
            solve(&s);
        while (find_syncs(&s));
        if (wants_root(&s))
            make_root(p, p->regions.at[i].creator->parent);
        else
            check(&s);
    }
    sync_the_rest(p, flows);
    for (uint32_t i = 0; i < p->regions.n; i++) {
        p->regions.at[i].has_barriers = has_barriers(p, &flows[i]);
        p->regions.at[i].host_writes = writes_behind_sync(&flows[i]);
    }
}
