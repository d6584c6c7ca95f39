/* SPDX-License-Identifier: MIT */
/* lookups.c - prints which library each name leads to, by each way to look it up.
 *
 *   lookups NAME...   a line a name: NAME, by dlsym, by cuGetProcAddress (own default streams: with "own:" before the name) */
#include "api.h"

static const char *home_of(void *p)
{
    Dl_info info;
    const char *slash;
    if (!p || !dladdr(p, &info) || !info.dli_fname)
        return "none";
    slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

int main(int argc, char **argv)
{
    void *lib, *before = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
    api_lookup look_up;
    void *p;
    printf("before: %s\n", home_of(before));
    lib = api_open(NULL, 0);
    api_set(&look_up, dlsym(lib, "cuGetProcAddress_v2"), "cuGetProcAddress_v2");
    for (int i = 1; i < argc; i++) {
        int own = !strncmp(argv[i], "own:", 4);
        const char *name = argv[i] + (own ? 4 : 0);
        p = NULL;
        if (look_up(name, &p, 12080, own ? 2 : 1, NULL) != CUDA_SUCCESS)
            p = NULL;
        printf("%s: %s, %s\n", argv[i], home_of(dlsym(lib, name)), home_of(p));
    }
    return 0;
}
