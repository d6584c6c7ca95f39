/* SPDX-License-Identifier: MIT */
/* plugin.c - a library that is linked with the driver, for programs that load it with RTLD_DEEPBIND: then it finds the driver's
 * names before ours, and is not seen. */
#include "fake.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int plugin_copies(void);
int plugin_copies(void)
{
    enum { N = 2 << 20 };
    unsigned char *h = malloc(N);
    CUcontext c;
    CUdeviceptr d;
    int wrong;
    if (!dlsym(RTLD_DEFAULT, "cuInit") ||
        !dlsym(RTLD_DEFAULT, "cuMemAlloc_v2")) /* where this library looks, and not all do */
        return 1;
    if (!h || cuInit(0) || cuCtxCreate_v2(&c, 0, 0) || cuMemAlloc_v2(&d, N))
        return 1;
    memset(h, 7, N);
    wrong = cuMemcpyHtoD_v2(d, h, N);
    memset(h, 0, N);
    wrong |= cuMemcpyDtoH_v2(h, d, N) || h[0] != 7 || h[N - 1] != 7;
    free(h);
    return wrong; /* the context stays, as that of most programs does */
}
