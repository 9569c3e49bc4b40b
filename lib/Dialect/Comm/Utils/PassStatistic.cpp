//===- PassStatistic.cpp - What passes count, in any build ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/PassStatistic.h"

#include "llvm/ADT/DenseSet.h"

#include <mutex>

using namespace comm;

namespace {
/// All that live: a pass's own list also has upstream's, which cannot be told apart without type information.
struct LiveStatistics {
  std::mutex mutex;
  llvm::DenseSet<const mlir::Pass::Statistic *> set;
};
} // namespace

static LiveStatistics &liveStatistics() {
  static LiveStatistics live;
  return live;
}

PassStatistic::PassStatistic(mlir::Pass *owner, const char *name, const char *description)
    : mlir::Pass::Statistic(owner, name, description), label(name), text(description) {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.set.insert(this);
}

PassStatistic::~PassStatistic() {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.set.erase(this);
}

void PassStatistic::forEach(const mlir::Pass &pass, llvm::function_ref<void(const PassStatistic &)> callback) {
  LiveStatistics &live = liveStatistics();
  std::lock_guard<std::mutex> lock(live.mutex);
  for (const mlir::Pass::Statistic *statistic : pass.getStatistics())
    if (live.set.contains(statistic))
      callback(*static_cast<const PassStatistic *>(statistic));
}
