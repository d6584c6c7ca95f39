/* SPDX-License-Identifier: MIT */
/* command.c - the command line. Compilers' flags go to the compilers, before and behind `--`; heddlec's own options stand
 * before it. An unknown word with '-' is an error, so that a misspelt option does not vanish. */
#include "driver/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle.h"

static const char help[] =
    "usage: heddlec SOURCE.c|OBJECT.o... [-o PROGRAM] [OPTION...] [-- COMPILER FLAG...]\n"
    "       heddlec -c SOURCE.c... [-o OBJECT.o] [OPTION...] [-- COMPILER FLAG...]\n"
    "Compiles C programs with OpenMP tasks into programs whose tasks run inside a GPU, or on CPU threads.\n"
    "\n"
    "  -o FILE              what is made (a.out; with -c the source's name with .o)\n"
    "  -c                   makes objects; their tasks are translated where heddlec links them\n"
    "  -E -S -M -MM         the C compiler's answer, with -fopenmp\n"
    "  --emit DIR           leaves the generated sources and build.sh there; without -o nothing is compiled\n"
    "  --deps FILE          with --emit: what was read, as a rule for make and ninja\n"
    "  --backend WHICH      auto, cpu, cuda: where tasks run (auto: HEDDLE_BACKEND and what is there)\n"
    "  --region=parallel    also regions of the host: parallel with single or master\n"
    "  --memory WHICH       map, system: how a GPU gets at data (system: machines whose GPU reads the host's memory)\n"
    "  --depend WHICH       overlap, start, exact: when two sections conflict\n"
    "  --dump WHICH         tree, pragmas, program: what was understood, on stdout; nothing is made\n"
    "  --no-line            generated sources without #line\n"
    "  --keep               leaves the temporary folder and says where it is\n"
    "  --cc CC, --nvcc NVCC the compilers (CC or cc; the nvcc that heddle was built with)\n"
    "  -Werror=HCnnn, -Wno-HCnnn  a warning of heddlec as an error, or left out\n"
    "  -v                   shows the commands that are run\n"
    "  --help, --version\n"
    "\n"
    "-I -D -U -std -isystem -include are for reading the sources, -O -g -f... -m... -W... for compiling, -MD -MMD -MF\n"
    "-MT -MQ -MP with -c for make, -l -L -Wl,... and objects (.o .a .so) for linking; -arch, -gencode and -X... for\n"
    "nvcc. They may stand before `--`, too.\n"
    "Exit status: 0, 1 (refused or failed), 2 (the command line is wrong).\n";

static int wrong(const char *format, const char *what)
{
    fputs("heddlec: ", stderr);
    fprintf(stderr, format, what);
    fputs("; heddlec --help tells what there is\n", stderr);
    return -1;
}

static int begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static int is_one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(s, *list) == 0)
            return 1;
    return 0;
}

/* ---- heddlec's own options --------------------------------------------------------------------------------------- */

/* The value is an index of `words` in hc_command; choices NULL: any. */
typedef struct option {
    const char *name;
    size_t at; /* offset of a const char * in hc_command */
    const char *const *choices;
} option;

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define AT(field) offsetof(hc_command, field)

/* An option of the translation: an object keeps it. */
static int is_kept(const option *o)
{
    return o->at == AT(options.backend) || o->at == AT(options.depend) || o->at == AT(region) || o->at == AT(memory);
}

static int take_value(hc_command *c, const option *o, const char *value)
{
    if (!value || !*value)
        return wrong("%s needs a value", o->name);
    if (o->choices && !is_one_of(value, o->choices))
        return wrong(hc_format("%%s is none of the values of %s", o->name), value);
    *(const char **)((char *)c + o->at) = value;
    if (is_kept(o))
        *HC_ADD(&c->own) = hc_format("%s=%s", o->name, value);
    return 0;
}

/* 1: it was one; -1: a wrong one. */
static int take_valued(hc_command *c, char **words, int *i)
{
    static const char *const backends[] = {"auto", "cpu", "cuda", NULL}, *const memories[] = {"map", "system", NULL};
    static const char *const depends[] = {"overlap", "start", "exact", NULL}, *const regions[] = {"parallel", NULL};
    static const char *const dumps[] = {"tree", "pragmas", "program", NULL};
    static const option options[] = {{"-o", AT(output), NULL},
                                     {"--emit", AT(emit), NULL},
                                     {"--deps", AT(deps), NULL},
                                     {"--backend", AT(options.backend), backends},
                                     {"--depend", AT(options.depend), depends},
                                     {"--region", AT(region), regions},
                                     {"--memory", AT(memory), memories},
                                     {"--dump", AT(dump), dumps},
                                     {"--cc", AT(cc), NULL},
                                     {"--nvcc", AT(nvcc_path), NULL}};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        size_t n = strlen(options[k].name);
        if (strncmp(words[*i], options[k].name, n) != 0)
            continue;
        if (words[*i][n] == '=' && words[*i][1] == '-')
            return take_value(c, &options[k], words[*i] + n + 1) ? -1 : 1;
        if (!words[*i][n])
            return take_value(c, &options[k], words[++*i]) ? -1 : 1;
    }
    return 0;
}

/* -Werror=HC190, -Wno-HC190. */
static int take_code(hc_command *c, const char *word)
{
    int is_error = begins(word, "-Werror=HC"), code;
    const char *whole = word;
    char *end;
    if (!is_error && !begins(word, "-Wno-HC"))
        return 0;
    word += is_error ? strlen("-Werror=HC") : strlen("-Wno-HC");
    code = (int)strtol(word, &end, 10);
    if (*end || !hc_set_code(code, is_error ? HC_ERROR : HC_NOTE))
        return wrong("there is no diagnostic HC%s", word);
    *HC_ADD(&c->own) = whole;
    return 1;
}

static int take_flag(hc_command *c, const char *word)
{
    if (strcmp(word, "-v") == 0)
        c->is_verbose = 1;
    else if (strcmp(word, "--keep") == 0)
        c->keep = 1;
    else if (strcmp(word, "--no-line") == 0)
        c->options.no_line = 1;
    else if (is_one_of(word, (const char *const[]){"-c", "-E", "-S", "-M", "-MM", NULL}))
        c->only = word;
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        c->ends = 1, fputs(help, stdout);
    else if (strcmp(word, "--version") == 0)
        c->ends = printf("heddlec %d.%d.%d\n", HEDDLE_VERSION_MAJOR, HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
    else
        return take_code(c, word);
    return 1;
}

/* ---- flags of the compilers -------------------------------------------------------------------------------------- */

/* takes_next: if written alone, its value is the next word. The first match counts. */
typedef struct flag {
    const char *begins;
    size_t list; /* offset of hc_words in hc_command */
    int takes_next;
} flag;

static const flag *flag_of(const char *word)
{
    static const flag flags[] = {{"-Xlinker", AT(link), 1},
                                 {"-Wl,", AT(link), 0},
                                 {"-l", AT(link), 1},
                                 {"-L", AT(link), 1},
                                 {"-static", AT(link), 0},
                                 {"-rdynamic", AT(link), 0},
                                 {"-pie", AT(link), 0},
                                 {"-no-pie", AT(link), 0},
                                 {"-I", AT(see), 1},
                                 {"-D", AT(see), 1},
                                 {"-U", AT(see), 1},
                                 {"-std=", AT(see), 0},
                                 {"-isystem", AT(see), 1},
                                 {"-iquote", AT(see), 1},
                                 {"-idirafter", AT(see), 1},
                                 {"-include", AT(see), 1},
                                 {"-imacros", AT(see), 1},
                                 {"-nostdinc", AT(see), 0},
                                 {"-ansi", AT(see), 0},
                                 {"-arch=", AT(nvcc), 0},
                                 {"-gencode", AT(nvcc), 1},
                                 {"-X", AT(nvcc), 1},
                                 {"-lineinfo", AT(nvcc), 0},
                                 {"-maxrregcount", AT(nvcc), 1},
                                 {"-O", AT(compile), 0},
                                 {"-g", AT(compile), 0},
                                 {"-f", AT(compile), 0},
                                 {"-m", AT(compile), 0},
                                 {"-W", AT(compile), 0},
                                 {"-w", AT(compile), 0},
                                 {"-pthread", AT(compile), 0},
                                 {"-pedantic", AT(compile), 0},
                                 {"-pipe", AT(compile), 0},
                                 {"-pg", AT(compile), 0},
                                 {"--coverage", AT(compile), 0},
                                 {"-MF", AT(rules), 1},
                                 {"-MT", AT(rules), 1},
                                 {"-MQ", AT(rules), 1},
                                 {"-M", AT(rules), 0}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (begins(word, flags[i].begins))
            return &flags[i];
    return NULL;
}

int hc_takes_next(const char *word)
{
    const flag *f = flag_of(word);
    return f && f->takes_next && !word[strlen(f->begins)];
}

static int take_compilers(hc_command *c, char **words, int *i)
{
    const flag *f = flag_of(words[*i]);
    hc_words *list;
    if (!f)
        return wrong("there is no option %s", words[*i]);
    list = (hc_words *)((char *)c + f->list);
    if (begins(words[*i], "-std="))
        c->standard = words[*i];
    *HC_ADD(list) = words[*i];
    if (!hc_takes_next(words[*i]))
        return 0;
    if (!words[*i + 1])
        return wrong("%s needs a value", words[*i]);
    *HC_ADD(list) = words[++*i];
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

int hc_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static int take_file(hc_command *c, const char *word)
{
    if (hc_ends_with(word, ".c"))
        *HC_ADD(&c->sources) = word;
    else if (hc_ends_with(word, ".o") || hc_ends_with(word, ".a") || hc_ends_with(word, ".so") || strstr(word, ".so."))
        *HC_ADD(&c->link) = word;
    else
        return wrong("%s is neither a C source (.c) nor an object or library (.o .a .so)", word);
    return 0;
}

static int take_word(hc_command *c, char **words, int *i)
{
    int taken;
    if (words[*i][0] != '-')
        return take_file(c, words[*i]);
    taken = take_valued(c, words, i);
    if (!taken)
        taken = take_flag(c, words[*i]);
    return taken ? (taken < 0 ? -1 : 0) : take_compilers(c, words, i);
}

static int is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* No output file may overwrite a source. */
static int check_sources(const hc_command *c)
{
    for (uint32_t i = 0; i < c->sources.n; i++) {
        const char *source = c->sources.at[i];
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(source, c->sources.at[k]) == 0)
                return wrong("%s is given twice", source);
        if ((c->output && is_same_file(source, c->output)) || (c->deps && is_same_file(source, c->deps)))
            return wrong("%s is a source and would be overwritten", source);
    }
    return 0;
}

/* `make CC=heddlec` sets CC for its children; heddlec as its own compiler would never end. */
static int is_heddlec(const char *cc)
{
    char self[4096] = "";
    const char *name = readlink("/proc/self/exe", self, sizeof self - 1) > 0 ? strrchr(self, '/') + 1 : "heddlec";
    for (size_t n; *(cc += strspn(cc, " ")); cc += n) {
        const char *from = cc + (n = strcspn(cc, " "));
        while (from > cc && from[-1] != '/')
            from--;
        if ((size_t)(cc + n - from) == strlen(name) && strncmp(from, name, strlen(name)) == 0)
            return 1;
    }
    return 0;
}

static int is_blank(const char *s) { return !s || !s[strspn(s, " ")]; }

static int check_output(const hc_command *c)
{
    int is_object = c->only && strcmp(c->only, "-c") == 0;
    if (!c->sources.n && (c->only || !c->link.n))
        return wrong("%s", "no source was given");
    if (is_object && c->output && c->sources.n > 1)
        return wrong("-c makes an object of each source: without -o %s", c->output);
    if (c->only && (c->emit || c->dump || c->deps))
        return wrong("%s makes no program: without --emit, --deps and --dump", c->only);
    for (uint32_t i = 0; c->output && i < c->link.n; i++)
        if (c->link.at[i][0] != '-' && is_same_file(c->link.at[i], c->output))
            return wrong("%s would be overwritten", c->link.at[i]);
    return check_sources(c);
}

static int check(hc_command *c)
{
    const char *cc = getenv("CC");
    if (is_blank(c->cc))
        c->cc = is_blank(cc) || is_heddlec(cc) ? "cc" : cc;
    if (is_heddlec(c->cc))
        return wrong("--cc %s is heddlec itself", c->cc);
    return c->ends ? 0 : check_output(c);
}

int hc_read_command(hc_command *c, int n, char **words)
{
    int i = 1;
    for (; i < n && !c->ends && strcmp(words[i], "--") != 0; i++)
        if (take_word(c, words, &i) != 0)
            return -1;
    for (i++; i < n && !c->ends; i++)
        if (words[i][0] != '-' ? take_file(c, words[i]) : take_compilers(c, words, &i))
            return -1;
    return check(c);
}

int hc_take_own(hc_command *c, hc_command *objects, const char *word)
{
    static const size_t kept[] = {AT(options.backend), AT(options.depend), AT(region), AT(memory)};
    hc_command one = {0};
    char *words[] = {hc_copy(word, strlen(word)), NULL};
    int i = 0, differs = 0;
    if (take_valued(&one, words, &i) <= 0)
        return take_code(&one, words[0]) > 0 ? 0 : -1;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        const char *now = *(const char **)((char *)&one + kept[k]), **all = (const char **)((char *)objects + kept[k]);
        const char **ours = (const char **)((char *)c + kept[k]);
        differs |= now && *all && strcmp(now, *all) != 0 && *ours == *all;
        *all = now ? now : *all;
        *ours = *ours ? *ours : *all;
    }
    return differs ? -1 : 0;
}

void hc_settle(hc_command *c)
{
    if (!c->options.backend)
        c->options.backend = "auto";
    c->options.is_host_only =
        strcmp(c->options.backend, "cpu") == 0 || (strcmp(c->options.backend, "auto") == 0 && !hc_has_cuda());
    if (!c->options.depend)
        c->options.depend = "overlap";
    c->options.region_parallel = c->region != NULL;
    c->options.memory_system = c->memory && strcmp(c->memory, "system") == 0;
}
