/* SPDX-License-Identifier: MIT */
/* main.c - 06_wave [FILE FILE]: the edit distance of two files, or of two verses. */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static heddle_ctx *ctx;
static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(ctx));
    exit(1);
}

static void *on_device(const void *from, size_t n_bytes)
{
    void *p;
    must(heddle_mem_new(ctx, n_bytes, &p));
    must(heddle_mem_write(ctx, p, from, n_bytes));
    return p;
}

int main(int argc, char **argv)
{
    static char a[1 << 20] = "Full fathom five thy father lies", b[1 << 20] = "Five fathoms full my mother flies";
    static uint32_t counted[1 << 20], last[1 << 20];
    char *const texts[] = {a, b};
    size_t n[] = {strlen(a), strlen(b)};
    for (int i = 0; argc == 3 && i < 2; i++) {
        FILE *f = fopen(argv[i + 1], "rb");
        n[i] = f ? fread(texts[i], 1, sizeof a, f) : 0;
    }
    for (uint32_t i = 0; i < 1 << 20; i++)
        counted[i] = i + 1; /* the cells outside of the field, where one text is empty; 0 in the corner */
    must(heddle_ctx_open(&ctx, NULL));
    const edit_params params = {1};
    heddle_wave_desc d = HEDDLE_WAVE_INIT;
    heddle_graph *g;
    d.body = edit_cell;
    d.rows = n[0], d.cols = n[1];
    d.x = on_device(a, n[0]), d.y = on_device(b, n[1]);
    d.north.array = d.west.array = on_device(counted, sizeof counted);
    d.last_row = on_device(last, n[1] * sizeof *last);
    must(heddle_wave_new(ctx, &edit, &d, &g)); /* a graph: run it, submit it, cancel it, trace it */
    must(heddle_graph_run(ctx, g, &params, sizeof params));
    must(heddle_mem_read(ctx, last, d.last_row, n[1] * sizeof *last));
    printf("%zu letters become %zu in %u steps\n", n[0], n[1], last[n[1] - 1]);
    const void *all[] = {d.x, d.y, d.north.array, d.last_row};
    for (int i = 0; i < 4; i++)
        heddle_mem_free(ctx, (void *)(uintptr_t)all[i]);
    heddle_graph_free(g);
    heddle_ctx_close(ctx);
    return 0;
}
