// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Info objects (MPI-4, 10).
#ifndef COMM_RANKS_INFO_H
#define COMM_RANKS_INFO_H

#include "Abi.h"
#include "objects/Kept.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace comm::ranks {

/// Keys and values, in the order in which the keys were first set.
struct Info : Kept<Info> {
  std::vector<std::pair<std::string, std::string>> entries;
  InUse inUse;
};

inline Info *infoOf(ABI_Info handle) {
  return reinterpret_cast<uintptr_t>(handle) < 1024 ? nullptr : unlessFreed(reinterpret_cast<Info *>(handle));
}
/// Returns a copy that the program frees; an empty one for null.
ABI_Info copyInfo(const Info *info);
void releaseInfo(Info *info);

} // namespace comm::ranks

#endif
