/* SPDX-License-Identifier: MIT */
/* preprocess.h - a source file as hc_text needs it, made by the clang that belongs to libclang. */
#ifndef HEDDLEC_PREPROCESS_H
#define HEDDLEC_PREPROCESS_H

#include "support/base.h"

/* The preprocessed text of a file, with comments and macro definitions; n may be NULL. args: the user's compiler flags,
 * ended by NULL; may be NULL. clang's output goes to stderr; if clang fails, reports an error and returns NULL. The
 * variable HEDDLEC_CLANG names another clang. */
char *hc_preprocess(const char *path, const char *const *args, size_t *n);

/* The folder with heddlec's omp.h, for compilers without one: pass it behind all others (-idirafter). */
const char *hc_include_dir(void);

#endif
