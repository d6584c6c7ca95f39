/* SPDX-License-Identifier: MIT */
/* understand.c - runs the analysis from beginning to end, in the order of its files. */
#include "analysis/effect.h"

/* Frees the marks for other users. */
static void clear_marks(const hc_program *p)
{
    for (uint32_t i = 0; i < p->units.n; i++)
        for (uint32_t k = 0; k < p->units.at[i]->decls.n; k++)
            p->units.at[i]->decls.at[k]->mark = NULL;
}

static void forget(hc_program *p)
{
    clear_marks(p);
    p->regions.n = p->tasks.n = p->inner_tasks.n = p->waits.n = p->slots.n = p->data.n = 0;
    p->functions.n = p->globals.n = p->types.n = p->renamed.n = 0;
    p->has_new_root = 0;
}

static void understand_once(hc_program *p)
{
    forget(p);
    hc_make_index(p);
    hc_find_regions(p);
    hc_find_tasks(p);
    hc_find_summaries(p);
    hc_find_captures(p);
    hc_find_reached(p);
    hc_find_types(p);
    hc_find_type_names(p);
    hc_find_flow(p);
}

/* Repeats the analysis if a region must run another way. Repeated diagnostics are printed once. */
void hc_understand(hc_program *p)
{
    hc_find_meanings(p);
    do
        understand_once(p);
    while (p->has_new_root && !hc_n_errors());
    clear_marks(p);
}
