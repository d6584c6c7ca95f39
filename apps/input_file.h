/* SPDX-License-Identifier: MIT */
/* input_file.h - a file in memory, its lines and words, for the readers of input.h.
 *
 * A file is read whole and parsed in memory: sizes and counts that it declares are checked against its bytes before
 * anything is allocated for them. More than 2^32 bytes are refused. Sentences show bytes of the file only after
 * replacing unprintable ones. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stdint.h>

/* A file and the reading position. bytes[n] is 0. */
typedef struct input_file {
    const char *path;
    char *error;
    char *bytes;
    uint64_t n, at;
    uint64_t line; /* for sentences; 0 = none: the format has no lines, or the whole file is meant */
} input_file;

/* Bytes of the file, from `at` up to, not including, `end`. */
typedef struct input_span {
    char *at, *end;
} input_span;

/* Reads the file; -1 with a sentence in error (APP_ERROR bytes), and nothing allocated. Pipes are accepted. */
int input_read(input_file *r, const char *path, char *error);
/* Passes the bytes to the caller, reallocated to n_bytes. */
void *input_take(input_file *r, uint64_t n_bytes);
/* Returns -1 with the sentence, file and line; frees the file's bytes, so `return input_refuse(...)` leaves nothing behind. */
int input_refuse(input_file *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The word in printable form. */
#define INPUT_SHOWN 28
const char *input_show(input_span word, char out[INPUT_SHOWN]);

static inline int input_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/* The next line, the next word; 0 at the end of the file, of the line. */
int input_line(input_file *r, input_span *line);
int input_word(input_span *line, input_span *word);
/* 1 if the line has exactly n words, else 0. */
int input_words(input_span line, input_span *words, int n);

/* Whether the word consists of these characters only; whether the whole word is a finite decimal number (no
 * hexadecimal, no "inf", no "nan"), or a count below 2^63, and its value. */
int input_only_of(input_span word, const char *set);
int input_real(input_span word, double *out);
int input_count(input_span word, uint64_t *out);

#endif
