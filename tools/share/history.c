/* SPDX-License-Identifier: MIT */
/* history.c - the tables of earlier tasks and of peaks, and their file (history.h). */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] = "heddle share history 3\n";
enum { FIRST_WITH_PEAKS = 2, FIRST_WITH_ALONE = 3 };

/* ---- the table ---- */

/* Its place, or the next free one. There always is one: a full table begins anew. */
static share_past *place_of(const share_history *h, uint64_t program, uint32_t task, uint64_t first_bytes)
{
    uint64_t at =
        (program ^ task * 0x9e3779b97f4a7c15u ^ first_bytes * 0xbf58476d1ce4e5b9u) * 0x94d049bb133111ebu >> 32;
    for (;; at++) {
        const share_past *p = &h->pasts[at % SHARE_MOST_PASTS];
        if (!p->program || (p->program == program && p->task == task && p->first_bytes == first_bytes))
            return (share_past *)(uintptr_t)p;
    }
}

const share_past *share_history_find(const share_history *h, uint64_t program, uint32_t task, uint64_t first_bytes)
{
    const share_past *p = program ? place_of(h, program, task, first_bytes) : NULL;
    return p && p->program ? p : NULL;
}

static double times(uint64_t a, uint64_t b) { return a > b ? (double)a / (double)b : (double)b / (double)a; }

const share_past *share_history_nearest(const share_history *h, uint64_t program, uint32_t task, uint64_t first_bytes)
{
    const share_past *best = NULL;
    for (uint32_t i = 0; i < SHARE_MOST_PASTS && program && first_bytes; i++) {
        const share_past *p = &h->pasts[i];
        if (p->program == program && p->task == task &&
            (!best || times(p->first_bytes, first_bytes) < times(best->first_bytes, first_bytes)))
            best = p;
    }
    return best;
}

static int can_be(const share_past *p)
{
    return p->program && p->task && p->first_bytes && p->first_bytes <= SHARE_MOST_PAST_BYTES &&
           p->in_bytes <= SHARE_MOST_PAST_BYTES && p->out_bytes <= SHARE_MOST_PAST_BYTES &&
           p->in_bytes + p->out_bytes >= p->first_bytes && p->p_ns <= SHARE_MOST_PAST_NS;
}

/* The next time of a task's kernels. */
static void believe(share_past *known, const share_past *p)
{
    if (!p->p_ns || (!p->is_alone && known->p_ns && known->p_ns <= p->p_ns))
        return;
    known->p_ns = p->is_alone && known->is_alone ? (known->p_ns + p->p_ns) / 2 : p->p_ns;
    known->is_alone = p->is_alone;
}

void share_history_learn(share_history *h, const share_past *p)
{
    share_past *mine;
    if (!can_be(p))
        return;
    if (h->n >= SHARE_MOST_PASTS * 3 / 4) {
        memset(h->pasts, 0, sizeof h->pasts);
        h->n = 0;
    }
    mine = place_of(h, p->program, p->task, p->first_bytes);
    h->n += !mine->program;
    mine->program = p->program, mine->task = p->task, mine->first_bytes = p->first_bytes;
    mine->in_bytes = p->in_bytes, mine->out_bytes = p->out_bytes;
    mine->n_seen += mine->n_seen < UINT32_MAX;
    believe(mine, p);
    h->is_changed = 1;
}

static share_peak *peak_of(const share_history *h, uint64_t program)
{
    uint64_t at = program * 0x94d049bb133111ebu >> 32;
    for (;; at++) {
        const share_peak *p = &h->peaks[at % SHARE_MOST_PEAKS];
        if (!p->program || p->program == program)
            return (share_peak *)(uintptr_t)p;
    }
}

uint64_t share_history_peak(const share_history *h, uint64_t program)
{
    return program ? peak_of(h, program)->n_bytes : 0;
}

void share_history_learn_peak(share_history *h, uint64_t program, uint64_t n_bytes)
{
    share_peak *mine;
    if (!program || !n_bytes || n_bytes > SHARE_MOST_PAST_BYTES)
        return;
    if (h->n_peaks >= SHARE_MOST_PEAKS * 3 / 4) {
        memset(h->peaks, 0, sizeof h->peaks);
        h->n_peaks = 0;
    }
    mine = peak_of(h, program);
    h->n_peaks += !mine->program;
    mine->program = program;
    mine->n_bytes = n_bytes >= mine->n_bytes ? n_bytes : mine->n_bytes - (mine->n_bytes - n_bytes + 3) / 4;
    mine->n_seen += mine->n_seen < UINT32_MAX;
    h->is_changed = 1;
}

/* ---- the text ---- */

char *share_history_text(const share_history *h, size_t *n_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n_bytes);
    if (!out)
        return NULL;
    fputs(head, out);
    for (uint32_t i = 0; i < SHARE_MOST_PASTS; i++) {
        const share_past *p = &h->pasts[i];
        if (p->program)
            fprintf(out,
                    "%016" PRIx64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32
                    "\t%" PRIu32 "\n",
                    p->program, p->task, p->first_bytes, p->in_bytes, p->out_bytes, p->p_ns, p->n_seen, p->is_alone);
    }
    for (uint32_t i = 0; i < SHARE_MOST_PEAKS; i++)
        if (h->peaks[i].program)
            fprintf(out, "peak\t%016" PRIx64 "\t%" PRIu64 "\t%" PRIu32 "\n", h->peaks[i].program, h->peaks[i].n_bytes,
                    h->peaks[i].n_seen);
    fprintf(out, "end %" PRIu32 "\n", h->n + h->n_peaks);
    return fclose(out) ? NULL : text;
}

/* Digits up to a given byte; NULL: there is something else. */
static const char *number(const char *at, const char *end, int base, char stop, uint64_t most, uint64_t *n)
{
    const char *begin = at;
    *n = 0;
    for (; at < end && *at != stop; at++) {
        uint64_t digit = *at >= '0' && *at <= '9'   ? (uint64_t)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (uint64_t)(*at - 'a' + 10)
                                                    : 99;
        if (digit >= (uint64_t)base || *n > (most - digit) / (uint64_t)base)
            return NULL;
        *n = *n * (uint64_t)base + digit;
    }
    return at < end && at > begin ? at + 1 : NULL;
}

/* The line that begins there, up to and with its end; NULL: it is none. */
static const char *read_line(share_history *h, const char *at, const char *end, int version)
{
    static const uint64_t most[] = {
        UINT64_MAX, UINT32_MAX, SHARE_MOST_PAST_BYTES, SHARE_MOST_PAST_BYTES, SHARE_MOST_PAST_BYTES, SHARE_MOST_PAST_NS,
        UINT32_MAX, 1};
    uint64_t n[8] = {0};
    int last = version < FIRST_WITH_ALONE ? 6 : 7;
    share_past p, *mine;
    for (int i = 0; i <= last && at; i++)
        at = number(at, end, i ? 10 : 16, i < last ? '\t' : '\n', most[i], &n[i]);
    if (!at)
        return NULL;
    p = (share_past){n[0], (uint32_t)n[1], n[2], n[3], n[4], n[5], (uint32_t)n[6], (uint32_t)n[7]};
    if (!can_be(&p) || !p.n_seen || (p.is_alone && !p.p_ns) || h->n >= SHARE_MOST_PASTS * 3 / 4)
        return NULL;
    mine = place_of(h, p.program, p.task, p.first_bytes);
    if (mine->program)
        return NULL; /* twice */
    *mine = p;
    h->n++;
    return at;
}

static const char *read_peak(share_history *h, const char *at, const char *end)
{
    uint64_t program, n_bytes, n_seen;
    share_peak *mine;
    at = number(at, end, 16, '\t', UINT64_MAX, &program);
    at = at ? number(at, end, 10, '\t', SHARE_MOST_PAST_BYTES, &n_bytes) : NULL;
    at = at ? number(at, end, 10, '\n', UINT32_MAX, &n_seen) : NULL;
    if (!at || !program || !n_bytes || !n_seen || h->n_peaks >= SHARE_MOST_PEAKS * 3 / 4)
        return NULL;
    mine = peak_of(h, program);
    if (mine->program)
        return NULL; /* twice */
    *mine = (share_peak){program, n_bytes, (uint32_t)n_seen};
    h->n_peaks++;
    return at;
}

static int begins_with(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) >= strlen(word) && !memcmp(at, word, strlen(word));
}

static const char *read_any(share_history *h, const char *at, const char *end, int version)
{
    static const char peak[] = "peak\t";
    if (version >= FIRST_WITH_PEAKS && begins_with(at, end, peak))
        return read_peak(h, at + strlen(peak), end);
    return read_line(h, at, end, version);
}

static int is_end(const char *at, const char *end, uint32_t n)
{
    char line[32];
    int length = snprintf(line, sizeof line, "end %" PRIu32 "\n", n);
    return end - at == length && !memcmp(at, line, (size_t)length);
}

/* From 1 to this one's; 0: it has no head of ours. */
static int version_of(const char *text, const char *end)
{
    const size_t digit = sizeof head - 3;
    if ((size_t)(end - text) < sizeof head - 1 || memcmp(text, head, digit) || text[digit + 1] != '\n')
        return 0;
    return text[digit] >= '1' && text[digit] <= head[digit] ? text[digit] - '0' : 0;
}

int share_history_parse(share_history *h, const char *text, size_t n_bytes, share_why *why)
{
    const char *at = text + sizeof head - 1, *end = text + n_bytes;
    uint32_t line = 1;
    int version = version_of(text, end);
    memset(h, 0, sizeof *h);
    if (!version)
        return share_because(why, "line 1 is not the head of a history of this version");
    while (!is_end(at, end, h->n + h->n_peaks)) {
        line++;
        at = at < end ? read_any(h, at, end, version) : NULL;
        if (!at) {
            memset(h, 0, sizeof *h);
            return share_because(why, "line %" PRIu32 " is not what a daemon writes", line);
        }
    }
    return 0;
}

/* ---- the file ---- */

int share_history_path(char *path, size_t n_bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache && *cache == '/')
        n = snprintf(path, n_bytes, "%s/heddle/share-history", cache);
    else if (home && *home == '/')
        n = snprintf(path, n_bytes, "%s/.cache/heddle/share-history", home);
    return n > 0 && (size_t)n < n_bytes ? 0 : -1;
}

static int set_aside(const char *path, const share_why *because, share_why *why)
{
    char bad[4096 + 8];
    snprintf(bad, sizeof bad, "%s.bad", path);
    if (rename(path, bad))
        return share_because(why, "%s: %s, and it cannot be set aside: %s", path, because->text, strerror(errno));
    return share_because(why, "%s: %s; it is set aside as %s", path, because->text, bad);
}

int share_history_read(share_history *h, const char *path, share_why *why)
{
    enum { MOST = 1 << 20 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), failed;
    struct stat s;
    share_why because;
    char *text;
    ssize_t n;
    memset(h, 0, sizeof *h);
    if (fd < 0)
        return errno == ENOENT ? 0 : share_because(why, "%s: %s", path, strerror(errno));
    text = malloc(MOST);
    n = text && !fstat(fd, &s) && S_ISREG(s.st_mode) ? read(fd, text, MOST) : -1;
    close(fd);
    if (!text) /* the file may be good */
        return share_because(why, "%s: there is no memory to read it", path);
    failed = n < 0       ? share_because(&because, "it cannot be read")
             : n == MOST ? share_because(&because, "it is larger than a daemon writes")
                         : share_history_parse(h, text, (size_t)n, &because);
    free(text);
    return failed ? set_aside(path, &because, why) : 0;
}

/* The folders above a file. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

static int write_all(const char *path, const char *text, size_t n_bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), ok;
    if (fd < 0)
        return -1;
    ok = write(fd, text, n_bytes) == (ssize_t)n_bytes;
    return close(fd) || !ok ? -1 : 0;
}

int share_history_write(share_history *h, const char *path, share_why *why)
{
    char other[4096 + 8];
    size_t n_bytes;
    char *text = share_history_text(h, &n_bytes);
    int failed;
    if (!text)
        return share_because(why, "there is no memory for the history");
    snprintf(other, sizeof other, "%s", path);
    make_folders(other);
    snprintf(other, sizeof other, "%s.new", path);
    failed = write_all(other, text, n_bytes) || rename(other, path);
    free(text);
    h->is_changed = 0;
    return failed ? share_because(why, "%s: %s", path, strerror(errno)) : 0;
}
