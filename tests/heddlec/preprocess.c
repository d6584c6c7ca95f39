/* SPDX-License-Identifier: MIT */
/* Preprocessing: pragmas from macros, comments kept, omp.h without any compiler's, errors reported. */
#include "check.h"
#include "parse/preprocess.h"
#include "parse/pragma.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/heddlec_preprocess_XXXXXX";
static char source[64];
static const char *complaint;

static void hear(void *arg, const hc_message *m)
{
    (void)arg;
    complaint = m->sentence;
}

static char *preprocess(const char *text, const char *const *args, size_t *n)
{
    FILE *f = fopen(source, "w");
    complaint = NULL;
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return hc_preprocess(source, args, n);
}

static void check_pragmas(void)
{
    static const char *const args[] = {"-DWIDTH=8", NULL};
    size_t n = 0;
    char *bytes =
        preprocess("#define DO(x) _Pragma(#x)\n/* kept */\nvoid f(int *a)\n{\nDO(omp task depend(in: a[0:WIDTH]))\n"
                   "f(a);\n#ifdef NEVER\n#pragma omp nothing\n#endif\n}\n",
                   args, &n);
    const hc_clause *c;
    hc_text t;
    hc_pragmas p;
    CHECK(bytes && n == strlen(bytes) && strstr(bytes, "/* kept */") && strstr(bytes, "#define _OPENMP 201511"));
    hc_text_init(&t, source, bytes, n);
    p = hc_parse_pragmas(&t);
    CHECK(p.n == 1 && p.at[0].directive == HC_TASK && (c = hc_clause_of(&p.at[0], HC_C_DEPEND)) && c->n_items == 1);
    CHECK(!strncmp(bytes + c->items[0].dims[0].length.begin, "8", 1) && hc_place_of(&t, p.at[0].at.begin).line == 5);
    CHECK(!strcmp(hc_place_of(&t, p.at[0].at.begin).file, source));
}

/* Each kind of thing in the omp.h of OpenMP 4.5 exists. */
static void check_omp_h(void)
{
    hc_text t;
    size_t n;
    char *bytes = preprocess("#include <omp.h>\nomp_lock_t a; omp_nest_lock_t b; omp_sched_t c = omp_sched_static;\n"
                             "omp_proc_bind_t d = omp_proc_bind_spread;\nomp_lock_hint_t e = omp_lock_hint_none;\n",
                             NULL, &n);
    CHECK(bytes && strstr(bytes, "omp_get_wtime") && strstr(bytes, "omp_target_memcpy_rect"));
    hc_text_init(&t, source, bytes, n);
    CHECK(t.lines[hc_line_at(&t, (uint32_t)(strstr(bytes, "omp_get_wtime") - bytes))].is_system);
    CHECK(access(hc_format("%s/omp.h", hc_include_dir()), R_OK) == 0);
}

static void check_failures(void)
{
    CHECK(!preprocess("#error \"this is expected here\"\n", NULL, NULL) && strstr(complaint, source));
    CHECK(setenv("HEDDLEC_CLANG", "/nowhere/clang", 1) == 0);
    CHECK(!preprocess("int x;\n", NULL, NULL) && strstr(complaint, "cannot run /nowhere/clang"));
    CHECK(hc_n_errors() == 2);
}

int main(void)
{
    CHECK(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/user.c", folder);
    hc_hear(hear, NULL);
    check_pragmas();
    check_omp_h();
    check_failures();
    unlink(source);
    rmdir(folder);
    return 0;
}
