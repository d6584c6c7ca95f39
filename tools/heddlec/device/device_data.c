/* SPDX-License-Identifier: MIT */
/* device_data.c - text before the functions: the program's types, its constant tables, the record all tasks share. */
#include "device/device.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

static int is_written(const hc_device *d, const hc_decl *decl)
{
    for (uint32_t i = 0; i < d->types.n; i++)
        if (d->types.at[i] == decl)
            return 1;
    return 0;
}

static void write_type(hc_device *d, hc_node *n);

/* In C the tags of nested records are visible everywhere. */
static void write_inner_types(hc_device *d, hc_node *record)
{
    for (hc_node *n = hc_inside(record, record); n; n = hc_inside(record, n))
        if ((n->kind == HC_N_RECORD || n->kind == HC_N_ENUM) && n->decl->name[0] && !is_written(d, n->decl))
            write_type(d, n);
}

/* An untagged record is declared together with its variable. */
static int has_variable(const hc_node *record)
{
    for (const hc_node *n = record->next; n && record->parent->kind == HC_N_DECLS; n = n->next)
        if (n->kind == HC_N_VAR)
            return 1;
    return 0;
}

int hc_write_record(hc_device *d, hc_node *n)
{
    uint32_t at = n->begin + (uint32_t)strlen(hc_record_keyword(n->decl));
    if (n->decl->name[0] || !has_variable(n))
        return 0;
    hc_dev_putf(d, "%s %s", hc_record_keyword(n->decl), hc_type_name(d, n->decl));
    for (hc_node *c = n->first; c; c = c->next) {
        hc_write_text(&d->w, n->unit, at, c->begin);
        hc_write(&d->w, c);
        at = c->end;
    }
    hc_write_text(&d->w, n->unit, at, n->end);
    return 1;
}

/* Writes a record by itself. */
static void write_type(hc_device *d, hc_node *n)
{
    write_inner_types(d, n);
    if (is_written(d, n->decl))
        return;
    if (!hc_write_record(d, n))
        hc_write_inside(&d->w, n);
    hc_puts(&d->w.out, ";\n");
    *HC_ADD(&d->types) = n->decl;
}

/* Inside another declaration, a record already written becomes its name. An enumerator becomes its value: its
 * expression may be a variable's size. */
static int write_named(hc_writer *w, hc_node *n)
{
    hc_device *d = hc_device_of(w);
    if (n->kind == HC_N_NAME && n->decl && n->decl->kind == HC_N_ENUMERATOR) {
        hc_puts(&d->w.out, hc_type_name(d, n->decl));
        return 1;
    }
    if (n->kind == HC_N_ENUMERATOR) {
        hc_puts(&d->w.out, hc_type_name(d, n->decl));
        if (n->init)
            hc_dev_putf(d, " = %lld", (long long)n->decl->value);
        return 1;
    }
    if ((n->kind != HC_N_RECORD && n->kind != HC_N_ENUM) || !is_written(d, n->decl))
        return 0;
    hc_dev_putf(d, "%s %s", hc_record_keyword(n->decl), hc_type_name(d, n->decl));
    return 1;
}

static void write_typedef(hc_device *d, hc_node *decls)
{
    for (uint32_t i = 0; i < d->types.n; i++)
        if (d->types.at[i] == decls->first->decl && decls->first->kind == HC_N_TYPEDEF)
            return;
    write_inner_types(d, decls);
    hc_write_inside(&d->w, decls);
    hc_puts(&d->w.out, "\n");
    for (hc_node *n = decls->first; n; n = n->next)
        if (n->kind == HC_N_TYPEDEF)
            *HC_ADD(&d->types) = n->decl;
}

static void check_size(hc_device *d, const hc_decl *decl)
{
    const hc_type *t = decl->type;
    const char *name = hc_type_name(d, decl);
    if (!t || !t->size || (t->kind != HC_T_STRUCT && t->kind != HC_T_UNION) || !decl->name[0])
        return;
    if (decl->kind == HC_N_RECORD)
        name = hc_format("%s %s", hc_record_keyword(decl), name);
    hc_dev_putf(d, "HEDDLE_OMP_STATIC_ASSERT(sizeof(%s) == %llu, \"%s has another size than in the program\");\n", name,
                (unsigned long long)t->size, name);
}

/* nvcc 13.0 obeys `#pragma pack` of 2 and more for member accesses, but not for assignments of whole structures. */
static void check_pack(const hc_device *d, const hc_decl *decl, uint32_t pack)
{
    if (pack > 1 && pack < 8 && !d->p->options.is_host_only)
        hc_say(HC_WARNING, 174, &decl->node->unit->text, decl->node->begin, 0,
               "under pack(%u): nvcc compiles the assignment of such a structure to a load that a GPU refuses; pack(1) "
               "is right",
               pack);
}

void hc_write_types(hc_device *d)
{
    int (*node)(hc_writer *, hc_node *) = d->w.node;
    d->w.node = write_named;
    hc_puts(&d->w.out, d->p->types.n ? "/* Types of the program. */\n" : "");
    for (uint32_t i = 0; i < d->p->types.n; i++) {
        hc_decl *decl = d->p->types.at[i];
        uint32_t pack = hc_pack_at(&decl->node->unit->text, decl->node->begin);
        check_pack(d, decl, pack);
        if (pack)
            hc_dev_putf(d, "#pragma pack(push, %u)\n", pack);
        if (decl->kind == HC_N_TYPEDEF)
            write_typedef(d, decl->node->parent);
        else
            write_type(d, decl->node);
        if (pack)
            hc_puts(&d->w.out, "#pragma pack(pop)\n");
    }
    for (uint32_t i = 0; i < d->p->types.n; i++)
        check_size(d, d->p->types.at[i]);
    d->w.node = node;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static void write_table(hc_device *d, const hc_global *g)
{
    hc_dev_putf(d, "static HEDDLE_OMP_CONST %s = ", hc_declaration(d, g->decl->type, g->name));
    hc_write(&d->w, g->decl->node->init);
    hc_puts(&d->w.out, ";\n");
}

static void write_app(hc_device *d)
{
    hc_puts(&d->w.out, "\n/* What all tasks share: addresses of variables with static storage. */\nstruct hd_params {\n"
                       "    heddle_omp_params head;\n");
    for (uint32_t i = 0; i < d->p->globals.n; i++)
        if (!d->p->globals.at[i].is_constant)
            hc_dev_putf(d, "    %s;\n",
                        hc_declaration(d, hc_pointer_to(hc_unqualified(d->p->globals.at[i].decl->type)),
                                       d->p->globals.at[i].name));
    hc_puts(&d->w.out, "};\n");
}

void hc_write_tables(hc_device *d)
{
    int is_first = 1;
    for (uint32_t i = 0; i < d->p->globals.n; i++) {
        if (!d->p->globals.at[i].is_constant)
            continue;
        hc_puts(&d->w.out, is_first ? "\n/* Constants of the program. */\n" : "");
        write_table(d, &d->p->globals.at[i]);
        is_first = 0;
    }
    write_app(d);
}
