/* SPDX-License-Identifier: MIT */
/* command.h - the parsed command line of heddlec, shared by the files that act on it (command.c, where.c, read.c,
 * object.c, compile.c, build.c, driver.c). */
#ifndef HEDDLEC_COMMAND_H
#define HEDDLEC_COMMAND_H

#include "analysis/program.h"

typedef HC_LIST(const char *) hc_words;

typedef struct hc_command {
    hc_options options;
    hc_words sources;
    hc_words see;     /* flags for the preprocessor: -I -D -U -std ... */
    hc_words compile; /* for compiling: -O -g -f -m -W ... */
    hc_words nvcc;    /* for nvcc alone: -arch, -gencode, -X... */
    hc_words link;    /* objects, libraries, -L, -Wl, in their order */
    hc_words rules;   /* -MD -MF -MT ...: make rules, with -c */
    hc_words own;     /* heddlec's options for the translation, as words: an object keeps them */
    const char *only; /* -c -S -E -M -MM: the output instead of a program; or NULL */
    const char *output, *emit, *deps, *dump, *region, *memory, *cc, *nvcc_path; /* NULL: not given */
    const char *standard;                                                       /* -std=... as given; NULL */
    int keep, is_verbose;
    int ends; /* --help and --version: printed, nothing else to do */
} hc_command;

/* 0, or -1 after a sentence on stderr. */
int hc_read_command(hc_command *c, int n, char **words);
/* An option that an object was made with, as a word; c's own command line has precedence. 0; -1: c has another value
 * from another object. */
int hc_take_own(hc_command *c, hc_command *objects, const char *word);
/* After all options: sets defaults. */
void hc_settle(hc_command *c);
int hc_ends_with(const char *s, const char *end);
/* Whether this compiler flag takes the next word as its value. */
int hc_takes_next(const char *word);

/* ---- where heddle is (where.c) ----------------------------------------------------------------------------------- */

typedef struct hc_where {
    const char *include; /* folder with heddle.h */
    hc_words flags;      /* of the C compiler and the linker, as heddle itself was built: sanitizers */
    hc_words libraries;  /* what programs are linked with */
    const char *nvcc;    /* NULL: heddle was built without CUDA */
    hc_words nvcc_flags; /* the target devices */
} hc_where;

int hc_has_cuda(void); /* heddle was built with CUDA */
/* HEDDLE_HOME, else beside the installed program, else the tree heddlec was built in. 0, or -1 after a sentence. */
int hc_find_heddle(hc_where *w);

/* ---- sources (read.c, object.c) ---------------------------------------------------------------------------------- */

/* A source of the program: given itself, or in an object of heddlec. */
typedef struct hc_input {
    const char *path;   /* as the user named it */
    const char *object; /* the word of hc_command.link with it; NULL: given itself */
    int is_archived;    /* that word names an archive */
    const char *standard;
    hc_words see, compile, nvcc, own; /* of an object as it was made, `see` as far as system headers need it */
    const char *text;                 /* preprocessed */
    size_t n;
} hc_input;
typedef HC_LIST(hc_input) hc_inputs;

/* The command's sources, preprocessed. 0, or -1 after sentences. */
int hc_read_sources(const hc_command *c, hc_inputs *all);
/* Parses; NULL after sentences. */
hc_unit *hc_parse_input(const hc_input *in);
/* The files with lines in a text, with or without system headers; each once. */
void hc_add_files(hc_words *list, const hc_text *t, int with_system);

/* The section in an object of heddlec. */
void hc_put_record(hc_buf *out, const hc_input *in);
/* The sources in objects and archives on the link line, and their options. 0, or -1 after sentences. */
int hc_read_objects(hc_command *c, hc_inputs *all);
/* Tasks in files that are linked as they are run apart from the program's. 0, or -1 if that is impossible. */
int hc_check_linked(const hc_command *c, const hc_inputs *all);

/* ---- building (build.c) ------------------------------------------------------------------------------------------ */

/* A generated file. */
typedef struct hc_made {
    const char *name;     /* "lud.heddle.c" */
    const char *what;     /* for messages */
    const hc_input *from; /* NULL: of all sources */
    int is_lax;           /* its source calls undeclared functions */
    hc_buf text;
} hc_made;

typedef struct hc_build {
    const hc_command *command;
    const hc_where *where;
    HC_LIST(hc_made) files;          /* the host's parts */
    hc_made bodies;                  /* name NULL: the program has no tasks */
    HC_LIST(const hc_input *) plain; /* sources compiled as they are, objects linked so */
    const hc_inputs *inputs;
    const char *folder; /* where the files are */
    const char *output;
} hc_build;

int hc_write_files(const hc_build *b); /* 0, or -1 after a sentence */
void hc_remove_files(const hc_build *b);
int hc_run_build(const hc_build *b);    /* compiles and links: 0, or -1 */
int hc_write_script(const hc_build *b); /* the build script, for the same commands: 0, or -1 */
const char *hc_temporary_folder(void);  /* a new one; NULL after a sentence */
/* A file: 0, or -1 after a sentence. */
int hc_write_file(const char *path, const hc_buf *text);

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void hc_dump(hc_program *p, const char *what); /* dump.c */
int hc_compile(hc_command *c); /* compile.c: objects, and other output that is not a program; exit status */
int hc_drive(hc_command *c);   /* exit status */

#endif
