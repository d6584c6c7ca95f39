/* SPDX-License-Identifier: MIT */
/* input_letters.c - readers of FASTA and of scores of letters: see input.h. */
#include "input.h"
#include "input_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- FASTA -------------------------------------------------------------------------------------- */

/* Appends the letters of a line to those before it, in upper case, independent of the locale. */
static int add_letters(input_file *r, input_span line, uint64_t *n)
{
    char shown[INPUT_SHOWN];
    for (; line.at < line.end; line.at++) {
        input_span one = {line.at, line.at + 1};
        char c = *line.at;
        if (input_is_blank(c) || c == '\v' || c == '\f')
            continue;
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        if (!((c >= 'A' && c <= 'Z') || c == '*' || c == '-'))
            return input_refuse(r, "'%s' (byte %u) is no letter of a sequence", input_show(one, shown),
                                (unsigned char)c);
        r->bytes[(*n)++] = c;
    }
    return 0;
}

/* The number of lines that begin a record. */
static uint64_t count_records(const input_file *r)
{
    uint64_t n = 0, k;
    for (k = 0; k < r->n; k++)
        n += r->bytes[k] == '>' && (k == 0 || r->bytes[k - 1] == '\n');
    return n;
}

/* Reads all lines. Letters move to the front of the file's bytes; out->begin has room for all records. */
static int add_records(input_file *r, input_records *out)
{
    uint64_t n_letters = 0;
    input_span line, word;
    while (input_line(r, &line)) {
        if (line.at < line.end && *line.at == '>') {
            if (out->n && n_letters == out->begin[out->n - 1])
                return input_refuse(r, "record %" PRIu64 " is empty", out->n);
            out->begin[out->n++] = n_letters;
        } else if (out->n) {
            if (add_letters(r, line, &n_letters))
                return -1;
        } else if (input_word(&line, &word)) {
            return input_refuse(r, "a FASTA file begins with '>'");
        }
    }
    if (out->n && n_letters == out->begin[out->n - 1])
        return input_refuse(r, "record %" PRIu64 " is empty", out->n);
    out->begin[out->n] = n_letters;
    r->line = 0;
    return out->n ? 0 : input_refuse(r, "no FASTA record");
}

int input_fasta(const char *path, input_records *out, char *error)
{
    input_file r;
    memset(out, 0, sizeof *out);
    if (input_read(&r, path, error))
        return -1;
    out->begin = malloc((count_records(&r) + 1) * sizeof *out->begin);
    if (!out->begin)
        return input_refuse(&r, "out of memory for the places of records");
    if (add_records(&r, out)) {
        free(out->begin);
        memset(out, 0, sizeof *out);
        return -1;
    }
    out->letters = input_take(&r, out->begin[out->n]);
    return 0;
}

/* ---- scores of letters ---------------------------------------------------------------------------- */

/* The letter that the word consists of, or 0. */
static char word_letter(input_span word)
{
    const char c = *word.at;
    const int is_letter = (c >= 'A' && c <= 'Z') || c == '*' || c == '-';
    return word.end == word.at + 1 && is_letter ? c : 0;
}

static int word_score(input_span word, int8_t *out)
{
    char *end;
    long v;
    if (word.end - word.at > 5 || !input_only_of(word, "0123456789+-"))
        return 0;
    v = strtol(word.at, &end, 10);
    *out = (int8_t)v;
    return end == word.end && v >= INT8_MIN && v <= INT8_MAX;
}

uint32_t input_score_of(const input_scores *s, char letter)
{
    uint32_t k;
    for (k = 0; k < s->n && s->letters[k] != letter; k++)
        continue;
    return k;
}

/* The first line that is not a comment: the letters of the columns. */
static int score_columns(input_file *r, input_span line, input_scores *out)
{
    char shown[INPUT_SHOWN];
    input_span word;
    while (input_word(&line, &word)) {
        const char letter = word_letter(word);
        if (!letter)
            return input_refuse(r, "'%s' is no letter from A to Z, '*' or '-'", input_show(word, shown));
        if (input_score_of(out, letter) < out->n)
            return input_refuse(r, "letter %c stands there twice", letter);
        out->letters[out->n++] = letter;
    }
    return 0;
}

/* A line with a letter and its score for each column. has[k]: row k has been read. */
static int score_row(input_file *r, input_span line, input_scores *out, uint8_t has[INPUT_SCORES])
{
    char shown[INPUT_SHOWN];
    uint32_t row, k;
    input_span word;
    (void)input_word(&line, &word);
    row = word_letter(word) ? input_score_of(out, word_letter(word)) : out->n;
    if (row == out->n)
        return input_refuse(r, "row '%s' is none of the columns' letters", input_show(word, shown));
    if (has[row])
        return input_refuse(r, "row %c stands there twice", out->letters[row]);
    has[row] = 1;
    for (k = 0; k < out->n && input_word(&line, &word); k++)
        if (!word_score(word, &out->score[row][k]))
            return input_refuse(r, "'%s' is no score from -128 to 127", input_show(word, shown));
    if (k < out->n || input_word(&line, &word))
        return input_refuse(r, "row %c has %s than %" PRIu32 " scores", out->letters[row],
                            k < out->n ? "fewer" : "more", out->n);
    return 0;
}

int input_score_matrix(const char *path, input_scores *out, char *error)
{
    uint8_t has[INPUT_SCORES] = {0};
    uint32_t n_lines = 0;
    input_span line, rest, word;
    input_file r;
    memset(out, 0, sizeof *out);
    if (input_read(&r, path, error))
        return -1;
    while (input_line(&r, &line)) {
        rest = line;
        if (!input_word(&rest, &word) || *word.at == '#')
            continue;
        if (out->n == 0 ? score_columns(&r, line, out) : score_row(&r, line, out, has))
            return -1;
        n_lines++;
    }
    r.line = 0;
    if (out->n == 0)
        return input_refuse(&r, "has no line of letters");
    if (n_lines - 1 < out->n)
        return input_refuse(&r, "has %" PRIu32 " rows of scores for %" PRIu32 " letters", n_lines - 1, out->n);
    free(r.bytes);
    return 0;
}
