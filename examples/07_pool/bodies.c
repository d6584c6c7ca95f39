/* SPDX-License-Identifier: MIT */
/* bodies.c - a word begins at each byte that is no blank and has a blank, or nothing, before it. */
#include "bodies.h"

HEDDLE_FN int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

HEDDLE_BODY(words_count, words_params, params, words_args, t)
{
    HEDDLE_EACH_PARTIAL (v) {
        int64_t n = 0;
        for (uint64_t i = (uint64_t)v; i < t->n_bytes; i += HEDDLE_N_PARTIALS) {
            n += !is_blank(t->text[i]) && (i == 0 || is_blank(t->text[i - 1]));
            if (t->text[i] == 0)
                heddle_task_fail(thread, 1); /* no text: this task fails, and the pool goes on */
        }
        heddle_team_partial_i64(thread)[v] = n;
    }
    int64_t n = heddle_team_reduce_i64(thread, HEDDLE_SUM);
    if (thread->index == 0)
        params->n_words[t->number] = n;
}

HEDDLE_POOL_TABLE(words, words_params, WORDS_BODIES)
