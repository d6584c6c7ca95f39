/* SPDX-License-Identifier: MIT */
/* host.h - shared by the files that write the host's part of a source; other folders use only the end.
 *
 * The host's part is the user's program as it stands, with system headers as #include lines again, except that calls of
 * heddle/openmp.h replace translated pragmas. Generated names begin with hd_. Generated text is indented like the text
 * it replaces; #line leads back to the user's source behind it. */
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
    const hc_region *region; /* around the current text; NULL = none */
    const hc_decl *function; /* likewise */
    int in_task;             /* in a task's statement as it runs outside a region: inner pragmas are left out */
    int keeps;               /* the file keeps OpenMP pragmas and is compiled with -fopenmp */
    int has_head;            /* heddle/openmp.h has been included */
    HC_LIST(const hc_decl *)
    plain;                      /* slot variables declared again as plain ones around the current text */
    uint32_t last_include;      /* line of the text */
    HC_LIST(const char *) undo; /* system macros to undefine before the program's next text */
    size_t counted;             /* w.out's lines are counted up to here */
    uint32_t line;              /* in `file`: the compiler's line number there */
    const char *file;
} hc_host;

/* ---- text (host_text.c) ------------------------------------------------------------------------------------------ */

/* A generated line, `in` blanks before it. */
void hc_host_line(hc_host *h, uint32_t in, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same without the newline, which later generated lines or the program's text will add. */
void hc_host_start(hc_host *h, uint32_t in, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Before text from offset `at`: puts #line or empty lines if a line begins here and the compiler's position differs. */
void hc_host_sync(hc_host *h, uint32_t at);
/* Ends the current line, if it is not empty. */
void hc_host_fresh(hc_host *h);
/* A statement, itself translated, on its own lines, indented to `in` blanks. */
void hc_host_statement(hc_host *h, hc_node *n, uint32_t in);
/* Text between declarations of the file. */
void hc_host_between(hc_host *h, uint32_t begin, uint32_t end);
/* Undefines macros of system headers that would harm the following text. */
void hc_host_undo(hc_host *h);
/* Indentation of the statement that a directive belongs to. */
uint32_t hc_host_indent(const hc_node *directive);
char *hc_host_text(hc_host *h, hc_node *expression);
static inline char *hc_host_operand(hc_host *h, hc_node *e) { return hc_operand(&h->w, e); }
/* Declares hd_here, the place of n. */
void hc_host_place(hc_host *h, uint32_t in, const hc_node *n);

/* ---- variables (host_slot.c) ------------------------------------------------------------------------------------- */

/* The type of d as written before a declarator; `from`: an expression of that type. */
char *hc_host_type(const hc_decl *d, const char *from);
int hc_host_is_slot(const hc_host *h, const hc_decl *d);
char *hc_host_variable(const hc_host *h, const hc_decl *d); /* its text */
/* Declares a variable of d's name, type and, with_value, value in the current block. */
void hc_host_anew(hc_host *h, uint32_t in, hc_decl *d, int with_value);
/* Declares the private copies of a directive's clauses; returns their number. */
uint32_t hc_host_anew_clauses(hc_host *h, uint32_t in, hc_node *directive);
/* Forgets all but the first n of h->plain. */
void hc_host_plain_until(hc_host *h, uint32_t n);
/* 1: the declarations, loop or function contain slots and have been written. */
int hc_host_declarations(hc_host *h, hc_node *n);
int hc_host_loop(hc_host *h, hc_node *n);
int hc_host_function(hc_host *h, hc_node *n);

/* ---- sections (host_section.c) ----------------------------------------------------------------------------------- */

void hc_host_depend(hc_host *h, uint32_t in, const hc_depend *d);

/* ---- constructs -------------------------------------------------------------------------------------------------- */

void hc_host_region(hc_host *h, hc_node *n, const hc_region *r);           /* host_region.c */
void hc_host_map(hc_host *h, uint32_t in, const hc_map *m);                /* host_data.c */
void hc_host_data(hc_host *h, hc_node *n, const hc_data *d);               /* host_data.c */
void hc_host_task(hc_host *h, hc_node *n, const hc_task *t);               /* host_task.c */
void hc_host_taskloop(hc_host *h, hc_node *n, const hc_task *t);           /* host_loop.c */
void hc_host_inner(hc_host *h, hc_node *n, const hc_task *t);              /* host_loop.c: a task in a task */
void hc_host_fill(hc_host *h, uint32_t in, const hc_task *t);              /* host_task.c: the argument record hd_t */
void hc_host_final(hc_host *h, uint32_t in, const hc_task *t, int begins); /* host_task.c: final(e) of it */
void hc_host_copies(hc_host *h, uint32_t in, const hc_task *t);            /* host_task.c: private variables */
void hc_host_inline(hc_host *h, uint32_t in, const hc_task *t);            /* host_task.c: the statement, run at once */
void hc_host_wait(hc_host *h, uint32_t in, const hc_node *n); /* host_region.c: of taskwait and implicit waits */
void hc_host_sync_call(hc_host *h, uint32_t in, const char *only_if); /* host_region.c */
void hc_host_other(hc_host *h, hc_node *n);                           /* host_region.c: any other directive */
void hc_host_create(hc_host *h, uint32_t in, const hc_task *t);       /* host_task.c: declares hd_t */
void hc_host_undeferred(hc_host *h, uint32_t in, const hc_task *t);   /* host_task.c: if(e), with e in hd_deferred */
int hc_host_call(hc_host *h, hc_node *n);                             /* host_call.c: omp_get_... */

/* ---- for the driver ---------------------------------------------------------------------------------------------- */

/* SOURCE.heddle.c: the host's part of one source. prog: the program's name, an identifier. */
void hc_emit_host(hc_program *p, const char *prog, hc_unit *u, hc_buf *out);
/* Lines of all sources that include system headers, and #undef lines of macros around them: for bodies in C. */
void hc_emit_includes(hc_program *p, hc_buf *out);
/* Nothing of u is translated: its source is compiled as it is. */
int hc_is_plain(const hc_program *p, const hc_unit *u);
/* The text of a C file needs -fopenmp. */
int hc_needs_openmp(const char *text);

#endif
