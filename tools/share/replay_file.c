/* SPDX-License-Identifier: MIT */
/* replay_file.c - `heddle share replay`: simulates files of tasks under policies and rows, and prints a line each. */
#include "replay.h"

#include <string.h>

/* Over all orders of arrival. */
typedef struct summary {
    double makespan, least, most, mean_end, idle[SHARE_N_CHANNELS], planning, a_plan;
    uint64_t most_overtaken;
} summary;

static int summarise(const share_load *load, const share_replay_options *o, share_policy policy, uint32_t row,
                     summary *s)
{
    double n_plans = 0;
    memset(s, 0, sizeof *s);
    for (uint32_t k = 0; k < o->n_orders; k++) {
        share_replay_how how = {policy, row, o->slack_percent, o->wrong, o->seed + k, o->is_unknown, NULL, NULL};
        share_replay_result r;
        if (share_replay(load, &how, &r))
            return -1;
        s->makespan += r.makespan_ns / o->n_orders;
        s->least = !k || r.makespan_ns < s->least ? r.makespan_ns : s->least;
        s->most = r.makespan_ns > s->most ? r.makespan_ns : s->most;
        s->mean_end += r.mean_end_ns / o->n_orders;
        for (int c = 0; c < SHARE_N_CHANNELS; c++)
            s->idle[c] += r.idle_ns[c] / o->n_orders;
        s->planning += r.planning_ns / o->n_orders;
        n_plans += (double)r.n_plans / o->n_orders;
        s->most_overtaken = r.most_overtaken > s->most_overtaken ? r.most_overtaken : s->most_overtaken;
    }
    s->a_plan = n_plans > 0 ? s->planning / n_plans : 0;
    return 0;
}

static void print_json(FILE *out, share_policy policy, uint32_t row, const summary *s, int is_first)
{
    fprintf(out,
            "%s    {\"policy\": \"%s\", \"row\": %u, \"makespan_ns\": %.0f, \"least_ns\": %.0f, \"most_ns\": %.0f, "
            "\"mean_end_ns\": %.0f, \"idle_gpu_ns\": %.0f, \"idle_out_ns\": %.0f, \"planning_ns\": %.0f, "
            "\"a_plan_ns\": %.0f, \"most_overtaken\": %llu}",
            is_first ? "" : ",\n", share_policy_word(policy), row, s->makespan, s->least, s->most, s->mean_end,
            s->idle[SHARE_P], s->idle[SHARE_R], s->planning, s->a_plan, (unsigned long long)s->most_overtaken);
}

static void print_line(FILE *out, share_policy policy, uint32_t row, uint64_t least, const summary *s)
{
    char over[16] = "-";
    if (least)
        snprintf(over, sizeof over, "%.3f", s->makespan / (double)least);
    fprintf(out, "%-10s %3u %9.1f %9.1f %9.1f %7s %9.1f %9.1f %9.1f %9.3f %9.4f %9llu\n", share_policy_word(policy),
            row, s->makespan / 1e6, s->least / 1e6, s->most / 1e6, over, s->mean_end / 1e6, s->idle[SHARE_P] / 1e6,
            s->idle[SHARE_R] / 1e6, s->planning / 1e6, s->a_plan / 1e6, (unsigned long long)s->most_overtaken);
}

static void print_head(FILE *out, const share_load *load, const share_replay_options *o, uint64_t least)
{
    if (o->is_json) {
        fprintf(out, "{\"programs\": %u, \"tasks\": %u, \"orders\": %u, \"least_ns\": %llu, \"results\": [\n",
                load->n_programs, load->n_tasks, o->n_orders, (unsigned long long)least);
        return;
    }
    fprintf(out, "%u programs, %u tasks, %u orders of arrival", load->n_programs, load->n_tasks, o->n_orders);
    if (least)
        fprintf(out, "; least possible, each program one task: %.1f ms", (double)least / 1e6);
    fprintf(out, "\n\n%-10s %3s %9s %9s %9s %7s %9s %9s %9s %9s %9s %9s\n", "policy", "row", "makespan", "least",
            "most", "of it", "mean end", "idle GPU", "idle out", "planning", "a plan", "overtaken");
}

/* Some policies do not look at the row: they are asked once. */
static uint32_t last_row(const share_replay_options *o, share_policy policy)
{
    uint32_t most = share_policy_most_row(policy);
    if (policy == SHARE_POLICY_NONE || policy == SHARE_POLICY_STRINGS || policy == SHARE_POLICY_FIFO)
        return o->row_first;
    return o->row_last < most ? o->row_last : most;
}

static int print_all(const share_load *load, const share_replay_options *o, FILE *out)
{
    uint64_t least;
    int n = 0;
    if (share_replay_least(load, &least))
        return -1;
    print_head(out, load, o, least);
    for (int i = 0; i < SHARE_N_POLICIES; i++)
        for (uint32_t row = o->row_first; o->policies >> i & 1 && row <= last_row(o, (share_policy)i); row++) {
            summary s;
            if (summarise(load, o, (share_policy)i, row, &s))
                return -1;
            if (o->is_json)
                print_json(out, (share_policy)i, row, &s, !n++);
            else
                print_line(out, (share_policy)i, row, least, &s);
        }
    fputs(o->is_json ? "\n]}\n" : "\nTimes in ms: over all orders, means but for least and most.\n", out);
    return 0;
}

int share_replay_file(const share_replay_options *o, FILE *out, share_why *why)
{
    share_load load;
    int failed = share_load_files(o->paths, o->n_paths, o->gb_per_s, &load, why);
    if (failed)
        return -1;
    if (print_all(&load, o, out))
        failed = share_because(why, "there is no memory for the simulation");
    share_load_free(&load);
    return failed;
}
