/* SPDX-License-Identifier: MIT */
/* mix.c - implements mix.h. */
#include "mix.h"

#include <stdlib.h>
#include <string.h>

static int read_line(mix *m, const char *line, char *why)
{
    char name[32], options[128] = "";
    int n = sscanf(line, "%31s %127[^#\n]", name, options);
    if (n < 1 || name[0] == '#')
        return 0;
    if (m->n == MIX_MOST_PROGRAMS) {
        snprintf(why, MIX_ERROR, "a mix has at most %d programs", MIX_MOST_PROGRAMS);
        return -1;
    }
    snprintf(m->programs[m->n].name, sizeof name, "%s", name);
    snprintf(m->programs[m->n++].options, sizeof options, "%s", n > 1 && options[0] != '#' ? options : "");
    return 0;
}

int mix_read(mix *m, const char *text, char why[MIX_ERROR])
{
    m->n = 0;
    while (*text) {
        char line[256];
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), text);
        if (read_line(m, line, why))
            return -1;
        text += n + (text[n] == '\n');
    }
    if (m->n)
        return 0;
    snprintf(why, MIX_ERROR, "the mix names no program");
    return -1;
}

/* ---- rounds ---- */

int mix_rounds_new(mix_rounds *r, uint32_t n_programs, uint32_t n)
{
    *r = (mix_rounds){n_programs, n, calloc((size_t)n_programs * n, sizeof *r->parts)};
    for (uint32_t i = 0; r->parts && i < n_programs * n; i++)
        r->parts[i].place = MIX_SITS_OUT;
    return r->parts ? 0 : -1;
}

void mix_rounds_free(mix_rounds *r)
{
    free(r->parts);
    r->parts = NULL;
}

mix_part *mix_part_of(const mix_rounds *r, uint32_t program, uint32_t round)
{
    return &r->parts[(size_t)round * r->n_programs + program];
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

void mix_arrive(mix_rounds *r, uint64_t seed)
{
    for (uint32_t round = 0; round < r->n; round++)
        for (uint32_t i = 0; i < r->n_programs; i++) {
            uint32_t at = (uint32_t)(next_random(&seed) % (i + 1));
            mix_part_of(r, i, round)->place = mix_part_of(r, at, round)->place;
            mix_part_of(r, at, round)->place = (int)i;
        }
}

void mix_alone(mix_rounds *r)
{
    for (uint32_t round = 0; round < r->n; round++)
        mix_part_of(r, round % r->n_programs, round)->place = 0;
}

/* ---- what programs say ---- */

static int take_line(const mix_rounds *r, const char *name, uint32_t program, const char *line, char *why)
{
    char who[32], result[16];
    unsigned round;
    double begin, end, in, kernels, out;
    mix_part *p;
    if (sscanf(line, "round\t%31s\t%u\t%lf\t%lf\t%*f\t%lf\t%lf\t%lf\t%*s\t%15s", who, &round, &begin, &end, &in,
               &kernels, &out, result) != 8 ||
        strcmp(who, name) != 0 || round > r->n) {
        snprintf(why, MIX_ERROR, "%s said: %.200s", name, line);
        return -1;
    }
    if (strcmp(result, "right") != 0) {
        snprintf(why, MIX_ERROR, "%s: the results of round %u are wrong", name, round);
        return -1;
    }
    if (!round) /* it only loads the code */
        return 0;
    p = mix_part_of(r, program, round - 1);
    *p = (mix_part){p->place, 1, begin / 1e6, end / 1e6, in, kernels, out};
    return 0;
}

int mix_take(const mix_rounds *r, const mix *m, uint32_t program, FILE *lines, char why[MIX_ERROR])
{
    const char *name = m->programs[program].name;
    char line[512];
    while (fgets(line, sizeof line, lines))
        if (!strncmp(line, "round\t", 6) && take_line(r, name, program, line, why))
            return -1;
    for (uint32_t round = 0; round < r->n; round++)
        if (mix_part_of(r, program, round)->place != MIX_SITS_OUT && !mix_part_of(r, program, round)->is_here) {
            snprintf(why, MIX_ERROR, "%s said nothing of round %u", name, round + 1);
            return -1;
        }
    return 0;
}

double mix_first_ms(const mix_rounds *r, uint32_t round)
{
    double first = -1;
    for (uint32_t i = 0; i < r->n_programs; i++) {
        const mix_part *p = mix_part_of(r, i, round);
        if (p->is_here && (first < 0 || p->begin_ms < first))
            first = p->begin_ms;
    }
    return first;
}

double mix_makespan_ms(const mix_rounds *r, uint32_t round)
{
    double first = mix_first_ms(r, round), last = first;
    for (uint32_t i = 0; i < r->n_programs; i++) {
        const mix_part *p = mix_part_of(r, i, round);
        last = p->is_here && p->end_ms > last ? p->end_ms : last;
    }
    return last - first;
}

double mix_mean_end_ms(const mix_rounds *r, uint32_t round)
{
    double first = mix_first_ms(r, round), sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_programs; i++) {
        const mix_part *p = mix_part_of(r, i, round);
        sum += p->is_here ? p->end_ms - first : 0;
        n += (uint32_t)p->is_here;
    }
    return n ? sum / n : 0;
}
