/* SPDX-License-Identifier: MIT */
/* understand.h - shared by the files of the analysis: the functions of all sources, the call graph, walking trees, the
 * expressions of clauses. The analysis is region.c (regions, tasks), section.c (maps, depends), captures.c (captures),
 * reach.c, types.c and meaning.c (functions, variables, types of bodies), effect.c and flow.c (eligibility). */
#ifndef HEDDLEC_UNDERSTAND_H
#define HEDDLEC_UNDERSTAND_H

#include "analysis/program.h"

/* Memory: a variable (depth 0), its pointees (1), all that is reachable from there through pointers (2); root NULL:
 * unknown memory. */
typedef struct hc_object {
    hc_decl *root;
    int depth;
} hc_object;
typedef HC_LIST(hc_object) hc_objects;

/* ---- walking ----------------------------------------------------------------------------------------------------- */

/* The next node in root's tree, parents first: hc_behind skips n's children, hc_inside visits them. NULL at the end. */
hc_node *hc_behind(const hc_node *root, const hc_node *n);
hc_node *hc_inside(const hc_node *root, const hc_node *n);
#define HC_EACH_NODE(n, root) for (hc_node *n = (root); n; n = hc_inside((root), n))

int hc_is_in(const hc_node *n, const hc_node *outer); /* n is outer or in it */
int hc_is_directive(const hc_node *n, hc_directive d);
int hc_is_region(const hc_node *n); /* a directive that starts several threads */
int hc_has_team(const hc_node *n);  /* all threads of a team meet at its end */
/* The nearest directive around n, or NULL. */
hc_node *hc_directive_around(const hc_node *n);
hc_node *hc_task_around(const hc_node *n); /* likewise, of tasks */
/* Whether the declaration stands in the text of outer. */
int hc_declared_in(const hc_decl *d, const hc_node *outer);
/* The only statement of a block, of a nested block, and so on. */
hc_node *hc_only_statement(hc_node *n);
/* A variable or parameter of a function, neither static nor extern. */
int hc_is_local(const hc_decl *d);
int hc_is_var(const hc_decl *d);
int hc_is_loop_variable(const hc_task *t, const hc_decl *d); /* of a taskloop's loops */
/* The operator of the task's reduction of d, a number; NULL: none, or tasks take turns at the variable itself. */
const char *hc_reduced(const hc_node *task, const hc_decl *d);
int hc_is_task_directive(const hc_node *n); /* task, taskloop, taskloop simd; single that is a root */
int hc_is_taskloop(const hc_node *n);

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

/* One expression of a directive's clauses, in the order of hc_overlay_each. */
typedef struct hc_part {
    const hc_clause *clause;
    const hc_item *item; /* NULL: clause->extra */
    int dim, is_length;  /* dim -1: base */
    hc_node *node;
} hc_part;
typedef HC_LIST(hc_part) hc_parts;
hc_parts hc_parts_of(const hc_node *directive);
/* The expression of the first clause of that kind, NULL without one. */
hc_node *hc_clause_expr(const hc_node *directive, hc_clause_kind kind);
/* The clause of that kind with d itself, without dimensions, in its list; or NULL. */
const hc_clause *hc_lists(const hc_node *directive, hc_clause_kind kind, const hc_decl *d);
int hc_has_word(const hc_clause *c, const char *word); /* among its modifiers */

/* A variable or section of a map or depend clause; 0 after a refusal. */
typedef struct hc_array_section {
    hc_node *base;
    struct hc_depend_dim *dims;
    uint32_t n_dims, n_lead;
} hc_array_section;
hc_array_section hc_array_section_of(const hc_parts *parts, const hc_item *item);
/* The type that remains behind the first n dimensions. */
const hc_type *hc_type_behind(const hc_array_section *s, uint32_t n);

/* The task's statement; of a taskloop the body of the innermost loop. */
hc_node *hc_task_body(const hc_task *t);
void hc_find_depends(hc_task *t);
void hc_find_maps(hc_node *directive, hc_map_list *maps);
int hc_map_names(const hc_map *m, const hc_decl *d);

/* ---- functions --------------------------------------------------------------------------------------------------- */

typedef struct hc_fn hc_fn;
typedef struct hc_call {
    hc_node *node;
    hc_decl *decl; /* NULL: through a pointer */
} hc_call;
struct hc_fn {
    hc_decl *decl; /* its definition */
    hc_node *node;
    HC_LIST(hc_call) calls;
    HC_LIST(hc_node *) directives; /* in the order of the text */
    int makes_tasks;               /* itself or through calls */
    int takes_part;                /* makes tasks or waits for them, itself or through calls */
    int is_taken;                  /* its address is used */
    int is_in_region, is_in_left;  /* reached from a region; from a region left to the host's OpenMP */
    int is_creating;               /* reached from a region's creator, not only by tasks */
    uint32_t mark;
    uint32_t looked, keeps;     /* address.c: bit i for parameter i */
    struct hc_summary *summary; /* effect.c */
    hc_objects returns;         /* points.c: objects of a returned pointer */
};
typedef struct hc_index {
    HC_LIST(hc_fn *) fns;
    HC_LIST(hc_node *) left; /* directives left to the host's OpenMP with their contents */
    struct hc_entry {
        const char *id;
        hc_decl *definition;
        hc_fn *fn;
        uint32_t n_function; /* its index in hc_program.functions, from 1; 0: none */
    } * entries;
    uint32_t n_slots, n_entries;
    uint32_t mark;
    HC_LIST(struct hc_summary *) task_summaries; /* by number, effect.c */
} hc_index;

hc_index *hc_make_index(hc_program *p);
/* NULL without a definition. During the analysis, hc_decl.mark of a definition is its hc_fn. */
hc_fn *hc_fn_of(const hc_program *p, const hc_decl *d);
/* Function i of those that a call may reach; NULL behind the last. */
hc_fn *hc_callee(const hc_program *p, const hc_call *c, uint32_t i);
/* The calls in n. */
#define HC_EACH_CALL(c, from_fn, in_node)                                                          \
    for (hc_call *c = (from_fn)->calls.at; c && c < (from_fn)->calls.at + (from_fn)->calls.n; c++) \
        if (hc_is_in(c->node, (in_node)))
hc_fn *hc_function_around(const hc_program *p, const hc_node *n);
int hc_makes_tasks(const hc_program *p, hc_node *n);
int hc_is_left(const hc_program *p, const hc_node *n);
int hc_same(const hc_decl *a, const hc_decl *b);
void hc_add_function(hc_program *p, hc_decl *d); /* to the functions that bodies need */

/* ---- steps of hc_understand -------------------------------------------------------------------------------------- */

void hc_find_regions(hc_program *p);
void hc_find_tasks(hc_program *p);
void hc_find_captures(hc_program *p);
void hc_find_reached(hc_program *p);
void hc_find_types(hc_program *p);
void hc_find_flow(hc_program *p);
void hc_find_meanings(hc_program *p); /* once, before all else */
void hc_find_type_names(hc_program *p);

/* `what`, made different from every name made before; never a reserved word of C++ or CUDA. */
const char *hc_unique_name(hc_program *p, const char *what);

#endif
