/* SPDX-License-Identifier: MIT */
/* fit.c - captures and memory that cannot go to a device as they are. */
#include "analysis/effect.h"

#define SAY(level, code, t, ...) \
    hc_say((level), (code), &(t)->unit->text, (t)->node->begin, (t)->node->pragma->at.end, __VA_ARGS__)

/* A type within t that satisfies `is`, or NULL. Looks into fields, not behind pointers. */
static const hc_type *find_in(const hc_type *t, int (*is)(const hc_type *))
{
    const hc_type *found = NULL;
    while (t && hc_is_array(t))
        t = t->of;
    if (!t || is(t))
        return t;
    if ((t->kind == HC_T_STRUCT || t->kind == HC_T_UNION) && t->decl && t->decl->node)
        HC_EACH_NODE (n, t->decl->node)
            if (n->kind == HC_N_FIELD && !found)
                found = find_in(n->decl->type, is);
    return found;
}

static int is_pointer(const hc_type *t) { return t->kind == HC_T_POINTER; }
static int is_pointer_union(const hc_type *t)
{
    return t->kind == HC_T_UNION && t->decl && find_in(&(hc_type){.kind = HC_T_STRUCT, .decl = t->decl}, is_pointer);
}
static int is_atomic(const hc_type *t) { return t->kind == HC_T_ATOMIC; }
static int is_foreign(const hc_type *t) { return t->kind == HC_T_COMPLEX || is_atomic(t); }
static int is_long_double(const hc_type *t) { return t->kind == HC_T_FLOATING && t->size > 8; }

/* Whether a device may be used with memory other than the host's. */
static int has_device(const hc_program *p)
{
    return !p->options.memory_system &&
           !(p->options.backend && p->options.backend[0] == 'c' && p->options.backend[1] == 'p');
}

static const hc_type *pointee(const hc_type *t)
{
    while (t && (t->kind == HC_T_POINTER || hc_is_array(t)))
        t = t->of;
    return t;
}

static void check_type(const hc_program *p, const hc_task *t, const hc_capture *c)
{
    const hc_type *type = c->decl->type, *behind = pointee(type);
    const char *name = c->decl->name;
    int (*is)(const hc_type *) = p->options.is_host_only ? is_atomic : is_foreign;
    if (find_in(type, is) || (behind && find_in(behind, is)))
        SAY(HC_ERROR, 172, t, "'%s' is of type '%s', which device code does not have: use real types, and `atomic`",
            name, type->name);
    else if (c->how == HC_BY_VALUE && find_in(type, is_pointer_union))
        SAY(HC_ERROR, 170, t,
            "'%s' has a union with a pointer, of which nobody knows whether it holds one: pass the pointer "
            "in a variable of its own",
            name);
    else if (has_device(p) && type->kind != HC_T_FLOATING && find_in(behind ? behind : type, is_long_double))
        SAY(HC_ERROR, 172, t, "'%s' holds long double, whose size is another one on a device: use double", name);
    else if (find_in(type, is_long_double))
        SAY(HC_WARNING, 172, t, "'%s' is long double: a device computes with double", name);
}

static void check_length(const hc_task *t, const hc_capture *c)
{
    if (hc_leads_to_rows(c->decl->type))
        SAY(HC_ERROR, 240, t, "'%s' leads to pointers to arrays of variable length: pass a pointer to elements",
            c->decl->name);
}

void hc_check_capture(const hc_program *p, const hc_task *t, const hc_capture *c)
{
    check_type(p, t, c);
    if (c->how == HC_PRIVATE)
        return;
    check_length(t, c);
    if (c->how == HC_BY_REFERENCE && c->decl->type->kind == HC_T_POINTER && has_device(p))
        SAY(HC_ERROR, 240, t,
            "tasks share the pointer '%s', and one changes it or its address is kept: the host would get an address of "
            "the device; "
            "make it firstprivate",
            c->decl->name);
    if (c->is_lastprivate && hc_lists(t->node, HC_C_FIRSTPRIVATE, c->decl))
        SAY(HC_ERROR, 240, t, "'%s' is firstprivate and lastprivate: copy it to a second variable before the loop",
            c->decl->name);
}

int hc_settle_global(const hc_program *p, hc_decl *d, hc_node *use)
{
    int has_pointer = find_in(d->type, is_pointer) != NULL, is_changed = has_pointer && hc_tasks_write(p, d);
    if (has_device(p) && (is_changed || find_in(d->type, is_pointer_union)))
        hc_say(HC_WARNING, 170, &use->unit->text, use->begin, use->end,
               is_changed
                   ? "'%s' has pointers and a task changes it: on a device they would be addresses of the host; set "
                     "it outside of tasks, or use --memory=system"
                   : "'%s' has a union with a pointer, which on a device is an address of the host: use "
                     "--memory=system",
               d->name);
    return has_pointer && !is_changed;
}

static const hc_access *followed_pointer(const hc_program *p, const hc_task *t)
{
    const hc_summary *s = hc_task_summary(p, t);
    for (uint32_t i = 0; i < s->accesses.n; i++) {
        const hc_access *a = &s->accesses.at[i];
        const hc_capture *c = a->at.root ? hc_capture_of(t, a->at.root) : NULL;
        if (a->of == HC_CLASS_POINTER && !a->is_write && c && (a->at.depth || c->how == HC_BY_REFERENCE))
            return a;
    }
    return NULL;
}

/* Pointers stored in mapped memory are not translated. */
void hc_check_pointers(const hc_program *p, hc_task *t)
{
    const hc_access *a = followed_pointer(p, t);
    t->follows_pointers = a != NULL;
    if (a && has_device(p))
        hc_say(HC_WARNING, 170, &t->unit->text, a->node->begin, a->node->end,
               "the task follows a pointer that lies in memory, which on a device is an address of the host: make the "
               "pointer itself firstprivate, or use --memory=system; a region of the host with such tasks runs on CPU "
               "threads");
}
