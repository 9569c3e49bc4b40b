//===- Registration.cpp - C API: what Comm registers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Registration.h"

#include "Comm/InitAll.h"
#include "Comm/MPI/ABI.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace mlir;

MlirStringRef commGetVersion() { return mlirStringRefCreateFromCString(COMM_VERSION); }

void commRegisterAllDialects(MlirDialectRegistry registry) { comm::registerAllDialects(*unwrap(registry)); }

void commRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    comm::registerAllPasses();
  });
}

void commContextForEachOperation(MlirContext context, MlirStringCallback callback, void *userData) {
  for (RegisteredOperationName name : unwrap(context)->getRegisteredOperations())
    callback(wrap(name.getStringRef()), userData);
}

void commContextLoadAllDialects(MlirContext context) { unwrap(context)->loadAllAvailableDialects(); }

void commForEachABI(MlirStringCallback callback, void *userData) {
  for (const comm::mpi::ABI &abi : comm::mpi::ABI::all())
    callback(wrap(abi.getName()), userData);
}
