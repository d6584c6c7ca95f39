/* SPDX-License-Identifier: MIT */
/* hdss.c - `heddle bench --figures hdss [-n BYTES] [--opt figures=LIST] [--opt apps=LIST] [--opt devices=WORDS] [--out DIR]`: loops over
 * cores and GPUs, as in chapter 3 of Belviranli's thesis, as DIR/hdss-NAME.tsv and .svg:
 *
 *     alone   table 3.1 and figure 3.13: each app on one core, all cores, the GPU, and everything, in first and later runs; the time that
 *             the speeds of the devices alone allow together, and the share of the GPU beside the ideal one (hdss-shares)
 *     ways    figures 3.9 and 3.12: every way to divide, on everything: how many times as quick as one core (hdss-ways), and how long after
 *             the first unit the last one ends (hdss-ends)
 *     cores   figure 3.9: the same with 1, 3, 7, 15, ... cores beside the GPU, and the GPU alone
 *     blocks  figures 3.5 and 3.11: what the GPU is given beside one core, block after block, under some ways (hdss-blocks); 3.2: how long units
 *             have nothing to do under qilin, with a picture (hdss-idle)
 *     chunks  figures 3.1 and 3.7: the rate of the GPU by the size of a slice, and two curves through it (hdss-fits, with a picture an app)
 *     openmp  not in the thesis: one core, and all cores, beside loops written by hand: a plain one, and OpenMP's schedules at their best
 *             chunk. It takes about 100 s: of an app that would take longer than its part there is less input
 *     pipeline  the same of the GPU alone, beside a pipeline written by hand, at its best chunk and number of streams.
 *     fronts  Dtw, sw and heat2d over several GPUs, and over a GPU and cores, beside the wave of one GPU; --opt side=N: of at most N rows and
 *             columns; 8192 where there is no GPU
 *     emulated  figure 3.10: a device that a process plays, as many times as quick as a core as the thesis' FPGA, alone and beside cores
 *
 * Apps have BYTES of input (the thesis': 750 MB); ep and mandel, which have none, about as much work as the slower of the others. The
 * answer of the first and of the last run of each fleet is compared with the app's reference; of what differs, fails or cannot be there is a
 * row `skipped` with the reason; each file says whether it needs a GPU. --opt seconds=N skips what has not begun by then. Devices are "cuda:* cpu:*", or WORDS: a device that threads play stands for a GPU. */
#include "hdss.h"
#include "papers.h"

#include <stdlib.h>
#include <string.h>

#define BYTES 750e6
#define MOST_WORDS 256
#define COUNT(a) (sizeof(a) / sizeof *(a))

const loop_app hdss_apps[HDSS_APPS] = {{"blackscholes", 1, 0, 12, NULL},
                                       {"histogram", 4096, 0, 4096, NULL},
                                       {"boxfilter", 1, 4096, 4096, NULL},
                                       {"ep", 4096, 0, 4096 * 8, NULL},
                                       {"mandel", 1, 2048, 2048 * 64, NULL}};

static const char some_rows[] = "rows of GPUs need one, or --opt devices; they are skipped without",
                  all_rows[] = "all rows need a GPU, or --opt devices", by_cuda[] = "all rows need a GPU",
                  no_rows[] = "no row needs a GPU";

static const struct {
    const char *name;
    int (*make)(figures *f);
    const char *needs;
} all_figures[] = {
    {"alone", hdss_alone, some_rows},     {"ways", hdss_ways, some_rows},     {"cores", hdss_beside_cores, all_rows},
    {"blocks", hdss_blocks, all_rows},    {"chunks", hdss_chunks, all_rows},  {"openmp", hdss_openmp, no_rows},
    {"pipeline", hdss_pipeline, by_cuda}, {"fronts", hdss_fronts, some_rows}, {"emulated", hdss_emulated, no_rows}};

const char hdss_no_gpu[] = "there is no GPU; --opt devices names what stands for one";

int hdss_has_app(const figures *f, size_t i)
{
    size_t at;
    return !f->apps || figure_listed(f->apps, hdss_apps[i].name, &at);
}

size_t hdss_n_apps(const figures *f, size_t i)
{
    size_t n = 0;
    for (; i < HDSS_APPS; i++)
        n += hdss_has_app(f, i) != 0;
    return n;
}

void hdss_head(const figures *f, FILE *out, const char *note, const char *columns)
{
    heddle_device device = HEDDLE_DEVICE_INIT;
    if (heddle_device_get(HEDDLE_CUDA, 0, &device) == HEDDLE_OK)
        fprintf(out, "# gpu: %s\n", device.name);
    fprintf(out, "# %s\n# %s; everything is %s\n%s\n", f->needs, note, f->everything, columns);
}

void hdss_skip(FILE *out, const loop_app *a, uint64_t n_indices, const char *devices, const char *why)
{
    fprintf(out, "%s\t%llu\t%s\tskipped\t%s\n", a->name, (unsigned long long)n_indices, devices, why);
}

/* ---- options ---- */

/* Words of devices that are no cores, into `others`; "" if there are none. */
static void take_others(const char *words, char others[MOST_WORDS])
{
    size_t used = 0;
    for (others[0] = 0; *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        if (strncmp(words, "cpu:", 4) != 0 && length && used + length + 2 < MOST_WORDS)
            used += (size_t)snprintf(others + used, MOST_WORDS - used, "%s%.*s", used ? " " : "", (int)length, words);
        words += length;
    }
}

static void set_devices(figures *f, const char *words, char others[MOST_WORDS])
{
    f->others = others;
    f->everything = words ? words : "cuda:* cpu:*";
    take_others(f->everything, others);
    if (words)
        f->first = *others ? others : NULL;
    else if (heddle_backend_is_present(HEDDLE_CUDA))
        f->first = "cuda:0";
    else
        others[0] = 0;
}

typedef struct asked {
    const char *figures, *apps, *devices, *seconds, *side;
} asked;

static int find_options(const options *o, asked *a)
{
    const struct {
        const char *key;
        const char **value;
    } known[] = {{"figures", &a->figures},
                 {"apps", &a->apps},
                 {"devices", &a->devices},
                 {"seconds", &a->seconds},
                 {"side", &a->side}};
    for (size_t i = 0; i < o->request.n_opts; i++) {
        size_t k = 0;
        while (k < COUNT(known) && strcmp(o->request.opts[i].key, known[k].key) != 0)
            k++;
        if (k == COUNT(known))
            return cli_bad("--opt %s: of --figures hdss there are figures, apps, devices, seconds and side",
                           o->request.opts[i].key);
        *known[k].value = o->request.opts[i].value;
    }
    return CLI_OK;
}

static int is_any_app(const figures *f)
{
    return hdss_n_apps(f, 0) ? CLI_OK
                             : cli_bad("--opt apps=%s: of blackscholes, histogram, boxfilter, ep and mandel", f->apps);
}

/* Whether the words name devices that are here. */
static int try_devices(const char *words)
{
    heddle_fleet *f = NULL;
    if (heddle_fleet_open(&f, words, NULL) != HEDDLE_OK)
        return cli_bad("--opt devices=%s: %s", words, heddle_error_text(NULL));
    heddle_fleet_close(f);
    return CLI_OK;
}

static int make_figures(figures *f, const char *list)
{
    size_t n_made = 0, at;
    for (size_t i = 0; i < COUNT(all_figures); i++) {
        if (list && !figure_listed(list, all_figures[i].name, &at))
            continue;
        f->needs = all_figures[i].needs;
        if (all_figures[i].make(f))
            return CLI_BAD;
        n_made++;
    }
    return n_made
               ? CLI_OK
               : cli_bad(
                     "--opt figures=%s: of alone, ways, cores, blocks, chunks, openmp, pipeline, fronts and emulated",
                     list);
}

int figures_hdss(const options *o)
{
    figures f = {.o = o, .n_bytes = o->request.n[0] ? (double)o->request.n[0] : BYTES};
    asked a = {NULL, NULL, NULL, NULL, NULL};
    char others[MOST_WORDS];
    int status;
    if (find_options(o, &a) || figure_seconds(a.seconds, &f.end_ns))
        return CLI_BAD;
    f.apps = a.apps;
    f.side = a.side ? strtoull(a.side, NULL, 10) : 0;
    if (a.side && !f.side)
        return cli_bad("--opt side=%s: a number of rows and columns is expected", a.side);
    if (is_any_app(&f))
        return CLI_BAD;
    if (a.devices && strlen(a.devices) >= sizeof others)
        return cli_bad("--opt devices: the words are too long");
    if (a.devices && try_devices(a.devices))
        return CLI_BAD;
    (void)unsetenv("HEDDLE_FLEET_PROFILE"); /* a first run knows nothing */
    set_devices(&f, a.devices, others);
    status = make_figures(&f, a.figures);
    return status ? status : f.wrong ? CLI_WRONG : CLI_OK;
}
