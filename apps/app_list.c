/* SPDX-License-Identifier: MIT */
/* app_list.c - all apps, by name. */
#include "app.h"

#include <string.h>

extern const app app_beam, app_bfs, app_blackscholes, app_boxfilter, app_conv, app_dct, app_des3, app_dtw, app_ep,
    app_fbank, app_heat, app_heat2d, app_histogram, app_hotspot, app_inthist, app_jacobi, app_lu, app_mandel,
    app_matmul, app_mix, app_mm, app_quad, app_queens, app_sat, app_slu, app_sor, app_sw, app_uts;

const app *const app_list[] = {
    &app_beam,      &app_bfs,     &app_blackscholes, &app_boxfilter, &app_conv,   &app_dct,
    &app_des3,      &app_dtw,     &app_ep,           &app_fbank,     &app_heat,   &app_heat2d,
    &app_histogram, &app_hotspot, &app_inthist,      &app_jacobi,    &app_lu,     &app_mandel,
    &app_matmul,    &app_mix,     &app_mm,           &app_quad,      &app_queens, &app_sat,
    &app_slu,       &app_sor,     &app_sw,           &app_uts,       NULL};

const app *app_find(const char *name)
{
    const app *const *a;
    for (a = app_list; *a; a++)
        if (strcmp((*a)->name, name) == 0)
            return *a;
    return NULL;
}

const app_scenario *app_scenario_of(const app *a, const char *engine)
{
    const app_scenario *s;
    for (s = a->scenarios; s->engine; s++)
        if (!engine || strcmp(s->engine->name, engine) == 0)
            return s;
    return NULL;
}
