/* SPDX-License-Identifier: MIT */
/* input_arrays.c - readers of samples, pixels and columns of numbers: see input.h. */
#include "input.h"
#include "input_file.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ------------------------------------------------------------------------------------- */

int input_i16le(const char *path, int16_t **samples, uint64_t *n, char *error)
{
    input_file r;
    int16_t *out;
    uint64_t k;
    if (input_read(&r, path, error))
        return -1;
    if (r.n == 0)
        return input_refuse(&r, "is empty");
    if (r.n % 2)
        return input_refuse(&r, "has %" PRIu64 " bytes, an odd number: 16-bit samples take two each", r.n);
    out = (int16_t *)(void *)r.bytes; /* in place: each sample is read before it is written */
    for (k = 0; k < r.n / 2; k++) {
        unsigned low = (unsigned char)r.bytes[2 * k], high = (unsigned char)r.bytes[2 * k + 1];
        out[k] = (int16_t)(low | high << 8);
    }
    *samples = input_take(&r, r.n);
    *n = r.n / 2;
    return 0;
}

/* ---- PGM ----------------------------------------------------------------------------------------- */

/* Skips blanks and comments of the header; refuses if there is no blank. */
static int pgm_gap(input_file *r)
{
    uint64_t from = r->at;
    int comment = 0;
    for (; r->at < r->n; r->at++) {
        char c = r->bytes[r->at];
        if (c == '\n')
            r->line++;
        comment = comment ? c != '\n' : c == '#';
        if (!comment && c != '\n' && !input_is_blank(c))
            break;
    }
    return r->at > from;
}

static int pgm_number(input_file *r, const char *what, uint64_t max, uint64_t *out)
{
    input_span word;
    char shown[INPUT_SHOWN];
    int gap = pgm_gap(r);
    word.at = word.end = r->bytes + r->at;
    while (*word.end >= '0' && *word.end <= '9')
        word.end++;
    r->at = (uint64_t)(word.end - r->bytes);
    if (!gap || word.at == word.end)
        return input_refuse(r, "the header breaks off before the %s", what);
    if (!input_count(word, out) || *out == 0 || *out > max)
        return input_refuse(r, "%s %s is not in 1 ... %" PRIu64, what, input_show(word, shown), max);
    return 0;
}

static int pgm_pixels(input_file *r, uint64_t rows, uint64_t cols, uint64_t max)
{
    const unsigned char *p = (const unsigned char *)r->bytes + r->at;
    uint64_t k, n = rows * cols, there = r->n - r->at;
    r->line = 0;
    if (there != n)
        return input_refuse(r, "%" PRIu64 " x %" PRIu64 " pixels take %" PRIu64 " bytes, %" PRIu64 " are there", cols,
                            rows, n, there);
    for (k = 0; k < n; k++)
        if (p[k] > max)
            return input_refuse(r, "pixel %u at row %" PRIu64 ", column %" PRIu64 " is above the largest, %" PRIu64,
                                p[k], k / cols, k % cols, max);
    memmove(r->bytes, p, n);
    return 0;
}

int input_pgm(const char *path, uint8_t **pixels, uint64_t *rows, uint64_t *cols, char *error)
{
    input_file r;
    uint64_t h, w, max;
    if (input_read(&r, path, error))
        return -1;
    if (r.n < 2 || memcmp(r.bytes, "P5", 2) != 0)
        return input_refuse(&r, "is no binary PGM: it does not begin with P5");
    r.at = 2;
    r.line = 1;
    if (pgm_number(&r, "width", UINT32_MAX, &w) || pgm_number(&r, "height", UINT32_MAX, &h) ||
        pgm_number(&r, "largest pixel", UINT8_MAX, &max))
        return -1;
    if (r.at == r.n || (r.bytes[r.at] != '\n' && !input_is_blank(r.bytes[r.at])))
        return input_refuse(&r, "one blank must part the header from the pixels");
    r.at++;
    if (pgm_pixels(&r, h, w, max))
        return -1;
    *pixels = input_take(&r, h * w);
    *rows = h;
    *cols = w;
    return 0;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* Reads values up to an empty line; only empty lines may follow. */
static int read_numbers(input_file *r, float *values, uint64_t *n)
{
    input_span line, word, more;
    char shown[INPUT_SHOWN];
    int ended = 0;
    double v;
    while (input_line(r, &line)) {
        if (!input_word(&line, &word)) {
            ended = 1;
            continue;
        }
        if (ended)
            return input_refuse(r, "a number after an empty line");
        if (input_word(&line, &more))
            return input_refuse(r, "more than one number on the line");
        if (!input_real(word, &v))
            return input_refuse(r, "'%s' is no decimal number", input_show(word, shown));
        if (fabs(v) > FLT_MAX)
            return input_refuse(r, "%s is too large for single precision", input_show(word, shown));
        values[(*n)++] = (float)v;
    }
    return 0;
}

static int number_shape(input_file *r, uint64_t n, uint64_t *rows, uint64_t *cols)
{
    uint64_t side = (uint64_t)sqrt((double)n);
    r->line = 0;
    if (n == 0)
        return input_refuse(r, "no number is there");
    if (*rows && *cols) {
        if (n % *rows == 0 && n / *rows == *cols)
            return 0;
        return input_refuse(r, "%" PRIu64 " x %" PRIu64 " numbers were asked for, %" PRIu64 " are there", *rows, *cols,
                            n);
    }
    if (side * side != n)
        return input_refuse(r, "%" PRIu64 " numbers make no square: say how many rows and columns", n);
    *rows = *cols = side;
    return 0;
}

int input_numbers(const char *path, uint64_t *rows, uint64_t *cols, float **values, char *error)
{
    input_file r;
    float *out;
    uint64_t n = 0;
    if (input_read(&r, path, error))
        return -1;
    out = malloc((r.n / 2 + 1) * sizeof *out); /* a number takes two bytes, except the last */
    if (!out)
        return input_refuse(&r, "out of memory for its numbers");
    if (read_numbers(&r, out, &n) || number_shape(&r, n, rows, cols)) {
        free(out);
        return -1;
    }
    free(r.bytes);
    r.bytes = (char *)out;
    *values = input_take(&r, n * sizeof *out);
    return 0;
}
