/* SPDX-License-Identifier: MIT */
/* ncu_csv.c - implements ncu_csv.h. */
#include "ncu_csv.h"

#include <stdlib.h>
#include <string.h>

#define BETWEEN "\",\"" /* between fields */

int ncu_csv_has_fields(const char *line) { return strstr(line, BETWEEN) != NULL; }

void ncu_csv_field(const char *line, size_t i, char *to, size_t n_most)
{
    size_t n = 0;
    const char *at = line;
    while (i-- > 0 && at) {
        at = strstr(at, BETWEEN);
        at = at ? at + 2 : NULL;
    }
    for (at = at && *at == '"' ? at + 1 : NULL; at && *at && *at != '"' && n + 1 < n_most; at++)
        if (*at != ',')
            to[n++] = *at;
    to[n] = '\0';
}

double ncu_csv_last(const char *line)
{
    size_t n = 0;
    char text[64];
    for (const char *at = line; (at = strstr(at, BETWEEN)) != NULL; at += 2)
        n++;
    ncu_csv_field(line, n, text, sizeof text);
    return strtod(text, NULL);
}

const char *ncu_csv_reason(const char *line)
{
    if (strstr(line, "ERR_NVGPUCTRPERM"))
        return "the driver refuses counters to this user (ERR_NVGPUCTRPERM)";
    if (strstr(line, "not found") || strstr(line, "No such file"))
        return "ncu is not here";
    return NULL;
}
