// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Info.h"

namespace comm::ranks {

ABI_Info copyInfo(const Info *info) {
  auto *copy = info ? new Info(*info) : new Info;
  return reinterpret_cast<ABI_Info>(copy);
}

void releaseInfo(Info *info) { delete info; }

} // namespace comm::ranks
