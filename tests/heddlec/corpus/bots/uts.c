/* SPDX-License-Identifier: MIT */
/* shows: an unbalanced tree: children by a hash of the node, a task a child, no cut-off
 * manner: BOTS, uts
 * args: 50 200
 * timed: 30000 249 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t state;
    int height;
} Node;

static int root_children;
static unsigned chance; /* of an inner node to have four children, in thousandths */

static uint64_t spawn_state(uint64_t state, int child)
{
    uint64_t x = state + 0x9e3779b97f4a7c15u * (uint64_t)(child + 1);
    for (int round = 0; round < 8; round++) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return x;
}

static int num_children(const Node *n)
{
    if (n->height == 0)
        return root_children;
    return n->state % 1000 < chance ? 4 : 0;
}

static unsigned long long par_tree_search(Node *parent, int n_children)
{
    Node n[n_children + 1], *node;
    unsigned long long partial[n_children + 1], subtree = 1;
    for (int i = 0; i < n_children; i++) {
        node = &n[i];
        node->height = parent->height + 1;
        node->state = spawn_state(parent->state, i);
#pragma omp task untied firstprivate(i, node) shared(partial)
        partial[i] = par_tree_search(node, num_children(node));
    }
#pragma omp taskwait
    for (int i = 0; i < n_children; i++)
        subtree += partial[i];
    return subtree;
}

static unsigned long long serial_tree_search(Node *parent)
{
    unsigned long long n = 1;
    for (int i = 0; i < num_children(parent); i++) {
        Node child = {spawn_state(parent->state, i), parent->height + 1};
        n += serial_tree_search(&child);
    }
    return n;
}

int main(int argc, char **argv)
{
    unsigned long long nodes = 0;
    Node root = {19, 0};
    root_children = argc > 1 ? atoi(argv[1]) : 50;
    chance = argc > 2 ? atoi(argv[2]) : 200;
    double begin = omp_get_wtime();
#pragma omp parallel
#pragma omp single nowait
#pragma omp task untied
    nodes = par_tree_search(&root, num_children(&root));
    fprintf(stderr, "region %.3f ms\n", 1e3 * (omp_get_wtime() - begin));
    printf("%llu nodes, %s\n", nodes, nodes == serial_tree_search(&root) ? "successful" : "UNSUCCESSFUL");
    return 0;
}
