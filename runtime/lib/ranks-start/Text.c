/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C library functions that return or remember static storage: each rank has its own (ISO C 7.26.5.8, 7.29.3).
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <string.h>
#include <time.h>

COMM_RANK_DATA static char *token_rest;
COMM_RANK_DATA static struct tm broken_down;
COMM_RANK_DATA static char text[64];

char *comm_ranks_strtok(char *string, const char *separators) {
  return strtok_r(string, separators, &COMM_RANK(token_rest));
}

struct tm *comm_ranks_localtime(const time_t *time) {
  tzset(); /* required for localtime, but not for localtime_r */
  return localtime_r(time, &COMM_RANK(broken_down));
}

struct tm *comm_ranks_gmtime(const time_t *time) { return gmtime_r(time, &COMM_RANK(broken_down)); }

char *comm_ranks_asctime(const struct tm *time) { return asctime_r(time, COMM_RANK(text)); }

char *comm_ranks_ctime(const time_t *time) {
  struct tm *local = comm_ranks_localtime(time);
  return local ? comm_ranks_asctime(local) : NULL;
}
