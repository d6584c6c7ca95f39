/* SPDX-License-Identifier: MIT */
/* words.h - the words that name the devices of a fleet ("cuda:* cpu:6 virtual:speed=0.5"), read one by one. */
#ifndef HD_LOOP_WORDS_H
#define HD_LOOP_WORDS_H

#include "base/base.h"

#define HD_WORD_ALL UINT32_MAX

typedef enum hd_word_kind { HD_WORD_SERIAL, HD_WORD_CPU, HD_WORD_CUDA, HD_WORD_VIRTUAL } hd_word_kind;

/* A device that a thread plays. */
typedef struct hd_virtual_config {
    double speed;            /* of a core's */
    double link, latency;    /* bytes a second, seconds; 0: at once */
    double memory;           /* bytes */
    double fail, hang, slow; /* the action at which that begins, counted from 1; 0: never */
    double least;            /* threads that it runs side by side, as accelerators say it; 0: one */
    double peer, peers;      /* bytes a second from other such devices, 0: at once; below 1: it has no peers */
} hd_virtual_config;

typedef struct hd_word {
    hd_word_kind kind;
    uint32_t n_times; /* such devices */
    uint32_t which;   /* cuda: its index; cpu: the number of cores; HD_WORD_ALL */
    uint32_t n_parts; /* the device is one of so many parts */
    hd_virtual_config virt;
} hd_word;

/* Reads a word and moves *at behind it: 1; 0: there is none; -1: it names no device, and this thread's sentence says why. */
int hd_word_read(const char **at, hd_word *out);

#endif
