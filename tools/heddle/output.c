/* SPDX-License-Identifier: MIT */
/* output.c - files that appear whole or not at all, text gathered in memory, and the early look whether a path can be
 * written. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH with a suffix that mkstemp fills; free() it. NULL: no memory. */
static char *temp_name(const char *path)
{
    size_t n = strlen(path);
    char *temp = malloc(n + sizeof ".XXXXXX");
    if (temp) {
        memcpy(temp, path, n);
        memcpy(temp + n, ".XXXXXX", sizeof ".XXXXXX");
    }
    return temp;
}

/* The file beside the path: the only honest way to learn whether one can be made there. */
static int open_temp(const char *path, char **temp)
{
    int fd;
    *temp = temp_name(path);
    if (!*temp) {
        cli_bad("out of memory");
        return -1;
    }
    fd = mkstemp(*temp);
    if (fd < 0) {
        cli_bad("%s: cannot be written: %s", path, strerror(errno));
        free(*temp);
    }
    return fd;
}

int cli_check_output(const char *path)
{
    struct stat s;
    char *temp;
    int fd;
    if (!path)
        return CLI_OK;
    if (!*path)
        return cli_bad("an output file needs a name");
    /* Files are renamed into place, which would replace a device such as /dev/null by a plain file. */
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return cli_bad("%s: cannot be written: it is no regular file", path);
    fd = open_temp(path, &temp);
    if (fd < 0)
        return CLI_BAD;
    close(fd);
    unlink(temp);
    free(temp);
    return CLI_OK;
}

static int write_all(int fd, const char *text, size_t n_bytes)
{
    while (n_bytes > 0) {
        ssize_t n = write(fd, text, n_bytes);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            text += n;
            n_bytes -= (size_t)n;
        }
    }
    return 0;
}

int cli_write_file(const char *path, const char *text, size_t n_bytes)
{
    char *temp;
    int fd = open_temp(path, &temp), bad;
    mode_t mask = umask(0);
    umask(mask);
    if (fd < 0)
        return CLI_BAD;
    bad = write_all(fd, text, n_bytes) || fchmod(fd, 0666 & ~mask); /* mkstemp makes private files */
    bad = close(fd) || bad;
    bad = bad || rename(temp, path);
    if (bad) {
        cli_bad("%s: writing failed: %s", path, strerror(errno));
        unlink(temp);
    }
    free(temp);
    return bad ? CLI_BAD : CLI_OK;
}

/* ---- text in memory ---- */

int cli_buffer_open(cli_buffer *b)
{
    b->text = NULL;
    b->n_bytes = 0;
    b->out = open_memstream(&b->text, &b->n_bytes);
    return b->out ? CLI_OK : cli_bad("out of memory");
}

/* What was printed so far is complete; a stream in memory fails only for want of it. */
static int settle(cli_buffer *b) { return fflush(b->out) || ferror(b->out) ? cli_bad("out of memory") : CLI_OK; }

int cli_buffer_print(cli_buffer *b)
{
    cli_progress_stop();
    if (settle(b))
        return CLI_BAD;
    if (fwrite(b->text, 1, b->n_bytes, stdout) != b->n_bytes || fflush(stdout))
        return cli_bad("standard output: writing failed: %s", strerror(errno));
    return CLI_OK;
}

int cli_buffer_write(cli_buffer *b, const char *path)
{
    return settle(b) ? CLI_BAD : cli_write_file(path, b->text, b->n_bytes);
}

void cli_buffer_free(cli_buffer *b)
{
    if (b->out)
        fclose(b->out);
    free(b->text);
    b->out = NULL;
    b->text = NULL;
}
