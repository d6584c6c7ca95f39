/* SPDX-License-Identifier: MIT */
/* load.h - what programs do on a GPU, as replay takes it: tasks of calls with their times, read from a table or a trace.
 *
 * A table has a line a task, in order: program, copies in, kernels, copies out; MB and ms, or `-` for none. `7x27` is seven copies of
 * 27 MB, and `,` stands between several. `#` begins a remark. A trace is JSON: {"heddle_share": 1, "tasks": [{"program": "a",
 * "in_ns": [..], "kernels_ns": 5, "out_ns": [..]}, ..]}, and "kernels" may stand behind the tasks. What is not that is refused with its line or task. */
#ifndef SHARE_LOAD_H
#define SHARE_LOAD_H

#include "order.h"
#include "share.h"

#include <stddef.h>

enum { SHARE_MOST_CALLS = 1 << 16 };
#define SHARE_MOST_NS 3600000000000u                                    /* of a call: an hour */
typedef enum share_channel { SHARE_S, SHARE_P, SHARE_R } share_channel; /* copies in, kernels, copies out */

typedef struct share_call {
    share_channel channel;
    uint64_t ns;
} share_call;

typedef struct share_load_task {
    uint32_t program, first_call, n_calls;
} share_load_task;

/* Launches of a kernel with one grid, in all. */
typedef struct share_load_kernel {
    char name[SHARE_NAME_BYTES];
    uint32_t block_threads;
    uint64_t n_blocks, n, ns;
} share_load_kernel;

typedef struct share_load {
    char programs[SHARE_MOST_TASKS][SHARE_NAME_BYTES];
    uint32_t n_programs, n_tasks, n_calls;
    share_load_task *tasks; /* of one program in their order */
    share_call *calls;
    share_load_kernel *kernels; /* of a trace of `profile` */
    uint32_t n_kernels;
    int lacks_memory; /* it is why something could not be added */
} share_load;

/* gb_per_s: of the link, each way, for the bytes of a table. 0, or -1 with a sentence; *load is empty then. */
int share_load_read(const char *text, size_t n_bytes, double gb_per_s, share_load *load, share_why *why);
int share_load_file(const char *path, double gb_per_s, share_load *load, share_why *why);
void share_load_free(share_load *load);
/* All files together: a program of one is none of another, though it may have its name. Kernels are left out. */
int share_load_files(char *const *paths, uint32_t n, double gb_per_s, share_load *load, share_why *why);

/* What the two readers use. A task of a program, empty; calls go to the last task. 0, or -1: there are too many, or no
 * memory. */
int share_load_task_new(share_load *load, const char *program);
/* All tasks of another load, as tasks of programs that are new. */
int share_load_append(share_load *load, const share_load *more);
int share_load_call_new(share_load *load, share_channel channel, uint64_t ns);
int share_load_kernel_new(share_load *load, const share_load_kernel *k);
int share_load_read_json(const char *text, size_t n_bytes, share_load *load, share_why *why);

#endif
