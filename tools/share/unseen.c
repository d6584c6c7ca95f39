/* SPDX-License-Identifier: MIT */
/* unseen.c - a program that used CUDA without our seeing it is named at its end, for `heddle share status`: its library was bound to
 * the driver before us (RTLD_DEEPBIND). Nothing is said of a program that only looked for GPUs. */
#include "client.h"
#include "driver.h"
#include "variable.h"

#include <dlfcn.h>
#include <string.h>

typedef CUresult (*get_current_fn)(CUcontext *c);

/* A driver is loaded, no look-up and no call of it came by, and yet this thread has a context. */
static int has_context(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *p;
    get_current_fn get_current;
    CUcontext c = NULL;
    if (!driver || !share_real_dlsym || !(p = share_real_dlsym(driver, "cuCtxGetCurrent")))
        return 0;
    memcpy((void *)&get_current, &p, sizeof p);
    return get_current(&c) == CUDA_SUCCESS && c;
}

__attribute__((destructor)) static void tell(void)
{
    if (!share_setting_is_off() && !share_driver_loaded() && has_context())
        share_client_unseen();
}
