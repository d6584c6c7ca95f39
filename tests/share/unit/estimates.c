/* SPDX-License-Identifier: MIT */
/* estimates.c - lines find the rate of a link and of kernels, also when it changes, and from one size alone. The history gives back
 * what it was told, through its file too; kernels that now and then run beside others are known by their times alone; files that are damaged at random are refused or are histories, tables of tasks likewise;
 * bad files are set aside. HEDDLE_SHARE_FILES: damaged files of each kind (100000, and a quarter as many histories, when not set). */
#include "estimate.h"
#include "history.h"
#include "learn.h"
#include "load.h"

#include "fuzz/mutate.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t state;

static int is_near(double x, double y, double percent) { return fabs(x - y) <= fabs(y) * percent / 100; }

/* ---- lines ---- */

static double noisy(double x) { return x * (0.97 + (double)check_below(&state, 600) / 10000); }

static void of_copies(void)
{
    share_line l = {0, 0, 0, 0, 0};
    double over = 0;
    CHECK(share_line_at(&l, 5e6) == 0);
    share_line_guess(&l, 10e3, 0.02, 1 << 24);
    CHECK(is_near(share_line_at(&l, 1e8), 10e3 + 2e6, 0.1));
    for (int i = 0; i < 40; i++) { /* the link is slower than was guessed */
        double bytes = 1e6 * (double)(1 + check_below(&state, 500));
        share_line_learn(&l, bytes, noisy(50e3 + bytes * 0.08));
    }
    for (int i = 1; i <= 50; i++) {
        double bytes = i * 1e7, right = 50e3 + bytes * 0.08;
        over += fabs(share_line_at(&l, bytes) - right) / right / 50;
    }
    printf("copies: estimates differ by %.1f %% on average\n", over * 100);
    CHECK(over <= 0.05);
    for (int i = 0; i < 100; i++)
        share_line_learn(&l, 1e7, 4e5); /* of one size, twice as quick */
    CHECK_MSG(is_near(share_line_at(&l, 1e7), 4e5, 5), "%.0f", share_line_at(&l, 1e7));
    for (double x = 0; x < 1e12; x = 10 * x + 1)
        CHECK(share_line_at(&l, x) >= 0);
}

static uint64_t rounds(uint64_t n_blocks) { return (n_blocks + 132 * 8 - 1) / (132 * 8); }

/* From a grid of an eighth, on a GPU that has so many blocks at once. */
static void of_kernels(void)
{
    static share_kernels k;
    double over = 0;
    for (uint64_t name = 1; name <= 40; name++) {
        double each = 1000.0 * (double)(1 + check_below(&state, 50)), fixed = 2000;
        for (int i = 0; i < 3; i++)
            share_kernels_learn(&k, name, 256, rounds(1000 + 500 * (uint64_t)i),
                                noisy(fixed + each * (double)rounds(1000 + 500 * (uint64_t)i)));
        over += fabs(share_kernels_at(&k, name, 256, rounds(16000)) / (fixed + each * 16) - 1) / 40;
    }
    printf("kernels: at 8 times the grid they differ by %.1f %% on average\n", over * 100);
    CHECK(over < 0.2);
    CHECK(share_kernels_at(&k, 1, 128, 5) == -1 && share_kernels_at(&k, 99, 256, 5) == -1);
    CHECK(k.n == 40);
    for (uint64_t name = 100; name < 100 + 2 * SHARE_MOST_KERNELS; name++)
        share_kernels_learn(&k, name, 32, 1, 5);
    CHECK(k.n == SHARE_MOST_KERNELS && share_kernels_at(&k, 100, 32, 3) == 15);
    CHECK(share_kernels_at(&k, 99 + 2 * SHARE_MOST_KERNELS, 32, 1) == -1);
}

/* ---- history ---- */

static share_history h, other;

static share_past random_past(void)
{
    uint64_t in = 1 + check_below(&state, 1u << 30);
    return (share_past){.program = 1 + check_below(&state, 50),
                        .task = 1 + (uint32_t)check_below(&state, 5),
                        .first_bytes = 1 + check_below(&state, in),
                        .in_bytes = in,
                        .out_bytes = check_below(&state, 1u << 30),
                        .p_ns = 1 + check_below(&state, 1u << 30),
                        .is_alone = (uint32_t)check_below(&state, 2)};
}

/* What is known of its kernels when such a task took so long. */
static uint64_t known_after(share_past *p, uint64_t p_ns, uint32_t is_alone)
{
    p->p_ns = p_ns, p->is_alone = is_alone;
    share_history_learn(&h, p);
    return share_history_find(&h, p->program, p->task, p->first_bytes)->p_ns;
}

/* Kernels that take so long alone, and up to three times as long beside others: after so many runs that is known. */
static int finds(uint64_t program, double alone_ns, uint32_t n_runs, uint32_t percent_alone)
{
    share_past p = {.program = program, .task = 1, .first_bytes = 100, .in_bytes = 100};
    uint64_t known_ns = 0;
    for (uint32_t i = 0; i < n_runs; i++) {
        uint32_t is_alone = check_below(&state, 100) < percent_alone;
        double times = is_alone ? 1 : 1 + (double)check_below(&state, 2000) / 1000;
        known_ns = known_after(&p, (uint64_t)noisy(alone_ns * times), is_alone);
    }
    return is_near((double)known_ns, alone_ns, 5);
}

static void of_neighbours(void)
{
    for (uint64_t program = 1; program <= 200; program++) {
        double alone_ns = 1e6 * (double)(1 + check_below(&state, 100));
        uint32_t percent = 20 + (uint32_t)check_below(&state, 81);
        CHECK(finds(program, alone_ns, 100, percent));
        CHECK_MSG(finds(program, 5 * alone_ns, 100, percent), "they took longer, %u %% alone", percent);
        CHECK_MSG(finds(program, alone_ns / 7, 100, percent), "they took less, %u %% alone", percent);
    }
    memset(&h, 0, sizeof h);
}

static void of_history(void)
{
    share_past p = {.program = 7, .task = 1, .first_bytes = 100, .in_bytes = 300, .out_bytes = 50, .p_ns = 1000};
    CHECK(!share_history_find(&h, 7, 1, 100));
    share_history_learn(&h, &p);
    CHECK(share_history_find(&h, 7, 1, 100)->p_ns == 1000 && h.is_changed);
    CHECK(!share_history_find(&h, 7, 2, 100) && !share_history_find(&h, 7, 1, 101) &&
          !share_history_find(&h, 0, 1, 100));
    CHECK(known_after(&p, 9000, 0) == 1000); /* beside others */
    CHECK(known_after(&p, 800, 0) == 800 && share_history_find(&h, 7, 1, 100)->n_seen == 3);
    CHECK(known_after(&p, 0, 1) == 800); /* not seen */
    CHECK(known_after(&p, 3000, 1) == 3000 && known_after(&p, 5000, 1) == 4000 && known_after(&p, 1000, 1) == 2500);
    CHECK(known_after(&p, 2600, 0) == 2500 && known_after(&p, 500, 0) == 500 && known_after(&p, 600, 1) == 600);
    p.in_bytes = SHARE_MOST_PAST_BYTES + 1;
    share_history_learn(&h, &p); /* cannot be */
    CHECK(share_history_find(&h, 7, 1, 100)->in_bytes == 300 && h.n == 1);
    CHECK(!share_history_peak(&h, 7) && !share_history_peak(&h, 0));
    share_history_learn_peak(&h, 7, 1000);
    share_history_learn_peak(&h, 7, 200);
    CHECK(share_history_peak(&h, 7) == 800);
    for (int i = 0; i < 40; i++)
        share_history_learn_peak(&h, 7, 200);
    CHECK(share_history_peak(&h, 7) == 200);
    share_history_learn_peak(&h, 7, 3000);
    share_history_learn_peak(&h, 7, 0);
    share_history_learn_peak(&h, 7, SHARE_MOST_PAST_BYTES + 1);
    CHECK(share_history_peak(&h, 7) == 3000 && h.n_peaks == 1);
    for (uint64_t i = 1; i < 5000; i++) {
        share_history_learn_peak(&h, i, i);
        CHECK(share_history_peak(&h, i) >= i && h.n_peaks < SHARE_MOST_PEAKS);
    }
    for (int i = 0; i < 20000; i++) { /* more than there is room for */
        p = random_past();
        share_history_learn(&h, &p);
        CHECK(share_history_find(&h, p.program, p.task, p.first_bytes)->in_bytes == p.in_bytes);
    }
}

/* A task that is told of again, with the same time: others that came later did not run beside it. */
static void of_telling(void)
{
    static share_learner l;
    static const uint8_t gpu[16] = {1};
    share_past p = {.task = 1, .first_bytes = 10, .in_bytes = 10, .p_ns = 700, .is_alone = 1};
    share_learn_join(&l, 0, 7, 8);
    share_learn_task(&l, 0, gpu, &p);
    p.out_bytes = 5, p.is_alone = 0;
    share_learn_task(&l, 0, gpu, &p);
    CHECK(l.clients[0].told.is_alone && l.clients[0].told.out_bytes == 5);
    p.p_ns = 900;
    share_learn_task(&l, 0, gpu, &p);
    CHECK(!l.clients[0].told.is_alone);
    p.task = 2, p.is_alone = 1;
    share_learn_task(&l, 0, gpu, &p);
    CHECK(l.clients[0].told.is_alone);
    p.task = 3, p.is_alone = 0; /* as long as the task before */
    share_learn_task(&l, 0, gpu, &p);
    CHECK(!l.clients[0].told.is_alone);
}

/* Of tasks with other sizes, the one that is fewer times larger or smaller; and scaled. */
static void of_sizes(void)
{
    static share_learner l;
    static const uint8_t gpu[16] = {1};
    share_past p = {.task = 1, .first_bytes = 1000, .in_bytes = 3000, .out_bytes = 500, .p_ns = 7000};
    share_expected e;
    share_learn_join(&l, 0, 7, 8);
    share_learn_task(&l, 0, gpu, &p);
    p = (share_past){.task = 2, .first_bytes = 9000, .in_bytes = 9000, .out_bytes = 900, .p_ns = 90};
    share_learn_task(&l, 0, gpu, &p);
    share_learn_leave(&l, 0);
    share_learn_join(&l, 1, 7, 8);
    e = share_learn_expect(&l, 1, gpu, 1, 1000);
    CHECK(e.is_known && e.in_bytes == 3000 && e.out_bytes == 500 && e.p_ns == 7000);
    e = share_learn_expect(&l, 1, gpu, 1, 4000);
    CHECK(e.is_known && e.in_bytes == 12000 && e.out_bytes == 2000 && e.p_ns == 28000);
    e = share_learn_expect(&l, 1, gpu, 2, 4500);
    CHECK(e.is_known && e.in_bytes == 4500 && e.out_bytes == 450 && e.p_ns == 45);
    CHECK(!share_learn_expect(&l, 1, gpu, 1, 65000).is_known && !share_learn_expect(&l, 1, gpu, 1, 15).is_known &&
          !share_learn_expect(&l, 1, gpu, 3, 4000).is_known);
    p = (share_past){.task = 1, .first_bytes = 16000, .in_bytes = 16000, .out_bytes = 0, .p_ns = 16000};
    share_learn_task(&l, 1, gpu, &p);
    share_learn_leave(&l, 1);
    share_learn_join(&l, 2, 7, 8);
    CHECK(share_learn_expect(&l, 2, gpu, 1, 3999).p_ns == 27993 &&
          share_learn_expect(&l, 2, gpu, 1, 4001).p_ns == 4001);
    share_learn_join(&l, 3, 9, 9);
    CHECK(!share_learn_expect(&l, 3, gpu, 1, 4000).is_known);
}

static void of_text(void)
{
    share_why why;
    size_t n;
    char *text = share_history_text(&h, &n);
    CHECK(text && !share_history_parse(&other, text, n, &why) && other.n == h.n && h.n > 100);
    for (int i = 0; i < SHARE_MOST_PASTS; i++) {
        const share_past *p = &h.pasts[i];
        const share_past *same = share_history_find(&other, p->program, p->task, p->first_bytes);
        if (p->program)
            CHECK(same && same->in_bytes == p->in_bytes && same->out_bytes == p->out_bytes && same->p_ns == p->p_ns &&
                  same->n_seen == p->n_seen && same->is_alone == p->is_alone);
    }
    CHECK(other.n_peaks == h.n_peaks && h.n_peaks > 10);
    for (int i = 0; i < SHARE_MOST_PEAKS; i++)
        CHECK(!h.peaks[i].program || share_history_peak(&other, h.peaks[i].program) == h.peaks[i].n_bytes);
    for (size_t less = 1; less < 200; less++) /* cut short anywhere */
        CHECK(share_history_parse(&other, text, n - less, &why) == -1 && other.n == 0);
    free(text);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}

static void of_files(void)
{
    char folder[] = "/tmp/share-history.XXXXXX", path[256], bad[256 + 8];
    share_why why;
    CHECK(mkdtemp(folder) && !setenv("XDG_CACHE_HOME", folder, 1));
    CHECK(share_history_path(path, 10) == -1 && !share_history_path(path, sizeof path));
    CHECK(!share_history_read(&other, path, &why) && other.n == 0); /* there is none */
    CHECK(!share_history_write(&h, path, &why) && !h.is_changed);
    CHECK(!share_history_read(&other, path, &why) && other.n == h.n);
    write_file(path, "heddle share history 1\n0000000000000007\t1\t0\t300\t50\t800\t3\nend 1\n");
    CHECK(share_history_read(&other, path, &why) == -1 && other.n == 0);
    write_file(path,
               "heddle share history 3\n0000000000000007\t1\t100\t300\t50\t0\t3\t1\nend 1\n"); /* none ran alone */
    CHECK(share_history_read(&other, path, &why) == -1 && other.n == 0);
    write_file(path, "heddle share history 4\nend 0\n");
    CHECK(share_history_read(&other, path, &why) == -1);
    write_file(
        path,
        "heddle share history 2\n0000000000000007\t1\t100\t300\t50\t800\t3\npeak\t0000000000000007\t100\t3\nend 2\n");
    CHECK(!share_history_read(&other, path, &why) && other.n == 1 && other.n_peaks == 1);
    write_file(path,
               "heddle share history 1\n0000000000000007\t1\t100\t300\t50\t800\t3\nend 1\n"); /* the first version */
    CHECK(!share_history_read(&other, path, &why) && other.n == 1 && !other.n_peaks);
    write_file(path, "heddle share history 1\npeak\t0000000000000007\t100\t3\nend 1\n");
    CHECK(share_history_read(&other, path, &why) == -1 && other.n_peaks == 0);
    CHECK_MSG(strstr(why.text, "line 2") && strstr(why.text, "set aside"), "%s", why.text);
    snprintf(bad, sizeof bad, "%s.bad", path);
    CHECK(access(path, F_OK) && !access(bad, F_OK));
    CHECK(!mkdir(path, 0700) && share_history_read(&other, path, &why) == -1);
    unlink(bad);
    rmdir(path);
    snprintf(bad, sizeof bad, "%s/heddle", folder);
    rmdir(bad);
    rmdir(folder);
}

/* ---- damaged files ---- */

static const char past_seed[] = "heddle share history 3\n"
                                "00000000000000ff\t1\t1048576\t3145728\t0\t1500000\t3\t1\n"
                                "00000000000000ff\t2\t1048576\t1048576\t2097152\t0\t1\t0\n"
                                "fedcba9876543210\t1\t4096\t0\t4096\t3600000000000\t4294967295\t0\n"
                                "peak\t00000000000000ff\t4096\t2\nend 4\n";
static const char table_seed[] =
    "# program in kernels out\nb+tree 7x27 0.5 -\nb+tree 8x27,3.25 1e2 40\nlud 205 15 205\n";
static const char trace_seed[] =
    "{\"heddle_share\": 1, \"tasks\": [{\"program\": \"a\", \"in_ns\": [5, 7], \"kernels_ns\": 9},"
    " {\"program\": \"b\", \"out_ns\": [1000000]}], \"kernels\": [{\"name\": \"k\", \"block\": 32,"
    " \"blocks\": 7, \"n\": 2, \"ns\": 99}]}";
static const char *const words[] = {
    "\t", "\n", "end 2\n", "end 3\n",        "end 4\n", "peak\t",  "0", "18446744073709551615", "18446744073709551616",
    "-1", "x",  ",",       "1e999",          "nan",     "65536x0", "#", "\"in_ns\": ",          "[",
    "]",  "{",  "}",       "\"program\": 5", "null"};

static void check_load(const share_load *l)
{
    uint32_t n = 0;
    CHECK(l->n_calls && l->n_programs <= SHARE_MOST_TASKS);
    for (uint32_t i = 0; i < l->n_tasks; i++) {
        CHECK(l->tasks[i].program < l->n_programs && l->tasks[i].first_call == n);
        n += l->tasks[i].n_calls;
    }
    CHECK(n == l->n_calls);
    for (uint32_t i = 0; i < l->n_kernels; i++)
        CHECK(l->kernels[i].n && strlen(l->kernels[i].name) < SHARE_NAME_BYTES);
}

static int parses(int kind, const char *text, size_t n)
{
    share_why why = {""};
    share_load l;
    if (kind == 0) {
        if (!share_history_parse(&other, text, n, &why))
            return 1;
        CHECK(other.n == 0 && other.n_peaks == 0 && why.text[0]);
        return 0;
    }
    if (share_load_read(text, n, 55, &l, &why)) {
        CHECK(why.text[0] && !l.tasks && !l.calls);
        return 0;
    }
    check_load(&l);
    share_load_free(&l);
    return 1;
}

static void of_damage(void)
{
    static const char *const seeds[] = {past_seed, table_seed, trace_seed};
    const char *asked = getenv("HEDDLE_SHARE_FILES");
    uint64_t n_files = asked ? strtoull(asked, NULL, 0) : CHECK_IS_SLOW ? 10000 : 100000, n_good[3] = {0};
    for (int kind = 0; kind < 3; kind++)
        for (uint64_t i = 0; i < n_files / (kind == 0 && !asked ? 4 : 1); i++) {
            static char text[MOST_BYTES];
            size_t n = strlen(seeds[kind]);
            memcpy(text, seeds[kind], n);
            for (uint64_t k = check_below(&state, 4); k > 0 && i > 0; k--)
                mutate(text, &n, words, sizeof words / sizeof words[0], &state);
            n_good[kind] += (uint64_t)parses(kind, text, n);
        }
    printf("damaged files that are good all the same: %llu, %llu, %llu\n", (unsigned long long)n_good[0],
           (unsigned long long)n_good[1], (unsigned long long)n_good[2]);
    CHECK(n_good[0] > 1 && n_good[1] > 1);
}

int main(void)
{
    state = check_seed(28);
    of_copies();
    of_kernels();
    of_neighbours();
    of_history();
    of_telling();
    of_sizes();
    of_text();
    of_files();
    of_damage();
    return 0;
}
