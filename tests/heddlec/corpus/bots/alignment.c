/* SPDX-License-Identifier: MIT */
/* shows: all pairs of sequences: a shared loop whose iterations create a task a pair, rows as locals
 * manner: BOTS, alignment with for
 * args: 12 80
 * timed: 30 500 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LENGTH 1024

static int n_sequences, gap_open = 10, gap_extend = 1;
static char **sequence;
static int *length, *bench_output, *seq_output;

static int max2(int a, int b) { return a > b ? a : b; }

static int match(char a, char b) { return a == b ? 5 : (a ^ b) & 1 ? -4 : -1; }

/* The best local score with affine gaps. */
static int score_pair(int si, int sj)
{
    int hh[MAX_LENGTH + 1], ff[MAX_LENGTH + 1], best = 0;
    for (int j = 0; j <= length[sj]; j++) {
        hh[j] = 0;
        ff[j] = -gap_open;
    }
    for (int i = 1; i <= length[si]; i++) {
        int diagonal = 0, e = -gap_open;
        for (int j = 1; j <= length[sj]; j++) {
            int h = diagonal + match(sequence[si][i - 1], sequence[sj][j - 1]);
            ff[j] = max2(ff[j], hh[j] - gap_open) - gap_extend;
            e = max2(e, hh[j - 1] - gap_open) - gap_extend;
            diagonal = hh[j];
            h = max2(max2(h, 0), max2(e, ff[j]));
            hh[j] = h;
            best = max2(best, h);
        }
    }
    return best;
}

static void pairalign()
{
    int si, sj;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) private(si, sj)
        for (si = 0; si < n_sequences; si++) {
            for (sj = si + 1; sj < n_sequences; sj++) {
#pragma omp task untied firstprivate(si, sj)
                bench_output[si * n_sequences + sj] = score_pair(si, sj);
            }
        }
    }
}

static void pairalign_seq()
{
    for (int si = 0; si < n_sequences; si++)
        for (int sj = si + 1; sj < n_sequences; sj++)
            seq_output[si * n_sequences + sj] = score_pair(si, sj);
}

static void make_sequences(int longest)
{
    unsigned s = 99;
    sequence = malloc(n_sequences * sizeof(char *));
    length = malloc(n_sequences * sizeof(int));
    for (int i = 0; i < n_sequences; i++) {
        length[i] = longest - i % 7;
        sequence[i] = malloc(length[i]);
        for (int k = 0; k < length[i]; k++) {
            s = s * 1664525u + 1013904223u;
            sequence[i][k] = "ACDEFGHIKLMNPQRSTVWY"[(s >> 16) % 20];
        }
    }
}

int main(int argc, char **argv)
{
    n_sequences = argc > 1 ? atoi(argv[1]) : 12;
    int longest = argc > 2 ? atoi(argv[2]) : 80, wrong = 0;
    long sum = 0;
    if (longest > MAX_LENGTH)
        return 1;
    make_sequences(longest);
    bench_output = calloc(n_sequences * n_sequences, sizeof(int));
    seq_output = calloc(n_sequences * n_sequences, sizeof(int));
    double begin = omp_get_wtime();
    pairalign();
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    pairalign_seq();
    for (int k = 0; k < n_sequences * n_sequences; k++) {
        wrong += bench_output[k] != seq_output[k];
        sum += bench_output[k];
    }
    printf("%d sequences, sum of scores %ld, %s\n", n_sequences, sum, wrong ? "UNSUCCESSFUL" : "successful");
    return 0;
}
