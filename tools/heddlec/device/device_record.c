/* SPDX-License-Identifier: MIT */
/* device_record.c - the argument records of tasks, the same text for C files and for the bodies; both assert sizes and
 * offsets. */
#include "device/bodies.h"
#include "device/device.h"

#include <string.h>

typedef struct record {
    const hc_device *d; /* NULL: for C files, in the user's words */
    const hc_task *task;
    hc_buf fields, checks;
    uint64_t end, alignment;
    int is_known; /* all offsets so far are known */
    uint32_t n;
} record;

static const char *field_name(const record *r, const char *name) { return r->d ? hc_dev_name(name) : name; }

static void add(record *r, const hc_type *t, const char *field)
{
    uint64_t each = hc_alignment(t);
    const char *name = field_name(r, field);
    hc_putf(&r->fields, "    %s;\n", hc_declaration(r->d, hc_unqualified(t), name));
    r->n++;
    r->is_known &= each != 0;
    if (!r->is_known)
        return;
    r->end = (r->end + each - 1) / each * each;
    hc_putf(&r->checks, " &&\n    __builtin_offsetof(struct hd_%s_args, %s) == %llu", r->task->name, name,
            (unsigned long long)r->end);
    r->end += t->size;
    r->alignment = each > r->alignment ? each : r->alignment;
}

static const hc_type *number(void)
{
    static const hc_type type = {.kind = HC_T_INTEGER, .name = "int64_t", .size = 8};
    return &type;
}

static void add_capture(record *r, const hc_capture *c)
{
    const hc_type *t = c->decl->type;
    int is_flat = c->n_bounds > 0 || t->kind == HC_T_VLA;
    if (c->how != HC_PRIVATE && is_flat)
        add(r, hc_pointer_to(c->element ? c->element : hc_flat_element(t)), c->field);
    else if (c->how == HC_BY_REFERENCE)
        add(r, hc_pointer_to(t), c->field);
    else if (c->how == HC_BY_VALUE)
        add(r, t, c->field);
    for (uint32_t i = 1; i <= c->n_bounds; i++)
        add(r, number(), hc_format("%s_%u", c->field, i));
}

static void add_chunk(record *r, const hc_task *t)
{
    for (uint32_t i = 0; i < t->n_loops; i++) {
        add(r, t->loops[i].var->type, hc_format("hd_low_%u", i));
        add(r, number(), hc_format("hd_step_%u", i));
        add(r, number(), hc_format("hd_n_%u", i));
    }
    add(r, number(), "hd_lb");
    add(r, number(), "hd_ub");
    add(r, number(), "hd_last");
}

/* An empty struct has size 0 in GNU C and 1 in C++. */
static void write_record(const hc_device *d, const hc_task *t, hc_buf *out)
{
    record r = {.d = d, .task = t, .is_known = 1, .alignment = 1};
    for (uint32_t i = 0; i < t->captures.n; i++)
        add_capture(&r, &t->captures.at[i]);
    if (t->is_loop)
        add_chunk(&r, t);
    if (t->final)
        add(&r, number(), "hd_final");
    if (r.n == 0)
        add(&r, number(), "hd_nothing");
    hc_putf(out, "struct hd_%s_args { /* task %s */\n%s};\n", t->name, t->label, r.fields.at);
    if (r.is_known)
        hc_putf(out, "typedef char hd_%s_check[sizeof(struct hd_%s_args) == %llu%s\n    ? 1 : -1];\n", t->name, t->name,
                (unsigned long long)((r.end + r.alignment - 1) / r.alignment * r.alignment), r.checks.at);
}

void hc_write_records(const hc_device *d, const hc_program *p, hc_buf *out)
{
    for (uint32_t i = 0; i < p->tasks.n; i++)
        write_record(d, &p->tasks.at[i], out);
    for (uint32_t i = 0; i < p->inner_tasks.n; i++)
        write_record(d, &p->inner_tasks.at[i], out);
}

void hc_emit_record(const hc_task *t, hc_buf *out) { write_record(NULL, t, out); }
