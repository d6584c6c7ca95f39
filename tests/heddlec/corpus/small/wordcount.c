/* SPDX-License-Identifier: MIT */
/* shows: lines from stdin, a task a line with strtok_r, counts by critical
 * manner: university course
 * input: wordcount.txt */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 64
#define MAX_WORDS 128

static struct {
    char word[24];
    int n;
} table[MAX_WORDS];
static int words;

static void add(const char *w)
{
    int i = 0;
    while (i < words && strcmp(table[i].word, w) != 0)
        i++;
    if (i == words) {
        strncpy(table[words++].word, w, sizeof table[0].word - 1);
    }
    table[i].n++;
}

static void count_line(char *line)
{
    char *save = NULL;
    for (char *w = strtok_r(line, " ,.\n", &save); w; w = strtok_r(NULL, " ,.\n", &save)) {
#pragma omp critical(table)
        add(w);
    }
}

static int by_word(const void *a, const void *b) { return strcmp(a, b); }

int main(void)
{
    char *lines[MAX_LINES], buffer[256];
    int n = 0;
    while (n < MAX_LINES && fgets(buffer, sizeof buffer, stdin))
        lines[n++] = strdup(buffer);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
        count_line(lines[i]);
    }
    qsort(table, words, sizeof table[0], by_word);
    for (int i = 0; i < words; i++)
        if (table[i].n > 1)
            printf("%-8s %d\n", table[i].word, table[i].n);
    for (int i = 0; i < n; i++)
        free(lines[i]);
    return 0;
}
