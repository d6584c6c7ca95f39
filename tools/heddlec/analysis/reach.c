/* SPDX-License-Identifier: MIT */
/* reach.c - what the bodies of tasks call and use: functions and how they are entered, variables of files, and features
 * missing in device code. */
#include "analysis/effect.h"

#include "support/library.h"

#include <ctype.h>
#include <string.h>

#define SAY(level, code, n, ...) \
    hc_say((level), (code), &(n)->unit->text, (n)->begin, (n)->pragma ? (n)->pragma->at.end : (n)->end, __VA_ARGS__)

/* Code that runs as part of a task: a task's statement, or a function. */
typedef struct body {
    hc_program *p;
    hc_fn *fn;     /* the function that contains it */
    hc_node *code; /* the statement, or the function's body */
    const hc_task *task;
} body;

/* ---- how code is entered ----------------------------------------------------------------------------------------- */

static int is_in_task(const hc_node *n, const hc_node *code)
{
    for (; n != code; n = n->parent)
        if (hc_is_task_directive(n))
            return 1;
    return hc_is_task_directive(n);
}

/* n stands in an inner parallel region of code, or in a task of it: one thread enters it. */
static int is_in_threads(const hc_node *n, const hc_node *code)
{
    const hc_node *up = n;
    for (; up != code; up = up->parent)
        if (hc_is_region(up))
            return 1;
    return hc_is_region(up) || is_in_task(n, code);
}

/* A function's own region counts if all threads enter the function. */
static int has_inner(const hc_program *p, const hc_fn *fn, hc_node *code)
{
    for (uint32_t i = 0; i < fn->directives.n; i++)
        if (hc_is_in(fn->directives.at[i], code) && hc_is_region(fn->directives.at[i]) &&
            !is_in_task(fn->directives.at[i], code))
            return 1;
    HC_EACH_CALL (c, fn, code) {
        hc_function *to = c->decl && !is_in_threads(c->node, code) ? hc_function_of(p, c->decl) : NULL;
        if (to && to->has_inner)
            return 1;
    }
    return 0;
}

static void spread_inner(hc_program *p)
{
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = 0; i < p->functions.n; i++) {
            hc_function *f = &p->functions.at[i];
            hc_fn *fn = hc_fn_of(p, f->decl);
            if (!f->has_inner && has_inner(p, fn, fn->node->body))
                f->has_inner = changed = 1;
        }
    }
}

static int enter(hc_program *p, const hc_call *c, int in_threads)
{
    hc_function *to = c->decl ? hc_function_of(p, c->decl) : NULL;
    int *way = to ? (in_threads ? &to->is_in_thread : &to->is_in_team) : NULL;
    if (!way || *way)
        return 0;
    return *way = 1;
}

static int enter_from(hc_program *p, hc_fn *fn, hc_node *code, int is_team, int is_thread)
{
    int changed = 0;
    HC_EACH_CALL (c, fn, code) {
        int in_threads = is_in_threads(c->node, code);
        if (is_team)
            changed |= enter(p, c, in_threads);
        if (is_thread)
            changed |= enter(p, c, 1);
    }
    return changed;
}

/* Callers stand after their callees: goes from the last to the first. */
static void spread_ways(hc_program *p)
{
    for (uint32_t i = 0; i < p->tasks.n; i++)
        enter_from(p, hc_fn_of(p, p->tasks.at[i].function), p->tasks.at[i].statement, 1, 0);
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t i = p->functions.n; i-- > 0;) {
            const hc_function *f = &p->functions.at[i];
            hc_fn *fn = hc_fn_of(p, f->decl);
            changed |= enter_from(p, fn, fn->node->body, f->is_in_team, f->is_in_thread);
        }
    }
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static int names_function(hc_node *init)
{
    HC_EACH_NODE (n, init)
        if (n->kind == HC_N_NAME && n->decl && n->decl->kind == HC_N_FUNCTION)
            return 1;
    return 0;
}

static int is_constant(const hc_decl *d)
{
    const hc_type *t = d->type;
    while (hc_is_array(t))
        t = t->of;
    return t->is_const && !t->is_volatile && d->node && d->node->init && !names_function(d->node->init);
}

/* Uses a feature that bodies lack. If tasks may call host functions, the host's version is called. */
static int is_hosts_own(const hc_program *p, const hc_fn *fn)
{
    if (p->options.is_host_only && fn->decl->type->is_variadic && fn->decl->type->n_params)
        return 1;
    HC_EACH_NODE (n, fn->node->body)
        if (p->options.is_host_only && (n->kind == HC_N_ASM || n->kind == HC_N_COMPUTED_GOTO ||
                                        (n->kind == HC_N_VAR && n->decl->is_static && !is_constant(n->decl))))
            return 1;
    return 0;
}

static void add_called(hc_program *p, hc_fn *fn, hc_node *code);

static void add_function(hc_program *p, hc_fn *fn)
{
    if (fn->mark == p->index->mark || is_hosts_own(p, fn))
        return;
    fn->mark = p->index->mark;
    add_called(p, fn, fn->node->body);
    if (!hc_function_of(p, fn->decl))
        hc_add_function(p, fn->decl);
}

static void add_called(hc_program *p, hc_fn *fn, hc_node *code)
{
    HC_EACH_CALL (c, fn, code) {
        hc_fn *to = c->decl ? hc_fn_of(p, c->decl) : NULL;
        if (to)
            add_function(p, to);
    }
}

static int calls_again(hc_program *p, hc_fn *fn, const hc_fn *whom)
{
    HC_EACH_CALL (c, fn, fn->node) {
        hc_fn *to = c->decl ? hc_fn_of(p, c->decl) : NULL;
        if (to == whom)
            return 1;
        if (!to || to->mark == p->index->mark)
            continue;
        to->mark = p->index->mark;
        if (calls_again(p, to, whom))
            return 1;
    }
    return 0;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static void use_variable(body *b, hc_node *n);

static void use_initialiser(body *b, const hc_decl *d)
{
    HC_EACH_NODE (n, d->node->init)
        if (n->kind == HC_N_NAME && hc_is_var(n->decl))
            use_variable(b, n);
}

static void add_global(body *b, hc_decl *d, hc_node *n)
{
    hc_program *p = b->p;
    hc_global g = {.decl = d, .is_constant = is_constant(d)};
    if (hc_global_of(p, d))
        return;
    if (!g.is_constant && !d->type->size && d->kind != HC_N_FUNCTION)
        SAY(HC_ERROR, 240, n, "'%s' is used in a task, and its length is not known here: declare it with its length",
            d->name);
    if (g.is_constant)
        use_initialiser(b, d);
    for (uint32_t i = 0; i < p->globals.n; i++)
        g.index += !p->globals.at[i].is_constant;
    g.name = hc_unique_name(p, d->name);
    g.is_shown = !g.is_constant && d->kind != HC_N_FUNCTION && hc_settle_global(p, d, n);
    *HC_ADD(&p->globals) = g;
}

static int is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether the pragma names it; its words are not expressions. */
static int names(const hc_unit *u, const hc_pragma *g, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t at = g->at.begin + 1; at + n < g->at.end; at++)
        if (!memcmp(u->text.bytes + at, name, n) && !is_letter(u->text.bytes[at - 1]) &&
            !is_letter(u->text.bytes[at + n]))
            return 1;
    return 0;
}

static int is_threadprivate(const hc_unit *u, const hc_decl *d)
{
    for (uint32_t i = 0; i < u->pragmas.n; i++)
        if (u->pragmas.at[i].directive == HC_THREADPRIVATE && names(u, &u->pragmas.at[i], d->name))
            return 1;
    return 0;
}

static void use_variable(body *b, hc_node *n)
{
    const hc_capture *c = b->task ? hc_capture_of(b->task, n->decl) : NULL;
    hc_decl *d = hc_canonical(b->p, n->decl);
    if (!d->is_global && !d->is_static && !d->is_extern)
        return;
    if (c && !c->is_shared && !c->is_lastprivate)
        return;
    if (d->is_thread_local || is_threadprivate(n->unit, d))
        SAY(HC_ERROR, 150, n, "'%s' is threadprivate: tasks have no threads; pass it as firstprivate", d->name);
    else if (!d->is_global && !is_constant(d) && hc_declared_in(d, b->code))
        SAY(HC_ERROR, 171, n,
            "'%s' keeps its value from call to call, in a function that tasks call: pass it as an argument", d->name);
    else if (!c || c->is_lastprivate || c->reduction)
        add_global(b, d, n);
}

/* A host function: by its address. Bodies see declarations of system headers. */
static void use_function(body *b, hc_node *n)
{
    hc_decl *d = n->decl;
    int is_called = n->parent->kind == HC_N_CALL && n->parent->first == n;
    if (d && d->kind == HC_N_FUNCTION && !d->is_system && strncmp(d->name, "__builtin_", 10) != 0 &&
        !(is_called && hc_function_of(b->p, d))) {
        if (hc_fn_of(b->p, d) && hc_fn_of(b->p, d)->makes_tasks)
            SAY(HC_ERROR, 140, n, "%s creates tasks, and a task calls the host's version of it", d->name);
        add_global(b, hc_canonical(b->p, d), n);
    }
}

/* ---- what device code does not have ------------------------------------------------------------------------------ */

/* Records what the region must be told for the answer. */
static void note_question(const body *b, const hc_node *n)
{
    const hc_library *l = n->decl ? hc_library_of(n->decl->name) : NULL;
    if (!l || l->kind != HC_L_OMP)
        return;
    b->p->asks_final |= !strcmp(n->decl->name, "omp_in_final");
    b->p->asks_numbers |= !is_in_threads(n, b->code) && strstr(n->decl->name, "thread") != NULL;
}

static void check_library(const body *b, const hc_node *n, const hc_library *l)
{
    const char *name = n->decl->name;
    b->p->calls_openmp |= l->kind == HC_L_OMP_HOST;
    if (b->p->options.is_host_only || l->kind < HC_L_ISO)
        return;
    if (l->kind == HC_L_OMP_HOST)
        SAY(HC_ERROR, 160, n, "%s has no meaning in a task%s", name,
            strstr(name, "lock") ? ": use `#pragma omp critical` or `atomic`" : "");
    else if (l->kind == HC_L_FILE)
        SAY(HC_ERROR, 181, n, "%s in a task: device code has no files and no jumps out of functions; only printf",
            name);
    else
        SAY(HC_ERROR, 180, n,
            "device code has no %s; there are math.h, abs, memcpy, memmove, memset, printf, assert, abort; with "
            "--backend cpu tasks may call it",
            name);
}

/* A host function that creates tasks would do so in the middle of a run. */
static void check_pointer_call(const body *b, hc_node *n)
{
    hc_call c = {n, n->decl};
    hc_fn *to;
    for (uint32_t i = 0; !n->decl && (to = hc_callee(b->p, &c, i)) != NULL; i++)
        if (to->makes_tasks)
            SAY(HC_ERROR, 140, n, "a task may call %s through this pointer, which creates tasks", to->decl->name);
}

static void check_call(const body *b, hc_node *n)
{
    const hc_library *l = n->decl ? hc_library_of(n->decl->name) : NULL;
    note_question(b, n);
    if (n->decl && hc_fn_of(b->p, n->decl))
        return;
    if (l)
        check_library(b, n, l);
    else if (b->p->options.is_host_only)
        check_pointer_call(b, n);
    else if (!n->decl)
        SAY(HC_ERROR, 240, n, "a call through a pointer in a task: call the functions by name, in a switch");
    else if (n->decl->is_system || !strncmp(n->decl->name, "__builtin_", 10))
        SAY(HC_ERROR, 180, n,
            "device code has no %s; there are math.h, abs, memcpy, memmove, memset, printf, assert, abort",
            n->decl->name);
    else
        SAY(HC_ERROR, 141, n, "a task calls %s, whose source was not given: name its file on the command line, too",
            n->decl->name);
}

static void check_directive(const body *b, const hc_node *n)
{
    const hc_clause *ordered = hc_clause_of(n->pragma, HC_C_ORDERED_CLAUSE);
    if (ordered)
        hc_say(HC_ERROR, 150, &n->unit->text, ordered->at.begin, ordered->at.end,
               "an ordered loop in a task is not supported");
    switch (n->pragma->directive) {
    case HC_ORDERED:
    case HC_CANCEL:
    case HC_CANCELLATION_POINT:
        SAY(HC_ERROR, 150, n, "`%s` in a task is not supported", hc_directive_words(n->pragma->directive));
        break;
    case HC_FOR:
    case HC_FOR_SIMD:
    case HC_SECTIONS:
    case HC_SINGLE:
    case HC_MASTER:
    case HC_MASKED:
    case HC_BARRIER:
        if (!is_in_threads(n, b->code))
            SAY(HC_ERROR, 240, n, "`%s` whose parallel region is in another function: write `parallel` around it here",
                hc_directive_words(n->pragma->directive));
        break;
    case HC_TARGET:
    case HC_TARGET_PARALLEL:
    case HC_TARGET_DATA:
    case HC_TARGET_UPDATE:
    case HC_TARGET_ENTER_DATA:
    case HC_TARGET_EXIT_DATA:
        SAY(HC_ERROR, 240, n, "`%s` in a task: the task itself runs on the device",
            hc_directive_words(n->pragma->directive));
        break;
    default: break;
    }
}

static void check_type(const body *b, const hc_node *n)
{
    const hc_type *t = n->decl->type;
    if (hc_leads_to_rows(t))
        SAY(HC_ERROR, 240, n, "'%s' leads to pointers to arrays of variable length: use pointers to elements",
            n->decl->name);
    if (b->p->options.is_host_only)
        return;
    while (hc_is_array(t) || t->kind == HC_T_POINTER)
        t = t->of;
    if (t->kind == HC_T_COMPLEX || t->kind == HC_T_ATOMIC)
        SAY(HC_ERROR, 172, n, "'%s' is of type '%s', which device code does not have", n->decl->name,
            n->decl->type->name);
    else if (t->kind == HC_T_FLOATING && t->size > 8)
        SAY(HC_WARNING, 172, n, "'%s' is long double: a device computes with double", n->decl->name);
}

static void look_at(body *b, hc_node *n)
{
    switch (n->kind) {
    case HC_N_NAME:
        if (hc_is_var(n->decl))
            use_variable(b, n);
        else if (b->p->options.is_host_only)
            use_function(b, n);
        break;
    case HC_N_CALL: check_call(b, n); break;
    case HC_N_DIRECTIVE: check_directive(b, n); break;
    case HC_N_VAR: check_type(b, n); break;
    case HC_N_ASM: SAY(HC_ERROR, 181, n, "assembly in a task: write it in C"); break;
    case HC_N_COMPUTED_GOTO: SAY(HC_ERROR, 173, n, "a goto to a computed place in a task: use a switch"); break;
    default: break;
    }
}

static void check_body(body *b)
{
    HC_EACH_NODE (n, b->code)
        look_at(b, n);
}

static void check_left(const body *b)
{
    const hc_unit *u = b->code->unit;
    for (uint32_t i = 0; i < u->pragmas.n_left; i++)
        if (u->pragmas.left[i].begin > b->code->begin && u->pragmas.left[i].end < b->code->end)
            hc_say(HC_ERROR, 240, &u->text, u->pragmas.left[i].begin, u->pragmas.left[i].end,
                   "a task calls %s, and this is for the C compiler alone", b->fn->decl->name);
}

static void check_function(hc_program *p, const hc_function *f)
{
    body b = {.p = p, .fn = hc_fn_of(p, f->decl)};
    b.code = b.fn->node->body;
    for (const hc_node *n = b.fn->node->first; n; n = n->next)
        if (n->kind == HC_N_PARAM)
            check_type(&b, n);
    check_left(&b);
    if (f->decl->type->is_variadic &&
        f->decl->type->n_params) /* `f()` with no parameters in its definition takes none */
        SAY(HC_ERROR, 181, b.fn->node->first ? b.fn->node->first : b.code,
            "%s takes a variable number of arguments and is called by a task: give it fixed ones", f->decl->name);
    check_body(&b);
}

/* ---- tasks that one thread runs ---------------------------------------------------------------------------------- */

static int has_loop(const hc_program *p, hc_fn *fn, hc_node *code)
{
    HC_EACH_NODE (n, code)
        if (n->kind == HC_N_FOR || n->kind == HC_N_WHILE || n->kind == HC_N_DO)
            return 1;
    HC_EACH_CALL (c, fn, code) {
        hc_fn *to = c->decl ? hc_fn_of(p, c->decl) : NULL;
        if (!to || to->mark == p->index->mark)
            continue;
        to->mark = p->index->mark;
        if (has_loop(p, to, to->node->body))
            return 1;
    }
    return 0;
}

static void finish_task(hc_program *p, hc_task *t)
{
    hc_fn *fn = hc_fn_of(p, t->function);
    body b = {p, fn, t->statement, t};
    check_body(&b);
    hc_check_pointers(p, t);
    t->has_inner = has_inner(p, fn, t->statement);
    p->index->mark++;
    if (!t->has_inner && !p->options.is_host_only && has_loop(p, fn, t->statement))
        SAY(HC_WARNING, 190, t->node,
            "one thread of a block runs this task alone on a GPU: put `#pragma omp parallel for` on a loop of %s",
            t->label);
}

void hc_find_reached(hc_program *p)
{
    p->index->mark++;
    for (uint32_t i = 0; i < p->tasks.n; i++)
        add_called(p, hc_fn_of(p, p->tasks.at[i].function), p->tasks.at[i].statement);
    spread_inner(p);
    spread_ways(p);
    for (uint32_t i = 0; i < p->functions.n; i++) {
        p->index->mark++;
        p->functions.at[i].is_recursive =
            calls_again(p, hc_fn_of(p, p->functions.at[i].decl), hc_fn_of(p, p->functions.at[i].decl));
        check_function(p, &p->functions.at[i]);
    }
    for (uint32_t i = 0; i < p->tasks.n; i++)
        finish_task(p, &p->tasks.at[i]);
}
