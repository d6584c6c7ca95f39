/* SPDX-License-Identifier: MIT */
/* build.c - the commands that make a program of the generated files, run here or written down for sh.
 *
 * Generated C is compiled without warnings: what is wrong in the user's source heddlec has said. A source that is compiled
 * as it is gets all of the user's flags. */
#include "command.h"
#include "host.h"
#include "preprocess.h"

#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct step {
    hc_words words;
    const char *failed; /* what is said where it fails */
} step;

typedef struct commands {
    const hc_build *b;
    const char *folder;
    HC_LIST(step) all;
    hc_words objects;
    int has_openmp;
} commands;

/* ---- which commands -------------------------------------------------------------------------------------------------- */

static void add(hc_words *w, const char *word) { *HC_ADD(w) = word; }

static void add_all(hc_words *w, const hc_words *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        add(w, more->at[i]);
}

static int begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* CC may be "ccache gcc"; a path may have blanks. */
static hc_words cc_of(const hc_command *c)
{
    hc_words words = {0};
    const char *s = c->cc;
    if (access(s, X_OK) == 0)
        add(&words, s);
    else
        for (size_t n; *(s += strspn(s, " ")); s += n)
            add(&words, hc_copy(s, n = strcspn(s, " ")));
    return words;
}

/* `-c source -o NAME.o`, and NAME.o is linked. */
static void end_compiling(commands *c, hc_words *w, const char *source, const char *object)
{
    const char *failed =
        strcmp(source, hc_format("%s/%s", c->folder, object)) != 0
            ? "%s failed to compile %s"
            : "%s failed to compile %s, which heddlec generated: where the lines above are no fault of "
              "yours, this is a defect of heddlec; --keep leaves the file";
    object = hc_format("%s/%s.o", c->folder, object);
    add(w, "-c");
    add(w, source);
    add(w, "-o");
    add(w, object);
    add(&c->objects, object);
    *HC_ADD(&c->all) = (step){*w, hc_format(failed, w->at[0], source)};
}

/* -std: as the user says, unless generated C needs a later one. */
static const char *standard(const hc_command *c)
{
    const char *s = c->standard;
    return s && !strstr(s, "89") && !strstr(s, "90") ? s : "-std=gnu11";
}

/* Folders of headers, and macros that system headers look at (_GNU_SOURCE). */
static int is_for_headers(const char *word, const char *next)
{
    if (begins(word, "-D"))
        return word[2] ? word[2] == '_' : next[0] == '_';
    return begins(word, "-I") || strcmp(word, "-nostdinc") == 0 ||
           (begins(word, "-i") && !begins(word, "-include") && !begins(word, "-imacros"));
}

/* What system headers are found with; the rest of what the preprocessor was told has been done. */
static void add_folders(hc_words *w, const hc_words *see)
{
    for (uint32_t i = 0; i < see->n; i++) {
        const char *word = see->at[i];
        int is_alone = word[0] == '-' && hc_takes_next(word), is_wanted;
        is_wanted = is_for_headers(word, is_alone ? see->at[i + 1] : "");
        if (is_wanted)
            add(w, word);
        if (is_alone && is_wanted)
            add(w, see->at[i + 1]);
        i += (uint32_t)is_alone;
    }
}

static void add_compile_flags(hc_words *w, const hc_words *flags, int with_warnings)
{
    for (uint32_t i = 0; i < flags->n; i++)
        if (with_warnings || (!begins(flags->at[i], "-W") && !begins(flags->at[i], "-pedantic")))
            add(w, flags->at[i]);
    if (!with_warnings)
        add(w, "-w");
}

static void compile_generated(commands *c, const hc_made *m, const char *more)
{
    const hc_build *b = c->b;
    hc_words w = cc_of(b->command);
    add(&w, standard(b->command));
    add(&w, m == &b->bodies ? "-O3" : "-O2"); /* the bodies' loops as vectors */
    add_all(&w, &b->where->flags);
    add_compile_flags(&w, &b->command->compile, 0);
    if (more)
        add(&w, more);
    if (hc_needs_openmp(m->text.at))
        add(&w, "-fopenmp"), c->has_openmp = 1;
    add(&w, "-I");
    add(&w, b->where->include);
    add_folders(&w, &b->command->see);
    add(&w, "-idirafter");
    add(&w, hc_include_dir());
    end_compiling(c, &w, hc_format("%s/%s", c->folder, m->name), m->name);
}

static int has_contraction(const hc_words *flags)
{
    for (uint32_t i = 0; i < flags->n; i++)
        if (strcmp(flags->at[i], "-ffast-math") == 0 || strcmp(flags->at[i], "-ffp-contract=fast") == 0)
            return 1;
    return 0;
}

/* Bodies give the bits of C where nobody asked for speed instead. */
static void compile_cuda(commands *c)
{
    const hc_build *b = c->b;
    const hc_words *arch = b->command->nvcc.n ? &b->command->nvcc : &b->where->nvcc_flags;
    hc_words w = {0};
    add(&w, b->command->nvcc_path ? b->command->nvcc_path : b->where->nvcc);
    add(&w, "-x");
    add(&w, "cu");
    add(&w, "-std=c++17");
    add(&w, "-O3");
    add(&w, "-w");
    add(&w, "-lineinfo");
    add(&w, has_contraction(&b->command->compile) ? "-fmad=true" : "-fmad=false");
    add_all(&w, arch);
    add(&w, "-I");
    add(&w, b->where->include);
    end_compiling(c, &w, hc_format("%s/%s", c->folder, b->bodies.name), b->bodies.name);
}

static void compile_bodies(commands *c)
{
    if (c->b->where->nvcc && strcmp(c->b->command->options.backend, "cpu") != 0)
        compile_cuda(c);
    else
        compile_generated(c, &c->b->bodies, has_contraction(&c->b->command->compile) ? NULL : "-ffp-contract=off");
}

static void compile_plain(commands *c, const hc_unit *u, uint32_t number)
{
    const hc_command *k = c->b->command;
    hc_words w = cc_of(k);
    add(&w, k->standard ? k->standard : "-std=gnu11");
    add(&w, "-O2");
    if (!strstr(w.at[0], "clang")) /* which stops by itself where a file is no source */
        add(&w, "-fmax-errors=20");
    add_all(&w, &c->b->where->flags);
    add_all(&w, &k->see);
    add_compile_flags(&w, &k->compile, 1);
    if (hc_needs_openmp(u->text.bytes))
        add(&w, "-fopenmp"), c->has_openmp = 1;
    else
        add(&w, "-D_OPENMP=201511"); /* as where it was read: all sources see the same program */
    end_compiling(c, &w, u->text.path, hc_format("plain.%u", number));
}

static void link_all(commands *c, const char *output)
{
    const hc_build *b = c->b;
    hc_words w = cc_of(b->command);
    add_all(&w, &b->where->flags);
    add_compile_flags(&w, &b->command->compile, 1);
    add_all(&w, &c->objects);
    add_all(&w, &b->command->link);
    if (b->bodies.name)
        add_all(&w, &b->where->libraries);
    if (c->has_openmp)
        add(&w, "-fopenmp");
    add(&w, "-lm");
    add(&w, "-pthread");
    add(&w, "-o");
    add(&w, output);
    *HC_ADD(&c->all) = (step){w, hc_format("%s failed to link %s", w.at[0], output)};
}

static void make_commands(commands *c, const char *output)
{
    for (uint32_t i = 0; i < c->b->files.n; i++)
        compile_generated(c, &c->b->files.at[i], NULL);
    if (c->b->bodies.name)
        compile_bodies(c);
    for (uint32_t i = 0; i < c->b->plain.n; i++)
        compile_plain(c, c->b->plain.at[i], i);
    link_all(c, output);
}

/* ---- running them ---------------------------------------------------------------------------------------------------- */

static char *in_quotes(const char *s)
{
    hc_buf b = {0};
    if (*s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%") == strlen(s))
        return hc_copy(s, strlen(s));
    hc_puts(&b, "'");
    for (; *s; s++)
        hc_puts(&b, *s == '\'' ? "'\\''" : hc_copy(s, 1));
    hc_puts(&b, "'");
    return b.at;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* While a child runs, an interrupt is for it: it ends, and what was begun here is removed. */
static int spawn(hc_words *w, pid_t *child)
{
    posix_spawnattr_t attributes;
    sigset_t signals;
    int failed;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    add(w, NULL);
    failed = posix_spawnp(child, w->at[0], NULL, &attributes, (char *const *)w->at, environ);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

static int run(step *s, int is_verbose)
{
    hc_words *w = &s->words;
    pid_t child;
    int failed;
    for (uint32_t i = 0; is_verbose && i < w->n; i++)
        fprintf(stderr, "%s%s", in_quotes(w->at[i]), i + 1 < w->n ? " " : "\n");
    failed = spawn(w, &child);
    if (failed) {
        hc_complain(HC_ERROR, "cannot run %s: %s", w->at[0], strerror(failed));
        return -1;
    }
    if (wait_for(child) == 0)
        return 0;
    hc_complain(HC_ERROR, "%s", s->failed);
    return -1;
}

int hc_run_build(const hc_build *b)
{
    commands c = {.b = b, .folder = b->folder};
    int failed = 0;
    make_commands(&c, b->output);
    for (uint32_t i = 0; i < c.all.n && !failed; i++)
        failed = run(&c.all.at[i], b->command->is_verbose);
    return failed;
}

/* ---- writing them down ----------------------------------------------------------------------------------------------- */

/* A word that begins with the folder's mark is a file beside the script. */
static const char mark[] = "\001";

static void put_word(hc_buf *out, const char *word)
{
    if (begins(word, mark))
        hc_putf(out, " \"$here\"%s", in_quotes(word + 1));
    else
        hc_putf(out, " %s", in_quotes(word));
}

static void put_command(hc_buf *out, const hc_words *w, const hc_command *c)
{
    const hc_words cc = cc_of(c);
    uint32_t i = 0;
    if (strcmp(w->at[0], cc.at[0]) == 0)
        for (hc_puts(out, "${CC:-"); i < cc.n; i++)
            hc_putf(out, "%s%s", i ? " " : "", in_quotes(w->at[i]));
    hc_puts(out, i ? "}" : in_quotes(w->at[0]));
    for (i += !i; i < w->n; i++)
        put_word(out, w->at[i]);
    hc_puts(out, "\n");
}

static hc_buf build_script(const hc_build *b)
{
    commands c = {.b = b, .folder = mark};
    char folder[4096];
    hc_buf s = {0};
    make_commands(&c, hc_format("%s/%s", mark, b->output));
    hc_puts(&s, "#!/bin/sh\n# Builds the program of the sources that heddlec left here:\n");
    for (uint32_t i = 0; i < b->files.n; i++)
        hc_putf(&s, "#   %s: %s\n", b->files.at[i].name, b->files.at[i].what);
    if (b->bodies.name)
        hc_putf(&s, "#   %s: %s\n", b->bodies.name, b->bodies.what);
    hc_puts(&s, "set -e\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n");
    if (getcwd(folder, sizeof folder))
        hc_putf(&s, "cd %s # from where sources and folders were named\n", in_quotes(folder));
    for (uint32_t i = 0; i < c.all.n; i++)
        put_command(&s, &c.all.at[i].words, b->command);
    return s;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

int hc_write_file(const char *path, const hc_buf *text)
{
    hd_error e;
    if (hd_file_save(path, text->n ? text->at : "", text->n, &e) == HEDDLE_OK)
        return 0;
    hc_complain(HC_ERROR, "%s", e.text);
    return -1;
}

static int write_made(const hc_build *b, const hc_made *m)
{
    return hc_write_file(hc_format("%s/%s", b->folder, m->name), &m->text);
}

int hc_write_files(const hc_build *b)
{
    int failed = 0;
    for (uint32_t i = 0; i < b->files.n && !failed; i++)
        failed = write_made(b, &b->files.at[i]);
    if (!failed && b->bodies.name)
        failed = write_made(b, &b->bodies);
    return failed;
}

int hc_write_script(const hc_build *b)
{
    const char *path = hc_format("%s/build.sh", b->folder);
    hc_buf s = build_script(b);
    return hc_write_file(path, &s) != 0 ? -1 : chmod(path, 0755);
}

static void remove_file(const hc_build *b, const char *name)
{
    unlink(hc_format("%s/%s", b->folder, name));
    unlink(hc_format("%s/%s.o", b->folder, name));
}

void hc_remove_files(const hc_build *b)
{
    for (uint32_t i = 0; i < b->files.n; i++)
        remove_file(b, b->files.at[i].name);
    if (b->bodies.name)
        remove_file(b, b->bodies.name);
    for (uint32_t i = 0; i < b->plain.n; i++)
        remove_file(b, hc_format("plain.%u", i));
    unlink(hc_format("%s/build.sh", b->folder));
}
