/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Per-rank signgam (POSIX lgamma).
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <math.h>

COMM_RANK_DATA int comm_ranks_signgam;

double comm_ranks_lgamma(double x) { return lgamma_r(x, &COMM_RANK(comm_ranks_signgam)); }
float comm_ranks_lgammaf(float x) { return lgammaf_r(x, &COMM_RANK(comm_ranks_signgam)); }
long double comm_ranks_lgammal(long double x) { return lgammal_r(x, &COMM_RANK(comm_ranks_signgam)); }
/* The obsolete names of these functions. */
double comm_ranks_gamma(double x) { return comm_ranks_lgamma(x); }
float comm_ranks_gammaf(float x) { return comm_ranks_lgammaf(x); }
long double comm_ranks_gammal(long double x) { return comm_ranks_lgammal(x); }
