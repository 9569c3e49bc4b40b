//===- Transform.cpp - Functions of a module through MLIR -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Plugin/RoundTrip/Transform.h"

#include "Comm/Plugin/RoundTrip/Splice.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// A module on its way through Comm.
class Transformer {
public:
  Transformer(Module &module, const comm::FunctionSummaries &summaries, const comm::TransformOptions &options)
      : module(module), summaries(summaries), options(options) {}

  void transform(ArrayRef<Function *> functions);
  comm::TransformResult result;

private:
  std::string tryTransform(ArrayRef<Function *> functions);

  Module &module;
  const comm::FunctionSummaries &summaries;
  const comm::TransformOptions &options;
};
} // namespace

/// One attempt. Returns why it failed, or an empty text.
std::string Transformer::tryTransform(ArrayRef<Function *> functions) {
  TimeTraceScope scope("CommTransform");
  comm::Extract extract = comm::extractFunctions(functions, summaries);
  options.prepare(extract);
  comm::RoundTripResult trip = options.inProcess ? comm::roundTrip(extract, options.pipeline)
                                                 : comm::roundTripIsolated(extract, options.pipeline);
  if (!trip.ok)
    return trip.error.empty() ? "unknown cause" : trip.error;
  errs() << trip.log;
  if (trip.changed.empty()) {
    options.tell(extract, trip.remarks);
    return "";
  }
  Expected<std::unique_ptr<Module>> back = parseBitcodeFile(MemoryBufferRef(trip.bitcode, "comm"), module.getContext());
  if (!back)
    return toString(back.takeError());
  // Remarks before splicing would be a lie if it fails; after it, the code they
  // point to is gone.
  Error error = comm::spliceFunctions(module, **back, extract, trip.changed, options.getQuestion,
                                      [&] { options.tell(extract, trip.remarks); });
  if (error)
    return toString(std::move(error));
  result.changed = true;
  return "";
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
  transformer.transform(functions);
  return std::move(transformer.result);
}
