// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Which bytes of a file a rank sees, and in which order (MPI-4, 14.3).
#ifndef COMM_RANKS_VIEW_H
#define COMM_RANKS_VIEW_H

#include "objects/Datatype.h"

#include <vector>

namespace comm::ranks {

class View {
public:
  /// All bytes of the file.
  View();
  View(const View &) = delete;
  ~View();

  /// Returns an error class; the types stay the program's.
  int set(int64_t displacement, Datatype *elementary, Datatype *file);

  int64_t displacement() const { return first; }
  Datatype *elementary() const { return etype; }
  Datatype *file() const { return filetype; }

  /// Where in the file the data from byte \p byte of the view are, and how many
  /// bytes of it lie together there.
  int64_t place(int64_t byte, int64_t &together) const;
  /// How many elements of the view begin in the first `size` bytes of the file.
  int64_t elementsIn(int64_t size) const;

private:
  int64_t first = 0;
  Datatype *etype, *filetype;
  const TypeRuns *runs = nullptr;
  std::vector<int64_t> before; ///< bytes of data in front of each run
};

} // namespace comm::ranks

#endif
