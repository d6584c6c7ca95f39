/* SPDX-License-Identifier: MIT */
/* file.h - the one writer of output files, for the library and the tools.
 *
 * A regular file, or a new one, is written as PATH.tmp plus eight digits beside its path: newly created, never through a
 * link, and renamed when complete. A link to a regular file stays; its target is replaced. The new file takes the permissions
 * of the one it replaces. Any other object (a device, a pipe) is written through, and so are the program's own /dev/stdout,
 * /dev/stderr and /dev/fd/N.
 *
 * Exceeding a file size limit, or writing to a pipe without readers, fails with a sentence; the signal that would end the
 * process is discarded. The program handles other signals, and calls hd_files_discard in those handlers.
 *
 * Refused with EIO: a folder, a link to nothing, a path that cannot be opened. */
#ifndef HD_FILE_H
#define HD_FILE_H

#include "base/base.h"

typedef struct hd_file hd_file;
/* *out is NULL on failure. */
heddle_status hd_file_create(hd_file **out, const char *path, hd_error *e);
void hd_file_print(hd_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Closes and renames; on failure, removes. Frees f either way. */
heddle_status hd_file_commit(hd_file *f, hd_error *e);
void hd_file_drop(hd_file *f); /* removes the file and frees f; NULL is allowed */

/* Writes a whole text to path. */
heddle_status hd_file_save(const char *path, const char *text, size_t n_bytes, hd_error *e);
/* Checks that path could be written now. Leaves an existing file untouched. */
heddle_status hd_file_check(const char *path, hd_error *e);

/* Removes every unfinished file of the process; committing one then fails. Safe in a signal handler. Of more than 64 files at
 * a time, it does not know the excess. */
void hd_files_discard(void);

#endif
