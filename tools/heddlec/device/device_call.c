/* SPDX-License-Identifier: MIT */
/* device_call.c - calls: of versions of the program's functions, of device libraries, of OpenMP's library. */
#include "device/device.h"

#include <string.h>

/* ---- OpenMP's library -------------------------------------------------------------------------------------------- */

static const char *thread_number(hc_device *d)
{
    if (d->s.is_serial)
        return "0";
    d->s.code->needs |= HC_NEEDS_THREAD;
    if (d->s.in_region || (d->s.code->function && d->s.code->mode == HC_THREAD))
        return "(int)hd_thread->index";
    return "(int)hd_thread->worker";
}

static const char *number_of_threads(hc_device *d)
{
    if (d->s.is_serial)
        return "1";
    d->s.code->needs |= HC_NEEDS_THREAD;
    if (d->s.in_region || (d->s.code->function && d->s.code->mode == HC_THREAD))
        return "(int)hd_thread->team_size";
    d->s.code->needs |= HC_NEEDS_APP;
    return "(int)hd_params->head.n_workers";
}

static const char *is_final(hc_device *d)
{
    d->s.code->needs |= HC_NEEDS_FINAL;
    return "hd_final";
}

/* Other queries give 0: one team only, no dynamic or nested threads. */
static const char *runtime_answer(hc_device *d, const char *name)
{
    static const char *const ones[] = {"in_parallel", "level", "active_level", "num_teams", "max_active_levels"};
    if (!strcmp(name, "thread_num") || !strcmp(name, "ancestor_thread_num"))
        return thread_number(d);
    if (!strcmp(name, "num_threads") || !strcmp(name, "max_threads") || !strcmp(name, "num_procs") ||
        !strcmp(name, "team_size") || !strcmp(name, "thread_limit"))
        return number_of_threads(d);
    if (!strcmp(name, "wtime"))
        return "heddle_omp_seconds()";
    if (!strcmp(name, "in_final"))
        return is_final(d);
    if (!strcmp(name, "wtick"))
        return "1e-9";
    if (!strcmp(name, "is_initial_device"))
        return "HEDDLE_OMP_ON_HOST";
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (!strcmp(name, ones[i]))
            return "1";
    return "0";
}

static void write_runtime_call(hc_device *d, const char *name)
{
    name += strlen("omp_");
    hc_puts(&d->w.out, runtime_answer(d, strncmp(name, "get_", 4) ? name : name + 4));
}

/* ---- libraries --------------------------------------------------------------------------------------------------- */

static const char *trap_text(const hc_node *n)
{
    const hc_node *what = n->first->next;
    if (!strncmp(n->decl->name, "__assert", 8) && what && what->kind == HC_N_LITERAL)
        return hc_format("\"assertion failed: \" %.*s", (int)(what->end - what->begin), hc_source(what));
    return hc_format("\"%s was called\"", n->decl->name);
}

static void write_arguments(hc_device *d, hc_node *n, const char *separator)
{
    for (hc_node *a = n->first->next; a; a = a->next) {
        hc_dev_putf(d, "%s", separator);
        hc_write(&d->w, a);
        separator = ", ";
    }
}

static void write_trap(hc_device *d, hc_node *n)
{
    d->s.code->needs |= HC_NEEDS_THREAD;
    if (!strcmp(n->decl->name, "exit") && n->first->next) {
        hc_dev_putf(d, "heddle_omp_leave(hd_thread, %s", hc_dev_place(n));
        write_arguments(d, n, ", ");
        hc_puts(&d->w.out, ")");
        return;
    }
    hc_dev_putf(d, "heddle_omp_trap(hd_thread, %s, %s)", hc_dev_place(n), trap_text(n));
}

/* isinf as a macro's result is a gcc built-in only; lgamma stores a sign in a variable shared by all threads. */
static const char *other_name(const char *name)
{
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    if (!strncmp(name, "isinf", 5) || !strncmp(name, "__isinf", 7))
        return "isinf";
    return strncmp(name, "lgamma", 6) ? NULL : "heddle_omp_lgamma";
}

static void write_sleep(hc_device *d, hc_node *n)
{
    hc_dev_putf(d, "heddle_omp_sleep(%s * (double)(", n->decl->name[0] == 'u' ? "1e3" : "1e9");
    write_arguments(d, n, "");
    hc_puts(&d->w.out, "))");
}

/* alloca in a step: the step ends before the function does. */
static int is_stack(const hc_device *d, const hc_node *n)
{
    const char *name = n->decl->name;
    return d->s.splits && (!strcmp(name, "alloca") || !strcmp(name, "__builtin_alloca"));
}

static int write_library_call(hc_device *d, hc_node *n, const hc_library *l)
{
    if (is_stack(d, n)) {
        hc_puts(&d->w.out, "heddle_omp_alloca(hd_thread, &hd_b->head, (uint64_t)(");
        write_arguments(d, n, "");
        hc_puts(&d->w.out, "))");
    } else if (l->kind == HC_L_TRAP) {
        write_trap(d, n);
    } else if (l->kind == HC_L_SLEEP) {
        write_sleep(d, n);
    } else if (l->kind == HC_L_OMP) {
        write_runtime_call(d, n->decl->name);
    } else if (!other_name(n->decl->name) && !strncmp(n->decl->name, "__builtin_", 10) &&
               (l->kind == HC_L_MATH || l->kind == HC_L_MEMORY)) {
        hc_dev_putf(d, "%s(", n->decl->name + 10);
        write_arguments(d, n, "");
        hc_puts(&d->w.out, ")");
    } else if (other_name(n->decl->name)) {
        hc_dev_putf(d, "%s(", other_name(n->decl->name));
        write_arguments(d, n, "");
        hc_puts(&d->w.out, ")");
    } else {
        return 0;
    }
    return 1;
}

/* ---- the program's functions ------------------------------------------------------------------------------------- */

static void check_arguments(hc_device *d, hc_node *n)
{
    for (hc_node *a = n->first->next; a; a = a->next)
        if (hc_effects(d, a) & HC_WRITE)
            HC_REFUSE(240, a,
                      "an argument that changes memory, of a function with an inner parallel region: change it in a "
                      "statement of its own");
}

static void write_version_call(hc_device *d, hc_node *n, hc_function *f)
{
    hc_mode mode = d->s.mode == HC_TEAM && f->has_inner ? HC_TEAM : HC_THREAD;
    hc_code *c = hc_version(d, f, mode), *here = d->s.code;
    const char *separator = "";
    if (mode == HC_TEAM)
        check_arguments(d, n);
    hc_dev_putf(d, "%s(", c->name);
    if (c->needs & HC_NEEDS_THREAD)
        hc_dev_putf(d, "%s", mode == HC_TEAM ? "hd_thread" : hc_thread_text(d));
    if (c->needs & HC_NEEDS_APP)
        hc_puts(&d->w.out, c->needs & HC_NEEDS_THREAD ? ", hd_params" : "hd_params");
    if (c->needs & HC_NEEDS_TOP)
        hc_dev_putf(d, ", %s", d->s.top);
    if (c->needs & HC_NEEDS_FINAL)
        hc_puts(&d->w.out, c->needs & ~HC_NEEDS_FINAL ? ", hd_final" : "hd_final");
    c->n_calls++;
    here->n_bytes += c->n_bytes;
    here->needs |= d->s.in_region ? c->needs & ~HC_NEEDS_TOP : c->needs;
    here->is_deep |= c->is_deep;
    if (hc_block_bytes(c) + c->below_bytes > here->below_bytes)
        here->below_bytes = hc_block_bytes(c) + c->below_bytes;
    if (c->needs)
        separator = ", ";
    write_arguments(d, n, separator);
    hc_puts(&d->w.out, ")");
}

static const char *result_of(const hc_device *d, const hc_node *call)
{
    for (uint32_t i = 0; i < d->s.hoisted.n; i++)
        if (d->s.hoisted.at[i] == call)
            return hc_format("hd_result_%u", i + 1);
    return NULL;
}

int hc_write_call(hc_device *d, hc_node *n)
{
    hc_function *f = n->decl ? hc_function_of(d->p, n->decl) : NULL;
    const hc_library *l = n->decl && !f ? hc_library_of(n->decl->name) : NULL;
    if (result_of(d, n))
        hc_puts(&d->w.out, result_of(d, n));
    else if (f)
        write_version_call(d, n, f);
    else
        return l && write_library_call(d, n, l);
    return 1;
}
