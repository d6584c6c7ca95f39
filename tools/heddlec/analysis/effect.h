/* SPDX-License-Identifier: MIT */
/* effect.h - the memory that a piece of code reads and writes, as far as its text tells.
 *
 * An object is a variable (depth 0), what it points to, or all that is reachable from there: elements behind `double
 * *a` are one object, for any index. A pointer copied from others stands for their objects (for a function's local
 * variables, in any order of statements). An access also has the class of the value's type and the field of a struct;
 * by C's rules these separate most accesses that cannot alias. */
#ifndef HEDDLEC_EFFECT_H
#define HEDDLEC_EFFECT_H

#include "analysis/understand.h"

typedef enum hc_class {
    HC_CLASS_ANY,
    HC_CLASS_2,
    HC_CLASS_4,
    HC_CLASS_8,
    HC_CLASS_FLOAT,
    HC_CLASS_DOUBLE,
    HC_CLASS_POINTER
} hc_class;

typedef struct hc_access {
    hc_object at;
    hc_class of;
    const hc_decl *field;   /* NULL: none, or all */
    int is_write, is_birth; /* birth: the first value of a new variable, not used before */
    hc_node *node;          /* where */
} hc_access;

typedef struct hc_summary {
    HC_LIST(hc_access) accesses;
    hc_node *output, *time; /* a call with visible output, a call that reads a clock; NULL = none */
} hc_summary;

/* The analysis of a variable as an object; made on first use. */
typedef struct hc_var {
    hc_objects points; /* what its value, or a pointer in it, may point to */
} hc_var;
hc_var *hc_var_of(const hc_program *p, hc_decl *d);
hc_decl *hc_canonical(const hc_program *p, hc_decl *d); /* one for all declarations of a variable */

void hc_add_object(hc_objects *l, hc_object o);
/* The objects that an expression's value may point to; the objects that an lvalue may lie in. */
void hc_points_to(const hc_program *p, hc_node *value, hc_objects *out);
void hc_lies_in(const hc_program *p, hc_node *place, hc_objects *out);
/* The objects that a pointer stored in o may point to. */
void hc_load(const hc_program *p, hc_object o, hc_objects *out);
/* Translates an object of function `to` into objects of the caller, for one call. */
void hc_pass(const hc_program *p, const hc_fn *to, const hc_node *call, hc_object o, hc_objects *out);
void hc_find_points(hc_program *p);
void hc_find_addresses(hc_program *p);
/* No pointer leads to the variable, and no other source names it. */
int hc_is_hidden(const hc_program *p, hc_decl *d);

/* Whether the directive gives its statement a private d. */
int hc_is_private_in(const hc_node *directive, const hc_decl *d);
/* Whether n stands in a construct inside `outer` that gives it a private d. */
int hc_is_private_at(const hc_node *n, const hc_decl *d, const hc_node *outer);

/* Summaries of all functions. */
void hc_find_summaries(hc_program *p);
/* Of a statement or expression; without_parts: without the statements of tasks, and without calls that create tasks or wait. */
hc_summary hc_summary_of(const hc_program *p, hc_node *code, int without_parts);
/* Of the expressions in a directive's clauses, without its statement. */
hc_summary hc_clause_summary(const hc_program *p, hc_node *directive);
/* Of a task's statement, without variables declared in it. */
const hc_summary *hc_task_summary(const hc_program *p, const hc_task *t);
int hc_calls_back(const hc_node *call); /* calls a function of the program passed to it, as qsort does */
int hc_call_takes_part(const hc_program *p, const hc_node *call);
/* Whether the variable itself, or an element or a field of it, is written there; by some task. */
int hc_writes(const hc_summary *s, const hc_decl *d);
int hc_tasks_write(const hc_program *p, hc_decl *d);

/* captures.c: maps d unless a map names it. */
void hc_map_implicitly(hc_region *r, hc_decl *d);
/* fit.c */
void hc_check_capture(const hc_program *p, const hc_task *t, const hc_capture *c);
int hc_settle_global(const hc_program *p, hc_decl *d, hc_node *use); /* returns hc_global.is_shown */
void hc_check_pointers(const hc_program *p, hc_task *t);

#endif
