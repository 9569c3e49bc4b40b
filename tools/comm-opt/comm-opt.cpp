//===- comm-opt.cpp - Runs passes on MLIR files ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/InitAll.h"

#ifdef COMM_TEST_PASSES
#include "TestPasses.h"
#endif

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  comm::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  comm::registerAllPasses();
#ifdef COMM_TEST_PASSES
  comm::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Comm's optimizer driver\n", registry));
}
