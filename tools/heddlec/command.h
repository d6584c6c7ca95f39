/* SPDX-License-Identifier: MIT */
/* command.h - what the command line of heddlec says, and between the files that act on it (command.c, where.c, build.c,
 * driver.c). */
#ifndef HEDDLEC_COMMAND_H
#define HEDDLEC_COMMAND_H

#include "program.h"

typedef HC_LIST(const char *) hc_words;

typedef struct hc_command {
    hc_options options;
    hc_words sources;
    hc_words see;     /* flags for the preprocessor: -I -D -U -std ... */
    hc_words compile; /* for compiling: -O -g -f -m -W ... */
    hc_words nvcc;    /* for nvcc alone: -arch, -gencode, -X... */
    hc_words link;    /* objects, libraries, -L, -Wl, in their order */
    const char *output, *emit, *deps, *dump, *region, *memory, *cc, *nvcc_path; /* NULL: not given */
    const char *standard;                                                       /* -std=... as given; NULL */
    int keep, is_verbose;
    int ends; /* --help and --version: said, nothing else to do */
} hc_command;

/* 0, or -1 after a sentence on stderr. */
int hc_read_command(hc_command *c, int n, char **words);
/* The value of this flag of a compiler is the next word. */
int hc_takes_next(const char *word);

/* ---- where heddle is (where.c) ----------------------------------------------------------------------------------------- */

typedef struct hc_where {
    const char *include; /* folder with heddle.h */
    hc_words flags;      /* of the C compiler and of linking, as heddle itself was built: sanitizers */
    hc_words libraries;  /* what programs are linked with */
    const char *nvcc;    /* NULL: heddle was built without CUDA */
    hc_words nvcc_flags; /* which devices for */
} hc_where;

int hc_has_cuda(void); /* heddle was built with CUDA */
/* HEDDLE_HOME, else beside the installed program, else the tree heddlec was built in. 0, or -1 after a sentence. */
int hc_find_heddle(hc_where *w);

/* ---- building (build.c) ------------------------------------------------------------------------------------------------ */

/* A generated file. */
typedef struct hc_made {
    const char *name; /* "lud.heddle.c" */
    const char *what; /* for people */
    hc_buf text;
} hc_made;

typedef struct hc_build {
    const hc_command *command;
    const hc_where *where;
    HC_LIST(hc_made) files;   /* the host's parts */
    hc_made bodies;           /* name NULL: the program has no tasks */
    HC_LIST(hc_unit *) plain; /* sources that are compiled as they are */
    const char *folder;       /* where the files are */
    const char *output;
} hc_build;

int hc_write_files(const hc_build *b); /* 0, or -1 after a sentence */
void hc_remove_files(const hc_build *b);
int hc_run_build(const hc_build *b);    /* compiles and links: 0, or -1 */
int hc_write_script(const hc_build *b); /* build.sh, which does the same: 0, or -1 */
/* A file: 0, or -1 after a sentence. */
int hc_write_file(const char *path, const hc_buf *text);

/* ---- all of it ----------------------------------------------------------------------------------------------------------- */

void hc_dump(hc_program *p, const char *what); /* dump.c */
int hc_drive(const hc_command *c);             /* exit status */

#endif
