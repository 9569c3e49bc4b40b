// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The addresses of the ranks' copies of global variables: a rank's copies have the same distance from the
/// program's image as from those of its libraries.
#ifndef COMM_RANKS_PLACEMENT_H
#define COMM_RANKS_PLACEMENT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comm::ranks {

/// The pages of an image.
struct Pages {
  uintptr_t begin, end;
  size_t size() const { return end - begin; }
};

class Placement {
public:
  /// Finds and reserves addresses for \p count copies of each of \p images; returns false and sets errno if there are
  /// none. With \p room, also leaves room for libraries that are loaded later, at addresses near \p room.
  bool choose(std::vector<Pages> images, int count, uintptr_t room);

  /// Reserves the copies of another image; returns false if the addresses are occupied.
  bool add(Pages image);

  /// Returns the distance from the image to the copies of rank \p i of the process.
  ptrdiff_t displacement(int i) const { return first + i * static_cast<ptrdiff_t>(stride); }

private:
  bool fits(Pages image) const;
  void findStride(size_t least);
  /// The address ranges of all ranks' copies, before displacement.
  std::vector<Pages> spans() const;
  bool reserveAll(const std::vector<Pages> &spans, ptrdiff_t displacement);

  std::vector<Pages> images, reserved;
  int count = 0;
  ptrdiff_t first = 0;
  size_t stride = 0;
};

} // namespace comm::ranks

#endif
