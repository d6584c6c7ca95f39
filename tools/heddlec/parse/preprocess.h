/* SPDX-License-Identifier: MIT */
/* preprocess.h - a source file as hc_text wants it, made by the clang that belongs to libclang. */
#ifndef HEDDLEC_PREPROCESS_H
#define HEDDLEC_PREPROCESS_H

#include "support/base.h"

/* The preprocessed text of a file, comments and macro definitions kept; n may be NULL. args: the user's flags for the
 * compiler, ended by NULL; may be NULL. What clang says goes to stderr as it is; when it fails an error is said and NULL
 * returned. The variable HEDDLEC_CLANG names another clang. */
char *hc_preprocess(const char *path, const char *const *args, size_t *n);

/* The folder with heddlec's omp.h, for compilers that have none: give it behind all others (-idirafter). */
const char *hc_include_dir(void);

#endif
