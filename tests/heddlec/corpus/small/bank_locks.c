/* SPDX-License-Identifier: MIT */
/* shows: transfers with two locks taken in order, structs of accounts
 * manner: operating systems course */
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

typedef struct {
    int id;
    long balance;
    omp_lock_t lock;
} account_t;

static void transfer(account_t *from, account_t *to, long amount)
{
    account_t *first = from->id < to->id ? from : to, *second = first == from ? to : from;
    omp_set_lock(&first->lock);
    omp_set_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    omp_unset_lock(&second->lock);
    omp_unset_lock(&first->lock);
}

int main(void)
{
    enum { ACCOUNTS = 8, TRANSFERS = 300 };
    account_t *accounts = malloc(ACCOUNTS * sizeof(account_t));
    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i].id = i;
        accounts[i].balance = 1000;
        omp_init_lock(&accounts[i].lock);
    }
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < TRANSFERS; t++) {
        int a = (t * 5) % ACCOUNTS, b = (a + 1 + t % (ACCOUNTS - 1)) % ACCOUNTS;
#pragma omp task firstprivate(a, b, t)
        transfer(&accounts[a], &accounts[b], t % 50);
    }
    long total = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        printf("%d: %ld\n", i, accounts[i].balance);
        total += accounts[i].balance;
        omp_destroy_lock(&accounts[i].lock);
    }
    printf("total %ld\n", total);
    free(accounts);
    return 0;
}
