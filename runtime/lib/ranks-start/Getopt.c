/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * getopt and getopt_long (POSIX getopt, and the extensions in the GNU C library's manual) with per-rank state.
 */
#define _GNU_SOURCE
#include "RankStorage.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

COMM_RANK_DATA char *comm_ranks_optarg;
COMM_RANK_DATA int comm_ranks_optind = 1;
COMM_RANK_DATA int comm_ranks_opterr = 1;
COMM_RANK_DATA int comm_ranks_optopt = '?';

/* The position in a word of several short options, such as -abc; NULL between words. */
COMM_RANK_DATA static char *next_letter;
/* Skipped words that are not options: argv[first .. last). */
COMM_RANK_DATA static int skipped_first, skipped_last;

#define OPTARG COMM_RANK(comm_ranks_optarg)
#define OPTIND COMM_RANK(comm_ranks_optind)
#define OPTERR COMM_RANK(comm_ranks_opterr)
#define OPTOPT COMM_RANK(comm_ranks_optopt)

typedef struct Words {
  int count;
  char *const *words;
  const char *letters;
  const struct option *names;
  int *name_index;
  int single_dash; /* getopt_long_only: -name is a long option, too */
  int colon;       /* report a missing argument as ':' without a message */
  int stop;        /* stop at the first word that is not an option, as in POSIX */
} Words;

static void reverse(char **first, char **last) {
  while (first < --last) {
    char *word = *first;
    *first++ = *last;
    *last = word;
  }
}

/* Moves the skipped words after the options [last, optind). */
static void exchange(char *const *constant) {
  /* POSIX says const, but GNU permutes anyway. */
  char **words = (char **)(uintptr_t)constant;
  int first = COMM_RANK(skipped_first), middle = COMM_RANK(skipped_last);
  int end = OPTIND;
  reverse(words + first, words + middle);
  reverse(words + middle, words + end);
  reverse(words + first, words + end);
  COMM_RANK(skipped_first) = first + (end - middle);
  COMM_RANK(skipped_last) = end;
}

static void complain(const Words *in, const char *text, const char *dashes, const char *name, size_t length) {
  if (OPTERR && !in->colon)
    fprintf(stderr, "%s: %s '%s%.*s'\n", in->words[0], text, dashes, (int)length, name);
}

static int parse_name(const Words *in, char *text, const char *dashes) {
  size_t length = strcspn(text, "=");
  int i, found = -1, exact = 0, ambiguous = 0;
  for (i = 0; in->names[i].name; ++i) {
    if (strncmp(in->names[i].name, text, length) != 0)
      continue;
    if (strlen(in->names[i].name) == length) {
      found = i;
      exact = 1;
      break;
    }
    ambiguous |= found >= 0 && (in->names[found].has_arg != in->names[i].has_arg ||
                                in->names[found].flag != in->names[i].flag || in->names[found].val != in->names[i].val);
    if (found < 0)
      found = i;
  }
  ++OPTIND;
  if (found < 0 || (ambiguous && !exact)) {
    complain(in, found < 0 ? "unrecognized option" : "ambiguous option", dashes, text, length);
    OPTOPT = 0;
    return '?';
  }
  const struct option *option = &in->names[found];
  if (text[length] == '=') {
    if (option->has_arg == no_argument) {
      complain(in, "no argument goes with option", dashes, option->name, strlen(option->name));
      OPTOPT = option->val;
      return '?';
    }
    OPTARG = text + length + 1;
  } else if (option->has_arg == required_argument) {
    if (OPTIND >= in->count) {
      complain(in, "an argument is missing for option", dashes, option->name, strlen(option->name));
      OPTOPT = option->val;
      return in->colon ? ':' : '?';
    }
    OPTARG = in->words[OPTIND++];
  }
  if (in->name_index)
    *in->name_index = found;
  if (!option->flag)
    return option->val;
  *option->flag = option->val;
  return 0;
}

static int parse_letter(const Words *in) {
  char letter = *COMM_RANK(next_letter)++;
  const char *known = letter == ':' || letter == ';' ? NULL : strchr(in->letters, letter);
  int is_last = *COMM_RANK(next_letter) == '\0';
  if (is_last)
    ++OPTIND;
  if (!known) {
    complain(in, "invalid option --", "", &letter, 1);
    OPTOPT = letter;
    if (is_last)
      COMM_RANK(next_letter) = NULL;
    return '?';
  }
  if (known[1] != ':') {
    if (is_last)
      COMM_RANK(next_letter) = NULL;
    return letter;
  }
  if (!is_last) {
    OPTARG = COMM_RANK(next_letter);
    ++OPTIND;
  } else if (known[2] != ':') {
    if (OPTIND >= in->count) {
      complain(in, "an argument is missing for option --", "", &letter, 1);
      OPTOPT = letter;
      COMM_RANK(next_letter) = NULL;
      return in->colon ? ':' : '?';
    }
    OPTARG = in->words[OPTIND++];
  }
  COMM_RANK(next_letter) = NULL;
  return letter;
}

static int parse(Words *in) {
  enum { Permute, InOrder, Stop } order = Permute;
  char *word;
  if (in->count < 1)
    return -1;
  OPTARG = NULL;
  if (OPTIND == 0) { /* GNU: start again */
    OPTIND = 1;
    COMM_RANK(next_letter) = NULL;
    COMM_RANK(skipped_first) = COMM_RANK(skipped_last) = 0;
  }
  if (COMM_RANK(skipped_last) > OPTIND || COMM_RANK(skipped_last) == 0)
    COMM_RANK(skipped_first) = COMM_RANK(skipped_last) = OPTIND;
  if (*in->letters == '-' || *in->letters == '+')
    order = *in->letters++ == '-' ? InOrder : Stop;
  else if (in->stop || getenv("POSIXLY_CORRECT"))
    order = Stop;
  in->colon = *in->letters == ':';
  if (COMM_RANK(next_letter) && *COMM_RANK(next_letter))
    return parse_letter(in);

  if (order == Permute) {
    if (COMM_RANK(skipped_first) != COMM_RANK(skipped_last) && COMM_RANK(skipped_last) != OPTIND)
      exchange(in->words);
    else if (COMM_RANK(skipped_last) != OPTIND)
      COMM_RANK(skipped_first) = OPTIND;
    while (OPTIND < in->count && (in->words[OPTIND][0] != '-' || in->words[OPTIND][1] == '\0'))
      ++OPTIND;
    COMM_RANK(skipped_last) = OPTIND;
  }
  if (OPTIND < in->count && strcmp(in->words[OPTIND], "--") == 0) {
    ++OPTIND;
    if (COMM_RANK(skipped_first) != COMM_RANK(skipped_last))
      exchange(in->words);
    else
      COMM_RANK(skipped_first) = OPTIND;
    COMM_RANK(skipped_last) = in->count;
    OPTIND = in->count;
  }
  if (OPTIND >= in->count) {
    if (COMM_RANK(skipped_first) != COMM_RANK(skipped_last))
      OPTIND = COMM_RANK(skipped_first);
    return -1;
  }
  word = in->words[OPTIND];
  if (word[0] != '-' || word[1] == '\0') {
    if (order == Stop)
      return -1;
    OPTARG = word;
    ++OPTIND;
    return 1;
  }
  if (in->names && word[1] == '-')
    return parse_name(in, word + 2, "--");
  if (in->names && in->single_dash && (word[2] != '\0' || !strchr(in->letters, word[1])))
    return parse_name(in, word + 1, "-");
  COMM_RANK(next_letter) = word + 1;
  return parse_letter(in);
}

int comm_ranks_getopt(int argc, char *const argv[], const char *letters) {
  Words in = {argc, argv, letters, NULL, NULL, 0, 0, 0};
  return parse(&in);
}

/* getopt with _POSIX_C_SOURCE and without _GNU_SOURCE. */
int comm_ranks_posix_getopt(int argc, char *const argv[], const char *letters) {
  Words in = {argc, argv, letters, NULL, NULL, 0, 0, 1};
  return parse(&in);
}

int comm_ranks_getopt_long(int argc, char *const argv[], const char *letters, const struct option *names, int *index) {
  Words in = {argc, argv, letters, names, index, 0, 0, 0};
  return parse(&in);
}

int comm_ranks_getopt_long_only(int argc, char *const argv[], const char *letters, const struct option *names,
                                int *index) {
  Words in = {argc, argv, letters, names, index, 1, 0, 0};
  return parse(&in);
}
