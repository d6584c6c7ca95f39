/* SPDX-License-Identifier: MIT */
/* driver.c - from sources to a program: everything is read and understood before anything is written; what is written
 * stands in a temporary folder until nothing can be refused any more. */
#include "command.h"
#include "host.h"
#include "preprocess.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading --------------------------------------------------------------------------------------------------------- */

/* What the text already has done to it the parser need not do again. */
static const char *const *parser_flags(const hc_command *c)
{
    static const char *flags[2];
    flags[0] = c->standard;
    return flags;
}

static char *preprocess(const hc_command *c, const char *path, size_t *n)
{
    hc_words see = {0};
    for (uint32_t i = 0; i < c->see.n; i++)
        *HC_ADD(&see) = c->see.at[i];
    *HC_ADD(&see) = NULL;
    return hc_preprocess(path, see.at, n);
}

static int can_read(const hc_command *c)
{
    for (uint32_t i = 0; i < c->sources.n; i++)
        if (access(c->sources.at[i], R_OK) != 0) {
            hc_complain(HC_ERROR, "cannot read %s: %s", c->sources.at[i], strerror(errno));
            return 0;
        }
    return 1;
}

/* A program without tasks is for the C compiler, whatever else it asks of OpenMP: nothing of it is parsed. */
static int read_all(const hc_command *c, hc_program *p)
{
    int is_ours = c->dump != NULL;
    for (uint32_t i = 0; can_read(c) && i < c->sources.n; i++) {
        size_t n;
        char *text = preprocess(c, c->sources.at[i], &n);
        hc_unit *u = HC_NEW(hc_unit);
        if (!text)
            continue;
        hc_text_init(&u->text, c->sources.at[i], text, n);
        is_ours |= hc_has_tasks(&u->text);
        *HC_ADD(&p->units) = u;
    }
    for (uint32_t i = 0; is_ours && i < p->units.n; i++) {
        const hc_text *t = &p->units.at[i]->text;
        hc_unit *u = hc_parse_unit(t->path, t->bytes, t->n, parser_flags(c));
        p->units.at[i] = u ? u : p->units.at[i];
    }
    return hc_n_errors() ? -1 : is_ours;
}

/* ---- generating ------------------------------------------------------------------------------------------------------ */

/* An identifier, of the program's file or the first source's. */
static const char *program_name(const hc_command *c)
{
    const char *path = c->output ? c->output : c->sources.at[0], *slash = strrchr(path, '/'), *dot;
    char *s;
    path = slash ? slash + 1 : path;
    dot = strrchr(path, '.');
    s = hc_copy(path, dot && dot > path ? (size_t)(dot - path) : strlen(path));
    for (char *at = s; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return s;
}

static void generate_host(hc_build *b, hc_program *p, const char *prog)
{
    for (uint32_t i = 0; i < p->units.n; i++) {
        hc_unit *u = p->units.at[i];
        hc_made *m;
        if (!p->tasks.n || (!b->command->emit && hc_is_plain(p, u))) {
            *HC_ADD(&b->plain) = u;
            continue;
        }
        m = HC_ADD(&b->files);
        m->name = hc_format("%s.heddle.c", hc_unit_name(p, u));
        m->what = hc_format("the host's part of %s", u->text.path);
        hc_emit_host(p, prog, u, &m->text);
    }
}

static void generate(hc_build *b, hc_program *p, const char *prog)
{
    generate_host(b, p, prog);
    if (!p->tasks.n)
        return;
    b->bodies.name = hc_format("%s.heddle.bodies.c", prog);
    b->bodies.what = "the tasks, C and CUDA";
    hc_emit_bodies(p, prog, &b->bodies.text);
    hc_emit_tables(p, prog, &b->bodies.text);
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static const char *temporary_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *path = hc_format("%s/heddlec-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(path))
        return path;
    hc_complain(HC_ERROR, "cannot make a folder in %s: %s", base && *base ? base : "/tmp", strerror(errno));
    return NULL;
}

static int build_in(hc_build *b, const hc_command *c)
{
    int failed;
    b->folder = temporary_folder();
    if (!b->folder)
        return -1;
    b->output = c->output ? c->output : "a.out";
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    failed = hc_write_files(b) != 0 || hc_run_build(b) != 0;
    if (c->keep) {
        fprintf(stderr, "heddlec: the generated files are in %s\n", b->folder);
        return failed;
    }
    hc_remove_files(b);
    rmdir(b->folder);
    return failed;
}

/* ---- sources for people with a build of their own ----------------------------------------------------------------------- */

typedef HC_LIST(const char *) names;

static void add_name(names *list, const char *file)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == file)
            return;
    *HC_ADD(list) = file;
}

/* The files of which lines are in the preprocessed texts. */
static int write_deps(const hc_build *b, const hc_program *p)
{
    names list = {0};
    hc_buf rule = {0};
    for (uint32_t i = 0; i < p->units.n; i++) {
        const hc_text *t = &p->units.at[i]->text;
        for (uint32_t l = 0; l < t->n_lines; l++)
            if ((l == 0 || t->lines[l].file != t->lines[l - 1].file) && t->lines[l].file[0] != '<')
                add_name(&list, t->lines[l].file);
    }
    hc_putf(&rule, "%s/%s:", b->folder, b->files.at[0].name);
    for (uint32_t i = 0; i < list.n; i++) {
        hc_puts(&rule, " \\\n  ");
        for (const char *s = list.at[i]; *s; s++)
            hc_putf(&rule, *s == ' ' || *s == '#' ? "\\%c" : *s == '$' ? "$%c" : "%c", *s);
    }
    hc_puts(&rule, "\n");
    return hc_write_file(b->command->deps, &rule);
}

static void discard_and_end(int sig)
{
    hd_files_discard();
    signal(sig, SIG_DFL);
    raise(sig);
}

static int emit_into(hc_build *b, const hc_command *c, const hc_program *p, const char *prog)
{
    int is_new = mkdir(c->emit, 0777) == 0;
    if (!is_new && errno != EEXIST) {
        hc_complain(HC_ERROR, "cannot make the folder %s: %s", c->emit, strerror(errno));
        return -1;
    }
    if (signal(SIGINT, discard_and_end) == SIG_IGN)
        signal(SIGINT, SIG_IGN);
    signal(SIGTERM, discard_and_end);
    b->folder = c->emit;
    b->output = prog;
    if (hc_write_files(b) == 0 && hc_write_script(b) == 0 && (!c->deps || !b->files.n || write_deps(b, p) == 0))
        return 0;
    hc_remove_files(b);
    if (is_new)
        rmdir(c->emit);
    return -1;
}

static int can_build(const hc_command *c, hc_build *b, hc_where *w)
{
    if (b->bodies.name && hc_find_heddle(w) != 0)
        return 0;
    if (b->bodies.name && !w->nvcc && strcmp(c->options.backend, "cuda") == 0) {
        hc_complain(HC_ERROR, "--backend cuda: this heddle was built without CUDA");
        return 0;
    }
    return 1;
}

/* An answer on stdout only. */
static int show(hc_program *p, const char *what)
{
    if (strcmp(what, "program") == 0)
        hc_understand(p);
    hc_dump(p, what);
    return hc_n_errors() ? 1 : 0;
}

int hc_drive(const hc_command *c)
{
    hc_program p = {.options = c->options};
    hc_where w = {0};
    hc_build b = {.command = c, .where = &w};
    const char *prog = program_name(c);
    int is_ours = read_all(c, &p);
    if (is_ours < 0)
        return 1;
    if (c->dump)
        return show(&p, c->dump);
    if (is_ours)
        hc_understand(&p);
    if (hc_n_errors())
        return 1;
    generate(&b, &p, prog);
    if (hc_n_errors() || !can_build(c, &b, &w))
        return 1;
    if ((!c->emit || c->output) && build_in(&b, c) != 0)
        return 1;
    return c->emit && emit_into(&b, c, &p, prog) != 0;
}
