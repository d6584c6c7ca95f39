/* SPDX-License-Identifier: MIT */
/* room.h - a folder in TMPDIR, or /tmp, in which the programs of a mix run side by side on a GPU: as they are, under MPS, or under a daemon of heddle share that
 * has its place there. All processes are this one's children. They are ended when one of them fails, after a limit, when the room is closed, and
 * when this process dies. The daemon of MPS alone is none: it is told to quit when the start is over. */
#ifndef CUMAS_ROOM_H
#define CUMAS_ROOM_H

#include "mix.h"

#include <sys/types.h>

enum { ROOM_NAME = 160 }; /* bytes, of a file in the folder */

typedef struct room {
    char folder[88], heddle[1024], programs[1024];
    pid_t daemon; /* 0: none runs */
    int has_mps;
} room;

/* How the programs of a mix are started. */
typedef struct room_start {
    const char *policy; /* of heddle share; NULL: without it */
    uint32_t row;
    int with_mps;
    double limit_s;
} room_start;

/* 0, or -1 with a sentence: the folder `programs` has none, the command is not beside this program, there is no GPU. */
int room_open(room *r, const char *programs, char why[MIX_ERROR]);
void room_close(room *r);

/* Runs a mix. The daemon knows of programs what they did in the last start that was kept. 0; or with a sentence 1: there is no MPS here, or
 * -1: something did not end well, or a program's line is missing, or says that its results were wrong. */
int room_run(room *r, const mix *m, const room_start *how, const mix_rounds *rounds, char why[MIX_ERROR]);
/* What the daemon learnt in the last start is known in those that follow. 0, or -1: it learnt nothing. */
int room_keep(const room *r);
void room_forget(const room *r);
/* Of the last start that had a daemon: its trace. */
void room_trace(const room *r, char name[ROOM_NAME]);

#endif
