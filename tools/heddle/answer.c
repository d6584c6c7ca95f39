/* SPDX-License-Identifier: MIT */
/* answer.c - collects an app's answer. Hand-written instead of jansson: the sums go to 2^64 - 1, and jansson's integers
 * end at 2^63. */
#include "answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON leaves ---- */

/* Length of the UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0, i;
    for (i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (n > 2 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                  (s[0] == 0xf4 && s[1] > 0x8f)))
        return 0;
    return n;
}

void json_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    while (*s) {
        size_t n = utf8_length(s);
        if (n == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

void json_f64(FILE *out, double v)
{
    char text[40];
    int digits;
    if (!isfinite(v)) {
        fputs("null", out);
        return;
    }
    for (digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    fputs(text, out);
}

/* ---- the sink ---- */

/* Appends an item and returns the stream for its value, closed by end_item; NULL: no memory. */
static FILE *begin_item(answer *a, const char *key, char **json, size_t *n_bytes)
{
    struct answer_item *items = realloc(a->items, (a->n + 1) * sizeof *items);
    FILE *out = items ? open_memstream(json, n_bytes) : NULL;
    if (items)
        a->items = items;
    if (!out) {
        a->failed = 1;
        return NULL;
    }
    a->items[a->n] = (struct answer_item){.key = strdup(key)};
    return out;
}

static void end_item(answer *a, FILE *out, char **json)
{
    int bad = ferror(out);
    bad = fclose(out) || bad;
    a->failed = a->failed || bad || !a->items[a->n].key;
    a->items[a->n++].json = *json;
}

#define ITEM(type, function, statement)                       \
    static void function(void *self, const char *key, type v) \
    {                                                         \
        char *json;                                           \
        size_t n_bytes;                                       \
        FILE *out = begin_item(self, key, &json, &n_bytes);   \
        if (!out)                                             \
            return;                                           \
        statement;                                            \
        end_item(self, out, &json);                           \
    }
ITEM(uint64_t, add_u64, fprintf(out, "%" PRIu64, v))
ITEM(int64_t, add_i64, fprintf(out, "%" PRId64, v))
ITEM(double, add_f64, json_f64(out, v))
ITEM(const char *, add_text, json_string(out, v))

static void add_i64s(void *self, const char *key, const int64_t *v, size_t n, size_t width)
{
    char *json;
    size_t n_bytes, i;
    FILE *out = begin_item(self, key, &json, &n_bytes);
    if (!out)
        return;
    fputc('[', out);
    for (i = 0; i < n; i++) {
        int opens = width && i % width == 0, closes = width && (i + 1) % width == 0;
        fprintf(out, "%s%s%" PRId64 "%s", i ? ", " : "", opens ? "[" : "", v[i], closes ? "]" : "");
    }
    fputc(']', out);
    end_item(self, out, &json);
}

app_sink answer_sink(answer *a)
{
    return (app_sink){.self = a, .u64 = add_u64, .i64 = add_i64, .f64 = add_f64, .text = add_text, .i64s = add_i64s};
}

void answer_free(answer *a)
{
    size_t i;
    for (i = 0; i < a->n; i++) {
        free(a->items[i].key);
        free(a->items[i].json);
    }
    free(a->items);
    *a = (answer){.n = 0};
}
