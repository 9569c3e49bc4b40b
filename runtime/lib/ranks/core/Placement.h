// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Where the ranks' copies of global variables lie: each at the same
/// distance from the program's image and from those of its libraries.
#ifndef COMM_RANKS_PLACEMENT_H
#define COMM_RANKS_PLACEMENT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comm::ranks {

/// Whole pages of an image.
struct Pages {
  uintptr_t begin, end;
  size_t size() const { return end - begin; }
};

class Placement {
public:
  /// Finds addresses for \p count copies of each of \p images and reserves them;
  /// false, with errno, if there are none. With \p room there is one also for
  /// libraries that are loaded later, at addresses near \p room.
  bool choose(std::vector<Pages> images, int count, uintptr_t room);

  /// Reserves the copies of one more image; false if something else is there.
  bool add(Pages image);

  /// From the image to the copies of rank \p i of the process.
  ptrdiff_t displacement(int i) const { return first + i * static_cast<ptrdiff_t>(stride); }

private:
  bool fits(Pages image) const;
  void findStride(size_t least);
  /// The addresses of all ranks' copies, before they are displaced.
  std::vector<Pages> spans() const;
  bool reserveAll(const std::vector<Pages> &spans, ptrdiff_t displacement);

  std::vector<Pages> images, reserved;
  int count = 0;
  ptrdiff_t first = 0;
  size_t stride = 0;
};

} // namespace comm::ranks

#endif
