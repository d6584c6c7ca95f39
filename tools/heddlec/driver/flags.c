/* SPDX-License-Identifier: MIT */
/* flags.c - which of the user's flags a call of the C compiler gets. A source as it stands gets all of them. Generated
 * C gets no warning flags, and only those preprocessor flags that system headers need. */
#include "driver/build.h"
#include "host/host.h"
#include "parse/preprocess.h"

#include <string.h>
#include <unistd.h>

void hc_add_word(hc_words *w, const char *word) { *HC_ADD(w) = word; }

void hc_add_words(hc_words *w, const hc_words *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        hc_add_word(w, more->at[i]);
}

int hc_has_flag(const hc_words *w, const char *word)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (strcmp(w->at[i], word) == 0)
            return 1;
    return 0;
}

static int begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* CC may be "ccache gcc"; a path may have blanks. */
hc_words hc_compiler(const hc_command *c)
{
    hc_words words = {0};
    const char *s = c->cc;
    if (access(s, X_OK) == 0)
        hc_add_word(&words, s);
    else
        for (size_t n; *(s += strspn(s, " ")); s += n)
            hc_add_word(&words, hc_copy(s, n = strcspn(s, " ")));
    return words;
}

const char *hc_late_standard(const char *s) { return s && !strstr(s, "89") && !strstr(s, "90") ? s : "-std=gnu11"; }

/* Folders of headers, and macros that system headers test (_GNU_SOURCE). */
static int is_for_headers(const char *word, const char *next)
{
    if (begins(word, "-D"))
        return word[2] ? word[2] == '_' : next[0] == '_';
    return begins(word, "-I") || strcmp(word, "-nostdinc") == 0 ||
           (begins(word, "-i") && !begins(word, "-include") && !begins(word, "-imacros"));
}

void hc_add_folders(hc_words *w, const hc_words *see)
{
    for (uint32_t i = 0; i < see->n; i++) {
        const char *word = see->at[i];
        int is_alone = word[0] == '-' && hc_takes_next(word), is_wanted;
        is_wanted = is_for_headers(word, is_alone ? see->at[i + 1] : "");
        if (is_wanted)
            hc_add_word(w, word);
        if (is_alone && is_wanted)
            hc_add_word(w, see->at[i + 1]);
        i += (uint32_t)is_alone;
    }
}

static int is_of_warnings(const char *word)
{
    return (begins(word, "-W") && !begins(word, "-Wa,") && !begins(word, "-Wp,")) || begins(word, "-pedantic") ||
           strcmp(word, "-w") == 0;
}

void hc_add_compile_flags(hc_words *w, const hc_words *flags, int with_warnings)
{
    for (uint32_t i = 0; i < flags->n; i++)
        if (with_warnings || !is_of_warnings(flags->at[i]))
            hc_add_word(w, flags->at[i]);
}

int hc_asks_for_warnings(const hc_words *flags)
{
    for (uint32_t i = 0; i < flags->n; i++)
        if (is_of_warnings(flags->at[i]) && !begins(flags->at[i], "-Wno-"))
            return !hc_has_flag(flags, "-w");
    return 0;
}

/* The C compiler may not know this pragma. */
static int has_own_pragma(const char *text) { return strstr(text, "#pragma heddle") != NULL; }

hc_words hc_source_command(const hc_command *c, const hc_input *in, int with_warnings)
{
    hc_words w = hc_compiler(c);
    hc_add_word(&w, in->standard ? in->standard : "-std=gnu11");
    hc_add_word(&w, "-O2");
    if (!strstr(w.at[0], "clang")) /* clang stops by itself at a file that is no source */
        hc_add_word(&w, "-fmax-errors=20");
    hc_add_words(&w, &in->see);
    hc_add_word(&w, "-idirafter"); /* for a compiler without omp.h */
    hc_add_word(&w, hc_include_dir());
    hc_add_compile_flags(&w, &in->compile, with_warnings);
    if (!with_warnings)
        hc_add_word(&w, "-w");
    if (has_own_pragma(in->text))
        hc_add_word(&w, "-Wno-unknown-pragmas");
    if (hc_needs_openmp(in->text))
        hc_add_word(&w, "-fopenmp");
    else if (!hc_has_flag(&in->compile, "-fopenmp"))
        hc_add_word(&w, "-D_OPENMP=201511"); /* as during preprocessing: all sources see the same program */
    return w;
}
