/* SPDX-License-Identifier: MIT */
/* subject.c - implements subject.h. The cpu backend has only the subjects that differ by policy, on all cores: to test
 * the program, not to measure a GPU. */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* Does the subject exist on threads? */
static int is_of_threads(const subject *s)
{
    return s->mode.schedule == HEDDLE_SCHEDULE_RINGS || s->mode.schedule == HEDDLE_SCHEDULE_SCHEDULER ||
           s->mode.schedule == HEDDLE_SCHEDULE_CENTRAL || s->mode.schedule == HEDDLE_SCHEDULE_WAVE;
}

const subject *subject_named(const char *name)
{
    const subject *s = subject_table;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    return s->name ? s : NULL;
}

const subject *subject_find(const bench *b, const char *name)
{
    const subject *s = subject_named(name);
    return s && (b->backend == HEDDLE_CUDA || is_of_threads(s)) ? s : NULL;
}

size_t settings_read(const bench *b, const char *list, setting *out, size_t n_max)
{
    size_t n = 0;
    int extra = 0;
    while (*list && n < n_max) {
        char name[32];
        unsigned per_sm = 0, threads = 0;
        int length = 0;
        if (sscanf(list, " %31[^: ]%n", name, &length) < 1)
            break;
        list += length;
        if (!strcmp(name, "|")) {
            extra = 1;
            continue;
        }
        if (*list == ':')
            per_sm = (unsigned)strtoul(list + 1, (char **)(uintptr_t)&list, 10);
        if (*list == ':')
            threads = (unsigned)strtoul(list + 1, (char **)(uintptr_t)&list, 10);
        out[n] = (setting){subject_find(b, name), per_sm, threads, extra, 0};
        n += out[n].subject != NULL;
    }
    return n;
}

const char *setting_name(setting_text *buf, const setting *s)
{
    size_t at = 0;
    buf->text[0] = '\0';
    if (s->n_workers)
        at = (size_t)snprintf(buf->text, sizeof buf->text, "%u workers", s->n_workers);
    else if (s->per_sm && is_persistent(s))
        at = (size_t)snprintf(buf->text, sizeof buf->text, "w%u", s->per_sm);
    if (s->threads)
        at += (size_t)snprintf(buf->text + at, sizeof buf->text - at, "%sl%u", at ? " " : "", s->threads);
    return at ? buf->text : "auto";
}

/* ---- times ---- */

const sample *times_best(const times *t) { return t->queued.n ? &t->queued : &t->run; }

int time_problem(bench *b, const problem *p, const setting *at, uint32_t each_ns, uint32_t n, times *out)
{
    const runner *r = at->subject->runner;
    void *self = NULL;
    int bad = r->open(b, at, p, &self) || r->run(b, self, each_ns, n, out);
    r->close(self);
    return bad ? -1 : 0;
}

int time_shape(bench *b, const shape *s, const setting *at, uint32_t each_ns, uint32_t n, times *out)
{
    const problem p = {s, NULL};
    return time_problem(b, &p, at, each_ns, n, out);
}

int verify_shape(bench *b, const shape *s, const setting *at)
{
    const runner *r = at->subject->runner;
    return r->verify ? r->verify(b, at, s) : 0;
}

/* ---- scores ---- */

void scores_add(scores *s, const setting *at, double us)
{
    if (s->n < sizeof s->list / sizeof *s->list && us > 0)
        s->list[s->n++] = (score){*at, us};
}

double scores_best(const scores *s, rank r, const char *name)
{
    double best = 0;
    for (size_t i = 0; i < s->n; i++) {
        const subject *u = s->list[i].at.subject;
        if ((name ? !strcmp(u->name, name) : u->rank == r) && (best == 0 || s->list[i].us < best))
            best = s->list[i].us;
    }
    return best;
}

double scores_best_persistent(const scores *s)
{
    double plan = scores_best(s, RANK_PLAN, NULL), dynamic = scores_best(s, RANK_DYNAMIC, NULL);
    return plan == 0 || (dynamic > 0 && dynamic < plan) ? dynamic : plan;
}
