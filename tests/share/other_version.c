/* SPDX-License-Identifier: MIT */
/* other_version.c - the daemon of another version: its source, with another number. Serves in the usual place until it is ended. */
#include "wire.h"

#define SHARE_VERSION 99u
#include "daemon.c"
#include "peer.c"

int main(void)
{
    share_rules rules = {SHARE_POLICY_FIFO, 12, 2000000000u, 0};
    share_why why;
    int fd = share_daemon_open(&why);
    if (fd < 0 || share_daemon_serve(fd, &rules, NULL, "", &why)) {
        puts(why.text);
        return 1;
    }
    return 0;
}
