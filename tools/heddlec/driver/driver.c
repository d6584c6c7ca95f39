/* SPDX-License-Identifier: MIT */
/* driver.c - from sources to a program: reads and analyses everything before writing anything. Output stays in a
 * temporary folder until nothing can be refused any more. */
#include "device/bodies.h"
#include "driver/command.h"
#include "host/host.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* 1: there is something to translate, or to dump; -1 after sentences. */
static int read_all(hc_command *c, hc_inputs *inputs, hc_program *p)
{
    int is_ours = c->dump != NULL, failed = hc_read_sources(c, inputs) != 0 || hc_read_objects(c, inputs) != 0;
    hc_settle(c);
    for (uint32_t i = 0; i < inputs->n && !failed; i++) {
        hc_unit *u = *HC_ADD(&p->units) = HC_NEW(hc_unit);
        hc_text_init(&u->text, inputs->at[i].path, inputs->at[i].text, inputs->at[i].n);
        is_ours |= hc_has_tasks(&u->text);
    }
    for (uint32_t i = 0; i < p->units.n && is_ours; i++) {
        hc_unit *u = hc_parse_input(&inputs->at[i]);
        p->units.at[i] = u ? u : p->units.at[i];
    }
    return hc_n_errors() ? -1 : is_ours;
}

/* ---- generating -------------------------------------------------------------------------------------------------- */

/* An identifier, from the program's file or the first source's. */
static const char *program_name(const hc_command *c, const hc_inputs *inputs)
{
    const char *path = c->output   ? c->output
                       : inputs->n ? inputs->at[0].path
                                   : "a.out",
               *slash = strrchr(path, '/'), *dot;
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
        const hc_input *in = &b->inputs->at[i];
        hc_made *m;
        b->bodies.is_lax |= u->is_lax;
        if (!p->tasks.n || ((!b->command->emit || in->object) && hc_is_plain(p, u))) {
            *HC_ADD(&b->plain) = in;
            continue;
        }
        m = HC_ADD(&b->files);
        m->name = hc_format("%s.heddle.c", hc_unit_name(p, u));
        m->what = hc_format("the host's part of %s", u->text.path);
        m->from = in;
        m->is_lax = u->is_lax;
        hc_emit_host(p, prog, u, &m->text);
    }
}

static void generate(hc_build *b, hc_program *p, const char *prog)
{
    hc_buf head = {0};
    generate_host(b, p, prog);
    if (!p->tasks.n)
        return;
    if (p->options.is_host_only)
        hc_emit_includes(p, &head);
    b->bodies.name = hc_format("%s.heddle.bodies.c", prog);
    b->bodies.what = "the tasks, C and CUDA";
    hc_emit_bodies(p, prog, &head, &b->bodies.text);
    hc_emit_tables(p, prog, &b->bodies.text);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int build_in(hc_build *b, const hc_command *c)
{
    int failed;
    b->folder = hc_temporary_folder();
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

/* ---- sources for people with a build of their own ---------------------------------------------------------------- */

/* The files with lines in the preprocessed texts. */
static int write_deps(const hc_build *b, const hc_program *p)
{
    hc_words list = {0};
    hc_buf rule = {0};
    for (uint32_t i = 0; i < p->units.n; i++)
        hc_add_files(&list, &p->units.at[i]->text, 1);
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

/* Output on stdout only. */
static int show(hc_program *p, const char *what)
{
    if (strcmp(what, "program") == 0)
        hc_understand(p);
    hc_dump(p, what);
    return hc_n_errors() ? 1 : 0;
}

int hc_drive(hc_command *c)
{
    hc_inputs inputs = {0};
    hc_program p = {0};
    hc_where w = {0};
    hc_build b = {.command = c, .where = &w, .inputs = &inputs};
    const char *prog;
    int is_ours = read_all(c, &inputs, &p);
    if (is_ours < 0)
        return 1;
    if (c->rules.n && c->sources.n)
        hc_complain(HC_WARNING, "%s is for -c: there are no rules for make", c->rules.at[0]);
    p.options = c->options;
    prog = program_name(c, &inputs);
    if (c->dump)
        return show(&p, c->dump);
    if (is_ours)
        hc_understand(&p);
    if (hc_n_errors() || (p.tasks.n && hc_check_linked(c, &inputs) != 0))
        return 1;
    generate(&b, &p, prog);
    if (hc_n_errors() || !can_build(c, &b, &w))
        return 1;
    if ((!c->emit || c->output) && build_in(&b, c) != 0)
        return 1;
    return c->emit && emit_into(&b, c, &p, prog) != 0;
}
