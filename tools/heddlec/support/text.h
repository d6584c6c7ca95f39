/* SPDX-License-Identifier: MIT */
/* text.h - the preprocessed text of one source file, and diagnostics about places in it.
 *
 * All analysis works on the output of `clang -E -fopenmp`: macros are expanded, _Pragma has become #pragma, and line
 * markers give the origin of each line. A place is an offset into that text; hc_place_of turns it into file, line and
 * column of the user's source. */
#ifndef HEDDLEC_TEXT_H
#define HEDDLEC_TEXT_H

#include "support/base.h"

typedef struct hc_line { /* of the preprocessed text */
    uint32_t begin;      /* offset of its first character                              */
    uint32_t number;     /* line in the user's file                                    */
    const char *file;    /* the user's file; names are interned: equal names, equal pointers */
    uint8_t is_system;   /* from a system header                                       */
    uint8_t is_marker;   /* a line marker, or a #define or #include kept by -dD -dI: not text of the program */
    uint8_t is_dropped;  /* of the markers, all but line markers: parsers must not see them again */
    uint8_t in_comment;  /* the line begins inside a comment */
} hc_line;

typedef struct hc_text {
    const char *path; /* the source as the user named it */
    const char *bytes;
    uint32_t n;
    hc_line *lines;
    uint32_t n_lines;
} hc_text;

/* Takes ownership of bytes (n characters, then a zero). */
void hc_text_init(hc_text *t, const char *path, const char *bytes, size_t n);
uint32_t hc_line_at(const hc_text *t, uint32_t at);      /* index in lines */
uint32_t hc_line_end(const hc_text *t, uint32_t line);   /* before its newline                  */
uint32_t hc_line_first(const hc_text *t, uint32_t line); /* its first token, or its end if none */

/* C's tokens, as far as brackets and names are concerned. Both look at s[at] .. s[end - 1] only.
 * hc_blank_end: the end of the blanks, comments and joined line ends at `at`; a newline alone is no blank.
 * hc_token_end: the end of the token at `at`: a name, a number, a string, a character, or any other single character.
 * Unterminated strings end with their line, unterminated comments at `end`. */
uint32_t hc_blank_end(const char *s, uint32_t at, uint32_t end);
uint32_t hc_token_end(const char *s, uint32_t at, uint32_t end);
int hc_is_name(const char *s, uint32_t at, uint32_t end); /* a name begins at `at` */

typedef struct hc_place {
    const char *file;
    uint32_t line, column; /* from 1 */
    int is_system;
} hc_place;
hc_place hc_place_of(const hc_text *t, uint32_t at);

/* The same with the line of the user's file. If a macro wrote the text at `at` and the user's line lacks that name,
 * `is_found` is 0 and column is the macro's. Without the file column is that of the preprocessed line. */
typedef struct hc_origin {
    hc_place place;
    const char *line; /* ends at a newline or zero; NULL when the file is not there */
    int is_found;
} hc_origin;
hc_origin hc_origin_of(const hc_text *t, uint32_t at);
/* A line of a file, up to its newline; NULL if there is none. */
const char *hc_file_line(const char *file, uint32_t line, size_t *n);
/* Sets the contents shown for a file, in place of its current ones: a source may have changed since it was read. */
void hc_remember_file(const char *file, const char *bytes, size_t n);

/* The alignment of #pragma pack at a place; 0: none (pack.c). */
uint32_t hc_pack_at(const hc_text *t, uint32_t at);

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

/* Every refusal and warning: code, sentence for the table of doc/openmp-subset.md. Codes never change meaning. */
#define HC_CODE_MAP(X)                                                                     \
    X(100, "unknown directive, clause or modifier")                                        \
    X(101, "clause without a meaning on this directive, or given twice")                   \
    X(102, "a pragma that does not have the form of its directive")                        \
    X(103, "an error that the C compiler found")                                           \
    X(104, "a mapped section that is not contiguous")                                      \
    X(105, "target data with depend or nowait")                                            \
    X(106, "declare target with link")                                                     \
    X(107, "a mapped pointer without a section")                                           \
    X(111, "no task in a region, or statements beside the one that creates tasks")         \
    X(112, "a zero-length section")                                                        \
    X(120, "a section of more dimensions whose extents are not known")                     \
    X(121, "depend(source), depend(sink), depobj")                                         \
    X(122, "detach")                                                                       \
    X(123, "a dependence type that is taken as inout, or that is not supported")           \
    X(130, "a loop that is not in canonical form")                                         \
    X(140, "a task inside a task")                                                         \
    X(141, "a function whose source was not given")                                        \
    X(142, "more than one thread creates tasks")                                           \
    X(150, "ordered, cancel, threadprivate, copyin")                                       \
    X(151, "a reduction that is not supported")                                            \
    X(152, "an atomic that is not supported")                                              \
    X(155, "a barrier or inner region in control flow that threads may leave differently") \
    X(160, "a call of the OpenMP library that has no meaning in a task")                   \
    X(170, "a captured struct or union that cannot be taken to the device")                \
    X(171, "a variable with static storage that a task body changes")                      \
    X(172, "a type that device code does not have")                                        \
    X(173, "a computed goto")                                                              \
    X(174, "a type whose copies nvcc compiles wrongly")                                    \
    X(180, "a call of a library function that device code does not have")                  \
    X(181, "inline assembly, setjmp, variable arguments or files in a task")               \
    X(190, "a task body that one thread of a block runs alone")                            \
    X(191, "a private variable of the host that a task would share")                       \
    X(210, "a value that a task writes steers the host")                                   \
    X(211, "the host changes a value that a task may still read")                          \
    X(212, "tasks that nothing orders write one shared variable")                          \
    X(213, "the statement that creates tasks runs as a task itself")                       \
    X(230, "a call in the region whose effect would come before the tasks'")               \
    X(240, "a construct outside of what heddlec translates")

typedef enum hc_level { HC_NOTE, HC_WARNING, HC_ERROR } hc_level;

/* Prints `file:line:col: error: sentence [HC123]`, the source line and a caret below begin .. end (end <= begin: one
 * character) to stderr, in colour on a terminal. Counts errors. Messages of one code and place are printed once. */
void hc_say(hc_level level, int code, const hc_text *t, uint32_t begin, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Without a place. */
void hc_complain(hc_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t hc_n_errors(void);
/* Receives the messages of hc_say and hc_complain instead of stderr; NULL: stderr again. Levels are those after hc_set_code. */
typedef struct hc_message {
    hc_level level;
    int code;            /* 0: none                           */
    const hc_text *text; /* NULL: without a place             */
    uint32_t begin, end;
    const char *sentence;
} hc_message;
typedef void (*hc_hear_fn)(void *arg, const hc_message *m);
void hc_hear(hc_hear_fn fn, void *arg);
/* -Werror=HC190 makes that warning an error; -Wno-HC190 suppresses it. 0 if the code is unknown. */
int hc_set_code(int code, hc_level level_or_note_for_silent);
/* From now on prints only errors of these codes, ended by 0, and messages without a code. */
void hc_say_only(const int *codes);

#endif
