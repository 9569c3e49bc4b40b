//===- CompileOverlap.h - Overlap on the way to code -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler plugin does to C programs, for modules that commCompileModule compiles: where LLVM has inlined and
// simplified, the functions that call MPI go through a pipeline over the llvm dialect. Loops are split by iterations
// there, and addresses compared at run time.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CAPI_COMPILEOVERLAP_H
#define COMM_LIB_CAPI_COMPILEOVERLAP_H

#include "comm-c/Execution.h"

#include "mlir/Pass/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace comm {

/// Where remarks go, with locations of `context`.
struct RemarkSink {
  mlir::MLIRContext *context = nullptr;
  /// May be null.
  CommRemarkCallback tell = nullptr;
  void *userData = nullptr;
};

/// Adds the passes that overlap communication to the pipelines that `builder` builds. `pipeline` is for modules, and
/// must live as long as these.
void addOverlapPasses(llvm::PassBuilder &builder, const mlir::OpPassManager &pipeline, RemarkSink sink);

} // namespace comm

#endif // COMM_LIB_CAPI_COMPILEOVERLAP_H
