/* SPDX-License-Identifier: MIT */
/* load_read.c - reads tables of tasks, and tells them from traces (load.h). */
#include "load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number that is not negative, and what stands behind it; NULL: there is none. */
static const char *number(const char *at, double *x)
{
    char *end;
    if (*at < '0' || *at > '9')
        return NULL;
    *x = strtod(at, &end);
    return isfinite(*x) && *x >= 0 ? end : NULL;
}

/* "7x27,3" or "-": calls of so many times `ns_each`. */
static int read_calls(share_load *load, share_channel channel, const char *at, double ns_each)
{
    if (!strcmp(at, "-"))
        return 0;
    for (;;) {
        double n = 1, x;
        at = number(at, &x);
        if (at && *at == 'x')
            n = x, at = number(at + 1, &x);
        if (!at || (*at && *at != ',') || n > SHARE_MOST_CALLS || n < 1 || x * ns_each > (double)SHARE_MOST_NS)
            return -1;
        for (uint32_t i = 0; i < (uint32_t)n; i++)
            if (share_load_call_new(load, channel, (uint64_t)(x * ns_each)))
                return -1;
        if (!*at++)
            return 0;
    }
}

static const char blanks[] = " \t\r";

/* A line without its end, which may be changed. */
static int read_line(share_load *load, char *line, double gb_per_s)
{
    char *rest = NULL, *words[5] = {0};
    uint32_t n = 0;
    line[strcspn(line, "#")] = 0;
    for (char *w = strtok_r(line, blanks, &rest); w && n < 5; w = strtok_r(NULL, blanks, &rest))
        words[n++] = w;
    if (!n)
        return 0;
    return n == 4 && !share_load_task_new(load, words[0]) && !read_calls(load, SHARE_S, words[1], 1e6 / gb_per_s) &&
                   !read_calls(load, SHARE_P, words[2], 1e6) && !read_calls(load, SHARE_R, words[3], 1e6 / gb_per_s)
               ? 0
               : -1;
}

static int read_table(const char *text, size_t n_bytes, double gb_per_s, share_load *load, share_why *why)
{
    char line[1024];
    uint32_t number_of_line = 0;
    for (size_t at = 0; at < n_bytes;) {
        const char *end = memchr(text + at, '\n', n_bytes - at);
        size_t n = end ? (size_t)(end - text) - at : n_bytes - at;
        number_of_line++;
        if (n >= sizeof line || memchr(text + at, 0, n))
            return share_because(why, "line %u is no text of less than %zu bytes", number_of_line, sizeof line);
        memcpy(line, text + at, n);
        line[n] = 0;
        if (read_line(load, line, gb_per_s))
            return share_because(why, "line %u is no task: PROGRAM IN OUT as 7x27,3 (MB) and KERNELS (ms) between them",
                                 number_of_line);
        at += n + 1;
    }
    return 0;
}

int share_load_read(const char *text, size_t n_bytes, double gb_per_s, share_load *load, share_why *why)
{
    size_t at = 0;
    int failed;
    memset(load, 0, sizeof *load);
    while (at < n_bytes && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    failed = at < n_bytes && text[at] == '{' ? share_load_read_json(text, n_bytes, load, why)
                                             : read_table(text, n_bytes, gb_per_s, load, why);
    if (!failed && !load->n_calls)
        failed = share_because(why, "there is no task");
    if (failed && load->lacks_memory)
        share_because(why, "there is no memory for the tasks");
    if (failed)
        share_load_free(load);
    return failed;
}

/* ---- files ---- */

enum { MOST_FILE_BYTES = 64 << 20 };

static char *read_file(const char *path, size_t *n_bytes, share_why *why)
{
    FILE *in = fopen(path, "rb");
    char *text = in ? malloc(MOST_FILE_BYTES) : NULL;
    *n_bytes = text ? fread(text, 1, MOST_FILE_BYTES, in) : 0;
    if (!in || !text || ferror(in) || *n_bytes == MOST_FILE_BYTES) {
        share_because(why, "%s: %s", path, *n_bytes == MOST_FILE_BYTES ? "larger than 64 MiB" : strerror(errno));
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

int share_load_file(const char *path, double gb_per_s, share_load *load, share_why *why)
{
    share_why inner;
    size_t n_bytes;
    char *text = read_file(path, &n_bytes, why);
    int failed;
    if (!text)
        return -1;
    failed = share_load_read(text, n_bytes, gb_per_s, load, &inner);
    free(text);
    return failed ? share_because(why, "%s: %s", path, inner.text) : 0;
}

int share_load_files(char *const *paths, uint32_t n, double gb_per_s, share_load *load, share_why *why)
{
    int failed = 0;
    memset(load, 0, sizeof *load);
    for (uint32_t i = 0; i < n && !failed; i++) {
        share_load one;
        failed = share_load_file(paths[i], gb_per_s, &one, why);
        if (!failed && share_load_append(load, &one))
            failed = share_because(why, "%s: with the files before it, %s", paths[i],
                                   load->lacks_memory ? "there is no memory for these"
                                                      : "these are more tasks or programs than fit");
        share_load_free(&one);
    }
    if (failed)
        share_load_free(load);
    return failed;
}
