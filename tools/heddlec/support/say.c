/* SPDX-License-Identifier: MIT */
/* say.c - errors, warnings and notes: a sentence, the user's line, the place underlined.
 *
 * Messages are remembered: headers are preprocessed into every source, and an error in one is reported once. Notes
 * belong to the message before them and are printed or suppressed with it. */
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_CODES 1000

typedef struct said {
    int code;
    const char *file, *sentence; /* interned */
    uint32_t line, column;
} said;

typedef struct record {
    HC_LIST(said) said;
    uint32_t n_errors;
    int is_muted; /* the last error or warning was suppressed, and so are its notes */
} record;

static hc_hear_fn hearer;
static void *hearer_arg;
static uint8_t is_known[N_CODES] = {
#define X(code, sentence) [code] = 1,
    HC_CODE_MAP(X)
#undef X
};
static uint8_t warns_as[N_CODES]; /* 0: a warning is a warning; else 1 + its level, 1 + HC_NOTE: suppressed */

static record *memory(void) { return hc_state(HC_STATE_SAID, sizeof(record)); }

static const int *only; /* ended by 0; NULL: all */

/* A note without a message is suppressed, too. */
void hc_say_only(const int *codes)
{
    only = codes;
    memory()->is_muted = codes != NULL;
}

uint32_t hc_n_errors(void) { return memory()->n_errors; }

int hc_set_code(int code, hc_level level)
{
    if (code < 0 || code >= N_CODES || !is_known[code])
        return 0;
    warns_as[code] = (uint8_t)(level + 1);
    return 1;
}

void hc_hear(hc_hear_fn fn, void *arg)
{
    hearer = fn;
    hearer_arg = arg;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static int is_coloured(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && !getenv("NO_COLOR");
}

static void put_level(hc_buf *out, hc_level level, int colour)
{
    static const char *const words[] = {"note", "warning", "error"};
    static const char *const colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
    hc_putf(out, "%s%s:%s ", colour ? colours[level] : "", words[level], colour ? "\033[0m" : "");
}

static void put_sentence(hc_buf *out, const hc_message *m, int colour)
{
    hc_puts(out, colour && m->level != HC_NOTE ? "\033[1m" : "");
    hc_puts(out, m->sentence);
    if (m->code)
        hc_putf(out, " [HC%d]", m->code);
    hc_puts(out, colour && m->level != HC_NOTE ? "\033[0m\n" : "\n");
}

static int begins_character(char c) { return (c & 0xc0) != 0x80; } /* in UTF-8 */

/* The line, and below it a caret at byte `from`, waves up to byte `to`. */
static void put_line(hc_buf *out, const char *line, uint32_t n, uint32_t from, uint32_t to, int colour)
{
    uint32_t i;
    while (n > 0 && line[n - 1] == '\r')
        n--;
    hc_puts(out, "  ");
    hc_put(out, line, n);
    hc_puts(out, "\n  ");
    for (i = 0; i < from && i < n; i++)
        if (begins_character(line[i]))
            hc_puts(out, line[i] == '\t' ? "\t" : " ");
    hc_puts(out, colour ? "\033[1;32m^" : "^");
    for (i = from + 1; i < to && i < n; i++)
        if (begins_character(line[i]))
            hc_puts(out, "~");
    hc_puts(out, colour ? "\033[0m\n" : "\n");
}

/* The line of the preprocessed text. */
static void put_expanded(hc_buf *out, const hc_message *m, int colour)
{
    uint32_t l = hc_line_at(m->text, m->begin), begin = m->text->lines[l].begin;
    put_line(out, m->text->bytes + begin, hc_line_end(m->text, l) - begin, m->begin - begin, m->end - begin, colour);
}

static void put_source(hc_buf *out, const hc_message *m, const hc_origin *o, int colour)
{
    uint32_t from = o->place.column - 1, to = from + 1;
    if (!o->line) {
        put_expanded(out, m, colour);
        return;
    }
    if (o->is_found && m->end > m->begin + 1) {
        hc_origin last = hc_origin_of(m->text, m->end - 1);
        int is_further = last.place.line > o->place.line;
        to = is_further ? UINT32_MAX : last.place.line == o->place.line ? last.place.column : to;
    }
    put_line(out, o->line, (uint32_t)strcspn(o->line, "\n"), from, to, colour);
    if (!o->is_found) {
        hc_puts(out, "  with macros expanded:\n");
        put_expanded(out, m, colour);
    }
}

static void print(const hc_message *m, const hc_origin *o)
{
    hc_buf out = {0};
    int colour = is_coloured();
    if (o)
        hc_putf(&out, "%s:%u:%u: ", o->place.file, o->place.line, o->place.column);
    else
        hc_puts(&out, "heddlec: ");
    put_level(&out, m->level, colour);
    put_sentence(&out, m, colour);
    if (o)
        put_source(&out, m, o, colour);
    fflush(stdout);
    fwrite(out.at, 1, out.n, stderr);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static int was_said(record *r, const said *now)
{
    uint32_t i;
    for (i = 0; i < r->said.n; i++)
        if (!memcmp(&r->said.at[i], now, sizeof *now))
            return 1;
    *HC_ADD(&r->said) = *now;
    return 0;
}

static int level_as_set(hc_level level, int code)
{
    int as = code > 0 && code < N_CODES ? warns_as[code] : 0;
    if (level != HC_WARNING || !as)
        return level;
    return as - 1 == HC_NOTE ? -1 : as - 1;
}

static int is_among(const int *codes, int code)
{
    while (*codes && *codes != code)
        codes++;
    return *codes != 0;
}

/* The level for this user; -1: suppressed. */
static int level_for(hc_level level, int code)
{
    if (only && level != HC_NOTE && (level == HC_WARNING || !is_among(only, code)))
        return -1;
    return level_as_set(level, code);
}

static void tell(record *r, const hc_message *m, const hc_origin *o)
{
    r->n_errors += m->level == HC_ERROR;
    if (hearer)
        hearer(hearer_arg, m);
    else
        print(m, o);
}

void hc_say(hc_level level, int code, const hc_text *t, uint32_t begin, uint32_t end, const char *format, ...)
{
    record *r = memory();
    int as = level_for(level, code);
    hc_message m = {(hc_level)as, code, t, begin, end > begin ? end : begin + 1, NULL};
    hc_origin o;
    said now;
    va_list arguments;
    if (level == HC_NOTE && r->is_muted)
        return;
    r->is_muted = as < 0;
    if (r->is_muted)
        return;
    va_start(arguments, format);
    m.sentence = hc_vformat(format, arguments);
    va_end(arguments);
    o = hc_origin_of(t, begin);
    memset(&now, 0, sizeof now); /* its padding is compared too */
    now.code = code;
    now.file = o.place.file;
    now.sentence = hc_intern(m.sentence, strlen(m.sentence));
    now.line = o.place.line;
    now.column = o.place.column;
    if (level != HC_NOTE && was_said(r, &now))
        r->is_muted = 1;
    else
        tell(r, &m, &o);
}

void hc_complain(hc_level level, const char *format, ...)
{
    hc_message m = {level, 0, NULL, 0, 0, NULL};
    record *r = memory();
    va_list arguments;
    if (level == HC_NOTE && r->is_muted)
        return;
    r->is_muted = 0;
    va_start(arguments, format);
    m.sentence = hc_vformat(format, arguments);
    va_end(arguments);
    tell(r, &m, NULL);
}
