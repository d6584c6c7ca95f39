/* SPDX-License-Identifier: MIT */
/* read.c - sources to units: preprocesses them, looks for heddlec's pragmas, parses. A program without tasks goes to
 * the C compiler, whatever other OpenMP it has: none of it is parsed. */
#include "driver/build.h"
#include "parse/preprocess.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static char *preprocess(const hc_command *c, const hc_input *in, size_t *n)
{
    hc_words see = {0};
    if (c->only || hc_asks_for_warnings(&in->compile))
        hc_add_word(&see, "-Wno-#warnings"); /* the C compiler prints them, too */
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

/* The text is preprocessed, so the parser needs no preprocessor flags. */
hc_unit *hc_parse_input(const hc_input *in)
{
    const char *const flags[] = {in->standard, NULL};
    return hc_parse_unit(in->path, in->text, in->n, flags);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

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
