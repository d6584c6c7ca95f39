/* SPDX-License-Identifier: MIT */
/* cuda.h - the structs of the cuda backend. Shared by the files of this folder only.
 *
 * A loaded graph has a blob on the device and any number of *forms*: ways to run it (schedules, with or without variations), each
 * with its own words, made when first used. The library uses two interfaces: the CUDA runtime (linked in statically) for
 * memory, streams, events and graphs; and, for kernels, the driver, whose functions the runtime hands out, because the
 * kernels are the user's object's and reach us as driver handles (core/kernel.h). */
#ifndef HD_CUDA_H
#define HD_CUDA_H

#include "backend/backend.h"
#include "graph/plan.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>

/* ---- driver.c ---- */

/* The driver's functions that are used here. */
#define HD_DRIVER_MAP(X)                                                                                         \
    X(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction f, void **params, void **extra))               \
    X(cuFuncGetAttribute, (int *out, CUfunction_attribute which, CUfunction f))                                  \
    X(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute which, int value))                                 \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *out, CUfunction f, int n_threads, size_t shared_bytes)) \
    X(cuGraphAddKernelNode, (CUgraphNode * out, CUgraph g, const CUgraphNode *before, size_t n_before,           \
                             const CUDA_KERNEL_NODE_PARAMS *kernel))                                             \
    X(cuGetErrorName, (CUresult r, const char **out))                                                            \
    X(cuGetErrorString, (CUresult r, const char **out))

typedef struct hd_driver {
#define HD_X(name, args) CUresult(*name) args;
    HD_DRIVER_MAP(HD_X)
#undef HD_X
} hd_driver;

/* Finds the functions; EDEVICE with a sentence where the driver is too old. */
heddle_status hd_driver_find(hd_driver *out, hd_error *e);
/* A sentence for a runtime's or driver's error: "<doing>: <its text> (<its name>)". ENOMEM for out of memory, else
 * EDEVICE. */
heddle_status hd_cuda_say(hd_error *e, cudaError_t error, const char *doing);
heddle_status hd_driver_say(const hd_driver *d, hd_error *e, CUresult error, const char *doing);
/* Makes the device current for this thread. */
heddle_status hd_cuda_use(const hd_device *d, hd_error *e);
/* Is the stream being captured? Then nothing may wait, ask or launch a graph in it. */
int hd_cuda_capturing(cudaStream_t stream);
#define HD_CUDA_TRY(call, e, doing)                 \
    do {                                            \
        cudaError_t try_ = (call);                  \
        if (try_ != cudaSuccess)                    \
            return hd_cuda_say((e), try_, (doing)); \
    } while (0)

/* ---- copy.c ---- */

/* Between host memory, pinned or not, and the device; returns when it is done. */
heddle_status hd_cuda_copy(hd_device *d, void *to, const void *from, uint64_t n_bytes, enum cudaMemcpyKind kind,
                           hd_error *e);
/* A device is opened, or closed: the last one gives back what copies have made. */
void hd_cuda_copies(const hd_device *d, int open);

/* ---- a device ---- */

struct hd_device {
    heddle_config config; /* as opened */
    hd_driver driver;
    int index, n_sms, major, minor;
    uint64_t max_shared_bytes; /* of one block, when it asks for it */
    cudaStream_t stream;       /* runs */
    cudaStream_t side;         /* what must not wait for a run: the stop word */
    hd_loaded *in_pieces;      /* the run that was started last, if it goes into the stream in pieces */
};

/* ---- a form: one way to run a loaded graph ---- */

typedef struct hd_form hd_form;

/* What a form can do; the first member of each kind's struct. */
struct hd_form {
    heddle_schedule schedule;
    uint32_t one;                  /* one worker an SM, not as many as there is room for */
    hd_plan_style style;           /* of schedule static, where the graph has no plan of its own */
    uint32_t n_workers, team_size; /* as it runs; n_workers: of launches the SMs */
    char how[160];                 /* one line: "static path, 528 workers of 128 threads" */
    hd_form *next;
    uint32_t *stop_word; /* device: for stop() */
    const uint32_t *count,
        *run;         /* device: the counters whose targets are numbers of predecessors, or NULL; number of the run */
    uint64_t best_ns; /* what its runs took at best, 0: none yet */
    uint32_t n_runs;
    uint32_t n_left; /* pieces of this run that are not in the stream yet */
    /* Puts one run into the stream, or its first piece, or, while n_left, its next one. */
    heddle_status (*start)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* After it: what result() needs on the host. Optional. */
    heddle_status (*fetch)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* After a run that did not end well, or before the first: makes the words ready; in the stream. */
    heddle_status (*clear)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* The task of which the arguments changed gets its record anew; synchronous. */
    heddle_status (*changed)(hd_form *f, uint32_t task, hd_error *e);
    /* After the end of a run: tallies and events, in memory of the form. stop, code and task are filled in, too. */
    heddle_status (*result)(hd_form *f, hd_outcome *out, hd_error *e);
    void (*free)(hd_form *f);
};

struct hd_loaded {
    hd_device *device;
    const hd_graph *graph;
    hd_watcher watcher;
    uint8_t *blob;        /* device: the frozen graph */
    const hd_task *tasks; /* device: parts of it */
    const hd_edge *edges;
    const uint8_t *args;
    const uint32_t *roots;
    uint8_t *pinned;           /* host: app_staged, now, end, first, watched, stop_word */
    void *params, *app_staged; /* device; pinned host */
    uint32_t shared_bytes;     /* of a block: HEDDLE_REDUCE_BYTES and the largest body's */
    uint32_t team_size;        /* of a worker: the config's, else the graph's, else 128 */
    hd_now *now;               /* pinned host, n_now of them; NULL without a time limit */
    uint32_t n_now;
    hd_end *end;                    /* pinned host: what the last worker out leaves */
    hd_control *first;              /* pinned host: what the words of a run are set to */
    uint32_t *watched;              /* pinned host: of each watched task the run in which it was done last */
    uint32_t *told;                 /* host: what of it the watcher knows */
    uint32_t *stop_word;            /* pinned host: what stop() copies */
    hd_form *forms, *form;          /* all that were made; the one of this run */
    cudaEvent_t began, ended, done; /* around the run; and when its last words are on the host */
    pthread_mutex_t mutex;          /* for pieces and the stop word, which several waiting threads may get to */
    int running, dirty, lost, captured,
        settled; /* captured: some replay may have written app; settled: hd_choose has decided */
    uint32_t n_params_bytes;
    struct hd_app_copy *copies; /* of hd_cuda_enqueue */
    uint64_t begin_ns;
    hd_cost cost; /* so far */
    hd_outcome last;
    char complaint[512], how[640];
    hd_error note; /* what the tuning file's file is good for, if that must be said */
};

/* workers.c: a schedule of workers that stay, and a style of plan (static). */
heddle_status hd_form_workers(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_plan_style style, uint32_t one,
                              hd_error *e);
/* launches.c: the schedules that are launches. */
heddle_status hd_form_launches(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_error *e);

/* kernel.c: a kernel of the graph's table (core/task.h: family, variant), with its dynamic shared memory allowed. n_threads and shared_bytes are what it
 * will be launched with; *per_sm (or NULL) how many blocks an SM holds. A body whose shared memory no block can have, or
 * more threads than the kernel's registers allow: ERANGE with a sentence. */
heddle_status hd_kernel_find(CUfunction *out, int *per_sm, const hd_loaded *l, uint32_t family, uint32_t variant,
                             uint32_t n_threads, uint32_t shared_bytes, hd_error *e);

/* choice.c: the form of the next run, after config and what has been measured; how and why into l->how. */
heddle_status hd_choose(hd_loaded *l, hd_error *e);
/* What the run of l->form took. */
void hd_choice_note(hd_loaded *l, uint64_t run_ns);

#endif
