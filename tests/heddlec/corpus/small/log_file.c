/* SPDX-License-Identifier: MIT */
/* shows: tasks write to a file with fprintf under critical; the lines are read back and sorted
 * manner: system programming course */
#include <stdio.h>
#include <stdlib.h>

#define EVENTS 12

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void)
{
    FILE *log = tmpfile();
    int read_back[EVENTS], n = 0, v;
    if (!log) {
        perror("tmpfile");
        return 1;
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < EVENTS; i++) {
#pragma omp task firstprivate(i)
        {
            int value = (i * 5) % EVENTS;
#pragma omp critical(log)
            fprintf(log, "event %d\n", value);
        }
    }
    rewind(log);
    while (n < EVENTS && fscanf(log, "event %d\n", &v) == 1)
        read_back[n++] = v;
    fclose(log);
    qsort(read_back, n, sizeof(int), compare);
    for (int i = 0; i < n; i++)
        printf("%d ", read_back[i]);
    printf("\n");
    return 0;
}
