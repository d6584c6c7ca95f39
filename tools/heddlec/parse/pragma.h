/* SPDX-License-Identifier: MIT */
/* pragma.h - parsed `#pragma omp` and `#pragma heddle` lines of a preprocessed text: directive, clauses, and the place
 * of each clause's expressions. The parser knows words and brackets, no types; the C parser interprets expressions
 * (overlay.h). Unknown words are errors with a place; nothing is dropped silently. */
#ifndef HEDDLEC_PRAGMA_H
#define HEDDLEC_PRAGMA_H

#include "support/text.h"

/* How a directive stands in the program: before a statement, alone, or as a declaration. */
typedef enum hc_stand { HC_WITH_STATEMENT, HC_ALONE, HC_DECLARATIVE } hc_stand;

/* id, words, stand. The longest match counts. */
#define HC_DIRECTIVE_MAP(X)                                       \
    X(PARALLEL, "parallel", WITH_STATEMENT)                       \
    X(FOR, "for", WITH_STATEMENT)                                 \
    X(PARALLEL_FOR, "parallel for", WITH_STATEMENT)               \
    X(SIMD, "simd", WITH_STATEMENT)                               \
    X(FOR_SIMD, "for simd", WITH_STATEMENT)                       \
    X(PARALLEL_FOR_SIMD, "parallel for simd", WITH_STATEMENT)     \
    X(SECTIONS, "sections", WITH_STATEMENT)                       \
    X(SECTION, "section", WITH_STATEMENT)                         \
    X(PARALLEL_SECTIONS, "parallel sections", WITH_STATEMENT)     \
    X(SINGLE, "single", WITH_STATEMENT)                           \
    X(MASTER, "master", WITH_STATEMENT)                           \
    X(MASKED, "masked", WITH_STATEMENT)                           \
    X(PARALLEL_MASTER, "parallel master", WITH_STATEMENT)         \
    X(PARALLEL_MASKED, "parallel masked", WITH_STATEMENT)         \
    X(CRITICAL, "critical", WITH_STATEMENT)                       \
    X(ATOMIC, "atomic", WITH_STATEMENT)                           \
    X(ORDERED, "ordered", WITH_STATEMENT)                         \
    X(BARRIER, "barrier", ALONE)                                  \
    X(FLUSH, "flush", ALONE)                                      \
    X(CANCEL, "cancel", ALONE)                                    \
    X(CANCELLATION_POINT, "cancellation point", ALONE)            \
    X(TASK, "task", WITH_STATEMENT)                               \
    X(TASKLOOP, "taskloop", WITH_STATEMENT)                       \
    X(TASKLOOP_SIMD, "taskloop simd", WITH_STATEMENT)             \
    X(TASKGROUP, "taskgroup", WITH_STATEMENT)                     \
    X(TASKWAIT, "taskwait", ALONE)                                \
    X(TASKYIELD, "taskyield", ALONE)                              \
    X(DEPOBJ, "depobj", ALONE)                                    \
    X(TARGET, "target", WITH_STATEMENT)                           \
    X(TARGET_PARALLEL, "target parallel", WITH_STATEMENT)         \
    X(TARGET_PARALLEL_FOR, "target parallel for", WITH_STATEMENT) \
    X(TARGET_TEAMS, "target teams", WITH_STATEMENT)               \
    X(TEAMS, "teams", WITH_STATEMENT)                             \
    X(DISTRIBUTE, "distribute", WITH_STATEMENT)                   \
    X(TARGET_DATA, "target data", WITH_STATEMENT)                 \
    X(TARGET_ENTER_DATA, "target enter data", ALONE)              \
    X(TARGET_EXIT_DATA, "target exit data", ALONE)                \
    X(TARGET_UPDATE, "target update", ALONE)                      \
    X(DECLARE_TARGET, "declare target", DECLARATIVE)              \
    X(BEGIN_DECLARE_TARGET, "begin declare target", DECLARATIVE)  \
    X(END_DECLARE_TARGET, "end declare target", DECLARATIVE)      \
    X(DECLARE_SIMD, "declare simd", DECLARATIVE)                  \
    X(DECLARE_REDUCTION, "declare reduction", DECLARATIVE)        \
    X(THREADPRIVATE, "threadprivate", DECLARATIVE)                \
    X(REQUIRES, "requires", DECLARATIVE)                          \
    X(REGION, "region", ALONE) /* #pragma heddle region assume(eligible): belongs to the region that follows */

typedef enum hc_directive {
#define X(id, words, stand) HC_##id,
    HC_DIRECTIVE_MAP(X)
#undef X
        HC_N_DIRECTIVES
} hc_directive;

/* id, word, contents of its brackets: NOTHING none allowed; EXPR one expression; LIST variables and sections; WORDS
 * modifiers only; OPT_EXPR one expression or no brackets. See hc_clause for modifiers before a ':'. */
#define HC_CLAUSE_MAP(X)                                                                                 \
    X(IF, "if", EXPR)                                                                                    \
    X(FINAL, "final", EXPR)                                                                              \
    X(NUM_THREADS, "num_threads", EXPR)                                                                  \
    X(DEVICE, "device", EXPR)                                                                            \
    X(PRIORITY, "priority", EXPR)                                                                        \
    X(GRAINSIZE, "grainsize", EXPR)                                                                      \
    X(NUM_TASKS, "num_tasks", EXPR)                                                                      \
    X(COLLAPSE, "collapse", EXPR)                                                                        \
    X(SAFELEN, "safelen", EXPR)                                                                          \
    X(SIMDLEN, "simdlen", EXPR)                                                                          \
    X(FILTER, "filter", EXPR)                                                                            \
    X(DETACH, "detach", EXPR)                                                                            \
    X(ORDERED_CLAUSE, "ordered", OPT_EXPR)                                                               \
    X(PRIVATE, "private", LIST)                                                                          \
    X(FIRSTPRIVATE, "firstprivate", LIST)                                                                \
    X(LASTPRIVATE, "lastprivate", LIST)                                                                  \
    X(SHARED, "shared", LIST)                                                                            \
    X(COPYIN, "copyin", LIST)                                                                            \
    X(COPYPRIVATE, "copyprivate", LIST)                                                                  \
    X(LINEAR, "linear", LIST)                                                                            \
    X(ALIGNED, "aligned", LIST)                                                                          \
    X(UNIFORM, "uniform", LIST)                                                                          \
    X(REDUCTION, "reduction", LIST)                                                                      \
    X(IN_REDUCTION, "in_reduction", LIST)                                                                \
    X(TASK_REDUCTION, "task_reduction", LIST)                                                            \
    X(MAP, "map", LIST)                                                                                  \
    X(TO, "to", LIST)                                                                                    \
    X(FROM, "from", LIST)                                                                                \
    X(LINK, "link", LIST)                                                                                \
    X(USE_DEVICE_PTR, "use_device_ptr", LIST)                                                            \
    X(IS_DEVICE_PTR, "is_device_ptr", LIST)                                                              \
    X(DEPEND, "depend", LIST)                                                                            \
    X(AFFINITY, "affinity", LIST)                                                                        \
    X(ALLOCATE, "allocate", LIST)                                                                        \
    X(DEFAULT, "default", WORDS)                                                                         \
    X(DEFAULTMAP, "defaultmap", WORDS)                                                                   \
    X(SCHEDULE, "schedule", WORDS)                                                                       \
    X(DIST_SCHEDULE, "dist_schedule", WORDS)                                                             \
    X(PROC_BIND, "proc_bind", WORDS)                                                                     \
    X(ORDER, "order", WORDS)                                                                             \
    X(HINT, "hint", EXPR)                                                                                \
    X(NAME, "", WORDS) /* of critical: the word in brackets; of atomic's kind too, see hc_clause.word */ \
    X(READ, "read", NOTHING)                                                                             \
    X(WRITE, "write", NOTHING)                                                                           \
    X(UPDATE, "update", NOTHING)                                                                         \
    X(CAPTURE, "capture", NOTHING)                                                                       \
    X(SEQ_CST, "seq_cst", NOTHING)                                                                       \
    X(ACQ_REL, "acq_rel", NOTHING)                                                                       \
    X(ACQUIRE, "acquire", NOTHING)                                                                       \
    X(RELEASE, "release", NOTHING)                                                                       \
    X(RELAXED, "relaxed", NOTHING)                                                                       \
    X(NOWAIT, "nowait", NOTHING)                                                                         \
    X(NOGROUP, "nogroup", NOTHING)                                                                       \
    X(UNTIED, "untied", NOTHING)                                                                         \
    X(MERGEABLE, "mergeable", NOTHING)                                                                   \
    X(INBRANCH, "inbranch", NOTHING)                                                                     \
    X(NOTINBRANCH, "notinbranch", NOTHING)                                                               \
    X(LABEL, "label", EXPR)                                                                              \
    X(ASSUME, "assume", WORDS)

typedef enum hc_clause_kind {
#define X(id, word, form) HC_C_##id,
    HC_CLAUSE_MAP(X)
#undef X
        HC_N_CLAUSES
} hc_clause_kind;

/* A range of the text. begin == end: absent. */
typedef struct hc_span {
    uint32_t begin, end;
} hc_span;

/* One dimension of an array section: [lower : length]. An element a[i] has is_section 0 and its index in lower. */
typedef struct hc_dim {
    hc_span lower, length; /* either may be absent: a[:n], a[i:], a[:] */
    int is_section;
} hc_dim;

/* A variable or section in a list, or the one expression of a clause. */
typedef struct hc_item {
    hc_span whole, base; /* base: without the dimensions taken off its end; for an expression base is whole */
    const hc_dim *dims;
    uint32_t n_dims;
} hc_item;

/* iterator(T name = begin : end : step) of a depend clause. */
typedef struct hc_iterator {
    hc_span type, name;       /* type absent: int */
    hc_span begin, end, step; /* step absent: 1 */
} hc_iterator;

typedef struct hc_clause {
    hc_clause_kind kind;
    hc_span at;       /* from its word to its closing bracket */
    const char *word; /* interned modifier: map "to"; depend "in"; reduction "+"; schedule "static"; default "none";
                       * critical's name; if's directive ("task"); NULL = none */
    const char *more; /* further modifiers, blank-separated ("always"), else NULL */
    const hc_item *items;
    uint32_t n_items;
    hc_item extra;                /* schedule's chunk, linear's step, aligned's alignment; base absent = none */
    const hc_iterator *iterators; /* the items apply to each of their values */
    uint32_t n_iterators;
} hc_clause;

typedef struct hc_pragma {
    hc_directive directive;
    uint32_t number; /* index in hc_pragmas */
    hc_span at;      /* the whole line, from '#' to before its newline */
    const hc_clause *clauses;
    uint32_t n_clauses;
    int is_broken; /* an error was reported; analysis may skip it */
    int is_root;   /* single, master, masked: its statement runs as a task, see hc_find_flow */
} hc_pragma;

typedef struct hc_pragmas {
    hc_pragma *at;
    uint32_t n;
    const hc_span *left; /* pragmas of a source without tasks that heddlec does not handle: for the C compiler */
    uint32_t n_left;
} hc_pragmas;

/* Splits combined directives such as `parallel master taskloop` (combined.c); NULL, and n unchanged, if there are none. */
char *hc_split_combined(const hc_text *t, size_t *n);

/* Whether the text has a pragma that heddlec may handle. */
int hc_has_tasks(const hc_text *t);

/* Finds and parses the pragmas of t, except those from system headers. Words of OpenMP 4.5 or 5.x that heddlec does not
 * support are HC100 with "not supported"; misspelt words get "did you mean". */
hc_pragmas hc_parse_pragmas(const hc_text *t);

/* The first clause of that kind, or NULL. next: the one after c. */
const hc_clause *hc_clause_of(const hc_pragma *p, hc_clause_kind kind);
const hc_clause *hc_clause_next(const hc_pragma *p, const hc_clause *c);
const char *hc_directive_words(hc_directive d);
const char *hc_clause_word(hc_clause_kind k);
hc_stand hc_stand_of(hc_directive d);

#endif
