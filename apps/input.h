/* SPDX-License-Identifier: MIT */
/* input.h - readers of the data formats of apps.
 *
 * Each returns 0, or -1 with one sentence in `error` (APP_ERROR bytes): "FILE:LINE: what was wrong" where the format
 * has lines, else "FILE: what was wrong". They refuse malformed, truncated and oversized files; nothing is left
 * allocated on failure. On success the caller frees *data with free(). Fuzzed by tests/fuzz. */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Reads all records of a FASTA file: letters without white space, upper case, records one after another. Record k has
 * letters[begin[k]] ... letters[begin[k + 1] - 1]. Refuses a file without records, an empty record, and any character
 * other than a letter, '*' or '-'. The caller frees begin and letters. */
typedef struct input_records {
    uint64_t n, *begin;
    char *letters;
} input_records;
int input_fasta(const char *path, input_records *out, char *error);

/* Scores of pairs of letters in NCBI's format of BLOSUM62. Lines of # are comments; then comes a line of letters. A
 * line for each letter follows, in any order: the letter, then a score for each letter of the first line, from -128 to
 * 127. Refuses letters other than A to Z, '*' and '-'. score[k][l]: of row letters[k] and column letters[l]. Nothing is
 * to be freed. */
#define INPUT_SCORES 28
typedef struct input_scores {
    uint32_t n;
    char letters[INPUT_SCORES];
    int8_t score[INPUT_SCORES][INPUT_SCORES];
} input_scores;
int input_score_matrix(const char *path, input_scores *out, char *error);
/* The letter's index in letters, or n. */
uint32_t input_score_of(const input_scores *s, char letter);

/* The packets of a classic pcap file, of either order of bytes, as records: what was captured of each. Refuses a packet of 0
 * bytes. The caller frees begin and letters. */
int input_packets(const char *path, input_records *out, char *error);

/* All bytes of a file; it must not be empty. */
int input_bytes(const char *path, char **bytes, uint64_t *n, char *error);

/* Raw little-endian int16 samples; the size must be even and not 0. */
int input_i16le(const char *path, int16_t **samples, uint64_t *n, char *error);

/* 8-bit binary PGM (P5, maxval 1..255), comments allowed in the header. Row-major. */
int input_pgm(const char *path, uint8_t **pixels, uint64_t *rows, uint64_t *cols, char *error);

/* One decimal number per line (Rodinia), row-major. Their count must be rows * cols, or a square number when these are
 * 0. Refuses NaN and infinities. */
int input_numbers(const char *path, uint64_t *rows, uint64_t *cols, float **values, char *error);

/* Matrix Market `matrix coordinate real|integer general|symmetric`, square. Entries are (row, col, value), 0-based, row
 * by row, symmetric ones mirrored; duplicates are refused. n_stored: entries in the file. The caller frees entries. */
typedef struct input_entry {
    uint32_t row, col;
    double value;
} input_entry;
typedef struct input_matrix {
    uint64_t n, n_stored, n_entries;
    input_entry *entries;
} input_matrix;
int input_matrix_market(const char *path, input_matrix *out, char *error);

/* A directed graph, row by row: the arcs of vertex v lead to column[begin[v]] ... column[begin[v + 1] - 1]. Vertices
 * are 0-based; the arcs of a row keep the file's order. The caller frees begin and column. */
typedef struct input_graph {
    uint64_t n, n_arcs;
    uint32_t *begin, *column;
} input_graph;

/* METIS: "n m", then one line per vertex with its neighbours, 1-based; % lines are comments. Refuses weights, self
 * loops, and any number of arcs other than 2m. */
int input_metis(const char *path, input_graph *g, char *error);

/* A list of arcs (SNAP): two vertices per line, # lines are comments. Any vertex numbers below 2^63; they become 0, 1,
 * ... in ascending order. */
int input_arcs(const char *path, input_graph *g, char *error);

/* Little-endian int32: n, m, the n + 1 begins of rows, m columns, 0-based. */
int input_csr(const char *path, input_graph *g, char *error);

/* Chooses the format by the path's end: .graph and .metis, .csr, else a list of arcs. */
int input_graph_any(const char *path, input_graph *g, char *error);

#endif
