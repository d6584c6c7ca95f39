/* SPDX-License-Identifier: MIT */
/* text.c - the lines of a preprocessed text, C's tokens, and the way back to the user's files.
 *
 * The preprocessor keeps a line's indentation and reduces blanks to one. So a place in the user's line is found by
 * walking both lines from their first token on, around macros. A name brought in by a macro is searched in the macro's
 * arguments. */
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_in_name(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}

int hc_is_name(const char *s, uint32_t at, uint32_t end) { return at < end && is_in_name(s[at]) && !is_digit(s[at]); }

/* The end of the comment at `at`, or `at`. */
static uint32_t comment_end(const char *s, uint32_t at, uint32_t end)
{
    const char *newline;
    uint32_t i;
    if (end - at < 2 || s[at] != '/')
        return at;
    if (s[at + 1] == '/') {
        newline = memchr(s + at, '\n', end - at);
        return newline ? (uint32_t)(newline - s) : end;
    }
    if (s[at + 1] != '*')
        return at;
    for (i = at + 2; i + 1 < end; i++)
        if (s[i] == '*' && s[i + 1] == '/')
            return i + 2;
    return end;
}

uint32_t hc_blank_end(const char *s, uint32_t at, uint32_t end)
{
    while (at < end) {
        uint32_t next = comment_end(s, at, end);
        if (is_blank(s[at]))
            next = at + 1;
        else if (s[at] == '\\' && end - at >= 2 && s[at + 1] == '\n')
            next = at + 2;
        else if (s[at] == '\\' && end - at >= 3 && s[at + 1] == '\r' && s[at + 2] == '\n')
            next = at + 3;
        if (next == at)
            break;
        at = next;
    }
    return at;
}

static uint32_t quoted_end(const char *s, uint32_t at, uint32_t end)
{
    char quote = s[at++];
    for (; at < end && s[at] != '\n'; at++) {
        if (s[at] == quote)
            return at + 1;
        if (s[at] == '\\' && at + 1 < end)
            at++;
    }
    return at < end ? at : end;
}

/* 0x1p-3, 1e+5, 1'000, 12ull */
static uint32_t number_end(const char *s, uint32_t at, uint32_t end)
{
    for (at++; at < end; at++) {
        int is_exponent = strchr("eEpP", s[at - 1]) && (s[at] == '+' || s[at] == '-');
        int is_separator = s[at] == '\'' && at + 1 < end && is_in_name(s[at + 1]);
        if (!is_in_name(s[at]) && s[at] != '.' && !is_exponent && !is_separator)
            break;
    }
    return at;
}

uint32_t hc_token_end(const char *s, uint32_t at, uint32_t end)
{
    if (at >= end)
        return end;
    if (is_digit(s[at]) || (s[at] == '.' && at + 1 < end && is_digit(s[at + 1])))
        return number_end(s, at, end);
    if (s[at] == '"' || s[at] == '\'')
        return quoted_end(s, at, end);
    if (!is_in_name(s[at]))
        return at + 1;
    while (at < end && is_in_name(s[at]))
        at++;
    return at;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

typedef struct scan {
    hc_text *t;
    HC_LIST(hc_line) lines;
    const char *file;
    uint32_t number;
    uint8_t is_system, in_comment;
} scan;

/* Undoes the preprocessor's quoting of file names, as "a\"b"; NULL if there is none. */
static const char *unquote(const char *s, uint32_t at, uint32_t end)
{
    hc_buf name = {0};
    if (at >= end || s[at] != '"')
        return NULL;
    for (at++; at < end && s[at] != '"'; at++) {
        char c = s[at];
        if (c == '\\' && at + 3 < end && is_digit(s[at + 1])) {
            c = (char)((s[at + 1] - '0') * 64 + (s[at + 2] - '0') * 8 + (s[at + 3] - '0'));
            at += 3;
        } else if (c == '\\' && at + 1 < end)
            c = s[++at];
        hc_put(&name, &c, 1);
    }
    return name.n ? hc_intern(name.at, name.n) : "";
}

/* `12 "file.c" 1 3`: describes the next line. */
static void take_marker(scan *s, uint32_t at, uint32_t end)
{
    const char *bytes = s->t->bytes, *file;
    uint32_t next = hc_token_end(bytes, at, end);
    s->number = (uint32_t)strtoul(bytes + at, NULL, 10);
    at = hc_blank_end(bytes, next, end);
    if (!(file = unquote(bytes, at, end)))
        return;
    s->file = file;
    s->is_system = *file == '<';
    for (at = hc_token_end(bytes, at, end); at < end; at++)
        s->is_system |= bytes[at] == '3';
}

static int is_word(const char *s, uint32_t at, uint32_t end, const char *word)
{
    return end - at == strlen(word) && !memcmp(s + at, word, end - at);
}

/* A line that begins with '#': whether the preprocessor made it. */
static void take_directive(scan *s, hc_line *line, uint32_t at, uint32_t end)
{
    static const char *const dropped[] = {"define", "undef", "include", "include_next", "import", "__include_macros"};
    const char *bytes = s->t->bytes;
    uint32_t word = hc_blank_end(bytes, at + 1, end), word_end = hc_token_end(bytes, word, end), i;
    if (is_word(bytes, word, word_end, "line")) {
        word = hc_blank_end(bytes, word_end, end);
        word_end = hc_token_end(bytes, word, end);
    }
    if (word < end && is_digit(bytes[word])) {
        take_marker(s, word, end);
        line->is_marker = 1;
    }
    for (i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (is_word(bytes, word, word_end, dropped[i]))
            line->is_marker = line->is_dropped = 1;
}

/* Whether a comment is open at the end of the line. */
static int leaves_comment(const char *s, uint32_t at, uint32_t end, int is_open)
{
    while (at < end) {
        uint32_t next;
        if (is_open) {
            for (next = at; next + 1 < end && !(s[next] == '*' && s[next + 1] == '/'); next++)
                ;
            if (next + 1 >= end)
                return 1;
            is_open = 0;
            at = next + 2;
            continue;
        }
        if (end - at >= 2 && s[at] == '/' && s[at + 1] == '/')
            return 0;
        if (end - at >= 2 && s[at] == '/' && s[at + 1] == '*') {
            is_open = 1;
            at += 2;
        } else
            at = hc_token_end(s, at, end);
    }
    return is_open;
}

/* The first token of the line; end if there is none. */
static uint32_t first_of(const char *bytes, uint32_t begin, uint32_t end, int in_comment)
{
    while (in_comment && begin < end) {
        in_comment = !(bytes[begin] == '*' && begin + 1 < end && bytes[begin + 1] == '/');
        begin += in_comment ? 1 : 2;
    }
    return hc_blank_end(bytes, begin, end);
}

/* One line, begin .. end without its newline. */
static void take_line(scan *s, uint32_t begin, uint32_t end)
{
    const char *bytes = s->t->bytes;
    hc_line *line = HC_ADD(&s->lines);
    uint32_t first = first_of(bytes, begin, end, s->in_comment);
    *line = (hc_line){begin, s->number, s->file, s->is_system, 0, 0, s->in_comment};
    s->number++;
    if (first < end && bytes[first] == '#')
        take_directive(s, line, first, end);
    s->in_comment = (uint8_t)leaves_comment(bytes, begin, end, s->in_comment);
}

void hc_text_init(hc_text *t, const char *path, const char *bytes, size_t n)
{
    scan s = {t, {0}, NULL, 1, 0, 0};
    uint32_t at = 0, end;
    if (n > UINT32_MAX / 2)
        hc_die("%s: preprocessed it has %zu bytes, which is too much", path, n);
    *t = (hc_text){hc_intern(path, strlen(path)), bytes, (uint32_t)n, NULL, 0};
    s.file = t->path;
    do {
        const char *newline = memchr(bytes + at, '\n', n - at);
        end = newline ? (uint32_t)(newline - bytes) : t->n;
        take_line(&s, at, end);
        at = end + 1;
    } while (at < t->n);
    t->lines = s.lines.at;
    t->n_lines = s.lines.n;
}

uint32_t hc_line_at(const hc_text *t, uint32_t at)
{
    uint32_t low = 0, high = t->n_lines; /* lines[low].begin <= at < lines[high].begin */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->lines[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t hc_line_end(const hc_text *t, uint32_t line)
{
    uint32_t end = line + 1 < t->n_lines ? t->lines[line + 1].begin : t->n;
    return end > t->lines[line].begin && t->bytes[end - 1] == '\n' ? end - 1 : end;
}

uint32_t hc_line_first(const hc_text *t, uint32_t line)
{
    return first_of(t->bytes, t->lines[line].begin, hc_line_end(t, line), t->lines[line].in_comment);
}

/* ---- the user's files -------------------------------------------------------------------------------------------- */

typedef struct file {
    const char *name; /* interned */
    const char *bytes;
    uint32_t n;
    uint32_t *lines; /* offsets */
    uint32_t n_lines;
} file;

typedef HC_LIST(file) file_list;

static void find_lines(file *f)
{
    HC_LIST(uint32_t) lines = {0};
    uint32_t i;
    *HC_ADD(&lines) = 0;
    for (i = 0; i < f->n; i++)
        if (f->bytes[i] == '\n')
            *HC_ADD(&lines) = i + 1;
    f->lines = lines.at;
    f->n_lines = lines.n;
}

static file *known_file(const char *name)
{
    file_list *files = hc_state(HC_STATE_FILES, sizeof *files);
    for (uint32_t i = 0; i < files->n; i++)
        if (files->at[i].name == name)
            return &files->at[i];
    return NULL;
}

static const file *add_file(const char *name, const char *bytes, size_t n)
{
    file_list *files = hc_state(HC_STATE_FILES, sizeof *files);
    file *f = HC_ADD(files);
    *f = (file){.name = name, .bytes = bytes, .n = (uint32_t)n};
    if (f->bytes)
        find_lines(f);
    return f;
}

/* Read once; without bytes if it does not exist. */
static const file *file_of(const char *name)
{
    const file *f = known_file(name);
    size_t n = 0;
    const char *bytes = f || *name == '<' ? NULL : hc_read_file(name, &n);
    return f ? f : add_file(name, bytes, n);
}

void hc_remember_file(const char *name, const char *bytes, size_t n)
{
    name = hc_intern(name, strlen(name));
    if (!known_file(name))
        add_file(name, bytes, n);
}

const char *hc_file_line(const char *name, uint32_t line, size_t *n)
{
    const file *f = file_of(hc_intern(name, strlen(name)));
    if (!f->bytes || line == 0 || line > f->n_lines)
        return NULL;
    *n = strcspn(f->bytes + f->lines[line - 1], "\r\n");
    return f->bytes + f->lines[line - 1];
}

static int same_token(const char *a, uint32_t at, uint32_t a_end, const char *b, uint32_t bt, uint32_t b_end)
{
    return a_end - at == b_end - bt && !memcmp(a + at, b + bt, a_end - at);
}

/* How a place of the text was found in the user's file. */
typedef enum how { LOST, IN_MACRO, EXACT } how;
typedef struct hit {
    how how;
    uint32_t u; /* IN_MACRO: of the macro's name */
} hit;

/* The end of the brackets at u, or of u if they are not closed. */
static uint32_t skip_brackets(const file *f, uint32_t u)
{
    uint32_t depth = 0, at = u;
    while (at < f->n) {
        char c = f->bytes[at];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        at = hc_token_end(f->bytes, at, f->n);
        if (depth == 0)
            return at;
        at = hc_blank_end(f->bytes, at, f->n);
    }
    return u + 1;
}

/* The first token of i .. end outside brackets that equals the user's token at u; end if there is none. */
static uint32_t find_outside(const hc_text *t, uint32_t i, uint32_t end, const file *f, uint32_t u)
{
    uint32_t u_end = hc_token_end(f->bytes, u, f->n), depth = 0;
    while ((i = hc_blank_end(t->bytes, i, end)) < end) {
        uint32_t next = hc_token_end(t->bytes, i, end);
        char c = t->bytes[i];
        if (depth == 0 && same_token(t->bytes, i, next, f->bytes, u, u_end))
            return i;
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth > 0 && (c == ')' || c == ']' || c == '}');
        i = next;
    }
    return end;
}

/* Walks both lines, the user's from u and the text's i .. end, to `at`. Where they diverge at a name, that is a macro
 * with its arguments; its expansion ends at the token that follows it. */
static hit walk(const file *f, uint32_t u, const hc_text *t, uint32_t i, uint32_t end, uint32_t at)
{
    for (;;) {
        uint32_t u_end, i_end, name;
        i = hc_blank_end(t->bytes, i, end);
        u = hc_blank_end(f->bytes, u, f->n);
        if (i > at || i >= end || u >= f->n)
            return (hit){i >= at ? EXACT : LOST, u};
        i_end = hc_token_end(t->bytes, i, end);
        u_end = hc_token_end(f->bytes, u, f->n);
        if (same_token(t->bytes, i, i_end, f->bytes, u, u_end)) {
            if (at < i_end)
                return (hit){EXACT, u + (at - i)};
            i = i_end;
            u = u_end;
            continue;
        }
        if (!hc_is_name(f->bytes, name = u, f->n))
            return (hit){LOST, u};
        u = hc_blank_end(f->bytes, u_end, f->n);
        if (u < f->n && f->bytes[u] == '(')
            u = hc_blank_end(f->bytes, skip_brackets(f, u), f->n);
        i = u < f->n ? find_outside(t, i, end, f, u) : end;
        if (at < i)
            return (hit){IN_MACRO, name};
    }
}

/* The n-th (or the last before it) token in the user's line, including continuation lines, that equals at .. end of the
 * text; f->n if there is none. Also searches strings, for _Pragma. */
static uint32_t search(const file *f, uint32_t u, const hc_text *t, uint32_t at, uint32_t end, uint32_t n)
{
    uint32_t found = f->n, next;
    for (; u < f->n && f->bytes[u] != '\n'; u = next) {
        next = f->bytes[u] == '\\' ? hc_blank_end(f->bytes, u, f->n) : u;
        if (next == u)
            next = strchr("\"'", f->bytes[u]) ? u + 1 : hc_token_end(f->bytes, u, f->n);
        if (same_token(t->bytes, at, end, f->bytes, u, next)) {
            found = u;
            if (n-- == 0)
                break;
        }
    }
    return found;
}

/* The token that contains `at`; n_before: the number of equal tokens before it in its line. */
static uint32_t token_at(const hc_text *t, uint32_t i, uint32_t end, uint32_t at, uint32_t *n_before)
{
    uint32_t first = i, next, token = at;
    for (; i <= at && i < end; i = next) {
        next = hc_token_end(t->bytes, i, end);
        token = i;
    }
    next = hc_token_end(t->bytes, token, end);
    for (i = first, *n_before = 0; i < token; i = hc_token_end(t->bytes, i, end))
        *n_before += (uint32_t)same_token(t->bytes, i, hc_token_end(t->bytes, i, end), t->bytes, token, next);
    return token;
}

static hit locate(const file *f, uint32_t first, const hc_text *t, uint32_t begin, uint32_t end, uint32_t at)
{
    hit h = walk(f, first, t, begin, end, at);
    uint32_t token, n, u;
    if (h.how == EXACT || at >= end)
        return h;
    token = token_at(t, begin, end, at, &n);
    if (!hc_is_name(t->bytes, token, end))
        return h;
    u = search(f, first, t, token, hc_token_end(t->bytes, token, end), n);
    return u < f->n ? (hit){EXACT, u + (at - token)} : h;
}

static void place_in(hc_origin *o, const file *f, uint32_t n, hit h)
{
    uint32_t u = h.how == LOST ? hc_blank_end(f->bytes, f->lines[n], f->n) : h.u;
    o->is_found = h.how == EXACT;
    while (n + 1 < f->n_lines && f->lines[n + 1] <= u)
        n++;
    o->place.line = n + 1;
    o->place.column = u - f->lines[n] + 1;
    o->line = f->bytes + f->lines[n];
}

hc_origin hc_origin_of(const hc_text *t, uint32_t at)
{
    uint32_t l = hc_line_at(t, at);
    const hc_line *line = &t->lines[l];
    hc_origin o = {{line->file, line->number, at - line->begin + 1, line->is_system}, NULL, 1};
    const file *f = file_of(line->file);
    if (f->bytes && line->number > 0 && line->number <= f->n_lines)
        place_in(&o, f, line->number - 1, locate(f, f->lines[line->number - 1], t, line->begin, hc_line_end(t, l), at));
    return o;
}

hc_place hc_place_of(const hc_text *t, uint32_t at) { return hc_origin_of(t, at).place; }
