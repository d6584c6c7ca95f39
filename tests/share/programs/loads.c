/* SPDX-License-Identifier: MIT */
/* loads.c - loads a library that uses the driver: loads PATH deep|plain. Prints "right" when its copies were. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flags = argc > 2 && !strcmp(argv[2], "deep") ? RTLD_DEEPBIND : 0;
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW | flags) : NULL, *p = lib ? dlsym(lib, "plugin_copies") : NULL;
    int (*copies)(void);
    if (!p) {
        puts(dlerror());
        return 2;
    }
    memcpy((void *)&copies, &p, sizeof p);
    if (copies())
        return 1;
    puts("right");
    return 0;
}
