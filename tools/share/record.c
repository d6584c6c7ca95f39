/* SPDX-License-Identifier: MIT */
/* record.c - collects the trace in memory (record.h). */
#include "record.h"

#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CALLS = 4096, MOST_BYTES = 1 << 26 };

static char path[4096], *text;
static size_t n_bytes;
static FILE *out; /* NULL: off */
static uint64_t ns_of[2][MOST_CALLS];
static uint32_t n_of[2], n_tasks;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("HEDDLE_SHARE_RECORD");
    if (name && *name && strlen(name) < sizeof path - 16) {
        strcpy(path, name);
        out = open_memstream(&text, &n_bytes);
    }
}

int share_record_is_on(void) { return out != NULL; }

/* Of more copies than there is room for, the last one has the rest. */
void share_record_copy(int way, uint64_t ns)
{
    if (n_of[way] == MOST_CALLS)
        ns_of[way][MOST_CALLS - 1] += ns;
    else
        ns_of[way][n_of[way]++] = ns;
}

static void print_name(void)
{
    for (const char *c = program_invocation_short_name; *c; c++)
        fputc(*c > ' ' && *c < 127 && *c != '"' && *c != '\\' ? *c : '?', out);
}

static void print_times(const char *name, int way)
{
    fprintf(out, ", \"%s\": [", name);
    for (uint32_t i = 0; i < n_of[way]; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "", ns_of[way][i]);
    fputc(']', out);
    n_of[way] = 0;
}

void share_record_task(uint64_t p_ns)
{
    if (!out || (!p_ns && !n_of[0] && !n_of[1]) || n_bytes > MOST_BYTES)
        return;
    fprintf(out, "%s{\"program\": \"", n_tasks++ ? ",\n  " : "{\"heddle_share\": 1, \"tasks\": [\n  ");
    print_name();
    fputc('"', out);
    print_times("in_ns", 0);
    fprintf(out, ", \"kernels_ns\": %" PRIu64, p_ns);
    print_times("out_ns", 1);
    fputc('}', out);
    fflush(out);
}

static int open_file(void)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
        return fd;
    snprintf(path + strlen(path), 16, ".%d", (int)getpid());
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
}

void share_record_end(void)
{
    int fd;
    if (!out || !n_tasks)
        return;
    fputs("\n], \"kernels\": [", out);
    share_launch_print(out);
    fputs("\n]}\n", out);
    fclose(out);
    out = NULL;
    fd = open_file();
    if (fd < 0)
        return;
    (void)!write(fd, text, n_bytes);
    close(fd);
}
