/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The equivalent of main in shared libraries for user-level ranks: registers the library when it is loaded.
 */
#include "Image.h"

__attribute__((constructor)) static void add(void) {
  static comm_ranks_image image;
  image = describe_image();
  comm_ranks_add_library(&image);
}
