// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The objects that the dynamic linker has loaded.
#ifndef COMM_RANKS_LOADED_H
#define COMM_RANKS_LOADED_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace comm::ranks {

/// The program or a shared library.
struct Loaded {
  std::string path; ///< empty for the program
  std::string soname;
  std::vector<std::string> needed;      ///< DT_NEEDED
  std::vector<std::string> copiedNames; ///< library variables that are in the program (copy relocations)
  uintptr_t begin = 0, end = 0;         ///< its segments
  bool covers(const void *address) const {
    auto at = reinterpret_cast<uintptr_t>(address);
    return at >= begin && at < end;
  }
};

/// Returns all that are loaded now.
std::vector<Loaded> findLoaded();

/// Returns the index in \p all of the object that contains \p address; all.size() if there is none.
size_t findHolder(const std::vector<Loaded> &all, const void *address);

/// Returns which of \p all are loaded together with the one at \p root: itself, and its dependencies.
std::vector<bool> findNeeded(const std::vector<Loaded> &all, size_t root);

} // namespace comm::ranks

#endif
