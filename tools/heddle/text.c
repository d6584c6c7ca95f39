/* SPDX-License-Identifier: MIT */
/* text.c - sentences on stderr, guesses at misspelt words, reading and printing numbers. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void (*before_bad)(void);

void cli_before_bad(void (*clear)(void)) { before_bad = clear; }

int cli_bad(const char *format, ...)
{
    va_list args;
    if (before_bad)
        before_bad();
    fputs("heddle: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_BAD;
}

int cli_heddle_bad(const heddle_ctx *ctx, heddle_status s)
{
    const char *sentence = heddle_error_text(ctx);
    return cli_bad("%s", *sentence ? sentence : heddle_status_text(s));
}

/* ---- guesses ---- */

enum { GUESS_MAX = 24 }; /* longer words are not guessed */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The least number of letters to insert, delete, change or swap with a neighbour that turns a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t d[GUESS_MAX + 1][GUESS_MAX + 1], m = strlen(a), n = strlen(b), i, j;
    for (i = 0; i <= m; i++)
        d[i][0] = i;
    for (j = 0; j <= n; j++)
        d[0][j] = j;
    for (i = 1; i <= m; i++)
        for (j = 1; j <= n; j++) {
            size_t change = d[i - 1][j - 1] + (tolower((unsigned char)a[i - 1]) != b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

void cli_guess_offer(cli_guess *g, const char *candidate)
{
    size_t distance;
    if (strlen(g->word) > GUESS_MAX || strlen(candidate) > GUESS_MAX)
        return;
    distance = edit_distance(g->word, candidate);
    if (!g->best || distance < g->distance) {
        g->best = candidate;
        g->distance = distance;
    }
}

/* Offers the candidate only if at least half of the letters are right. */
const char *cli_guess_tail(cli_guess *g)
{
    g->tail[0] = '\0';
    if (g->best && g->distance <= 3 && 2 * g->distance <= strlen(g->best))
        snprintf(g->tail, sizeof g->tail, "; did you mean '%s'?", g->best);
    return g->tail;
}

/* ---- numbers ---- */

int cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    char *end;
    unsigned long long v;
    if (!isdigit((unsigned char)text[0]))
        return -1;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (errno || *end || v < min || v > max)
        return -1;
    *out = v;
    return 0;
}

uint64_t cli_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const char *cli_duration(cli_text *buf, uint64_t ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double v = (double)ns;
    size_t u = 0;
    while (u < 3 && v >= 1000) {
        v /= 1000;
        u++;
    }
    snprintf(buf->text, sizeof buf->text, "%.*f %s",
             u == 0 || v >= 1000 ? 0
             : v >= 100          ? 1
             : v >= 10           ? 2
                                 : 3,
             v, units[u]);
    return buf->text;
}

const char *cli_bytes(cli_text *buf, uint64_t n_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (u < 4 && n_bytes >= 1024 && n_bytes % 1024 == 0) {
        n_bytes /= 1024;
        u++;
    }
    snprintf(buf->text, sizeof buf->text, "%" PRIu64 " %s", n_bytes, units[u]);
    return buf->text;
}
