/* SPDX-License-Identifier: MIT */
/* read.c - sources as units: preprocessed, looked through for pragmas that are ours, parsed. A program without tasks is for
 * the C compiler, whatever else it asks of OpenMP: nothing of it is parsed. */
#include "build.h"
#include "preprocess.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- sources --------------------------------------------------------------------------------------------------------- */

static char *preprocess(const hc_command *c, const hc_input *in, size_t *n)
{
    hc_words see = {0};
    if (c->only || hc_asks_for_warnings(&in->compile))
        hc_add_word(&see, "-Wno-#warnings"); /* the C compiler sees them, too */
    hc_add_words(&see, &in->see);
    hc_add_word(&see, NULL);
    return hc_preprocess(in->path, see.at, n);
}

static int can_read(const hc_command *c)
{
    for (uint32_t i = 0; i < c->sources.n; i++)
        if (access(c->sources.at[i], R_OK) != 0) {
            hc_complain(HC_ERROR, "cannot read %s: %s", c->sources.at[i], strerror(errno));
            return 0;
        }
    return 1;
}

int hc_read_sources(const hc_command *c, hc_inputs *all)
{
    for (uint32_t i = 0; can_read(c) && i < c->sources.n; i++) {
        hc_input in = {.path = c->sources.at[i], .standard = c->standard};
        in.see = c->see, in.compile = c->compile, in.nvcc = c->nvcc, in.own = c->own;
        in.text = preprocess(c, &in, &in.n);
        if (in.text)
            *HC_ADD(all) = in;
    }
    return hc_n_errors() ? -1 : 0;
}

/* What the text already has done to it the parser need not do again. */
hc_unit *hc_parse_input(const hc_input *in)
{
    const char *const flags[] = {in->standard, NULL};
    return hc_parse_unit(in->path, in->text, in->n, flags);
}

/* ---- what is in them ------------------------------------------------------------------------------------------------- */

/* The end of the word, or other token, that begins at *at, which is moved behind blanks. */
static const char *next_word(const char *s, uint32_t *at, uint32_t end, size_t *n)
{
    *at = hc_blank_end(s, *at, end);
    s += *at;
    *n = *at < end ? hc_token_end(s - *at, *at, end) - *at : 0;
    *at += (uint32_t)*n;
    return s;
}

static int is_among(const char *words, const char *s, size_t n)
{
    for (size_t m; *words; words += m + (words[m] == ' '))
        if ((m = strcspn(words, " ")) == n && strncmp(words, s, n) == 0)
            return 1;
    return 0;
}

/* A pragma of which heddlec may have something to say: it has tasks, or no word of OpenMP as its first. */
static int is_ours(const char *s, uint32_t at, uint32_t end)
{
    static const char others[] =
        "parallel for simd sections section single master masked critical barrier atomic flush "
        "ordered threadprivate target teams distribute declare taskwait taskyield taskgroup "
        "loop scan scope cancel cancellation requires end begin allocate";
    size_t n;
    const char *word = next_word(s, &at, end, &n);
    if (!is_among("omp heddle", word, n))
        return 0;
    if (*word == 'h' || (word = next_word(s, &at, end, &n), !is_among(others, word, n)))
        return 1;
    while (n && !is_among("task taskloop", word, n))
        word = next_word(s, &at, end, &n);
    return n != 0;
}

int hc_is_translated(const hc_text *t)
{
    for (uint32_t l = 0; l < t->n_lines; l++) {
        uint32_t at = t->lines[l].begin, end = hc_line_end(t, l);
        const char *word;
        size_t n;
        if (t->lines[l].is_system || *next_word(t->bytes, &at, end, &n) != '#' || n != 1)
            continue;
        word = next_word(t->bytes, &at, end, &n);
        if (is_among("pragma", word, n) && is_ours(t->bytes, at, end))
            return 1;
    }
    return 0;
}

static void add_once(hc_words *list, const char *file)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == file)
            return;
    *HC_ADD(list) = file;
}

void hc_add_files(hc_words *list, const hc_text *t, int with_system)
{
    for (uint32_t l = 0; l < t->n_lines; l++)
        if ((l == 0 || t->lines[l].file != t->lines[l - 1].file) && t->lines[l].file[0] != '<' &&
            (with_system || !t->lines[l].is_system))
            add_once(list, t->lines[l].file);
}
