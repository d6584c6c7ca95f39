/* SPDX-License-Identifier: MIT */
/* device_decl.c - declarations in bodies: copied, unless C++ or the threads need another form. */
#include "device/device.h"

#include <string.h>

/* ---- which are copied -------------------------------------------------------------------------------------------- */

static int is_block_variable(hc_device *d, const hc_decl *decl)
{
    const hc_variable *v = hc_variable_of(d->s.code, decl);
    return v && v->is_block;
}

/* Constant tables stand at the top of the file, external variables elsewhere. */
static int is_dropped(hc_device *d, const hc_node *var)
{
    return !hc_is_local(var->decl) && hc_global_of(d->p, var->decl);
}

/* C++ forbids jumps over an initialiser: into a switch, to a label. */
static int is_jumped_over(const hc_node *decls)
{
    const hc_node *block = decls->parent, *function = decls;
    while (block && (block->kind == HC_N_CASE || block->kind == HC_N_DEFAULT_CASE || block->kind == HC_N_LABEL))
        block = block->parent;
    if (!block || block->kind != HC_N_BLOCK)
        return 0;
    if (block->parent && block->parent->kind == HC_N_SWITCH)
        return 1;
    while (function->parent && function->kind != HC_N_FUNCTION)
        function = function->parent;
    HC_EACH_NODE (n, (hc_node *)function)
        if (n->kind == HC_N_GOTO)
            return 1;
    return 0;
}

static int is_special(hc_device *d, const hc_node *n, int is_split)
{
    const hc_type *t = n->decl->type;
    return hc_is_flat(t) || is_dropped(d, n) || is_block_variable(d, n->decl) || (is_split && n->init);
}

/* ---- one variable ------------------------------------------------------------------------------------------------ */

static int is_in_braces(const hc_node *n)
{
    while (n->kind == HC_N_PAREN)
        n = n->first;
    return n->kind == HC_N_INIT_LIST || (n->kind == HC_N_LITERAL && n->type && hc_is_array(n->type));
}

/* In steps, as a step's stack ends before the function does. */
static void write_kept_array(hc_device *d, const hc_node *var, const char *name)
{
    const hc_type *element = hc_unqualified(var->decl->type->of);
    hc_dev_putf(d, "%s = (%s)heddle_omp_alloca(hd_thread, &hd_b->head, sizeof(%s) * (size_t)(%s));", name,
                hc_type_text(d, hc_pointer_to(element)), hc_type_text(d, element),
                hc_dev_text(d, (hc_node *)var->decl->type->bound));
}

void hc_write_setting(hc_device *d, hc_node *var)
{
    const char *name = hc_name_of(d, var->decl);
    if (var->decl->type->kind == HC_T_VLA)
        write_kept_array(d, var, name);
    if (!var->init)
        return;
    if (!is_in_braces(var->init) || var->decl->type->kind == HC_T_POINTER)
        hc_dev_putf(d, "%s = %s;", name, hc_dev_text(d, var->init));
    else
        hc_dev_putf(d, "{ __typeof__(%s) hd_init = %s; memcpy(&%s, &hd_init, sizeof hd_init); }", name,
                    hc_dev_text(d, var->init), name);
}

/* Without its initialiser. */
static void write_plain(hc_device *d, const hc_node *var)
{
    hc_dev_putf(d, "%s;", hc_declaration(d, hc_unqualified(var->decl->type), hc_dev_name(var->decl->name)));
}

void hc_write_variable(hc_device *d, hc_node *var)
{
    const hc_type *t = var->decl->type;
    if (t->kind == HC_T_VLA) {
        hc_write_array(d, var);
        return;
    }
    hc_write_bounds(d, var->decl);
    hc_puts(&d->w.out, hc_declaration(d, t, hc_dev_name(var->decl->name)));
    if (var->init) {
        hc_puts(&d->w.out, " = ");
        hc_write(&d->w, var->init);
    }
    hc_puts(&d->w.out, ";");
}

static void write_special(hc_device *d, hc_node *var, int is_split)
{
    if (is_dropped(d, var))
        return;
    if (is_block_variable(d, var->decl)) {
        hc_write_setting(d, var);
    } else if (is_split && var->init && var->decl->type->kind != HC_T_VLA) {
        hc_write_bounds(d, var->decl);
        write_plain(d, var);
        hc_puts(&d->w.out, " ");
        hc_write_setting(d, var);
    } else {
        hc_write_variable(d, var);
    }
}

/* ---- all of a declaration ---------------------------------------------------------------------------------------- */

/* C++ has none: its lengths are evaluated here, and used at its uses. */
static int is_variable_typedef(const hc_node *n) { return n->kind == HC_N_TYPEDEF && hc_is_flat(n->decl->type); }

int hc_write_declarations(hc_device *d, hc_node *n)
{
    int is_split = is_jumped_over(n) || hc_is_split_scope(d, n), has_special = 0;
    const char *space = "";
    for (hc_node *v = n->first; v; v = v->next)
        has_special |= v->kind == HC_N_VAR ? is_special(d, v, is_split) : is_variable_typedef(v);
    if (!has_special)
        return 0;
    if (n->parent->kind == HC_N_FOR)
        HC_REFUSE(240, n,
                  "a loop that declares what all threads share, or a pointer to an array of variable length: declare "
                  "it before the loop");
    for (hc_node *v = n->first; v; v = v->next) {
        size_t before = d->w.out.n;
        hc_puts(&d->w.out, space);
        if (v->kind == HC_N_VAR) {
            write_special(d, v, is_split);
        } else if (v->kind == HC_N_RECORD || v->kind == HC_N_ENUM) {
            hc_write(&d->w, v);
            hc_puts(&d->w.out, ";");
        } else if (is_variable_typedef(v)) {
            hc_write_bounds(d, v->decl);
        }
        if (d->w.out.n > before)
            space = " ";
    }
    if (!*space)
        hc_puts(&d->w.out, ";");
    return 1;
}
