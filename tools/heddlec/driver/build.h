/* SPDX-License-Identifier: MIT */
/* build.h - shared by the files that call compilers (flags.c, run.c, blame.c, build.c, compile.c). */
#ifndef HEDDLEC_BUILD_H
#define HEDDLEC_BUILD_H

#include "driver/command.h"

/* ---- words of a command (flags.c) -------------------------------------------------------------------------------- */

void hc_add_word(hc_words *w, const char *word);
void hc_add_words(hc_words *w, const hc_words *more);
int hc_has_flag(const hc_words *w, const char *word);
/* The C compiler, one or several words. */
hc_words hc_compiler(const hc_command *c);
/* The user's -std=, unless generated C needs a later one. */
const char *hc_late_standard(const char *standard);
/* Flags that system headers need; the other preprocessor flags have taken effect. */
void hc_add_folders(hc_words *w, const hc_words *see);
void hc_add_compile_flags(hc_words *w, const hc_words *flags, int with_warnings);
int hc_asks_for_warnings(const hc_words *flags);
/* The C compiler and its flags for a source as it stands, without the source. */
hc_words hc_source_command(const hc_command *c, const hc_input *in, int with_warnings);

/* ---- running (run.c) --------------------------------------------------------------------------------------------- */

/* Returns the exit status; -1 after a sentence if it cannot start. said: gets its stderr and stdout; NULL: both are printed. */
int hc_run(const hc_words *words, int is_verbose, hc_buf *said);
/* The same for a C compiler, with colours in the kept output as on our terminal. */
int hc_run_coloured(const hc_words *words, int is_verbose, hc_buf *said);
char *hc_in_quotes(const char *s); /* quoted for sh, if needed */

/* ---- diagnostics on generated text (blame.c) --------------------------------------------------------------------- */

/* After a compiler failed on m and printed why: reports whether user or heddlec is at fault, and the place in the source. */
void hc_blame(const hc_build *b, const hc_made *m, const char *compiler, const char *said);

#endif
