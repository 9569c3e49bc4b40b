//===- CompileOverlap.h - Overlap when compiling ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does for modules that commCompileModule compiles what the compiler plugin does for C programs: after LLVM has inlined
// and simplified, the functions that call MPI go through a pipeline over the llvm dialect, which splits loops by
// iterations and compares addresses at run time.
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

/// The receiver of remarks, with locations in `context`.
struct RemarkSink {
  mlir::MLIRContext *context = nullptr;
  /// May be null.
  CommRemarkCallback tell = nullptr;
  void *userData = nullptr;
};

/// Adds the passes that overlap communication to the pipelines that `builder` builds. `pipeline` runs on modules and
/// must outlive them.
void addOverlapPasses(llvm::PassBuilder &builder, const mlir::OpPassManager &pipeline, RemarkSink sink);

} // namespace comm

#endif // COMM_LIB_CAPI_COMPILEOVERLAP_H
