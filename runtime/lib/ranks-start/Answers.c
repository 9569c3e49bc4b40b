/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that return static storage, of which each rank has its own: ISO C strerror; POSIX strsignal, l64a,
 * inet_ntoa, ttyname, ptsname; ecvt and the like.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

COMM_RANK_DATA static char error_text[64], signal_text[64], base64[8], address_text[INET_ADDRSTRLEN];
/* Allocated on the heap, since names of devices have no fixed size. */
COMM_RANK_DATA static char *terminal_name, *slave_name;
COMM_RANK_DATA static char *digits, *fixed_digits, *long_digits, *long_fixed_digits;

/* Returns room for a text, allocated once per rank. */
static char *room(char **text, size_t bytes) {
  if (!*text)
    *text = malloc(bytes);
  return *text;
}

char *comm_ranks_strerror(int number) { return strerror_r(number, COMM_RANK(error_text), sizeof error_text); }

char *comm_ranks_strsignal(int number) {
  char *text = strsignal(number);
  /* Descriptions are constant; a text with a number is in thread-local storage. */
  if (sigdescr_np(number))
    return text;
  strncpy(COMM_RANK(signal_text), text, sizeof signal_text - 1);
  return COMM_RANK(signal_text);
}

char *comm_ranks_l64a(long value) {
  static const char letters[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  char *at = COMM_RANK(base64);
  for (uint32_t rest = (uint32_t)value; rest; rest >>= 6)
    *at++ = letters[rest & 63];
  *at = '\0';
  return COMM_RANK(base64);
}

char *comm_ranks_inet_ntoa(struct in_addr address) {
  inet_ntop(AF_INET, &address, COMM_RANK(address_text), sizeof address_text);
  return COMM_RANK(address_text);
}

enum { name_bytes = 4096 };

char *comm_ranks_ttyname(int descriptor) {
  char *name = room(&COMM_RANK(terminal_name), name_bytes);
  int error = name ? ttyname_r(descriptor, name, name_bytes) : ENOMEM;
  if (error)
    errno = error;
  return error ? NULL : name;
}

char *comm_ranks_ptsname(int descriptor) {
  char *name = room(&COMM_RANK(slave_name), name_bytes);
  int error = name ? ptsname_r(descriptor, name, name_bytes) : ENOMEM;
  if (error)
    errno = error;
  return error ? NULL : name;
}

/* The longest numbers in full: 10^308 and 10^4932, plus the digits that the library gives after the point. */
enum { double_bytes = 512, long_double_bytes = 8192 };

char *comm_ranks_ecvt(double value, int count, int *point, int *sign) {
  char *text = room(&COMM_RANK(digits), double_bytes);
  return text && !ecvt_r(value, count, point, sign, text, double_bytes) ? text : NULL;
}

char *comm_ranks_fcvt(double value, int count, int *point, int *sign) {
  char *text = room(&COMM_RANK(fixed_digits), double_bytes);
  return text && !fcvt_r(value, count, point, sign, text, double_bytes) ? text : NULL;
}

char *comm_ranks_qecvt(long double value, int count, int *point, int *sign) {
  char *text = room(&COMM_RANK(long_digits), long_double_bytes);
  return text && !qecvt_r(value, count, point, sign, text, long_double_bytes) ? text : NULL;
}

char *comm_ranks_qfcvt(long double value, int count, int *point, int *sign) {
  char *text = room(&COMM_RANK(long_fixed_digits), long_double_bytes);
  return text && !qfcvt_r(value, count, point, sign, text, long_double_bytes) ? text : NULL;
}
