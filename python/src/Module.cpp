//===- Module.cpp - The extension module comm_mlir._core ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

PYBIND11_MODULE(_core, m) {
  using namespace comm::python;
  m.doc() = "MLIR and Comm for Python, on the C API. Use comm_mlir.ir and its siblings.";
  bindDiagnostics(m);
  bindContext(m);
  bindTypes(m);
  bindAttributes(m);
  bindStructure(m);
  bindOperation(m);
  bindInterfaces(m);
  bindPasses(m);
  bindCDag(m);
  bindExecution(m);
}
