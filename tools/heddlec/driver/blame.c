/* SPDX-License-Identifier: MIT */
/* blame.c - decides between user and heddlec when generated text does not compile: the C compiler tries the user's
 * source as it stands, with the same flags. If it fails, its diagnostics are the answer, in the user's words and lines.
 * Otherwise heddlec generated wrong text from right text, and says so. */
#include "driver/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1 after the compiler has printed its diagnostics. */
static int is_refused(const hc_build *b, const hc_input *in, const char *compiler)
{
    hc_words w = hc_source_command(b->command, in, 0);
    hc_buf said = {0};
    hc_add_word(&w, "-fsyntax-only");
    hc_add_word(&w, in->path);
    if (in->object || hc_run(&w, 0, &said) == 0)
        return 0;
    fputs(said.at ? said.at : "", stderr);
    hc_complain(HC_ERROR, "%s failed to compile %s", compiler, in->path);
    return 1;
}

/* The first line of the generated file in the diagnostics: `NAME:12` of C compilers, `NAME(12)` of nvcc. 0: none. */
static uint32_t line_named(const char *said, const char *name)
{
    for (const char *at = said; (at = strstr(at, name)); at++) {
        const char *behind = at + strlen(name);
        uint32_t line = *behind == ':' || *behind == '(' ? (uint32_t)strtoul(behind + 1, NULL, 10) : 0;
        if (line)
            return line;
    }
    return 0;
}

/* Whether s begins `#line 12 "lu.c"` of the user's file. */
static int leads_back(const char *s, const char *made, unsigned *line, char file[static 4096])
{
    return sscanf(s, "#line %u \"%4095[^\"]\"", line, file) == 2 && strcmp(file, made) != 0;
}

/* A statement's generated text stands before it: takes the next #line after line n, else the last one. */
static void show_origin(const hc_made *m, uint32_t n)
{
    const char *s = m->text.at, *text;
    char file[4096], shown[4096] = "";
    unsigned line, number = 0;
    size_t length = 0;
    for (uint32_t l = 1, is_behind = 0; s && !is_behind; l++, s = strchr(s, '\n'), s = s ? s + 1 : NULL)
        if (leads_back(s, m->name, &line, file)) {
            number = line;
            strcpy(shown, file);
            is_behind = l > n;
        }
    if (!number)
        return;
    text = hc_file_line(shown, number, &length);
    hc_complain(HC_NOTE, "%s:%u is there for %s:%u: %.*s", m->name, n, shown, number, (int)length, text ? text : "");
}

void hc_blame(const hc_build *b, const hc_made *m, const char *compiler, const char *said)
{
    const hc_input *in = m->from ? m->from : &b->inputs->at[0];
    uint32_t line = line_named(said, m->name);
    if (is_refused(b, in, compiler))
        return;
    fputs(said, stderr);
    if (strstr(said, "nvcc fatal")) { /* it did not read the file */
        hc_complain(HC_ERROR, "%s failed to compile the tasks", compiler);
        return;
    }
    hc_complain(
        HC_ERROR,
        "%s failed to compile %s, which heddlec generated%s%s: this is a defect of heddlec, not of the program; --keep "
        "leaves the file",
        compiler, m->name, m->from ? " from " : "", m->from ? in->path : "");
    if (line)
        show_origin(m, line);
}
