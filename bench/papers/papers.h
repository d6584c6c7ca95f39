/* SPDX-License-Identifier: MIT */
/* papers.h - the papers with figures that can be made, one folder and one entry each. An entry takes the options of
 * `heddle bench`, writes its files into options.out and returns the exit status (cli.h). */
#ifndef PAPERS_H
#define PAPERS_H

#include "options.h"

int figures_juggler(const options *o);
int figures_didc14(const options *o);
int figures_peerwave(const options *o);
int figures_pagoda(const options *o);
int figures_hdss(const options *o);
int figures_mesi(const options *o);
int figures_cumas(const options *o);

#endif
