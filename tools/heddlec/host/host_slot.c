/* SPDX-License-Identifier: MIT */
/* host_slot.c - variables that the host's part declares differently from the program.
 *
 * A slot: a variable x declared inside a region outlives its scope if tasks take its address. Behind its declaration,
 * hd_slot_<x> is declared, which points to memory of the region (outside one to x itself); x becomes (*hd_slot_<x>). A
 * private copy: private and firstprivate variables are declared again in a block. The outer value passes through
 * hd_from_<x>, because a declaration hides the variable of its own name. */
#include "host/host.h"
#include "analysis/understand.h"

#include <ctype.h>
#include <string.h>

static int is_in(hc_decl *const *list, uint32_t n, const hc_decl *d)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == d)
            return 1;
    return 0;
}

static int is_private_in(const hc_region *r, const hc_decl *d)
{
    return is_in(r->privates.at, r->privates.n, d) || is_in(r->firstprivates.at, r->firstprivates.n, d);
}

/* A region's private copy may be a slot; the variable outside the region is then not one. */
int hc_host_is_slot(const hc_host *h, const hc_decl *d)
{
    if (!hc_is_slot(h->p, d))
        return 0;
    for (uint32_t i = 0; i < h->plain.n; i++)
        if (h->plain.at[i] == d)
            return 0;
    for (uint32_t i = 0; i < h->p->regions.n; i++)
        if (is_private_in(&h->p->regions.at[i], d))
            return h->region == &h->p->regions.at[i];
    return 1;
}

char *hc_host_variable(const hc_host *h, const hc_decl *d)
{
    return hc_format(hc_host_is_slot(h, d) ? "(*hd_slot_%s)" : "%s", d->name);
}

static int is_simple_type(const char *name)
{
    while (isalnum((unsigned char)*name) || *name == '_' || *name == ' ' || *name == '*')
        name++;
    return !*name;
}

char *hc_host_type(const hc_decl *d, const char *from)
{
    const char *name = d->type->name;
    if (!is_simple_type(name))
        return hc_format("__typeof__(%s) ", from);
    return hc_format("%s%s", name, name[strlen(name) - 1] == '*' ? "" : " ");
}

static void put_slot(hc_host *h, uint32_t in, const hc_decl *d, int has_value)
{
    const char *x = d->name;
    hc_host_start(h, in, "%s*const hd_slot_%s = heddle_omp_inside() ? ", hc_host_type(d, x), x);
    hc_putf(&h->w.out,
            has_value ? "__builtin_memcpy(heddle_omp_slot(sizeof %s), &%s, sizeof %s)" : "heddle_omp_slot(sizeof %s)",
            x, x, x);
    hc_putf(&h->w.out, " : (void *)&%s;", x);
}

/* ---- private copies ---------------------------------------------------------------------------------------------- */

static void put_with_value(hc_host *h, uint32_t in, const hc_decl *d, const char *from)
{
    const char *x = d->name;
    if (hc_is_array(d->type)) {
        hc_host_start(h, in, "__typeof__(%s) *const hd_from_%s = &%s;", from, x, from);
        hc_host_start(h, in, "__typeof__(*hd_from_%s) %s;", x, x);
        hc_host_start(h, in, "__builtin_memcpy((void *)%s, hd_from_%s, sizeof %s);", x, x, x);
    } else {
        hc_host_start(h, in, "%shd_from_%s = %s;", hc_host_type(d, from), x, from);
        hc_host_start(h, in, "%s%s = hd_from_%s;", hc_host_type(d, hc_format("hd_from_%s", x)), x, x);
    }
}

void hc_host_anew(hc_host *h, uint32_t in, hc_decl *d, int with_value)
{
    int is_own = h->region && is_private_in(h->region, d), is_slot = hc_host_is_slot(h, d);
    const char *from = is_slot && !is_own ? hc_format("(*hd_slot_%s)", d->name) : d->name;
    if (with_value)
        put_with_value(h, in, d, from);
    else
        hc_host_start(h, in, "%s%s;", hc_host_type(d, from), d->name);
    if (is_slot && is_own && !h->in_task)
        put_slot(h, in, d, with_value);
    else if (is_slot)
        *HC_ADD(&h->plain) = d;
}

static hc_node *name_at(hc_node *directive, uint32_t begin)
{
    for (hc_node *n = directive->first; n; n = n->next)
        if (n->begin == begin && n->kind == HC_N_NAME)
            return n;
    return NULL;
}

/* Variables of work-shared loops that are declared outside the loops. */
static uint32_t put_loop_variables(hc_host *h, uint32_t in, hc_node *directive)
{
    hc_directive k = directive->pragma->directive;
    hc_node *collapse = hc_clause_expr(directive, HC_C_COLLAPSE);
    uint32_t n = collapse && collapse->is_constant ? (uint32_t)collapse->value : 1, n_anew = 0;
    hc_loop loops[8];
    int is_loop = k == HC_FOR || k == HC_FOR_SIMD || k == HC_PARALLEL_FOR || k == HC_PARALLEL_FOR_SIMD;
    if (!is_loop || n > 8 || hc_canonical_loops(directive->body, loops, n))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (loops[i].declares || hc_lists(directive, HC_C_LASTPRIVATE, loops[i].var) ||
            hc_lists(directive, HC_C_PRIVATE, loops[i].var))
            continue;
        if (n_anew++ == 0)
            hc_host_start(h, in, "{");
        hc_host_anew(h, in + 4, loops[i].var, 0);
    }
    return n_anew;
}

uint32_t hc_host_anew_clauses(hc_host *h, uint32_t in, hc_node *directive)
{
    uint32_t n = put_loop_variables(h, in, directive);
    for (uint32_t i = 0; i < directive->pragma->n_clauses; i++) {
        const hc_clause *c = &directive->pragma->clauses[i];
        if (c->kind != HC_C_PRIVATE && c->kind != HC_C_FIRSTPRIVATE)
            continue;
        for (uint32_t k = 0; k < c->n_items; k++) {
            hc_node *name = name_at(directive, c->items[k].base.begin);
            if (!name)
                continue;
            if (n++ == 0)
                hc_host_start(h, in, "{");
            hc_host_anew(h, in + 4, name->decl, c->kind == HC_C_FIRSTPRIVATE);
        }
    }
    return n;
}

void hc_host_plain_until(hc_host *h, uint32_t n) { h->plain.n = n; }

/* ---- declarations ------------------------------------------------------------------------------------------------ */

/* Writes n's text from offset `at`, before child c, to its end. */
static void write_rest(hc_host *h, hc_node *n, uint32_t at, hc_node *c)
{
    for (; c; at = c->end, c = c->next) {
        hc_write_text(&h->w, n->unit, at, c->begin);
        hc_write(&h->w, c);
    }
    hc_write_text(&h->w, n->unit, at, n->end);
}

static const hc_global *local_global(const hc_host *h, const hc_decl *d)
{
    const hc_global *g = d && !d->is_global && d->is_static ? hc_global_of(h->p, d) : NULL;
    return g && !g->is_constant ? g : NULL;
}

static int is_moved(const hc_host *h, const hc_node *var)
{
    return var->kind == HC_N_VAR && var->decl &&
           ((hc_host_is_slot(h, var->decl) && !var->decl->is_static) || local_global(h, var->decl));
}

static int has_moved(const hc_host *h, const hc_node *decls)
{
    for (const hc_node *v = decls->first; v; v = v->next)
        if (is_moved(h, v))
            return 1;
    return 0;
}

static void put_behind(hc_host *h, uint32_t in, const hc_node *var)
{
    const hc_global *g = local_global(h, var->decl);
    if (g)
        hc_host_start(h, in, "%s[%d] = (void *)&%s;", hc_globals_name(h->p, h->prog, h->unit), hc_global_place(h->p, g),
                      var->decl->name);
    else
        put_slot(h, in, var->decl, var->init != NULL);
}

/* `struct s { ... } x, y;` cannot be split, because s is defined once. */
static int defines_type(const hc_node *decls)
{
    for (const hc_node *c = decls->first; c; c = c->next)
        if (c->kind == HC_N_RECORD || c->kind == HC_N_ENUM)
            return 1;
    return 0;
}

/* Each declarator becomes its own declaration, so that the next may use the slot before it. */
static void put_split(hc_host *h, uint32_t in, hc_node *n)
{
    hc_node *first = n->first;
    while (first && first->kind != HC_N_VAR)
        first = first->next;
    for (hc_node *v = first; v; v = v->next) {
        if (v != first)
            hc_host_start(h, in, "%s", "");
        hc_write_text(&h->w, n->unit, n->begin, first->begin);
        hc_write(&h->w, v);
        hc_puts(&h->w.out, ";");
        if (is_moved(h, v))
            put_behind(h, in, v);
    }
}

static void put_declarations(hc_host *h, hc_node *n)
{
    uint32_t in = hc_host_indent(n);
    if (!defines_type(n)) {
        put_split(h, in, n);
        return;
    }
    hc_write_inside(&h->w, n);
    for (hc_node *v = n->first; v; v = v->next)
        if (is_moved(h, v))
            put_behind(h, in, v);
}

int hc_host_declarations(hc_host *h, hc_node *n)
{
    if (!has_moved(h, n))
        return 0;
    put_declarations(h, n);
    return 1;
}

/* A loop with a slot as its variable: the variable is declared before the loop, in a block around both. */
int hc_host_loop(hc_host *h, hc_node *n)
{
    uint32_t in = hc_host_indent(n), at;
    if (!n->init || n->init->kind != HC_N_DECLS || !has_moved(h, n->init))
        return 0;
    hc_puts(&h->w.out, "{ ");
    put_declarations(h, n->init);
    for (at = n->init->end; n->unit->text.bytes[at - 1] != ';';)
        at++;
    hc_host_start(h, in, "for (;");
    write_rest(h, n, at, n->init->next);
    hc_puts(&h->w.out, " }");
    return 1;
}

static void put_parameter_slots(hc_host *h, hc_node *function)
{
    uint32_t in = hc_host_indent(function->body) + 4;
    for (hc_node *c = function->first; c; c = c->next)
        if (c->kind == HC_N_PARAM && c->decl && hc_host_is_slot(h, c->decl))
            put_slot(h, in, c->decl, 1);
}

int hc_host_function(hc_host *h, hc_node *n)
{
    uint32_t at = n->begin;
    h->function = n->decl;
    for (hc_node *c = n->first; c; at = c->end, c = c->next) {
        hc_write_text(&h->w, n->unit, at, c->begin);
        if (c != n->body) {
            hc_write(&h->w, c);
        } else {
            hc_puts(&h->w.out, "{");
            put_parameter_slots(h, n);
            write_rest(h, c, c->begin + 1, c->first);
        }
    }
    hc_write_text(&h->w, n->unit, at, n->end);
    h->function = NULL;
    return 1;
}
