/* SPDX-License-Identifier: MIT */
/* loop.c - loops in canonical form (OpenMP 4.5, 2.6): the number of iterations is known when the loop begins. */
#include "analysis/program.h"

#include <string.h>

static int refuse(const hc_node *n, const char *what)
{
    hc_say(HC_ERROR, 130, &n->unit->text, n->begin, n->end,
           "%s: the loop has to be of the form for (i = a; i < b; i += c), with one of < <= > >= !=", what);
    return -1;
}

static int is_name_of(hc_node *n, const hc_decl *d)
{
    n = hc_unparen(n);
    return n->kind == HC_N_NAME && n->decl == d;
}

/* int i = a, or i = a. */
static int take_init(hc_loop *l)
{
    hc_node *n = l->node->init;
    if (n && n->kind == HC_N_DECLS && n->first == n->last && n->first->kind == HC_N_VAR && n->first->init) {
        l->declares = 1;
        l->var = n->first->decl;
        l->lower = n->first->init;
        return 0;
    }
    n = n ? hc_unparen(n) : NULL;
    if (!n || n->kind != HC_N_ASSIGN || strcmp(n->op, "=") != 0 || hc_unparen(n->first)->kind != HC_N_NAME)
        return refuse(l->node->init ? l->node->init : l->node, "it does not begin with setting its variable");
    l->var = hc_unparen(n->first)->decl;
    l->lower = n->last;
    return 0;
}

static int take_test(hc_loop *l)
{
    static const char *const ops[][2] = {{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}, {"!=", "!="}};
    hc_node *n = l->node->test ? hc_unparen(l->node->test) : NULL;
    int turned;
    if (!n || n->kind != HC_N_BINARY)
        return refuse(l->node->test ? l->node->test : l->node, "it does not compare its variable with a bound");
    turned = is_name_of(n->last, l->var);
    for (uint32_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (!strcmp(n->op, ops[i][turned]))
            l->test = ops[i][0];
    if (!l->test || !(turned || is_name_of(n->first, l->var)))
        return refuse(n, "it does not compare its variable with a bound");
    l->upper = turned ? n->first : n->last;
    return 0;
}

/* i = i + c, i = c + i, i = i - c. */
static hc_node *step_of_sum(hc_loop *l, hc_node *sum)
{
    if (sum->kind != HC_N_BINARY || (strcmp(sum->op, "+") != 0 && strcmp(sum->op, "-") != 0))
        return NULL;
    l->step_is_minus = sum->op[0] == '-';
    if (is_name_of(sum->first, l->var))
        return sum->last;
    return is_name_of(sum->last, l->var) && !l->step_is_minus ? sum->first : NULL;
}

static int take_step(hc_loop *l)
{
    hc_node *n = l->node->step ? hc_unparen(l->node->step) : NULL;
    if (n && n->kind == HC_N_UNARY && is_name_of(n->first, l->var) && (strstr(n->op, "++") || strstr(n->op, "--"))) {
        l->step_is_minus = strstr(n->op, "--") != NULL;
        return 0;
    }
    if (n && n->kind == HC_N_ASSIGN && is_name_of(n->first, l->var)) {
        l->step_is_minus = n->op[0] == '-';
        if (!strcmp(n->op, "+=") || !strcmp(n->op, "-="))
            l->step = n->last;
        else if (!strcmp(n->op, "="))
            l->step = step_of_sum(l, hc_unparen(n->last));
    }
    return l->step ? 0 : refuse(n ? n : l->node, "it does not add to its variable");
}

static hc_node *loop_in(hc_node *statement)
{
    while (statement && statement->kind == HC_N_BLOCK && statement->first == statement->last)
        statement = statement->first;
    return statement && statement->kind == HC_N_FOR ? statement : NULL;
}

int hc_canonical_loops(hc_node *statement, hc_loop *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        hc_loop *l = &out[i];
        memset(l, 0, sizeof *l);
        l->node = loop_in(statement);
        if (!l->node)
            return refuse(statement, i ? "no loop stands directly in the one around it" : "no loop follows");
        if (take_init(l) || take_test(l) || take_step(l))
            return -1;
        statement = l->body = l->node->body;
    }
    return 0;
}
