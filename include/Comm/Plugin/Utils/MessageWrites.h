//===- MessageWrites.h - What messages write, in LLVM IR --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the comm dialect's analyses know of a message (Comm/Analysis/Memory), as far as one call of MPI shows it. For
// functions in which no error handler of the program runs: docs/soundness.md, "Loads of one place".
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_MESSAGEWRITES_H
#define COMM_PLUGIN_UTILS_MESSAGEWRITES_H

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace comm {

/// The function of a call that sends, receives or is a collective operation with buffers, if it writes no memory but by
/// its arguments; else null: what completes requests or changes windows, calls operators of the program, or
/// synchronizes and does nothing else.
const mpi::Function *getMessage(const llvm::CallBase &call);

/// Whether the message in that buffer is one of predefined floating-point numbers.
bool isOfFloatingPoint(const llvm::CallBase &call, const mpi::Function &function, unsigned buffer);

/// Whether not one element of such a message has room in `size` bytes; false for 0, which stands for any size.
bool hasNoRoom(const llvm::CallBase &call, const mpi::Function &function, unsigned buffer, uint64_t size);

/// The bytes of the variable that the pointer leads into, or 0.
uint64_t getVariableSize(const llvm::Value &pointer, const llvm::DataLayout &layout);

/// Tells LLVM's alias analysis which memory a call of MPI leaves as it is, for loads that come after it.
class MessageAliases : public llvm::AAResultBase {
public:
  /// `privateVariables`: names of variables that no pointer of the program leads to.
  explicit MessageAliases(const llvm::StringSet<> &privateVariables) : privateVariables(privateVariables) {}

  llvm::ModRefInfo getModRefInfo(const llvm::CallBase *call, const llvm::MemoryLocation &loaded,
                                 llvm::AAQueryInfo &query);
  using llvm::AAResultBase::getModRefInfo;

  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &, llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }

private:
  bool mayWrite(const llvm::CallBase &call, const mpi::Function &function, unsigned param,
                const llvm::MemoryLocation &loaded, llvm::AAQueryInfo &query) const;

  const llvm::StringSet<> &privateVariables;
};

/// The analysis, for an AAManager.
class MessageAliasAnalysis : public llvm::AnalysisInfoMixin<MessageAliasAnalysis> {
public:
  using Result = MessageAliases;
  explicit MessageAliasAnalysis(const llvm::StringSet<> &privateVariables) : privateVariables(privateVariables) {}
  Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return MessageAliases(privateVariables); }

private:
  friend llvm::AnalysisInfoMixin<MessageAliasAnalysis>;
  static llvm::AnalysisKey Key;
  const llvm::StringSet<> &privateVariables;
};

} // namespace comm

#endif // COMM_PLUGIN_UTILS_MESSAGEWRITES_H
