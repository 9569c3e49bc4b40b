//===- Remarks.cpp - C API: remarks of passes ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Remarks.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"

#include <mutex>

using namespace mlir;

namespace {
/// Passes remarks to the callback.
class CallbackStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  CallbackStreamer(CommRemarkCallback callback, void *userData) : callback(callback), userData(userData) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override;

private:
  CommRemarkCallback callback;
  void *userData;
  std::mutex mutex;
};
} // namespace

static CommRemarkKind kindOf(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return CommRemarkPassed;
  case llvm::remarks::Type::Missed:
    return CommRemarkMissed;
  case llvm::remarks::Type::Failure:
    return CommRemarkFailure;
  case llvm::remarks::Type::Analysis:
    return CommRemarkAnalysis;
  default:
    return CommRemarkUnknown;
  }
}

void CallbackStreamer::streamOptimizationRemark(const remark::detail::Remark &remark) {
  SmallVector<CommRemarkArgument> arguments;
  for (const remark::detail::Remark::Arg &arg : remark.getArgs())
    arguments.push_back(
        {wrap(arg.key == "Remark" ? StringRef("String") : StringRef(arg.key)), wrap(StringRef(arg.val))});
  CommRemark result;
  result.kind = kindOf(remark);
  result.pass = wrap(remark.getCategoryName());
  result.name = wrap(remark.getRemarkName());
  // MLIR uses "<unknown function>".
  result.function = wrap(remark.getFunction().starts_with("<") ? StringRef() : remark.getFunction());
  result.location = wrap(remark.getLocation());
  result.numArguments = arguments.size();
  result.arguments = arguments.data();
  std::lock_guard<std::mutex> lock(mutex);
  callback(&result, userData);
}

MlirLogicalResult commContextEnableRemarks(MlirContext context, MlirStringRef filter, CommRemarkCallback callback,
                                           void *userData) {
  MLIRContext *ctx = unwrap(context);
  Location unknown = UnknownLoc::get(ctx);
  std::string text = unwrap(filter).str(), error;
  if (!llvm::Regex(text).isValid(error)) {
    emitError(unknown) << "the filter of remarks '" << text << "' is not a regular expression: " << error;
    return mlirLogicalResultFailure();
  }
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = categories.failed = text;
  auto engine = std::make_unique<remark::detail::RemarkEngine>(/*printAsEmitRemarks=*/false, categories);
  if (failed(engine->initialize(std::make_unique<CallbackStreamer>(callback, userData),
                                std::make_unique<remark::RemarkEmittingPolicyAll>(), &error)))
    return mlirLogicalResultFailure();
  ctx->setRemarkEngine(std::move(engine));
  return mlirLogicalResultSuccess();
}

void commEmitDiagnostic(MlirLocation location, MlirDiagnosticSeverity severity, MlirStringRef message) {
  switch (severity) {
  case MlirDiagnosticError:
    emitError(unwrap(location)) << unwrap(message);
    return;
  case MlirDiagnosticWarning:
    emitWarning(unwrap(location)) << unwrap(message);
    return;
  case MlirDiagnosticNote:
  case MlirDiagnosticRemark:
    emitRemark(unwrap(location)) << unwrap(message);
    return;
  }
}

void commContextDisableRemarks(MlirContext context) { unwrap(context)->setRemarkEngine(nullptr); }
