/* SPDX-License-Identifier: MIT */
/* tree_decl.c - declarations: one hc_decl per entity, and the nodes that declare it. */
#include "parse/clang.h"
#include "support/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- entities ---------------------------------------------------------------------------------------------------- */

/* HC_N_KINDS: a declaration without an hc_decl. */
static hc_node_kind decl_kind_of(CXCursor c)
{
    switch (clang_getCursorKind(c)) {
    case CXCursor_FunctionDecl: return HC_N_FUNCTION;
    case CXCursor_VarDecl: return HC_N_VAR;
    case CXCursor_ParmDecl: return HC_N_PARAM;
    case CXCursor_TypedefDecl: return HC_N_TYPEDEF;
    case CXCursor_FieldDecl: return HC_N_FIELD;
    case CXCursor_EnumDecl: return HC_N_ENUM;
    case CXCursor_EnumConstantDecl: return HC_N_ENUMERATOR;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl: return HC_N_RECORD;
    default: return HC_N_KINDS;
    }
}

int hc_is_record(CXCursor c)
{
    hc_node_kind kind = decl_kind_of(c);
    return kind == HC_N_RECORD || kind == HC_N_ENUM;
}

/* clang_File_isEqual does not distinguish files given from memory. */
static int is_overlay(const hc_builder *b, CXFile file)
{
    CXString name, own;
    int is;
    if (!file || file == b->file)
        return file != NULL;
    name = clang_getFileName(file);
    own = clang_getFileName(b->file);
    is = !strcmp(clang_getCString(name), clang_getCString(own));
    clang_disposeString(name);
    clang_disposeString(own);
    return is;
}

/* The place of c's name in the overlay; UINT32_MAX if c is not declared there. */
static uint32_t location_of(hc_builder *b, CXCursor c)
{
    unsigned at;
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(c), &file, NULL, NULL, &at);
    return is_overlay(b, file) ? at : UINT32_MAX;
}

/* A compiler's built-in function is declared by its first use: the declaration is only the name. */
static int is_built_in(hc_builder *b, CXCursor c, uint32_t at)
{
    hc_kid self = hc_kid_of(c);
    return clang_getCursorKind(c) == CXCursor_FunctionDecl && at != UINT32_MAX && self.begin == at &&
           self.end == b->t.at[hc_token_from(&b->t, at)].end;
}

/* libclang makes up names for records without a tag, and for built-in functions with operands of several sizes; so the
 * name is taken from the text. */
static const char *name_of(hc_builder *b, CXCursor c, uint32_t at)
{
    uint32_t i = at == UINT32_MAX ? b->t.n : hc_token_from(&b->t, at);
    if (!hc_is_record(c) && !is_built_in(b, c, at))
        return hc_clang_text(clang_getCursorSpelling(c));
    if (i >= b->t.n || !hc_is_name(b->t.s, at, b->t.at[i].end) || hc_token_is(&b->t, i, "struct") ||
        hc_token_is(&b->t, i, "union") || hc_token_is(&b->t, i, "enum"))
        return "";
    return hc_intern(b->t.s + at, b->t.at[i].end - at);
}

/* The place in the user's source, equal for all sources that include it. */
static const char *user_place(hc_builder *b, uint32_t at)
{
    char real[PATH_MAX];
    hc_place p = hc_place_of(&b->unit->text, at);
    return hc_format("%s:%u:%u", realpath(p.file, real) ? real : p.file, p.line, p.column);
}

/* An entity with external linkage has a USR. A type is identified by its place (USRs of types without a tag contain
 * offsets); static and local entities belong to their source. */
static const char *id_of(hc_builder *b, CXCursor c, const hc_decl *d, uint32_t at)
{
    const char *usr = hc_clang_text(clang_getCursorUSR(c));
    if (at == UINT32_MAX || (d->kind <= HC_N_VAR && d->is_global && !d->is_static))
        return usr;
    if (d->kind <= HC_N_PARAM)
        return hc_format("%s@%s:%u", usr, b->unit->text.path, hc_back(b, at));
    return hc_format("%s %s@%s", hc_node_name(d->kind), d->name, user_place(b, hc_back(b, at)));
}

static void set_storage(hc_decl *d, CXCursor c)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(c);
    d->is_static |= storage == CX_SC_Static || (d->is_global && clang_getCursorLinkage(c) == CXLinkage_Internal);
    d->is_extern |= storage == CX_SC_Extern;
    d->is_register |= storage == CX_SC_Register;
    d->is_inline |= clang_Cursor_isFunctionInlined(c) != 0;
    d->is_thread_local |= d->kind == HC_N_VAR && clang_getCursorTLSKind(c) != CXTLS_None;
}

static CXType declared_type(CXCursor c)
{
    if (clang_getCursorKind(c) == CXCursor_TypedefDecl)
        return clang_getTypedefDeclUnderlyingType(c);
    return clang_getCursorType(c);
}

static void set_owner(hc_builder *b, hc_decl *d, CXCursor c)
{
    CXCursor parent = clang_getCursorSemanticParent(c);
    d->is_global = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
    if (!d->is_global)
        d->owner = hc_decl_of(b, parent);
    if (d->kind == HC_N_ENUMERATOR && d->owner)
        d->is_global = d->owner->is_global;
}

static void fill(hc_builder *b, hc_decl *d, CXCursor c)
{
    uint32_t at = location_of(b, c);
    d->name = name_of(b, c, at);
    set_owner(b, d, c);
    set_storage(d, c);
    d->name_at = at == UINT32_MAX ? 0 : hc_back(b, at);
    d->is_system = at == UINT32_MAX || is_built_in(b, c, at) ||
                   b->unit->text.lines[hc_line_at(&b->unit->text, d->name_at)].is_system;
    d->id = id_of(b, c, d, at);
    d->type = hc_type_of(b, declared_type(c));
    if (d->kind == HC_N_PARAM)
        d->type = hc_decayed(d->type);
    if (d->kind == HC_N_ENUMERATOR)
        d->value = clang_getEnumConstantDeclValue(c);
    *HC_ADD(&b->unit->decls) = d;
}

static hc_known_decl *slot_of(hc_builder *b, CXCursor c)
{
    for (uint32_t hash = clang_hashCursor(c);; hash++) {
        hc_known_decl *slot = &b->decls.at[hash & (b->decls.room - 1)];
        if (!slot->decl || clang_equalCursors(slot->cursor, c))
            return slot;
    }
}

static void widen(hc_builder *b)
{
    hc_known_decl *old = b->decls.at;
    uint32_t n = b->decls.room;
    b->decls.room = n ? n * 2 : 256;
    b->decls.at = hc_new(b->decls.room * sizeof *old);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].decl)
            *slot_of(b, old[i].cursor) = old[i];
}

hc_decl *hc_decl_of(hc_builder *b, CXCursor c)
{
    hc_node_kind kind = decl_kind_of(c);
    hc_known_decl *slot;
    hc_decl *d;
    if (kind == HC_N_KINDS)
        return NULL;
    c = clang_getCanonicalCursor(c);
    if (b->decls.n * 2 >= b->decls.room)
        widen(b);
    slot = slot_of(b, c);
    if (slot->decl)
        return slot->decl;
    d = HC_NEW(hc_decl);
    d->kind = kind;
    *slot = (hc_known_decl){c, d}; /* before its type and owner, which may name it */
    b->decls.n++;
    fill(b, d, c);
    return d;
}

/* A compiler built-in such as toupper that the program declares without a header belongs to the program: generated text
 * has no system header to declare it. */
static int is_of_program(const hc_builder *b, const hc_decl *d)
{
    const hc_text *t = &b->unit->text;
    return d->kind == HC_N_FUNCTION && d->name_at > 0 && !t->lines[hc_line_at(t, d->name_at)].is_system &&
           !hc_library_of(d->name);
}

/* n declares the entity of c. */
static void declare(hc_builder *b, hc_node *n, CXCursor c, int is_definition)
{
    hc_decl *d = hc_decl_of(b, c);
    n->decl = d;
    set_storage(d, c);
    d->is_system &= !is_of_program(b, d);
    if (d->type->kind == HC_T_OPEN_ARRAY)
        d->type = hc_type_of(b, declared_type(c));
    if (d->node && (d->is_definition || !is_definition))
        return;
    d->node = n;
    d->is_definition = is_definition;
    d->name_at = hc_back(b, location_of(b, c));
    d->is_system &= !is_definition; /* a redeclaration stays a header's */
    if (d->kind == HC_N_FUNCTION || d->kind == HC_N_RECORD || d->kind == HC_N_ENUM)
        d->type = hc_type_of(b, declared_type(c));
}

/* ---- uses of type names ------------------------------------------------------------------------------------------ */

static void note_use(hc_builder *b, CXCursor where, CXCursor type)
{
    hc_decl *d = hc_decl_of(b, type);
    uint32_t at = location_of(b, where), i = at == UINT32_MAX ? b->t.n : hc_token_from(&b->t, at);
    hc_type_use *use;
    if (!d || i >= b->t.n)
        return;
    use = HC_ADD(&b->unit->type_uses);
    use->begin = hc_back(b, at);
    use->end = hc_back_end(b, b->t.at[i].end);
    use->decl = d;
}

void hc_note_type_use(hc_builder *b, CXCursor type_ref) { note_use(b, type_ref, clang_getCursorReferenced(type_ref)); }

static enum CXChildVisitResult note_visited(CXCursor c, CXCursor parent, CXClientData b)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_TypeRef)
        hc_note_type_use(b, c);
    return CXChildVisit_Recurse;
}

void hc_note_type_uses_in(hc_builder *b, CXCursor c) { clang_visitChildren(c, note_visited, b); }

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int has_name(CXCursor c)
{
    CXString name = clang_getCursorSpelling(c);
    int has = clang_getCString(name) && clang_getCString(name)[0];
    clang_disposeString(name);
    return has;
}

static hc_node *add_tokens(hc_builder *b, hc_node_kind kind, hc_node *parent, uint32_t first, uint32_t last)
{
    return hc_add_node(b, kind, parent, b->t.at[first].begin, b->t.at[last].end);
}

static void finish_param(hc_builder *b, CXCursor c, hc_node *n, hc_declarator d)
{
    declare(b, n, c, 1);
    hc_build_expressions(b, c, n);
    if (hc_is_variable(clang_getCursorType(c)))
        n->decl->type = hc_decayed(hc_type_declared(b, clang_getCursorType(c), n, d));
    n->type = n->decl->type;
}

/* A parameter extends to the comma or bracket behind it. */
static void build_param(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_kid self = hc_kid_of(c);
    uint32_t first = hc_token_from(&b->t, self.begin), last = hc_token_from(&b->t, self.end) - 1;
    hc_declarator d;
    while (last + 1 < b->t.n && !hc_token_is(&b->t, last + 1, ",") && b->t.at[last + 1].partner > last)
        last = b->t.at[last + 1].partner;
    d = has_name(c) ? hc_declarator_at(&b->t, hc_token_from(&b->t, location_of(b, c)))
                    : hc_abstract_declarator(&b->t, first, last);
    finish_param(b, c, add_tokens(b, HC_N_PARAM, parent, first, last), d);
}

/* A function declared by the name of a function type has its parameters elsewhere. */
static void build_params(hc_builder *b, CXCursor c, hc_node *function)
{
    int n = clang_Cursor_getNumArguments(c);
    for (int i = 0; i < n; i++) {
        CXCursor param = clang_Cursor_getArgument(c, (unsigned)i);
        if (hc_kid_of(param).begin > location_of(b, c) && hc_back(b, hc_kid_of(param).begin) < function->end)
            build_param(b, param, function);
    }
}

static int is_definition_of_var(CXCursor c, const hc_node *n)
{
    return n->init || clang_Cursor_getStorageClass(c) != CX_SC_Extern;
}

/* The token of a declarator's name; for an unnamed bit-field its colon, before its width. */
static uint32_t name_token(hc_builder *b, CXCursor c)
{
    hc_kids width = {0};
    if (has_name(c))
        return hc_token_from(&b->t, location_of(b, c));
    width = hc_kids_of(b, c);
    return hc_token_from(&b->t, width.n ? width.at[width.n - 1].begin : location_of(b, c) + 1) - 1;
}

/* One declarator of a DECLS or RECORD, with its initialiser. */
static void build_declarator(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_node_kind kind = decl_kind_of(c);
    hc_declarator d = hc_declarator_at(&b->t, name_token(b, c));
    hc_node *n, *last;
    hc_build_specifiers(b, c, parent, b->t.at[d.first].begin);
    n = add_tokens(b, kind, parent, d.first, d.last);
    if (kind == HC_N_FUNCTION)
        build_params(b, c, n);
    last = hc_build_expressions(b, c, n);
    if (kind == HC_N_VAR && !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(c)))
        n->init = last;
    declare(b, n, c, kind == HC_N_VAR ? is_definition_of_var(c, n) : kind != HC_N_FUNCTION);
    if (hc_is_variable(declared_type(c)))
        n->decl->type = hc_type_declared(b, declared_type(c), n, d);
    n->type = n->decl->type;
    if (n->init && n->init->becomes && n->decl->type->kind == HC_T_POINTER)
        n->init->becomes = n->decl->type;
}

static void build_enumerator(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_kid self = hc_kid_of(c);
    hc_node *n = hc_add_node(b, HC_N_ENUMERATOR, parent, self.begin, self.end);
    declare(b, n, c, 1);
    n->type = n->decl->type;
    n->init = hc_build_expressions(b, c, n);
}

/* The assertion's message is not a node. */
static void build_assertion(hc_builder *b, CXCursor c, hc_node *parent, uint32_t first, uint32_t last)
{
    hc_node *n = add_tokens(b, HC_N_OTHER, parent, first, last);
    hc_kids kids = hc_kids_of(b, c);
    if (kids.n > 0)
        hc_build(b, kids.at[0].c, n, 0);
}

static void build_member(hc_builder *b, CXCursor c, hc_node *record)
{
    uint32_t first = hc_token_from(&b->t, hc_kid_of(c).begin);
    if (clang_getCursorKind(c) == CXCursor_FieldDecl)
        build_declarator(b, c, record);
    else if (clang_getCursorKind(c) == CXCursor_EnumConstantDecl)
        build_enumerator(b, c, record);
    else if (clang_getCursorKind(c) == CXCursor_StaticAssert)
        build_assertion(b, c, record, first, hc_token_semicolon(&b->t, first));
    else
        hc_build_record(b, c, record);
}

/* Avoids duplicate nodes of members: a record among them is also attached to the field of its type. */
hc_node *hc_build_record(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_kid self = hc_kid_of(c);
    hc_kids kids;
    hc_node *n;
    if (!hc_is_record(c))
        return NULL;
    if (!clang_isCursorDefinition(c))
        note_use(b, c, c);
    if (!clang_isCursorDefinition(c) || hc_decl_of(b, c)->is_definition)
        return NULL;
    n = hc_add_node(b, clang_getCursorKind(c) == CXCursor_EnumDecl ? HC_N_ENUM : HC_N_RECORD, parent, self.begin,
                    self.end);
    declare(b, n, c, 1);
    n->type = n->decl->type;
    kids = hc_kids_of(b, c);
    for (uint32_t i = 0; i < kids.n; i++)
        build_member(b, kids.at[i].c, n);
    return n;
}

hc_node *hc_build_decls(hc_builder *b, hc_kids kids, hc_node *parent, uint32_t first, uint32_t last)
{
    hc_node *n;
    if (kids.n == 1 && clang_getCursorKind(kids.at[0].c) == CXCursor_StaticAssert) {
        build_assertion(b, kids.at[0].c, parent, first, last);
        return parent->last;
    }
    n = add_tokens(b, HC_N_DECLS, parent, first, last);
    for (uint32_t i = 0; i < kids.n; i++) {
        if (hc_is_record(kids.at[i].c))
            hc_build_record(b, kids.at[i].c, n);
        else if (decl_kind_of(kids.at[i].c) != HC_N_KINDS)
            build_declarator(b, kids.at[i].c, n);
    }
    return n;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* `int f(a) int a; { ... }`: a semicolon stands before the body. */
static int is_old_style(hc_builder *b, const hc_kid *body)
{
    uint32_t i = hc_token_from(&b->t, body->begin);
    return i > 0 && hc_token_is(&b->t, i - 1, ";");
}

/* Types of old-style parameters stand behind the brackets: a node is the declarator alone. 0: in another order. */
static int build_old_params(hc_builder *b, CXCursor c, hc_node *function)
{
    int n = clang_Cursor_getNumArguments(c);
    for (int i = 0; i < n; i++) {
        CXCursor param = clang_Cursor_getArgument(c, (unsigned)i);
        hc_declarator d = hc_declarator_at(&b->t, hc_token_from(&b->t, location_of(b, param)));
        if (function->last && hc_back(b, b->t.at[d.first].begin) < function->last->end)
            return 0;
        hc_note_type_uses_in(b, param);
        finish_param(b, param, add_tokens(b, HC_N_PARAM, function, d.first, d.last), d);
    }
    return 1;
}

static void refuse_old_style(hc_builder *b, const hc_decl *d)
{
    hc_say(
        HC_ERROR, 240, &b->unit->text, d->name_at, d->name_at + (uint32_t)strlen(d->name),
        "the types of the parameters of %s stand behind the brackets, in another order than in them: write them into "
        "the brackets",
        d->name);
}

static void build_function(hc_builder *b, CXCursor c, hc_node *file, uint32_t first, uint32_t last)
{
    hc_node *n = add_tokens(b, HC_N_FUNCTION, file, first, last);
    hc_kids kids = hc_kids_of(b, c);
    const hc_kid *body = &kids.at[kids.n - 1];
    declare(b, n, c, 1);
    n->type = n->decl->type;
    for (uint32_t i = 0; i < kids.n; i++)
        hc_build_record(b, kids.at[i].c, n);
    if (!is_old_style(b, body))
        build_params(b, c, n);
    else if (!build_old_params(b, c, n))
        refuse_old_style(b, n->decl);
    n->body = hc_build(b, body->c, n, 1);
}

typedef struct file_walk {
    hc_builder *b;
    hc_kids kids;
} file_walk;

static enum CXChildVisitResult add_top(CXCursor c, CXCursor parent, CXClientData arg)
{
    file_walk *walk = arg;
    (void)parent;
    if (location_of(walk->b, c) != UINT32_MAX)
        *HC_ADD(&walk->kids) = hc_kid_of(c);
    return CXChildVisit_Continue;
}

static int is_system(hc_builder *b, const hc_kid *k)
{
    const hc_text *t = &b->unit->text;
    return t->lines[hc_line_at(t, hc_back(b, k->begin))].is_system &&
           t->lines[hc_line_at(t, hc_back(b, location_of(b, k->c)))].is_system;
}

/* The function definition that begins at kid i, or before it if i is a type in its specifiers; else NULL. */
static const hc_kid *function_at(const hc_kids *kids, uint32_t *i)
{
    for (uint32_t k = *i; k < kids->n && kids->at[k].begin < kids->at[*i].end; k++)
        if (clang_getCursorKind(kids->at[k].c) == CXCursor_FunctionDecl && clang_isCursorDefinition(kids->at[k].c)) {
            *i = k;
            return &kids->at[k];
        }
    return NULL;
}

/* One external declaration that begins at token `first`; kid *i is the first that may belong to it. Returns its last token. */
static uint32_t build_external(hc_builder *b, const hc_kids *kids, uint32_t *i, uint32_t first)
{
    hc_kids own = {0};
    uint32_t last = hc_token_semicolon(&b->t, first), end = last < b->t.n ? b->t.at[last].end : UINT32_MAX;
    const hc_kid *function = *i < kids->n && kids->at[*i].begin < end ? function_at(kids, i) : NULL;
    if (function) {
        last = hc_token_from(&b->t, function->end) - 1;
        if (!is_system(b, function))
            build_function(b, function->c, b->unit->root, first, last);
        ++*i;
        return last;
    }
    for (; *i < kids->n && kids->at[*i].begin < end; ++*i)
        if (!is_system(b, &kids->at[*i]))
            *HC_ADD(&own) = kids->at[*i];
    if (own.n && (hc_token_is(&b->t, first, "asm") || hc_token_is(&b->t, first, "__asm__")))
        add_tokens(b, HC_N_ASM, b->unit->root, first, last);
    else if (own.n && last > first)
        hc_build_decls(b, own, b->unit->root, first, last);
    return last;
}

void hc_build_file(hc_builder *b, CXTranslationUnit tu)
{
    file_walk walk = {.b = b};
    uint32_t i = 0, first = 0;
    clang_visitChildren(clang_getTranslationUnitCursor(tu), add_top, &walk);
    while (i < walk.kids.n && first < b->t.n) {
        if (walk.kids.at[i].begin < b->t.at[first].begin)
            i++; /* declared by its use */
        else
            first = build_external(b, &walk.kids, &i, first) + 1;
    }
}
