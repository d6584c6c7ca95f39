/* SPDX-License-Identifier: MIT */
/* next.c - another interposer behind ours: it wraps getppid and asks for the next one. If our dlsym hid the
 * caller, it would be given itself. */
#include <dlfcn.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

pid_t getppid(void)
{
    static int depth;
    void *p = dlsym(RTLD_NEXT, "getppid");
    pid_t (*next)(void), answer;
    if (!p || depth++)
        return -2;
    memcpy((void *)&next, &p, sizeof p);
    answer = next();
    depth = 0;
    return answer == -2 ? -2 : 4711;
}
