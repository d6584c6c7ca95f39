/* SPDX-License-Identifier: MIT */
/* contexts.c - what the end of a context frees, when another thread gets the same context and address again before that is counted. The source
 * of the account is a part of this file, with a client that only adds up. */
#include "account.c"

#include "check.h"

enum { FIRST = 1 << 20, SECOND = 3 << 20 };

static uint64_t used;
static CUcontext current;

int share_client_is_inert(void) { return 0; }
int share_client_is_connected(void) { return 1; }
int share_client_gpu(const share_driver *real)
{
    (void)real;
    return 0;
}
int share_client_gpu_of(const share_driver *real, CUdevice d) { return d + share_client_gpu(real); }
int share_client_memory(int gpu, uint64_t n_bytes, int is_first)
{
    (void)gpu, (void)n_bytes, (void)is_first;
    return SHARE_MEM_TRY;
}
void share_client_used(int gpu, int64_t n_bytes)
{
    CHECK(gpu == 0);
    used += (uint64_t)n_bytes;
}

static CUresult get_current(CUcontext *c)
{
    *c = current;
    return CUDA_SUCCESS;
}

int main(void)
{
    static char context;
    const share_driver real = {.cuCtxGetCurrent = get_current};
    const share_wish first = {.n_bytes = FIRST, .is_of_context = 1}, second = {.n_bytes = SECOND, .is_of_context = 1};
    uint64_t until;
    current = (CUcontext)(void *)&context;
    share_account_primary_is(0, current);
    share_account_add(&real, 1, &first);
    share_account_add(&real, 2, &first);
    until = share_account_count();
    share_account_freed(share_account_take(2)); /* as another user of the context does meanwhile */
    share_account_add(&real, 1, &second); /* the driver has ended the context, and gives all of it to another thread */
    share_account_forget(current, until);
    CHECK_MSG(used == SECOND, "%llu bytes", (unsigned long long)used);
    CHECK(!share_account_primary(0));
    share_account_freed(share_account_take(1));
    CHECK(!used && !share_account_take(1));
    return 0;
}
