/* SPDX-License-Identifier: MIT */
/* place.c - the daemon's folder and socket, for both ends (place.h). */
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int share_place(struct sockaddr_un *address, char folder[sizeof((struct sockaddr_un *)0)->sun_path])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    size_t most = sizeof address->sun_path;
    int n = runtime && *runtime ? snprintf(folder, most, "%s/heddle", runtime)
                                : snprintf(folder, most, "/tmp/heddle-%u", (unsigned)geteuid());
    address->sun_family = AF_UNIX;
    if (n < 0 || (size_t)n >= most)
        return -1;
    n = snprintf(address->sun_path, most, "%s/share", folder);
    return n < 0 || (size_t)n >= most ? -1 : 0;
}

int share_place_is_safe(const char *folder)
{
    struct stat s;
    return !lstat(folder, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 077);
}

int share_peer_is_user(int fd)
{
    struct ucred who;
    socklen_t n = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == geteuid();
}

int share_place_connect(void)
{
    struct sockaddr_un address;
    char folder[sizeof address.sun_path];
    int fd;
    if (share_place(&address, folder) || !share_place_is_safe(folder))
        return -1;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (connect(fd, (struct sockaddr *)&address, sizeof address) || !share_peer_is_user(fd))) {
        close(fd);
        fd = -1;
    }
    return fd;
}
