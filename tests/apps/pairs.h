/* SPDX-License-Identifier: MIT */
/* pairs.h - files of random records and a random matrix of scores, in memory, for tests of sw with pairs. */
#ifndef PAIRS_H
#define PAIRS_H

#include "check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAIRS_LETTERS "ACDEFGHIKLMNPQRSTVWY"
#define PAIRS_RECORDS 12u

typedef struct pairs_file {
    int fd;
    char path[32];
} pairs_file;

typedef struct pairs_records {
    pairs_file file;
    uint32_t n, length[PAIRS_RECORDS];
    char *letters[PAIRS_RECORDS];
} pairs_records;

static inline FILE *pairs_begin(pairs_file *f)
{
    f->fd = memfd_create("pairs", 0);
    if (f->fd < 0)
        SKIP("no files in memory");
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    return fopen(f->path, "w");
}

static inline void pairs_text(pairs_file *f, const char *text)
{
    FILE *to = pairs_begin(f);
    CHECK(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

/* Makes up to `most` records of up to `longest` letters. */
static inline void pairs_make(pairs_records *r, uint64_t *random, uint32_t most, uint32_t longest)
{
    FILE *to = pairs_begin(&r->file);
    CHECK(to);
    r->n = 1u + (uint32_t)check_below(random, most);
    for (uint32_t k = 0; k < r->n; k++) {
        r->length[k] = 1u + (uint32_t)check_below(random, check_below(random, 3) ? longest : 1u + longest / 8u);
        r->letters[k] = (char *)malloc(r->length[k] + 1u);
        CHECK(r->letters[k]);
        for (uint32_t i = 0; i < r->length[k]; i++)
            r->letters[k][i] = PAIRS_LETTERS[check_below(random, sizeof PAIRS_LETTERS - 1u)];
        r->letters[k][r->length[k]] = 0;
        fprintf(to, ">record %u\n%s\n", k, r->letters[k]);
    }
    CHECK(fclose(to) == 0);
}

static inline void pairs_free(pairs_records *r)
{
    for (uint32_t k = 0; k < r->n; k++)
        free(r->letters[k]);
    close(r->file.fd);
}

/* A matrix of few letters; X stands for the others. It is not symmetric. */
#define PAIRS_KNOWN "ACDEFX"
static inline void pairs_matrix(pairs_file *f, uint64_t *random, int8_t score[6][6])
{
    FILE *to = pairs_begin(f);
    CHECK(to && fputs("# random\n ", to) >= 0);
    for (uint32_t k = 0; k < 6u; k++)
        fprintf(to, " %c", PAIRS_KNOWN[k]);
    for (uint32_t k = 0; k < 6u; k++) {
        fprintf(to, "\n%c", PAIRS_KNOWN[k]);
        for (uint32_t l = 0; l < 6u; l++) {
            score[k][l] = (int8_t)((int)check_below(random, 12) - (k == l ? 2 : 7));
            fprintf(to, " %d", score[k][l]);
        }
    }
    CHECK(fputs("\n", to) >= 0 && fclose(to) == 0);
}

#endif
