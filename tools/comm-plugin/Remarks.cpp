//===- Remarks.cpp - Remarks of passes as clang's own ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"
#include "Comm/Plugin/RoundTrip/Extract.h"
#include "Comm/Plugin/RoundTrip/RoundTrip.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Interns a string for the lifetime of the process: diagnostics keep a pointer to the pass name, and remark files may
/// be written late.
static const char *intern(StringRef name) {
  static BumpPtrAllocator allocator;
  static UniqueStringSaver saver(allocator);
  return saver.save(name).data();
}

template <typename RemarkType>
static void emit(LLVMContext &context, const comm::PassRemark &remark, const DiagnosticLocation &loc,
                 const BasicBlock *block) {
  RemarkType diagnostic(intern(remark.pass), intern(remark.name), loc, block);
  for (auto &[key, value] : remark.parts) {
    if (key == "String") {
      diagnostic << value;
      continue;
    }
    // Messages show the value; record files also have the key.
    diagnostic << DiagnosticInfoOptimizationBase::Argument(key, value);
  }
  context.diagnose(diagnostic);
}

/// A call that the optimizer merged from several lines has none: then where its function begins.
static DiagnosticLocation locate(const Instruction &inst) {
  const DebugLoc &loc = inst.getDebugLoc();
  if (!loc)
    return {};
  if (const DISubprogram *subprogram = loc->getLine() ? nullptr : loc->getScope()->getSubprogram())
    return DiagnosticLocation(subprogram);
  return DiagnosticLocation(loc);
}

/// Returns what a user sees of a remark, if it has a line: clang copies calls when it unrolls loops or inlines
/// functions, and each copy gets the same one.
static std::string getText(const comm::PassRemark &remark, const DiagnosticLocation &loc) {
  if (!loc.isValid())
    return "";
  std::string text;
  raw_string_ostream out(text);
  out << int(remark.kind) << ' ' << remark.pass << ' ' << loc.getAbsolutePath() << ':' << loc.getLine() << ':'
      << loc.getColumn();
  for (const auto &part : remark.parts)
    out << ' ' << part.second;
  return text;
}

void comm::emitRemarks(Module &user, const Extract &extract, const std::vector<PassRemark> &remarks) {
  LLVMContext &context = user.getContext();
  StringSet<> texts;
  for (const PassRemark &remark : remarks) {
    const BasicBlock *block = nullptr;
    DiagnosticLocation loc;
    if (remark.origin && remark.origin <= extract.instructions.size()) {
      const Instruction *inst = extract.instructions[remark.origin - 1];
      block = inst->getParent();
      loc = locate(*inst);
    } else if (const Function *function = user.getFunction(remark.function); function && !function->isDeclaration()) {
      block = &function->getEntryBlock();
      if (function->getSubprogram())
        loc = DiagnosticLocation(function->getSubprogram());
    }
    if (!block)
      for (const Function &function : user)
        if (!function.isDeclaration()) {
          block = &function.getEntryBlock();
          break;
        }
    std::string text = getText(remark, loc);
    if (!block || (!text.empty() && !texts.insert(text).second))
      continue;
    switch (remark.kind) {
    case PassRemark::Kind::Passed:
      emit<OptimizationRemark>(context, remark, loc, block);
      break;
    case PassRemark::Kind::Missed:
      emit<OptimizationRemarkMissed>(context, remark, loc, block);
      break;
    case PassRemark::Kind::Analysis:
      emit<OptimizationRemarkAnalysis>(context, remark, loc, block);
      break;
    }
  }
}

void comm::emitFileRemark(const User &user, StringRef name, StringRef text) {
  // A function's address in a global initializer has no location.
  const auto *inst = dyn_cast<Instruction>(&user);
  if (!inst)
    return;
  const auto *call = dyn_cast<CallBase>(inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  OptimizationRemarkMissed remark("comm-move-slices", intern(name), locate(*inst), inst->getParent());
  std::string called = callee                           ? demangle(callee->getName())
                       : call && call->isIndirectCall() ? "a call through a pointer"
                                                        : "a function of MPI whose address is taken";
  if (size_t place = called.find("MPI_"); StringRef(called).starts_with("comm_") && place != std::string::npos)
    called = called.substr(place);
  remark << called << " " << text;
  inst->getContext().diagnose(remark);
}

void comm::warnLeftAlone(const Module &user, StringRef what, StringRef cause) {
  errs() << user.getSourceFileName() << ": ";
  WithColor::warning(errs()) << "Comm leaves " << what << ": " << cause << " [-Rcomm]\n";
}
