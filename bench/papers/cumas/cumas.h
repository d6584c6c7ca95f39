/* SPDX-License-Identifier: MIT */
/* cumas.h - shared by the figures of CuMAS: the two mixes, the subjects, and what each took, simulated or measured. */
#ifndef CUMAS_H
#define CUMAS_H

#include "chart.h"
#include "mix.h"
#include "rows.h"

#include "load.h"
#include "replay.h"

/* What is compared. name, policy, row, bits */
#define CUMAS_SUBJECTS(X)                                          \
    X(EXACT_12, "exact", EXACT, 12, 0)                             \
    X(FIFO, "fifo", FIFO, 12, 0)                                   \
    X(STRINGS, "strings", STRINGS, 12, 0)                          \
    X(NONE, "none", NONE, 12, 0)                                   \
    X(SLICES, "time slices", NONE, 0, CUMAS_PLAIN)                 \
    X(MPS, "MPS", NONE, 0, CUMAS_PLAIN | CUMAS_WITH_MPS)           \
    X(EXACT_8, "exact", EXACT, 8, 0)                               \
    X(DP_12, "dp", DP, 12, 0)                                      \
    X(EXACT_MPS, "exact, MPS", EXACT, 12, CUMAS_WITH_MPS)          \
    X(WRONG, "exact, estimates wrong", EXACT, 12, CUMAS_ESTIMATES) \
    X(UNKNOWN, "exact, nothing known", EXACT, 12, CUMAS_ESTIMATES)
enum { CUMAS_PLAIN = 1, CUMAS_WITH_MPS = 2, CUMAS_ESTIMATES = 4 }; /* without heddle share; under MPS; simulated only */
#define CUMAS_SUBJECT(id, name, policy, row, bits) CUMAS_##id,
typedef enum cumas_subject_id { CUMAS_SUBJECTS(CUMAS_SUBJECT) CUMAS_N_SUBJECTS } cumas_subject_id;
#undef CUMAS_SUBJECT
typedef struct cumas_subject {
    const char *name;
    share_policy policy;
    uint32_t row;
    int bits;
} cumas_subject;
extern const cumas_subject cumas_subjects[CUMAS_N_SUBJECTS];

enum { CUMAS_N_MIXES = 2, CUMAS_MOST_ORDERS = 200, CUMAS_A_SET = 5 };
typedef struct cumas_kind {
    const char *name, *tasks, *programs; /* texts of load.h and mix.h */
} cumas_kind;
extern const cumas_kind cumas_kinds[CUMAS_N_MIXES];

/* Over orders of arrival. */
typedef struct cumas_outcome {
    uint32_t n; /* 0: there are none, and why */
    double ms[CUMAS_MOST_ORDERS], mean_end_ms[CUMAS_MOST_ORDERS];
    uint32_t n_idle_gpu, n_idle_out; /* of orders for which it is known how long the GPU and copies out were idle */
    double idle_gpu_ms[CUMAS_MOST_ORDERS], idle_out_ms[CUMAS_MOST_ORDERS];
    char why[MIX_ERROR];
} cumas_outcome;

/* What runs on the GPU: programs alone, all subjects, programs with other sizes. */
enum { CUMAS_ALONE = 1, CUMAS_BESIDE = 2, CUMAS_SIZES = 4 };
/* Of the first mix, with so many of its bytes. */
typedef enum cumas_size { CUMAS_AN_EIGHTH, CUMAS_A_QUARTER, CUMAS_N_SIZES } cumas_size;

typedef struct cumas_ask {
    const char *list, *programs, *out; /* list: of figures; NULL: all */
    uint32_t n_orders;
    int needs;            /* bit set of what runs */
    double seconds, rate; /* rate: of the simulated link, GB/s each way */
} cumas_ask;

/* ---- simulated (simulated.c) ---- */

/* The tasks of a mix. Nonzero with the sentence printed. */
int cumas_load(const cumas_kind *k, double rate, share_load *load);
/* n orders of arrival under a policy: 0, or CLI_BAD. */
int cumas_simulate(const share_load *load, const share_replay_how *how, uint32_t n, cumas_outcome *out);
int cumas_simulate_subject(const share_load *load, const cumas_subject *s, uint32_t n, cumas_outcome *out);

/* ---- measured (measured.c) ---- */

typedef struct cumas_measured {
    char why[MIX_ERROR]; /* of nothing at all; "": something was measured */
    int failed;          /* something did not end well */
    struct {
        double kernels_ms[MIX_MOST_PROGRAMS]; /* 0: why not */
        char why[MIX_ERROR];
    } sizes[CUMAS_N_SIZES];
    struct {
        char why[MIX_ERROR]; /* of a mix of which nothing was measured */
        uint32_t n_programs;
        char names[MIX_MOST_PROGRAMS][32];
        double in_ms[MIX_MOST_PROGRAMS], kernels_ms[MIX_MOST_PROGRAMS], out_ms[MIX_MOST_PROGRAMS]; /* alone, medians */
        double best_ms; /* no order can be better, each program one task */
        cumas_outcome subjects[CUMAS_N_SUBJECTS];
        mix_rounds first[CUMAS_N_SUBJECTS]; /* the rounds of these subjects */
    } mixes[CUMAS_N_MIXES];
} cumas_measured;
/* Needs seconds; what there is no time for says so. To be freed. NULL: no memory. */
cumas_measured *cumas_measure(const cumas_ask *a);
void cumas_measured_free(cumas_measured *m);

/* ---- figures: each writes its files. CLI_OK or CLI_BAD ---- */

double cumas_mean(const double *values, uint32_t n);
void cumas_range(const double *values, uint32_t n, double *least, double *most); /* n: 1 or more */
int cumas_make_parts(const cumas_ask *a, const cumas_measured *m);               /* 4.1 (parts.c) */
int cumas_make_timelines(const cumas_ask *a, const cumas_measured *m);           /* 4.2 (timelines.c) */
int cumas_make_rows(const cumas_ask *a, const cumas_measured *m);                /* 4.8, by row (by_row.c) */
int cumas_make_idle(const cumas_ask *a, const cumas_measured *m);                /* 4.9 */
int cumas_make_planning(const cumas_ask *a, const cumas_measured *m);            /* 4.10 (planning.c) */
int cumas_make_random(const cumas_ask *a,
                      const cumas_measured *m); /* policies over the least makespan of random sets */
int cumas_make_copies(const cumas_ask *a, const cumas_measured *m);  /* 4.11 (estimates.c) */
int cumas_make_kernels(const cumas_ask *a, const cumas_measured *m); /* 4.12 */
int cumas_make_mixes(const cumas_ask *a, const cumas_measured *m);   /* the table of the subjects (cumas.c) */

#endif
