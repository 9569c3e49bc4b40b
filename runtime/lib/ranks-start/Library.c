/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What each shared library of user-level ranks has in place of main: it makes
 * itself known when it is loaded.
 */
#include "Image.h"

__attribute__((constructor)) static void add(void) {
  static comm_ranks_image image;
  image = describe_image();
  comm_ranks_add_library(&image);
}
