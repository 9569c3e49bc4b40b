//===- Transform.cpp - Functions of a module through MLIR -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Transform.h"

#include "Comm/Plugin/RoundTrip/Splice.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// Transforms functions of one module.
class Transformer {
public:
  Transformer(Module &module, const comm::FunctionSummaries &summaries, const comm::TransformOptions &options)
      : module(module), summaries(summaries), options(options) {}

  void transform(ArrayRef<Function *> functions);
  bool tryWithRegions(Function &function);
  comm::TransformResult result;

private:
  std::string tryTransform(ArrayRef<Function *> functions);
  std::string finish(const comm::Extract &extract, const comm::RoundTripResult &trip);

  Module &module;
  const comm::FunctionSummaries &summaries;
  const comm::TransformOptions &options;
};
} // namespace

/// Makes one attempt. Returns the reason for a failure, or an empty string.
std::string Transformer::tryTransform(ArrayRef<Function *> functions) {
  TimeTraceScope scope("CommTransform");
  comm::Extract extract = comm::extractFunctions(functions, summaries);
  options.prepare(extract);
  comm::RoundTripResult trip = options.roundTrip(extract);
  if (!trip.ok)
    return trip.error.empty() ? "unknown cause" : trip.error;
  errs() << trip.log;
  if (trip.changed.empty()) {
    options.tell(extract, trip.remarks);
    return "";
  }
  return finish(extract, trip);
}

/// Replaces the old bodies by the result.
std::string Transformer::finish(const comm::Extract &extract, const comm::RoundTripResult &trip) {
  Expected<std::unique_ptr<Module>> back = parseBitcodeFile(MemoryBufferRef(trip.bitcode, "comm"), module.getContext());
  if (!back)
    return toString(back.takeError());
  // Remarks emitted before splicing would be wrong if it failed; afterwards, the code that they refer to is gone.
  Error error = comm::spliceFunctions(module, **back, extract, trip.changed, options.getQuestion,
                                      [&] { options.tell(extract, trip.remarks); });
  if (error)
    return toString(std::move(error));
  result.changed = true;
  return "";
}

/// Makes an attempt with worksharing loops as plain loops. Returns false if it failed or split none of them: in that
/// case the program's regions are better.
bool Transformer::tryWithRegions(Function &function) {
  TimeTraceScope scope("CommTransformRegions");
  auto forksLoop = [](const Instruction &inst) {
    const auto *call = dyn_cast<CallInst>(&inst);
    return call && comm::findWorksharingRegion(*call);
  };
  if (none_of(instructions(function), forksLoop))
    return false;
  comm::Extract extract = comm::extractFunctions(&function, summaries, /*inlinesRegions=*/true);
  if (extract.worksharingLoops.empty())
    return false;
  options.prepare(extract);
  comm::RoundTripResult trip = options.roundTrip(extract);
  // Remarks about the communication come from the attempt that succeeds.
  if (!trip.ok && !trip.error.empty()) {
    comm::PassRemark remark{comm::PassRemark::Kind::Missed,
                            "comm-split-iterations",
                            "RegionsWhole",
                            function.getName().str(),
                            extract.worksharingLoops.front().fork,
                            {}};
    remark.parts.emplace_back("String", "keeps worksharing loops whole: " + trip.error);
    options.tell(extract, {remark});
    return false;
  }
  if (!trip.ok || trip.changed.empty() || trip.numRegions <= extract.worksharingLoops.size())
    return false;
  if (!finish(extract, trip).empty())
    return false;
  errs() << trip.log;
  return true;
}

void Transformer::transform(ArrayRef<Function *> functions) {
  if (functions.empty())
    return;
  std::string cause = tryTransform(functions);
  if (cause.empty())
    return;
  if (functions.size() == 1) {
    result.leftAlone.push_back({functions.front()->getName().str(), cause});
    return;
  }
  transform(functions.take_front(functions.size() / 2));
  transform(functions.drop_front(functions.size() / 2));
}

comm::TransformResult comm::transformFunctions(Module &module, ArrayRef<Function *> functions,
                                               const FunctionSummaries &summaries, const TransformOptions &options) {
  Transformer transformer(module, summaries, options);
  SmallVector<Function *> others;
  for (Function *function : functions)
    if (!options.splitsRegions || !transformer.tryWithRegions(*function))
      others.push_back(function);
  transformer.transform(others);
  return std::move(transformer.result);
}
