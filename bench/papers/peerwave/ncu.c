/* SPDX-License-Identifier: MIT */
/* ncu.c - implements ncu.h. */
#include "ncu.h"

#include "cli.h"
#include "ncu_csv.h"

#include <string.h>

#define BYTES "dram__bytes.sum"

/* Reads a launch's line, which begins with its number. */
static void read_line(ncu_counts *out, const char *line)
{
    char number[32];
    uint64_t launch;
    const int is_misses = strstr(line, NCU_READ_MISSES) != NULL;
    const char *reason = ncu_csv_reason(line);
    if (reason)
        out->why = reason;
    ncu_csv_field(line, 0, number, sizeof number);
    if ((!is_misses && !strstr(line, BYTES)) || cli_parse_u64(number, 0, NCU_LAUNCHES - 1, &launch))
        return;
    (is_misses ? out->misses : out->bytes)[launch] = ncu_csv_last(line);
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
    out->why = NCU_SAID_NOTHING;
    if (cli_beside("heddle-figures", self, sizeof self))
        return;
    snprintf(command, sizeof command,
             "timeout %llu ncu --csv --print-units base --metrics " NCU_READ_MISSES "," BYTES
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
