/* SPDX-License-Identifier: MIT */
/* file.h - the one writer of output files, also that of the tools.
 *
 * Where there is nothing or a regular file, the file is written beside the path, as PATH.tmp and eight digits, made anew and
 * never through a link, and renamed when it is whole. A link to a regular file stays; what it leads to is replaced. The file
 * that was replaced leaves its permissions. Whatever else stands there (a device, a pipe) is written through, and so are the
 * program's own /dev/stdout, /dev/stderr and /dev/fd/N.
 *
 * Beyond a limit on sizes of files, or into a pipe that nobody reads, writing fails with a sentence; the signal that would end
 * the process is taken back. Handlers of other signals are the program's: hd_files_discard is for these.
 *
 * Refused, with EIO: a folder, a link to nothing, what cannot be opened. */
#ifndef HD_FILE_H
#define HD_FILE_H

#include "base/base.h"

typedef struct hd_file hd_file;
/* *out is NULL on failure. */
heddle_status hd_file_create(hd_file **out, const char *path, hd_error *e);
void hd_file_print(hd_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Closes and renames; on failure, removes. f is freed either way. */
heddle_status hd_file_commit(hd_file *f, hd_error *e);
void hd_file_drop(hd_file *f); /* removes and frees; NULL is allowed */

/* Text that is there already, under path. */
heddle_status hd_file_save(const char *path, const char *text, size_t n_bytes, hd_error *e);
/* Whether the path could be written now. What stands there is not touched. */
heddle_status hd_file_check(const char *path, hd_error *e);

/* Removes what is written beside its path at this moment, in the whole process; committing it fails then. May be called by a
 * signal handler. Of more than 64 files at a time the further ones are not known here. */
void hd_files_discard(void);

#endif
