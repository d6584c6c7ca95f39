/* SPDX-License-Identifier: MIT */
/* same.c - random waves on the serial backend and on one to four threads leave what plain loops leave. HEDDLE_WAVES: how many. */
#include "wave/cases.h"

#include <string.h>

static void run(uint64_t seed, heddle_backend backend, uint32_t n_workers)
{
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_graph *g;
    wave_case c;
    char how[64];
    config.backend = backend;
    config.n_workers = n_workers;
    CHECK_OK(NULL, heddle_ctx_open(&ctx, &config));
    wave_case_make(&c, seed, ctx, 300);
    CHECK_OK(ctx, heddle_wave_new(ctx, &mix, &c.desc, &g));
    snprintf(how, sizeof how, "%s, %u workers", heddle_backend_name(backend), n_workers);
    for (int i = 0; i < 3; i++) {
        wave_case_reset(&c);
        CHECK_OK(ctx, heddle_graph_run(ctx, g, &c.params, sizeof c.params));
        wave_case_check(&c, how);
    }
    heddle_graph_free(g);
    wave_case_free(&c);
    heddle_ctx_close(ctx);
}

int main(void)
{
    const char *asked = getenv("HEDDLE_WAVES");
    const uint64_t first = check_seed(1), n = asked ? strtoull(asked, NULL, 0) : 60u;
    for (uint64_t seed = first; seed < first + n; seed++) {
        run(seed, HEDDLE_SERIAL, 0);
        run(seed, HEDDLE_CPU, 1u + (uint32_t)(seed % 4u));
    }
    return 0;
}
