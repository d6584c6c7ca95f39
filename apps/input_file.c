/* SPDX-License-Identifier: MIT */
/* input_file.c - see input_file.h. */
#include "app.h"
#include "input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_MAX_BYTES ((uint64_t)1 << 32)

/* ---- sentences --------------------------------------------------------------------------------- */

int input_refuse(input_file *r, const char *format, ...)
{
    char text[APP_ERROR / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->line)
        snprintf(r->error, APP_ERROR, "%.200s:%" PRIu64 ": %s", r->path, r->line, text);
    else
        snprintf(r->error, APP_ERROR, "%.200s: %s", r->path, text);
    free(r->bytes);
    r->bytes = NULL;
    return -1;
}

#define SHOWN (INPUT_SHOWN - 4) /* room for three dots and the 0 */
const char *input_show(input_span word, char out[INPUT_SHOWN])
{
    size_t n = (size_t)(word.end - word.at), i;
    for (i = 0; i < n && i < SHOWN; i++)
        out[i] = word.at[i] >= ' ' && word.at[i] <= '~' ? word.at[i] : '?';
    snprintf(out + i, 4, "%s", n > SHOWN ? "..." : "");
    return out;
}

/* ---- the file ----------------------------------------------------------------------------------- */

static int grow(input_file *r, uint64_t n_bytes)
{
    char *bytes = realloc(r->bytes, n_bytes);
    if (!bytes)
        return input_refuse(r, "out of memory for %" PRIu64 " bytes", n_bytes);
    r->bytes = bytes;
    return 0;
}

/* Reads to the end of the file; its size is only a guess. */
static int slurp(input_file *r, FILE *f, uint64_t guess)
{
    uint64_t cap = guess + 2, got;
    if (grow(r, cap))
        return -1;
    while ((got = fread(r->bytes + r->n, 1, cap - 1 - r->n, f)) > 0) {
        r->n += got;
        if (r->n > INPUT_MAX_BYTES)
            return input_refuse(r, "has more than %" PRIu64 " bytes", INPUT_MAX_BYTES);
        if (r->n == cap - 1 && grow(r, cap *= 2))
            return -1;
    }
    if (ferror(f))
        return input_refuse(r, "%s", strerror(errno));
    r->bytes[r->n] = 0;
    return 0;
}

int input_read(input_file *r, const char *path, char *error)
{
    struct stat st;
    FILE *f;
    int rc;
    memset(r, 0, sizeof *r);
    r->path = path;
    r->error = error;
    f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st)) {
        rc = input_refuse(r, "%s", strerror(errno));
        if (f)
            fclose(f);
        return rc;
    }
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
        rc = input_refuse(r, "is neither a file nor a pipe");
    else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > INPUT_MAX_BYTES)
        rc = input_refuse(r, "has more than %" PRIu64 " bytes", INPUT_MAX_BYTES);
    else
        rc = slurp(r, f, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : BUFSIZ);
    fclose(f);
    return rc;
}

void *input_take(input_file *r, uint64_t n_bytes)
{
    void *cut = realloc(r->bytes, n_bytes ? n_bytes : 1);
    return cut ? cut : r->bytes;
}

/* ---- lines and words ------------------------------------------------------------------------------ */

int input_line(input_file *r, input_span *line)
{
    char *end;
    if (r->at == r->n)
        return 0;
    r->line++;
    line->at = r->bytes + r->at;
    end = memchr(line->at, '\n', r->n - r->at);
    line->end = end ? end : r->bytes + r->n;
    r->at = (uint64_t)(line->end - r->bytes) + (end != NULL);
    return 1;
}

int input_word(input_span *line, input_span *word)
{
    while (line->at < line->end && input_is_blank(*line->at))
        line->at++;
    word->at = line->at;
    while (line->at < line->end && !input_is_blank(*line->at))
        line->at++;
    word->end = line->at;
    return word->at < word->end;
}

int input_words(input_span line, input_span *words, int n)
{
    input_span more;
    int i;
    for (i = 0; i < n; i++)
        if (!input_word(&line, &words[i]))
            return 0;
    return !input_word(&line, &more);
}

int input_only_of(input_span word, const char *set)
{
    char *p;
    for (p = word.at; p < word.end; p++)
        if (!*p || !strchr(set, *p))
            return 0;
    return 1;
}

/* strtod stops at the byte after a word: a blank, a line's end, or the 0 after the last byte. */
int input_real(input_span word, double *out)
{
    char *end;
    if (!input_only_of(word, "0123456789+-.eE"))
        return 0;
    *out = strtod(word.at, &end);
    return end == word.end && isfinite(*out);
}

int input_count(input_span word, uint64_t *out)
{
    char *p;
    *out = 0;
    for (p = word.at; p < word.end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || *out > (UINT64_MAX / 2 - digit) / 10)
            return 0;
        *out = *out * 10 + digit;
    }
    return word.at < word.end;
}
