//===- comm-opt.cpp - Runs passes on MLIR files ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "Comm/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  comm::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  comm::registerAllPasses();
  comm::test::registerTestPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Comm's optimizer driver\n", registry));
}
