/* SPDX-License-Identifier: MIT */
/* cli.h - the base of all commands of `heddle`: exit statuses, sentences on stderr, the progress line, and output
 * files. Knows no command and no option.
 *
 * A command collects its output and prints it at its end, so that a refusal leaves nothing on stdout. Results go to
 * stdout, sentences and progress to stderr. */
#ifndef CLI_H
#define CLI_H

#include "heddle.h"

#include <stdio.h>

enum {
    CLI_OK = 0,
    CLI_WRONG = 1, /* a check failed: the results are wrong */
    CLI_BAD = 2    /* anything else: bad input, no memory, no device, a file that cannot be written */
};

/* ---- sentences (text.c) ---- */

/* Prints "heddle: SENTENCE" on stderr; returns CLI_BAD. */
int cli_bad(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on cli_bad first calls `clear`, which clears a line being drawn on stderr. */
void cli_before_bad(void (*clear)(void));
/* cli_bad with the library's sentence of the last failure on ctx (NULL: of this thread). */
int cli_heddle_bad(const heddle_ctx *ctx, heddle_status s);

/* The candidate nearest to an unknown word. Offer all candidates, then get the tail of the sentence: "; did you mean
 * 'x'?" or "". */
typedef struct cli_guess {
    const char *word, *best;
    size_t distance;
    char tail[96];
} cli_guess;
void cli_guess_offer(cli_guess *g, const char *candidate);
const char *cli_guess_tail(cli_guess *g);

/* Unsigned decimal digits and nothing else, min..max. 0, or -1. */
int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

uint64_t cli_now_ns(void);
/* "12.3 ms" with a suitable unit; in buf, which is returned. */
typedef struct cli_text {
    char text[32];
} cli_text;
const char *cli_duration(cli_text *buf, uint64_t ns);
/* "48 KiB". */
const char *cli_bytes(cli_text *buf, uint64_t n_bytes);

/* The path of a program in the folder of the running one. 0, or -1: it is not there, or its path is too long. */
int cli_beside(const char *name, char *path, size_t n_bytes);

/* ---- output (output.c) ---- */

/* Refuses a path that could not be written at the end of a long run. Does not touch an existing file. NULL: no output
 * wanted. CLI_OK or CLI_BAD with the sentence printed. */
int cli_check_output(const char *path);
/* From now on a fatal signal first removes half-written files, and exceeding the limit on file sizes is a write error
 * with a sentence. Called by the thread that writes all files. */
void cli_catch_signals(void);

/* Text collected in memory, to be printed or written at the end. */
typedef struct cli_buffer {
    FILE *out; /* NULL: no memory */
    char *text;
    size_t n_bytes;
} cli_buffer;
int cli_buffer_open(cli_buffer *b);
/* To stdout; CLI_BAD when memory ran out or stdout fails. */
int cli_buffer_print(cli_buffer *b);
/* To a file, whole or not at all (base/file.h). */
int cli_buffer_write(cli_buffer *b, const char *path);
void cli_buffer_free(cli_buffer *b);

/* ---- progress (progress.c) ---- */

/* A line on stderr during operations longer than a second; nothing unless stderr is a terminal. With a known number of
 * steps it is a bar; otherwise it shows only that time passes. */
void cli_progress_start(void);
/* Sets the current activity. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sets the progress; n_steps 0: unknown. */
void cli_progress_steps(uint64_t n_done, uint64_t n_steps);
/* Clears the line for good; allowed when not started. */
void cli_progress_stop(void);

#endif
