//===- Segments.cpp - Units that are ordered together ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Motion/ChainMotion.h"

using namespace mlir;
using namespace comm;

namespace {
/// Measures segments in units that are compared with all others: those that are not free.
class BusyUnits {
public:
  explicit BusyUnits(const Dependence &dependence, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      if (!dependence.isFree(i))
        busy.push_back(i);
  }
  unsigned count(Segment segment) const { return find(segment.end) - find(segment.begin); }
  /// Returns the unit that is `number` busy units after or before another one, or else the end or beginning of the
  /// chain.
  unsigned after(unsigned unit, unsigned number, unsigned end) const {
    return busy.end() - find(unit) > number ? std::min(end, find(unit)[number]) : end;
  }
  unsigned before(unsigned unit, unsigned number, unsigned begin) const {
    return find(unit) - busy.begin() > number ? std::max(begin, find(unit)[-static_cast<int>(number)]) : begin;
  }

private:
  std::vector<unsigned>::const_iterator find(unsigned unit) const { return llvm::lower_bound(busy, unit); }
  std::vector<unsigned> busy;
};
} // namespace

/// Cuts a segment that is too long, since all its units are compared with each other. No cut goes through an interval,
/// so each start is scheduled together with its wait.
static void cut(Segment segment, unsigned maxUnits, const BusyUnits &busy,
                ArrayRef<std::pair<unsigned, unsigned>> intervals, SmallVectorImpl<Segment> &segments) {
  // Bit i is set if an interval is open between units i - 1 and i.
  llvm::BitVector isOpen(segment.end + 1);
  for (auto [start, wait] : intervals)
    isOpen.set(start + 1, wait + 1);
  while (busy.count(segment) > 2 * maxUnits) {
    int place = isOpen.find_first_unset_in(busy.after(segment.begin, maxUnits, segment.end), segment.end);
    if (place < 0)
      break;
    segments.push_back({segment.begin, static_cast<unsigned>(place)});
    segment.begin = place;
  }
  segments.push_back(segment);
}

SmallVector<Segment> ChainMotion::findSegments(unsigned maxUnits) const {
  SmallVector<Segment> segments;
  SmallVector<std::pair<unsigned, unsigned>> intervals;
  unsigned n = chain.getUnits().size(), begin = 0;
  BusyUnits busy(dependence, n);
  for (unsigned i = 0; i <= n; ++i) {
    if (i < n && !dependence.isFence(i))
      continue;
    // Only the part of a segment around its communications matters.
    int first = -1, last = -1;
    for (unsigned unit = begin; unit < i; ++unit)
      if (std::optional<unsigned> wait = findWait(chain, chain.getUnits()[unit]); wait && *wait < i) {
        first = first < 0 ? unit : first;
        last = std::max<int>(last, *wait);
        intervals.emplace_back(unit, *wait);
      }
    for (const OwnWait &wait : ownWaits) {
      if (wait.unit < begin || wait.unit >= i)
        continue;
      unsigned start = wait.unit;
      for (unsigned unit : wait.startUnits)
        if (unit >= begin)
          start = std::min(start, unit);
      first = first < 0 ? start : std::min<int>(first, start);
      last = std::max<int>(last, wait.unit);
      intervals.emplace_back(start, wait.unit);
    }
    unsigned margin = maxUnits / 2;
    if (first >= 0)
      cut({busy.before(first, margin, begin), busy.after(last + 1, margin, i)}, maxUnits, busy, intervals, segments);
    intervals.clear();
    begin = i + 1;
  }
  return segments;
}
