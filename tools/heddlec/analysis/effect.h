/* SPDX-License-Identifier: MIT */
/* effect.h - what memory a piece of code reads and writes, as far as its text tells.
 *
 * An object is a variable, what a variable points to, or all that is reached from there: elements behind `double *a` are
 * one object, whatever the index. A pointer that was copied from others stands for what those stand for (of a function's local
 * variables, whatever the order of statements). An access also has the class of the value's type and the field of a
 * struct, by which C tells most accesses apart that cannot meet. */
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
    int is_write, is_birth; /* birth: the first value of a new variable, which nobody can have used */
    hc_node *node;          /* where */
} hc_access;

typedef struct hc_summary {
    HC_LIST(hc_access) accesses;
    hc_node *output, *time; /* a call that somebody sees, that asks a clock; NULL = none */
} hc_summary;

/* What is known of a variable as an object; made when first asked for. */
typedef struct hc_var {
    hc_objects points; /* what its value, or a pointer in it, may point to */
} hc_var;
hc_var *hc_var_of(const hc_program *p, hc_decl *d);
hc_decl *hc_canonical(const hc_program *p, hc_decl *d); /* one for all declarations of a variable */

void hc_add_object(hc_objects *l, hc_object o);
/* What an expression's value may point to; which objects an lvalue may lie in. */
void hc_points_to(const hc_program *p, hc_node *value, hc_objects *out);
void hc_lies_in(const hc_program *p, hc_node *place, hc_objects *out);
/* What a pointer that is stored in o may point to. */
void hc_load(const hc_program *p, hc_object o, hc_objects *out);
/* Of an object of function `to`, by a call of it: objects of the caller. */
void hc_pass(const hc_program *p, const hc_fn *to, const hc_node *call, hc_object o, hc_objects *out);
void hc_find_points(hc_program *p);
void hc_find_addresses(hc_program *p);
/* No pointer leads to the variable, and no source but its own names it. */
int hc_is_hidden(const hc_program *p, hc_decl *d);

/* The directive gives its statement a d of its own. */
int hc_is_private_in(const hc_node *directive, const hc_decl *d);
/* n stands in a construct inside of `outer` that gives it a d of its own. */
int hc_is_private_at(const hc_node *n, const hc_decl *d, const hc_node *outer);

/* Summaries of all functions. */
void hc_find_summaries(hc_program *p);
/* Of a statement or expression; without_parts: without the
 * statements of tasks and without calls that create tasks or wait. */
hc_summary hc_summary_of(const hc_program *p, hc_node *code, int without_parts);
/* Of what a directive's clauses evaluate, without its statement. */
hc_summary hc_clause_summary(const hc_program *p, hc_node *directive);
/* Of a task's statement, without what is declared in it. */
const hc_summary *hc_task_summary(const hc_program *p, const hc_task *t);
int hc_calls_back(const hc_node *call); /* of a function of the program that it gets: qsort and its like */
int hc_call_takes_part(const hc_program *p, const hc_node *call);
/* The variable itself, or an element or a field of it, is changed there; by some task. */
int hc_writes(const hc_summary *s, const hc_decl *d);
int hc_tasks_write(const hc_program *p, hc_decl *d);

/* captures.c: unless a map names it. */
void hc_map_implicitly(hc_region *r, hc_decl *d);
/* fit.c */
void hc_check_capture(const hc_program *p, const hc_task *t, const hc_capture *c);
int hc_settle_global(const hc_program *p, hc_decl *d, hc_node *use); /* returns hc_global.is_shown */
void hc_check_pointers(const hc_program *p, hc_task *t);

#endif
