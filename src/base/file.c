/* SPDX-License-Identifier: MIT */
/* file.c - output files that appear whole or not at all: written beside the path, renamed at the end. */
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct hd_file {
    FILE *out;
    uint64_t n_bytes; /* of this struct */
    char *temp;       /* behind path, in the same block */
    char path[];
};

heddle_status hd_file_create(hd_file **out, const char *path, hd_error *e)
{
    uint64_t length = strlen(path), n_bytes = sizeof(hd_file) + 2 * length + 32;
    hd_file *f = hd_new(n_bytes);
    *out = NULL;
    if (!f)
        return hd_say(e, HEDDLE_ENOMEM, "%s: out of memory", path);
    f->n_bytes = n_bytes;
    memcpy(f->path, path, length + 1);
    f->temp = f->path + length + 1;
    /* Of this thread: others, of any process, may write the same path at the same time. */
    snprintf(f->temp, length + 31, "%s.tmp%ld", path, (long)gettid());
    f->out = fopen(f->temp, "w");
    if (!f->out) {
        hd_say(e, HEDDLE_EIO, "%s: cannot be written: %s", path, strerror(errno));
        hd_delete(f, n_bytes);
        return HEDDLE_EIO;
    }
    *out = f;
    return HEDDLE_OK;
}

void hd_file_print(hd_file *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vfprintf(f->out, format, args); /* commit asks for errors */
    va_end(args);
}

heddle_status hd_file_commit(hd_file *f, hd_error *e)
{
    heddle_status s = HEDDLE_OK;
    int bad = ferror(f->out);
    if (fclose(f->out) || bad || rename(f->temp, f->path)) {
        s = hd_say(e, HEDDLE_EIO, "%s: writing failed: %s", f->path, strerror(errno));
        unlink(f->temp);
    }
    hd_delete(f, f->n_bytes);
    return s;
}

void hd_file_drop(hd_file *f)
{
    if (!f)
        return;
    fclose(f->out);
    unlink(f->temp);
    hd_delete(f, f->n_bytes);
}
