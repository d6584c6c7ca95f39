/* SPDX-License-Identifier: MIT */
/* shows: snprintf, strlen and strdup in tasks, an array of char pointers
 * manner: university course */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reversed(const char *s)
{
    size_t n = strlen(s);
    char *r = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        r[i] = s[n - 1 - i];
    r[n] = '\0';
    return r;
}

int main(void)
{
    const char *names[] = {"stressed", "drawer", "noon", "parts"};
    char *out[4], label[4][32];
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i) shared(names, out, label)
        {
            out[i] = reversed(names[i]);
            snprintf(label[i], sizeof label[i], "%s%s", names[i], strcmp(out[i], names[i]) ? "" : " (palindrome)");
        }
    }
    for (int i = 0; i < 4; i++) {
        printf("%s -> %s\n", label[i], out[i]);
        free(out[i]);
    }
    return 0;
}
