/* SPDX-License-Identifier: MIT */
/* build.h - between the files that call compilers (flags.c, run.c, blame.c, build.c, compile.c). */
#ifndef HEDDLEC_BUILD_H
#define HEDDLEC_BUILD_H

#include "driver/command.h"

/* ---- words of a command (flags.c) -------------------------------------------------------------------------------------- */

void hc_add_word(hc_words *w, const char *word);
void hc_add_words(hc_words *w, const hc_words *more);
int hc_has_flag(const hc_words *w, const char *word);
/* The C compiler, a word or several. */
hc_words hc_compiler(const hc_command *c);
/* -std= as the user says, unless generated C needs a later one. */
const char *hc_late_standard(const char *standard);
/* What system headers are found with; the rest of what the preprocessor was told has been done. */
void hc_add_folders(hc_words *w, const hc_words *see);
void hc_add_compile_flags(hc_words *w, const hc_words *flags, int with_warnings);
int hc_asks_for_warnings(const hc_words *flags);
/* The C compiler and its flags for a source as it stands, without the source. */
hc_words hc_source_command(const hc_command *c, const hc_input *in, int with_warnings);

/* ---- running (run.c) --------------------------------------------------------------------------------------------------- */

/* Its exit status; -1 after a sentence when it cannot be started. said: what it says, on stdout, too; NULL: it says it itself. */
int hc_run(const hc_words *words, int is_verbose, hc_buf *said);
/* The same of a C compiler, which colours what is kept as if it went to our terminal. */
int hc_run_coloured(const hc_words *words, int is_verbose, hc_buf *said);
char *hc_in_quotes(const char *s); /* for sh, where it needs them */

/* ---- what compilers say of generated text (blame.c) -------------------------------------------------------------------- */

/* Compiling m has failed, and the compiler has said so: whose fault it is, and where in the user's source. */
void hc_blame(const hc_build *b, const hc_made *m, const char *compiler, const char *said);

#endif
