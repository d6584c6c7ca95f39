/* SPDX-License-Identifier: MIT */
/* input.c - the readers of apps/input.h: their results for well-formed files, and the promised sentence for each
 * malformed one, with its line where the format has lines. */
#include "app.h"
#include "check.h"
#include "input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static char error[APP_ERROR];

static void write_file(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f);
    CHECK(fwrite(bytes, 1, n, f) == n);
    CHECK(fclose(f) == 0);
    memset(error, 0, sizeof error);
}

/* ---- malformed files ---------------------------------------------------------------------------- */

static int fasta(void)
{
    input_records records;
    return input_fasta(path, &records, error);
}
static int scores(void)
{
    input_scores s;
    return input_score_matrix(path, &s, error);
}
static int samples(void)
{
    int16_t *v;
    uint64_t n;
    return input_i16le(path, &v, &n, error);
}
static int pgm(void)
{
    uint8_t *pixels;
    uint64_t rows, cols;
    return input_pgm(path, &pixels, &rows, &cols, error);
}
static int numbers(void)
{
    float *v;
    uint64_t rows = 0, cols = 0;
    return input_numbers(path, &rows, &cols, &v, error);
}
static int numbers_2x3(void)
{
    float *v;
    uint64_t rows = 2, cols = 3;
    return input_numbers(path, &rows, &cols, &v, error);
}
static int market(void)
{
    input_matrix m;
    return input_matrix_market(path, &m, error);
}

typedef struct bad_case {
    int (*read)(void);
    const char *bytes;
    size_t n_bytes;
    int line; /* 0: the sentence has none */
    const char *sentence;
} bad_case;
#define BAD(read, bytes, line, sentence)              \
    {                                                 \
        read, bytes, sizeof bytes - 1, line, sentence \
    }
#define BANNER "%%MatrixMarket matrix coordinate "
#define NO_BANNER "the first line is not '%%MatrixMarket matrix coordinate FIELD SYMMETRY'"
#define DIGITS_30 "123456789012345678901234567890"

static const bad_case bad_cases[] = {
    BAD(fasta, "", 0, "no FASTA record"),
    BAD(fasta, "\n \n", 0, "no FASTA record"),
    BAD(fasta, "ACGT\n", 1, "a FASTA file begins with '>'"),
    BAD(fasta, ">only a name", 1, "record 1 is empty"),
    BAD(fasta, ">a\n \n\n>b\nACGT\n", 4, "record 1 is empty"),
    BAD(fasta, ">a\nA\n>b\n>c\nACGT\n", 4, "record 2 is empty"),
    BAD(fasta, ">a\nA\n>b\n\n", 4, "record 2 is empty"),
    BAD(fasta, ">a\nA\n>b\nA5\n", 4, "'5' (byte 53) is no letter of a sequence"),
    BAD(fasta, ">a\nACGT\nAC1T\n", 3, "'1' (byte 49) is no letter of a sequence"),
    BAD(fasta, ">a\nAC\0GT\n", 2, "'?' (byte 0) is no letter of a sequence"),
    BAD(fasta, ">a\nAC\xff\n", 2, "'?' (byte 255) is no letter of a sequence"),

    BAD(scores, "", 0, "has no line of letters"),
    BAD(scores, "# only\n\n # comments\n", 0, "has no line of letters"),
    BAD(scores, "A B\nA 1 2\n", 0, "has 1 rows of scores for 2 letters"),
    BAD(scores, "A Bc\n", 1, "'Bc' is no letter from A to Z, '*' or '-'"),
    BAD(scores, "A b\n", 1, "'b' is no letter from A to Z, '*' or '-'"),
    BAD(scores, "1 2\n", 1, "'1' is no letter from A to Z, '*' or '-'"),
    BAD(scores, "A\0B C\n", 1, "'A?B' is no letter from A to Z, '*' or '-'"),
    BAD(scores, "#\nA * A\n", 2, "letter A stands there twice"),
    BAD(scores, "A B\nA 1 2\nC 1 2\n", 3, "row 'C' is none of the columns' letters"),
    BAD(scores, "A B\n1 2\n", 2, "row '1' is none of the columns' letters"),
    BAD(scores, "A B\nA 1 2\nA 1 2\n", 3, "row A stands there twice"),
    BAD(scores, "A B\nA 1 2\nB 1\n", 3, "row B has fewer than 2 scores"),
    BAD(scores, "A B\nA 1 2\nB 1 2 3\n", 3, "row B has more than 2 scores"),
    BAD(scores, "A B\nA 1 2\nB 1 2\nB 1 2\n", 4, "row B stands there twice"),
    BAD(scores, "A\nA 128\n", 2, "'128' is no score from -128 to 127"),
    BAD(scores, "A\nA -129\n", 2, "'-129' is no score from -128 to 127"),
    BAD(scores, "A\nA 1.5\n", 2, "'1.5' is no score from -128 to 127"),
    BAD(scores, "A\nA -\n", 2, "'-' is no score from -128 to 127"),
    BAD(scores, "A\nA " DIGITS_30 "\n", 2, "'123456789012345678901234...' is no score from -128 to 127"),

    BAD(samples, "", 0, "is empty"),
    BAD(samples, "abc", 0, "has 3 bytes, an odd number: 16-bit samples take two each"),

    BAD(pgm, "", 0, "is no binary PGM: it does not begin with P5"),
    BAD(pgm, "P2\n1 1\n255\n0\n", 0, "is no binary PGM: it does not begin with P5"),
    BAD(pgm, "P5", 1, "the header breaks off before the width"),
    BAD(pgm, "P52 2\n255\nabcd", 1, "the header breaks off before the width"),
    BAD(pgm, "P5\n# 2 2", 2, "the header breaks off before the width"),
    BAD(pgm, "P5\n2\n", 3, "the header breaks off before the height"),
    BAD(pgm, "P5\n2 x\n255\nabcd", 2, "the header breaks off before the height"),
    BAD(pgm, "P5\n-2 2\n255\nabcd", 2, "the header breaks off before the width"),
    BAD(pgm, "P5\n2 2 ", 2, "the header breaks off before the largest pixel"),
    BAD(pgm, "P5\n0 2\n255\n", 2, "width 0 is not in 1 ... 4294967295"),
    BAD(pgm, "P5\n2 4294967296\n255\n", 2, "height 4294967296 is not in 1 ... 4294967295"),
    BAD(pgm, "P5\n" DIGITS_30 " 2\n255\n", 2, "width 123456789012345678901234... is not in 1 ... 4294967295"),
    BAD(pgm, "P5\n2 2\n0\nabcd", 3, "largest pixel 0 is not in 1 ... 255"),
    BAD(pgm, "P5\n2 2\n65535\nabcdefgh", 3, "largest pixel 65535 is not in 1 ... 255"),
    BAD(pgm, "P5\n2 2\n255", 3, "one blank must part the header from the pixels"),
    BAD(pgm, "P5\n2 2\n255abcd", 3, "one blank must part the header from the pixels"),
    BAD(pgm, "P5\n2 2\n255\nabc", 0, "2 x 2 pixels take 4 bytes, 3 are there"),
    BAD(pgm, "P5\n2 2\n255\nabcde", 0, "2 x 2 pixels take 4 bytes, 5 are there"),
    BAD(pgm, "P5\n4294967295 4294967295\n255\n", 0,
        "4294967295 x 4294967295 pixels take 18446744065119617025 bytes, 0 are there"),
    BAD(pgm, "P5\n2 2\n98\nabcb", 0, "pixel 99 at row 1, column 0 is above the largest, 98"),

    BAD(numbers, "", 0, "no number is there"),
    BAD(numbers, "\n\n", 0, "no number is there"),
    BAD(numbers, "1\n2\n3\n", 0, "3 numbers make no square: say how many rows and columns"),
    BAD(numbers_2x3, "1\n2\n3\n4\n", 0, "2 x 3 numbers were asked for, 4 are there"),
    BAD(numbers, "1\n2 3\n4\n", 2, "more than one number on the line"),
    BAD(numbers, "1\n\n2\n", 3, "a number after an empty line"),
    BAD(numbers, "1\nx\n", 2, "'x' is no decimal number"),
    BAD(numbers, "1e\n", 1, "'1e' is no decimal number"),
    BAD(numbers, "0x10\n", 1, "'0x10' is no decimal number"),
    BAD(numbers, "1\n1\n1\nnan\n", 4, "'nan' is no decimal number"),
    BAD(numbers, "-inf\n", 1, "'-inf' is no decimal number"),
    BAD(numbers, "1e999\n", 1, "'1e999' is no decimal number"),
    BAD(numbers, "1\0\n", 1, "'1?' is no decimal number"),
    BAD(numbers, "1e39\n", 1, "1e39 is too large for single precision"),

    BAD(market, "", 1, NO_BANNER),
    BAD(market, "1 1 1\n1 1 2.0\n", 1, NO_BANNER),
    BAD(market, BANNER "real\n", 1, NO_BANNER),
    BAD(market, "%%MatrixMarket vector coordinate real general\n", 1, "not a matrix in coordinate form"),
    BAD(market, "%%MatrixMarket matrix array real general\n", 1, "not a matrix in coordinate form"),
    BAD(market, BANNER "complex general\n", 1, "field 'complex' is neither real nor integer"),
    BAD(market, BANNER "real hermitian\n", 1, "symmetry 'hermitian' is neither general nor symmetric"),
    BAD(market, BANNER "real general\n% no more\n", 2, "the file ends before the line of sizes"),
    BAD(market, BANNER "real general\n2 2\n", 2, "not three counts: rows, columns, entries"),
    BAD(market, BANNER "real general\n2 2 -1\n", 2, "not three counts: rows, columns, entries"),
    BAD(market, BANNER "real general\n2 2 1 1\n", 2, "not three counts: rows, columns, entries"),
    BAD(market, BANNER "real general\n2 3 0\n", 2, "2 x 3 is not square"),
    BAD(market, BANNER "real general\n0 0 0\n", 2, "0 rows are not in 1 ... 4294967295"),
    BAD(market, BANNER "real general\n4294967296 4294967296 0\n", 2, "4294967296 rows are not in 1 ... 4294967295"),
    BAD(market, BANNER "real general\n2 2 1000000000000\n1 1 1\n", 2,
        "1000000000000 entries are promised, the 6 bytes left cannot hold them"),
    BAD(market, BANNER "real general\n2 2 2\n1 1 1.000000\n", 3, "2 entries are promised, 1 are there"),
    BAD(market, BANNER "real general\n2 2 1\n1 1 1\n\n2 2 1\n", 5, "more than the 1 entries promised"),
    BAD(market, BANNER "real general\n2 2 1\n1 1   \n", 3, "not three words: row, column, value"),
    BAD(market, BANNER "real general\n2 2 1\n1 1 1 1\n", 3, "not three words: row, column, value"),
    BAD(market, BANNER "real general\n2 2 1\n0 1 1\n", 3, "row '0' is not in 1 ... 2"),
    BAD(market, BANNER "real general\n% c\n2 2 1\n1 3 1\n", 4, "column '3' is not in 1 ... 2"),
    BAD(market, BANNER "real general\n2 2 1\n1 1 nan\n", 3, "'nan' is no decimal number"),
    BAD(market, BANNER "integer general\n2 2 1\n1 1 1.5\n", 3, "'1.5' is no whole number"),
    BAD(market, BANNER "real general\n2 2 3\n1 1 1\n2 2 1\n1 1 5\n", 5, "entry (1, 1) was given before, on line 3"),
    BAD(market, BANNER "real symmetric\n2 2 2\n2 1 1\n1 2 1\n", 4, "entry (1, 2) was given before, on line 3"),
};

static void check_bad(const bad_case *c)
{
    char want[APP_ERROR];
    write_file(c->bytes, c->n_bytes);
    if (c->line)
        snprintf(want, sizeof want, "%s:%d: %s", path, c->line, c->sentence);
    else
        snprintf(want, sizeof want, "%s: %s", path, c->sentence);
    CHECK_MSG(c->read() == -1, "case '%s' was taken", c->sentence);
    CHECK_MSG(strcmp(error, want) == 0, "\n  got  '%s'\n  want '%s'", error, want);
}

/* ---- files that are unreadable --------------------------------------------------------------------- */

static void expect_unreadable(const char *what, const char *sentence)
{
    input_records records;
    char want[APP_ERROR];
    CHECK_MSG(input_fasta(what, &records, error) == -1, "%s was taken", what);
    snprintf(want, sizeof want, "%s: %s", what, sentence);
    CHECK_MSG(strcmp(error, want) == 0, "\n  got  '%s'\n  want '%s'", error, want);
}

static void check_unreadable(void)
{
    char big[128];
    snprintf(big, sizeof big, "%s.big", path);
    expect_unreadable("/nonexistent/file", "No such file or directory");
    expect_unreadable("/", "is neither a file nor a pipe");
    expect_unreadable("/dev/zero", "is neither a file nor a pipe");
    fclose(fopen(big, "wb"));
    if (truncate(big, ((off_t)1 << 32) + 1) == 0) /* sparse: takes no space */
        expect_unreadable(big, "has more than 4294967296 bytes");
    unlink(big);
}

/* ---- well-formed files -------------------------------------------------------------------------------- */

static void check_fasta(void)
{
    static const char bytes[] = "\n>a name\r\nacgT N*-\r\n\r\nAC\n>next > of\n\nXY\nZ\n>last\nk";
    input_records r;
    write_file(bytes, sizeof bytes - 1);
    CHECK_MSG(input_fasta(path, &r, error) == 0, "%s", error);
    CHECK(r.n == 3 && r.begin[0] == 0 && r.begin[1] == 9 && r.begin[2] == 12 && r.begin[3] == 13);
    CHECK(memcmp(r.letters, "ACGTN*-ACXYZK", 13) == 0);
    free(r.begin);
    free(r.letters);
}

static void check_scores(void)
{
    static const char bytes[] = "# of two\n\n   A  *\t-\r\n* +4 -128 0\nA 127\t-3 1 \r\n- 7 8 9";
    static const int8_t want[3][3] = {{127, -3, 1}, {4, -128, 0}, {7, 8, 9}};
    input_scores s;
    write_file(bytes, sizeof bytes - 1);
    CHECK_MSG(input_score_matrix(path, &s, error) == 0, "%s", error);
    CHECK(s.n == 3 && memcmp(s.letters, "A*-", 3) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(memcmp(s.score[i], want[i], 3) == 0);
    CHECK(input_score_of(&s, '*') == 1 && input_score_of(&s, 'B') == 3);
}

static void check_samples(void)
{
    int16_t *v;
    uint64_t n;
    write_file("\x01\x00\xff\xff\x00\x80\xff\x7f", 8);
    CHECK_MSG(input_i16le(path, &v, &n, error) == 0, "%s", error);
    CHECK(n == 4 && v[0] == 1 && v[1] == -1 && v[2] == INT16_MIN && v[3] == INT16_MAX);
    free(v);
}

static void check_pgm(void)
{
    static const char good[] = "P5 # one\n#two 9 9\n3\t2#three\n 200\n\x01\x02\x03\x04#\n";
    uint8_t *pixels;
    uint64_t rows, cols;
    write_file(good, sizeof good - 1);
    CHECK_MSG(input_pgm(path, &pixels, &rows, &cols, error) == 0, "%s", error);
    CHECK(rows == 2 && cols == 3 && memcmp(pixels, "\x01\x02\x03\x04#\n", 6) == 0);
    free(pixels);
}

static void check_numbers(void)
{
    static const char good[] = " 1.5 \r\n-2e1\n+.25\n4.\n\n \n";
    float *v;
    uint64_t rows = 0, cols = 0;
    write_file(good, sizeof good - 1);
    CHECK_MSG(input_numbers(path, &rows, &cols, &v, error) == 0, "%s", error);
    CHECK(rows == 2 && cols == 2 && v[0] == 1.5f && v[1] == -20.f && v[2] == .25f && v[3] == 4.f);
    free(v);
    rows = 1;
    cols = 3;
    write_file("7\n8\n9", 5);
    CHECK_MSG(input_numbers(path, &rows, &cols, &v, error) == 0, "%s", error);
    CHECK(rows == 1 && cols == 3 && v[2] == 9.f);
    free(v);
}

static void check_entry(const input_entry *e, uint32_t row, uint32_t col, double value)
{
    CHECK_MSG(e->row == row && e->col == col && e->value == value, "(%u, %u) %g", e->row, e->col, e->value);
}

static void check_market(void)
{
    static const char general[] =
        "%%matrixmarket MATRIX Coordinate REAL General\n%c\n\n 3 3 2 \n3 1 -2.5e0\n% d\n1 2 4\n";
    static const char symmetric[] = BANNER "integer symmetric\n2 2 2\n2 1 -7\n2 2 5\n";
    input_matrix m;
    write_file(general, sizeof general - 1);
    CHECK_MSG(input_matrix_market(path, &m, error) == 0, "%s", error);
    CHECK(m.n == 3 && m.n_entries == 2 && m.n_stored == 2);
    check_entry(&m.entries[0], 0, 1, 4.);
    check_entry(&m.entries[1], 2, 0, -2.5);
    free(m.entries);
    write_file(symmetric, sizeof symmetric - 1);
    CHECK_MSG(input_matrix_market(path, &m, error) == 0, "%s", error);
    CHECK(m.n == 2 && m.n_entries == 3 && m.n_stored == 2);
    check_entry(&m.entries[0], 0, 1, -7.);
    check_entry(&m.entries[1], 1, 0, -7.);
    check_entry(&m.entries[2], 1, 1, 5.);
    free(m.entries);
}

int main(void)
{
    size_t i;
    int fd;
    snprintf(path, sizeof path, "/tmp/heddle-input-XXXXXX");
    fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    check_fasta();
    check_scores();
    check_samples();
    check_pgm();
    check_numbers();
    check_market();
    for (i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++)
        check_bad(&bad_cases[i]);
    check_unreadable();
    unlink(path);
    printf("%zu malformed files refused\n", i);
    return 0;
}
