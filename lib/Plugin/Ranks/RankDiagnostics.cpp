//===- RankDiagnostics.cpp - Diagnostics of the passes for ranks ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankDiagnostics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace comm;

/// Returns an instruction that uses the variable, possibly through constants; otherwise any instruction, because
/// diagnostics need one.
static const Instruction *findUse(const GlobalVariable &variable) {
  SmallVector<const User *> work(variable.user_begin(), variable.user_end());
  SmallPtrSet<const User *, 16> seen;
  while (!work.empty()) {
    const User *user = work.pop_back_val();
    if (const auto *instruction = dyn_cast<Instruction>(user))
      return instruction;
    if (isa<Constant>(user) && seen.insert(user).second)
      work.append(user->user_begin(), user->user_end());
  }
  for (const Function &function : *variable.getParent())
    if (!function.isDeclaration())
      return &function.getEntryBlock().front();
  return nullptr;
}

/// Returns the location of a variable. Diagnostics only accept locations of functions and instructions, so this wraps
/// the variable's in a DISubprogram.
static DiagnosticLocation locate(const GlobalVariable &variable, const Instruction *use) {
  SmallVector<DIGlobalVariableExpression *, 1> expressions;
  variable.getDebugInfo(expressions);
  if (!expressions.empty()) {
    const DIGlobalVariable *debug = expressions.front()->getVariable();
    auto *place = DISubprogram::get(variable.getContext(), nullptr, debug->getName(), "", debug->getFile(),
                                    debug->getLine(), nullptr, debug->getLine(), nullptr, 0, 0, DINode::FlagZero,
                                    DISubprogram::SPFlagZero, nullptr);
    return DiagnosticLocation(place);
  }
  if (use && use->getDebugLoc())
    return DiagnosticLocation(use->getDebugLoc());
  return {};
}

void comm::warnAt(const char *pass, const Instruction &instruction, const Twine &message) {
  DiagnosticLocation place;
  if (instruction.getDebugLoc())
    place = DiagnosticLocation(instruction.getDebugLoc());
  DiagnosticInfoOptimizationFailure warning(pass, "Rank", place, instruction.getParent());
  warning << message.str();
  instruction.getContext().diagnose(warning);
}

void comm::warnAt(const char *pass, const GlobalVariable &variable, const Twine &message) {
  const Instruction *use = findUse(variable);
  if (!use)
    return;
  DiagnosticInfoOptimizationFailure warning(pass, "Rank", locate(variable, use), use->getParent());
  warning << message.str();
  variable.getContext().diagnose(warning);
}

void comm::remarkPrivatized(const char *pass, const GlobalVariable &variable, uint64_t size) {
  const Instruction *use = findUse(variable);
  if (!use)
    return;
  OptimizationRemark remark(pass, "Privatized", locate(variable, use), use->getParent());
  remark << "each rank has its own '" << DiagnosticInfoOptimizationBase::Argument("Variable", describe(variable))
         << "': " << DiagnosticInfoOptimizationBase::Argument("Size", size) << (size == 1 ? " byte" : " bytes");
  variable.getContext().diagnose(remark);
}

std::string comm::describeLocation(const Instruction &instruction) {
  if (const DILocation *place = instruction.getDebugLoc())
    return (place->getFilename() + ":" + Twine(place->getLine()) + ":" + Twine(place->getColumn()) + ": ").str();
  return instruction.getModule()->getSourceFileName() + ": ";
}

std::string comm::describe(const GlobalVariable &variable) {
  StringRef name = variable.getName();
  name.consume_front("\1");
  return demangle(name.str());
}
