/* SPDX-License-Identifier: MIT */
/* construct: `atomic` read, write, update, capture on 32- and 64-bit numbers
 * generated: CUDA's atomic operation, or a loop of compare and swap */
#include <stdio.h>

struct counters {
    int i;
    unsigned u;
    long long l;
    float f;
    double d;
    int order[200];
    int next, flag, copy;
};

static void bump(struct counters *c, int n)
{
    int seen;
#pragma omp parallel for
    for (int k = 0; k < n; k++) {
        int at;
#pragma omp atomic
        c->i += 2;
#pragma omp atomic update
        c->u |= 1u << (k % 20);
#pragma omp atomic
        c->l -= k;
#pragma omp atomic
        c->f += 0.5f;
#pragma omp atomic
        c->d = c->d + 0.25;
#pragma omp atomic capture
        at = c->next++;
        c->order[at] = 1;
#pragma omp atomic capture
        {
            at = c->flag;
            c->flag = 3;
        }
    }
#pragma omp atomic write
    c->flag = 7;
#pragma omp atomic read
    seen = c->flag;
#pragma omp atomic write
    c->copy = seen;
}

int main(void)
{
    struct counters c = {0, 0, 0, 0, 0, {0}, 0, 0, 0};
    int set = 0;
#pragma omp target parallel map(tofrom : c)
#pragma omp single
    for (int k = 0; k < 5; k++) {
#pragma omp task shared(c)
        bump(&c, 40);
    }
    for (int k = 0; k < 200; k++)
        set += c.order[k];
    printf("%d %u %lld %g %g %d %d %d\n", c.i, c.u, c.l, (double)c.f, c.d, c.next, set, c.copy);
    return 0;
}
