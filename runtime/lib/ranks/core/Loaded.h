// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What the dynamic linker has loaded.
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
  std::vector<std::string> copiedNames; ///< variables of libraries that the program holds (copy relocations)
  uintptr_t begin = 0, end = 0;         ///< its segments
  bool covers(const void *address) const {
    auto at = reinterpret_cast<uintptr_t>(address);
    return at >= begin && at < end;
  }
};

/// All at this moment.
std::vector<Loaded> findLoaded();

/// The place in \p all of what holds \p address; all.size() if none does.
size_t findHolder(const std::vector<Loaded> &all, const void *address);

/// Which of \p all are loaded where the one at \p root is: itself, and what
/// these need.
std::vector<bool> findNeeded(const std::vector<Loaded> &all, size_t root);

} // namespace comm::ranks

#endif
