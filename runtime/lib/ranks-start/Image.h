/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sections that the linker has assembled from all files of a program or library. Included once in each, by its
 * start file.
 */
#ifndef COMM_RANKS_START_IMAGE_H
#define COMM_RANKS_START_IMAGE_H

#include "comm/ranks.h"

/*
 * Adds an empty entry of each kind, so that each section exists: otherwise the linker may resolve the symbols to
 * another library's section.
 */
#define SECTION(type, name, kind, bytes)                                                                               \
  __asm__(".pushsection " #name ",\"awR\",@" kind "\n.balign 8\n.zero " #bytes "\n.popsection");                       \
  extern type name##_begin[] __asm__("__start_" #name) __attribute__((visibility("hidden")));                          \
  extern type name##_end[] __asm__("__stop_" #name) __attribute__((visibility("hidden")));

SECTION(char, comm_rank_data, "progbits", 16)
SECTION(char, comm_rank_zero, "nobits", 16)
SECTION(const comm_ranks_fixup, comm_rank_fixups, "progbits", 8)
SECTION(const comm_ranks_optional_fixup, comm_rank_optional_fixups, "progbits", 16)
SECTION(comm_ranks_foreign, comm_rank_foreign, "progbits", 24)
SECTION(const comm_ranks_constructor, comm_rank_constructors, "progbits", 16)

/* From Open.c, if code of this program or library calls it. */
extern void *comm_ranks_dlopen(const char *file, int mode) __attribute__((weak, visibility("hidden")));

/* Files compiled for ranks refer to it, so they cannot be linked without a start file. */
__attribute__((visibility("hidden"))) extern const char comm_ranks_linked_image;
const char comm_ranks_linked_image = 1;

static inline comm_ranks_image describe_image(void) {
  comm_ranks_image image = {
      .abi_version = COMM_RANKS_ABI_VERSION,
      .opens_libraries = comm_ranks_dlopen != NULL,
      .fixups_begin = comm_rank_fixups_begin,
      .fixups_end = comm_rank_fixups_end,
      .optional_fixups_begin = comm_rank_optional_fixups_begin,
      .optional_fixups_end = comm_rank_optional_fixups_end,
      .foreign_begin = comm_rank_foreign_begin,
      .foreign_end = comm_rank_foreign_end,
      .constructors_begin = comm_rank_constructors_begin,
      .constructors_end = comm_rank_constructors_end,
  };
  /* A part with only the empty entry takes no memory. */
  if (comm_rank_data_end - comm_rank_data_begin > 16) {
    image.data_begin = comm_rank_data_begin;
    image.data_end = comm_rank_data_end;
  }
  if (comm_rank_zero_end - comm_rank_zero_begin > 16) {
    image.zero_begin = comm_rank_zero_begin;
    image.zero_end = comm_rank_zero_end;
  }
  return image;
}

#endif
