/* SPDX-License-Identifier: MIT */
/* device.h - shared by the files that write the text of task bodies (device*.c); internal to this folder.
 *
 * A function is written in up to two versions. NAME_team: all threads call it together on the same control path; each
 * has its own copy of local variables, and thread 0 does what changes memory. NAME_thread: one thread calls it, for
 * itself; inner parallel regions are plain statements in it. A version is written when written text calls it.
 *
 * Some variables of a team version are shared by all threads: arrays, variables with their address taken, variables
 * changed in an inner region. They stand in a struct, NAME_block, at the top of a stack that the version gets:
 * block-shared memory, or the worker's memory if that is too small or the use has no bound.
 *
 * A barrier separates conflicting memory accesses by different threads. Pending accesses are tracked along the text; at
 * loops, labels and calls all accesses count as pending. */
#ifndef HEDDLEC_DEVICE_H
#define HEDDLEC_DEVICE_H

#include "analysis/effect.h"
#include "support/library.h"
#include "emit/rewrite.h"

typedef enum hc_mode {
    HC_TEAM,   /* all threads take the same path */
    HC_SPREAD, /* in an inner region: each takes its own path, loops are shared out */
    HC_THREAD  /* one thread alone                                                */
} hc_mode;

/* Accesses to memory since the last barrier. */
#define HC_READ 1u   /* by all threads  */
#define HC_WRITE 2u  /* by thread 0     */
#define HC_REGION 4u /* by each of them */
#define HC_ANY (HC_READ | HC_WRITE | HC_REGION)

/* Arguments of a version besides the user's. */
#define HC_NEEDS_THREAD 1u
#define HC_NEEDS_APP 2u
#define HC_NEEDS_TOP 4u
#define HC_NEEDS_FINAL 8u

/* A local variable of a team version. */
typedef struct hc_variable {
    hc_decl *decl;
    int is_block;                  /* shared by all threads; else each thread has its own, of the same value */
    int is_loop_only;              /* used only in loops that first set it */
    uint32_t uses_begin, uses_end; /* range of its uses */
} hc_variable;

/* A member of NAME_block. */
typedef struct hc_member {
    const hc_decl *decl; /* NULL: a value passed from thread 0 to the others */
    const char *name;
    uint64_t n_bytes;
} hc_member;

/* A version of a function, or a task's body. */
typedef struct hc_code {
    hc_function *function;
    const hc_task *task;
    hc_mode mode;
    unsigned needs;
    hc_node *root;          /* the function's block, the task's statement */
    const char *name;       /* lu0_team */
    hc_buf text, prototype; /* prototype: up to the closing bracket */
    HC_LIST(hc_variable) variables;
    HC_LIST(hc_member) members;
    hc_buf fields;             /* of NAME_block */
    uint64_t below_bytes;      /* of the callee that needs most */
    int is_deep;               /* no bound of its stack is known here */
    int has_worker;            /* hd_worker is used */
    uint32_t n_calls;          /* places that call it */
    uint64_t n_bytes;          /* of its text and of its callees' */
    hc_buf head;               /* split code: the beginning of each step */
    uint32_t number, n_points; /* its index among split codes; its resumption points */
} hc_code;

/* What a name stands for at present. */
typedef struct hc_alias {
    const hc_decl *decl;
    const char *text;
    int is_memory; /* one variable for all threads */
} hc_alias;
typedef HC_LIST(hc_alias) hc_aliases;

/* A length evaluated by a typedef. */
typedef struct hc_bound {
    const hc_node *bound;
    const char *name;
} hc_bound;

/* The place in the user's source according to #line so far. */
typedef struct hc_line_state {
    size_t counted;
    uint32_t line;
    const char *file;
} hc_line_state;

/* State that changes from version to version. */
typedef struct hc_scene {
    hc_code *code;
    hc_mode mode;
    int in_region; /* hd_thread is the thread of an inner region    */
    int is_serial; /* in an inner region that one thread runs alone */
    int splits;    /* inner tasks are spawned: device_split.c */
    int is_spare;  /* runs only where tasks could not be spawned */
    unsigned dirty;
    const char *top; /* variable with the stack's top                */
    uint32_t n_tops, n_values;
    hc_line_state at;
    size_t section_end;               /* in w.out, behind thread 0's section; 0: nothing may join it */
    HC_LIST(const hc_node *) hoisted; /* calls with their values in hd_result_1, hd_result_2, ... */
} hc_scene;

typedef struct hc_device {
    hc_writer w;
    hc_program *p;
    const char *prog;
    hc_scene s;
    hc_aliases names;                /* the last entry of a variable counts */
    HC_LIST(hc_code *) codes, order; /* order: as they were finished, callees first */
    HC_LIST(hc_code *) splits;       /* in steps */
    HC_LIST(hc_bound) bounds;
    HC_LIST(const char *) locks;
    HC_LIST(const hc_node *) literals; /* compound ones that are variables */
    HC_LIST(const hc_decl *) types;    /* records already written */
    unsigned *effects;                 /* of functions, as far as known */
} hc_device;

static inline hc_device *hc_device_of(hc_writer *w) { return w->arg; }
#define HC_REFUSE(code, n, ...) \
    hc_say(HC_ERROR, (code), &(n)->unit->text, (n)->begin, (n)->pragma ? (n)->pragma->at.end : (n)->end, __VA_ARGS__)

/* ---- text (device_text.c) ---------------------------------------------------------------------------------------- */

void hc_dev_putf(hc_device *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *hc_dev_word(const char *word, size_t n); /* NULL: as it stands */
const char *hc_dev_word_at(hc_writer *w, const hc_unit *u, uint32_t at, size_t n);
const char *hc_dev_name(const char *name); /* as hc_dev_word would write it */
/* Puts #line so that the compiler places the text at n, if a line begins here. */
void hc_dev_sync(hc_device *d, const hc_node *n);
/* Makes the generated file its own source again. */
void hc_dev_unsync(hc_device *d);
/* A directive often begins at the margin: blanks up to the indentation of its statement. */
void hc_dev_indent(hc_device *d, const hc_node *n);
void hc_dev_trim(hc_device *d); /* removes blanks at the end of the output */
char *hc_dev_quoted(const char *s);
/* `"lu.c", 68` */
char *hc_dev_place(const hc_node *n);

/* ---- types (device_type.c) --------------------------------------------------------------------------------------- */

/* `const double *x`; with "" as name the type's own name. d NULL: keeps the user's words (records for C files). */
char *hc_declaration(const hc_device *d, const hc_type *t, const char *name);
char *hc_type_text(const hc_device *d, const hc_type *t);
const hc_type *hc_unqualified(const hc_type *t);
const hc_type *hc_pointer_to(const hc_type *t);
int hc_is_number(const hc_type *t);      /* integer, enum, bool, floating */
uint64_t hc_alignment(const hc_type *t); /* 0: not known here */
/* Whether t is a pointer to, or array of, variable length: written as a pointer to the element below all variable lengths. */
int hc_is_flat(const hc_type *t);
uint32_t hc_flat_rank(const hc_type *t); /* dimensions between the first and the element */
const hc_type *hc_flat_element(const hc_type *t);
const char *hc_record_keyword(const hc_decl *decl); /* struct, union, enum */
/* In the bodies' text. An unnamed record gets a name, so that variables of it can be declared separately. */
const char *hc_type_name(const hc_device *d, const hc_decl *decl);
int hc_write_record(hc_device *d, hc_node *n); /* device_data.c: one that needs a tag */
void hc_write_types(hc_device *d);
void hc_write_tables(hc_device *d);                                          /* constants, and struct hd_params */
void hc_write_records(const hc_device *d, const hc_program *p, hc_buf *out); /* device_record.c */

/* ---- what code does (device_use.c) ------------------------------------------------------------------------------- */

/* The variable that an lvalue is part of; NULL: memory. */
hc_decl *hc_target(hc_node *lvalue);
/* The lvalue that n changes: left side, operand of ++ and --; NULL when it changes none. */
hc_node *hc_changed_by(hc_node *n);
/* HC_READ and HC_WRITE of n in team code. */
unsigned hc_effects(hc_device *d, hc_node *n);
/* Whether n contains an inner region or reaches one by a call. */
int hc_has_region(hc_device *d, const hc_node *n);
int hc_is_team_call(hc_device *d, const hc_node *n);
/* Whether one thread may run statement n as a whole: no inner region, no jump out or in. */
int hc_is_plain_statement(hc_device *d, hc_node *n);
int hc_is_expression(const hc_node *n);

/* ---- variables of a team version (device_share.c) ---------------------------------------------------------------- */

void hc_find_variables(hc_device *d, hc_code *c);
hc_variable *hc_variable_of(const hc_code *c, const hc_decl *d);
/* The variable's member of the block; adds it if needed. */
char *hc_member_text(hc_device *d, const hc_decl *decl);
char *hc_value_member(hc_device *d, const hc_type *t); /* a member for a value passed to the others */
uint64_t hc_block_bytes(const hc_code *c);

/* ---- expressions (device_expr.c) --------------------------------------------------------------------------------- */

int hc_dev_node(hc_writer *w, hc_node *n);
char *hc_dev_text(hc_device *d, hc_node *n);
void hc_push_name(hc_device *d, const hc_decl *decl, const char *text, int is_memory);
const char *hc_name_of(hc_device *d, const hc_decl *decl); /* the text for a variable */
const char *hc_thread_text(hc_device *d);                  /* the thread seen by functions called here */
int hc_is_memory_name(hc_device *d, const hc_decl *decl);  /* all threads see one variable */
int hc_write_call(hc_device *d, hc_node *n);               /* device_call.c */
int hc_write_initialiser(hc_device *d, hc_node *n);        /* device_init.c: lists with designators */
int hc_write_literal(hc_device *d, hc_node *n);            /* a compound one that is a variable */
int hc_hoist_literals(hc_device *d, hc_node *n);           /* 1: the statement is written, after its literals */
int hc_write_generic(hc_device *d, hc_node *n);            /* device_init.c: the chosen expression */

/* ---- arrays of variable length (device_vla.c) -------------------------------------------------------------------- */

int hc_write_flat(hc_device *d, hc_node *n);
/* const int64_t hd_<a>_1 = ...: from `first` on (0 for arrays that keep their own length). */
void hc_write_bounds(hc_device *d, const hc_decl *decl);
void hc_write_array(hc_device *d, hc_node *var);                              /* one that is declared */
void hc_write_own_array(hc_device *d, const hc_decl *decl, const char *name); /* of a thread */
void hc_write_top(hc_device *d);                          /* a top of the stack for the rest of the enclosing braces */
int hc_write_block(hc_device *d, hc_node *n);             /* 1: n has arrays and has been written */
char *hc_array_length(hc_device *d, const hc_decl *decl); /* in elements */

/* ---- statements (device_decl.c, device_team.c, device_region.c, device_loop.c, device_atomic.c) ------------------ */

int hc_write_declarations(hc_device *d, hc_node *n);
/* The variable without its initialiser, then (or alone) its assignment. */
void hc_write_variable(hc_device *d, hc_node *var);
void hc_write_setting(hc_device *d, hc_node *var);
void hc_team_statement(hc_device *d, hc_node *n);
/* Puts a barrier if the access needs one. */
void hc_before(hc_device *d, unsigned access);
void hc_write_directive(hc_device *d, hc_node *n);
void hc_team_region(hc_device *d, hc_node *n);
/* Thread 0 runs n and passes the variables it changed to the others. */
void hc_team_alone(hc_device *d, hc_node *n);
void hc_write_atomic(hc_device *d, hc_node *n);
/* A task's reduction: the initial value of its copy, and the final addition. */
const char *hc_reduction_start(const char *word, const hc_type *t);
void hc_write_task_reduction(hc_device *d, const hc_capture *c);
/* Private copies of variables in clauses, and what follows at the end of the construct. */
typedef struct hc_copies {
    hc_parts parts;
    uint32_t n_names; /* before them */
    const char *top;
    int is_shared_out;
    int has_last;
    hc_loop loops[8];
    uint32_t n_loops;
} hc_copies;
void hc_write_loop(hc_device *d, hc_node *directive, hc_copies *c); /* of a work-sharing loop, or a plain one */
int hc_take_loops(hc_node *directive, hc_copies *c);
char *hc_has_last_text(hc_device *d, const hc_copies *c);
char *hc_final_text(hc_device *d, const hc_loop *l);
void hc_write_chunk(hc_device *d, const hc_task *t); /* opens a brace */

/* ---- tasks in tasks (device_split.c) ----------------------------------------------------------------------------- */

/* Finds the functions and tasks to split; then writes and places their text. */
void hc_find_splits(hc_device *d);
void hc_write_splits(hc_device *d);
void hc_put_splits(hc_device *d);
int hc_is_split_task(hc_device *d, const hc_task *t);
int hc_is_split_function(hc_device *d, const hc_function *f);
int hc_split_enter(hc_device *d, const hc_node *n);
void hc_put_split_body(hc_device *d, const hc_task *t);
/* In steps: a `return`; a task, written by write_part as a part if not spawned. 1: it is written. */
int hc_split_return(hc_device *d, hc_node *n);
int hc_split_task(hc_device *d, hc_node *n, void (*write_part)(hc_device *d, hc_node *n));
/* Whether a step may jump over these declarations. */
int hc_is_split_scope(hc_device *d, const hc_node *decls);

/* ---- versions (device_code.c) ------------------------------------------------------------------------------------ */

/* A function's version, written if it was not yet. */
int hc_is_within(const hc_code *c);
hc_code *hc_version(hc_device *d, hc_function *f, hc_mode mode);
void hc_write_body(hc_device *d, const hc_task *t, hc_code *c);
/* Block-shared bytes for the HEDDLE list; 0 when the worker's stack is used. */
uint64_t hc_shared_bytes(const hc_code *c);
int hc_uses_stack(const hc_code *c);

#endif
