//===- PassStatistic.h - Pass statistics in any build -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Release builds of LLVM drop the names and values of statistics. Those of Comm's passes are kept: the build makes the
// passes' generated classes use this class (comm_add_passes in cmake/modules/CommHelpers.cmake).
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_COMM_UTILS_PASSSTATISTIC_H
#define COMM_DIALECT_COMM_UTILS_PASSSTATISTIC_H

#include "mlir/Pass/Pass.h"

#include <atomic>

namespace comm {

/// A counter of a pass. Each instance of a pass counts separately, from 0.
class PassStatistic : public mlir::Pass::Statistic {
public:
  /// `name` and `description` are literals.
  PassStatistic(mlir::Pass *owner, const char *name, const char *description);
  ~PassStatistic();
  PassStatistic(const PassStatistic &) = delete;
  PassStatistic &operator=(const PassStatistic &) = delete;

  PassStatistic &operator+=(uint64_t more) {
    counted.fetch_add(more, std::memory_order_relaxed);
    mlir::Pass::Statistic::operator+=(more);
    return *this;
  }
  PassStatistic &operator++() { return *this += 1; }
  PassStatistic &operator=(uint64_t value) {
    counted.store(value, std::memory_order_relaxed);
    mlir::Pass::Statistic::operator=(static_cast<unsigned>(value));
    return *this;
  }

  uint64_t count() const { return counted.load(std::memory_order_relaxed); }
  llvm::StringRef name() const { return label; }
  llvm::StringRef description() const { return text; }

  /// Calls back for each statistic of the pass that is of this class.
  static void forEach(const mlir::Pass &pass, llvm::function_ref<void(const PassStatistic &)> callback);

  /// From now on, adds up the counts of destroyed passes for printTotals.
  static void keepTotals();
  /// Prints the sums over all instances of each pass, in MLIR's format.
  static void printTotals(llvm::raw_ostream &out);

private:
  llvm::StringRef owner, label, text;
  std::atomic<uint64_t> counted{0};
};

} // namespace comm

#endif // COMM_DIALECT_COMM_UTILS_PASSSTATISTIC_H
