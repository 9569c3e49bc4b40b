//===- Module.cpp - The extension module comm_mlir._core ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

using namespace comm::python;

/// Makes uninitialized objects raise. If __init__ did not run or failed, pybind11 gives the object uninitialized memory
/// when a method is called. Such objects occur in tracebacks, whose readers print them.
static void refuseUninitialized(const py::module_ &m) {
  for (auto [name, member] : m.attr("__dict__").cast<py::dict>()) {
    if (!PyType_Check(member.ptr()))
      continue;
    if (auto *info = py::detail::get_type_info(reinterpret_cast<PyTypeObject *>(member.ptr())))
      info->operator_new = [](size_t) -> void * {
        throw py::type_error("the object is not there: its __init__() was not called, or it failed");
      };
  }
}

PYBIND11_MODULE(_core, m) {
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
  refuseUninitialized(m);
}
