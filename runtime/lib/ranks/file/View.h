// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The bytes of a file that a rank sees, and their order (MPI-4, 14.3).
#ifndef COMM_RANKS_VIEW_H
#define COMM_RANKS_VIEW_H

#include "objects/Datatype.h"

#include <vector>

namespace comm::ranks {

class View {
public:
  /// Creates a view of all bytes of the file.
  View();
  View(const View &) = delete;
  ~View();

  /// Sets the view and returns an error class; the program keeps its types.
  int set(int64_t displacement, Datatype *elementary, Datatype *file);

  int64_t displacement() const { return first; }
  Datatype *elementary() const { return etype; }
  Datatype *file() const { return filetype; }

  /// Returns the position in the file of byte \p byte of the view, and how many bytes are contiguous there: none in a
  /// view without data, which a rank that takes no part may have.
  int64_t place(int64_t byte, int64_t &together) const;
  /// Returns how many elements of the view begin in the first `size` bytes of the file.
  int64_t elementsIn(int64_t size) const;

private:
  int64_t first = 0;
  Datatype *etype, *filetype;
  const TypeRuns *runs = nullptr;
  std::vector<int64_t> before; ///< number of data bytes before each run
};

} // namespace comm::ranks

#endif
