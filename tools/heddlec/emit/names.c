/* SPDX-License-Identifier: MIT */
/* names.c - see names.h. */
#include "emit/names.h"

#include <ctype.h>
#include <string.h>

static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot;
    path = slash ? slash + 1 : path;
    dot = strrchr(path, '.');
    char *s = hc_copy(path, dot && dot > path ? (size_t)(dot - path) : strlen(path));
    for (char *c = s; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return s;
}

const char *hc_unit_name(const hc_program *p, const hc_unit *u)
{
    const char *stem = stem_of(u->text.path);
    uint32_t n_before = 0;
    for (uint32_t i = 0; i < p->units.n && p->units.at[i] != u; i++)
        n_before += strcmp(stem_of(p->units.at[i]->text.path), stem) == 0;
    return n_before ? hc_format("%s_%u", stem, n_before + 1) : stem;
}

/* Where it is defined, else where it is declared. */
hc_unit *hc_home_of(const hc_program *p, const hc_global *g)
{
    const hc_decl *d = hc_definition(p, g->decl);
    if (d || g->decl->node)
        return (d ? d : g->decl)->node->unit;
    for (uint32_t i = 0; i < p->units.n; i++)
        for (uint32_t k = 0; k < p->units.at[i]->decls.n; k++)
            if (strcmp(p->units.at[i]->decls.at[k]->id, g->decl->id) == 0)
                return p->units.at[i];
    return p->units.at[0];
}

int hc_global_place(const hc_program *p, const hc_global *g)
{
    int n = 0;
    for (const hc_global *o = p->globals.at; o < g; o++)
        n += !o->is_constant && hc_home_of(p, o) == hc_home_of(p, g);
    return n;
}

const char *hc_globals_name(const hc_program *p, const char *prog, const hc_unit *u)
{
    return hc_format("hd_%s_%s_globals", prog, hc_unit_name(p, u));
}
