/* SPDX-License-Identifier: MIT */
/* input_matrix.c - the reader of Matrix Market: see input.h. */
#include "input.h"
#include "input_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static int word_is(input_span word, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(word.end - word.at) == n && strncasecmp(word.at, text, n) == 0;
}

static int market_banner(input_file *r, market *m)
{
    input_span line, w[5];
    char shown[INPUT_SHOWN];
    if (!input_line(r, &line) || !input_words(line, w, 5) || !word_is(w[0], "%%MatrixMarket")) {
        r->line = 1;
        return input_refuse(r, "the first line is not '%%%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
    }
    if (!word_is(w[1], "matrix") || !word_is(w[2], "coordinate"))
        return input_refuse(r, "not a matrix in coordinate form");
    m->whole = word_is(w[3], "integer");
    m->symmetric = word_is(w[4], "symmetric");
    if (!m->whole && !word_is(w[3], "real"))
        return input_refuse(r, "field '%s' is neither real nor integer", input_show(w[3], shown));
    if (!m->symmetric && !word_is(w[4], "general"))
        return input_refuse(r, "symmetry '%s' is neither general nor symmetric", input_show(w[4], shown));
    return 0;
}

/* The next line that is neither empty nor a comment; 0 at the end. */
static int market_line(input_file *r, input_span *line)
{
    while (input_line(r, line)) {
        input_span rest = *line, word;
        if (input_word(&rest, &word) && *word.at != '%')
            return 1;
    }
    return 0;
}

static int market_size(input_file *r, market *m)
{
    input_span line, w[3];
    uint64_t n_rows, n_cols;
    if (!market_line(r, &line))
        return input_refuse(r, "the file ends before the line of sizes");
    if (!input_words(line, w, 3) || !input_count(w[0], &n_rows) || !input_count(w[1], &n_cols) ||
        !input_count(w[2], &m->n_stored))
        return input_refuse(r, "not three counts: rows, columns, entries");
    if (n_rows != n_cols)
        return input_refuse(r, "%" PRIu64 " x %" PRIu64 " is not square", n_rows, n_cols);
    if (n_rows == 0 || n_rows > UINT32_MAX)
        return input_refuse(r, "%" PRIu64 " rows are not in 1 ... %" PRIu32, n_rows, UINT32_MAX);
    m->n = n_rows;
    if (m->n_stored > (r->n - r->at) / 5) /* the shortest is "1 1 1" and a newline, which the last may lack */
        return input_refuse(r, "%" PRIu64 " entries are promised, the %" PRIu64 " bytes left cannot hold them",
                            m->n_stored, r->n - r->at);
    return 0;
}

static int market_entry_of(input_file *r, const market *m, input_span line, market_entry *e)
{
    input_span w[3];
    uint64_t at[2];
    char shown[INPUT_SHOWN];
    int d;
    if (!input_words(line, w, 3))
        return input_refuse(r, "not three words: row, column, value");
    for (d = 0; d < 2; d++)
        if (!input_count(w[d], &at[d]) || at[d] == 0 || at[d] > m->n)
            return input_refuse(r, "%s '%s' is not in 1 ... %" PRIu64, d ? "column" : "row", input_show(w[d], shown),
                                m->n);
    if (!input_real(w[2], &e->entry.value) || (m->whole && !input_only_of(w[2], "0123456789+-")))
        return input_refuse(r, "'%s' is no %s", input_show(w[2], shown), m->whole ? "whole number" : "decimal number");
    e->entry.row = (uint32_t)(at[0] - 1);
    e->entry.col = (uint32_t)(at[1] - 1);
    e->line = r->line;
    return 0;
}

static int market_entries(input_file *r, market *m)
{
    uint64_t k;
    input_span line;
    for (k = 0; k < m->n_stored; k++) {
        market_entry *e = &m->entries[m->n_entries++];
        if (!market_line(r, &line))
            return input_refuse(r, "%" PRIu64 " entries are promised, %" PRIu64 " are there", m->n_stored, k);
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
        return input_refuse(r, "more than the %" PRIu64 " entries promised", m->n_stored);
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

/* Sorts entries row by row. */
static int market_sort(input_file *r, market *m, input_entry *out)
{
    uint64_t k;
    qsort(m->entries, m->n_entries, sizeof *m->entries, by_place);
    for (k = 0; k < m->n_entries; k++) {
        const input_entry *e = &m->entries[k].entry, *before = k ? &m->entries[k - 1].entry : NULL;
        if (before && before->row == e->row && before->col == e->col) {
            r->line = m->entries[k].line;
            return input_refuse(r, "entry (%" PRIu64 ", %" PRIu64 ") was given before, on line %" PRIu64,
                                (uint64_t)e->row + 1, (uint64_t)e->col + 1, m->entries[k - 1].line);
        }
        out[k] = *e;
    }
    return 0;
}

int input_matrix_market(const char *path, input_matrix *out, char *error)
{
    input_file r;
    market m;
    input_entry *entries;
    int rc;
    memset(&m, 0, sizeof m);
    if (input_read(&r, path, error) || market_banner(&r, &m) || market_size(&r, &m))
        return -1;
    m.entries = malloc((2 * m.n_stored + 1) * sizeof *m.entries);
    entries = malloc((2 * m.n_stored + 1) * sizeof *entries);
    if (!m.entries || !entries)
        rc = input_refuse(&r, "out of memory for %" PRIu64 " entries", m.n_stored);
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
