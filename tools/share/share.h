/* SPDX-License-Identifier: MIT */
/* share.h - what the command `heddle share` calls. A call that fails leaves its sentence in `why`. */
#ifndef SHARE_H
#define SHARE_H

#include "arbiter.h"
#include "place.h"
#include "variable.h"

#include <stdio.h>

typedef struct share_why {
    char text[512];
} share_why;
/* Returns -1. */
int share_because(share_why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens the place of the daemon: the descriptor of its socket, or -1. */
int share_daemon_open(share_why *why);
/* Looks at what earlier daemons learnt, before there is no terminal any more. 0, or -1: the file was bad and is set aside, or cannot be
 * read; the daemon serves all the same. */
int share_daemon_history(share_why *why);
/* Serves it until `heddle share stop`, SIGTERM or SIGINT; trace: a file for Perfetto, or NULL; mps: the folder that programs are told of, or
 * empty. 0, or -1. */
int share_daemon_serve(int fd, const share_rules *rules, const char *trace, const char *mps, share_why *why);
/* Gives the place back without serving. */
void share_daemon_close(int fd);

/* NVIDIA's multi-process service for the programs: a control daemon of this user is found or started by the tool nvidia-cuda-mps-control.
 *
 * Where CUDA_MPS_PIPE_DIRECTORY is set, its folder is taken, and what runs there already is used and left alone. Else the folders are
 * `mps` and `mps-log` beside the daemon's socket. What runs there is of an earlier daemon that was killed, and ends with this one. A
 * tool that hangs is waited for some seconds. */
typedef struct share_mps {
    char folder[512], log[512]; /* folder: empty: programs run without */
    int is_ours;                /* it is to end with the daemon */
} share_mps;
/* 0, or -1: it is not here, or does not start. */
int share_mps_start(share_mps *m, share_why *why);
/* Ends what is ours. Programs that still run keep it until they end. */
void share_mps_stop(const share_mps *m);

/* Sends SHARE_STATUS, SHARE_RUN or SHARE_STOP and writes the answer (out NULL: nowhere). 0; -1: nobody is there, or refuses it; 1:
 * the daemon says nothing. */
int share_request(uint32_t type, int is_json, FILE *out, share_why *why);
/* The same over a connection, which is closed. */
int share_request_over(int fd, uint32_t type, int is_json, FILE *out, share_why *why);

/* The interposer that belongs to the running command. 0, or -1: it is not where it should be. */
int share_library_path(char *path, size_t n_bytes, share_why *why);
/* Refuses a program that would not load it: there is no such file, it is static, or has more rights than its user. */
int share_program_check(const char *name, share_why *why);

/* Prints the tasks of a trace: copies and times, on average over tasks in a row that are alike. */
int share_profile_file(const char *path, FILE *out, share_why *why);

/* `heddle share replay`: a table or trace of tasks (load.h) simulated under policies and rows. */
typedef struct share_replay_options {
    char *const *paths; /* programs of different files are different ones, whatever their names */
    uint32_t n_paths;
    uint32_t policies; /* bit set */
    uint32_t row_first, row_last, n_orders, slack_percent;
    uint64_t seed;
    double gb_per_s, wrong;
    int is_unknown, is_json;
} share_replay_options;
int share_replay_file(const share_replay_options *o, FILE *out, share_why *why);

#endif
