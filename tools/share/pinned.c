/* SPDX-License-Identifier: MIT */
/* pinned.c - maps and registers memory (pinned.h). */
#include "pinned.h"

#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

int share_pinned_new(const share_driver *real, size_t n_bytes, share_pinned *p)
{
    size_t n = (n_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    memset(p, 0, sizeof *p);
    if (!real->cuMemHostRegister_v2 || !real->cuMemHostUnregister)
        return -1;
    p->n_map_bytes = n + HUGE_PAGE;
    p->map = mmap(NULL, p->n_map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->map == MAP_FAILED) {
        p->map = NULL;
        return -1;
    }
    p->at = (char *)(((uintptr_t)p->map + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    (void)madvise(p->at, n, MADV_HUGEPAGE);
    memset(p->at, 0, n); /* the pages come now, before they are pinned one by one */
    if (real->cuMemHostRegister_v2(p->at, n, CU_MEMHOST_PORTABLE) == CUDA_SUCCESS)
        return 0;
    (void)munmap(p->map, p->n_map_bytes);
    memset(p, 0, sizeof *p);
    return -1;
}

void share_pinned_free(const share_driver *real, share_pinned *p)
{
    if (!p->at)
        return;
    real->cuMemHostUnregister(p->at);
    (void)munmap(p->map, p->n_map_bytes);
    memset(p, 0, sizeof *p);
}
