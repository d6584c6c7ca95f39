/* SPDX-License-Identifier: MIT */
/* wire.h - what a client and the daemon say to each other: messages over a socket, and words on a page that they share.
 *
 * The socket (AF_UNIX, SOCK_SEQPACKET) keeps messages whole; each is one share_message. Its end is the end of the client.
 * For ever, so that one end can refuse or end another version's: the size of a message, its version and type in front and its text behind
 * them, and the numbers of SHARE_REFUSED, SHARE_STOP and SHARE_TEXT. A daemon takes SHARE_STOP of every version.
 * The page is the client's (a memfd of fixed size, sealed); the daemon takes numbers from it, but no index and no address.
 * The daemon's words are advice: a client that finds nobody behind them goes on without. */
#ifndef SHARE_WIRE_H
#define SHARE_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
    SHARE_VERSION = 4,   /* of messages and page: both ends must have the same */
    SHARE_MOST_GPUS = 8, /* of one client */
    SHARE_N_WAYS = 2,    /* directions of a link: in, out */
    SHARE_KERNELS = 2,   /* the channel behind them: the GPU itself */
    SHARE_N_CHANNELS = 3,
    SHARE_N_GATES = 64, /* that stand in streams of one client at a time */
    SHARE_NAME_BYTES = 64,
    SHARE_TEXT_BYTES = 232
};

typedef enum share_type {
    SHARE_HELLO,     /* client: its name and its page */
    SHARE_WELCOME,   /* daemon */
    SHARE_REFUSED,   /* daemon: a sentence; of every version */
    SHARE_GPU,       /* client: it uses this GPU, and will call it by this number */
    SHARE_ASK,       /* client: a blocking copy wants its turn */
    SHARE_END,       /* client: it has had it */
    SHARE_GATE,      /* client: a copy, or kernels of a task, stand behind a gate in a stream */
    SHARE_MEM_ASK,   /* client: bytes that it wants to have */
    SHARE_MEM_FREED, /* client: somebody waited, and it has freed some */
    SHARE_UNSEEN,    /* a program's end: its name; it used CUDA, and we saw nothing of it */
    SHARE_TASK,      /* client: what a task has done so far */
    SHARE_STATUS,    /* command: wants the state; text "j": as JSON */
    SHARE_STOP,      /* command, of every version: the daemon shall end */
    SHARE_RUN,       /* command: is about to run a program; the answer is the folder of MPS, or empty: without */
    SHARE_TEXT,      /* daemon, to every version: a part of an answer; an empty one ends it */
    SHARE_N_TYPES
} share_type;

#define SHARE_COMPUTES UINT64_MAX   /* a time that has not come */
#define SHARE_BY_HISTORY UINT64_MAX /* as much as the program had on earlier runs */

enum { SHARE_HIGH, SHARE_NORMAL, SHARE_LOW, SHARE_N_CLASSES };

typedef struct share_message {
    uint32_t version, type;
    union {
        struct {
            int32_t pid;
            uint32_t class_;
            uint64_t memory_bytes; /* declared; 0: not; SHARE_BY_HISTORY */
            uint64_t program;      /* a digest of the executable; 0: it cannot be read */
            uint64_t command;      /* of that and its arguments; 0: they cannot be read */
            char name[SHARE_NAME_BYTES];
        } hello;
        struct {
            uint32_t gpu;
            uint8_t uuid[16];
            uint64_t memory_bytes;
        } gpu;
        struct {
            uint32_t gpu, way, seq; /* way: a channel; seq: never 0, another one for each turn and gate */
            uint32_t call;          /* turns of one copy have the same */
            uint32_t task;
            uint32_t slot; /* of a gate */
            uint64_t n_bytes;
            uint64_t first_bytes; /* of the first large copy of the task */
        } ask;
        struct {
            uint32_t gpu, task;
            uint64_t first_bytes, in_bytes, out_bytes;
            uint64_t begin_ns; /* when its first kernel was launched */
            uint64_t p_ns;     /* from then until they had ended; 0: none, or nobody saw it */
        } task;
        struct {
            uint32_t seq;
            uint64_t n_bytes;
        } end;
        struct {
            uint32_t gpu, seq, is_first; /* is_first: before the first allocation */
            uint32_t patience_ms;        /* so long it stands in line for a peak of earlier runs while nobody works */
            uint64_t n_bytes;
        } mem;
        char text[SHARE_TEXT_BYTES];
    } u;
} share_message;
_Static_assert(sizeof(share_message) == 240 && offsetof(share_message, type) == 4 &&
                   offsetof(share_message, u.text) == 8,
               "every version reads refusals, and ends daemons");
_Static_assert(SHARE_REFUSED == 2 && SHARE_STOP == 12 && SHARE_TEXT == 14, "numbers of every version");

/* A turn's word: the number of the turn, and what the daemon says about it. */
enum { SHARE_SAID_NOTHING, SHARE_SAID_DECK, SHARE_SAID_GO, SHARE_SAID_YIELD };
#define SHARE_WORD(seq, said) (((uint32_t)(seq) << 2) | (uint32_t)(said))
#define SHARE_MOST_SEQ 0x3fffffffu

/* The daemon has no number for this GPU: nothing is to be asked or told of it. What was, before the client saw this, is not heeded, but that an
 * ask for memory is answered at once. */
#define SHARE_DECLINED 2u

/* Answers about memory, in the same form. */
enum { SHARE_MEM_WAITS, SHARE_MEM_TRY, SHARE_MEM_NEVER };

/* A gate's word: the number of what was put behind it last, and whether nothing more may be. A gate is over when that is so, and this
 * number is done. */
#define SHARE_LAST(seq, is_closed) (((uint32_t)(seq) << 1) | (uint32_t)(is_closed))

typedef struct share_page {
    /* The daemon writes. */
    struct {
        uint32_t is_shared;          /* 1: other clients use this GPU, and copies ask; or SHARE_DECLINED */
        uint32_t turn[SHARE_N_WAYS]; /* SHARE_WORD; a futex */
    } gpu[SHARE_MOST_GPUS];
    uint32_t kernels_ask;             /* bit set of GPUs: others use them, and kernels are to ask */
    uint32_t open[SHARE_N_GATES];     /* a gate is open when its slot has its number */
    uint32_t memory[SHARE_MOST_GPUS]; /* SHARE_WORD of the last answer; a futex */
    uint32_t memory_wanted;           /* somebody waits for memory: tell of what is freed */
    uint32_t pulse;                   /* changes while anybody waits: the daemon runs */
    uint32_t pad0[5];
    uint64_t ahead_bytes; /* of HEDDLE_SHARE_AHEAD, where the program has it not; written before the welcome */
    /* The client, or its GPU, writes. */
    uint32_t arrived[SHARE_N_GATES]; /* the stream has come to the gate */
    uint32_t done[SHARE_N_GATES];    /* the copy or kernel of this number, and all before it, have ended */
    uint32_t
        last[SHARE_N_GATES]; /* SHARE_LAST of what was put behind it; the daemon, too, may say that it was the last */
    struct {
        uint32_t beats[SHARE_N_WAYS]; /* pieces that have been copied: a client that moves keeps its turn */
        uint32_t n_freed;             /* times that it has freed some; counted after used_bytes has become less */
        uint64_t used_bytes, peak_bytes;
        uint64_t copied_bytes[SHARE_N_WAYS];
        struct {
            uint32_t begun, ended; /* numbers of the last turns that began to copy, and that had copied all */
            uint64_t begun_ns, ended_ns;
        } link[SHARE_N_WAYS];
    } told[SHARE_MOST_GPUS];
    uint64_t n_launches, n_staged, n_passed, n_gated, n_tasks;
    uint64_t n_kernels_gated, n_kernels_passed; /* where kernels ask */
    uint64_t n_ahead, n_not_ahead;              /* copies that returned before they were made; that could not */
    uint64_t computed_ns; /* when the program had waited for its last kernels; SHARE_COMPUTES: it has not yet */
} share_page;
enum { SHARE_PAGE_BYTES = (sizeof(share_page) + 4095) / 4096 * 4096 }; /* what is mapped: whole pages */

#endif
