/* SPDX-License-Identifier: MIT */
/* host_call.c - calls of the OpenMP library in the host's part. In a region one thread creates tasks; queries get the
 * answers of that thread in a team of all workers. A file that keeps OpenMP pragmas also keeps its calls outside
 * regions. */
#include "host/host.h"
#include "analysis/understand.h"

#include <string.h>

typedef enum answer_kind { ANSWER, WORKERS, TEAM } answer_kind;

static const struct {
    const char *name;
    answer_kind kind;
    const char *text;
} answers[] = {
    {"omp_get_wtime", ANSWER, "heddle_omp_wtime()"},
    {"omp_get_wtick", ANSWER, "1e-9"},
    {"omp_get_thread_num", ANSWER, "0"},
    {"omp_get_num_threads", TEAM, ""},
    {"omp_get_max_threads", WORKERS, ""},
    {"omp_get_thread_limit", WORKERS, ""},
    {"omp_get_num_procs", WORKERS, ""},
    {"omp_in_parallel", ANSWER, "heddle_omp_inside()"},
    {"omp_get_level", ANSWER, "heddle_omp_inside()"},
    {"omp_get_active_level", ANSWER, "heddle_omp_inside()"},
    {"omp_in_final", ANSWER, "heddle_omp_final(0)"},
    {"omp_get_dynamic", ANSWER, "0"},
    {"omp_get_nested", ANSWER, "0"},
    {"omp_get_max_active_levels", ANSWER, "1"},
    {"omp_get_cancellation", ANSWER, "0"},
    {"omp_get_team_num", ANSWER, "0"},
    {"omp_get_num_teams", ANSWER, "1"},
    {"omp_is_initial_device", ANSWER, "1"},
    {"omp_get_default_device", ANSWER, "0"},
    {"omp_get_initial_device", ANSWER, "1"},
    {"omp_get_num_devices", ANSWER, "1"},
    {"omp_get_max_task_priority", ANSWER, "1"},
};

/* A region nested in the current one has a team of one. */
static int is_in_inner(const hc_host *h, const hc_node *n)
{
    while (h->region && n && !hc_is_region(n))
        n = n->parent;
    return h->region && n && !hc_is_in(h->region->creator, n);
}

static void put_answer(hc_host *h, const hc_node *n, answer_kind kind, const char *text)
{
    const char *what = kind == WORKERS ? "n_workers" : "team_size";
    if (kind == ANSWER)
        hc_puts(&h->w.out, text);
    else if (kind == TEAM && (h->in_task || is_in_inner(h, n)))
        hc_puts(&h->w.out, "1");
    else
        hc_putf(&h->w.out, "heddle_omp_%s(&hd_%s_omp)", what, h->prog);
}

/* heddle needs the number of threads, too; other settings are left to the environment. */
static int put_setting(hc_host *h, hc_node *n)
{
    hc_node *argument = n->first->next;
    if (strncmp(n->decl->name, "omp_set_", 8) != 0 || !argument || argument->next || strstr(n->decl->name, "lock"))
        return 0;
    hc_putf(&h->w.out, strcmp(n->decl->name, "omp_set_num_threads") ? "(void)(%s)" : "heddle_omp_set_threads(%s)",
            hc_host_text(h, argument));
    hc_puts(&h->w.out, n->unit->text.bytes[n->end - 1] == ';' ? ";" : "");
    return 1;
}

int hc_host_call(hc_host *h, hc_node *n)
{
    if (!n->decl || !n->decl->is_system || strncmp(n->decl->name, "omp_", 4) != 0 ||
        (h->keeps && !h->region && !h->in_task && strcmp(n->decl->name, "omp_set_num_threads")))
        return 0;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (strcmp(n->decl->name, answers[i].name) == 0) {
            put_answer(h, n, answers[i].kind, answers[i].text);
            return 1;
        }
    return put_setting(h, n);
}
