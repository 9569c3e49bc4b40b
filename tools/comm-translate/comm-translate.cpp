//===- comm-translate.cpp - Other languages to and from MLIR --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Target/StarPlat/StarPlat.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  comm::registerStarPlatTranslation();
  return failed(mlir::mlirTranslateMain(argc, argv, "Comm's translator"));
}
