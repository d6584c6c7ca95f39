/* SPDX-License-Identifier: MIT */
/* names.h - the source to which a variable with static storage belongs, and names that both lowerings write. */
#ifndef HEDDLEC_NAMES_H
#define HEDDLEC_NAMES_H

#include "analysis/program.h"

/* The source that takes a variable's address, its index in the list there, and the list's name. */
hc_unit *hc_home_of(const hc_program *p, const hc_global *g);
int hc_global_place(const hc_program *p, const hc_global *g);
const char *hc_globals_name(const hc_program *p, const char *prog, const hc_unit *u);
/* An identifier made from a file's name, unique among units: "lu" of "src/lu.c". */
const char *hc_unit_name(const hc_program *p, const hc_unit *u);

#endif
