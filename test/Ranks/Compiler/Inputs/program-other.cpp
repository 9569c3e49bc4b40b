// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.h"
int elsewhere = 40;
static int hidden[100];
// The address of a rank's variable in an initial value.
int *const into = &hidden[3];
int *pointer = &elsewhere;
const std::string text = "constructed in each rank, too long to be held inside";
int otherFile() {
  ++*into;
  ++*pointer;
  return Counted<int>::count++ * 1000 + inlined * 10 + static_cast<int>(tls.size()) + hidden[3] * 100000;
}
