/* SPDX-License-Identifier: MIT */
/* cuda.h - the structs of the cuda backend, shared by the files of this folder only.
 *
 * A loaded graph has a blob on the device and any number of *forms*, ways to run it (schedules and their variants). Each form
 * has its own words and is made when first used. The library uses two interfaces. The CUDA runtime, linked statically, serves
 * memory, streams, events and graphs. The driver, through functions that the runtime hands out, serves kernels: these come
 * from the user's object file as driver handles (core/kernel.h). */
#ifndef HD_CUDA_H
#define HD_CUDA_H

#include "backend/backend.h"
#include "graph/plan.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>

/* ---- driver.c ---- */

/* The driver functions in use. */
#define HD_DRIVER_MAP(X)                                                                                          \
    X(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction f, void **params, void **extra))                \
    X(cuFuncGetAttribute, (int *out, CUfunction_attribute which, CUfunction f))                                   \
    X(cuFuncSetAttribute, (CUfunction f, CUfunction_attribute which, int value))                                  \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *out, CUfunction f, int n_threads, size_t shared_bytes))  \
    X(cuGraphAddKernelNode, (CUgraphNode * out, CUgraph g, const CUgraphNode *before, size_t n_before,            \
                             const CUDA_KERNEL_NODE_PARAMS *kernel))                                              \
    X(cuGraphExecKernelNodeSetParams, (CUgraphExec run, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *kernel)) \
    X(cuStreamWaitValue32, (CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned how))                     \
    X(cuDeviceGet, (CUdevice * out, int index))                                                                   \
    X(cuDeviceGetDevResource, (CUdevice device, CUdevResource * out, CUdevResourceType type))                     \
    X(cuDevSmResourceSplitByCount, (CUdevResource * groups, unsigned *n_groups, const CUdevResource *of,          \
                                    CUdevResource *rest, unsigned flags, unsigned n_sms))                         \
    X(cuDevResourceGenerateDesc, (CUdevResourceDesc * out, CUdevResource * of, unsigned n))                       \
    X(cuGreenCtxCreate, (CUgreenCtx * out, CUdevResourceDesc of, CUdevice device, unsigned flags))                \
    X(cuGreenCtxDestroy, (CUgreenCtx c))                                                                          \
    X(cuGreenCtxStreamCreate, (CUstream * out, CUgreenCtx c, unsigned flags, int priority))                       \
    X(cuCtxFromGreenCtx, (CUcontext * out, CUgreenCtx c))                                                         \
    X(cuCtxPushCurrent, (CUcontext c))                                                                            \
    X(cuCtxPopCurrent, (CUcontext * out))                                                                         \
    X(cuGetErrorName, (CUresult r, const char **out))                                                             \
    X(cuGetErrorString, (CUresult r, const char **out))

typedef struct hd_driver {
#define HD_X(name, args) CUresult(*name) args;
    HD_DRIVER_MAP(HD_X)
#undef HD_X
} hd_driver;

/* Finds the functions; EDEVICE if the driver is too old. */
heddle_status hd_driver_find(hd_driver *out, hd_error *e);
/* Writes "<doing>: <text> (<name>)" for an error of the runtime or the driver. ENOMEM for out of memory, else EDEVICE. */
heddle_status hd_cuda_say(hd_error *e, cudaError_t error, const char *doing);
heddle_status hd_driver_say(const hd_driver *d, hd_error *e, CUresult error, const char *doing);
/* Makes the device current for this thread. */
heddle_status hd_cuda_use(const hd_device *d, hd_error *e);
/* Is the stream being captured? Nothing may then wait for it, query it, or launch a graph in it. */
int hd_cuda_capturing(cudaStream_t stream);
#define HD_CUDA_TRY(call, e, doing)                 \
    do {                                            \
        cudaError_t try_ = (call);                  \
        if (try_ != cudaSuccess)                    \
            return hd_cuda_say((e), try_, (doing)); \
    } while (0)

/* ---- copy.c, rows.c ---- */

/* Copies between host memory, pinned or not, and the device; synchronous. */
heddle_status hd_cuda_copy(hd_device *d, void *to, const void *from, uint64_t n_bytes, enum cudaMemcpyKind kind,
                           hd_error *e);
/* Puts a copy of rows into a stream. */
cudaError_t hd_cuda_copy_rows(const heddle_copy *c, enum cudaMemcpyKind kind, cudaStream_t stream);
/* Counts openings of a device (open 1) and closings (0). The last closing frees the copy buffers. */
void hd_cuda_copies(const hd_device *d, int open);

/* ---- memory.c: any thread; what frees waits for all kernels of the device, so pools make way ---- */

void *hd_cuda_mem_new(hd_device *d, size_t n_bytes);
void hd_cuda_mem_free(hd_device *d, void *p);
/* Pinned memory of the library's own. */
void hd_cuda_words_free(hd_device *d, void *p);
/* Pins memory for all devices, mapped. EINVAL: it is pinned already, or a part of it. */
heddle_status hd_cuda_host_pin(hd_device *d, void *p, uint64_t n_bytes, hd_error *e);
void hd_cuda_host_unpin(hd_device *d, void *p);

/* ---- accelerator.c ---- */

heddle_status hd_cuda_accelerator(hd_device *d, uint32_t part, uint32_t n_parts, heddle_accelerator *out, hd_error *e);

/* ---- a device ---- */

struct hd_device {
    heddle_config config; /* as opened */
    hd_driver driver;
    int index, n_sms, major, minor;
    uint64_t max_shared_bytes;   /* of one block, with opt-in */
    cudaStream_t stream;         /* runs */
    cudaStream_t side;           /* for work that must not wait for a run, such as the stop word */
    hd_loaded *in_pieces;        /* the last started run, if it is enqueued in pieces */
    pthread_mutex_t pools_mutex; /* guards the rest; before a pool's own */
    struct hd_cuda_pool *pools;  /* open ones, linked */
    uint32_t n_holds;            /* work that they make way for */
};

/* ---- a form: one way to run a loaded graph ---- */

typedef struct hd_form hd_form;

/* The interface of a form; the first member of each kind's struct. */
struct hd_form {
    heddle_schedule schedule;
    uint32_t one;                  /* one worker per SM, not as many as fit */
    hd_plan_style style;           /* for schedule static, if the graph has no plan */
    uint32_t n_workers, team_size; /* actual values; n_workers of launches: the SMs */
    char how[160];                 /* one line: "static path, 528 workers of 128 threads" */
    hd_form *next;
    uint32_t *stop_word;         /* device: written by stop() */
    const uint32_t *count, *run; /* device: counters with numbers of predecessors as targets, or NULL; run number */
    uint64_t best_ns;            /* best run time, 0: none yet */
    uint32_t n_runs;
    uint32_t n_left; /* pieces of this run not yet in the stream */
    /* Puts into the stream: a run, its first piece, or, while n_left is not 0, its next piece. */
    heddle_status (*start)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* Follows the run in the stream: copies what result() needs to the host. Optional. */
    heddle_status (*fetch)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* Makes the words ready, in the stream: before the first run and after one that ended badly. */
    heddle_status (*clear)(hd_form *f, cudaStream_t stream, hd_error *e);
    /* Updates the record of a task with changed arguments; synchronous. */
    heddle_status (*changed)(hd_form *f, uint32_t task, hd_error *e);
    /* After a run: fills in tallies and events (memory of the form), stop, code and task. */
    heddle_status (*result)(hd_form *f, hd_outcome *out, hd_error *e);
    void (*free)(hd_form *f);
};

struct hd_loaded {
    hd_device *device;
    const hd_graph *graph;
    struct hd_cuda_pool *pool; /* pool.c; NULL: a graph */
    hd_watcher watcher;
    uint8_t *blob;        /* device: the frozen graph */
    const hd_task *tasks; /* device: parts of the blob */
    const hd_edge *edges;
    const uint8_t *args;
    const uint32_t *roots;
    uint8_t *pinned;           /* host block of app_staged, now, end, first, watched, stop_word */
    void *params, *app_staged; /* device; pinned host */
    uint32_t shared_bytes;     /* per block: HEDDLE_REDUCE_BYTES and the largest body's */
    uint32_t team_size;        /* per worker: the config's, else the graph's, else 128 */
    hd_now *now;               /* pinned host, n_now of them; NULL without a time limit */
    uint32_t n_now;
    hd_end *end;                    /* pinned host: written by the last worker out */
    hd_control *first;              /* pinned host: initial control words of a run */
    uint32_t *watched;              /* pinned host: per watched task, the last run in which it was done */
    uint32_t *told;                 /* host: the part of it that the watcher was told */
    uint32_t *stop_word;            /* pinned host: source of stop()'s copy */
    hd_form *forms, *form;          /* all forms made; the form of this run */
    cudaEvent_t began, ended, done; /* around the run; when its last words have reached the host */
    pthread_mutex_t mutex;          /* pieces and the stop word: several waiting threads may use them */
    int running, dirty, lost, captured,
        settled; /* captured: a replay may have written params; settled: hd_choose decided */
    uint32_t n_params_bytes;
    struct hd_app_copy *copies; /* from hd_cuda_enqueue */
    uint64_t begin_ns;
    hd_cost cost; /* so far */
    hd_outcome last;
    char complaint[512], how[640];
    hd_error note; /* a complaint about the tuning file, or "" */
};

/* workers.c: a form of resident workers; style: of the plan (static). */
heddle_status hd_form_workers(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_plan_style style, uint32_t one,
                              hd_error *e);
/* launches.c: a form of ordinary launches. */
heddle_status hd_form_launches(hd_form **out, hd_loaded *l, heddle_schedule schedule, hd_error *e);

/* kernel.c: a kernel of a table (core/task.h: family, variant), prepared for launches with n_threads and this much
 * dynamic shared memory. *per_sm (or NULL): blocks that an SM holds. ERANGE if a body needs more shared memory than a block
 * can have, or n_threads exceeds what the kernel's registers allow. */
heddle_status hd_kernel_of(CUfunction *out, int *per_sm, const hd_device *d, const heddle_table *table, uint32_t family,
                           uint32_t variant, uint32_t n_threads, uint32_t shared_bytes, hd_error *e);
/* The same of the loaded graph's table. */
heddle_status hd_kernel_find(CUfunction *out, int *per_sm, const hd_loaded *l, uint32_t family, uint32_t variant,
                             uint32_t n_threads, uint32_t shared_bytes, hd_error *e);

/* Threads of a block of that kernel, at most; a multiple of 32. */
heddle_status hd_kernel_most_threads(uint32_t *out, const hd_loaded *l, CUfunction f, hd_error *e);

/* choice.c: chooses the next run's form from config and measurements; writes form and reason into l->how. */
heddle_status hd_choose(hd_loaded *l, hd_error *e);
/* Records the time of a run of l->form. */
void hd_choice_note(hd_loaded *l, uint64_t run_ns);

#endif
