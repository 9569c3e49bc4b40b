//===- CallProfile.cpp - The profile of calls in LLVM IR ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/Profile/CallProfile.h"

#include "Comm/Dialect/Comm/Utils/InlinedAt.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace comm;

/// Maximum number of calls reported per file.
static constexpr unsigned kMostTold = 3;

CallProfile::CallProfile(StringRef paths, function_ref<void(const std::string &)> warn) {
  if (!paths.empty())
    profile = report::Profile::load(paths, warn);
}

std::optional<report::Measurement> CallProfile::lookup(const CallBase &call, const mpi::Function &function) const {
  const DILocation *loc = call.getDebugLoc().get();
  if (empty() || !loc)
    return std::nullopt;
  report::SiteName name{function.name, loc->getFilename(), loc->getLine(), loc->getColumn(), ""};
  for (const DILocation *caller = loc->getInlinedAt(); caller; caller = caller->getInlinedAt())
    appendInlinedAt(name.inlinedAt, caller->getFilename(), caller->getLine(), caller->getColumn());
  return profile->lookup(name);
}

/// Returns the function that `instruction` calls by its MPI or PMPI name if -fcomm-profile-generate measures all calls
/// to it; null otherwise.
static const mpi::Function *findMeasured(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : "";
  if (name.starts_with("PMPI_"))
    name = name.drop_front();
  // Operations model the variants with int counts.
  bool isModeled = name.starts_with("MPI_") && !name.ends_with("_c");
  const mpi::Function *function = isModeled ? mpi::lookupFunction(name) : nullptr;
  // Excludes file operations and functions that create communicators.
  bool communicates = function && function->hasNonblocking() &&
                      function->findRole(mpi::Role::Comm, mpi::Direction::In) >= 0 &&
                      function->findRole(mpi::Role::Comm, mpi::Direction::Out) < 0;
  return communicates ? function : nullptr;
}

void CallProfile::findStale(ArrayRef<Function *> functions, function_ref<void(const std::string &)> tell) const {
  if (empty())
    return;
  /// Warnings about unknown calls, by file.
  MapVector<StringRef, SmallVector<std::string>> unknown;
  for (const Function *caller : functions)
    for (const Instruction &instruction : instructions(caller)) {
      const mpi::Function *function = findMeasured(instruction);
      const DILocation *loc = instruction.getDebugLoc().get();
      if (!function || !loc || loc->getLine() == 0 || lookup(cast<CallBase>(instruction), *function))
        continue;
      std::string text =
          formatv("{0}:{1}:{2}: warning: the profile does not know {3} at {4}:{1}", loc->getFilename(), loc->getLine(),
                  loc->getColumn(), function->name, sys::path::filename(loc->getFilename()));
      auto &ofFile = unknown[loc->getFilename()];
      if (!is_contained(ofFile, text))
        ofFile.push_back(text);
    }
  for (const auto &[file, lines] : unknown) {
    if (!profile->hasFile(file)) {
      tell(formatv(
          "{0}: warning: the profile has no call of this file: it was recorded with another program, or with one whose "
          "{1} was compiled without -fcomm-profile-generate",
          file, sys::path::filename(file)));
      continue;
    }
    std::string why =
        formatv("; it was recorded with another version of {0}: estimates are used there", sys::path::filename(file));
    for (const std::string &line : ArrayRef(lines).take_front(kMostTold))
      tell(line + why);
    if (lines.size() > kMostTold)
      tell(formatv("{0}: warning: the profile does not know {1} more calls of this file", file,
                   lines.size() - kMostTold));
  }
}
