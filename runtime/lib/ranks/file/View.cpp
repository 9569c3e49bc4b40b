// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file/View.h"
#include "window/Layout.h"

#include <algorithm>

namespace comm::ranks {

View::View() : etype(typeOf(ABI_BYTE)), filetype(etype) { set(0, etype, filetype); }

View::~View() {
  release(etype);
  release(filetype);
}

int View::set(int64_t displacement, Datatype *elementary, Datatype *file) {
  const TypeRuns *found;
  if (int error = runsOf(file, found))
    return error;
  // MPI-4, 14.3: a file type consists of whole elements, with monotonically increasing displacements.
  if (displacement < 0 || !elementary->size || file->size % elementary->size)
    return ABI_ERR_ARG;
  int64_t end = 0;
  for (auto &run : *found) {
    if (run.first < end)
      return ABI_ERR_ARG;
    end = run.first + run.second;
  }
  // The next tile begins an extent after this one.
  if (found->size() > 1 && end > file->extent + found->front().first)
    return ABI_ERR_ARG;
  retain(elementary);
  retain(file);
  release(etype);
  release(filetype);
  first = displacement;
  etype = elementary;
  filetype = file;
  runs = found;
  before.clear();
  int64_t bytes = 0;
  for (auto &run : *runs) {
    before.push_back(bytes);
    bytes += run.second;
  }
  return ABI_SUCCESS;
}

int64_t View::place(int64_t byte, int64_t &together) const {
  together = 0;
  if (!filetype->size)
    return first;
  int64_t tile = byte / static_cast<int64_t>(filetype->size), inside = byte % static_cast<int64_t>(filetype->size);
  size_t run = std::upper_bound(before.begin(), before.end(), inside) - before.begin() - 1;
  int64_t skipped = inside - before[run];
  bool isWhole = runs->size() == 1 && (*runs)[0].second == filetype->extent;
  together = isWhole ? INT64_MAX : (*runs)[run].second - skipped;
  return first + tile * filetype->extent + (*runs)[run].first + skipped;
}

int64_t View::elementsIn(int64_t size) const {
  if (!filetype->size)
    return 0;
  int64_t lead = runs->front().first, left = size - first - lead;
  if (left <= 0)
    return 0;
  int64_t tiles = left / filetype->extent, rest = left % filetype->extent;
  int64_t bytes = tiles * filetype->size;
  for (auto &run : *runs)
    bytes += std::clamp<int64_t>(rest - (run.first - lead), 0, run.second);
  int64_t element = etype->size;
  return (bytes + element - 1) / element;
}

} // namespace comm::ranks
