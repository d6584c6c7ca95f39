/* SPDX-License-Identifier: MIT */
/* device_split.c - tasks in tasks that run side by side: code that spawns tasks and waits for them, split where it
 * waits.
 *
 * A function or task with inner tasks is written twice: as it stands, with inner tasks as a part of it
 * (device_region.c), and as steps. A step runs until it waits for its spawned tasks. Its resumption point, and the
 * variables that live across waits, stand in a frame (heddle_omp_frame). Calls of such functions as statements get
 * frames, too, so that a wait inside one suspends the whole task. A frame is allocated; without room, or at a body's
 * limit of spawned tasks, the unsplit code runs: OpenMP lets any task run where it is created.
 *
 * Not split, and reported to add no parallelism (HC140): a wait in a switch, in an inner region or in `critical`;
 * arrays of variable length; calls of split functions inside expressions; taskloops. */
#include "device/device.h"
#include "emit/section_text.h"

#include <string.h>

/* ---- where code waits -------------------------------------------------------------------------------------------- */

static hc_code *split_of(hc_device *d, const hc_decl *function)
{
    for (uint32_t i = 0; function && i < d->splits.n; i++)
        if (d->splits.at[i]->function && d->splits.at[i]->function == hc_function_of(d->p, function))
            return d->splits.at[i];
    return NULL;
}

static hc_code *split_of_task(hc_device *d, const hc_task *t)
{
    for (uint32_t i = 0; i < d->splits.n; i++)
        if (d->splits.at[i]->task == t)
            return d->splits.at[i];
    return NULL;
}

static int is_statement(const hc_node *n)
{
    const hc_node *up = n->parent;
    switch (up->kind) {
    case HC_N_BLOCK:
    case HC_N_LABEL: return 1;
    case HC_N_IF: return n != up->test;
    case HC_N_FOR:
    case HC_N_WHILE:
    case HC_N_DO:
    case HC_N_DIRECTIVE: return n == up->body;
    default: return 0;
    }
}

/* A case label of the steps would belong to the user's switch. */
static int is_in_switch(const hc_node *n)
{
    for (const hc_node *up = n->parent; up && up->kind != HC_N_FUNCTION && !hc_is_task_directive(up); up = up->parent)
        if (up->kind == HC_N_SWITCH)
            return 1;
    return 0;
}

/* The call that makes up a statement: f(..); x = f(..); T x = f(..); return f(..). */
static hc_node *call_of(hc_node *n)
{
    hc_node *call = n;
    if (!is_statement(n) || is_in_switch(n))
        return NULL;
    if (n->kind == HC_N_ASSIGN)
        call = strcmp(n->op, "=") ? NULL : n->last;
    else if (n->kind == HC_N_RETURN)
        call = n->first;
    else if (n->kind == HC_N_DECLS)
        call = n->first && n->first == n->last && n->first->kind == HC_N_VAR ? n->first->init : NULL;
    return call && call->kind == HC_N_CALL && call->decl ? call : NULL;
}

static hc_code *called_split(hc_device *d, hc_node *n)
{
    hc_node *call = call_of(n);
    return call ? split_of(d, call->decl) : NULL;
}

static const hc_task *task_at(hc_device *d, const hc_node *n)
{
    const hc_task *t = hc_is_task_directive(n) ? hc_task_of(d->p, n) : NULL;
    return t || !hc_is_task_directive(n) ? t : hc_inner_task_of(d->p, n);
}

/* A task with dependences that cannot be spawned waits for the earlier ones. */
static int is_ordered(hc_device *d, const hc_node *n)
{
    const hc_task *t = task_at(d, n);
    return t && t->depends.n && !t->is_loop;
}

static int is_wait(hc_device *d, hc_node *n)
{
    return hc_is_directive(n, HC_TASKWAIT) || hc_is_directive(n, HC_TASKGROUP) || is_ordered(d, n) ||
           called_split(d, n);
}

/* The node behind n; the walk skips the contents of directives other than taskgroup. */
static hc_node *next_of(const hc_node *root, hc_node *n)
{
    return n->kind == HC_N_DIRECTIVE && !hc_is_directive(n, HC_TASKGROUP) ? hc_behind(root, n) : hc_inside(root, n);
}
#define HC_EACH_STEP(n, root) for (hc_node *n = (root); n; n = next_of((root), n))

static int waits(hc_device *d, hc_node *root)
{
    HC_EACH_STEP (n, root)
        if (is_wait(d, n))
            return 1;
    return 0;
}

/* ---- what is split ----------------------------------------------------------------------------------------------- */

static int is_loop(const hc_node *n) { return n->kind == HC_N_FOR || n->kind == HC_N_WHILE || n->kind == HC_N_DO; }

/* An evaluated length is not kept in frames. */
static int asks_length(const hc_node *n)
{
    const hc_node *up = n->parent;
    while (up && up->kind == HC_N_PAREN)
        up = up->parent;
    return n->kind == HC_N_TYPEDEF || (n->kind == HC_N_NAME && up && up->kind == HC_N_SIZEOF);
}

/* A variable-length array with elements of constant size: its memory lasts until the frame ends. */
static int is_kept_array(const hc_decl *decl)
{
    const hc_node *up = decl->node;
    while (up && up->kind != HC_N_FUNCTION && !hc_is_task_directive(up) && !is_loop(up))
        up = up->parent;
    return decl->type->kind == HC_T_VLA && hc_flat_rank(decl->type) == 0 && up && !is_loop(up);
}

static int is_flat_variable(const hc_node *n)
{
    return (n->kind == HC_N_VAR || n->kind == HC_N_PARAM || n->kind == HC_N_NAME || n->kind == HC_N_TYPEDEF) &&
           n->decl && n->decl->type && hc_is_flat(n->decl->type) && (!is_kept_array(n->decl) || asks_length(n));
}

static int copies_array(hc_device *d, const hc_node *n)
{
    const hc_task *t = task_at(d, n);
    for (uint32_t i = 0; t && i < t->captures.n; i++)
        if (t->captures.at[i].how != HC_BY_REFERENCE && t->captures.at[i].decl->type->kind == HC_T_VLA)
            return 1;
    return 0;
}

/* The code waits where it cannot be split. */
static int is_bound_wait(hc_device *d, const hc_node *n, const hc_node *root)
{
    if (!hc_is_directive(n, HC_TASKWAIT) && !hc_is_directive(n, HC_TASKGROUP) && !is_ordered(d, n))
        return 0;
    for (const hc_node *up = n->parent; up && hc_is_in(up, root); up = up->parent)
        if (hc_is_task_directive(up))
            return 0;
        else if (up->kind == HC_N_DIRECTIVE && !hc_is_directive(up, HC_TASKGROUP))
            return 1;
    return is_in_switch(n);
}

static int may_split(hc_device *d, hc_node *root)
{
    HC_EACH_NODE (n, root)
        if (is_flat_variable(n) || copies_array(d, n) || is_bound_wait(d, n, root) || n->kind == HC_N_COMPUTED_GOTO)
            return 0;
    return !hc_has_region(d, root);
}

static int may_spawn(hc_device *d, const hc_task *t)
{
    return t && !t->is_loop && !hc_clause_of(t->node->pragma, HC_C_IN_REDUCTION) && may_split(d, t->statement);
}

static int spawns(hc_device *d, hc_node *root)
{
    HC_EACH_STEP (n, root)
        if (may_spawn(d, task_at(d, n)) || called_split(d, n))
            return 1;
    return 0;
}

static hc_code *add_split(hc_device *d, hc_function *f, const hc_task *t, hc_node *root)
{
    hc_code *c = HC_NEW(hc_code);
    c->function = f;
    c->task = t;
    c->root = root;
    c->mode = HC_THREAD;
    c->number = d->splits.n;
    c->name = f ? f->name : t->name;
    *HC_ADD(&d->splits) = c;
    return c;
}

static int add_functions(hc_device *d)
{
    uint32_t n = d->splits.n;
    for (uint32_t i = 0; i < d->p->functions.n; i++) {
        hc_function *f = &d->p->functions.at[i];
        hc_node *root = f->decl->node->body;
        if (!split_of(d, f->decl) && spawns(d, root) && may_split(d, f->decl->node))
            add_split(d, f, NULL, root);
    }
    return d->splits.n != n;
}

/* A task created by the host is split if it spawns; tasks created by tasks always are. */
static void add_tasks(hc_device *d)
{
    uint32_t n_functions = d->splits.n;
    for (uint32_t i = 0; i < d->p->tasks.n; i++) {
        const hc_task *t = &d->p->tasks.at[i];
        int is_inner = split_of(d, t->function) != NULL;
        if (may_spawn(d, t) && !t->has_inner && (is_inner || spawns(d, t->statement)))
            add_split(d, NULL, t, t->statement);
    }
    for (uint32_t i = 0; i < d->p->inner_tasks.n; i++)
        if (may_spawn(d, &d->p->inner_tasks.at[i]))
            add_split(d, NULL, &d->p->inner_tasks.at[i], d->p->inner_tasks.at[i].statement);
    if (n_functions == d->splits.n) /* no code creates a frame */
        d->splits.n = 0;
}

void hc_find_splits(hc_device *d)
{
    while (add_functions(d)) {
    }
    add_tasks(d);
}

/* ---- variables that live across a wait --------------------------------------------------------------------------- */

static int is_around(const hc_node *loop, const hc_node *n) { return is_loop(loop) && hc_is_in(n, loop); }

/* A loop around both leads from the wait to the use, unless each iteration has its own variable. */
static int is_in_one_loop(const hc_decl *decl, const hc_node *use, const hc_node *wait, const hc_node *root)
{
    for (const hc_node *up = wait->parent; up && hc_is_in(up, root); up = up->parent)
        if (is_around(up, use) && !hc_declared_in(decl, up->body))
            return 1;
    return 0;
}

static int is_crossed(hc_device *d, const hc_variable *v, hc_node *root)
{
    HC_EACH_STEP (wait, root) {
        if (!is_wait(d, wait))
            continue;
        if (wait->begin < v->uses_end && wait->end > v->uses_begin)
            return 1;
        HC_EACH_NODE (n, root)
            if (n->kind == HC_N_NAME && n->decl == v->decl && is_in_one_loop(v->decl, n, wait, root))
                return 1;
    }
    return 0;
}

static int is_taken(const hc_node *n)
{
    const hc_node *up = n->parent;
    for (; up && (up->kind == HC_N_PAREN || up->kind == HC_N_MEMBER || up->kind == HC_N_INDEX) && up->first == n;
         up = up->parent)
        n = up;
    return up && up->kind == HC_N_UNARY && up->op[0] == '&';
}

static int is_changed(const hc_decl *decl, hc_node *root)
{
    HC_EACH_NODE (n, root)
        if (hc_changed_by(n) && hc_target(hc_changed_by(n)) == decl)
            return 1;
    return 0;
}

static int is_referred(hc_device *d, const hc_decl *decl, hc_node *root)
{
    HC_EACH_NODE (n, root) {
        const hc_task *t = task_at(d, n);
        const hc_capture *c = t ? hc_capture_of(t, decl) : NULL;
        if ((c && c->how == HC_BY_REFERENCE) || (n->kind == HC_N_NAME && n->decl == decl && is_taken(n)))
            return 1;
    }
    return 0;
}

static void find_uses(hc_variable *v, hc_node *root)
{
    const hc_decl *decl = v->decl;
    v->uses_begin = hc_declared_in(decl, root) ? decl->node->begin : UINT32_MAX;
    HC_EACH_NODE (n, root)
        if (n->kind == HC_N_NAME && n->decl == decl) {
            v->uses_begin = n->begin < v->uses_begin ? n->begin : v->uses_begin;
            v->uses_end = n->end > v->uses_end ? n->end : v->uses_end;
        }
}

static void add_variable(hc_device *d, hc_code *c, hc_decl *decl)
{
    hc_variable *v = HC_ADD(&c->variables);
    v->decl = decl;
    find_uses(v, c->root);
    v->is_block = hc_is_array(decl->type) || is_referred(d, decl, c->root) || is_crossed(d, v, c->root);
}

/* A step can read it again from the frame. */
static int is_constant(const hc_variable *v, hc_node *root)
{
    return !hc_is_array(v->decl->type) && !is_changed(v->decl, root);
}

/* Variables declared in a scope that contains a wait; others live between two waits. */
static void collect(hc_device *d, hc_code *c)
{
    HC_EACH_STEP (n, c->root) {
        const hc_node *scope = n->kind == HC_N_DECLS ? n->parent : NULL;
        for (hc_node *v = scope && waits(d, (hc_node *)scope) ? n->first : NULL; v; v = v->next)
            if (v->kind == HC_N_VAR && hc_is_local(v->decl))
                add_variable(d, c, v->decl);
    }
}

int hc_is_split_scope(hc_device *d, const hc_node *decls) { return d->s.splits && waits(d, decls->parent); }

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static char *frame_type(const hc_code *c) { return hc_format("struct hd_%s_frame", c->name); }

/* `source`: its value in the frame. A changing variable is kept there; others are read again in each step. */
static void name_value(hc_device *d, hc_buf *head, hc_decl *decl, const char *source)
{
    hc_variable *v;
    add_variable(d, d->s.code, decl);
    v = &d->s.code->variables.at[d->s.code->variables.n - 1];
    if (v->is_block && (is_referred(d, decl, d->s.code->root) || !is_constant(v, d->s.code->root))) {
        hc_push_name(d, decl, source, 1);
    } else {
        hc_putf(head, "    %s = %s;\n", hc_declaration(d, hc_unqualified(decl->type), hc_dev_name(decl->name)), source);
        hc_push_name(d, decl, hc_dev_name(decl->name), 0);
    }
    d->s.code->variables.n--; /* its declaration is not reached */
}

static void name_parameters(hc_device *d, hc_code *c, hc_buf *head)
{
    uint32_t i = 0;
    for (hc_node *n = c->function->decl->node->first; n; n = n->next)
        if (n->kind == HC_N_PARAM)
            name_value(d, head, n->decl, hc_format("hd_b->hd_p_%u", i++));
}

static void name_captures(hc_device *d, hc_code *c, hc_buf *head)
{
    for (uint32_t i = 0; i < c->task->captures.n; i++) {
        const hc_capture *own = &c->task->captures.at[i];
        char *field = hc_format("hd_b->hd_a.%s", hc_dev_name(own->field));
        if (own->decl->type->kind == HC_T_VLA)
            hc_push_name(d, own->decl, field, 1);
        else if (own->how == HC_BY_REFERENCE)
            hc_push_name(d, own->decl, hc_format("(*%s)", field), 1);
        else if (own->how == HC_BY_VALUE)
            name_value(d, head, own->decl, field);
        else
            hc_push_name(d, own->decl, hc_member_text(d, own->decl), 1);
    }
}

static void name_variables(hc_device *d, hc_code *c)
{
    collect(d, c);
    for (uint32_t i = 0; i < c->variables.n; i++)
        if (c->variables.at[i].is_block)
            hc_push_name(d, c->variables.at[i].decl, hc_member_text(d, c->variables.at[i].decl), 1);
}

static const hc_type *result_of(const hc_code *c)
{
    const hc_type *t = c->function ? c->function->decl->type->of : NULL;
    return t && t->kind != HC_T_VOID ? hc_unqualified(t) : NULL;
}

static void put_frame(hc_device *d, const hc_code *c)
{
    uint32_t i = 0;
    hc_dev_putf(d, "%s {\n    heddle_omp_frame head;\n", frame_type(c));
    if (result_of(c))
        hc_dev_putf(d, "    %s;\n", hc_declaration(d, hc_pointer_to(result_of(c)), "hd_result"));
    for (hc_node *n = c->function ? c->function->decl->node->first : NULL; n; n = n->next)
        if (n->kind == HC_N_PARAM)
            hc_dev_putf(d, "    %s;\n", hc_declaration(d, hc_unqualified(n->decl->type), hc_format("hd_p_%u", i++)));
    if (c->task)
        hc_dev_putf(d, "    struct hd_%s_args hd_a;\n", c->task->name);
    hc_dev_putf(d, "%s};\n", c->fields.n ? c->fields.at : "");
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void put_new_frame(hc_device *d, const hc_code *of, const char *only_if)
{
    hc_dev_putf(d, "{ %s *const hd_c = %s(%s *)heddle_omp_frame_new(sizeof(%s), %uu)%s; ", frame_type(of),
                *only_if ? hc_format("%s ? ", only_if) : "", frame_type(of), frame_type(of), of->number,
                *only_if ? " : NULL" : "");
}

static void put_arguments(hc_device *d, const hc_node *call)
{
    uint32_t i = 0;
    for (hc_node *a = call->first->next; a; a = a->next)
        hc_dev_putf(d, "hd_c->hd_p_%u = %s; ", i++, hc_dev_text(d, a));
}

static void put_wait(hc_device *d)
{
    uint32_t k = ++d->s.code->n_points;
    hc_dev_putf(d,
                "if (hd_run->n_spawned) return heddle_omp_wait(hd_run, &hd_b->head, %uu); /* fall through */ case %u:;",
                k, k);
}

/* `return` in a step: the calling frame continues. */
static void put_return(hc_device *d, const char *value)
{
    hc_puts(&d->w.out, "{ ");
    if (value && result_of(d->s.code))
        hc_dev_putf(d, "if (hd_b->hd_result) *hd_b->hd_result = %s; ", value);
    else if (value)
        hc_dev_putf(d, "(void)(%s); ", value);
    hc_puts(&d->w.out, "return heddle_omp_return(hd_run, &hd_b->head); }");
}

/* The unsplit form, when there is no room for a frame. */
static char *plain_text(hc_device *d, hc_node *n)
{
    char *text;
    d->s.splits = 0;
    text = hc_dev_text(d, n);
    d->s.splits = 1;
    return text;
}

/* Uses the value of a call that is a statement. */
static void put_use(hc_device *d, hc_node *n, const char *value)
{
    if (n->kind == HC_N_RETURN)
        put_return(d, value);
    else if (n->kind == HC_N_ASSIGN)
        hc_dev_putf(d, " %s = %s;", hc_dev_text(d, n->first), value);
    else if (n->kind == HC_N_DECLS)
        hc_dev_putf(d, " %s = %s;", hc_name_of(d, n->first->decl), value);
}

static void write_split_call(hc_device *d, hc_node *n, hc_code *to)
{
    hc_node *call = call_of(n);
    const hc_type *t = result_of(to);
    char *value = t && n != call ? hc_value_member(d, t) : NULL;
    uint32_t k = ++d->s.code->n_points;
    char *plain;
    if (n->kind == HC_N_DECLS && !hc_variable_of(d->s.code, n->first->decl)->is_block)
        hc_dev_putf(d, "%s; ",
                    hc_declaration(d, hc_unqualified(n->first->decl->type), hc_dev_name(n->first->decl->name)));
    put_new_frame(d, to, "");
    hc_puts(&d->w.out, "if (hd_c) { ");
    put_arguments(d, call);
    if (t)
        hc_dev_putf(d, "hd_c->hd_result = %s%s; ", value ? "&" : "NULL", value ? value : "");
    plain = plain_text(d, call);
    hc_dev_putf(d, "return heddle_omp_call(&hd_b->head, &hd_c->head, %uu); } ", k);
    hc_dev_putf(d, value ? "%s = %s; }" : "%s%s; }", value ? value : "", plain);
    hc_dev_putf(d, " /* fall through */ case %u:;", k);
    put_use(d, n, value ? value : "");
}

static void split_statement(hc_device *d, hc_node *n);

static void split_body(hc_device *d, hc_node *n)
{
    hc_puts(&d->w.out, n->kind == HC_N_BLOCK ? "" : "{ ");
    split_statement(d, n);
    hc_puts(&d->w.out, n->kind == HC_N_BLOCK ? "" : " }");
}

/* Variables declared by a for stand in the frame. */
static void split_init(hc_device *d, hc_node *decls)
{
    const char *comma = "";
    for (hc_node *v = decls->first; v; v = v->next) {
        char *setting;
        if (v->kind != HC_N_VAR || !v->init)
            continue;
        setting = hc_format("%s = %s", hc_name_of(d, v->decl), hc_dev_text(d, v->init));
        hc_dev_putf(d, "%s%s", comma, setting);
        comma = ", ";
    }
    hc_puts(&d->w.out, ";");
}

static void split_children(hc_device *d, hc_node *n)
{
    uint32_t at = n->begin;
    for (hc_node *c = n->first; c; at = c->end, c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        if (n->kind == HC_N_BLOCK)
            hc_dev_sync(d, c);
        if (c->kind == HC_N_DECLS && n->kind == HC_N_FOR)
            split_init(d, c);
        else if (n->kind == HC_N_BLOCK)
            split_statement(d, c);
        else if (is_statement(c))
            split_body(d, c);
        else
            hc_write(&d->w, c);
    }
    hc_write_text(&d->w, n->unit, at, n->end);
}

static void split_group(hc_device *d, hc_node *n)
{
    hc_dev_indent(d, n->body);
    hc_puts(&d->w.out, "{ /* taskgroup */");
    hc_write_text(&d->w, n->unit, n->pragma->at.end, n->body->begin);
    split_body(d, n->body);
    hc_puts(&d->w.out, " ");
    put_wait(d);
    hc_puts(&d->w.out, " }");
}

static void split_statement(hc_device *d, hc_node *n)
{
    hc_code *to = called_split(d, n);
    if (to) {
        write_split_call(d, n, to);
    } else if (hc_is_directive(n, HC_TASKWAIT)) {
        hc_dev_indent(d, n);
        put_wait(d);
    } else if (hc_is_directive(n, HC_TASKGROUP)) {
        split_group(d, n);
    } else if (!waits(d, n) || n->kind == HC_N_DIRECTIVE) {
        hc_write(&d->w, n);
    } else {
        split_children(d, n);
    }
}

/* 1: the step ends here. */
int hc_split_return(hc_device *d, hc_node *n)
{
    if (!d->s.splits || n->kind != HC_N_RETURN)
        return 0;
    put_return(d, n->first ? hc_dev_text(d, n->first) : NULL);
    return 1;
}

/* ---- spawning ---------------------------------------------------------------------------------------------------- */

static void put_capture(hc_device *d, const hc_capture *c)
{
    const char *field = hc_dev_name(c->field), *name = hc_name_of(d, c->decl);
    if (c->decl->type->kind == HC_T_VLA)
        hc_dev_putf(d, "hd_c->hd_a.%s = %s; ", field, name);
    else if (c->how == HC_BY_REFERENCE)
        hc_dev_putf(d, "hd_c->hd_a.%s = &%s; ", field, name);
    else if (c->how == HC_BY_VALUE && hc_is_array(c->decl->type))
        hc_dev_putf(d, "memcpy(hd_c->hd_a.%s, %s, sizeof hd_c->hd_a.%s); ", field, name, field);
    else if (c->how == HC_BY_VALUE)
        hc_dev_putf(d, "hd_c->hd_a.%s = %s; ", field, name);
}

/* The task's statement is a call of a split function, and its arguments can be evaluated here without loss. */
static hc_code *direct_call(hc_device *d, const hc_task *t)
{
    hc_node *n = hc_only_statement(t->statement);
    hc_code *to = n && !t->depends.n ? called_split(d, n) : NULL;
    const hc_capture *c;
    if (!to || (n->kind != HC_N_CALL && n->kind != HC_N_ASSIGN))
        return NULL;
    if (n->kind == HC_N_CALL)
        return to;
    c = hc_target(n->first) ? hc_capture_of(t, hc_target(n->first)) : NULL;
    return hc_is_same(n->first->type, result_of(to)) && (!c || c->how == HC_BY_REFERENCE) ? to : NULL;
}

static void put_direct(hc_device *d, hc_node *n, const hc_code *to)
{
    put_arguments(d, call_of(n));
    if (result_of(to))
        hc_dev_putf(d, "hd_c->hd_result = %s; ",
                    n->kind == HC_N_ASSIGN ? hc_format("&%s", hc_dev_text(d, n->first)) : "NULL");
}

/* One range suffices: rows of a box, or a stretch. */
static int has_range(const hc_depend *p)
{
    hc_section s = hc_section_of(p->base, p->dims, p->n_dims, p->n_lead);
    return !p->clause->n_iterators && s.n_dims <= s.n_fixed + 2;
}

static void put_range(hc_device *d, const hc_depend *p, uint32_t k)
{
    static const char *const modes[] = {"", "HEDDLE_MODE_IN", "HEDDLE_MODE_OUT", "HEDDLE_MODE_INOUT"};
    hc_section s = hc_section_of(p->base, p->dims, p->n_dims, p->n_lead);
    hc_writer *w = &d->w;
    if (s.n_dims <= s.n_fixed + 1) {
        hc_dev_putf(d, "hd_r[%u] = heddle_range_of(%s, %s, 1, 0, %s); ", k, hc_section_address(w, &s),
                    hc_section_bytes(w, &s), modes[p->mode]);
        return;
    }
    hc_dev_putf(d, "hd_r[%u] = heddle_range_of(&%s[%s][%s], (uint64_t)(%s) * %s, (uint64_t)(%s), %s, %s); ", k,
                hc_section_element(w, &s, s.n_fixed), hc_section_lower(w, &s, s.n_fixed),
                hc_section_lower(w, &s, s.n_fixed + 1), hc_section_length(w, &s, s.n_fixed + 1),
                hc_section_size(w, &s, s.n_dims), hc_section_length(w, &s, s.n_fixed),
                hc_section_size(w, &s, s.n_fixed + 1), modes[p->mode]);
}

static int has_ranges(const hc_task *t)
{
    for (uint32_t i = 0; i < t->depends.n; i++)
        if (!has_range(&t->depends.at[i]))
            return 0;
    return 1;
}

static void put_ranges(hc_device *d, const hc_task *t)
{
    if (!t->depends.n)
        return;
    hc_dev_putf(d, "heddle_range hd_r[%u]; ", t->depends.n);
    for (uint32_t i = 0; i < t->depends.n && has_ranges(t); i++)
        put_range(d, &t->depends.at[i], i);
}

static char *condition(hc_device *d, const hc_task *t)
{
    hc_node *final = hc_clause_expr(t->node, HC_C_FINAL), *deferred = hc_clause_expr(t->node, HC_C_IF);
    hc_buf b = {0};
    if (!has_ranges(t))
        return "0";
    hc_puts(&b, "heddle_omp_may_spawn(hd_run)");
    if (deferred)
        hc_putf(&b, " && (%s)", hc_dev_text(d, deferred));
    if (final)
        hc_putf(&b, " && !(%s)", hc_dev_text(d, final));
    return b.at;
}

/* Inside other directives' braces tasks are parts. Returns the previous d->s.splits. */
int hc_split_enter(hc_device *d, const hc_node *n)
{
    int outer = d->s.splits;
    if (!hc_is_task_directive(n) && !hc_is_directive(n, HC_TASKGROUP))
        d->s.splits = 0;
    return outer;
}

/* 1: the task is spawned, or run as a part if it cannot be. */
int hc_split_task(hc_device *d, hc_node *n, void (*write_part)(hc_device *d, hc_node *n))
{
    const hc_task *t = task_at(d, n);
    hc_code *own = d->s.splits ? split_of_task(d, t) : NULL, *to = own ? direct_call(d, t) : NULL;
    hc_node *priority = own ? hc_clause_expr(n, HC_C_PRIORITY) : NULL;
    uint32_t k = own && t->depends.n ? ++d->s.code->n_points : 0;
    if (!own)
        return 0;
    hc_dev_indent(d, n->body);
    if (k)
        hc_dev_putf(d, "/* fall through */ case %u:; ", k);
    put_new_frame(d, to ? to : own, condition(d, t));
    hc_puts(&d->w.out, "if (hd_c) { ");
    if (to)
        put_direct(d, hc_only_statement(t->statement), to);
    for (uint32_t i = 0; !to && i < t->captures.n; i++)
        put_capture(d, &t->captures.at[i]);
    put_ranges(d, t);
    hc_dev_putf(d, "heddle_omp_spawn(hd_run, &hd_c->head, %s, %s, %u); } else { ",
                priority ? hc_format("(%s) > 0", hc_dev_text(d, priority)) : "0", k ? "hd_r" : "NULL", t->depends.n);
    if (k)
        hc_dev_putf(d, "if (hd_run->n_spawned) return heddle_omp_wait(hd_run, &hd_b->head, %uu); ", k);
    d->s.splits = 0;
    d->s.is_spare = 1;
    write_part(d, n);
    d->s.is_spare = 0;
    d->s.splits = 1;
    hc_puts(&d->w.out, " } }");
    return 1;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void write_steps(hc_device *d, hc_code *c)
{
    hc_aliases outer = d->names;
    hc_buf head = {0}, out = d->w.out;
    hc_scene scene = d->s;
    hc_place p = hc_place_of(&c->root->unit->text, c->root->begin);
    d->names = (hc_aliases){0};
    d->w.out = (hc_buf){0};
    d->s = (hc_scene){.code = c, .mode = HC_THREAD, .top = "hd_top", .splits = 1, .at = {0, p.line, p.file}};
    if (c->function)
        name_parameters(d, c, &head);
    else
        name_captures(d, c, &head);
    name_variables(d, c);
    split_body(d, c->root);
    c->text = d->w.out;
    hc_puts(&head, ""); /* not NULL */
    c->head = head;
    d->w.out = out;
    d->s = scene;
    d->names = outer;
}

void hc_write_splits(hc_device *d)
{
    for (uint32_t i = 0; i < d->splits.n; i++)
        write_steps(d, d->splits.at[i]);
}

static void put_steps(hc_device *d, const hc_code *c)
{
    hc_dev_putf(
        d,
        "\n/* The steps of %s. */\n"
        "HEDDLE_OMP_FN heddle_omp_frame *%s_step(heddle_omp_run *hd_run, const struct hd_params *hd_params, %s *hd_b)\n"
        "{\n"
        "    const heddle_thread hd_worker = heddle_omp_worker(hd_run->thread, &hd_params->head);\n"
        "    const heddle_thread *const hd_thread HEDDLE_UNUSED = &hd_worker;\n"
        "    enum { hd_final = 0 }; /* what is final runs as it stands */\n"
        "%s%s    switch (hd_b->head.at) {\n    case 0:;\n",
        c->task ? c->task->label : c->function->decl->name, c->name, frame_type(c),
        c->needs & HC_NEEDS_TOP ? "    char *hd_top = heddle_omp_stack(hd_run->thread, &hd_params->head);\n" : "",
        c->head.at);
    hc_write_place(&d->w, c->root->unit, c->root->begin);
    hc_dev_indent(d, c->root);
    hc_dev_putf(d, "%s\n    }\n    return heddle_omp_return(hd_run, &hd_b->head);\n}\n", c->text.at);
}

/* The body that continues a frame after its wait. */
void hc_put_splits(hc_device *d)
{
    if (!d->splits.n)
        return;
    hc_puts(&d->w.out, "\n/* Variables that live across waits. */\n");
    for (uint32_t i = 0; i < d->splits.n; i++)
        put_frame(d, d->splits.at[i]);
    for (uint32_t i = 0; i < d->splits.n; i++)
        put_steps(d, d->splits.at[i]);
    hc_puts(&d->w.out, "\nHEDDLE_OMP_FN void hd_go_on(heddle_omp_run *hd_run, const struct hd_params *hd_params, "
                       "heddle_omp_frame *hd_f)\n"
                       "{\n    while (hd_f)\n        switch (hd_f->code) {\n");
    for (uint32_t i = 0; i < d->splits.n; i++)
        hc_dev_putf(d, "        case %u: hd_f = %s_step(hd_run, hd_params, (%s *)hd_f); break;\n", i,
                    d->splits.at[i]->name, frame_type(d->splits.at[i]));
    hc_dev_putf(d,
                "        default: hd_f = NULL;\n        }\n}\n"
                "HEDDLE_SPAWNER(hd_go, struct hd_params, hd_params, heddle_omp_go, hd_t, HEDDLE_OMP_CHILDREN)\n"
                "{\n    heddle_omp_run hd_run = {thread, hd_t->root, %uu, 0};\n"
                "    if (thread->index == 0)\n        hd_go_on(&hd_run, hd_params, heddle_omp_awake(hd_t->root));\n}\n",
                d->p->tasks.n + 1);
}

/* The split body of a task created by the host, behind the unsplit one; nothing if the task is not split. */
void hc_put_split_body(hc_device *d, const hc_task *t)
{
    const hc_code *c = split_of_task(d, t);
    if (!c)
        return;
    hc_dev_putf(d,
                "HEDDLE_SPAWNER(%s, struct hd_params, hd_params, struct hd_%s_args, hd_t, HEDDLE_OMP_CHILDREN)\n"
                "{\n    %s *const hd_b = thread->index%s ? NULL : (%s *)heddle_omp_frame_new(sizeof(%s), %uu);\n"
                "    heddle_omp_run hd_run = {thread, (heddle_omp_frame *)hd_b, %uu, 0};\n"
                "    if (!hd_b) {\n        %s_part_(thread, hd_params, hd_t);\n        return;\n    }\n"
                "    hd_b->hd_a = *hd_t;\n    hd_go_on(&hd_run, hd_params, &hd_b->head);\n}\n",
                t->name, t->name, frame_type(c), t->final && d->p->asks_final ? " || hd_t->hd_final" : "",
                frame_type(c), frame_type(c), c->number, d->p->tasks.n + 1, t->name);
}

int hc_is_split_task(hc_device *d, const hc_task *t) { return split_of_task(d, t) != NULL; }
int hc_is_split_function(hc_device *d, const hc_function *f) { return split_of(d, f->decl) != NULL; }
