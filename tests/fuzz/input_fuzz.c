/* SPDX-License-Identifier: MIT */
/* input_fuzz.c - damaged files for every reader of apps/input.h.
 *
 * Deterministic. Each round takes a well-formed file (made here, or from the data folders), damages it a few times and
 * hands it to every reader, also to those of other formats. A reader must take it, and then the test walks its whole
 * result, or refuse it with one sentence that begins with the path. It must leave no memory behind (checked by the
 * heap's growth over all rounds, and to the byte under AddressSanitizer). Ends after ROUNDS or SECONDS. */
#include "app.h"
#include "check.h"
#include "input.h"

#include <ftw.h>
#include <malloc.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200000
#define SECONDS 8
#define MAX_SEEDS 128
#define MAX_SEED_BYTES 65536

/* ---- readers ------------------------------------------------------------------------------------- */

static int file; /* in memory, because a disk would be the bottleneck */
static char path[64];
static char error[APP_ERROR];

static int is_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '*' || c == '-'; }

static int fuzz_fasta(void)
{
    input_records r;
    uint64_t k;
    if (input_fasta(path, &r, error))
        return -1;
    CHECK(r.n > 0 && r.begin[0] == 0);
    for (k = 0; k < r.n; k++)
        CHECK(r.begin[k] < r.begin[k + 1]);
    for (k = 0; k < r.begin[r.n]; k++)
        CHECK(is_letter(r.letters[k]));
    free(r.begin);
    free(r.letters);
    return 0;
}

static int fuzz_scores(void)
{
    input_scores s;
    uint32_t k;
    if (input_score_matrix(path, &s, error))
        return -1;
    CHECK(s.n > 0 && s.n <= INPUT_SCORES);
    for (k = 0; k < s.n; k++)
        CHECK(is_letter(s.letters[k]) && input_score_of(&s, s.letters[k]) == k);
    return 0;
}

static int fuzz_packets(void)
{
    input_records r;
    uint64_t sum = 0;
    if (input_packets(path, &r, error))
        return -1;
    CHECK(r.n > 0 && r.begin[0] == 0);
    for (uint64_t k = 0; k < r.n; k++)
        CHECK(r.begin[k] < r.begin[k + 1]);
    for (uint64_t k = 0; k < r.begin[r.n]; k++)
        sum += (unsigned char)r.letters[k];
    CHECK(sum <= r.begin[r.n] * UINT8_MAX);
    free(r.begin);
    free(r.letters);
    return 0;
}

static int fuzz_samples(void)
{
    int16_t *v;
    uint64_t n, k;
    int64_t sum = 0;
    if (input_i16le(path, &v, &n, error))
        return -1;
    CHECK(n > 0);
    for (k = 0; k < n; k++)
        sum += v[k];
    CHECK(sum <= (int64_t)n * INT16_MAX && sum >= (int64_t)n * INT16_MIN);
    free(v);
    return 0;
}

static int fuzz_pgm(void)
{
    uint8_t *pixels;
    uint64_t rows, cols, k, sum = 0;
    if (input_pgm(path, &pixels, &rows, &cols, error))
        return -1;
    CHECK(rows > 0 && cols > 0);
    for (k = 0; k < rows * cols; k++)
        sum += pixels[k];
    CHECK(sum <= rows * cols * 255);
    free(pixels);
    return 0;
}

static int fuzz_numbers(void)
{
    float *v;
    uint64_t rows = 0, cols = 0, k;
    if (input_numbers(path, &rows, &cols, &v, error))
        return -1;
    CHECK(rows > 0 && rows == cols);
    for (k = 0; k < rows * cols; k++)
        CHECK(isfinite(v[k]));
    free(v);
    return 0;
}

static int fuzz_market(void)
{
    input_matrix m;
    const input_entry *e;
    uint64_t k;
    if (input_matrix_market(path, &m, error))
        return -1;
    CHECK(m.n > 0 && m.n_stored <= m.n_entries);
    for (e = m.entries, k = 0; k < m.n_entries; k++) {
        CHECK(e[k].row < m.n && e[k].col < m.n && isfinite(e[k].value));
        CHECK(k == 0 || e[k - 1].row < e[k].row || (e[k - 1].row == e[k].row && e[k - 1].col < e[k].col));
    }
    free(m.entries);
    return 0;
}

static int fuzz_graph(int (*read_graph)(const char *, input_graph *, char *))
{
    input_graph g;
    uint64_t k;
    if (read_graph(path, &g, error))
        return -1;
    CHECK(g.n > 0 && g.begin[0] == 0 && g.begin[g.n] == g.n_arcs);
    for (k = 0; k < g.n; k++)
        CHECK(g.begin[k] <= g.begin[k + 1]);
    for (k = 0; k < g.n_arcs; k++)
        CHECK(g.column[k] < g.n);
    free(g.begin);
    free(g.column);
    return 0;
}

static int fuzz_metis(void) { return fuzz_graph(input_metis); }
static int fuzz_arcs(void) { return fuzz_graph(input_arcs); }
static int fuzz_csr(void) { return fuzz_graph(input_csr); }

enum { FASTA, SCORES, SAMPLES, PGM, NUMBERS, MARKET, METIS, ARCS, CSR, PACKETS, N_READERS };
static int (*const readers[N_READERS])(void) = {fuzz_fasta,  fuzz_scores, fuzz_samples, fuzz_pgm, fuzz_numbers,
                                                fuzz_market, fuzz_metis,  fuzz_arcs,    fuzz_csr, fuzz_packets};

static int read_as(int reader)
{
    size_t n = strlen(path);
    int rc;
    error[0] = 0;
    rc = readers[reader]();
    if (rc) {
        CHECK_MSG(strncmp(error, path, n) == 0 && error[n] == ':', "reader %d said '%s'", reader, error);
        CHECK_MSG(strlen(error) > n + 4 && !strpbrk(error, "\n\r\x1b"), "reader %d said '%s'", reader, error);
    }
    return rc;
}

/* ---- seeds ---------------------------------------------------------------------------------------- */

typedef struct seed_file {
    int reader; /* the reader that accepts it undamaged */
    size_t n;
    unsigned char *bytes;
} seed_file;
static seed_file seeds[MAX_SEEDS];
static int n_seeds;

static void add_seed(int reader, const void *bytes, size_t n)
{
    seed_file *s = &seeds[n_seeds];
    if (n_seeds == MAX_SEEDS)
        return;
    s->reader = reader;
    s->n = n;
    s->bytes = malloc(n);
    CHECK(s->bytes);
    memcpy(s->bytes, bytes, n);
    n_seeds++;
}

static void add_text(int reader, const char *text) { add_seed(reader, text, strlen(text)); }

static void make_graphs(void)
{
    static const unsigned char rows[] = {3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
                                         4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
    add_text(METIS, "% c\n5 4\n2 3\n1 3\n1 2 5\n\n3\n");
    add_text(METIS, "2 1 0\n 2 \n1\n");
    add_text(ARCS, "# c\n# FromNodeId\tToNodeId\n30\t1412\n30\t3352\n3 3\n1412 30\n");
    add_seed(CSR, rows, sizeof rows);
}

/* Two packets, as machines of either order of bytes write them. */
static void make_packets(void)
{
    unsigned char bytes[24 + 2 * 16 + 5 + 2] = {0xd4, 0xc3, 0xb2, 0xa1};
    bytes[24 + 8] = 5;
    bytes[24 + 16 + 5 + 8] = 2;
    add_seed(PACKETS, bytes, sizeof bytes);
    memcpy(bytes, "\xa1\xb2\x3c\x4d", 4);
    bytes[24 + 8] = bytes[24 + 16 + 5 + 8] = 0;
    bytes[24 + 11] = 5;
    bytes[24 + 16 + 5 + 11] = 2;
    add_seed(PACKETS, bytes, sizeof bytes);
}

static void make_seeds(void)
{
    unsigned char pixels[13 + 64] = "P5\n8 8\n# c\n9\n"; /* black */
    char text[4096];
    size_t at = 0;
    int i;
    add_text(FASTA, ">one\nACGTACGTACGT\nacgtn\n\n>two\nAAAA\n");
    add_text(FASTA, "\n>p\r\nMKVLAAGIC*\r\n");
    add_text(SCORES, "# comment\n   A  R -\nA  4 -1 -2\nR -1  5  0\n- -2  0  6\n");
    add_seed(SAMPLES, "\x00\x01\xfe\xff\x00\x80\xff\x7f", 8);
    add_seed(PGM, pixels, sizeof pixels);
    for (i = 0; i < 64; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d.%02d%s\n", i % 3 ? "" : " -", i * i, i,
                               i % 5 ? "" : "e-3");
    add_text(NUMBERS, text);
    at = (size_t)snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n%% c\n9 9 20\n");
    for (i = 0; i < 20; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%d %d %g\n", i % 9 + 1, i / 9 + i % 4 + 1, i * .37 - 3);
    add_text(MARKET, text);
    add_text(MARKET, "%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n1 1 4\n2 1 -1\n4 2 7\n4 4 1\n");
    make_graphs();
    make_packets();
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

/* The reader of a file by its name in the data folders; -1: a file of another kind. */
static int reader_of(const char *name)
{
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if (ends_with(name, ".fa") || ends_with(name, ".fasta"))
        return FASTA;
    if (strncmp(base, "BLOSUM", 6) == 0)
        return SCORES;
    if (ends_with(name, ".i16le"))
        return SAMPLES;
    if (ends_with(name, ".pgm"))
        return PGM;
    if (ends_with(name, ".mtx"))
        return MARKET;
    if (ends_with(name, ".graph"))
        return METIS;
    if (ends_with(name, ".csr"))
        return CSR;
    return strncmp(base, "temp_", 5) == 0 || strncmp(base, "power_", 6) == 0 ? NUMBERS : -1;
}

/* Called by nftw. Takes whole files only: first each must be accepted undamaged. */
static int find_seed(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
    static unsigned char bytes[MAX_SEED_BYTES];
    int reader = type == FTW_F ? reader_of(name) : -1;
    FILE *f;
    (void)ftw;
    if (reader < 0 || st->st_size == 0 || st->st_size > MAX_SEED_BYTES || !(f = fopen(name, "rb")))
        return 0;
    add_seed(reader, bytes, fread(bytes, 1, sizeof bytes, f));
    fclose(f);
    return 0;
}

/* ---- damage ---------------------------------------------------------------------------------------- */

static unsigned char work[2 * MAX_SEED_BYTES];

static size_t damage(uint64_t *random, size_t n)
{
    static const char *const words[] = {
        "0", "-1",    "4294967296", "18446744073709551616", "nan", "inf", "1e999", "\n", "\r\n", ">", "%", "#", "P5",
        " ", "0x1p9", "\t"};
    size_t at = n ? check_below(random, n) : 0, k;
    const char *word = words[check_below(random, sizeof words / sizeof *words)];
    switch (check_below(random, 7)) {
    case 0: /* a bit */
        if (n)
            work[at] = (unsigned char)(work[at] ^ 1u << check_below(random, 8));
        break;
    case 1: /* a byte */
        if (n)
            work[at] = (unsigned char)check_random(random);
        break;
    case 2: /* the end is missing */ return at;
    case 3: /* a piece is missing */
        k = n ? check_below(random, n - at < 64 ? n - at : 64) : 0;
        memmove(work + at, work + at + k, n - at - k);
        return n - k;
    case 4: /* a piece is there twice */
        k = n ? check_below(random, n - at < 64 ? n - at : 64) : 0;
        if (n + k <= sizeof work) {
            memmove(work + at + k, work + at, n - at);
            return n + k;
        }
        break;
    case 5: /* a word over others */
        k = strlen(word);
        if (at + k <= n)
            memcpy(work + at, word, k);
        break;
    default: /* a word between others */
        k = strlen(word);
        if (n + k <= sizeof work) {
            memmove(work + at + k, work + at, n - at);
            memcpy(work + at, word, k);
            return n + k;
        }
    }
    return n;
}

static void write_work(size_t n)
{
    CHECK(ftruncate(file, 0) == 0);
    CHECK(pwrite(file, work, n, 0) == (ssize_t)n);
}

static void check_seeds(void)
{
    int i;
    for (i = 0; i < n_seeds; i++) {
        memcpy(work, seeds[i].bytes, seeds[i].n);
        write_work(seeds[i].n);
        CHECK_MSG(read_as(seeds[i].reader) == 0, "seed %d: %s", i, error);
    }
}

static uint64_t fuzz(uint64_t random, uint64_t n_taken[N_READERS])
{
    struct timespec begin, now;
    uint64_t round;
    size_t held = mallinfo2().uordblks;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (round = 0; round < ROUNDS; round++) {
        const seed_file *s = &seeds[check_below(&random, (uint64_t)n_seeds)];
        uint64_t times = 1 + check_below(&random, 4);
        size_t n = s->n;
        int r;
        memcpy(work, s->bytes, n);
        while (times-- > 0)
            n = damage(&random, n);
        write_work(n);
        for (r = 0; r < N_READERS; r++)
            if (r == s->reader || round % 16 == 0)
                n_taken[r] += read_as(r) == 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - begin.tv_sec >= SECONDS)
            break;
    }
    /* The allocator's caches of each thread count as in use: some 200 KB.                           */
    CHECK_MSG(mallinfo2().uordblks < held + (1u << 20), "%zu bytes left behind", mallinfo2().uordblks - held);
    return round;
}

int main(void)
{
    uint64_t n_taken[N_READERS] = {0}, n_rounds;
    const char *data = getenv("HEDDLE_DATA");
    int r;
    file = memfd_create("damaged", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || access(path, R_OK))
        SKIP("no files in memory, or no /proc");
    make_seeds();
    nftw(TEST_SOURCE_DIR "/data", find_seed, 8, FTW_PHYS);
    if (data)
        nftw(data, find_seed, 8, FTW_PHYS);
    check_seeds();
    n_rounds = fuzz(check_seed(2018), n_taken);
    printf("%d seeds, %llu rounds; taken:", n_seeds, (unsigned long long)n_rounds);
    for (r = 0; r < N_READERS; r++) {
        printf(" %llu", (unsigned long long)n_taken[r]);
        CHECK_MSG(n_taken[r] > 0 || n_rounds < 5000,
                  "reader %d never took a file: the damage is too great to reach its depths", r);
    }
    printf("\n");
    for (r = 0; r < n_seeds; r++)
        free(seeds[r].bytes);
    close(file);
    return 0;
}
