/* SPDX-License-Identifier: MIT */
/* where.c - finds the heddle for compiling and linking programs. CMakeLists.txt passes its knowledge as HEDDLEC_...:
 * folders, and flags as blank-separated words. */
#include "driver/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hc_words split(const char *s)
{
    hc_words list = {0};
    for (size_t n; *(s += strspn(s, " ")); s += n) {
        n = strcspn(s, " ");
        *HC_ADD(&list) = hc_copy(s, n);
    }
    return list;
}

/* The parent of this program's folder; NULL if the system does not tell. */
static const char *above_program(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    for (int up = 0; up < 2 && n > 0; up++)
        while (--n > 0 && path[n] != '/')
            ;
    return n > 0 ? hc_copy(path, (size_t)n) : NULL;
}

static const char *const names[] = {"libheddle_openmp.a", "libheddle.a"};

static int is_here(const char *include, const char *lib)
{
    int found = access(hc_format("%s/heddle/openmp.h", include), R_OK) == 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        found &= access(hc_format("%s/%s", lib, names[i]), R_OK) == 0;
    return found;
}

static int take(hc_where *w, const char *include, const char *lib)
{
    hc_words more = split(HEDDLEC_LINK);
    if (!is_here(include, lib))
        return 0;
    w->include = include;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        *HC_ADD(&w->libraries) = hc_format("%s/%s", lib, names[i]);
    for (uint32_t i = 0; i < more.n; i++)
        *HC_ADD(&w->libraries) = more.at[i];
    w->flags = split(HEDDLEC_FLAGS);
#ifdef HEDDLEC_NVCC
    w->nvcc = HEDDLEC_NVCC;
    w->nvcc_flags = split(HEDDLEC_NVCC_FLAGS);
#endif
    return 1;
}

int hc_has_cuda(void)
{
#ifdef HEDDLEC_NVCC
    return 1;
#else
    return 0;
#endif
}

int hc_find_heddle(hc_where *w)
{
    const char *home = getenv("HEDDLE_HOME"), *up = above_program();
    if (home && *home) {
        if (take(w, hc_format("%s/include", home), hc_format("%s/" HEDDLEC_LIBDIR, home)))
            return 0;
        hc_complain(HC_ERROR, "HEDDLE_HOME is %s, where heddle/openmp.h or libheddle_openmp.a is missing", home);
        return -1;
    }
    if ((up && take(w, hc_format("%s/" HEDDLEC_INCLUDEDIR, up), hc_format("%s/" HEDDLEC_LIBDIR, up))) ||
        take(w, HEDDLEC_SOURCE_DIR "/include", HEDDLEC_BUILD_DIR))
        return 0;
    hc_complain(HC_ERROR,
                "heddle's headers and libraries are neither beside heddlec nor where it was built: set HEDDLE_HOME");
    return -1;
}
