/* SPDX-License-Identifier: MIT */
/* tree.c - from a preprocessed text to its tree: the pragmas, the overlay, and two runs of the C parser. The tree is
 * built from its view of the overlay; its view of the text with OpenMP serves only for errors. */
#include "parse/clang.h"

#include <stdlib.h>
#include <string.h>

static const char overlay_file[] = "/heddlec/overlay.c", head_file[] = "/heddlec/head.h";

/* C compilers accept these with a warning, so they are not errors here; no warning of this parser is printed. Any of
 * them marks the unit as lax. */
static const char *const lenient[] = {"-Wno-everything",
                                      "-Wimplicit-function-declaration",
                                      "-Wimplicit-int",
                                      "-Wint-conversion",
                                      "-Wno-error=implicit-function-declaration",
                                      "-Wno-error=implicit-int",
                                      "-Wno-error=int-conversion",
                                      "-Wno-error=incompatible-function-pointer-types",
                                      "-Wno-error=return-type",
                                      "-Wno-unknown-warning-option"};

typedef HC_LIST(const char *) words;

/* The user's arguments come last and win. */
static words arguments_of(const char *const *own, uint32_t n_own, const char *const *further)
{
    words w = {0};
    *HC_ADD(&w) = "-xc";
    *HC_ADD(&w) = "-std=gnu11";
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++)
        *HC_ADD(&w) = lenient[i];
    for (uint32_t i = 0; i < n_own; i++)
        *HC_ADD(&w) = own[i];
    for (; further && *further; further++)
        *HC_ADD(&w) = *further;
    return w;
}

/* ---- diagnostics ------------------------------------------------------------------------------------------------- */

/* Errors of OpenMP with their own code; 0: not an error here. */
static const struct {
    const char *part; /* of the parser's sentence */
    int code;
} own_codes[] = {{"zero-length array section", 0},
                 {"does not specify contiguous storage", 104},
                 {"cannot be of variably-modified type", 0}};

static int code_of(const char *sentence)
{
    for (size_t i = 0; i < sizeof own_codes / sizeof *own_codes; i++)
        if (strstr(sentence, own_codes[i].part))
            return own_codes[i].code;
    return 103;
}

/* The clause depend(source) or depend(sink) of the pragma around `at`, which the parser takes for an expression. */
static const hc_clause *loop_depend_at(const hc_unit *u, uint32_t at)
{
    for (uint32_t i = 0; i < u->pragmas.n; i++) {
        const hc_pragma *p = &u->pragmas.at[i];
        for (uint32_t c = 0; p->at.begin <= at && at <= p->at.end && c < p->n_clauses; c++) {
            const char *word = p->clauses[c].kind == HC_C_DEPEND ? p->clauses[c].word : NULL;
            if (word && (!strcmp(word, "source") || !strcmp(word, "sink")))
                return &p->clauses[c];
        }
    }
    return NULL;
}

typedef struct view {
    CXTranslationUnit tu;
    hc_unit *u;
    int is_overlay; /* otherwise the text itself */
} view;

/* Returns 0 if it is not an error here. */
static int say_one(const view *v, CXDiagnostic d, hc_level level)
{
    const hc_text *t = &v->u->text;
    const hc_clause *loop_depend;
    unsigned at;
    CXFile file;
    char *sentence = hc_clang_text(clang_getDiagnosticSpelling(d));
    int code = code_of(sentence);
    clang_getFileLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL, &at);
    at = v->is_overlay ? hc_overlay_back(&v->u->overlay, at) : at;
    if (!file)
        hc_complain(level, "%s", sentence);
    else if ((loop_depend = loop_depend_at(v->u, at)))
        hc_say(level, 121, t, loop_depend->at.begin, loop_depend->at.end, "depend(%s) is not supported",
               loop_depend->word);
    else if (code)
        hc_say(level, code, t, at, hc_token_end(t->bytes, at, t->n), "%s", sentence);
    return code != 0;
}

/* Reports the errors of a view, with their notes. */
static void say_errors(const view *v)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(v->tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(v->tu, i);
        CXDiagnosticSet notes = clang_getChildDiagnostics(d);
        v->u->is_lax |= clang_getDiagnosticSeverity(d) == CXDiagnostic_Warning;
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            unsigned n_notes = say_one(v, d, HC_ERROR) ? clang_getNumDiagnosticsInSet(notes) : 0;
            for (unsigned k = 0; k < n_notes; k++)
                say_one(v, clang_getDiagnosticInSet(notes, k), HC_NOTE);
        }
        clang_disposeDiagnostic(d);
    }
}

/* ---- the two views ----------------------------------------------------------------------------------------------- */

static CXTranslationUnit parse(CXIndex index, const words *w, const char *bytes, uint32_t n)
{
    struct CXUnsavedFile files[] = {{overlay_file, bytes, n}, {head_file, hc_overlay_head, strlen(hc_overlay_head)}};
    CXTranslationUnit tu;
    enum CXErrorCode code =
        clang_parseTranslationUnit2(index, overlay_file, w->at, (int)w->n, files, 2, CXTranslationUnit_None, &tu);
    if (code != CXError_Success)
        hc_die("libclang does not parse (error %d)", (int)code);
    return tu;
}

static void build_tree(CXIndex index, hc_unit *u, const char *const *further)
{
    const char *const own[] = {"-include", head_file};
    words w = arguments_of(own, 2, further);
    CXTranslationUnit tu = parse(index, &w, u->overlay.bytes, (uint32_t)u->overlay.n);
    hc_builder b = {.unit = u, .file = clang_getFile(tu, overlay_file)};
    uint32_t n_errors = hc_n_errors();
    say_errors(&(view){tu, u, 1});
    if (hc_n_errors() == n_errors) {
        b.t = hc_tokens_of(u->overlay.bytes, (uint32_t)u->overlay.n);
        hc_build_unit(&b, tu);
    }
    clang_disposeTranslationUnit(tu);
}

static void check_openmp(CXIndex index, hc_unit *u, const char *const *further)
{
    const char *const own[] = {"-include", head_file, "-fopenmp", "-fopenmp-version=51"};
    words w = arguments_of(own, 4, further);
    CXTranslationUnit tu = parse(index, &w, hc_make_openmp_view(&u->text, &u->pragmas), u->text.n);
    say_errors(&(view){tu, u, 0});
    clang_disposeTranslationUnit(tu);
}

hc_unit *hc_parse_unit(const char *path, const char *bytes, size_t n, const char *const *arguments)
{
    hc_unit *u = HC_NEW(hc_unit);
    uint32_t n_errors = hc_n_errors();
    CXIndex index;
    char *split;
    hc_text_init(&u->text, path, bytes, n);
    if ((split = hc_split_combined(&u->text, &n)) != NULL)
        hc_text_init(&u->text, path, split, n);
    u->pragmas = hc_parse_pragmas(&u->text);
    if (hc_n_errors() > n_errors)
        return NULL;
    u->overlay = hc_make_overlay(&u->text, &u->pragmas);
    index = clang_createIndex(0, 0);
    build_tree(index, u, arguments);
    if (hc_n_errors() == n_errors)
        check_openmp(index, u, arguments);
    clang_disposeIndex(index);
    return hc_n_errors() > n_errors ? NULL : u;
}

/* ---- the unit ---------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const hc_type_use *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A type is visited once for each declarator behind it: sorts, and removes duplicates. */
static void sort_type_uses(hc_unit *u)
{
    uint32_t n = 0;
    if (u->type_uses.n > 0)
        qsort(u->type_uses.at, u->type_uses.n, sizeof *u->type_uses.at, by_place);
    for (uint32_t i = 0; i < u->type_uses.n; i++)
        if (n == 0 || u->type_uses.at[n - 1].begin != u->type_uses.at[i].begin)
            u->type_uses.at[n++] = u->type_uses.at[i];
    u->type_uses.n = n;
}

static void mark_named(hc_unit *u, hc_span name)
{
    for (uint32_t i = 0; i < u->decls.n; i++) {
        hc_decl *d = u->decls.at[i];
        if (d->is_global && (d->kind == HC_N_FUNCTION || d->kind == HC_N_VAR) &&
            strlen(d->name) == name.end - name.begin &&
            !memcmp(d->name, u->text.bytes + name.begin, name.end - name.begin))
            d->is_declared_target = 1;
    }
}

static void mark_between(hc_unit *u, uint32_t begin, uint32_t end)
{
    for (hc_node *n = u->root->first; n && n->begin < end; n = n->next) {
        if (n->begin >= begin && n->kind == HC_N_FUNCTION)
            n->decl->is_declared_target = 1;
        for (hc_node *k = n->begin >= begin && n->kind == HC_N_DECLS ? n->first : NULL; k; k = k->next)
            if (k->kind == HC_N_FUNCTION || k->kind == HC_N_VAR)
                k->decl->is_declared_target = 1;
    }
}

/* `declare target` names declarations in a list, or covers all up to its end. */
static void mark_declared_target(hc_unit *u)
{
    HC_LIST(uint32_t) open = {0};
    for (uint32_t i = 0; i < u->pragmas.n; i++) {
        const hc_pragma *p = &u->pragmas.at[i];
        int opens = p->directive == HC_BEGIN_DECLARE_TARGET || (p->directive == HC_DECLARE_TARGET && p->n_clauses == 0);
        if (opens)
            *HC_ADD(&open) = p->at.end;
        else if (p->directive == HC_END_DECLARE_TARGET && open.n > 0)
            mark_between(u, open.at[--open.n], p->at.begin);
        else if (p->directive == HC_DECLARE_TARGET)
            for (uint32_t c = 0; c < p->n_clauses; c++)
                for (uint32_t k = 0; k < p->clauses[c].n_items; k++)
                    mark_named(u, p->clauses[c].items[k].whole);
    }
}

void hc_build_unit(hc_builder *b, CXTranslationUnit tu)
{
    hc_unit *u = b->unit;
    u->root = hc_add_node(b, HC_N_FILE, NULL, 0, 0);
    u->root->end = u->text.n;
    hc_build_file(b, tu);
    sort_type_uses(u);
    mark_declared_target(u);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

int hc_is_variable_array(const hc_type *t)
{
    for (; hc_is_array(t); t = t->of)
        if (t->kind == HC_T_VLA)
            return 1;
    return 0;
}

int hc_leads_to_rows(const hc_type *t)
{
    t = t->kind == HC_T_POINTER ? t->of : t;
    while (hc_is_variable_array(t))
        t = t->of;
    for (; hc_is_address(t); t = t->of)
        if (t->kind == HC_T_VLA)
            return 1;
    return 0;
}

int hc_is_same(const hc_type *a, const hc_type *b)
{
    if (a == b)
        return 1;
    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
    case HC_T_STRUCT:
    case HC_T_UNION:
    case HC_T_ENUM: return a->decl == b->decl || (a->decl && b->decl && !strcmp(a->decl->id, b->decl->id));
    case HC_T_POINTER: return a->of->is_const == b->of->is_const && hc_is_same(a->of, b->of);
    case HC_T_ARRAY: return a->n == b->n && hc_is_same(a->of, b->of);
    case HC_T_INTEGER:
        return a->size == b->size && a->is_unsigned == b->is_unsigned &&
               (a->size < 8 || !strstr(a->name, "long long") == !strstr(b->name, "long long"));
    case HC_T_FLOATING: return a->size == b->size;
    case HC_T_VOID:
    case HC_T_BOOL:
    case HC_T_FUNCTION: return 1;
    default: return !strcmp(a->name, b->name);
    }
}
