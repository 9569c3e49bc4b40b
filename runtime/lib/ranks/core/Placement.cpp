// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Placement.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace comm::ranks {

static constexpr size_t page = 4096;
// Addresses available to user programs; the lowest pages are not mapped.
static constexpr uintptr_t lowest = 64 << 10, highest = (1ull << 47) - page;
// Room between the copies of two ranks for libraries opened later: about the span of a program's libraries, unless too
// many ranks are needed.
static constexpr size_t roomForLibraries = 64 << 20, roomInAll = 8ull << 40;

// ThreadSanitizer supports a smaller range of program memory.
#if defined(__SANITIZE_THREAD__)
static constexpr int farthest = 38;
#elif defined(__has_feature)
static constexpr int farthest = __has_feature(thread_sanitizer) ? 38 : 44;
#else
static constexpr int farthest = 44;
#endif

/// Returns whether the range overlaps with the region into which the process's stack may grow, which is not mapped yet.
static bool meetsStack(uintptr_t begin, size_t bytes) {
  static constexpr size_t atMost = 1ull << 30;
  auto top = reinterpret_cast<uintptr_t>(environ);
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  return begin < top && begin + bytes + std::min<size_t>(limit.rlim_cur, atMost) + (2 << 20) > top;
}

/// Returns false if the range is occupied.
static bool reserve(uintptr_t begin, size_t bytes) {
  if (meetsStack(begin, bytes))
    return false;
  void *wanted = reinterpret_cast<void *>(begin);
  void *got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED)
    return false;
  if (got != wanted) { // the kernel does not support MAP_FIXED_NOREPLACE
    munmap(got, bytes);
    return false;
  }
  madvise(got, bytes, MADV_NOHUGEPAGE);
  return true;
}

/// Returns whether no copies of the two images overlap, for any two ranks: their positions modulo the stride are
/// disjoint.
static bool areApart(Pages one, Pages other, size_t stride) {
  size_t ahead = other.begin >= one.begin ? (other.begin - one.begin) % stride
                                          : (stride - (one.begin - other.begin) % stride) % stride;
  return ahead >= one.size() && stride - ahead >= other.size();
}

bool Placement::fits(Pages image) const {
  return image.size() <= stride &&
         std::all_of(images.begin(), images.end(), [&](Pages other) { return areApart(image, other, stride); });
}

/// Finds the smallest stride, so that copies are close together and share page tables.
void Placement::findStride(size_t least) {
  size_t total = 0;
  for (Pages image : images)
    total += image.size();
  stride = std::max(total, least);
  size_t step = std::max(page, stride / 64 / page * page);
  auto meets = [&] {
    for (size_t i = 0; i < images.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (!areApart(images[i], images[j], stride))
          return true;
    return false;
  };
  while (stride <= highest / count && meets())
    stride += step;
}

static std::vector<Pages> merge(std::vector<Pages> spans) {
  std::sort(spans.begin(), spans.end(), [](Pages a, Pages b) { return a.begin < b.begin; });
  std::vector<Pages> merged;
  for (Pages span : spans)
    if (!merged.empty() && span.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, span.end);
    else
      merged.push_back(span);
  return merged;
}

std::vector<Pages> Placement::spans() const {
  std::vector<Pages> result;
  for (Pages image : images)
    result.push_back({image.begin, image.end + (count - 1) * stride});
  return merge(result);
}

bool Placement::reserveAll(const std::vector<Pages> &spans, ptrdiff_t displacement) {
  size_t done = 0;
  for (; done < spans.size(); ++done) {
    Pages span = spans[done];
    auto begin = static_cast<intptr_t>(span.begin) + displacement;
    if (begin < static_cast<intptr_t>(lowest) || begin + span.size() > highest ||
        !reserve(static_cast<uintptr_t>(begin), span.size()))
      break;
  }
  if (done == spans.size()) {
    for (Pages span : spans)
      reserved.push_back({span.begin + displacement, span.end + displacement});
    reserved = merge(std::move(reserved));
    return true;
  }
  while (done--)
    munmap(reinterpret_cast<void *>(spans[done].begin + displacement), spans[done].size());
  return false;
}

bool Placement::choose(std::vector<Pages> wanted, int ranks, uintptr_t room) {
  images = std::move(wanted);
  count = ranks;
  findStride(room ? std::min(roomForLibraries, roomInAll / count / page * page) : 0);
  errno = ENOMEM;
  if (stride > highest / count)
    return false;
  std::vector<Pages> needed = spans();
  if (needed.size() == 1 && !room) {
    void *copies =
        mmap(nullptr, needed[0].size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copies == MAP_FAILED)
      return false;
    madvise(copies, needed[0].size(), MADV_NOHUGEPAGE);
    auto begin = reinterpret_cast<uintptr_t>(copies);
    first = static_cast<ptrdiff_t>(begin - needed[0].begin);
    reserved = {{begin, begin + needed[0].size()}};
    return true;
  }
  if (room) {
    uintptr_t begin = room / page * page;
    needed.push_back({begin, begin + page + (count - 1) * stride});
    needed = merge(std::move(needed));
  }
  // Far below: the system maps nothing there until everything in between is in use.
  for (int exponent = farthest; exponent >= 22; --exponent)
    for (ptrdiff_t sign : {-1, 1}) {
      first = sign * (static_cast<ptrdiff_t>(1) << exponent);
      if (reserveAll(needed, first))
        return true;
    }
  return false;
}

bool Placement::add(Pages image) {
  if (!stride || !fits(image))
    return false;
  // Find the parts that are not reserved yet.
  Pages all = {image.begin + first, image.end + first + (count - 1) * stride};
  std::vector<Pages> missing;
  uintptr_t at = all.begin;
  for (Pages part : reserved) {
    if (part.end <= at || part.begin >= all.end)
      continue;
    if (part.begin > at)
      missing.push_back({at, part.begin});
    at = part.end;
  }
  if (at < all.end)
    missing.push_back({at, all.end});
  if (!reserveAll(missing, 0))
    return false;
  images.push_back(image);
  return true;
}

} // namespace comm::ranks
