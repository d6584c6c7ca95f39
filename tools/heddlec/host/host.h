/* SPDX-License-Identifier: MIT */
/* host.h - between the files that write the host's part of a source; of concern to others is what stands at its end.
 *
 * The host's part is the user's program as it stands, with system headers as #include lines again, except where a pragma
 * is translated: there stand calls of heddle/openmp.h. What is generated begins with hd_ and is indented as what it stands
 * for; #line leads back to the user's source behind it. */
#ifndef HEDDLEC_HOST_H
#define HEDDLEC_HOST_H

#include "analysis/program.h"
#include "emit/names.h"
#include "emit/section_text.h"

typedef struct hc_host {
    hc_program *p;
    const char *prog;
    hc_unit *unit;
    hc_writer w;
    const hc_region *region; /* around what is being written; NULL = none */
    const hc_decl *function; /* the same */
    int in_task;             /* in the statement of a task as it runs outside of a region: inner pragmas are left out */
    int keeps;               /* the file keeps OpenMP pragmas and is compiled with -fopenmp */
    int has_head;            /* heddle/openmp.h has been included */
    HC_LIST(const hc_decl *)
    plain;                      /* slot variables that are declared anew, as plain ones, around what is being written */
    uint32_t last_include;      /* line of the text */
    HC_LIST(const char *) undo; /* system macros to be undone before the next text of the program */
    size_t counted;             /* characters of w.out whose lines are counted */
    uint32_t line;              /* in `file`, where the compiler believes to be after them */
    const char *file;
} hc_host;

/* ---- text (host_text.c) ---------------------------------------------------------------------------------------------- */

/* A generated line, `in` blanks before it. */
void hc_host_line(hc_host *h, uint32_t in, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same without its end: further generated lines, and the program's text behind the construct, end it. */
void hc_host_start(hc_host *h, uint32_t in, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What is written next stands at `at` of the text: puts #line or empty lines where the compiler would believe otherwise and
 * a line begins here. */
void hc_host_sync(hc_host *h, uint32_t at);
/* Ends the line that is being written, if one is. */
void hc_host_fresh(hc_host *h);
/* A statement that is translated in its turn, on lines of its own, moved to the right to begin behind `in` blanks. */
void hc_host_statement(hc_host *h, hc_node *n, uint32_t in);
/* Text between declarations of the file. */
void hc_host_between(hc_host *h, uint32_t begin, uint32_t end);
/* Undoes the macros of system headers that would do harm to what follows. */
void hc_host_undo(hc_host *h);
/* Blanks before what a directive stands for. */
uint32_t hc_host_indent(const hc_node *directive);
char *hc_host_text(hc_host *h, hc_node *expression);
static inline char *hc_host_operand(hc_host *h, hc_node *e) { return hc_operand(&h->w, e); }
/* Declares hd_here, the place of n. */
void hc_host_place(hc_host *h, uint32_t in, const hc_node *n);

/* ---- variables (host_slot.c) ----------------------------------------------------------------------------------------- */

/* The type of d as what stands before a declarator; `from`: an expression of that type. */
char *hc_host_type(const hc_decl *d, const char *from);
int hc_host_is_slot(const hc_host *h, const hc_decl *d);
char *hc_host_variable(const hc_host *h, const hc_decl *d); /* what stands for it */
/* A variable of that name, type and, with_value, value declared anew in the block that is being written. */
void hc_host_anew(hc_host *h, uint32_t in, hc_decl *d, int with_value);
/* What `private`, `firstprivate` and the like of a directive name, declared anew; returns how many. */
uint32_t hc_host_anew_clauses(hc_host *h, uint32_t in, hc_node *directive);
/* Forgets all but the first n of h->plain. */
void hc_host_plain_until(hc_host *h, uint32_t n);
/* 1: the declarations, loop or function hold slots and have been written. */
int hc_host_declarations(hc_host *h, hc_node *n);
int hc_host_loop(hc_host *h, hc_node *n);
int hc_host_function(hc_host *h, hc_node *n);

/* ---- sections (host_section.c) --------------------------------------------------------------------------------------- */

void hc_host_depend(hc_host *h, uint32_t in, const hc_depend *d);

/* ---- constructs ------------------------------------------------------------------------------------------------------ */

void hc_host_region(hc_host *h, hc_node *n, const hc_region *r);           /* host_region.c */
void hc_host_map(hc_host *h, uint32_t in, const hc_map *m);                /* host_data.c */
void hc_host_data(hc_host *h, hc_node *n, const hc_data *d);               /* host_data.c */
void hc_host_task(hc_host *h, hc_node *n, const hc_task *t);               /* host_task.c */
void hc_host_taskloop(hc_host *h, hc_node *n, const hc_task *t);           /* host_loop.c */
void hc_host_inner(hc_host *h, hc_node *n, const hc_task *t);              /* host_loop.c: a task in a task */
void hc_host_fill(hc_host *h, uint32_t in, const hc_task *t);              /* host_task.c: the argument record hd_t */
void hc_host_final(hc_host *h, uint32_t in, const hc_task *t, int begins); /* host_task.c: final(e) of it */
void hc_host_copies(hc_host *h, uint32_t in, const hc_task *t);            /* host_task.c: variables of its own */
void hc_host_inline(hc_host *h, uint32_t in, const hc_task *t);            /* host_task.c: the statement, run at once */
void hc_host_wait(hc_host *h, uint32_t in, const hc_node *n);         /* host_region.c: of taskwait and other ends */
void hc_host_sync_call(hc_host *h, uint32_t in, const char *only_if); /* host_region.c */
void hc_host_other(hc_host *h, hc_node *n);                           /* host_region.c: any other directive */
void hc_host_create(hc_host *h, uint32_t in, const hc_task *t);       /* host_task.c: declares hd_t */
void hc_host_undeferred(hc_host *h, uint32_t in, const hc_task *t); /* host_task.c: what if(e) says, e in hd_deferred */
int hc_host_call(hc_host *h, hc_node *n);                           /* host_call.c: omp_get_... */

/* ---- for the driver -------------------------------------------------------------------------------------------------- */

/* SOURCE.heddle.c: the host's part of one source. prog: the program's name, an identifier. */
void hc_emit_host(hc_program *p, const char *prog, hc_unit *u, hc_buf *out);
/* The lines that include system headers, of all sources, and that undo the macros around them: for bodies in C. */
void hc_emit_includes(hc_program *p, hc_buf *out);
/* Nothing of u is translated: its source is compiled as it is. */
int hc_is_plain(const hc_program *p, const hc_unit *u);
/* The text of a C file needs -fopenmp. */
int hc_needs_openmp(const char *text);

#endif
