/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * main of programs with user-level ranks: passes the sections that the linker assembled to the runtime.
 */
#include "Image.h"

int comm_ranks_main(int argc, char **argv, char **envp);

/* An ELF note of the owner "Comm", by which commrun recognizes such a program. */
__attribute__((section(".note.comm.ranks"), aligned(4), used, retain)) static const struct {
  uint32_t name_size, value_size, type;
  char name[8];
  uint32_t abi_version;
} note = {5, 4, 1, "Comm", COMM_RANKS_ABI_VERSION};

int main(int argc, char **argv, char **envp) {
  comm_ranks_image image = describe_image();
  image.abi_version = note.abi_version;
  image.main = comm_ranks_main;
  return comm_ranks_run(argc, argv, envp, &image);
}
