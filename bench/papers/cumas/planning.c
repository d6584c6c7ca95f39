/* SPDX-License-Identifier: MIT */
/* planning.c - figure 4.10: how long a policy plans, on one core of this machine; and how far from the least makespan its orders are. Tasks are
 * random: each channel takes a uniform 1 to 100. */
#include "cumas.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { RANDOM_SETS = 200, RANDOM_TASKS = 10, TIMED_SETS = 15 };
static const share_policy planners[] = {SHARE_POLICY_DP, SHARE_POLICY_BF, SHARE_POLICY_EXACT};
static const uint32_t sizes[] = {2, 4, 6, 8, 9, 10, 12, 14};
enum { N_SIZES = COUNT(sizes), N_PLANNERS = COUNT(planners) };

static uint64_t next_time(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % 100 + 1;
}

static void make_set(share_task *tasks, uint32_t n, uint64_t seed)
{
    memset(tasks, 0, n * sizeof *tasks);
    for (uint32_t i = 0; i < n; i++) {
        tasks[i].s_ns = next_time(&seed), tasks[i].p_ns = next_time(&seed), tasks[i].r_ns = next_time(&seed);
        tasks[i].age = i + 1, tasks[i].is_known = 1;
    }
}

/* ---- 4.10 ---- */

/* Negative: it refuses so many. */
static double median_ms(share_policy policy, uint32_t n, double *most)
{
    double sorted[TIMED_SETS];
    const share_state now = {.row = n, .slack_percent = SHARE_SLACK_PERCENT};
    for (uint32_t i = 0; i < TIMED_SETS; i++) {
        share_task tasks[SHARE_MOST_ROW];
        uint32_t order[SHARE_MOST_ROW];
        uint64_t begin_ns;
        make_set(tasks, n, i + 1);
        begin_ns = cli_now_ns();
        if (share_order(policy, tasks, n, &now, order))
            return -1;
        figure_put(sorted, i, (double)(cli_now_ns() - begin_ns) / 1e6);
    }
    *most = sorted[TIMED_SETS - 1];
    return figure_middle(sorted, TIMED_SETS);
}

static void draw_planning(const double *value, FILE *out)
{
    static const char *const groups[] = {"2", "4", "6", "8", "9", "10", "12", "14"};
    static const char *const series[] = {"dp", "bf", "exact"};
    double at[N_SIZES];
    chart c = {.title = "How long a policy plans",
               .note = "median of 15 random sets, one core; bf takes at most 9 tasks",
               .unit = "ms",
               .at = at,
               .at_unit = "tasks"};
    for (size_t i = 0; i < N_SIZES; i++)
        at[i] = sizes[i];
    chart_fill(&c, N_SIZES, groups, N_PLANNERS, series, value);
    chart_print(&c, out);
}

int cumas_make_planning(const cumas_ask *a, const cumas_measured *m)
{
    figure_files f = {.dir = a->out};
    double value[N_SIZES * N_PLANNERS];
    (void)m;
    if (figure_begin(&f))
        return CLI_BAD;
    fputs("how\tpolicy\ttasks\tms\tmost_ms\n", f.tsv.out);
    for (size_t i = 0; i < N_SIZES * N_PLANNERS; i++) {
        const share_policy policy = planners[i % N_PLANNERS];
        const uint32_t n = sizes[i / N_PLANNERS];
        double most = 0;
        value[i] = n > share_policy_most_row(policy) ? -1 : median_ms(policy, n, &most);
        if (value[i] >= 0)
            fprintf(f.tsv.out, "measured\t%s\t%u\t%.4g\t%.4g\n", share_policy_word(policy), n, value[i], most);
    }
    draw_planning(value, f.svg.out);
    return figure_end_or_drop(&f, "cumas-4.10", 1, CLI_OK);
}

/* ---- random sets ---- */

typedef struct over {
    double sum, most;
} over;

/* How many times as long as the best the order takes. */
static int put_over(share_policy policy, const share_task *tasks, uint64_t best, over *o)
{
    const share_state now = {.row = RANDOM_TASKS};
    uint32_t order[RANDOM_TASKS];
    uint64_t sum;
    double times;
    if (share_order(policy, tasks, RANDOM_TASKS, &now, order))
        return cli_bad("no memory");
    times = (double)share_ends(tasks, order, RANDOM_TASKS, &now, &sum) / (double)best;
    o->sum += times;
    o->most = times > o->most ? times : o->most;
    return CLI_OK;
}

/* Of all orders none ends earlier than that of `exact`, which ctest compares with all orders of small sets. */
static int best_of(const share_task *tasks, uint64_t *best)
{
    const share_state now = {.row = RANDOM_TASKS};
    uint32_t order[RANDOM_TASKS];
    uint64_t sum;
    if (share_order(SHARE_POLICY_EXACT, tasks, RANDOM_TASKS, &now, order))
        return cli_bad("no memory");
    *best = share_ends(tasks, order, RANDOM_TASKS, &now, &sum);
    return CLI_OK;
}

int cumas_make_random(const cumas_ask *a, const cumas_measured *m)
{
    static const share_policy policies[] = {SHARE_POLICY_FIFO, SHARE_POLICY_DP, SHARE_POLICY_DP_PRINTED,
                                            SHARE_POLICY_EXACT};
    figure_files f = {.dir = a->out};
    over all[COUNT(policies)] = {{0, 0}};
    int status = CLI_OK;
    (void)m;
    if (figure_begin(&f))
        return CLI_BAD;
    for (uint64_t set = 1; set <= RANDOM_SETS && !status; set++) {
        share_task tasks[RANDOM_TASKS];
        uint64_t best = 0;
        make_set(tasks, RANDOM_TASKS, set);
        status = best_of(tasks, &best);
        for (size_t i = 0; i < COUNT(policies) && !status; i++)
            status = put_over(policies[i], tasks, best, &all[i]);
    }
    fputs("how\tpolicy\tsets\ttasks\tof_least\tmost_of_least\n", f.tsv.out);
    for (size_t i = 0; i < COUNT(policies); i++)
        fprintf(f.tsv.out, "simulated\t%s\t%d\t%d\t%.4f\t%.4f\n", share_policy_word(policies[i]), RANDOM_SETS,
                RANDOM_TASKS, all[i].sum / RANDOM_SETS, all[i].most);
    return figure_end_or_drop(&f, "cumas-random", 0, status);
}
