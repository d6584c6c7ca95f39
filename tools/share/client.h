/* SPDX-License-Identifier: MIT */
/* client.h - this process as a client of the daemon: connection, page, turns on the link.
 *
 * It connects at the first copy or allocation that counts. While no other client uses the GPU, nothing is asked: a copy
 * loads one word. All ends of the connection are the same: the gates open, waiters wake, and the program goes on as if there
 * had never been a daemon. A child of fork is not a client. */
#ifndef SHARE_CLIENT_H
#define SHARE_CLIENT_H

#include "driver.h"
#include "wire.h"

/* The page of a connected client, or one that only the process has; never NULL. */
share_page *share_client_page(void);
/* Connects when it was never tried. The number of the context's GPU, or -1: there is no context or no daemon (any more), it is one GPU
 * too many, or the daemon declined it. */
int share_client_gpu(const share_driver *real);
/* The same of a device. */
int share_client_gpu_of(const share_driver *real, CUdevice d);
/* Whether the daemon is there; whether this is a child of a client. */
int share_client_is_connected(void);
int share_client_is_inert(void);
/* Whether copies on this GPU have to ask. */
int share_client_asks(int gpu);

/* A turn of a blocking copy. One thread of the process at a time has it for a GPU and direction. */
typedef struct share_turn {
    int gpu, way;
    uint32_t seq, call; /* seq 0: it has not asked, or nobody was there */
    uint32_t last;      /* the number that it had, or has */
    uint32_t begun;     /* the last number under which the driver was given a piece: an atom */
    uint64_t n_bytes;   /* copied in this turn: it is not over before a part was */
} share_turn;
/* Takes the direction for this process, then for this copy. */
void share_turn_begin(share_turn *t, int gpu, int way);
void share_turn_end(share_turn *t);
/* Asks for a turn of a copy that has this many bytes to go; returns at once. */
void share_turn_ask(share_turn *t, uint64_t n_bytes);
/* Waits for SHARE_SAID_GO, and returns it also when nobody is there to ask. */
void share_turn_wait(share_turn *t);
/* 1: the turn is over, or one has to be asked for now. To be looked at before each piece. */
int share_turn_is_over(const share_turn *t);
/* Gives it back; nothing when there is none. */
void share_turn_give(share_turn *t, uint64_t n_bytes);
/* A piece was copied. */
void share_turn_beat(share_turn *t, uint64_t n_bytes);
/* Told for the daemon's count of how long the link was idle: a piece is about to be given to the driver; all that one thread gave it has
 * been copied. */
void share_turn_issues(share_turn *t);
void share_turn_landed(const share_turn *t);

/* Whether kernels on any GPU, on this one, have to ask. */
int share_client_kernels_ask(void);
int share_client_kernels_ask_on(int gpu);

/* A gate in a stream: -1, or the number of its slot. The daemon hears of it at once; it opens when its turn comes. Behind one of way
 * SHARE_KERNELS more may be put. */
int share_gate_new(int gpu, int way, uint64_t n_bytes, uint32_t *seq);
/* Slots that are free. */
int share_gate_room(void);
/* One more is put behind the gate that began with this number: 1 and its own, or 0: it is closed. */
int share_gate_more(int slot, uint32_t first, uint32_t *seq);
/* The same gate takes no more. */
void share_gate_close(int slot, uint32_t first);
/* Whether anything still stands at a gate, or behind one. */
int share_gate_is_any(void);
/* The stream could not be given all of it: it is open, closed to others, and does not count. */
void share_gate_drop(int slot, uint32_t seq);

/* Says that this program used CUDA without being seen, and goes. */
void share_client_unseen(void);

/* The task of this process. */
uint32_t share_client_task_now(void);
/* The same from now on, and its first large copy (0: none yet); counted by task.h. */
void share_client_task(uint32_t task, uint64_t first_bytes);
/* What a task has done so far; begin_ns: its first kernel was launched then. */
void share_client_tell_task(uint32_t gpu, uint32_t task, uint64_t first_bytes, const uint64_t *copied,
                            uint64_t begin_ns, uint64_t p_ns);
/* Kernels run from now on; the program has waited for all of them. */
void share_client_computes(void);
void share_client_computed(void);

/* Asks about memory and waits for the answer, at most for the time that `run --mem-wait` gave: SHARE_MEM_TRY or _NEVER. */
int share_client_memory(int gpu, uint64_t n_bytes, int is_first);
/* Bytes that this process has of a GPU have become more or less. */
void share_client_used(int gpu, int64_t n_bytes);

#endif
