/* SPDX-License-Identifier: MIT */
/* understand.c - the analysis from its beginning to its end: which file has its turn when. */
#include "effect.h"

/* For whoever comes next. */
static void clear_marks(const hc_program *p)
{
    for (uint32_t i = 0; i < p->units.n; i++)
        for (uint32_t k = 0; k < p->units.at[i]->decls.n; k++)
            p->units.at[i]->decls.at[k]->mark = NULL;
}

void hc_understand(hc_program *p)
{
    hc_make_index(p);
    hc_find_regions(p);
    hc_find_tasks(p);
    hc_find_summaries(p);
    hc_find_captures(p);
    hc_find_reached(p);
    hc_find_types(p);
    hc_find_flow(p);
    clear_marks(p);
}
