/* SPDX-License-Identifier: MIT */
/* tree_build.c - statements and expressions. */
#include "parse/clang.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes and their ranges -------------------------------------------------------------------------------------- */

/* Lines without directives are equal in both; only the others need the overlay's map. */
uint32_t hc_back(const hc_builder *b, uint32_t offset)
{
    const hc_overlay *o = &b->unit->overlay;
    uint32_t line = hc_overlay_line(o, offset), begin = o->text->lines[line].begin;
    uint32_t first = hc_blank_end(o->text->bytes, begin, o->text->n);
    return o->text->bytes[first] == '#' ? hc_overlay_back(o, offset) : begin + (offset - o->lines[line]);
}

uint32_t hc_back_end(const hc_builder *b, uint32_t offset) { return offset ? hc_back(b, offset - 1) + 1 : 0; }

char *hc_clang_text(CXString s)
{
    const char *chars = clang_getCString(s);
    char *copy = chars ? hc_copy(chars, strlen(chars)) : hc_copy("", 0);
    clang_disposeString(s);
    return copy;
}

hc_kid hc_kid_of(CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);
    unsigned begin, end;
    clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    return (hc_kid){c, begin, end, NULL};
}

static hc_node *append(hc_builder *b, hc_node_kind kind, hc_node *parent)
{
    hc_node *n = HC_NEW(hc_node);
    n->kind = kind;
    n->unit = b->unit;
    n->parent = parent;
    if (!parent)
        return n;
    n->prev = parent->last;
    if (parent->last)
        parent->last->next = n;
    else
        parent->first = n;
    parent->last = n;
    return n;
}

hc_node *hc_add_node(hc_builder *b, hc_node_kind kind, hc_node *parent, uint32_t begin, uint32_t end)
{
    hc_node *n = append(b, kind, parent);
    n->begin = hc_back(b, begin);
    n->end = hc_back_end(b, end);
    return n;
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

typedef struct kid_walk {
    hc_builder *b;
    hc_kids kids;
} kid_walk;

static enum CXChildVisitResult add_kid(CXCursor c, CXCursor parent, CXClientData arg)
{
    kid_walk *walk = arg;
    enum CXCursorKind kind = clang_getCursorKind(c);
    (void)parent;
    if (kind == CXCursor_TypeRef)
        hc_note_type_use(walk->b, c);
    else if (kind == CXCursor_ParmDecl)
        hc_note_type_uses_in(walk->b, c);
    else if (!clang_isReference(kind) && !clang_isAttribute(kind))
        *HC_ADD(&walk->kids) = hc_kid_of(c);
    return CXChildVisit_Continue;
}

/* A stable sort: of two that begin together the first is the longer one, or a repetition. */
static void sort(hc_kids *kids)
{
    for (uint32_t i = 1; i < kids->n; i++) {
        hc_kid k = kids->at[i];
        uint32_t at = i;
        for (; at > 0 && kids->at[at - 1].begin > k.begin; at--)
            kids->at[at] = kids->at[at - 1];
        kids->at[at] = k;
    }
}

static void drop_repeated(hc_kids *kids)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kids->n; i++)
        if (n == 0 || kids->at[n - 1].begin != kids->at[i].begin || kids->at[n - 1].end != kids->at[i].end)
            kids->at[n++] = kids->at[i];
    kids->n = n;
}

static hc_kids raw_kids_of(hc_builder *b, CXCursor c)
{
    kid_walk walk = {.b = b};
    clang_visitChildren(c, add_kid, &walk);
    return walk.kids;
}

hc_kids hc_kids_of(hc_builder *b, CXCursor c)
{
    hc_kids kids = raw_kids_of(b, c);
    sort(&kids);
    drop_repeated(&kids);
    return kids;
}

/* ---- cursors without nodes --------------------------------------------------------------------------------------- */

static int is_predefined_name(const hc_builder *b, const hc_kid *k)
{
    char c = b->t.s[k->begin];
    return clang_getCursorKind(k->c) == CXCursor_StringLiteral && c == '_';
}

/* `#pragma unroll` and similar pragmas, which libclang shows as a statement around the loop. */
static int is_hint(const hc_builder *b, const hc_kid *k)
{
    return clang_getCursorKind(k->c) == CXCursor_UnexposedStmt && b->t.s[k->begin] == '#';
}

/* The cursor below c that is a node: implicit casts and constants' wrappers have the range of their only child. */
static CXCursor peel(hc_builder *b, CXCursor c)
{
    for (;;) {
        hc_kid self = hc_kid_of(c);
        hc_kids kids;
        if (clang_getCursorKind(c) != CXCursor_UnexposedExpr && !is_hint(b, &self))
            return c;
        kids = raw_kids_of(b, c);
        if (kids.n != 1 || is_predefined_name(b, &kids.at[0]))
            return c;
        if (!is_hint(b, &self) && (kids.at[0].begin != self.begin || kids.at[0].end != self.end))
            return c;
        c = kids.at[0].c;
    }
}

/* The object of a member. Unnamed members on the way to it end at the same place. */
static hc_kids object_of(hc_builder *b, const hc_kid *member)
{
    hc_kids kids = hc_kids_of(b, member->c);
    while (kids.n == 1 && clang_getCursorKind(kids.at[0].c) == CXCursor_MemberRefExpr && kids.at[0].end == member->end)
        kids = hc_kids_of(b, kids.at[0].c);
    return kids;
}

/* ---- types of expressions ---------------------------------------------------------------------------------------- */

/* A parameter declared as an array is a pointer, but libclang shows the array, also for expressions computed from it.
 * Only objects may be arrays, values may not. */
static int may_be_array(const hc_node *n)
{
    switch (n->kind) {
    case HC_N_NAME:
    case HC_N_INDEX:
    case HC_N_MEMBER:
    case HC_N_PAREN:
    case HC_N_LITERAL:
    case HC_N_COMPOUND_LITERAL:
    case HC_N_INIT_LIST:
    case HC_N_DESIGNATED:
    case HC_N_GENERIC: return 1;
    case HC_N_UNARY: return n->op[0] == '*' || n->op[0] == '_';
    default: return 0;
    }
}

static const hc_type *pointer_to(const hc_type *of)
{
    hc_type array = {.kind = HC_T_OPEN_ARRAY, .of = of};
    return hc_decayed(&array);
}

/* The type of the first child that is a pointer. */
static const hc_type *pointer_among(const hc_node *first)
{
    for (const hc_node *n = first; n; n = n->next)
        if (hc_converted(n) && hc_converted(n)->kind == HC_T_POINTER)
            return hc_converted(n);
    return NULL;
}

static const hc_type *type_of_unary(const hc_node *n)
{
    if (n->op[0] == '&')
        return pointer_to(n->first->type);
    if (n->op[0] == '*')
        return hc_converted(n->first) ? hc_converted(n->first)->of : NULL;
    return n->first->type;
}

/* The type of an expression with variable dimensions, from its parts; NULL if they do not give it. */
static const hc_type *type_from_parts(const hc_node *n)
{
    const hc_type *pointer = NULL;
    if (!n->first)
        return NULL;
    switch (n->kind) {
    case HC_N_PAREN: return n->first->type;
    case HC_N_UNARY: return type_of_unary(n);
    case HC_N_INDEX: pointer = pointer_among(n->first); return pointer ? pointer->of : NULL;
    case HC_N_ASSIGN: return n->first->type;
    case HC_N_BINARY: return n->op[0] == ',' ? hc_converted(n->last) : pointer_among(n->first);
    case HC_N_CONDITION: return pointer_among(n->last);
    case HC_N_STMT_EXPR: return n->first->last ? hc_converted(n->first->last) : NULL;
    default: return NULL;
    }
}

static const hc_type *type_of(hc_builder *b, const hc_node *n, CXCursor c)
{
    CXType t = clang_getCursorType(c);
    const hc_type *type = NULL;
    if (n->kind == HC_N_NAME && n->decl && n->decl->kind != HC_N_ENUMERATOR)
        return n->decl->type;
    if (n->kind == HC_N_PAREN && n->first)
        return n->first->type;
    if (hc_is_variable(t))
        type = type_from_parts(n);
    if (!type)
        type = hc_type_of(b, t);
    return hc_is_array(type) && !may_be_array(n) ? hc_decayed(type) : type;
}

/* Equal except for length expressions and outer qualifiers. */
static int is_same_shape(const hc_type *a, const hc_type *b)
{
    while (a && b && a->kind == b->kind && (a->kind == HC_T_POINTER || hc_is_array(a)) && a->n == b->n &&
           a->of != b->of) {
        a = a->of;
        b = b->of;
    }
    return a && b && a->kind == b->kind && a->of == b->of && (a->of || a == b);
}

/* Sets n->becomes from the implicit casts between outer and inner. */
static void convert(hc_builder *b, hc_node *n, CXCursor outer, CXCursor inner)
{
    CXType to = clang_getCursorType(outer);
    const hc_type *type;
    if (clang_equalCursors(outer, inner) || !n->type || hc_is_same_type(to, clang_getCursorType(inner)))
        return;
    type = hc_type_of(b, to);
    if (hc_is_array(n->type) && (hc_is_array(type) || (hc_is_variable(to) && type->kind == HC_T_POINTER)))
        type = hc_decayed(n->type);
    else
        type = hc_decayed(type);
    if (!is_same_shape(type, n->type))
        n->becomes = type;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static const struct {
    enum CXCursorKind from;
    hc_node_kind to;
} kinds[] = {{CXCursor_CompoundStmt, HC_N_BLOCK},
             {CXCursor_IfStmt, HC_N_IF},
             {CXCursor_ForStmt, HC_N_FOR},
             {CXCursor_WhileStmt, HC_N_WHILE},
             {CXCursor_DoStmt, HC_N_DO},
             {CXCursor_SwitchStmt, HC_N_SWITCH},
             {CXCursor_CaseStmt, HC_N_CASE},
             {CXCursor_DefaultStmt, HC_N_DEFAULT_CASE},
             {CXCursor_BreakStmt, HC_N_BREAK},
             {CXCursor_ContinueStmt, HC_N_CONTINUE},
             {CXCursor_ReturnStmt, HC_N_RETURN},
             {CXCursor_GotoStmt, HC_N_GOTO},
             {CXCursor_IndirectGotoStmt, HC_N_COMPUTED_GOTO},
             {CXCursor_LabelStmt, HC_N_LABEL},
             {CXCursor_NullStmt, HC_N_NULL_STMT},
             {CXCursor_AsmStmt, HC_N_ASM},
             {CXCursor_DeclRefExpr, HC_N_NAME},
             {CXCursor_IntegerLiteral, HC_N_LITERAL},
             {CXCursor_FloatingLiteral, HC_N_LITERAL},
             {CXCursor_ImaginaryLiteral, HC_N_LITERAL},
             {CXCursor_StringLiteral, HC_N_LITERAL},
             {CXCursor_CharacterLiteral, HC_N_LITERAL},
             {CXCursor_ParenExpr, HC_N_PAREN},
             {CXCursor_UnaryOperator, HC_N_UNARY},
             {CXCursor_BinaryOperator, HC_N_BINARY},
             {CXCursor_CompoundAssignOperator, HC_N_ASSIGN},
             {CXCursor_ConditionalOperator, HC_N_CONDITION},
             {CXCursor_CallExpr, HC_N_CALL},
             {CXCursor_ArraySubscriptExpr, HC_N_INDEX},
             {CXCursor_MemberRefExpr, HC_N_MEMBER},
             {CXCursor_CStyleCastExpr, HC_N_CAST},
             {CXCursor_CompoundLiteralExpr, HC_N_COMPOUND_LITERAL},
             {CXCursor_InitListExpr, HC_N_INIT_LIST},
             {CXCursor_UnaryExpr, HC_N_SIZEOF},
             {CXCursor_StmtExpr, HC_N_STMT_EXPR},
             {CXCursor_GenericSelectionExpr, HC_N_GENERIC}};

/* libclang has no kind for these: the first tokens decide. */
static hc_node_kind unexposed_kind(const hc_builder *b, const hc_kid *self, const hc_node *parent)
{
    uint32_t i = hc_token_from(&b->t, self->begin);
    if (parent && parent->kind == HC_N_INIT_LIST &&
        (hc_token_is(&b->t, i, ".") || hc_token_is(&b->t, i, "[") || hc_token_is(&b->t, i + 1, ":")))
        return HC_N_DESIGNATED;
    if (hc_token_is(&b->t, i, "__builtin_offsetof"))
        return HC_N_SIZEOF;
    if (hc_token_is(&b->t, i, "__func__") || hc_token_is(&b->t, i, "__FUNCTION__") ||
        hc_token_is(&b->t, i, "__PRETTY_FUNCTION__"))
        return HC_N_LITERAL;
    return HC_N_OTHER;
}

static hc_node_kind kind_of(const hc_builder *b, const hc_kid *self, const hc_node *parent)
{
    enum CXCursorKind kind = clang_getCursorKind(self->c);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].from == kind)
            return kinds[i].to;
    return unexposed_kind(b, self, parent);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Child i of n is a statement. */
static int is_statement_at(hc_node_kind kind, uint32_t i, uint32_t n)
{
    switch (kind) {
    case HC_N_BLOCK: return 1;
    case HC_N_IF: return i > 0;
    case HC_N_DO: return i == 0;
    case HC_N_FOR:
    case HC_N_WHILE:
    case HC_N_SWITCH:
    case HC_N_CASE:
    case HC_N_DEFAULT_CASE:
    case HC_N_LABEL: return i + 1 == n;
    default: return 0;
    }
}

static int ends_with_semicolon(const hc_node *n)
{
    switch (n->kind) {
    case HC_N_RETURN:
    case HC_N_BREAK:
    case HC_N_CONTINUE:
    case HC_N_GOTO:
    case HC_N_COMPUTED_GOTO:
    case HC_N_DO:
    case HC_N_ASM: return 1;
    default: return n->kind >= HC_N_NAME;
    }
}

static void take_semicolon(hc_builder *b, hc_node *n, const hc_kid *self)
{
    uint32_t i = hc_token_from(&b->t, self->end);
    if (ends_with_semicolon(n) && hc_token_is(&b->t, i, ";"))
        n->end = hc_back_end(b, b->t.at[i].end);
}

/* The semicolons of a for separate its parts. */
static void finish_for(hc_builder *b, hc_node *n, const hc_kid *self, const hc_kids *kids)
{
    uint32_t open = hc_token_from(&b->t, self->begin) + 1, first = hc_token_semicolon(&b->t, open + 1);
    uint32_t second = hc_token_semicolon(&b->t, first + 1), close = b->t.at[open].partner;
    for (uint32_t i = 0; i < kids->n; i++) {
        const hc_kid *k = &kids->at[i];
        if (k->begin <= b->t.at[first].begin)
            n->init = k->node;
        else if (k->begin < b->t.at[second].begin)
            n->test = k->node;
        else if (k->begin < b->t.at[close].begin)
            n->step = k->node;
        else
            n->body = k->node;
    }
}

static void finish_statement(hc_builder *b, hc_node *n, const hc_kid *self, const hc_kids *kids)
{
    switch (n->kind) {
    case HC_N_FOR: finish_for(b, n, self, kids); break;
    case HC_N_IF:
        n->other = kids->n > 2 ? n->last : NULL;
        n->test = n->first;
        n->body = n->test ? n->test->next : NULL;
        break;
    case HC_N_DO:
        n->body = n->first;
        n->test = n->last;
        break;
    case HC_N_WHILE:
    case HC_N_SWITCH:
    case HC_N_CASE:
        n->test = n->first;
        n->body = n->last;
        break;
    case HC_N_DEFAULT_CASE:
    case HC_N_LABEL: n->body = n->last; break;
    default: break;
    }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

/* Prefix or postfix: the side of its operand with the operator. */
static const char *unary_op(hc_builder *b, const hc_kid *self, const hc_kid *operand)
{
    const char *before = hc_tokens_between(&b->t, self->begin, operand->begin);
    if (before[0])
        return before;
    return hc_tokens_between(&b->t, operand->end, self->end)[0] == '+' ? "p++" : "p--";
}

/* The dot or arrow before the last name. */
static const char *member_op(hc_builder *b, const hc_kid *self)
{
    uint32_t name = hc_token_from(&b->t, self->end) - 1;
    return hc_token_is(&b->t, name - 1, ".") ? "." : "->";
}

static void find_op(hc_builder *b, hc_node *n, const hc_kid *self, const hc_kids *kids)
{
    n->op = "";
    if (n->kind == HC_N_UNARY && kids->n == 1)
        n->op = unary_op(b, self, &kids->at[0]);
    if ((n->kind == HC_N_BINARY || n->kind == HC_N_ASSIGN) && kids->n == 2)
        n->op = hc_tokens_between(&b->t, kids->at[0].end, kids->at[1].begin);
    if (n->kind == HC_N_BINARY && !strcmp(n->op, "="))
        n->kind = HC_N_ASSIGN;
    if (n->kind == HC_N_MEMBER)
        n->op = member_op(b, self);
}

/* A condition without its middle: libclang shows the first part several times. */
static void find_condition(hc_builder *b, hc_node *n, const hc_kids *kids)
{
    if (n->kind == HC_N_OTHER && kids->n == 2 && hc_tokens_between(&b->t, kids->at[0].end, kids->at[1].begin)[0] == '?')
        n->kind = HC_N_CONDITION;
}

static void find_decl(hc_builder *b, hc_node *n, const hc_kid *self)
{
    if (n->kind == HC_N_NAME || n->kind == HC_N_MEMBER)
        n->decl = hc_decl_of(b, clang_getCursorReferenced(self->c));
    if (n->kind == HC_N_CALL && n->first) {
        const hc_node *callee = hc_unparen(n->first);
        n->decl =
            callee->kind == HC_N_NAME && callee->decl && callee->decl->kind == HC_N_FUNCTION ? callee->decl : NULL;
    }
}

/* A cast's type name stands in its first brackets. */
static const hc_type *type_of_cast(hc_builder *b, hc_node *n, const hc_kid *self)
{
    CXType t = clang_getCursorType(self->c);
    uint32_t open = hc_token_from(&b->t, self->begin);
    if (!hc_is_variable(t))
        return hc_decayed(hc_type_of(b, t));
    return hc_decayed(hc_type_declared(b, t, n, hc_abstract_declarator(&b->t, open + 1, b->t.at[open].partner - 1)));
}

/* An assigned value becomes the target's type, including its lengths. */
static void share_lengths(hc_node *n)
{
    if (n->kind == HC_N_ASSIGN && n->first && n->last->becomes && n->first->type->kind == HC_T_POINTER)
        n->last->becomes = n->first->type;
}

static enum CXChildVisitResult last_field(CXCursor c, CXCursor parent, CXClientData arg)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_MemberRef)
        *(CXCursor *)arg = clang_getCursorReferenced(c);
    return CXChildVisit_Continue;
}

static void finish_designated(hc_builder *b, hc_node *n, CXCursor c)
{
    CXCursor field = clang_getNullCursor();
    clang_visitChildren(c, last_field, &field);
    n->decl = hc_decl_of(b, field);
    n->init = n->last;
}

static void finish_expression(hc_builder *b, hc_node *n, const hc_kid *self, const hc_kids *kids)
{
    find_op(b, n, self, kids);
    find_condition(b, n, kids);
    find_decl(b, n, self);
    if (n->kind == HC_N_DESIGNATED)
        finish_designated(b, n, self->c);
    n->type = n->kind == HC_N_CAST         ? type_of_cast(b, n, self)
              : n->kind == HC_N_DESIGNATED ? n->init->type
                                           : type_of(b, n, self->c);
    share_lengths(n);
    if (n->kind == HC_N_SIZEOF)
        hc_fold_sizeof(b, n, *self);
    else
        hc_fold(n);
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

/* The call in `({ int i; call; })`. */
static CXCursor call_in(hc_builder *b, CXCursor c)
{
    hc_kids kids;
    if (clang_getCursorKind(c) != CXCursor_StmtExpr)
        return c;
    kids = raw_kids_of(b, c);
    if (kids.n == 1 && clang_getCursorKind(kids.at[0].c) == CXCursor_CompoundStmt)
        kids = raw_kids_of(b, kids.at[0].c);
    return kids.n ? peel(b, kids.at[kids.n - 1].c) : c;
}

/* The pragma for which the overlay wrote this call of `helper`; NULL if it is another call. */
static const hc_pragma *pragma_of(hc_builder *b, CXCursor call, const char *helper)
{
    hc_kid number;
    uint32_t i = hc_token_from(&b->t, hc_kid_of(call).begin);
    if (clang_getCursorKind(call) != CXCursor_CallExpr || !hc_token_is(&b->t, i, helper))
        return NULL;
    number = hc_kid_of(clang_Cursor_getArgument(call, 0));
    return &b->unit->pragmas.at[strtoul(b->t.s + number.begin, NULL, 10)];
}

/* Clause expressions are arguments only for the C parser: conversions to the parameters' types are ignored. */
static hc_node *build_directive(hc_builder *b, const hc_pragma *p, CXCursor call, hc_node *parent)
{
    hc_node *n = append(b, HC_N_DIRECTIVE, parent);
    int n_arguments = clang_Cursor_getNumArguments(call);
    n->pragma = p;
    n->begin = p->at.begin;
    n->end = p->at.end;
    for (int i = 1; i < n_arguments; i++)
        hc_build(b, clang_Cursor_getArgument(call, (unsigned)i), n, 0)->becomes = NULL;
    return n;
}

/* The directive that the overlay wrote as statement c; NULL if c is the user's. */
static hc_node *directive_of(hc_builder *b, CXCursor c, hc_node *parent)
{
    const hc_pragma *p = pragma_of(b, call_in(b, c), "__hd_s");
    hc_kids kids;
    CXCursor call;
    hc_node *n;
    if (p)
        return build_directive(b, p, call_in(b, c), parent);
    if (clang_getCursorKind(c) != CXCursor_ForStmt)
        return NULL;
    kids = raw_kids_of(b, c);
    call = kids.n == 2 ? call_in(b, peel(b, kids.at[0].c)) : c;
    p = kids.n == 2 ? pragma_of(b, call, "__hd_c") : NULL;
    if (!p)
        return NULL;
    n = build_directive(b, p, call, parent);
    n->body = hc_build(b, kids.at[1].c, n, 1);
    n->end = n->body->end;
    return n;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void build_kids(hc_builder *b, hc_node *n, CXCursor c, hc_kids *kids)
{
    for (uint32_t i = 0; i < kids->n; i++) {
        int is_statement = is_statement_at(n->kind, i, kids->n) || clang_getCursorKind(c) == CXCursor_UnexposedStmt;
        kids->at[i].node = hc_is_record(kids->at[i].c) ? hc_build_record(b, kids->at[i].c, n)
                                                       : hc_build(b, kids->at[i].c, n, is_statement);
    }
}

static hc_node *build_decl_stmt(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_kid self = hc_kid_of(c);
    kid_walk walk = {.b = b};
    clang_visitChildren(c, add_kid, &walk); /* in the order of declaration: all begin with the specifiers */
    return hc_build_decls(b, walk.kids, parent, hc_token_from(&b->t, self.begin), hc_token_from(&b->t, self.end) - 1);
}

static hc_node *build_plain(hc_builder *b, CXCursor outer, CXCursor c, hc_node *parent, int is_statement)
{
    hc_kid self = hc_kid_of(c);
    hc_node *n = hc_add_node(b, kind_of(b, &self, parent), parent, self.begin, self.end);
    hc_kids kids = {0};
    if (n->kind != HC_N_LITERAL)
        kids = n->kind == HC_N_MEMBER ? object_of(b, &self) : hc_kids_of(b, c);
    build_kids(b, n, c, &kids);
    if (n->kind >= HC_N_NAME && clang_isExpression(clang_getCursorKind(c))) {
        finish_expression(b, n, &self, &kids);
        convert(b, n, outer, c);
    } else {
        finish_statement(b, n, &self, &kids);
    }
    if (is_statement)
        take_semicolon(b, n, &self);
    if (n->last && n->last->end > n->end)
        n->end = n->last->end;
    return n;
}

hc_node *hc_build(hc_builder *b, CXCursor c, hc_node *parent, int is_statement)
{
    CXCursor inner = peel(b, c);
    hc_node *n = is_statement ? directive_of(b, inner, parent) : NULL;
    if (n)
        return n;
    if (clang_getCursorKind(inner) == CXCursor_DeclStmt)
        return build_decl_stmt(b, inner, parent);
    return build_plain(b, c, inner, parent, is_statement);
}

void hc_build_specifiers(hc_builder *b, CXCursor c, hc_node *parent, uint32_t end)
{
    hc_kids kids = hc_kids_of(b, c);
    for (uint32_t i = 0; i < kids.n; i++) {
        const hc_kid *k = &kids.at[i];
        int is_new = !parent->last || hc_back(b, k->begin) >= parent->last->end;
        if (k->begin < end && is_new && clang_isExpression(clang_getCursorKind(k->c)))
            hc_build(b, k->c, parent, 0);
    }
}

hc_node *hc_build_expressions(hc_builder *b, CXCursor c, hc_node *parent)
{
    hc_kids kids = hc_kids_of(b, c);
    hc_node *last = NULL;
    for (uint32_t i = 0; i < kids.n; i++) {
        if (hc_back(b, kids.at[i].begin) < parent->begin)
            continue;
        if (clang_isExpression(clang_getCursorKind(kids.at[i].c)))
            last = hc_build(b, kids.at[i].c, parent, 0);
        else
            hc_build_record(b, kids.at[i].c, parent);
    }
    return last;
}
