/* SPDX-License-Identifier: MIT */
/* build.c - the commands that build a program from the generated files, run here or written as a shell script.
 *
 * The user's -W... apply to the user's text, so a source with generated C is also compiled as it stands, for its
 * warnings only. In generated text, diagnostic pragmas would hide warnings inside statements, and variables used only
 * by tasks would seem unused. An object of heddlec had this check when it was made. Generated C is compiled without
 * warnings, but calls of undeclared functions are errors there: C would assume a result of int. A compiler's output on
 * generated C is shown if it fails (blame.c). */
#include "driver/build.h"
#include "host/host.h"
#include "parse/preprocess.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct step {
    hc_words words;
    const char *failed;     /* printed if it fails */
    const hc_made *made;    /* generated, and compiled here; or NULL */
    const hc_input *checks; /* compiled for its warnings; or NULL */
    int is_plain;           /* the user's source: the compiler's output is shown as it comes */
    int is_quiet;           /* its output is shown only if it fails */
} step;

typedef struct commands {
    const hc_build *b;
    const char *folder;
    HC_LIST(step) all;
    hc_words objects;
    int has_openmp, is_script;
} commands;

/* ---- which commands ---------------------------------------------------------------------------------------------- */

static int begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* `-c source -o NAME.o`. */
static step *end_compiling(commands *c, hc_words *w, const char *source, const char *name)
{
    step *s = HC_ADD(&c->all);
    hc_add_word(w, "-c");
    hc_add_word(w, source);
    hc_add_word(w, "-o");
    hc_add_word(w, hc_format("%s/%s.o", c->folder, name));
    *s = (step){.words = *w, .failed = hc_format("%s failed to compile %s", w->at[0], source)};
    return s;
}

/* The same, and NAME.o is linked. */
static step *end_object(commands *c, hc_words *w, const char *source, const char *name)
{
    hc_add_word(&c->objects, hc_format("%s/%s.o", c->folder, name));
    return end_compiling(c, w, source, name);
}

static void end_generated(commands *c, hc_words *w, const hc_made *m, int is_quiet)
{
    step *s = end_object(c, w, hc_format("%s/%s", c->folder, m->name), m->name);
    s->made = m;
    s->is_quiet = is_quiet;
}

static void add_once(hc_words *w, const hc_words *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        if (!hc_has_flag(w, more->at[i]))
            hc_add_word(w, more->at[i]);
}

/* Flags for the bodies, which come from all sources: the objects' flags, then the command's own. */
static hc_input flags_of_all(const hc_build *b)
{
    const hc_command *c = b->command;
    hc_input all = {.standard = c->standard, .nvcc = c->nvcc};
    for (uint32_t i = 0; i < b->inputs->n; i++) {
        const hc_input *in = &b->inputs->at[i];
        if (!in->object)
            continue;
        add_once(&all.see, &in->see);
        add_once(&all.compile, &in->compile);
        all.standard = all.standard ? all.standard : in->standard;
        all.nvcc = all.nvcc.n ? all.nvcc : in->nvcc;
    }
    hc_add_words(&all.see, &c->see);
    hc_add_words(&all.compile, &c->compile);
    return all;
}

/* A script uses -w. Here the output is kept back instead, since -w would also suppress -Werror=... */
static void add_strictness(commands *c, hc_words *w, const hc_made *m)
{
    static const char *const strict[] = {"-Werror=implicit-function-declaration", "-Werror=implicit-int",
                                         "-Werror=int-conversion"};
    for (size_t i = 0; i < sizeof strict / sizeof *strict && !m->is_lax && !c->is_script; i++)
        hc_add_word(w, strict[i]);
    if (m->is_lax || c->is_script)
        hc_add_word(w, "-w");
}

static void compile_generated(commands *c, const hc_made *m, const hc_input *in, const char *more)
{
    const hc_build *b = c->b;
    hc_words w = hc_compiler(b->command);
    hc_add_word(&w, hc_late_standard(in->standard));
    hc_add_word(&w, m == &b->bodies ? "-O3" : "-O2"); /* vectorizes the bodies' loops */
    hc_add_words(&w, &b->where->flags);
    hc_add_compile_flags(&w, &in->compile, 0);
    add_strictness(c, &w, m);
    if (more)
        hc_add_word(&w, more);
    if (hc_needs_openmp(m->text.at))
        hc_add_word(&w, "-fopenmp"), c->has_openmp = 1;
    hc_add_word(&w, "-I");
    hc_add_word(&w, b->where->include);
    hc_add_folders(&w, &in->see);
    hc_add_word(&w, "-idirafter");
    hc_add_word(&w, hc_include_dir());
    end_generated(c, &w, m, 1);
}

static int has_contraction(const hc_words *flags)
{
    return hc_has_flag(flags, "-ffast-math") || hc_has_flag(flags, "-ffp-contract=fast");
}

/* Bodies are bitwise equal to C unless the user asked for speed. */
static void compile_cuda(commands *c, const hc_input *flags)
{
    const hc_build *b = c->b;
    const hc_words *arch = flags->nvcc.n ? &flags->nvcc : &b->where->nvcc_flags;
    hc_words w = {0};
    hc_add_word(&w, b->command->nvcc_path ? b->command->nvcc_path : b->where->nvcc);
    hc_add_word(&w, "-x");
    hc_add_word(&w, "cu");
    hc_add_word(&w, "-std=c++17");
    hc_add_word(&w, "-O3");
    hc_add_word(&w, "-w");
    hc_add_word(&w, "-Werror"); /* otherwise nvcc drops code around calls that a GPU lacks */
    hc_add_word(&w, "cross-execution-space-call");
    hc_add_word(&w, "-lineinfo");
    hc_add_word(&w, has_contraction(&flags->compile) ? "-fmad=true" : "-fmad=false");
    hc_add_words(&w, arch);
    hc_add_word(&w, "-I");
    hc_add_word(&w, b->where->include);
    end_generated(c, &w, &b->bodies, 0); /* -Xptxas=-v prints its report */
}

static void compile_bodies(commands *c)
{
    hc_input flags = flags_of_all(c->b);
    if (c->b->where->nvcc && strcmp(c->b->command->options.backend, "cpu") != 0)
        compile_cuda(c, &flags);
    else
        compile_generated(c, &c->b->bodies, &flags, has_contraction(&flags.compile) ? NULL : "-ffp-contract=off");
}

static void compile_plain(commands *c, const hc_input *in, uint32_t number)
{
    hc_words w = hc_source_command(c->b->command, in, 1);
    c->has_openmp |= hc_needs_openmp(in->text);
    hc_add_words(&w, &c->b->where->flags);
    if (!in->object)
        end_object(c, &w, in->path, hc_format("plain.%u", number))->is_plain = 1;
}

static void check_source(commands *c, const hc_made *m)
{
    const hc_input *in = m->from;
    hc_words w;
    if (in->object || c->is_script || !hc_asks_for_warnings(&in->compile))
        return;
    w = hc_source_command(c->b->command, in, 1);
    end_compiling(c, &w, in->path, m->name)->checks = in;
}

/* An object of a translated source is replaced by the generated code. Of an archive the linker takes only members still
 * missing. */
static int is_replaced(const hc_build *b, const char *word)
{
    for (uint32_t i = 0; i < b->files.n; i++)
        if (b->files.at[i].from->object == word && !b->files.at[i].from->is_archived)
            return 1;
    return 0;
}

static void link_all(commands *c, const char *output)
{
    const hc_build *b = c->b;
    hc_words w = hc_compiler(b->command);
    hc_add_words(&w, &b->where->flags);
    hc_add_compile_flags(&w, &b->command->compile, 1);
    hc_add_words(&w, &c->objects);
    for (uint32_t i = 0; i < b->command->link.n; i++)
        if (!is_replaced(b, b->command->link.at[i]))
            hc_add_word(&w, b->command->link.at[i]);
    if (b->bodies.name)
        hc_add_words(&w, &b->where->libraries);
    if (c->has_openmp)
        hc_add_word(&w, "-fopenmp");
    hc_add_word(&w, "-lm");
    hc_add_word(&w, "-pthread");
    hc_add_word(&w, "-o");
    hc_add_word(&w, output);
    *HC_ADD(&c->all) = (step){.words = w, .failed = hc_format("%s failed to link %s", w.at[0], output)};
}

static void make_commands(commands *c, const char *output)
{
    for (uint32_t i = 0; i < c->b->files.n; i++)
        check_source(c, &c->b->files.at[i]);
    for (uint32_t i = 0; i < c->b->files.n; i++)
        compile_generated(c, &c->b->files.at[i], c->b->files.at[i].from, NULL);
    if (c->b->bodies.name)
        compile_bodies(c);
    for (uint32_t i = 0; i < c->b->plain.n; i++)
        compile_plain(c, c->b->plain.at[i], i);
    link_all(c, output);
}

/* ---- running them ------------------------------------------------------------------------------------------------ */

/* Replaces names in the temporary folder, which is removed, by plain file names. */
static const char *without_folder(const hc_build *b, const hc_buf *said)
{
    const char *folder = hc_format("%s/", b->folder), *at = said->at ? said->at : "", *next;
    hc_buf out = {0};
    hc_put(&out, "", 0);
    for (; !b->command->keep && (next = strstr(at, folder)); at = next + strlen(folder))
        hc_put(&out, at, (size_t)(next - at));
    hc_puts(&out, at);
    return out.at;
}

/* For its warnings only. A compiler that refuses the source as it stands, unlike heddlec, has no warnings to give. */
static int run_check(const hc_build *b, const step *s)
{
    hc_words source = hc_source_command(b->command, s->checks, 0);
    hc_buf said = {0}, unused = {0};
    int failed = hc_run_coloured(&s->words, b->command->is_verbose, &said);
    hc_add_word(&source, "-fsyntax-only");
    hc_add_word(&source, s->checks->path);
    if (failed > 0 && hc_run(&source, 0, &unused) != 0) {
        hc_complain(HC_WARNING, "%s does not take %s as it stands: of its warnings there are none", s->words.at[0],
                    s->checks->path);
        return 0;
    }
    fputs(without_folder(b, &said), stderr);
    if (failed > 0)
        hc_complain(HC_ERROR, "%s", s->failed);
    return failed;
}

static int run_step(const hc_build *b, const step *s)
{
    hc_buf said = {0};
    int failed = hc_run(&s->words, b->command->is_verbose, s->is_plain ? NULL : &said);
    if (failed > 0 && s->made) {
        hc_blame(b, s->made, s->words.at[0], without_folder(b, &said));
        return failed;
    }
    if (!s->is_quiet)
        fputs(without_folder(b, &said), stderr);
    if (failed > 0)
        hc_complain(HC_ERROR, "%s", s->failed);
    return failed;
}

int hc_run_build(const hc_build *b)
{
    commands c = {.b = b, .folder = b->folder};
    int failed = 0;
    make_commands(&c, b->output);
    for (uint32_t i = 0; i < c.all.n && !failed; i++) {
        const step *s = &c.all.at[i];
        failed = s->checks ? run_check(b, s) : run_step(b, s);
    }
    return failed;
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

/* A word that begins with the folder's mark is a file beside the script. */
static const char mark[] = "\001";

static void put_word(hc_buf *out, const char *word)
{
    if (begins(word, mark))
        hc_putf(out, " \"$here\"%s", hc_in_quotes(word + 1));
    else
        hc_putf(out, " %s", hc_in_quotes(word));
}

static void put_command(hc_buf *out, const hc_words *w, const hc_command *c)
{
    const hc_words cc = hc_compiler(c);
    uint32_t i = 0;
    if (strcmp(w->at[0], cc.at[0]) == 0)
        for (hc_puts(out, "${CC:-"); i < cc.n; i++)
            hc_putf(out, "%s%s", i ? " " : "", hc_in_quotes(w->at[i]));
    hc_puts(out, i ? "}" : hc_in_quotes(w->at[0]));
    for (i += !i; i < w->n; i++)
        put_word(out, w->at[i]);
    hc_puts(out, "\n");
}

static hc_buf build_script(const hc_build *b)
{
    commands c = {.b = b, .folder = mark, .is_script = 1};
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
        hc_putf(&s, "cd %s # from where sources and folders were named\n", hc_in_quotes(folder));
    for (uint32_t i = 0; i < c.all.n; i++)
        put_command(&s, &c.all.at[i].words, b->command);
    return s;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

const char *hc_temporary_folder(void)
{
    const char *base = getenv("TMPDIR");
    char *path = hc_format("%s/heddlec-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(path))
        return path;
    hc_complain(HC_ERROR, "cannot make a folder in %s: %s", base && *base ? base : "/tmp", strerror(errno));
    return NULL;
}

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
