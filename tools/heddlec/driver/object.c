/* SPDX-License-Identifier: MIT */
/* object.c - the section of an object of heddlec from which the program's link translates it: the preprocessed text,
 * the flags and options, and the user's files for diagnostics. It stores the texts, because sources and headers may
 * have moved or changed by then.
 *
 * The section is .heddlec, which objcopy adds and linkers leave out of programs. Its first characters, its length and a
 * checksum identify it: this needs no tool and no ELF reader, and works inside archives, too.
 *
 * A record is a head and fields: a letter, a length, a colon, that many bytes. */
#include "driver/build.h"

#include "heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In pieces, so that heddlec itself is not taken for an object of heddlec. */
static const char *const mark[] = {"\177heddlec", " object "};
#define HEAD_FORMAT "%s%s%-12s%012zu %08x\n"
#define HEAD_BYTES (16 + 12 + 12 + 1 + 8 + 1)

static const char *version(void)
{
    return hc_format("1/%d.%d.%d", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put_field(hc_buf *out, char letter, const char *bytes, size_t n)
{
    hc_putf(out, "%c%zu:", letter, n);
    hc_put(out, bytes, n);
}

static void put_word(hc_buf *out, char letter, const char *word) { put_field(out, letter, word, strlen(word)); }

static void put_words(hc_buf *out, char letter, const hc_words *words)
{
    for (uint32_t i = 0; i < words->n; i++)
        put_word(out, letter, words->at[i]);
}

/* Name and bytes. */
static void put_file(hc_buf *out, const char *name)
{
    size_t n;
    const char *bytes = hc_read_file(name, &n);
    if (!bytes)
        return;
    put_word(out, 'f', name);
    put_field(out, 'b', bytes, n);
}

/* Joins flags with values in the next word, and makes folders absolute. */
static hc_words for_headers(const hc_words *see, const char *folder)
{
    static const char *const names[] = {"-I", "-isystem", "-iquote", "-idirafter"};
    hc_words from = {0}, to = {0};
    hc_add_folders(&from, see);
    for (uint32_t i = 0; i < from.n; i++) {
        const char *word = from.at[i];
        if (hc_takes_next(word))
            word = hc_format("%s%s", word, from.at[++i]);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            size_t n = strlen(names[k]);
            if (strncmp(word, names[k], n) == 0 && word[n] != '/' && word[n] != '=')
                word = hc_format("%s%s/%s", names[k], folder, word + n);
        }
        hc_add_word(&to, word);
    }
    return to;
}

static hc_buf fields_of(const hc_input *in)
{
    char folder[4096];
    hc_buf out = {0};
    hc_text t = {0};
    hc_words see, files = {0};
    if (!getcwd(folder, sizeof folder))
        strcpy(folder, ".");
    see = for_headers(&in->see, folder);
    hc_text_init(&t, in->path, in->text, in->n);
    hc_add_files(&files, &t, 0);
    put_word(&out, 'd', folder);
    put_word(&out, 'p', in->path);
    if (in->standard)
        put_word(&out, 's', in->standard);
    put_words(&out, 'i', &see);
    put_words(&out, 'c', &in->compile);
    put_words(&out, 'n', &in->nvcc);
    put_words(&out, 'o', &in->own);
    for (uint32_t i = 0; i < files.n; i++)
        put_file(&out, files.at[i]);
    put_field(&out, 't', in->text, in->n);
    return out;
}

void hc_put_record(hc_buf *out, const hc_input *in)
{
    hc_buf fields = fields_of(in);
    hc_putf(out, HEAD_FORMAT, mark[0], mark[1], version(), fields.n, hc_hash(fields.at, fields.n));
    hc_put(out, fields.at, fields.n);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct record {
    hc_input in;
    const char *folder; /* the folder in which it was made; NULL: this one */
    const char *file;   /* the name before a file's bytes */
} record;

static const char *from_folder(const char *folder, const char *path)
{
    return folder && *path != '/' && *path != '<' ? hc_format("%s/%s", folder, path) : path;
}

/* Makes the relative file names of line markers absolute. */
static void move_markers(hc_input *in, const char *folder)
{
    hc_buf out = {0};
    const char *s = in->text, *end = in->text + in->n, *name, *next;
    for (; s < end; s = next) {
        next = memchr(s, '\n', (size_t)(end - s));
        next = next ? next + 1 : end;
        name = *s == '#' && next - s > 4 && s[1] == ' ' && s[2] >= '0' && s[2] <= '9'
                   ? memchr(s, '"', (size_t)(next - s))
                   : NULL;
        name = name ? name + 1 : s;
        hc_put(&out, s, (size_t)(name - s));
        if (name > s && *name != '/' && *name != '<')
            hc_putf(&out, "%s/", folder);
        hc_put(&out, name, (size_t)(next - name));
    }
    in->text = out.at;
    in->n = out.n;
}

static void take_field(record *r, char letter, const char *bytes, size_t n)
{
    char here[4096];
    const char *s = hc_copy(bytes, n);
    switch (letter) {
    case 'd': r->folder = getcwd(here, sizeof here) && strcmp(here, s) == 0 ? NULL : s; break;
    case 'p': r->in.path = from_folder(r->folder, s); break;
    case 's': r->in.standard = s; break;
    case 'i': hc_add_word(&r->in.see, s); break;
    case 'c': hc_add_word(&r->in.compile, s); break;
    case 'n': hc_add_word(&r->in.nvcc, s); break;
    case 'o': hc_add_word(&r->in.own, s); break;
    case 'f': r->file = from_folder(r->folder, s); break;
    case 'b': hc_remember_file(r->file, s, n); break;
    case 't':
        r->in.text = s, r->in.n = n;
        if (r->folder)
            move_markers(&r->in, r->folder);
        break;
    default: break;
    }
}

static hc_input read_fields(const char *s, const char *end)
{
    record r = {0};
    while (s < end) {
        char letter = *s++, *colon;
        size_t n = strtoull(s, &colon, 10);
        if (*colon != ':' || n > (size_t)(end - colon - 1))
            break;
        s = colon + 1;
        take_field(&r, letter, s, n);
        s += n;
    }
    return r.in;
}

/* The whole record at s; returns its end, or NULL. A record of another version yields one without text. */
static const char *read_record(const char *s, const char *end, hc_input *in)
{
    char name[13];
    size_t n;
    unsigned sum;
    if ((size_t)(end - s) < HEAD_BYTES || sscanf(s + 16, "%12s %12zu %8x", name, &n, &sum) != 3 ||
        n > (size_t)(end - s) - HEAD_BYTES || hc_hash(s + HEAD_BYTES, n) != sum)
        return NULL;
    s += HEAD_BYTES;
    *in = strcmp(name, version()) ? (hc_input){0} : read_fields(s, s + n);
    return s + n;
}

static void find_records(const char *bytes, size_t n, hc_inputs *out)
{
    const char *start = hc_format("%s%s", mark[0], mark[1]), *s = bytes, *end = bytes + n, *behind;
    while ((s = memmem(s, (size_t)(end - s), start, strlen(start)))) {
        hc_input in;
        behind = read_record(s, end, &in);
        if (behind)
            *HC_ADD(out) = in;
        s = behind ? behind : s + 1;
    }
}

/* ---- the link line ----------------------------------------------------------------------------------------------- */

static int is_archive(const char *path) { return hc_ends_with(path, ".a"); }

/* -lNAME, as a linker finds it in the folders of -L: a shared library has precedence. */
static const char *library_of(const hc_words *link, const char *name)
{
    for (uint32_t i = 0; i < link->n; i++) {
        const char *word = link->at[i], *folder = word + 2;
        if (strncmp(word, "-L", 2) != 0)
            continue;
        folder = *folder ? folder : i + 1 < link->n ? link->at[i + 1] : ".";
        if (access(hc_format("%s/lib%s.so", folder, name), R_OK) == 0)
            return NULL;
        if (access(hc_format("%s/lib%s.a", folder, name), R_OK) == 0)
            return hc_format("%s/lib%s.a", folder, name);
    }
    return NULL;
}

/* The object or archive of word i of the link line; NULL: not searched. */
static const char *linked_file(const hc_words *link, uint32_t i)
{
    const char *word = link->at[i], *before = i ? link->at[i - 1] : "";
    if (strncmp(word, "-l", 2) == 0 && word[2])
        return library_of(link, word + 2);
    if (strcmp(before, "-l") == 0)
        return library_of(link, word);
    return word[0] != '-' && !hc_takes_next(before) && (hc_ends_with(word, ".o") || is_archive(word)) ? word : NULL;
}

static void add_records(const char *path, const char *word, const hc_inputs *found, hc_inputs *all)
{
    if (found->n > 1 && !is_archive(path))
        hc_complain(HC_ERROR, "%s is made of several objects of heddlec: link those", path);
    for (uint32_t i = 0; i < found->n; i++) {
        hc_input *in = HC_ADD(all);
        *in = found->at[i];
        in->object = word;
        in->is_archived = is_archive(path);
        if (!in->text)
            hc_complain(HC_ERROR, "%s was made by another version of heddlec: compile it again", path);
    }
}

static int was_read(const hc_words *link, uint32_t i, const char *path)
{
    for (uint32_t k = 0; k < i; k++) {
        const char *other = linked_file(link, k);
        if (other && strcmp(other, path) == 0)
            return 1;
    }
    return 0;
}

int hc_read_objects(hc_command *c, hc_inputs *all)
{
    hc_command objects = {0};
    for (uint32_t i = 0; i < c->link.n; i++) {
        const char *path = linked_file(&c->link, i), *bytes;
        hc_inputs found = {0};
        size_t n;
        if (!path || was_read(&c->link, i, path) || !(bytes = hc_read_file(path, &n)))
            continue;
        find_records(bytes, n, &found);
        add_records(path, c->link.at[i], &found, all);
        for (uint32_t k = 0; k < found.n; k++)
            for (uint32_t o = 0; o < found.at[k].own.n; o++)
                if (hc_take_own(c, &objects, found.at[k].own.at[o]) != 0)
                    hc_complain(HC_ERROR, "%s was made with %s, an object before it with another value", path,
                                found.at[k].own.at[o]);
    }
    return hc_n_errors() ? -1 : 0;
}

/* ---- what heddlec cannot translate ------------------------------------------------------------------------------- */

static int has_bytes(const char *bytes, size_t n, const char *what, size_t m)
{
    return memmem(bytes, n, what, m) != NULL;
}

/* Whether a symbol table has names of the task entry points of GCC or LLVM. */
static int has_tasks(const char *bytes, size_t n)
{
    static const char *const names[] = {
        "GOMP_task",      "GOMP_taskloop", "GOMP_taskloop_ull", "__kmpc_omp_task", "__kmpc_omp_task_with_deps",
        "__kmpc_taskloop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_bytes(bytes, n, names[i], strlen(names[i]) + 1))
            return 1;
    return 0;
}

static int is_read(const hc_inputs *all, const char *word)
{
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].object == word)
            return 1;
    return 0;
}

int hc_check_linked(const hc_command *c, const hc_inputs *all)
{
    for (uint32_t i = 0; i < c->link.n; i++) {
        const char *path = linked_file(&c->link, i), *bytes;
        size_t n;
        if (!path || is_read(all, c->link.at[i]) || was_read(&c->link, i, path) || !(bytes = hc_read_file(path, &n)))
            continue;
        if (n > 8 && memcmp(bytes, "!<thin>\n", 8) == 0)
            hc_complain(HC_ERROR, "%s is a thin archive, into which heddlec does not look: link the objects", path);
        else if (has_tasks(bytes, n))
            hc_complain(
                HC_WARNING,
                "%s has OpenMP tasks that heddlec did not compile: they run in the C compiler's run-time library, "
                "which knows nothing of this program's other tasks",
                path);
    }
    return hc_n_errors() ? -1 : 0;
}
