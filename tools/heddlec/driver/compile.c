/* SPDX-License-Identifier: MIT */
/* compile.c - output instead of a program. -c: objects with the C compiler's code, for other linkers, and a section
 * from which heddlec translates them at the link (object.c). -E, -S, -M, -MM: the C compiler's output.
 *
 * Tasks are translated when the whole program is known. -c reports only errors of the file itself: those of the C
 * compiler and the parser, and refusals that no other file and no link option could lift. */
#include "driver/build.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int own_refusals[] = {104, 105, 106, 120, 121, 122, 123, 130, 150, 0};

/* -1 after sentences. */
static int check_alone(const hc_command *c, const hc_input *in)
{
    hc_program p = {.options = c->options};
    uint32_t n_errors = hc_n_errors();
    hc_text t = {0};
    hc_unit *u;
    hc_text_init(&t, in->path, in->text, in->n);
    if (!hc_has_tasks(&t))
        return 0;
    u = hc_parse_input(in);
    if (!u)
        return -1;
    *HC_ADD(&p.units) = u;
    hc_say_only(own_refusals);
    hc_understand(&p);
    hc_say_only(NULL);
    return hc_n_errors() > n_errors ? -1 : 0;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* "parts/lu.c" becomes "lu.o". */
static const char *object_name(const char *source)
{
    const char *slash = strrchr(source, '/');
    source = slash ? slash + 1 : source;
    return hc_format("%.*s.o", (int)strlen(source) - 2, source);
}

static hc_words code_command(const hc_command *c, const hc_input *in, const char *object)
{
    hc_words w = hc_source_command(c, in, 1);
    hc_add_words(&w, &c->rules);
    hc_add_word(&w, "-c");
    hc_add_word(&w, in->path);
    hc_add_word(&w, "-o");
    hc_add_word(&w, object);
    return w;
}

static hc_words section_command(const char *section, const char *object)
{
    const char *given = getenv("HEDDLEC_OBJCOPY");
    hc_words w = {0};
    hc_add_word(&w, given && *given ? given : HC_OBJCOPY);
    hc_add_word(&w, hc_format("--add-section=.heddlec=%s", section));
    hc_add_word(&w, "--set-section-flags=.heddlec=readonly,exclude");
    hc_add_word(&w, object);
    return w;
}

static int run(const hc_command *c, const hc_words *w, const char *failed)
{
    int status = hc_run(w, c->is_verbose, NULL);
    if (status > 0)
        hc_complain(HC_ERROR, "%s", failed);
    return status;
}

/* Whether the C compiler accepts the source with that flag. */
static int takes(const hc_command *c, const hc_input *in, const char *flag)
{
    hc_words w = hc_source_command(c, in, 0);
    hc_buf said = {0};
    hc_add_word(&w, flag);
    hc_add_word(&w, "-fsyntax-only");
    hc_add_word(&w, in->path);
    return hc_run(&w, 0, &said) == 0;
}

/* heddlec accepts OpenMP words that the C compiler may not know; without them the code is also right, on one thread. */
static int compile(const hc_command *c, const hc_input *in, hc_words *w)
{
    hc_buf said = {0};
    int status = hc_run_coloured(w, c->is_verbose, &said);
    if (status > 0 && !takes(c, in, "-fopenmp") && takes(c, in, "-fno-openmp")) {
        hc_complain(HC_WARNING,
                    "%s does not know all OpenMP of %s: whoever links its object without heddlec gets code without",
                    w->at[0], in->path);
        said.n = 0;
        hc_add_word(w, "-fno-openmp");
        hc_add_word(w, "-D_OPENMP=201511");
        hc_add_word(w, "-Wno-unknown-pragmas");
        status = hc_run_coloured(w, c->is_verbose, &said);
    }
    fputs(said.n ? said.at : "", stderr);
    if (status > 0)
        hc_complain(HC_ERROR, "%s failed to compile %s", w->at[0], in->path);
    return status;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* -o /dev/null only tests whether a source compiles. */
static int is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int add_section(const hc_command *c, const hc_input *in, const char *object, const char *folder)
{
    const char *section = hc_format("%s/section", folder);
    hc_words join = section_command(section, object);
    hc_buf record = {0};
    int failed;
    hc_put_record(&record, in);
    failed = hc_write_file(section, &record);
    if (failed == 0)
        failed = run(c, &join, hc_format("%s failed on %s; HEDDLEC_OBJCOPY may name another", join.at[0], object));
    unlink(section);
    return failed;
}

/* The compiler writes to the object's final path and derives from it the names of its other output: rules, files for
 * coverage and debuggers. */
static int make_object(const hc_command *c, const hc_input *in, const char *folder)
{
    const char *object = c->output ? c->output : object_name(in->path);
    hc_words code = code_command(c, in, object);
    if (compile(c, in, &code) != 0)
        return -1;
    if (!is_file(object) || add_section(c, in, object, folder) == 0)
        return 0;
    unlink(object);
    return -1;
}

static int make_in_folder(const hc_command *c, const hc_input *in)
{
    const char *folder = hc_temporary_folder();
    int failed;
    if (!folder)
        return -1;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    failed = make_object(c, in, folder);
    rmdir(folder);
    return failed;
}

static int make_objects(const hc_command *c, const hc_inputs *all)
{
    int failed = 0;
    for (uint32_t i = 0; i < all->n; i++)
        failed |= check_alone(c, &all->at[i]) != 0 || make_in_folder(c, &all->at[i]) != 0;
    return failed;
}

/* ---- output of the C compiler ------------------------------------------------------------------------------------ */

static int pass_on(const hc_command *c)
{
    hc_input in = {.standard = c->standard, .see = c->see, .compile = c->compile, .text = "#pragma omp "};
    hc_words w = hc_source_command(c, &in, 1);
    hc_add_words(&w, &c->rules);
    hc_add_word(&w, c->only);
    hc_add_words(&w, &c->sources);
    if (c->output)
        hc_add_word(&w, "-o"), hc_add_word(&w, c->output);
    return hc_run(&w, c->is_verbose, NULL) != 0;
}

int hc_compile(hc_command *c)
{
    hc_inputs all = {0};
    hc_settle(c);
    if (strcmp(c->only, "-c") != 0)
        return pass_on(c);
    return hc_read_sources(c, &all) != 0 || make_objects(c, &all) != 0;
}
