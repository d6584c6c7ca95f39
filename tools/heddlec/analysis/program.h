/* SPDX-License-Identifier: MIT */
/* program.h - what is to be translated, found in the trees of all sources: regions, tasks with their captures and
 * dependences, the functions and variables that task bodies reach. Made once by hc_understand, read by the lowerings.
 *
 * Execution of a region (Juggler, PPoPP'18, section 4): the host runs the creator's statement as it stands, and appends
 * a task at each task pragma. So a function that creates tasks needs no second version: outside a region it runs the
 * task's statement at once. A task's statement becomes a body; its captures are local variables of the body, set from
 * the argument record. */
#ifndef HEDDLEC_PROGRAM_H
#define HEDDLEC_PROGRAM_H

#include "parse/tree.h"

typedef struct hc_options {
    const char *backend; /* auto, cpu, cuda */
    int region_parallel; /* --region=parallel: also `parallel` + `single|master` of the host */
    int memory_system;   /* --memory=system */
    const char *depend;  /* overlap, start, exact */
    int no_line;         /* --no-line: generated text without #line */
    int is_host_only;    /* no device code, so tasks may call host functions: backend cpu, heddle without CUDA */
} hc_options;

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* A loop in canonical form: for (var = lower; var < upper; var += step). */
typedef struct hc_loop {
    hc_node *node; /* FOR */
    hc_decl *var;
    int declares;                  /* the loop declares var */
    hc_node *lower, *upper, *step; /* step NULL: 1 */
    const char *test;              /* "<" "<=" ">" ">=" "!=" */
    int step_is_minus;             /* var -= step, var-- */
    hc_node *body;
} hc_loop;
/* The n outermost loops of a statement, each the only statement of its parent (apart from blocks). Returns 0, or -1
 * after HC130 for a loop that is not canonical. */
int hc_canonical_loops(hc_node *statement, hc_loop *out, uint32_t n);

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

typedef enum hc_how {
    HC_BY_VALUE,     /* copied when the task is created: firstprivate, and shared ones not changed in the region */
    HC_BY_REFERENCE, /* the task gets its address: shared, and changed by a task or, after a wait, by the host */
    HC_PRIVATE       /* a new variable of the body */
} hc_how;

typedef struct hc_capture {
    hc_decl
        *decl; /* local variable or parameter of the creating function. Globals are in hc_program.globals, except those
                    * private or firstprivate by a clause, and scalars and pointers that a task's statement names and no
                    * task changes: those are captured, too. So try hc_capture_of first */
    hc_how how;
    const char *field; /* in the argument record: the variable's name, made unique */
    /* Arrays of variable length, and pointers to them: the n_bounds dimensions below the first are captured, too, in
     * fields FIELD_1, FIELD_2, ... of type int64_t. The record points to the innermost element; for an array by value,
     * in a copy that lives until the region's end. */
    uint32_t n_bounds;
    const hc_type *element; /* innermost element type if n_bounds > 0, else NULL */
    int is_lastprivate;     /* of a taskloop: the task with the last chunk writes it back, by reference */
    const char *reduction; /* the operator: the task's copy is added to the variable, by reference, at the task's end */
    int is_shared;         /* by the rules of OpenMP, independent of how it is captured */
} hc_capture;

/* The values of an iterator. */
typedef struct hc_depend_range {
    hc_node *begin, *end, *step; /* step NULL: 1 */
} hc_depend_range;

typedef struct hc_depend {
    int mode; /* 1 in, 2 out, 3 inout */
    const hc_clause *clause;
    const hc_item *item;
    hc_node *base; /* expression before the dimensions */
    struct hc_depend_dim {
        hc_node *lower, *length; /* NULL where absent */
        int is_section;
    } * dims;
    const struct hc_depend_range *ranges; /* of clause->iterators, n_iterators of them */
    uint32_t n_dims;
    uint32_t
        n_lead; /* the first n_lead dims lead to a pointer, as `rows[i]` of rows[i][0:n]: elements, written behind base; the
                      * others form the section. n_lead 0 and n_dims 0: the variable itself */
} hc_depend;

typedef struct hc_task {
    uint32_t number; /* kind of heddle_omp_task, index in hc_program.tasks */
    const char
        *name; /* of its body: function called, or enclosing function, and line: lu0_68; unique, a C identifier */
    const char *label; /* for traces: lu0:68 */
    hc_unit *unit;
    hc_node *node; /* the directive: task, taskloop */
    hc_node *statement;
    hc_decl *function; /* the function that creates it */
    HC_LIST(hc_capture) captures;
    HC_LIST(hc_depend) depends;
    hc_node *priority, *if_expr, *final; /* NULL where absent */
    /* taskloop. Captures are the variables of the innermost loop's body, without the loops' variables; the host
     * evaluates bounds and steps. */
    int is_between_barriers; /* depend(inout: omp_all_memory) */
    int is_loop, nogroup;
    hc_loop loops[8];
    uint32_t n_loops;
    hc_node *grainsize, *num_tasks;
    int follows_pointers; /* follows pointers stored in memory: on a device these would be host addresses */
    int has_inner;        /* an inner parallel region is in its statement or its callees: all threads work */
} hc_task;

/* ---- regions ----------------------------------------------------------------------------------------------------- */

typedef struct hc_map {
    const hc_clause *clause; /* NULL: implicit */
    const hc_item *item;
    hc_node *base;
    struct hc_depend_dim *dims; /* as in hc_depend */
    uint32_t n_dims, n_lead;
    hc_decl *decl; /* implicit: the variable */
    uint32_t how;  /* HEDDLE_OMP_TO ... as numbers: alloc 0, to 1, from 2, tofrom 3, always 4, release 8, delete 16 */
    const char *name; /* as the user wrote it */
} hc_map;
typedef HC_LIST(hc_map) hc_map_list;

typedef struct hc_region {
    hc_unit *unit;
    hc_node *node;    /* its outermost directive: target parallel, target, parallel */
    hc_node *creator; /* the statement that creates tasks: of single, master, masked, or of target itself */
    hc_decl *function;
    int is_target;
    int is_one; /* contains more than single, master, for, sections, barrier: its team is one thread */
    hc_node *num_threads, *if_expr;
    hc_map_list maps; /* explicit ones, then implicit: local variables that tasks take by reference, arrays a target
                           * region uses without a map */
    HC_LIST(hc_decl *)
    privates;                         /* of target, parallel and single: declared around the creator, unset */
    HC_LIST(hc_decl *) firstprivates; /* the same with the outer value; only if the creator changes them */
    int has_barriers; /* it reaches a taskwait, taskgroup or taskloop without nogroup that is not a sync */
    int host_writes;  /* the host writes mapped memory between syncs: heddle_omp_host_wrote after each sync */
    int is_assumed;   /* after #pragma heddle region assume(eligible) */
} hc_region;

/* A point where the host waits: taskwait, end of taskgroup, end of taskloop; in a region of parts also barriers and the
 * ends of its parts. */
typedef struct hc_wait {
    hc_node *node;
    int is_sync; /* the host then accesses what tasks wrote: run and copy back; else a barrier of the graph */
} hc_wait;

/* A variable declared inside a region (or in a function that creates tasks) that tasks take by reference: it moves into
 * a slot, because tasks run after its scope has ended. */
typedef struct hc_slot {
    hc_decl *decl;
} hc_slot;

/* target data, enter data, exit data, update: in the host's code, with their maps. */
typedef struct hc_data {
    hc_node *node;
    hc_map_list maps;
    hc_node *if_expr;
} hc_data;

/* ---- what bodies reach ------------------------------------------------------------------------------------------- */

typedef struct hc_function {
    hc_decl *decl; /* with its definition */
    int has_inner; /* an inner parallel region in it or in its callees */
    int is_recursive;
    int is_in_team, is_in_thread; /* called by all threads together; called by one thread */
    const char *name;             /* in device text: unique over all sources */
} hc_function;

typedef struct hc_global {
    hc_decl *decl;   /* a variable; with is_host_only also a function without a version for bodies */
    int is_constant; /* const and initialised: copied into the device text; otherwise accessed through its address */
    int is_shown;    /* has pointers, and no task changes it: tasks on a device see it with device addresses */
    uint32_t index;  /* of those that are not constant: in heddle_omp_program.globals */
    const char *name;
} hc_global;

/* A typedef, tag or enumerator renamed in the bodies' text. */
typedef struct hc_renamed {
    const hc_decl *decl;
    const char *name;
} hc_renamed;

typedef struct hc_program {
    hc_options options;
    int asks_final;   /* a task asks whether it is final */
    int has_new_root; /* hc_find_flow: the analysis must run again */
    int asks_numbers; /* a task asks for its thread's number or their count, outside inner regions */
    HC_LIST(hc_unit *) units;
    HC_LIST(hc_region) regions;
    HC_LIST(hc_task) tasks;
    HC_LIST(hc_task) inner_tasks; /* inside other tasks' statements; without number, depends and priority */
    HC_LIST(hc_wait) waits;
    HC_LIST(hc_slot) slots;
    HC_LIST(hc_data) data;
    HC_LIST(hc_function) functions; /* callees before callers, except in recursion */
    HC_LIST(hc_global) globals;
    HC_LIST(hc_decl *)
    types; /* typedefs, records, enums of the program's own text that device text needs, in order. One
                               * per declaration (the DECLS around its node, if any): its typedef if it has one, which
                               * stands for the record defined in it, too. Enumerators of an enum local to a function are
                               * in none: write their value */
    HC_LIST(hc_renamed) renamed;
    struct hc_index *index; /* of definitions, see hc_definition */
    uint64_t stack_bytes;   /* required by the bodies' text (device/bodies.h) */
    uint32_t n_locks;
    int calls_openmp; /* tasks call OpenMP functions that stay calls: locks, with is_host_only */
} hc_program;

/* Fills p from p->units and p->options: regions and tasks (region.c), captures (captures.c), functions and variables of
 * bodies (reach.c), waits and eligibility (flow.c). Prints refusals; see hc_n_errors. */
void hc_understand(hc_program *p);

/* NULL if there is none of that kind. */
hc_region *hc_region_of(const hc_program *p, const hc_node *directive);
hc_task *hc_task_of(const hc_program *p, const hc_node *directive);
hc_task *hc_inner_task_of(const hc_program *p, const hc_node *directive);
hc_wait *hc_wait_of(const hc_program *p, const hc_node *directive);
hc_data *hc_data_of(const hc_program *p, const hc_node *directive);
/* The definition of the function or variable that d declares, in any source, or NULL. */
hc_decl *hc_definition(const hc_program *p, const hc_decl *d);
hc_function *hc_function_of(const hc_program *p, const hc_decl *d);
hc_global *hc_global_of(const hc_program *p, const hc_decl *d);
int hc_is_slot(const hc_program *p, const hc_decl *d);
hc_capture *hc_capture_of(const hc_task *t, const hc_decl *d);
/* Of a type or enumerator: its name, or a generated one if it is unnamed. hc_new_name: its name in the bodies' text;
 * hc_new_name_at: the same for the word at a place. NULL if it keeps the user's name. */
const char *hc_own_name(const hc_decl *d);
const char *hc_new_name(const hc_program *p, const hc_decl *d);
const char *hc_new_name_at(const hc_program *p, const hc_unit *u, uint32_t at, size_t n);
/* Whether t's statement needs its own variable for c when it runs as a part of the surrounding code. */
int hc_needs_copy(const hc_task *t, const hc_capture *c);

#endif
