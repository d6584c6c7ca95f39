/* SPDX-License-Identifier: MIT */
/* device_code.c - functions in their versions, and bodies of tasks. */
#include "device/device.h"

#include <string.h>

/* Block-shared bytes that a body may use; a body with more, or without bound, uses the worker's stack. */
#define MOST_SHARED 8192u
/* Bytes of text of a function that may be inlined in several callers. */
#define MOST_WITHIN 2048u

static const char *separator(uint32_t n) { return n ? ", " : ""; }
static char *block_name(const hc_code *c) { return hc_format("hd_%s_block", c->name); }

int hc_uses_stack(const hc_code *c) { return c->is_deep || hc_block_bytes(c) + c->below_bytes > MOST_SHARED; }
uint64_t hc_shared_bytes(const hc_code *c) { return hc_uses_stack(c) ? 0 : hc_block_bytes(c) + c->below_bytes; }

/* ---- the beginning of a version ---------------------------------------------------------------------------------- */

/* Names the variables shared by threads. Returns the statements that store shared parameters, which arrive per thread. */
static char *name_block_variables(hc_device *d, hc_code *c)
{
    hc_buf b = {0};
    for (uint32_t i = 0; i < c->variables.n; i++) {
        const hc_decl *decl = c->variables.at[i].decl;
        if (decl->type->kind == HC_T_VLA) /* on the common stack */
            hc_push_name(d, decl, hc_dev_name(decl->name), 1);
        if (!c->variables.at[i].is_block)
            continue;
        hc_push_name(d, decl, hc_member_text(d, decl), 1);
        if (decl->kind == HC_N_PARAM && c->function)
            hc_putf(&b, "%s%s = %s;", b.n ? " " : "", hc_name_of(d, decl), hc_dev_name(decl->name));
    }
    return b.n ? hc_format("    HEDDLE_OMP_ONE { %s }\n", b.at) : hc_copy("", 0);
}

/* Declarations known only after the rest is written. */
static void put_block(hc_buf *b, const hc_code *c)
{
    const char *type = block_name(c);
    if (!c->members.n)
        return;
    if (c->is_deep)
        hc_putf(b,
                "    struct %s *const hd_b =\n"
                "        (struct %s *)heddle_omp_push(hd_thread, &hd_params->head, &hd_top, sizeof *hd_b);\n",
                type, type);
    else
        hc_putf(b, "    struct %s *const hd_b = (struct %s *)hd_top;\n", type, type);
    if (!c->is_deep && c->below_bytes)
        hc_puts(b, "    hd_top += HEDDLE_OMP_UP(sizeof *hd_b);\n");
}

static void put_worker(hc_buf *b, const hc_code *c)
{
    if (c->has_worker)
        hc_puts(b, "    const heddle_thread hd_worker = heddle_omp_worker(hd_thread, &hd_params->head);\n");
}

static void put_block_type(hc_device *d, const hc_code *c)
{
    if (c->members.n)
        hc_dev_putf(d, "/* Variables of %s that its threads share. */\nstruct %s {\n%s};\n", c->name, block_name(c),
                    c->fields.at);
}

static void finish_needs(hc_code *c)
{
    if (c->members.n)
        c->needs |= HC_NEEDS_TOP | HC_NEEDS_THREAD;
    if (c->members.n && c->is_deep)
        c->needs |= HC_NEEDS_APP;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

/* Starts writing c, into a text of its own; its first line is that of c's root. */
static hc_scene begin_code(hc_device *d, hc_code *c, hc_buf *out)
{
    hc_scene outer = d->s;
    hc_place p = hc_place_of(&c->root->unit->text, c->root->begin);
    *out = d->w.out;
    d->w.out = (hc_buf){0};
    d->s = (hc_scene){.code = c, .mode = c->mode, .top = "hd_top", .at = {0, p.line, p.file}};
    return outer;
}

static hc_buf end_code(hc_device *d, const hc_scene *outer, const hc_buf *out)
{
    hc_buf written = d->w.out;
    d->s = *outer;
    d->w.out = *out;
    return written;
}

static void put_root(hc_device *d, const hc_code *c, const hc_buf *body)
{
    hc_write_place(&d->w, c->root->unit, c->root->begin);
    hc_dev_indent(d, c->root);
    hc_dev_putf(d, "%s\n", body->at ? body->at : ";");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void write_hidden(hc_device *d, const hc_code *c, uint32_t *n)
{
    if (c->needs & HC_NEEDS_THREAD)
        hc_dev_putf(d, "%sconst heddle_thread *hd_thread", separator((*n)++));
    if (c->needs & HC_NEEDS_APP)
        hc_dev_putf(d, "%sconst struct hd_params *hd_params", separator((*n)++));
    if (c->needs & HC_NEEDS_TOP)
        hc_dev_putf(d, "%schar *hd_top", separator((*n)++));
    if (c->needs & HC_NEEDS_FINAL)
        hc_dev_putf(d, "%sint hd_final", separator((*n)++));
}

/* A parameter of an old-style function: its type stands behind the brackets. */
static int is_declarator(const hc_node *param)
{
    const hc_node *last = param;
    while (last->next && last->next->kind == HC_N_PARAM)
        last = last->next;
    return memchr(hc_source(last), ';', param->parent->body->begin - last->begin) != NULL;
}

static void write_param(hc_device *d, hc_node *n)
{
    if (!hc_is_flat(n->decl->type) && !is_declarator(n) && !memchr(hc_source(n), '[', n->end - n->begin))
        hc_write_text(&d->w, n->unit, n->begin, n->end);
    else
        hc_puts(&d->w.out, hc_declaration(d, n->decl->type, hc_dev_name(n->decl->name)));
}

static void write_prototype(hc_device *d, hc_code *c)
{
    const hc_decl *decl = c->function->decl;
    hc_buf outer = d->w.out;
    uint32_t n = 0;
    d->w.out = (hc_buf){0};
    hc_dev_putf(d, "HEDDLE_OMP_FN %s(", hc_declaration(d, hc_unqualified(decl->type->of), c->name));
    write_hidden(d, c, &n);
    for (hc_node *p = decl->node->first; p; p = p->next)
        if (p->kind == HC_N_PARAM) {
            hc_puts(&d->w.out, separator(n++));
            write_param(d, p);
        }
    hc_puts(&d->w.out, n ? ")" : "void)");
    c->prototype = d->w.out;
    d->w.out = outer;
}

static char *bounds_text(hc_device *d, const hc_node *function)
{
    hc_buf outer = d->w.out, inner;
    d->w.out = (hc_buf){0};
    for (const hc_node *p = function->first; p; p = p->next)
        if (p->kind == HC_N_PARAM)
            hc_write_bounds(d, p->decl);
    inner = d->w.out;
    d->w.out = outer;
    return inner.n ? hc_format("    %s\n", inner.at) : hc_copy("", 0);
}

static void assemble_function(hc_device *d, hc_code *c, const char *begin, const hc_buf *body)
{
    hc_buf outer = d->w.out, head = {0};
    put_block(&head, c);
    put_worker(&head, c);
    hc_puts(&head, begin);
    write_prototype(d, c);
    d->w.out = (hc_buf){0};
    put_block_type(d, c);
    hc_dev_putf(
        d, "/* %s of %s: %s. */\n%s\n", c->function->decl->name, hc_place_of(&c->root->unit->text, c->root->begin).file,
        c->mode == HC_TEAM ? "all threads call it together" : "one thread calls it, for itself", c->prototype.at);
    hc_dev_putf(d, head.n ? "{\n%s" : "%s", head.n ? head.at : "");
    put_root(d, c, body);
    hc_puts(&d->w.out, head.n ? "}\n" : "");
    c->text = d->w.out;
    c->n_bytes += c->text.n;
    d->w.out = outer;
}

/* The caller may be a task of the same function: its names for variables do not apply here. */
static void write_function(hc_device *d, hc_code *c)
{
    hc_aliases of_caller = d->names;
    const char *begin;
    hc_buf out, body;
    hc_scene outer = begin_code(d, c, &out);
    d->names = (hc_aliases){0};
    d->s.is_spare = hc_is_split_function(d, c->function);
    begin = bounds_text(d, c->function->decl->node);
    d->s.dirty = HC_ANY;
    if (c->mode == HC_TEAM) {
        hc_find_variables(d, c);
        begin = hc_format("%s%s", begin, name_block_variables(d, c));
        hc_team_statement(d, c->root);
    } else {
        hc_write(&d->w, c->root);
    }
    body = end_code(d, &outer, &out);
    finish_needs(c);
    assemble_function(d, c, begin, &body);
    d->names = of_caller;
}

/* Variable-length arrays in recursive functions: these must agree on arguments. */
static int has_deep_arrays(const hc_program *p)
{
    for (uint32_t i = 0; i < p->functions.n; i++) {
        HC_EACH_NODE (n, p->functions.at[i].decl->node)
            if (p->functions.at[i].is_recursive && n->kind == HC_N_VAR && n->decl->type->kind == HC_T_VLA)
                return 1;
    }
    return 0;
}

static hc_code *new_version(hc_device *d, hc_function *f, hc_mode mode)
{
    hc_code *c = HC_NEW(hc_code);
    *HC_ADD(&d->codes) = c;
    c->function = f;
    c->mode = mode;
    c->root = f->decl->node->body;
    c->name = hc_format("%s_%s", f->name, mode == HC_TEAM ? "team" : "thread");
    if (f->is_recursive) {
        c->is_deep = mode == HC_TEAM || has_deep_arrays(d->p);
        c->needs = HC_NEEDS_THREAD | HC_NEEDS_APP | (c->is_deep ? HC_NEEDS_TOP : 0u) |
                   (d->p->asks_final ? HC_NEEDS_FINAL : 0u);
    }
    return c;
}

/* Whether to inline it into its caller, with the caller's knowledge of the thread. A function called from one place, or
 * short with all its callees, does not lengthen the program; compilers decide on short functions without thread. */
int hc_is_within(const hc_code *c)
{
    return !c->function->is_recursive && (c->n_calls == 1 || (c->mode == HC_TEAM && c->n_bytes <= MOST_WITHIN));
}

hc_code *hc_version(hc_device *d, hc_function *f, hc_mode mode)
{
    hc_code *c;
    for (uint32_t i = 0; i < d->codes.n; i++)
        if (d->codes.at[i]->function == f && d->codes.at[i]->mode == mode)
            return d->codes.at[i];
    c = new_version(d, f, mode);
    write_function(d, c);
    *HC_ADD(&d->order) = c;
    return c;
}

/* ---- captures ---------------------------------------------------------------------------------------------------- */

/* Only its elements are read: the record's array suffices. */
static int is_only_read(const hc_task *t, const hc_decl *decl)
{
    HC_EACH_NODE (n, t->statement) {
        hc_node *up = n;
        if (n->kind != HC_N_NAME || n->decl != decl)
            continue;
        if (hc_directive_around(n) && n->parent->kind == HC_N_DIRECTIVE)
            return 0;
        while (up->parent && up->parent->kind == HC_N_INDEX && hc_is_array(up->type))
            up = up->parent;
        if (up == n || hc_is_array(up->type) || (up->parent && hc_changed_by(up->parent) == up) ||
            up->parent->kind == HC_N_MEMBER || up->parent->kind == HC_N_UNARY)
            return 0;
    }
    return 1;
}

static void take_bounds(hc_buf *b, const hc_capture *c)
{
    for (uint32_t i = 1; i <= c->n_bounds; i++)
        hc_putf(b, "    const int64_t hd_%s_%u HEDDLE_UNUSED = hd_t->%s_%u;\n", c->decl->name, i, hc_dev_name(c->field),
                i);
}

static void take_flat(hc_device *d, hc_buf *b, const hc_capture *c, const char *name)
{
    const hc_type *element = c->element ? c->element : hc_flat_element(c->decl->type);
    if (c->how == HC_PRIVATE)
        hc_putf(b, "    %s;\n", hc_declaration(d, hc_pointer_to(element), name));
    else
        hc_putf(b, "    %s = hd_t->%s;\n", hc_declaration(d, hc_pointer_to(element), name), hc_dev_name(c->field));
    take_bounds(b, c);
    hc_push_name(d, c->decl, name, c->decl->type->kind == HC_T_VLA);
}

static void take_array(hc_device *d, hc_buf *b, const hc_capture *c, const char *name)
{
    const char *field = hc_dev_name(c->field);
    hc_variable *v = hc_variable_of(d->s.code, c->decl);
    if (is_only_read(d->s.code->task, c->decl) && c->how == HC_BY_VALUE) {
        if (v)
            v->is_block = 0;
        hc_push_name(d, c->decl, hc_format("hd_t->%s", field), 0);
        return;
    }
    if (v && v->is_block && d->s.mode == HC_TEAM) {
        name = hc_member_text(d, c->decl);
        hc_push_name(d, c->decl, name, 1);
    } else {
        hc_putf(b, "    %s;\n", hc_declaration(d, hc_unqualified(c->decl->type), name));
        hc_push_name(d, c->decl, name, 0);
    }
    if (c->how != HC_BY_VALUE)
        return;
    hc_putf(b, "    %smemcpy(%s, hd_t->%s, sizeof %s);\n", v && v->is_block ? "HEDDLE_OMP_ONE " : "", name, field,
            name);
    d->s.dirty |= HC_WRITE;
}

static void take_value(hc_device *d, hc_buf *b, const hc_capture *c, const char *name)
{
    const hc_variable *v = hc_variable_of(d->s.code, c->decl);
    const char *value = c->reduction ? hc_format(" = %s", hc_reduction_start(c->reduction, c->decl->type))
                        : c->how == HC_BY_VALUE && !c->is_lastprivate ? hc_format(" = hd_t->%s", hc_dev_name(c->field))
                                                                      : "";
    if (v && v->is_block && d->s.mode == HC_TEAM) {
        name = hc_member_text(d, c->decl);
        hc_push_name(d, c->decl, name, 1);
        if (*value)
            hc_putf(b, "    HEDDLE_OMP_ONE %s%s;\n", name, value);
        d->s.dirty |= HC_WRITE;
        return;
    }
    hc_putf(b, "    %s%s;\n", hc_declaration(d, hc_unqualified(c->decl->type), name), value);
    hc_push_name(d, c->decl, name, 0);
}

/* Index of the taskloop's loop with that variable, else n_loops. */
static uint32_t loop_with(const hc_task *t, const hc_decl *var)
{
    uint32_t k = 0;
    while (k < t->n_loops && t->loops[k].var != var)
        k++;
    return k;
}

static void take_capture(hc_device *d, hc_buf *b, const hc_task *t, const hc_capture *c)
{
    const char *name = hc_dev_name(c->decl->name);
    if (loop_with(t, c->decl) < t->n_loops) /* the loop declares it */
        return;
    if (c->n_bounds > 0 || c->decl->type->kind == HC_T_VLA)
        take_flat(d, b, c, name);
    else if (c->how == HC_BY_REFERENCE && !c->is_lastprivate && !c->reduction)
        hc_push_name(d, c->decl, hc_format("(*hd_t->%s)", hc_dev_name(c->field)), 1);
    else if (hc_is_array(c->decl->type))
        take_array(d, b, c, name);
    else
        take_value(d, b, c, name);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* A loop's variable has its final value, whichever part of the loop this task had. */
static const char *last_value(hc_device *d, const hc_task *t, const hc_decl *decl)
{
    uint32_t k = loop_with(t, decl);
    if (k == t->n_loops)
        return hc_name_of(d, decl);
    return hc_format("(%s)(hd_t->hd_low_%u + hd_t->hd_n_%u * hd_t->hd_step_%u)",
                     hc_type_text(d, hc_unqualified(decl->type)), k, k, k);
}

static void write_last_values(hc_device *d, const hc_task *t)
{
    const char *open =
        d->s.mode == HC_TEAM ? "\n    HEDDLE_OMP_ONE if (hd_t->hd_last) {" : "\n    if (hd_t->hd_last) {";
    for (uint32_t i = 0; i < t->captures.n; i++) {
        const hc_capture *c = &t->captures.at[i];
        const char *name;
        if (!c->is_lastprivate)
            continue;
        name = last_value(d, t, c->decl);
        if (*open && d->s.mode == HC_TEAM)
            hc_before(d, HC_WRITE);
        if (hc_is_array(c->decl->type))
            hc_dev_putf(d, "%s memcpy(hd_t->%s, %s, sizeof %s);", open, hc_dev_name(c->field), name, name);
        else
            hc_dev_putf(d, "%s *hd_t->%s = %s;", open, hc_dev_name(c->field), name);
        open = "";
    }
    hc_puts(&d->w.out, *open ? "" : " }");
}

static void write_task_statement(hc_device *d, const hc_task *t)
{
    hc_node *n = d->s.code->root;
    if (t->is_loop) {
        for (uint32_t i = 0; i < t->n_loops; i++)
            hc_push_name(d, t->loops[i].var, hc_dev_name(t->loops[i].var->name), 0);
        hc_write_chunk(d, t);
        d->s.dirty = HC_ANY;
    }
    if (d->s.mode == HC_TEAM)
        hc_team_statement(d, n);
    else
        hc_write(&d->w, n);
    hc_puts(&d->w.out, t->is_loop ? " }" : "");
    write_last_values(d, t);
    for (uint32_t i = 0; i < t->captures.n; i++)
        if (t->captures.at[i].reduction)
            hc_write_task_reduction(d, &t->captures.at[i]);
}

static void assemble_body(hc_device *d, hc_code *c, const hc_buf *captures, const hc_buf *body)
{
    const hc_task *t = c->task;
    hc_buf outer = d->w.out, head = {0};
    d->w.out = (hc_buf){0};
    put_block_type(d, c);
    hc_dev_putf(d, "/* %s %s. */\n", t->is_loop ? "Iterations of the taskloop" : "The task", t->label);
    if (c->mode == HC_TEAM)
        hc_dev_putf(d, "HEDDLE_OMP_BODY(%s, struct hd_%s_args)\n{\n", t->name, t->name);
    else
        hc_dev_putf(d,
                    "%s(%s, struct hd_params, hd_params, struct hd_%s_args, hd_t)\n{\n"
                    "    const heddle_thread *const hd_thread HEDDLE_UNUSED = thread;\n",
                    hc_is_split_task(d, t) ? "HEDDLE_OMP_PART" : "HEDDLE_BODY", t->name, t->name);
    if (c->needs & HC_NEEDS_TOP)
        hc_puts(&d->w.out, hc_uses_stack(c) ? "    char *hd_top = heddle_omp_stack(hd_thread, &hd_params->head);\n"
                                            : "    char *hd_top = (char *)heddle_team_shared(hd_thread);\n");
    if (c->needs & HC_NEEDS_FINAL)
        hc_dev_putf(d, "    const int hd_final = %s;\n", t->final ? "(int)hd_t->hd_final" : "0");
    put_block(&head, c);
    put_worker(&head, c);
    hc_dev_putf(d, "%s%s%s", head.n ? head.at : "", captures->n ? captures->at : "",
                c->mode == HC_THREAD ? "    if (hd_thread->index != 0)\n        return;\n" : "");
    put_root(d, c, body);
    hc_puts(&d->w.out, "}\n");
    c->text = d->w.out;
    d->w.out = outer;
}

void hc_write_body(hc_device *d, const hc_task *t, hc_code *c)
{
    uint32_t n_names = d->names.n;
    hc_buf out, body, captures = {0};
    hc_scene outer;
    *c = (hc_code){.task = t, .name = t->name, .mode = t->has_inner ? HC_TEAM : HC_THREAD};
    c->root = t->n_loops ? t->loops[t->n_loops - 1].body : t->statement;
    outer = begin_code(d, c, &out);
    d->s.is_spare = hc_is_split_task(d, t);
    if (c->mode == HC_TEAM)
        hc_find_variables(d, c);
    for (uint32_t i = 0; i < t->captures.n; i++)
        take_capture(d, &captures, t, &t->captures.at[i]);
    if (c->mode == HC_TEAM)
        name_block_variables(d, c);
    write_task_statement(d, t);
    body = end_code(d, &outer, &out);
    finish_needs(c);
    assemble_body(d, c, &captures, &body);
    d->names.n = n_names;
}
