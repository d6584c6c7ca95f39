/* SPDX-License-Identifier: MIT */
/* place.h - where the daemon of a user is: the socket `share` in a folder that only this user may enter. */
#ifndef SHARE_PLACE_H
#define SHARE_PLACE_H

#include <sys/socket.h>
#include <sys/un.h>

/* $XDG_RUNTIME_DIR/heddle, or /tmp/heddle-UID. 0, or -1: the name is too long for a socket. */
int share_place(struct sockaddr_un *address, char folder[sizeof((struct sockaddr_un *)0)->sun_path]);
/* The folder is this user's own, no link, and closed to others. */
int share_place_is_safe(const char *folder);
/* A connection to a daemon of this user, closed on exec; or -1. */
int share_place_connect(void);
/* The user at the other end is this one. */
int share_peer_is_user(int fd);

#endif
