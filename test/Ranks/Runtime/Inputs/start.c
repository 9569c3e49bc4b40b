// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The start file of programs that the runtime's tests build without the
// compiler side: nothing is privatized.
#include "comm/ranks.h"

int comm_ranks_main(int argc, char **argv, char **envp);

int main(int argc, char **argv, char **envp) {
  comm_ranks_image image = {0};
  image.abi_version = COMM_RANKS_ABI_VERSION;
  image.main = comm_ranks_main;
  return comm_ranks_run(argc, argv, envp, &image);
}
