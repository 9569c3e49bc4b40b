//===- comm-opt.cpp - Run passes on MLIR files ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/Utils/PassStatistic.h"
#include "Comm/InitAll.h"

#ifdef COMM_TEST_PASSES
#include "TestPasses.h"
#endif

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  comm::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  comm::registerAllPasses();
#ifdef COMM_TEST_PASSES
  comm::test::registerTestPasses();
#endif
  // Release builds of MLIR do not print statistics; Comm's passes count in all builds.
  comm::PassStatistic::keepTotals();
  llvm::LogicalResult result = mlir::MlirOptMain(argc, argv, "Comm's optimizer driver\n", registry);
  // MlirOptMain shuts LLVM and its options down, so parse the option by hand.
  auto asksForStatistics = [](llvm::StringRef word) { return word.ltrim('-') == "mlir-pass-statistics"; };
  if (std::any_of(argv + 1, argv + argc, asksForStatistics))
    comm::PassStatistic::printTotals(llvm::errs());
  return mlir::asMainReturnCode(result);
}
