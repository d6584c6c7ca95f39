/* SPDX-License-Identifier: MIT */
/* peer.h - one connection of the daemon: a client with its page, or a command. Nothing that it sent is used before it was checked;
 * a peer that sends what cannot be is let go, and nobody else notices. */
#ifndef SHARE_PEER_H
#define SHARE_PEER_H

#include "arbiter.h"

enum { SHARE_NO_LINK = -1, SHARE_DECLINED_LINK = -2 };

typedef struct share_peer {
    int fd;          /* -1: none */
    int client;      /* its number; -1: it has not said hello */
    int is_bad;      /* to be closed */
    int is_stranger; /* another user's: refused once it has spoken, or the close would overtake the refusal */
    uint64_t since_ns;
    share_page *page;
    int32_t pid;
    uint32_t class_;
    uint64_t declared_bytes; /* SHARE_BY_HISTORY: what is known of it counts */
    char name[SHARE_NAME_BYTES];
    struct {
        uint64_t n_bytes, since_ns, told_ns; /* told_ns: of the last answer */
    } wait[SHARE_MOST_GPUS];                 /* for memory */
    int link_of[SHARE_MOST_GPUS]; /* the daemon's number of a GPU; less than 0: SHARE_NO_LINK or SHARE_DECLINED_LINK */
    struct {
        uint32_t seq, done; /* seq 0: none; done: as it was seen last */
        uint64_t rests_ns;  /* all behind it is done since then */
        int has_arrived;
    } gates[SHARE_N_GATES];
    uint32_t n_freed[SHARE_MOST_GPUS]; /* as it was seen last */
} share_peer;

void share_peer_init(share_peer *p, int fd, uint64_t now_ns);
void share_peer_close(share_peer *p);
/* A whole message, and the descriptor that came with it (or -1), which is the caller's. 1, 0: nothing more now, or -1: the end, or no message
 * of ours. */
int share_peer_receive(share_peer *p, share_message *m, int *passed);
/* Never waits for long; a peer that does not take it is bad. */
void share_peer_send(share_peer *p, uint32_t type, const char *text);
/* Takes the page from a descriptor, which stays open. 0, or -1: it is not a sealed page of the right size. */
int share_peer_map(share_peer *p, int passed);

/* Writes a decision to the page. */
void share_peer_tell(share_peer *p, const share_decision *d);
/* Of a GPU by the client's number. */
void share_peer_tell_memory(share_peer *p, uint32_t gpu, uint32_t seq, uint32_t said);
/* The client's number of one of the daemon's links; -1: it does not use it. */
int share_peer_gpu(const share_peer *p, uint32_t link);

#endif
