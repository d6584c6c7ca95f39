/* SPDX-License-Identifier: MIT */
/* main.c - 07_pool [FILE]...: how many words has each file, or each of three verses? */
#include "bodies.h"
#include "heddle/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1u << 24)

static void must(heddle_status s)
{
    if (s == HEDDLE_OK)
        return;
    fprintf(stderr, "%s\n", heddle_error_text(NULL));
    exit(1);
}

static char *read_file(const char *name, uint64_t *n_bytes)
{
    FILE *f = fopen(name, "rb");
    char *text = f ? malloc(MOST_BYTES) : NULL;
    *n_bytes = text ? fread(text, 1, MOST_BYTES, f) : MOST_BYTES;
    if (*n_bytes == MOST_BYTES) {
        fprintf(stderr, "%s: it cannot be read, or is too long\n", name);
        exit(1);
    }
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    char *verses[] = {"Full fathom five thy father lies", "Of his bones are coral made", "Ding-dong, bell"};
    const int is_files = argc > 1, n = is_files ? argc - 1 : 3;
    char **name = is_files ? argv + 1 : verses, **text = calloc((size_t)n, sizeof *text);
    const words_params params = {calloc((size_t)n, sizeof *params.n_words)};
    heddle_handle *handle = calloc((size_t)n, sizeof *handle);
    heddle_config config = HEDDLE_CONFIG_INIT;
    heddle_ctx *ctx;
    heddle_pool *pool;
    config.backend = HEDDLE_CPU; /* so bodies may touch all memory of this program */
    must(heddle_ctx_open(&ctx, &config));
    must(heddle_pool_new(ctx, &words, &params, sizeof params, NULL, &pool));
    for (int i = 0; i < n; i++) { /* while the next text is read, threads count the words of those before */
        words_args args = {name[i], strlen(name[i]), (uint64_t)i};
        if (is_files)
            args.text = text[i] = read_file(name[i], &args.n_bytes);
        must(heddle_pool_spawn(pool, words_count, &args, sizeof args, 0, &handle[i]));
    }
    for (int i = 0; i < n; i++) { /* in the order of spawning, whatever the order of their ends */
        const int is_well = heddle_pool_wait(pool, handle[i], HEDDLE_FOREVER, NULL) == HEDDLE_OK;
        printf("%4lld words: %s%s\n", (long long)params.n_words[i], name[i], is_well ? "" : " (this is no text)");
        free(text[i]);
    }
    heddle_pool_free(pool);
    heddle_ctx_close(ctx);
    free(params.n_words), free(handle), free(text);
    return 0;
}
