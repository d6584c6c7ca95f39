/* SPDX-License-Identifier: MIT */
/* auto.c - mode auto of pools: the first pool of a table is resident, the second launches, further ones are what was quicker, by the
 * times of the program's own tasks. A tuning file keeps that. Little work and bodies that spawn decide nothing;
 * launches that cannot be, or have narrower teams, are left out. Without a GPU threads play one, which is slower in one of the modes. */
#include "pool/bodies.h"
#include "run/run.h"

#include "engine/pool/pool.h"

#include <unistd.h>

#define N 768u
#define N_WINDOWS 3u

static pooled_params params; /* of the backend's memory */
static char path[] = "/tmp/heddle_auto_XXXXXX";

/* ---- threads as a GPU ------------------------------------------------------------------------------------------------ */

static const hd_backend *threads;
static hd_backend played;
static hd_pool words;
static struct {
    uint32_t mode;             /* of the last load */
    uint64_t pause_ns[2];      /* of a send: resident, launches */
    uint32_t most_by_launches; /* threads of a team; 0: it cannot launch */
} gpu;

static heddle_status play_describe(uint32_t device, heddle_device *out, hd_error *e)
{
    (void)device, (void)e;
    snprintf(out->name, sizeof out->name, "threads");
    return HEDDLE_OK;
}

static heddle_status play_load(hd_loaded **out, hd_device *d, const hd_work *work, hd_watcher watcher, hd_error *e)
{
    gpu.mode = ((const hd_pool_work *)work->desc)->mode;
    if (gpu.mode == HEDDLE_POOL_LAUNCHES && !gpu.most_by_launches)
        return hd_say(e, HEDDLE_ENODEV, "no launches");
    return threads->load(out, d, work, watcher, e);
}

static const hd_pool *play_words(const hd_loaded *l)
{
    words = *threads->pool_words(l);
    words.no_spawns = gpu.mode == HEDDLE_POOL_LAUNCHES;
    words.most_threads = words.no_spawns ? gpu.most_by_launches : HEDDLE_POOL_MOST_THREADS;
    return &words;
}

static void play_send(hd_loaded *l, const hd_sent *like, const uint64_t *handles, size_t stride, uint32_t n)
{
    const uint64_t until = heddle_host_clock_ns() + gpu.pause_ns[words.no_spawns];
    while (heddle_host_clock_ns() < until)
        ;
    threads->pool_send(l, like, handles, stride, n);
}

static const char *play_how(const hd_loaded *l)
{
    (void)l;
    return words.no_spawns ? "by launches" : "by workers";
}

static heddle_ctx *open_played(const char *tuning_file)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    c.backend = HEDDLE_CPU;
    c.n_workers = 1;
    c.tuning_file = tuning_file;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    threads = ctx->backend;
    played = *threads;
    played.describe = play_describe;
    played.load = play_load;
    played.pool_words = play_words;
    played.pool_send = play_send;
    played.pool_how = play_how;
    ctx->backend = &played;
    return ctx;
}

/* ---- a pool ---------------------------------------------------------------------------------------------------------- */

/* A pool of the table, with n_windows times n tasks; checks how it says that it runs them. */
static void use(heddle_ctx *ctx, const heddle_table *table, uint32_t n_windows, uint32_t n, const char *mode,
                const char *why)
{
    const pooled_mix_args a = {0, 0, {0, 0, 0, 0}, 0};
    heddle_pool_info info = HEDDLE_POOL_INFO_INIT;
    heddle_pool *p;
    uint32_t k, i;
    CHECK_OK(NULL, heddle_pool_new(ctx, table, &params, sizeof params, NULL, &p));
    CHECK_OK(NULL, heddle_pool_get_info(p, &info));
    CHECK_MSG(strstr(info.how, mode) && strstr(info.how, why), "'%s' and '%s', not: %s", mode, why, info.how);
    for (k = 0; k < n_windows; k++) {
        for (i = 0; i < n; i++)
            CHECK_OK(NULL, heddle_pool_spawn(p, pooled_mix, &a, sizeof a, 32, NULL));
        CHECK_OK(NULL, heddle_pool_wait_all(p, HEDDLE_FOREVER));
    }
    heddle_pool_free(p);
}

static void play(uint64_t resident_ns, uint64_t launch_ns, uint32_t most)
{
    gpu.pause_ns[0] = resident_ns;
    gpu.pause_ns[1] = launch_ns;
    gpu.most_by_launches = most;
}

/* The mode that is quicker stays, and the next context knows it from the file. */
static void check_choice(uint64_t resident_ns, uint64_t launch_ns, const char *better)
{
    heddle_ctx *ctx = open_played(path);
    uint32_t k;
    play(resident_ns, launch_ns, 992);
    use(ctx, &pooled_flat, N_WINDOWS, 32, "by workers", "not tried");
    use(ctx, &pooled_flat, N_WINDOWS, N, "by workers", "not tried");
    use(ctx, &pooled_flat, N_WINDOWS, 32, "by launches", "being tried");
    use(ctx, &pooled_flat, N_WINDOWS, N, "by launches", "being tried");
    for (k = 0; k < 2; k++)
        use(ctx, &pooled_flat, N_WINDOWS, N, better, "the best of resident");
    use(ctx, &pooled, N_WINDOWS, N, "by workers", ""); /* bodies spawn */
    heddle_ctx_close(ctx);
    ctx = open_played(path);
    use(ctx, &pooled_flat, 0, N, better, "tuning_file remembers");
    heddle_ctx_close(ctx);
    CHECK(unlink(path) == 0);
}

/* Launches that cannot be, or cannot have such teams. */
static void check_left_out(uint32_t most)
{
    heddle_ctx *ctx = open_played(NULL);
    uint32_t k;
    play(2000, 0, most);
    use(ctx, &pooled_flat, N_WINDOWS, N, "by workers", "not tried");
    for (k = 0; k < 2; k++)
        use(ctx, &pooled_flat, N_WINDOWS, N, "by workers", "cannot have teams as wide");
    heddle_ctx_close(ctx);
}

static void check_rule(void)
{
    static const double none[] = {0, 0}, one[] = {10, 0}, near[] = {10, 9.7}, far[] = {10, 9}, slow[] = {10, 11};
    CHECK(hd_auto_choose(none) == HEDDLE_POOL_RESIDENT);
    CHECK(hd_auto_choose(one) == HEDDLE_POOL_LAUNCHES);
    CHECK(hd_auto_choose(near) == HEDDLE_POOL_RESIDENT);
    CHECK(hd_auto_choose(far) == HEDDLE_POOL_LAUNCHES);
    CHECK(hd_auto_choose(slow) == HEDDLE_POOL_RESIDENT);
}

/* A damaged file is told of, and not written to. */
static void check_damaged(void)
{
    heddle_ctx *ctx;
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("something else\n", f) >= 0 && fclose(f) == 0);
    ctx = open_played(path);
    play(0, 0, 992);
    use(ctx, &pooled_flat, 0, 0, "by workers", "line 1 is damaged");
    heddle_ctx_close(ctx);
    CHECK(unlink(path) == 0);
}

/* ---- a GPU ----------------------------------------------------------------------------------------------------------- */

/* Whatever is quicker there. */
static void check_gpu(void)
{
    heddle_config c = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    uint32_t k;
    c.backend = HEDDLE_CUDA;
    c.tuning_file = path;
    CHECK(unsetenv("HEDDLE_POOL_MODE") == 0);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    use(ctx, &pooled_flat, 20 * N_WINDOWS, N, "resident", "not tried");
    use(ctx, &pooled_flat, 20 * N_WINDOWS, N, "launches", "being tried");
    for (k = 0; k < 2; k++)
        use(ctx, &pooled_flat, N_WINDOWS, N, "", "the best of resident");
    use(ctx, &pooled, N_WINDOWS, N, "resident", "");
    heddle_ctx_close(ctx);
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &c));
    use(ctx, &pooled_flat, 0, N, "", "tuning_file remembers");
    heddle_ctx_close(ctx);
    CHECK(unlink(path) == 0);
}

static void have_params(heddle_backend b)
{
    uint32_t *words = pooled_new(b, 4u * 64u);
    params = (pooled_params){words, words + 16, words + 32, words + 48, words + 49};
}

int main(int argc, char **argv)
{
    const int fd = mkstemp(path), on_gpu = pooled_wants_gpu(argc, argv);
    CHECK(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    have_params(on_gpu ? HEDDLE_CUDA : HEDDLE_CPU);
    if (on_gpu) {
        check_gpu();
        pooled_free(HEDDLE_CUDA, params.cells);
        return 0;
    }
    check_rule();
    check_choice(100000, 2000, "by launches");
    check_choice(2000, 100000, "by workers");
    check_left_out(0);
    check_left_out(512);
    check_damaged();
    pooled_free(HEDDLE_CPU, params.cells);
    return 0;
}
