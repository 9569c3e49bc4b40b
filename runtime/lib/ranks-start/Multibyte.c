/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conversions of multibyte characters that use an internal state if the caller passes none (ISO C 7.31.6): one state
 * per function and rank.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

#define REPLACES_STATE(type, name, parameters, ...)                                                                    \
  COMM_RANK_DATA static mbstate_t name##_state;                                                                        \
  type comm_ranks_##name parameters {                                                                                  \
    if (!state)                                                                                                        \
      state = &COMM_RANK(name##_state);                                                                                \
    return name(__VA_ARGS__, state);                                                                                   \
  }

REPLACES_STATE(size_t, mbrlen, (const char *bytes, size_t count, mbstate_t *state), bytes, count)
REPLACES_STATE(size_t, mbrtowc, (wchar_t * wide, const char *bytes, size_t count, mbstate_t *state), wide, bytes, count)
REPLACES_STATE(size_t, wcrtomb, (char *bytes, wchar_t wide, mbstate_t *state), bytes, wide)
REPLACES_STATE(size_t, mbsrtowcs, (wchar_t * wide, const char **bytes, size_t room, mbstate_t *state), wide, bytes,
               room)
REPLACES_STATE(size_t, wcsrtombs, (char *bytes, const wchar_t **wide, size_t room, mbstate_t *state), bytes, wide, room)
REPLACES_STATE(size_t, mbsnrtowcs, (wchar_t * wide, const char **bytes, size_t count, size_t room, mbstate_t *state),
               wide, bytes, count, room)
REPLACES_STATE(size_t, wcsnrtombs, (char *bytes, const wchar_t **wide, size_t count, size_t room, mbstate_t *state),
               bytes, wide, count, room)
REPLACES_STATE(size_t, mbrtoc16, (char16_t * wide, const char *bytes, size_t count, mbstate_t *state), wide, bytes,
               count)
REPLACES_STATE(size_t, mbrtoc32, (char32_t * wide, const char *bytes, size_t count, mbstate_t *state), wide, bytes,
               count)
REPLACES_STATE(size_t, c16rtomb, (char *bytes, char16_t wide, mbstate_t *state), bytes, wide)
REPLACES_STATE(size_t, c32rtomb, (char *bytes, char32_t wide, mbstate_t *state), bytes, wide)

/* These have no state parameter; none of the C library's encodings has shift states. */

int comm_ranks_mblen(const char *bytes, size_t count) {
  mbstate_t state = {0};
  if (!bytes || !*bytes)
    return 0;
  int length = (int)mbrtowc(NULL, bytes, count, &state);
  return length < 0 ? -1 : length;
}

int comm_ranks_mbtowc(wchar_t *wide, const char *bytes, size_t count) {
  mbstate_t state = {0};
  if (!bytes)
    return 0;
  int length = count ? (int)mbrtowc(wide, bytes, count, &state) : -1;
  return length < 0 ? -1 : length;
}

int comm_ranks_wctomb(char *bytes, wchar_t wide) {
  mbstate_t state = {0};
  return bytes ? (int)wcrtomb(bytes, wide, &state) : 0;
}
