/* SPDX-License-Identifier: MIT */
/* hdss.h - shared by the figures of HDSS: the apps, their sizes, the devices, and how a loop is opened, checked and timed. */
#ifndef HDSS_H
#define HDSS_H

#include "chart.h"
#include "loop.h"
#include "rows.h"

#define HDSS_WHY 160

/* An index of the app's loop is `items` of its -n, and counts as `bytes` of input. */
typedef struct loop_app {
    const char *name;
    uint64_t items, columns; /* columns 0: the app has no second size */
    uint64_t bytes;
    const char *tile; /* as the app's option; NULL: its own */
} loop_app;

enum { HDSS_APPS = 5 };
extern const loop_app hdss_apps[HDSS_APPS];

typedef struct figures {
    const options *o;
    double n_bytes;         /* of input */
    const char *apps;       /* a list; NULL: all */
    const char *everything; /* words of devices */
    const char *others;     /* those of them that are no cores; "": none */
    const char *first;      /* the accelerator that rows with one have; NULL: there is none */
    uint64_t side;          /* of fronts: most rows and columns; 0: those of the thesis and larger */
    uint64_t end_ns;        /* nothing begins later */
    const char *needs;      /* of devices, of the figure that is being made */
    int wrong;              /* a check failed */
} figures;

/* ---- timing.c ---- */

/* One app at one size. Its loop is built anew for each fleet and way; inputs and reference stay. */
typedef struct subject {
    const loop_app *of;
    app_case *c;
    uint64_t n_indices;
    const struct device_config
        *device; /* an emulated accelerator, which joins each fleet but the serial one; NULL: none */
} subject;

/* Of one run. What others did: units that are no cores. */
typedef struct hdss_run {
    double ms;
    double ends_ms, balance; /* the last end less the first, and the first over the last */
    double share;            /* of the indices, of others */
    double in_mb, out_mb;
    double host_us;    /* a slice of others kept their threads busy */
    uint64_t n_slices; /* of others */
} hdss_run;

typedef struct hdss_timing {
    hdss_run first[FIGURE_RUNS], later[FIGURE_RUNS]; /* by time; first: of a new loop, where nothing is known */
    size_t n_first, n;                               /* 0: `why` not */
    uint32_t n_cores, n_others;                      /* units */
    char why[HDSS_WHY];
} hdss_timing;

uint64_t hdss_indices(const figures *f, const loop_app *a);
/* Prepares inputs of so many indices. Nonzero: `why` not. hdss_close must follow in any case. */
int hdss_open(subject *s, const loop_app *a, uint64_t n_indices, char why[HDSS_WHY]);
void hdss_close(subject *s);
/* Opens the fleet n_first times; each time the first run is timed and its answer checked. Later runs are those of the last fleet; the
 * last answer is checked, too. */
void hdss_time(figures *f, subject *s, const char *devices, heddle_split way, size_t n_first, hdss_timing *t);
/* Opens the loop of a fleet, and ends it; compares the answer with the reference: nonzero, with c->error. */
int hdss_open_loop(subject *s, const char *devices, heddle_split way);
void hdss_close_loop(subject *s);
int hdss_check(figures *f, subject *s);
/* Is the unit a core? */
int hdss_is_core(const heddle_fleet *f, uint32_t unit);
/* Nonzero, and `why`: nothing may begin any more. */
int hdss_is_late(const figures *f, char why[HDSS_WHY]);
/* Of this machine, as "cpu:*" has them. */
uint32_t hdss_cores(void);
/* The middle one. */
static inline const hdss_run *hdss_middle(const hdss_run *runs, size_t n) { return &runs[n / 2]; }

/* ---- hdss.c ---- */

int hdss_has_app(const figures *f, size_t i);
/* Apps that are wanted, from number i on. */
size_t hdss_n_apps(const figures *f, size_t i);
/* The first lines of a figure's rows: the GPU, the note, the names of columns. */
void hdss_head(const figures *f, FILE *out, const char *note, const char *columns);
/* The name, indices and what `skipped` is followed by. */
void hdss_skip(FILE *out, const loop_app *a, uint64_t n_indices, const char *devices, const char *why);
extern const char hdss_no_gpu[];

/* ---- ways.c ---- */

/* A row of a way to divide, `over` times as quick as one core; and the names of its columns. */
void hdss_put_way(FILE *out, const subject *s, const char *devices, heddle_split way, const hdss_timing *t,
                  double over);
extern const char hdss_way_columns[];
/* Times the way, and puts the row. How many times as quick as one core; 0: it could not run. *ends_ms: of the last end less the first. */
double hdss_time_way(figures *f, FILE *out, subject *s, const char *devices, heddle_split way, double one_ms,
                     double *ends_ms);
/* The row of one core, and its time; 0: it could not run. */
double hdss_time_one_core(figures *f, FILE *out, subject *s);

/* ---- fit.c ---- */

/* y = a x + b with the least sum of squares of relative errors; error: the root of their mean. */
typedef struct fit {
    double a, b, error;
} fit;
/* Nonzero: fewer than two different x, or a y that is not above 0. */
int hdss_fit(size_t n, const double *x, const double *y, fit *out);

/* ---- figures ---- */

int hdss_alone(figures *f);
int hdss_ways(figures *f);
int hdss_beside_cores(figures *f);
int hdss_blocks(figures *f);
int hdss_chunks(figures *f);
int hdss_openmp(figures *f);
int hdss_pipeline(figures *f);
int hdss_fronts(figures *f);
int hdss_emulated(figures *f);

#endif
