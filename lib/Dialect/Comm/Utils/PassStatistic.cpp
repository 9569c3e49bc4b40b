//===- PassStatistic.cpp - Pass statistics in any build -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/PassStatistic.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

using namespace comm;

namespace {
/// All live statistics of this class. A pass's own list also has upstream's, and without RTTI they look the same.
struct LiveStatistics {
  std::mutex mutex;
  llvm::DenseSet<const mlir::Pass::Statistic *> set;
  bool keepsTotals = false;
  struct Total {
    llvm::StringRef text;
    uint64_t count = 0;
  };
  /// Keyed by pass and name.
  std::map<std::pair<llvm::StringRef, llvm::StringRef>, Total> totals;
};
} // namespace

static LiveStatistics &liveStatistics() {
  static LiveStatistics live;
  return live;
}

PassStatistic::PassStatistic(mlir::Pass *owner, const char *name, const char *description)
    : mlir::Pass::Statistic(owner, name, description), owner(owner->getArgument()), label(name), text(description) {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.set.insert(this);
}

PassStatistic::~PassStatistic() {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.set.erase(this);
  if (!live.keepsTotals)
    return;
  LiveStatistics::Total &total = live.totals[{owner, label}];
  total.text = text;
  total.count += count();
}

void PassStatistic::keepTotals() {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.keepsTotals = true;
}

void PassStatistic::printTotals(llvm::raw_ostream &out) {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  llvm::StringRef pass;
  for (const auto &[name, total] : live.totals) {
    if (name.first != pass)
      out << name.first << '\n';
    pass = name.first;
    out << llvm::format("  (S) %5llu ", static_cast<unsigned long long>(total.count)) << name.second << " - "
        << total.text << '\n';
  }
}

void PassStatistic::forEach(const mlir::Pass &pass, llvm::function_ref<void(const PassStatistic &)> callback) {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  for (const mlir::Pass::Statistic *statistic : pass.getStatistics())
    if (live.set.contains(statistic))
      callback(*static_cast<const PassStatistic *>(statistic));
}
