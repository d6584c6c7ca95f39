/* SPDX-License-Identifier: MIT */
/* order.c - the policies on random sets of tasks. The recurrences end where an event simulation of three channels ends; exact ends
 * where the best of all orders does; dp stays near it, dp-printed does not; memory, classes, places and unknown tasks count.
 * HEDDLE_SHARE_SETS: sets for exact against all orders (10000 when not set). Prints how long exact takes. */
#include "order.h"

#include "check.h"

#include <string.h>
#include <time.h>

enum { MOST = 16 };
static uint64_t state;
static share_task tasks[SHARE_MOST_TASKS];
static uint32_t order[SHARE_MOST_TASKS];

/* Some times are 0, some alike: what ties and passed channels need. */
static uint64_t random_time(int has_zeros)
{
    uint64_t t = 1 + check_below(&state, 100);
    return has_zeros && check_below(&state, 5) == 0 ? 0 : has_zeros ? t : t * 1000 + check_below(&state, 1000);
}

static void random_tasks(uint32_t n, int has_zeros)
{
    for (uint32_t i = 0; i < n; i++)
        tasks[i] = (share_task){.s_ns = random_time(has_zeros),
                                .p_ns = random_time(has_zeros),
                                .r_ns = random_time(has_zeros),
                                .age = i,
                                .is_known = 1};
}

static share_state random_state(uint32_t row)
{
    return (share_state){.s_ns = check_below(&state, 2) * random_time(1),
                         .p_ns = check_below(&state, 150),
                         .r_ns = check_below(&state, 200),
                         .row = row};
}

static void check_is_permutation(uint32_t n)
{
    int seen[SHARE_MOST_TASKS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        CHECK(order[i] < n && !seen[order[i]]);
        seen[order[i]] = 1;
    }
}

static uint64_t ends(share_policy policy, uint32_t n, const share_state *now)
{
    uint64_t sum;
    CHECK(!share_order(policy, tasks, n, now, order));
    check_is_permutation(n);
    return share_ends(tasks, order, n, now, &sum);
}

/* ---- the recurrences ---- */

typedef struct channel {
    uint64_t until; /* it is taken */
    uint32_t next;  /* the place in the order that it looks at */
    int works;      /* at the task of that place */
} channel;

static uint64_t time_on(uint32_t place, int c)
{
    const share_task *t = &tasks[order[place]];
    return c == 0 ? t->s_ns : c == 1 ? t->p_ns : t->r_ns;
}

/* It is through with the channels before this one. */
static int is_ready(uint32_t place, int c, const channel *channels)
{
    for (int b = 0; b < c; b++)
        if (time_on(place, b) && channels[b].next <= place)
            return 0;
    return 1;
}

/* Moment by moment: a channel that is free takes the next task of the order that needs it, once that is ready. */
static uint64_t simulate(uint32_t n, const share_state *now, uint64_t *sum)
{
    channel channels[3] = {{now->s_ns, 0, 0}, {now->p_ns, 0, 0}, {now->r_ns, 0, 0}};
    uint64_t end = 0, end_of[MOST] = {0};
    for (uint64_t t = 0; channels[0].next < n || channels[1].next < n || channels[2].next < n; t++)
        for (int c = 0; c < 3; c++) {
            channel *x = &channels[c];
            if (x->works && x->until == t)
                x->works = 0, end_of[x->next++] = t;
            while (!x->works && x->next < n && !time_on(x->next, c))
                x->next++;
            if (!x->works && x->next < n && x->until <= t && is_ready(x->next, c, channels))
                x->works = 1, x->until = t + time_on(x->next, c);
        }
    *sum = 0;
    for (uint32_t i = 0; i < n; i++)
        *sum += end_of[i];
    for (int c = 0; c < 3; c++)
        end = channels[c].until > end ? channels[c].until : end;
    return end;
}

static void of_recurrences(int n_sets)
{
    for (int k = 0; k < n_sets; k++) {
        uint32_t n = 1 + (uint32_t)check_below(&state, 8);
        share_state now;
        uint64_t sum, simulated_sum, end;
        random_tasks(n, 1);
        now = random_state(1);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        end = share_ends(tasks, order, n, &now, &sum);
        CHECK_MSG(end == simulate(n, &now, &simulated_sum), "set %d", k);
        CHECK(sum == simulated_sum);
    }
}

/* ---- the best order ---- */

static uint64_t all_orders(uint32_t n)
{
    share_state now = random_state(9);
    uint64_t best = ends(SHARE_POLICY_BF, n, &now), exact, sum, least_sum, sum_of_exact;
    now.row = MOST;
    exact = ends(SHARE_POLICY_EXACT, n, &now);
    CHECK_MSG(exact == best, "%llu, but %llu can be had", (unsigned long long)exact, (unsigned long long)best);
    share_ends(tasks, order, n, &now, &least_sum);
    now.slack_percent = 2;
    CHECK(ends(SHARE_POLICY_EXACT, n, &now) * 100 <= best * 102);
    share_ends(tasks, order, n, &now, &sum_of_exact);
    CHECK(sum_of_exact <= least_sum);
    for (int i = 0; i < 20; i++) { /* no order at random is better */
        uint32_t a = (uint32_t)check_below(&state, n), b = (uint32_t)check_below(&state, n), x = order[a];
        order[a] = order[b], order[b] = x;
        CHECK(share_ends(tasks, order, n, &now, &sum) >= best);
    }
    return best;
}

static void of_exact(void)
{
    const char *text = getenv("HEDDLE_SHARE_SETS");
    int n_sets = text ? atoi(text) : CHECK_IS_SLOW ? 300 : 10000;
    for (int k = 0; k < n_sets; k++) {
        uint32_t n = 1 + (uint32_t)check_below(&state, k % 8 ? 6 : 8);
        random_tasks(n, k & 1);
        all_orders(n);
    }
    printf("exact is the best of all orders on %d sets\n", n_sets);
}

/* The least sum of ends among the orders that end by `limit`. */
static uint64_t least_sum(uint32_t n, uint32_t at, uint64_t limit, const share_state *now)
{
    uint64_t best = UINT64_MAX, sum;
    if (at == n)
        return share_ends(tasks, order, n, now, &sum) <= limit ? sum : UINT64_MAX;
    for (uint32_t i = at; i < n; i++) {
        uint32_t x = order[i];
        order[i] = order[at], order[at] = x;
        sum = least_sum(n, at + 1, limit, now);
        best = sum < best ? sum : best;
        order[at] = order[i], order[i] = x;
    }
    return best;
}

/* The search by single moves comes near the least mean end. */
static void of_mean_ends(void)
{
    double over = 0;
    for (int k = 0; k < 100; k++) {
        share_state now = {.row = 12};
        uint64_t end, least, sum;
        random_tasks(6, 0);
        end = ends(SHARE_POLICY_EXACT, 6, &now);
        least = least_sum(6, 0, end * 102 / 100, &now);
        now.slack_percent = 2;
        ends(SHARE_POLICY_EXACT, 6, &now);
        share_ends(tasks, order, 6, &now, &sum);
        CHECK(sum >= least);
        over += (double)sum / (double)least - 1;
    }
    printf("mean end within the slack: %.2f %% over the least\n", over);
    CHECK(over <= 3);
}

/* Of 200 sets of ten. */
static void of_quality(void)
{
    static const share_policy who[] = {SHARE_POLICY_DP, SHARE_POLICY_EXACT, SHARE_POLICY_FIFO, SHARE_POLICY_DP_PRINTED};
    double over[4] = {0}, worst[4] = {0};
    for (int k = 0; k < 200; k++) {
        share_state now = {.row = 10};
        uint64_t best;
        random_tasks(10, 0);
        best = ends(SHARE_POLICY_EXACT, 10, &now);
        for (int i = 0; i < 4; i++) {
            double x = (double)ends(who[i], 10, &now) / (double)best - 1;
            over[i] += x / 200;
            worst[i] = x > worst[i] ? x : worst[i];
        }
    }
    for (int i = 0; i < 4; i++)
        printf("%-10s %5.2f %% over the least makespan on average, %5.2f %% at worst\n", share_policy_word(who[i]),
               over[i] * 100, worst[i] * 100);
    CHECK(over[0] <= 0.02 && over[1] == 0);
    CHECK(over[3] > 0.1 && over[2] > 0.1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* a busy machine's other programs do not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Printed, and only bounded far off: machines differ. */
static void of_speed(void)
{
    for (uint32_t n = 8; n <= 14; n += 2) {
        double sum = 0, worst = 0;
        for (int k = 0; k < 20; k++) {
            share_state now = {.row = MOST, .slack_percent = 2};
            double begin;
            random_tasks(n, 0);
            begin = now_ms();
            share_order(SHARE_POLICY_EXACT, tasks, n, &now, order);
            begin = now_ms() - begin;
            sum += begin, worst = begin > worst ? begin : worst;
        }
        printf("exact: %2u tasks %.3f ms, at most %.3f\n", n, sum / 20, worst);
        CHECK(CHECK_IS_SLOW || sum / 20 < 100);
    }
}

/* ---- what surrounds a plan ---- */

/* Two that do not fit together stand apart, if the order can be had that way; else memory counts for nothing. */
static void of_memory(void)
{
    share_state now = {.row = 3, .mem_bytes = 100};
    for (int k = 0; k < 2; k++) {
        share_policy policy = k ? SHARE_POLICY_BF : SHARE_POLICY_DP;
        uint64_t free_end, bound_end;
        tasks[0] = (share_task){.s_ns = 10, .p_ns = 30, .r_ns = 5, .mem_bytes = 60, .age = 1, .is_known = 1};
        tasks[1] = (share_task){.s_ns = 40, .p_ns = 10, .r_ns = 4, .mem_bytes = 30, .age = 2, .is_known = 1};
        tasks[2] = (share_task){.s_ns = 12, .p_ns = 35, .r_ns = 3, .mem_bytes = 60, .age = 3, .is_known = 1};
        now.mem_bytes = 0;
        free_end = ends(policy, 3, &now);
        CHECK(order[1] != 1); /* 0 and 2 side by side */
        now.mem_bytes = 100;
        bound_end = ends(policy, 3, &now);
        CHECK(order[1] == 1 && bound_end > free_end);
        now.mem_bytes = 50; /* one alone does not fit */
        CHECK(ends(policy, 3, &now) == free_end);
    }
}

static void of_places(void)
{
    share_state now = {.row = 12};
    random_tasks(8, 0);
    tasks[6].place = 3, tasks[2].place = 4, tasks[4].place = UINT32_MAX; /* places wrap */
    CHECK(!share_order(SHARE_POLICY_EXACT, tasks, 8, &now, order));
    CHECK(order[0] == 4 && order[1] == 6 && order[2] == 2);
    tasks[7].class_ = 0;
    for (int i = 0; i < 7; i++)
        tasks[i].class_ = 1;
    CHECK(!share_order(SHARE_POLICY_EXACT, tasks, 8, &now, order));
    CHECK(order[0] == 7 && order[1] == 4);
    CHECK(!share_order(SHARE_POLICY_FIFO, tasks, 8, &now, order));
    CHECK(order[0] == 7 && order[1] == 0);
}

/* Those that are not known stand where they came; all of them: fifo. */
static void of_unknown(void)
{
    share_state now = {.row = 12};
    for (int k = 0; k < 100; k++) {
        random_tasks(10, 0);
        for (uint32_t i = 0; i < 10; i++)
            tasks[i].is_known = (uint32_t)check_below(&state, 2), tasks[i].age = UINT32_MAX - 4 + i;
        CHECK(!share_order(SHARE_POLICY_EXACT, tasks, 10, &now, order));
        check_is_permutation(10);
        for (uint32_t i = 0; i < 10; i++)
            CHECK(tasks[i].is_known || order[i] == i);
        for (uint32_t i = 0; i < 10; i++)
            tasks[i].is_known = 0;
        CHECK(!share_order(SHARE_POLICY_EXACT, tasks, 10, &now, order));
        for (uint32_t i = 0; i < 10; i++)
            CHECK(order[i] == i);
    }
}

/* Batches go by arrival; a window takes those that Johnson's rule puts first. */
static void of_rows(void)
{
    share_state now = {.row = 4};
    random_tasks(40, 0);
    CHECK(!share_order(SHARE_POLICY_DP, tasks, 40, &now, order));
    check_is_permutation(40);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(order[i] < 4);
    for (uint32_t i = 4; i < 40; i++)
        CHECK(order[i] == i);
    for (uint32_t row = 2; row <= 12; row += 5) {
        uint64_t narrow;
        now.row = row;
        narrow = ends(SHARE_POLICY_EXACT, 40, &now);
        CHECK(narrow < ends(SHARE_POLICY_FIFO, 40, &now));
    }
}

static void of_refusals(void)
{
    share_state now = {.row = 0};
    share_policy p;
    random_tasks(3, 0);
    for (int i = 0; i < SHARE_N_POLICIES; i++) {
        now.row = 0;
        CHECK(share_order((share_policy)i, tasks, 3, &now, order) == -1);
        now.row = share_policy_most_row((share_policy)i) + 1;
        CHECK(share_order((share_policy)i, tasks, 3, &now, order) == -1);
        now.row = 1;
        CHECK(share_order((share_policy)i, tasks, 0, &now, order) == 0);
        CHECK(share_order((share_policy)i, tasks, SHARE_MOST_TASKS + 1, &now, order) == -1);
        CHECK(!share_policy_of(share_policy_word((share_policy)i), &p) && p == (share_policy)i);
    }
    CHECK(share_order(SHARE_N_POLICIES, tasks, 3, &now, order) == -1);
    CHECK(share_policy_of("best", &p) == -1);
    CHECK(share_policy_most_row(SHARE_POLICY_BF) == 9);
}

int main(void)
{
    state = check_seed(27);
    of_refusals();
    of_recurrences(CHECK_IS_SLOW ? 100 : 2000);
    of_memory();
    of_places();
    of_unknown();
    of_rows();
    of_mean_ends();
    of_quality();
    of_speed();
    of_exact();
    return 0;
}
