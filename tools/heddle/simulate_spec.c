/* SPDX-License-Identifier: MIT */
/* simulate_spec.c - words become a heddle_simulation. One reader for fleets, links and loops: a table of keys for each says what a value
 * is. Nothing is guessed or clipped. */
#include "simulate_spec.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char simulate_help[] =
    "FLEET is words: [N*]NAME[:KEY=VALUE,...]. Units of one name share what is learnt of their speed. Keys:\n"
    "  rate    grains a microsecond, or just a proportion if the loop has a time; default 1, of gpu 50\n"
    "  t0      fixed cost of a slice; default 300ns, of gpu 12us\n"
    "  ramp    grains: rate over the size n of a slice is that of n / (n + ramp); default 0\n"
    "  width   grains that it works on at once: a slice takes at least as long as its dearest grain; default 0\n"
    "  least, most   grains of a slice; default 64, of gpu 4096; no limit\n"
    "  flying  slices under way at once; default 1, of gpu 2\n"
    "  link    the name of a link, which all units that name it share\n"
    "  weight  speed by data sheet; default: the rate\n"
    "  hang    1: its slices may be given to others while it is at work on them; default 0, of gpu 1\n"
    "  slow    TIME/PART: from then on it has that part of its rate\n"
    "  die, hangs, join   TIME: it is lost; it never answers; it comes that late\n"
    "Links (--links): NAME:rate=BYTES a second,latency=TIME. The loop (--loop), as KEY=VALUE,...:\n"
    "  n       grains; default 1e6\n"
    "  shape   even, ramp, falling, rough, peak, dense, front, hill\n"
    "  time    that it takes ideally without trouble; rates are scaled so\n"
    "  in, out bytes of a grain over links\n"
    "  seed, noise (of times, default 0.003), behind (part of t0 seen behind another slice, default 0.1)\n"
    "  notice  TIME after which a death is noticed; default 200us\n"
    "  runs    each knows the speeds of the one before; the last is shown\n"
    "TIME is a number with ns, us, ms, s; of units also with %, of the time that the loop takes ideally without "
    "trouble.\n"
    "Example: heddle simulate \"gpu:link=pcie 15*core\" --links pcie:rate=55e9,latency=5us --loop "
    "n=1e8,shape=ramp,time=20ms,in=8\n";

typedef spec_key key;

#define OF_KIND(name, kind, field, times)                               \
    {                                                                   \
        (name), (kind), offsetof(heddle_simulated_kind, field), (times) \
    }
static const key kind_keys[] = {OF_KIND("rate", VALUE_NUMBER, rate, 1e-3),
                                OF_KIND("t0", VALUE_NS, t0_ns, 1),
                                OF_KIND("ramp", VALUE_NUMBER, ramp, 1),
                                OF_KIND("width", VALUE_NUMBER, width, 1),
                                OF_KIND("least", VALUE_COUNT, least, 1),
                                OF_KIND("most", VALUE_COUNT, most, 1),
                                OF_KIND("flying", VALUE_U32, most_flying, 1),
                                OF_KIND("link", VALUE_LINK, link, 1),
                                OF_KIND("weight", VALUE_NUMBER, weight, 1),
                                OF_KIND("hang", VALUE_U32, may_hang, 1),
                                OF_KIND("slow", VALUE_SLOW, slow_ns, 1),
                                OF_KIND("die", VALUE_TIME, die_ns, 1),
                                OF_KIND("hangs", VALUE_TIME, hang_ns, 1),
                                OF_KIND("join", VALUE_TIME, join_ns, 1),
                                {NULL, VALUE_NUMBER, 0, 0}};
static const key link_keys[] = {{"rate", VALUE_NUMBER, offsetof(heddle_simulated_link, bytes_ns), 1e-9},
                                {"latency", VALUE_TIME, offsetof(heddle_simulated_link, latency_ns), 1},
                                {NULL, VALUE_NUMBER, 0, 0}};
#define OF_LOOP(name, kind, field)                        \
    {                                                     \
        (name), (kind), offsetof(simulate_spec, field), 1 \
    }
static const key loop_keys[] = {OF_LOOP("n", VALUE_COUNT, d.n_grains),
                                OF_LOOP("shape", VALUE_SHAPE, d.shape),
                                OF_LOOP("time", VALUE_NS, time_ns),
                                OF_LOOP("in", VALUE_NUMBER, d.bytes_in),
                                OF_LOOP("out", VALUE_NUMBER, d.bytes_out),
                                OF_LOOP("seed", VALUE_COUNT, d.seed),
                                OF_LOOP("noise", VALUE_NUMBER, d.noise),
                                OF_LOOP("behind", VALUE_NUMBER, d.behind),
                                OF_LOOP("notice", VALUE_TIME, d.notice_ns),
                                OF_LOOP("runs", VALUE_U32, d.n_runs),
                                {NULL, VALUE_NUMBER, 0, 0}};

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* All of text, up to an end of its own, is a number from 0 on. */
static int number(const char *text, char **end, double *out)
{
    *out = strtod(text, end);
    return *end == text || !(*out >= 0) || !(*out < 1e300) ? -1 : 0;
}

/* ideal_ns is what 100 % are. */
static int time_of(const char *text, char **end, double ideal_ns, double *out)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (number(text, end, out))
        return -1;
    if (**end == '%' && ideal_ns > 0) {
        ++*end;
        *out *= ideal_ns / 100;
        return 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strncmp(*end, units[i].unit, strlen(units[i].unit))) {
            *end += strlen(units[i].unit);
            *out *= units[i].ns;
            return 0;
        }
    return -1;
}

static int name_of_link(const simulate_spec *s, const char *text, uint32_t *out)
{
    for (uint32_t l = 0; l < s->d.n_links; l++)
        if (!strcmp(s->link_names[l], text)) {
            *out = l + 1;
            return CLI_OK;
        }
    return cli_bad("there is no link '%s' (--links)", text);
}

static const char *shape_name(uint32_t i) { return heddle_shape_name((heddle_shape)i); }
static const char *map_name(uint32_t i) { return i == HEDDLE_N_MAPS ? "all" : heddle_map_name((heddle_map)i); }

/* The number of the name. */
static int number_of(const char *what, const char *text, const char *(*name)(uint32_t), uint32_t *out)
{
    cli_guess guess = {.word = text};
    for (uint32_t i = 0; name(i); i++) {
        *out = i;
        if (!strcmp(text, name(i)))
            return CLI_OK;
        cli_guess_offer(&guess, name(i));
    }
    return cli_bad("unknown %s '%s'%s", what, text, cli_guess_tail(&guess));
}

/* TIME/PART */
static int slow_of(const char *text, char **end, double ideal_ns, heddle_simulated_kind *k)
{
    double ns = 0;
    if (time_of(text, end, ideal_ns, &ns) || **end != '/' || number(*end + 1, end, &k->slow_to))
        return -1;
    k->slow_ns = (uint64_t)ns;
    return 0;
}

static int whole(double v, double most) { return v <= most && v == floor(v) ? 0 : -1; }

/* Fills the field of `record` that the key names. */
static int set_value(simulate_spec *s, void *record, const key *k, const char *text, double ideal_ns)
{
    void *field = (char *)record + k->field;
    char *end = NULL;
    double v = 0;
    int bad;
    if (k->kind == VALUE_LINK)
        return name_of_link(s, text, field);
    if (k->kind == VALUE_SHAPE)
        return number_of("shape", text, shape_name, field);
    if (k->kind == VALUE_MAP)
        return number_of("map", text, map_name, field);
    if (k->kind == VALUE_SLOW)
        bad = slow_of(text, &end, ideal_ns, record);
    else
        bad = k->kind == VALUE_TIME || k->kind == VALUE_NS ? time_of(text, &end, ideal_ns, &v) : number(text, &end, &v);
    bad = bad || *end;
    bad = bad || (k->kind == VALUE_COUNT && whole(v, 9e18)) || (k->kind == VALUE_U32 && whole(v, 1e6));
    if (bad)
        return cli_bad("%s=%s: %s is expected", k->name, text,
                       k->kind == VALUE_SLOW                            ? "TIME/PART"
                       : k->kind == VALUE_TIME || k->kind == VALUE_NS   ? "a time, with its unit,"
                       : k->kind == VALUE_COUNT || k->kind == VALUE_U32 ? "a whole number"
                                                                        : "a number from 0 on");
    if (k->kind == VALUE_NUMBER || k->kind == VALUE_NS)
        *(double *)field = v * k->times;
    else if (k->kind == VALUE_COUNT || k->kind == VALUE_TIME || k->kind == VALUE_BYTES)
        *(uint64_t *)field = (uint64_t)v;
    else if (k->kind == VALUE_U32)
        *(uint32_t *)field = (uint32_t)v;
    return CLI_OK;
}

int spec_set_values(simulate_spec *s, void *record, const spec_key *keys, char *text, double ideal_ns)
{
    char *rest = NULL, *word;
    for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(word, '=');
        cli_guess guess = {.word = word};
        const key *k = keys;
        if (!equals)
            return cli_bad("%s: KEY=VALUE is expected", word);
        *equals = '\0';
        for (; k->name && strcmp(k->name, word) != 0; k++)
            cli_guess_offer(&guess, k->name);
        if (!k->name)
            return cli_bad("unknown key '%s'%s", word, cli_guess_tail(&guess));
        if (set_value(s, record, k, equals + 1, ideal_ns))
            return CLI_BAD;
    }
    return CLI_OK;
}

/* ---- words ----------------------------------------------------------------------------------------------------------- */

int spec_take_name(char *to, const char *name)
{
    if (!*name || strlen(name) >= SPEC_NAME)
        return cli_bad("a name of 1 to %d letters is expected, not '%s'", SPEC_NAME - 1, name);
    memcpy(to, name, strlen(name) + 1);
    return CLI_OK;
}

char *spec_cut_name(char *word)
{
    char *colon = strchr(word, ':');
    if (!colon)
        return word + strlen(word);
    *colon = '\0';
    return colon + 1;
}

static int read_link(simulate_spec *s, char *word, double ideal_ns)
{
    char *values = spec_cut_name(word);
    const uint32_t l = s->d.n_links;
    if (l == SPEC_MOST)
        return cli_bad("at most %d links are possible", SPEC_MOST);
    s->links[l] = (heddle_simulated_link){0, 0};
    if (spec_take_name(s->link_names[l], word) || spec_set_values(s, &s->links[l], link_keys, values, ideal_ns))
        return CLI_BAD;
    s->d.n_links++;
    return s->links[l].bytes_ns > 0 ? CLI_OK : cli_bad("link %s: a rate is expected", word);
}

/* The first kind of this name, which may be the one at `at`. */
static uint32_t first_named(const simulate_spec *s, uint32_t at)
{
    uint32_t k = 0;
    while (k < at && strcmp(s->kind_names[k], s->kind_names[at]) != 0)
        k++;
    return k;
}

static int read_kind(simulate_spec *s, char *word, double ideal_ns)
{
    static const heddle_simulated_kind core = {.n_units = 1, .rate = 1e-3, .t0_ns = 300, .most_flying = 1, .least = 64};
    static const heddle_simulated_kind gpu = {
        .n_units = 1, .rate = 50e-3, .t0_ns = 12000, .most_flying = 2, .least = 4096, .may_hang = 1};
    char *values = spec_cut_name(word), *star = strchr(word, '*'), *name = star ? star + 1 : word;
    const uint32_t at = s->d.n_kinds;
    uint64_t n = 1;
    if (at == SPEC_MOST)
        return cli_bad("at most %d words are possible", SPEC_MOST);
    if (star)
        *star = '\0';
    if (star && cli_parse_u64(word, 1, 1000000, &n))
        return cli_bad("%s*%s: a number of units from 1 to 1000000 is expected", word, name);
    s->kinds[at] = strcmp(name, "gpu") ? core : gpu;
    s->kinds[at].n_units = (uint32_t)n;
    if (spec_take_name(s->kind_names[at], name) || spec_set_values(s, &s->kinds[at], kind_keys, values, ideal_ns))
        return CLI_BAD;
    s->kinds[at].model = first_named(s, at);
    s->d.n_kinds++;
    return s->kinds[at].rate > 0 ? CLI_OK : cli_bad("%s: a rate above 0 is expected", name);
}

/* Reads each word of a copy of text. */
static int read_words(simulate_spec *s, const char *text, int (*read)(simulate_spec *, char *, double), double ideal_ns)
{
    char *copy = text ? strdup(text) : NULL, *rest = NULL, *word;
    int status = CLI_OK;
    if (text && !copy)
        return cli_bad("out of memory");
    for (word = text ? strtok_r(copy, " \t\n", &rest) : NULL; word && !status; word = strtok_r(NULL, " \t\n", &rest))
        status = read(s, word, ideal_ns);
    free(copy);
    return status;
}

static int read_loop(simulate_spec *s, char *word, double ideal_ns)
{
    return spec_set_values(s, s, loop_keys, word, ideal_ns);
}

/* Grains a nanosecond of all units. */
static double rate_of_all(const simulate_spec *s)
{
    double sum = 0;
    for (uint32_t k = 0; k < s->d.n_kinds; k++)
        sum += s->kinds[k].rate * s->kinds[k].n_units;
    return sum;
}

static void scale_rates(simulate_spec *s)
{
    const double times = s->time_ns > 0 ? (double)s->d.n_grains / s->time_ns / rate_of_all(s) : 1;
    for (uint32_t k = 0; k < s->d.n_kinds; k++)
        s->kinds[k].rate *= times;
}

int simulate_spec_read(simulate_spec *s, const char *fleet, const char *links, const char *loop)
{
    static const heddle_simulation defaults = HEDDLE_SIMULATION_INIT;
    double ideal = 1; /* in the first pass; only the second knows */
    *s = (simulate_spec){.d = defaults};
    s->d.n_grains = 1000000;
    s->d.kinds = s->kinds;
    s->d.links = s->links;
    if (read_words(s, loop, read_loop, 0) || read_words(s, links, read_link, 0) ||
        read_words(s, fleet, read_kind, ideal))
        return CLI_BAD;
    if (!s->d.n_kinds)
        return cli_bad("a fleet has at least one unit, as in \"gpu 15*core\"");
    ideal = s->time_ns > 0 ? s->time_ns : (double)s->d.n_grains / rate_of_all(s);
    s->d.n_kinds = 0;
    if (read_words(s, fleet, read_kind, ideal))
        return CLI_BAD;
    scale_rates(s);
    return CLI_OK;
}
