/* SPDX-License-Identifier: MIT */
/* tree_types.c - types. A type without variable dimensions is made once. A type with some is made at each declaration,
 * because libclang's type does not have the expressions of its lengths. */
#include "parse/clang.h"

#include <string.h>

/* ---- libclang's types -------------------------------------------------------------------------------------------- */

static CXType element_of(CXType t)
{
    if (t.kind == CXType_Pointer)
        return clang_getPointeeType(t);
    if (t.kind == CXType_FunctionProto || t.kind == CXType_FunctionNoProto)
        return clang_getResultType(t);
    if (t.kind == CXType_Complex || t.kind == CXType_Vector || t.kind == CXType_ExtVector)
        return clang_getElementType(t);
    if (t.kind == CXType_Atomic)
        return clang_Type_getValueType(t);
    return clang_getArrayElementType(t);
}

static int is_array(CXType t)
{
    return t.kind == CXType_ConstantArray || t.kind == CXType_VariableArray || t.kind == CXType_IncompleteArray;
}

int hc_is_variable(CXType t)
{
    t = clang_getCanonicalType(t);
    while (t.kind == CXType_Pointer || is_array(t) || t.kind == CXType_FunctionProto) {
        if (t.kind == CXType_VariableArray)
            return 1;
        t = clang_getCanonicalType(element_of(t));
    }
    return 0;
}

int hc_is_same_type(CXType a, CXType b)
{
    a = clang_getCanonicalType(a);
    b = clang_getCanonicalType(b);
    if (a.kind != b.kind)
        return 0;
    if (a.kind == CXType_Record || a.kind == CXType_Enum)
        return clang_equalCursors(clang_getTypeDeclaration(a), clang_getTypeDeclaration(b));
    if (a.kind == CXType_Pointer)
        return clang_equalTypes(clang_getPointeeType(a), clang_getPointeeType(b));
    return (a.kind >= CXType_FirstBuiltin && a.kind <= CXType_LastBuiltin) || clang_equalTypes(a, b);
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */

static hc_type_kind kind_of(CXType t)
{
    switch (t.kind) {
    case CXType_Void: return HC_T_VOID;
    case CXType_Bool: return HC_T_BOOL;
    case CXType_Half:
    case CXType_Float16:
    case CXType_BFloat16:
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128: return HC_T_FLOATING;
    case CXType_Complex: return HC_T_COMPLEX;
    case CXType_Enum: return HC_T_ENUM;
    case CXType_Pointer: return HC_T_POINTER;
    case CXType_ConstantArray: return HC_T_ARRAY;
    case CXType_VariableArray: return HC_T_VLA;
    case CXType_IncompleteArray: return HC_T_OPEN_ARRAY;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: return HC_T_FUNCTION;
    case CXType_Vector:
    case CXType_ExtVector: return HC_T_VECTOR;
    case CXType_Atomic: return HC_T_ATOMIC;
    case CXType_Record:
        return clang_getCursorKind(clang_getTypeDeclaration(t)) == CXCursor_UnionDecl ? HC_T_UNION : HC_T_STRUCT;
    default: return t.kind >= CXType_Char_U && t.kind <= CXType_Int128 ? HC_T_INTEGER : HC_T_OTHER;
    }
}

static int is_unsigned(CXType t)
{
    if (t.kind == CXType_Enum)
        t = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t)));
    return t.kind == CXType_Bool || (t.kind >= CXType_Char_U && t.kind <= CXType_UInt128);
}

/* libclang crashes on a query for the type of built-in functions, which is of kind OTHER. */
static uint64_t size_of(CXType t, hc_type_kind kind)
{
    long long size = kind == HC_T_VOID || kind == HC_T_FUNCTION || kind == HC_T_OTHER ? 0 : clang_Type_getSizeOf(t);
    return size > 0 ? (uint64_t)size : 0;
}

/* t's own properties, without `of` and `params`. */
static hc_type *make_type(hc_builder *b, CXType t)
{
    hc_type *made = HC_NEW(hc_type);
    CXType canonical = clang_getCanonicalType(t);
    made->kind = kind_of(canonical);
    made->name = hc_clang_text(clang_getTypeSpelling(t));
    if (strstr(made->name, "typeof")) { /* of an expression: its names may differ in the generated text */
        t = canonical;
        made->name = hc_clang_text(clang_getTypeSpelling(t));
    }
    made->size = size_of(canonical, made->kind);
    made->is_const = !hc_is_array(made) && clang_isConstQualifiedType(canonical); /* an array's elements have it */
    made->is_volatile = !hc_is_array(made) && clang_isVolatileQualifiedType(canonical);
    made->is_restrict = (int)clang_isRestrictQualifiedType(canonical);
    made->is_unsigned = is_unsigned(canonical);
    if (made->kind == HC_T_ARRAY)
        made->n = (uint64_t)clang_getArraySize(canonical);
    if (made->kind == HC_T_STRUCT || made->kind == HC_T_UNION || made->kind == HC_T_ENUM)
        made->decl = hc_decl_of(b, clang_getTypeDeclaration(canonical));
    made->named = hc_decl_of(b, clang_getTypeDeclaration(t));
    return made;
}

static void add_params(hc_builder *b, hc_type *made, CXType canonical)
{
    int n = clang_getNumArgTypes(canonical);
    const hc_type **params = n > 0 ? hc_new((size_t)n * sizeof *params) : NULL;
    made->is_variadic = (int)clang_isFunctionTypeVariadic(canonical);
    made->n_params = n > 0 ? (uint32_t)n : 0;
    made->params = params;
    for (uint32_t i = 0; i < made->n_params; i++)
        params[i] = hc_type_of(b, clang_getArgType(canonical, i));
}

/* The component type of t, with the user's names unless t was written as a typedef. */
static CXType part_of(CXType t)
{
    CXType part = element_of(t);
    return part.kind == CXType_Invalid ? element_of(clang_getCanonicalType(t)) : part;
}

static int has_part(hc_type_kind kind)
{
    return kind == HC_T_POINTER || kind == HC_T_ARRAY || kind == HC_T_VLA || kind == HC_T_OPEN_ARRAY ||
           kind == HC_T_FUNCTION || kind == HC_T_COMPLEX || kind == HC_T_VECTOR || kind == HC_T_ATOMIC;
}

static hc_known_type *slot_of(hc_builder *b, CXType t)
{
    uintptr_t hash = (uintptr_t)t.data[0];
    hash = (hash >> 4) ^ (hash >> 13) ^ (hash << 2) ^ t.kind;
    for (;; hash++) {
        hc_known_type *slot = &b->types.at[hash & (b->types.room - 1)];
        if (!slot->made || clang_equalTypes(slot->type, t))
            return slot;
    }
}

static void widen(hc_builder *b)
{
    hc_known_type *old = b->types.at;
    uint32_t n = b->types.room;
    b->types.room = n ? n * 2 : 256;
    b->types.at = hc_new(b->types.room * sizeof *old);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].made)
            *slot_of(b, old[i].type) = old[i];
}

const hc_type *hc_type_of(hc_builder *b, CXType t)
{
    hc_known_type *slot;
    hc_type *made;
    if (t.kind == CXType_Invalid)
        return NULL;
    if (b->types.n * 2 >= b->types.room)
        widen(b);
    slot = slot_of(b, t);
    if (slot->made)
        return slot->made;
    made = make_type(b, t);
    if (has_part(made->kind))
        made->of = hc_type_of(b, part_of(t));
    if (made->kind == HC_T_FUNCTION)
        add_params(b, made, clang_getCanonicalType(t));
    slot = slot_of(b, t); /* the table may have grown */
    if (!slot->made) {
        *slot = (hc_known_type){t, made};
        b->types.n++;
    }
    return slot->made;
}

/* ---- variable dimensions ----------------------------------------------------------------------------------------- */

typedef struct dimensions {
    hc_builder *b;
    hc_node *owner;
    hc_declarator d;
    uint32_t next;
} dimensions;

/* The expression in the next pair of brackets, NULL if there is none. */
static const hc_node *next_bound(dimensions *at)
{
    const hc_token *open, *close;
    if (at->next >= at->d.brackets.n)
        return NULL;
    open = &at->b->t.at[at->d.brackets.at[at->next++]];
    close = &at->b->t.at[open->partner];
    for (const hc_node *n = at->owner->first; n; n = n->next)
        if (n->begin >= hc_back(at->b, open->begin) && n->end <= hc_back(at->b, close->begin))
            return n;
    return NULL;
}

static const hc_type *with_bounds(dimensions *at, CXType t)
{
    hc_type *made;
    if (!hc_is_variable(t))
        return hc_type_of(at->b, t);
    if (t.kind == CXType_Elaborated)
        return with_bounds(at, clang_Type_getNamedType(t));
    if (t.kind == CXType_Typedef) {
        hc_decl *d = hc_decl_of(at->b, clang_getTypeDeclaration(t));
        return d ? d->type : hc_type_of(at->b, t);
    }
    made = make_type(at->b, t);
    if (is_array(t)) {
        const hc_node *bound = next_bound(at);
        made->bound = made->kind == HC_T_VLA ? bound : NULL;
    }
    made->of = with_bounds(at, part_of(t));
    if (made->kind == HC_T_FUNCTION)
        add_params(at->b, made, clang_getCanonicalType(t));
    return made;
}

const hc_type *hc_type_declared(hc_builder *b, CXType t, hc_node *owner, hc_declarator d)
{
    dimensions at = {b, owner, d, 0};
    return with_bounds(&at, t);
}

/* "double[4]" -> "double (*)[4]", "int (*)[4]" -> "int (**)[4]", "int" -> "int *". */
static const char *pointer_name(const char *of)
{
    const char *group = strstr(of, "(*"), *list = strpbrk(of, "[(");
    if (group)
        return hc_format("%.*s*%s", (int)(group + 1 - of), of, group + 1);
    if (!list)
        return hc_format("%s%s*", of, of[0] && of[strlen(of) - 1] == '*' ? "" : " ");
    while (list > of && list[-1] == ' ')
        list--;
    return hc_format("%.*s (*)%s", (int)(list - of), of, list + (list[0] == ' '));
}

const hc_type *hc_decayed(const hc_type *t)
{
    hc_type *made;
    if (!hc_is_array(t) && !(t && t->kind == HC_T_FUNCTION))
        return t;
    made = HC_NEW(hc_type);
    made->kind = HC_T_POINTER;
    made->size = sizeof(void *);
    made->of = t->kind == HC_T_FUNCTION ? t : t->of;
    made->name = pointer_name(made->of->name);
    return made;
}
