/* SPDX-License-Identifier: MIT */
/* info_links.c - `heddle info --links`: a line for each link, one way: from each GPU to the host and back, between each two GPUs, and
 * within the host's memory. Cells are apart by blanks and hold none, and other lines begin with #, so that programs can read them.
 *
 * A link's rate is that of copies of 256 MiB of pinned memory, in chunks; `both` is the rate while the other direction is at work, too. If
 * one of these ends earlier, the other has the link alone for the rest, so that its rate is a little too high. A link that cannot be
 * measured has a line with the reason, and the others are measured all the same. Behind these, lines say how quickly rows of a matrix go to a
 * GPU, by their bytes, and of each two GPUs whether copies between them arrive (heddle_device_get_peer). */
#include "commands.h"

#include "cli.h"
#include "host_copy.h"
#include "link.h"

#include <inttypes.h>

#define ALL_BYTES (256ull << 20)
#define CHUNK_BYTES (16ull << 20)
#define NAME_BYTES 24

static void name_of(int place, char name[NAME_BYTES])
{
    if (place == LINK_HOST)
        snprintf(name, NAME_BYTES, "host");
    else
        snprintf(name, NAME_BYTES, "cuda:%d", place);
}

static double gb_s(const link_flow *f) { return f->ms > 0 ? 1e-6 * (double)f->n_bytes / f->ms : 0; }

static void print_way(FILE *out, const link_flow *alone, const link_flow *both, double us)
{
    char from[NAME_BYTES], to[NAME_BYTES];
    name_of(alone->from, from);
    name_of(alone->to, to);
    fprintf(out, "%-8s %-8s %8.2f %8.2f %10.2f\n", from, to, gb_s(alone), gb_s(both), us);
}

/* Both ways, each alone and then at once. */
static int time_pair(link_flow alone[2], link_flow both[2], double us[2], char *error)
{
    for (int i = 0; i < 2; i++)
        if (link_time(&alone[i], 1, CHUNK_BYTES, error) || link_latency(&alone[i], &us[i], error))
            return -1;
    return link_time(both, 2, CHUNK_BYTES, error);
}

static void print_pair(FILE *out, int a, int b)
{
    const link_flow there = {a, b, ALL_BYTES, 0, 0}, back = {b, a, ALL_BYTES, 0, 0};
    link_flow alone[] = {there, back}, both[] = {there, back};
    char error[LINK_ERROR] = "", from[NAME_BYTES], to[NAME_BYTES];
    double us[2];
    name_of(a, from);
    name_of(b, to);
    cli_progress("%s and %s", from, to);
    if (time_pair(alone, both, us, error)) {
        fprintf(out, "%-8s %-8s skipped: %s\n", from, to, error);
        return;
    }
    for (int i = 0; i < 2; i++)
        print_way(out, &alone[i], &both[i], us[i]);
}

/* What cores copy: more than caches hold. */
static void print_host(FILE *out, const heddle_machine *m)
{
    const uint64_t n_bytes = 4 * m->cache_bytes[2] > ALL_BYTES ? 4 * m->cache_bytes[2] : ALL_BYTES;
    double rate;
    cli_progress("the host's memory");
    rate = host_copy_rate(m->n_cores, n_bytes);
    if (rate > 0)
        fprintf(out, "%-8s %-8s %8.2f %8s %10s\n", "host", "host", 1e-9 * rate, "-", "-");
    else
        fprintf(out, "%-8s %-8s skipped: out of memory\n", "host", "host");
}

/* A copy of 1024 rows, as many as make ALL_BYTES: narrow rows of a wide matrix. */
static void print_rows(FILE *out, int gpu)
{
    static const uint64_t rows[] = {512, 1024, 2560, 4096, 16384, LINK_PITCH};
    char error[LINK_ERROR] = "";
    fprintf(out, "# rows of a matrix with %u bytes a row, from the host to cuda:%d:", LINK_PITCH, gpu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !*error; i++) {
        link_flow f = {LINK_HOST, gpu, ALL_BYTES / (rows[i] * 1024) * rows[i] * 1024, 0, rows[i]};
        if (link_time(&f, 1, rows[i] * 1024, error))
            fprintf(out, " skipped: %s", error);
        else
            fprintf(out, " %" PRIu64 " B %.2f GB/s", rows[i], gb_s(&f));
    }
    fputs("\n", out);
}

static const char *peer_text(int device, int from)
{
#define HEDDLE_X(name, value, text, help) text,
    static const char *const texts[] = {HEDDLE_PEER_MAP(HEDDLE_X)};
#undef HEDDLE_X
    heddle_peer p = HEDDLE_PEER_NO;
    return heddle_device_get_peer(HEDDLE_CUDA, (uint32_t)device, (uint32_t)from, &p) ? "unknown" : texts[p];
}

static void print_peers(FILE *out, int n)
{
    fprintf(out, "# copies from GPU to GPU without the host%s\n",
            n > 1 ? ": verified by data, or not granted (no), or granted, but the data was wrong" : ": none");
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to) {
                cli_progress("cuda:%d and cuda:%d", from, to);
                fprintf(out, "# peer cuda:%d cuda:%d %s\n", from, to, peer_text(to, from));
            }
}

static int count_gpus(void)
{
    heddle_device d = HEDDLE_DEVICE_INIT;
    int n = 0;
    while (heddle_device_get(HEDDLE_CUDA, (uint32_t)n, &d) == HEDDLE_OK)
        n++;
    return n;
}

static void print_links(FILE *out)
{
    const int n = count_gpus();
    heddle_machine m;
    heddle_machine_get(&m);
    fputs("# GB/s of a link alone, and with both directions at work; microseconds of a copy of 64 bytes\n", out);
    fprintf(out, "# host to host: a copy by all %" PRIu32 " cores, which read so much and write as much\n", m.n_cores);
    fprintf(out, "%-8s %-8s %8s %8s %10s\n", "# from", "to", "GB/s", "both", "latency_us");
    print_host(out, &m);
    for (int a = 0; a < n; a++)
        print_pair(out, LINK_HOST, a);
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            print_pair(out, a, b);
    for (int a = 0; a < n; a++)
        print_rows(out, a);
    print_peers(out, n);
    if (!n)
        fputs("# there is no GPU, or none that this build can use\n", out);
}

int info_links(void)
{
    cli_buffer text;
    int status = cli_buffer_open(&text);
    if (status)
        return status;
    cli_progress_start();
    print_links(text.out);
    cli_progress_stop();
    status = cli_buffer_print(&text);
    cli_buffer_free(&text);
    return status;
}
