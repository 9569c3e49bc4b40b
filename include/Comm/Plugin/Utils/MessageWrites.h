//===- MessageWrites.h - What messages write, in LLVM IR --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The comm dialect's knowledge about messages (Comm/Analysis/Memory), as far as a single MPI call shows it. Valid for
// functions in which no error handler of the program runs: docs/soundness.md, "Loads of one place".
//===----------------------------------------------------------------------===//

#ifndef COMM_PLUGIN_UTILS_MESSAGEWRITES_H
#define COMM_PLUGIN_UTILS_MESSAGEWRITES_H

#include "Comm/MPI/Standard.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/AliasAnalysis.h"

namespace comm {

/// Returns the function of a call that sends, receives or is a collective operation with buffers and that writes memory
/// only through its arguments. Returns null for others: calls that complete requests, modify windows, call operators of
/// the program, or only synchronize.
const mpi::Function *getMessage(const llvm::CallBase &call);

/// Returns whether the message in that buffer consists of predefined floating-point numbers.
bool isOfFloatingPoint(const llvm::CallBase &call, const mpi::Function &function, unsigned buffer);

/// Returns whether a single element of the message does not fit into `size` bytes; false for 0, which means any size.
bool hasNoRoom(const llvm::CallBase &call, const mpi::Function &function, unsigned buffer, uint64_t size);

/// Returns the size in bytes of the variable that the pointer points into, or 0.
uint64_t getVariableSize(const llvm::Value &pointer, const llvm::DataLayout &layout);

/// Tells LLVM's alias analysis which memory an MPI call does not modify, for loads that follow it, and that pointers
/// that the program loads do not lead to private variables.
class MessageAliases : public llvm::AAResultBase {
public:
  /// `privateVariables`: names of variables that no pointer of the program reaches.
  explicit MessageAliases(const llvm::StringSet<> &privateVariables) : privateVariables(privateVariables) {}

  llvm::AliasResult alias(const llvm::MemoryLocation &a, const llvm::MemoryLocation &b, llvm::AAQueryInfo &query,
                          const llvm::Instruction *context);
  llvm::ModRefInfo getModRefInfo(const llvm::CallBase *call, const llvm::MemoryLocation &loaded,
                                 llvm::AAQueryInfo &query);
  using llvm::AAResultBase::getModRefInfo;

  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &, llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }

private:
  const llvm::GlobalVariable *getPrivateVariable(const llvm::Value *pointer) const;
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
