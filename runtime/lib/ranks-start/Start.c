/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * main of a program of user-level ranks: finds what the linker has put together
 * from all files of the program, and hands it to the runtime.
 */
#include "comm/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int comm_ranks_main(int argc, char **argv, char **envp);

typedef struct OptionalFixup {
  void **where;
  const char *marker; /* NULL: the variable that it points into is shared */
} OptionalFixup;

/* Weak: a program may have none of a kind. */
#define SECTION(type, name)                                                                                            \
  extern type name##_begin[] __asm__("__start_" #name) __attribute__((weak, visibility("hidden")));                    \
  extern type name##_end[] __asm__("__stop_" #name) __attribute__((weak, visibility("hidden")));

SECTION(char, comm_rank_data)
SECTION(char, comm_rank_zero)
SECTION(const comm_ranks_fixup, comm_rank_fixups)
SECTION(const OptionalFixup, comm_rank_optional_fixups)
SECTION(const comm_ranks_constructor, comm_rank_constructors)

/* By this commrun knows such a program: an ELF note of the owner "Comm". */
__attribute__((section(".note.comm.ranks"), aligned(4), used, retain)) static const struct {
  uint32_t name_size, value_size, type;
  char name[8];
  uint32_t abi_version;
} note = {5, 4, 1, "Comm", COMM_RANKS_ABI_VERSION};

static int compare_fixups(const void *left, const void *right) {
  const comm_ranks_fixup *a = left, *b = right;
  return a->where < b->where ? -1 : a->where > b->where;
}

/* The certain fixups, the optional ones that apply, each place once: two files
 * may both list those of a weak variable. */
static void collect_fixups(comm_ranks_image *image) {
  size_t certain = (size_t)(comm_rank_fixups_end - comm_rank_fixups_begin);
  size_t optional = (size_t)(comm_rank_optional_fixups_end - comm_rank_optional_fixups_begin);
  comm_ranks_fixup *all;
  size_t count = certain, kept = 0, i;
  if (certain + optional == 0)
    return;
  all = malloc((certain + optional) * sizeof *all);
  if (!all) {
    fputs("comm: no memory for the table of pointers in the program's "
          "variables\n",
          stderr);
    exit(1);
  }
  if (certain)
    memcpy(all, comm_rank_fixups_begin, certain * sizeof *all);
  for (i = 0; i < optional; ++i)
    if (comm_rank_optional_fixups_begin[i].marker)
      all[count++].where = comm_rank_optional_fixups_begin[i].where;
  qsort(all, count, sizeof *all, compare_fixups);
  for (i = 0; i < count; ++i)
    if (kept == 0 || all[kept - 1].where != all[i].where)
      all[kept++] = all[i];
  image->fixups_begin = all;
  image->fixups_end = all + kept;
}

static int compare_constructors(const void *left, const void *right) {
  const comm_ranks_constructor *const *a = left, *const *b = right;
  if ((*a)->priority != (*b)->priority)
    return (*a)->priority < (*b)->priority ? -1 : 1;
  return *a < *b ? -1 : *a > *b;
}

/* By priority, in the linker's order where priorities agree. */
static void collect_constructors(comm_ranks_image *image) {
  size_t count = (size_t)(comm_rank_constructors_end - comm_rank_constructors_begin);
  const comm_ranks_constructor **order;
  comm_ranks_constructor *sorted;
  size_t i;
  if (count == 0)
    return;
  order = malloc(count * sizeof *order);
  sorted = malloc(count * sizeof *sorted);
  if (!order || !sorted) {
    fputs("comm: no memory for the table of constructors\n", stderr);
    exit(1);
  }
  for (i = 0; i < count; ++i)
    order[i] = comm_rank_constructors_begin + i;
  qsort(order, count, sizeof *order, compare_constructors);
  for (i = 0; i < count; ++i)
    sorted[i] = *order[i];
  free(order);
  image->constructors_begin = sorted;
  image->constructors_end = sorted + count;
}

int main(int argc, char **argv, char **envp) {
  comm_ranks_image image = {0};
  image.abi_version = note.abi_version;
  image.data_begin = comm_rank_data_begin;
  image.data_end = comm_rank_data_end;
  image.zero_begin = comm_rank_zero_begin;
  image.zero_end = comm_rank_zero_end;
  collect_fixups(&image);
  collect_constructors(&image);
  image.main = comm_ranks_main;
  return comm_ranks_run(argc, argv, envp, &image);
}
