/* SPDX-License-Identifier: MIT */
/* input.c - readers of FASTA, scores of letters, raw samples, PGM, columns of numbers, Matrix Market, graphs.
 *
 * A file is read whole, INPUT_MAX_BYTES at most, and then parsed in memory: what it promises (sizes, counts) is held
 * against the bytes that are there before anything is allocated for it. Bytes of the file appear in sentences only
 * after unprintable ones were replaced. */
#include "app.h"
#include "input.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define INPUT_MAX_BYTES ((uint64_t)1 << 32)

/* A file in memory and how far it was read. bytes[n] is 0. */
typedef struct reader {
    const char *path;
    char *error;
    char *bytes;
    uint64_t n, at;
    uint64_t line; /* for sentences; 0 = the format has none, or the whole file is meant              */
} reader;

/* Bytes of the file, from `at` up to but without `end`. */
typedef struct span {
    char *at, *end;
} span;

/* ---- sentences --------------------------------------------------------------------------------- */

/* Frees the file's bytes too, so that `return refuse(...)` leaves nothing behind. */
static int refuse(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(reader *r, const char *format, ...)
{
    char text[APP_ERROR / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->line)
        snprintf(r->error, APP_ERROR, "%.200s:%" PRIu64 ": %s", r->path, r->line, text);
    else
        snprintf(r->error, APP_ERROR, "%.200s: %s", r->path, text);
    free(r->bytes);
    r->bytes = NULL;
    return -1;
}

#define SHOWN 24
/* The word as it may be printed. */
static const char *show(span word, char out[SHOWN + 4])
{
    size_t n = (size_t)(word.end - word.at), i;
    for (i = 0; i < n && i < SHOWN; i++)
        out[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
    snprintf(out + i, 4, "%s", n > SHOWN ? "..." : "");
    return out;
}

/* ---- the file ----------------------------------------------------------------------------------- */

static int grow(reader *r, uint64_t n_bytes)
{
    char *bytes = realloc(r->bytes, n_bytes);
    if (!bytes)
        return refuse(r, "out of memory for %" PRIu64 " bytes", n_bytes);
    r->bytes = bytes;
    return 0;
}

/* Pipes are welcome: the size is a guess, what can be read is what counts. */
static int slurp(reader *r, FILE *f, uint64_t guess)
{
    uint64_t cap = guess + 2, got;
    if (grow(r, cap))
        return -1;
    while ((got = fread(r->bytes + r->n, 1, cap - 1 - r->n, f)) > 0) {
        r->n += got;
        if (r->n > INPUT_MAX_BYTES)
            return refuse(r, "has more than %" PRIu64 " bytes", INPUT_MAX_BYTES);
        if (r->n == cap - 1 && grow(r, cap *= 2))
            return -1;
    }
    if (ferror(f))
        return refuse(r, "%s", strerror(errno));
    r->bytes[r->n] = 0;
    return 0;
}

static int read_file(reader *r, const char *path, char *error)
{
    struct stat st;
    FILE *f;
    int rc;
    memset(r, 0, sizeof *r);
    r->path = path;
    r->error = error;
    f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st)) {
        rc = refuse(r, "%s", strerror(errno));
        if (f)
            fclose(f);
        return rc;
    }
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
        rc = refuse(r, "is neither a file nor a pipe");
    else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > INPUT_MAX_BYTES)
        rc = refuse(r, "has more than %" PRIu64 " bytes", INPUT_MAX_BYTES);
    else
        rc = slurp(r, f, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : BUFSIZ);
    fclose(f);
    return rc;
}

/* Hands the bytes over, cut to what is used. */
static void *take_bytes(reader *r, uint64_t n_bytes)
{
    void *cut = realloc(r->bytes, n_bytes ? n_bytes : 1);
    return cut ? cut : r->bytes;
}

/* ---- lines and words ------------------------------------------------------------------------------ */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* 0 at the end of the file. */
static int next_line(reader *r, span *line)
{
    char *end;
    if (r->at == r->n)
        return 0;
    r->line++;
    line->at = r->bytes + r->at;
    end = memchr(line->at, '\n', r->n - r->at);
    line->end = end ? end : r->bytes + r->n;
    r->at = (uint64_t)(line->end - r->bytes) + (end != NULL);
    return 1;
}

/* 0 at the end of the line. */
static int next_word(span *line, span *word)
{
    while (line->at < line->end && is_blank(*line->at))
        line->at++;
    word->at = line->at;
    while (line->at < line->end && !is_blank(*line->at))
        line->at++;
    word->end = line->at;
    return word->at < word->end;
}

/* All n words of a line, and no more. */
static int line_words(span line, span *words, int n)
{
    span more;
    int i;
    for (i = 0; i < n; i++)
        if (!next_word(&line, &words[i]))
            return 0;
    return !next_word(&line, &more);
}

static int only_of(span word, const char *set)
{
    char *p;
    for (p = word.at; p < word.end; p++)
        if (!*p || !strchr(set, *p))
            return 0;
    return 1;
}

/* Decimal, finite, as a whole word: no hexadecimal, no "inf", no "nan". 0 if it is not. What follows a word in memory
 * (a blank, a line's end, the 0 after the last byte) stops strtod. */
static int word_real(span word, double *out)
{
    char *end;
    if (!only_of(word, "0123456789+-.eE"))
        return 0;
    *out = strtod(word.at, &end);
    return end == word.end && isfinite(*out);
}

static int word_count(span word, uint64_t *out)
{
    char *p;
    *out = 0;
    for (p = word.at; p < word.end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || *out > (UINT64_MAX / 2 - digit) / 10)
            return 0;
        *out = *out * 10 + digit;
    }
    return word.at < word.end;
}

static int word_is(span word, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(word.end - word.at) == n && strncasecmp(word.at, text, n) == 0;
}

/* ---- FASTA -------------------------------------------------------------------------------------- */

/* Moves the letters of a line behind those before it; upper and lower case without regard to the locale. */
static int add_letters(reader *r, span line, uint64_t *n)
{
    char shown[SHOWN + 4];
    for (; line.at < line.end; line.at++) {
        span one = {line.at, line.at + 1};
        char c = *line.at;
        if (is_blank(c) || c == '\v' || c == '\f')
            continue;
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        if (!((c >= 'A' && c <= 'Z') || c == '*' || c == '-'))
            return refuse(r, "'%s' (byte %u) is no letter of a sequence", show(one, shown), (unsigned char)c);
        r->bytes[(*n)++] = c;
    }
    return 0;
}

/* Lines that begin a record. */
static uint64_t count_records(const reader *r)
{
    uint64_t n = 0, k;
    for (k = 0; k < r->n; k++)
        n += r->bytes[k] == '>' && (k == 0 || r->bytes[k - 1] == '\n');
    return n;
}

/* All lines. Letters move to the front of the file's bytes; out->begin has room for all records. */
static int add_records(reader *r, input_records *out)
{
    uint64_t n_letters = 0;
    span line, word;
    while (next_line(r, &line)) {
        if (line.at < line.end && *line.at == '>') {
            if (out->n && n_letters == out->begin[out->n - 1])
                return refuse(r, "record %" PRIu64 " is empty", out->n);
            out->begin[out->n++] = n_letters;
        } else if (out->n) {
            if (add_letters(r, line, &n_letters))
                return -1;
        } else if (next_word(&line, &word)) {
            return refuse(r, "a FASTA file begins with '>'");
        }
    }
    if (out->n && n_letters == out->begin[out->n - 1])
        return refuse(r, "record %" PRIu64 " is empty", out->n);
    out->begin[out->n] = n_letters;
    r->line = 0;
    return out->n ? 0 : refuse(r, "no FASTA record");
}

int input_fasta(const char *path, input_records *out, char *error)
{
    reader r;
    memset(out, 0, sizeof *out);
    if (read_file(&r, path, error))
        return -1;
    out->begin = malloc((count_records(&r) + 1) * sizeof *out->begin);
    if (!out->begin)
        return refuse(&r, "out of memory for the places of records");
    if (add_records(&r, out)) {
        free(out->begin);
        memset(out, 0, sizeof *out);
        return -1;
    }
    out->letters = take_bytes(&r, out->begin[out->n]);
    return 0;
}

/* ---- scores of letters ---------------------------------------------------------------------------- */

/* The letter that a word is, or 0. */
static char word_letter(span word)
{
    const char c = *word.at;
    const int is_letter = (c >= 'A' && c <= 'Z') || c == '*' || c == '-';
    return word.end == word.at + 1 && is_letter ? c : 0;
}

static int word_score(span word, int8_t *out)
{
    char *end;
    long v;
    if (word.end - word.at > 5 || !only_of(word, "0123456789+-"))
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

/* The first line that is no comment: the letters of columns. */
static int score_columns(reader *r, span line, input_scores *out)
{
    char shown[SHOWN + 4];
    span word;
    while (next_word(&line, &word)) {
        const char letter = word_letter(word);
        if (!letter)
            return refuse(r, "'%s' is no letter from A to Z, '*' or '-'", show(word, shown));
        if (input_score_of(out, letter) < out->n)
            return refuse(r, "letter %c stands there twice", letter);
        out->letters[out->n++] = letter;
    }
    return 0;
}

/* Another: a letter and its score with each column. has[k]: row k has come. */
static int score_row(reader *r, span line, input_scores *out, uint8_t has[INPUT_SCORES])
{
    char shown[SHOWN + 4];
    uint32_t row, k;
    span word;
    (void)next_word(&line, &word);
    row = word_letter(word) ? input_score_of(out, word_letter(word)) : out->n;
    if (row == out->n)
        return refuse(r, "row '%s' is none of the columns' letters", show(word, shown));
    if (has[row])
        return refuse(r, "row %c stands there twice", out->letters[row]);
    has[row] = 1;
    for (k = 0; k < out->n && next_word(&line, &word); k++)
        if (!word_score(word, &out->score[row][k]))
            return refuse(r, "'%s' is no score from -128 to 127", show(word, shown));
    if (k < out->n || next_word(&line, &word))
        return refuse(r, "row %c has %s than %" PRIu32 " scores", out->letters[row], k < out->n ? "fewer" : "more",
                      out->n);
    return 0;
}

int input_score_matrix(const char *path, input_scores *out, char *error)
{
    uint8_t has[INPUT_SCORES] = {0};
    uint32_t n_lines = 0;
    span line, rest, word;
    reader r;
    memset(out, 0, sizeof *out);
    if (read_file(&r, path, error))
        return -1;
    while (next_line(&r, &line)) {
        rest = line;
        if (!next_word(&rest, &word) || *word.at == '#')
            continue;
        if (out->n == 0 ? score_columns(&r, line, out) : score_row(&r, line, out, has))
            return -1;
        n_lines++;
    }
    r.line = 0;
    if (out->n == 0)
        return refuse(&r, "has no line of letters");
    if (n_lines - 1 < out->n)
        return refuse(&r, "has %" PRIu32 " rows of scores for %" PRIu32 " letters", n_lines - 1, out->n);
    free(r.bytes);
    return 0;
}

/* ---- samples ------------------------------------------------------------------------------------- */

int input_i16le(const char *path, int16_t **samples, uint64_t *n, char *error)
{
    reader r;
    int16_t *out;
    uint64_t k;
    if (read_file(&r, path, error))
        return -1;
    if (r.n == 0)
        return refuse(&r, "is empty");
    if (r.n % 2)
        return refuse(&r, "has %" PRIu64 " bytes, an odd number: 16-bit samples take two each", r.n);
    out = (int16_t *)(void *)r.bytes; /* from malloc; each sample is read before it is written               */
    for (k = 0; k < r.n / 2; k++) {
        unsigned low = (unsigned char)r.bytes[2 * k], high = (unsigned char)r.bytes[2 * k + 1];
        out[k] = (int16_t)(low | high << 8);
    }
    *samples = take_bytes(&r, r.n);
    *n = r.n / 2;
    return 0;
}

/* ---- PGM ----------------------------------------------------------------------------------------- */

/* Passes blanks and comments of the header; at least one blank must be there. */
static int pgm_gap(reader *r)
{
    uint64_t from = r->at;
    int comment = 0;
    for (; r->at < r->n; r->at++) {
        char c = r->bytes[r->at];
        if (c == '\n')
            r->line++;
        comment = comment ? c != '\n' : c == '#';
        if (!comment && c != '\n' && !is_blank(c))
            break;
    }
    return r->at > from;
}

static int pgm_number(reader *r, const char *what, uint64_t max, uint64_t *out)
{
    span word;
    char shown[SHOWN + 4];
    int gap = pgm_gap(r);
    word.at = word.end = r->bytes + r->at;
    while (*word.end >= '0' && *word.end <= '9')
        word.end++;
    r->at = (uint64_t)(word.end - r->bytes);
    if (!gap || word.at == word.end)
        return refuse(r, "the header breaks off before the %s", what);
    if (!word_count(word, out) || *out == 0 || *out > max)
        return refuse(r, "%s %s is not in 1 ... %" PRIu64, what, show(word, shown), max);
    return 0;
}

static int pgm_pixels(reader *r, uint64_t rows, uint64_t cols, uint64_t max)
{
    const unsigned char *p = (const unsigned char *)r->bytes + r->at;
    uint64_t k, n = rows * cols, there = r->n - r->at;
    r->line = 0;
    if (there != n)
        return refuse(r, "%" PRIu64 " x %" PRIu64 " pixels take %" PRIu64 " bytes, %" PRIu64 " are there", cols, rows,
                      n, there);
    for (k = 0; k < n; k++)
        if (p[k] > max)
            return refuse(r, "pixel %u at row %" PRIu64 ", column %" PRIu64 " is above the largest, %" PRIu64, p[k],
                          k / cols, k % cols, max);
    memmove(r->bytes, p, n);
    return 0;
}

int input_pgm(const char *path, uint8_t **pixels, uint64_t *rows, uint64_t *cols, char *error)
{
    reader r;
    uint64_t h, w, max;
    if (read_file(&r, path, error))
        return -1;
    if (r.n < 2 || memcmp(r.bytes, "P5", 2) != 0)
        return refuse(&r, "is no binary PGM: it does not begin with P5");
    r.at = 2;
    r.line = 1;
    if (pgm_number(&r, "width", UINT32_MAX, &w) || pgm_number(&r, "height", UINT32_MAX, &h) ||
        pgm_number(&r, "largest pixel", UINT8_MAX, &max))
        return -1;
    if (r.at == r.n || (r.bytes[r.at] != '\n' && !is_blank(r.bytes[r.at])))
        return refuse(&r, "one blank must part the header from the pixels");
    r.at++;
    if (pgm_pixels(&r, h, w, max))
        return -1;
    *pixels = take_bytes(&r, h * w);
    *rows = h;
    *cols = w;
    return 0;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

/* Values up to an empty line; behind it nothing but empty lines may come. */
static int read_numbers(reader *r, float *values, uint64_t *n)
{
    span line, word, more;
    char shown[SHOWN + 4];
    int ended = 0;
    double v;
    while (next_line(r, &line)) {
        if (!next_word(&line, &word)) {
            ended = 1;
            continue;
        }
        if (ended)
            return refuse(r, "a number after an empty line");
        if (next_word(&line, &more))
            return refuse(r, "more than one number on the line");
        if (!word_real(word, &v))
            return refuse(r, "'%s' is no decimal number", show(word, shown));
        if (fabs(v) > FLT_MAX)
            return refuse(r, "%s is too large for single precision", show(word, shown));
        values[(*n)++] = (float)v;
    }
    return 0;
}

static int number_shape(reader *r, uint64_t n, uint64_t *rows, uint64_t *cols)
{
    uint64_t side = (uint64_t)sqrt((double)n);
    r->line = 0;
    if (n == 0)
        return refuse(r, "no number is there");
    if (*rows && *cols) {
        if (n % *rows == 0 && n / *rows == *cols)
            return 0;
        return refuse(r, "%" PRIu64 " x %" PRIu64 " numbers were asked for, %" PRIu64 " are there", *rows, *cols, n);
    }
    if (side * side != n)
        return refuse(r, "%" PRIu64 " numbers make no square: say how many rows and columns", n);
    *rows = *cols = side;
    return 0;
}

int input_numbers(const char *path, uint64_t *rows, uint64_t *cols, float **values, char *error)
{
    reader r;
    float *out;
    uint64_t n = 0;
    if (read_file(&r, path, error))
        return -1;
    out = malloc((r.n / 2 + 1) * sizeof *out); /* a number takes two bytes, but for the last                 */
    if (!out)
        return refuse(&r, "out of memory for its numbers");
    if (read_numbers(&r, out, &n) || number_shape(&r, n, rows, cols)) {
        free(out);
        return -1;
    }
    free(r.bytes);
    r.bytes = (char *)out;
    *values = take_bytes(&r, n * sizeof *out);
    return 0;
}

/* ---- Matrix Market -------------------------------------------------------------------------------- */

/* An entry and where it came from. */
typedef struct market_entry {
    input_entry entry;
    uint64_t line;
} market_entry;

typedef struct market {
    int symmetric, whole; /* whole: the field is integer                                                 */
    uint64_t n, n_stored, n_entries;
    market_entry *entries;
} market;

static int market_banner(reader *r, market *m)
{
    span line, w[5];
    char shown[SHOWN + 4];
    if (!next_line(r, &line) || !line_words(line, w, 5) || !word_is(w[0], "%%MatrixMarket")) {
        r->line = 1;
        return refuse(r, "the first line is not '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
    }
    if (!word_is(w[1], "matrix") || !word_is(w[2], "coordinate"))
        return refuse(r, "not a matrix in coordinate form");
    m->whole = word_is(w[3], "integer");
    m->symmetric = word_is(w[4], "symmetric");
    if (!m->whole && !word_is(w[3], "real"))
        return refuse(r, "field '%s' is neither real nor integer", show(w[3], shown));
    if (!m->symmetric && !word_is(w[4], "general"))
        return refuse(r, "symmetry '%s' is neither general nor symmetric", show(w[4], shown));
    return 0;
}

/* The next line that is neither empty nor a comment; 0 at the end. */
static int market_line(reader *r, span *line)
{
    while (next_line(r, line)) {
        span rest = *line, word;
        if (next_word(&rest, &word) && *word.at != '%')
            return 1;
    }
    return 0;
}

static int market_size(reader *r, market *m)
{
    span line, w[3];
    uint64_t n_rows, n_cols;
    if (!market_line(r, &line))
        return refuse(r, "the file ends before the line of sizes");
    if (!line_words(line, w, 3) || !word_count(w[0], &n_rows) || !word_count(w[1], &n_cols) ||
        !word_count(w[2], &m->n_stored))
        return refuse(r, "not three counts: rows, columns, entries");
    if (n_rows != n_cols)
        return refuse(r, "%" PRIu64 " x %" PRIu64 " is not square", n_rows, n_cols);
    if (n_rows == 0 || n_rows > UINT32_MAX)
        return refuse(r, "%" PRIu64 " rows are not in 1 ... %" PRIu32, n_rows, UINT32_MAX);
    m->n = n_rows;
    if (m->n_stored > (r->n - r->at) / 5) /* "1 1 1" is the shortest, and takes a byte more but for the last      */
        return refuse(r, "%" PRIu64 " entries are promised, the %" PRIu64 " bytes left cannot hold them", m->n_stored,
                      r->n - r->at);
    return 0;
}

static int market_entry_of(reader *r, const market *m, span line, market_entry *e)
{
    span w[3];
    uint64_t at[2];
    char shown[SHOWN + 4];
    int d;
    if (!line_words(line, w, 3))
        return refuse(r, "not three words: row, column, value");
    for (d = 0; d < 2; d++)
        if (!word_count(w[d], &at[d]) || at[d] == 0 || at[d] > m->n)
            return refuse(r, "%s '%s' is not in 1 ... %" PRIu64, d ? "column" : "row", show(w[d], shown), m->n);
    if (!word_real(w[2], &e->entry.value) || (m->whole && !only_of(w[2], "0123456789+-")))
        return refuse(r, "'%s' is no %s", show(w[2], shown), m->whole ? "whole number" : "decimal number");
    e->entry.row = (uint32_t)(at[0] - 1);
    e->entry.col = (uint32_t)(at[1] - 1);
    e->line = r->line;
    return 0;
}

static int market_entries(reader *r, market *m)
{
    uint64_t k;
    span line;
    for (k = 0; k < m->n_stored; k++) {
        market_entry *e = &m->entries[m->n_entries++];
        if (!market_line(r, &line))
            return refuse(r, "%" PRIu64 " entries are promised, %" PRIu64 " are there", m->n_stored, k);
        if (market_entry_of(r, m, line, e))
            return -1;
        if (m->symmetric && e->entry.row != e->entry.col) {
            e[1] = *e;
            e[1].entry.row = e->entry.col;
            e[1].entry.col = e->entry.row;
            m->n_entries++;
        }
    }
    if (market_line(r, &line))
        return refuse(r, "more than the %" PRIu64 " entries promised", m->n_stored);
    return 0;
}

static int by_place(const void *a_, const void *b_)
{
    const market_entry *a = a_, *b = b_;
    if (a->entry.row != b->entry.row)
        return a->entry.row < b->entry.row ? -1 : 1;
    if (a->entry.col != b->entry.col)
        return a->entry.col < b->entry.col ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Row by row, whatever the order in the file. */
static int market_sort(reader *r, market *m, input_entry *out)
{
    uint64_t k;
    qsort(m->entries, m->n_entries, sizeof *m->entries, by_place);
    for (k = 0; k < m->n_entries; k++) {
        const input_entry *e = &m->entries[k].entry, *before = k ? &m->entries[k - 1].entry : NULL;
        if (before && before->row == e->row && before->col == e->col) {
            r->line = m->entries[k].line;
            return refuse(r, "entry (%" PRIu64 ", %" PRIu64 ") was given before, on line %" PRIu64,
                          (uint64_t)e->row + 1, (uint64_t)e->col + 1, m->entries[k - 1].line);
        }
        out[k] = *e;
    }
    return 0;
}

int input_matrix_market(const char *path, input_matrix *out, char *error)
{
    reader r;
    market m;
    input_entry *entries;
    int rc;
    memset(&m, 0, sizeof m);
    if (read_file(&r, path, error) || market_banner(&r, &m) || market_size(&r, &m))
        return -1;
    m.entries = malloc((2 * m.n_stored + 1) * sizeof *m.entries);
    entries = malloc((2 * m.n_stored + 1) * sizeof *entries);
    if (!m.entries || !entries)
        rc = refuse(&r, "out of memory for %" PRIu64 " entries", m.n_stored);
    else
        rc = market_entries(&r, &m) || market_sort(&r, &m, entries) ? -1 : 0;
    free(m.entries);
    if (rc) {
        free(entries);
        return -1;
    }
    free(r.bytes);
    *out = (input_matrix){m.n, m.n_stored, m.n_entries, entries};
    return 0;
}

/* ---- graphs --------------------------------------------------------------------------------------- */

#define GRAPH_MAX_ARCS ((uint64_t)INT32_MAX)

/* Room for n vertices and n_arcs arcs, all rows empty. */
static int graph_room(reader *r, input_graph *g, uint64_t n, uint64_t n_arcs)
{
    g->n = n;
    g->n_arcs = 0;
    if (n > GRAPH_MAX_ARCS || n_arcs > GRAPH_MAX_ARCS)
        return refuse(r, "%" PRIu64 " vertices and %" PRIu64 " arcs are too many: 2^31 - 1 is the most", n, n_arcs);
    g->begin = calloc((size_t)n + 1, sizeof *g->begin);
    g->column = malloc(((size_t)n_arcs + 1) * sizeof *g->column);
    return g->begin && g->column ? 0 : refuse(r, "out of memory for %" PRIu64 " arcs", n_arcs);
}

/* The end of each reader of graphs: rc as it is, nothing held when it is not 0. */
static int graph_end(reader *r, input_graph *g, int rc)
{
    if (rc) {
        free(g->begin);
        free(g->column);
        g->begin = g->column = NULL;
        return -1;
    }
    free(r->bytes);
    return 0;
}

/* The next line that is no comment; an empty one counts. 0 at the end. */
static int graph_line(reader *r, char comment, span *line)
{
    while (next_line(r, line))
        if (line->at == line->end || *line->at != comment)
            return 1;
    return 0;
}

static int metis_head(reader *r, uint64_t *n, uint64_t *n_edges)
{
    span line, w, more;
    char shown[SHOWN + 4];
    if (!graph_line(r, '%', &line))
        return refuse(r, "no line of sizes");
    if (!next_word(&line, &w) || !word_count(w, n) || !next_word(&line, &w) || !word_count(w, n_edges))
        return refuse(r, "not two counts: vertices, edges");
    if (next_word(&line, &w) && (!only_of(w, "0") || next_word(&line, &more)))
        return refuse(r, "format '%s': weights are not read", show(w, shown));
    if (*n == 0 || *n > r->n - r->at + 1)
        return refuse(r, "%" PRIu64 " vertices are promised, there are not so many lines", *n);
    if (*n_edges > (r->n - r->at + 1) / 4) /* each stands there twice, and takes two bytes at least */
        return refuse(r, "%" PRIu64 " edges are promised, the %" PRIu64 " bytes left cannot hold them", *n_edges,
                      r->n - r->at);
    return 0;
}

static int metis_row(reader *r, input_graph *g, uint64_t v, span line, uint64_t most)
{
    span w;
    char shown[SHOWN + 4];
    while (next_word(&line, &w)) {
        uint64_t to;
        if (!word_count(w, &to) || to == 0 || to > g->n)
            return refuse(r, "neighbour '%s' is not in 1 ... %" PRIu64, show(w, shown), g->n);
        if (to == v + 1)
            return refuse(r, "vertex %" PRIu64 " is its own neighbour", to);
        if (g->n_arcs == most)
            return refuse(r, "more than the %" PRIu64 " edges promised", most / 2);
        g->column[g->n_arcs++] = (uint32_t)(to - 1);
    }
    g->begin[v + 1] = (uint32_t)g->n_arcs;
    return 0;
}

static int metis_rows(reader *r, input_graph *g, uint64_t n_edges)
{
    span line, word;
    for (uint64_t v = 0; v < g->n; v++) {
        if (!graph_line(r, '%', &line))
            return refuse(r, "%" PRIu64 " vertices are promised, %" PRIu64 " are there", g->n, v);
        if (metis_row(r, g, v, line, 2 * n_edges))
            return -1;
    }
    while (graph_line(r, '%', &line))
        if (next_word(&line, &word))
            return refuse(r, "more than the %" PRIu64 " vertices promised", g->n);
    if (g->n_arcs == 2 * n_edges)
        return 0;
    r->line = 0;
    return refuse(r, "%" PRIu64 " edges are promised, each in two lines; %" PRIu64 " neighbours are there", n_edges,
                  g->n_arcs);
}

int input_metis(const char *path, input_graph *g, char *error)
{
    reader r;
    uint64_t n = 0, n_edges = 0;
    memset(g, 0, sizeof *g);
    if (read_file(&r, path, error) || metis_head(&r, &n, &n_edges))
        return -1;
    return graph_end(&r, g, graph_room(&r, g, n, 2 * n_edges) || metis_rows(&r, g, n_edges));
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The list's pairs of numbers, one behind the other. */
static int arcs_read(reader *r, uint64_t *pairs, uint64_t *n_arcs)
{
    span line, w[2], rest, word;
    while (graph_line(r, '#', &line)) {
        rest = line;
        if (!next_word(&rest, &word))
            continue;
        if (!line_words(line, w, 2) || !word_count(w[0], &pairs[2 * *n_arcs]) ||
            !word_count(w[1], &pairs[2 * *n_arcs + 1]))
            return refuse(r, "not two vertices: from, to");
        ++*n_arcs;
    }
    r->line = 0;
    return *n_arcs ? 0 : refuse(r, "no arc is there");
}

/* Each of n sorted numbers once; how many these are. */
static uint64_t unique(uint64_t *v, uint64_t n)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < n; k++)
        if (kept == 0 || v[k] != v[kept - 1])
            v[kept++] = v[k];
    return kept;
}

/* Numbers become places among the n in `names`; arcs are dealt to their rows in their order. */
static void arcs_to_rows(input_graph *g, uint64_t *pairs, uint64_t n_arcs, const uint64_t *names)
{
    uint64_t k;
    for (k = 0; k < 2 * n_arcs; k++) {
        const uint64_t *at = bsearch(&pairs[k], names, (size_t)g->n, sizeof *names, by_number);
        pairs[k] = (uint64_t)(at - names);
    }
    for (k = 0; k < n_arcs; k++)
        g->begin[pairs[2 * k] + 1]++;
    for (k = 0; k < g->n; k++)
        g->begin[k + 1] += g->begin[k];
    for (k = 0; k < n_arcs; k++)
        g->column[g->begin[pairs[2 * k]]++] = (uint32_t)pairs[2 * k + 1];
    for (k = g->n; k > 0; k--)
        g->begin[k] = g->begin[k - 1];
    g->begin[0] = 0;
    g->n_arcs = n_arcs;
}

static int arcs_graph(reader *r, input_graph *g, uint64_t *pairs, uint64_t *names)
{
    uint64_t n_arcs = 0, n;
    if (arcs_read(r, pairs, &n_arcs))
        return -1;
    memcpy(names, pairs, (size_t)(2 * n_arcs) * sizeof *names);
    qsort(names, (size_t)(2 * n_arcs), sizeof *names, by_number);
    n = unique(names, 2 * n_arcs);
    if (graph_room(r, g, n, n_arcs))
        return -1;
    arcs_to_rows(g, pairs, n_arcs, names);
    return 0;
}

int input_arcs(const char *path, input_graph *g, char *error)
{
    reader r;
    uint64_t *pairs, *names, room;
    int rc;
    memset(g, 0, sizeof *g);
    if (read_file(&r, path, error))
        return -1;
    room = 2 * (r.n / 4 + 1); /* an arc takes four bytes, but for the last */
    pairs = malloc((size_t)room * sizeof *pairs);
    names = malloc((size_t)room * sizeof *names);
    if (!pairs || !names)
        rc = refuse(&r, "out of memory for its arcs");
    else
        rc = arcs_graph(&r, g, pairs, names);
    free(pairs);
    free(names);
    return graph_end(&r, g, rc);
}

/* Word k of the file. */
static uint32_t csr_word(const reader *r, uint64_t k)
{
    const unsigned char *p = (const unsigned char *)r->bytes + 4 * k;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int csr_graph(reader *r, input_graph *g, uint64_t n, uint64_t m)
{
    uint64_t k;
    if (graph_room(r, g, n, m))
        return -1;
    for (k = 0; k <= n; k++) {
        g->begin[k] = csr_word(r, 2 + k);
        if (g->begin[k] > m || g->begin[k] < (k ? g->begin[k - 1] : 0) || (k == 0 && g->begin[k]) ||
            (k == n && g->begin[k] != m))
            return refuse(r, "row %" PRIu64 " begins at %" PRIu32 ": rows must follow one another from 0 to %" PRIu64,
                          k, g->begin[k], m);
    }
    for (k = 0; k < m; k++) {
        g->column[k] = csr_word(r, 3 + n + k);
        if (g->column[k] >= n)
            return refuse(r, "arc %" PRIu64 " leads to %" PRIu32 ", vertices are 0 ... %" PRIu64, k, g->column[k],
                          n - 1);
    }
    g->n_arcs = m;
    return 0;
}

int input_csr(const char *path, input_graph *g, char *error)
{
    reader r;
    uint64_t n, m;
    memset(g, 0, sizeof *g);
    if (read_file(&r, path, error))
        return -1;
    if (r.n < 8)
        return refuse(&r, "has %" PRIu64 " bytes, the two sizes alone take 8", r.n);
    n = csr_word(&r, 0);
    m = csr_word(&r, 1);
    if (n == 0 || r.n != 4 * (3 + n + m))
        return refuse(&r, "%" PRIu64 " vertices and %" PRIu64 " arcs take %" PRIu64 " bytes, %" PRIu64 " are there", n,
                      m, 4 * (3 + n + m), r.n);
    return graph_end(&r, g, csr_graph(&r, g, n, m));
}

static int path_ends(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n >= k && !strcmp(path + n - k, end);
}

int input_graph_any(const char *path, input_graph *g, char *error)
{
    if (path_ends(path, ".graph") || path_ends(path, ".metis"))
        return input_metis(path, g, error);
    return path_ends(path, ".csr") ? input_csr(path, g, error) : input_arcs(path, g, error);
}
