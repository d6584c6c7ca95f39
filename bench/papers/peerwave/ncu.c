/* SPDX-License-Identifier: MIT */
/* ncu.c - see ncu.h. */
#include "ncu.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define MISSES "lts__t_sectors_op_read_lookup_miss.sum"
#define BYTES "dram__bytes.sum"

/* Field i of a line of CSV, `"a","b",...`, without its quotes and without commas in numbers; "" where there is none. */
static void field(const char *line, size_t i, char *to, size_t n_most)
{
    size_t n = 0;
    const char *at = line;
    while (i-- > 0 && at) {
        at = strstr(at, "\",\"");
        at = at ? at + 2 : NULL;
    }
    for (at = at && *at == '"' ? at + 1 : NULL; at && *at && *at != '"' && n + 1 < n_most; at++)
        if (*at != ',')
            to[n++] = *at;
    to[n] = '\0';
}

/* The last field of a line. */
static double last_number(const char *line)
{
    size_t n = 0;
    char text[64];
    for (const char *at = line; (at = strstr(at, "\",\"")) != NULL; at += 2)
        n++;
    field(line, n, text, sizeof text);
    return strtod(text, NULL);
}

static const char *reason_in(const char *line)
{
    if (strstr(line, "ERR_NVGPUCTRPERM"))
        return "the driver refuses counters to this user (ERR_NVGPUCTRPERM)";
    if (strstr(line, "not found") || strstr(line, "No such file"))
        return "ncu is not here";
    return NULL;
}

/* A line of a launch: its number stands first. */
static void read_line(ncu_counts *out, const char *line)
{
    char number[32];
    uint64_t launch;
    const int is_misses = strstr(line, MISSES) != NULL;
    const char *reason = reason_in(line);
    if (reason)
        out->why = reason;
    field(line, 0, number, sizeof number);
    if ((!is_misses && !strstr(line, BYTES)) || cli_parse_u64(number, 0, NCU_LAUNCHES - 1, &launch))
        return;
    (is_misses ? out->misses : out->bytes)[launch] = last_number(line);
    out->n += is_misses;
}

void ncu_count(ncu_counts *out, const options *o, uint64_t deadline_ns)
{
    char self[512], command[1200], line[4096];
    uint64_t left;
    FILE *in;
    memset(out, 0, sizeof *out);
    out->why = "no time left";
    if (cli_now_ns() + NCU_LEAST_SECONDS * 1000000000u > deadline_ns)
        return;
    left = (deadline_ns - cli_now_ns()) / 1000000000u;
    out->why = "ncu said nothing of L2, or took too long";
    if (cli_beside("heddle-figures", self, sizeof self))
        return;
    snprintf(command, sizeof command,
             "timeout %llu ncu --csv --print-units base --metrics " MISSES "," BYTES
             " -k regex:peer_kernel '%s' --figures peerwave --opt ncu=1 -n %u --device %u 2>&1",
             (unsigned long long)(left < NCU_SECONDS ? left : NCU_SECONDS), self, NCU_SIDE, o->config.device);
    in = popen(command, "r");
    while (in && fgets(line, sizeof line, in))
        read_line(out, line);
    if (in)
        pclose(in);
    if (out->n != NCU_LAUNCHES)
        out->n = 0;
}
