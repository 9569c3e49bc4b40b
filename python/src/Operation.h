//===- Operation.h - What the files about operations share -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_OPERATION_H
#define COMM_PYTHON_OPERATION_H

#include "Objects.h"

#include <optional>

namespace comm::python {

/// The operands of an operation, and its attributes, as Python sees them.
struct PyOperands {
  OpRef op;
};
struct PyAttributeMap {
  OpRef op;
};

/// What an operation is made of, as Python gives it; `regions` may be null, others None.
struct OpArguments {
  py::handle name, results, operands, attributes, successors, regions, loc, ip, operandSegments, resultSegments;
};
/// A new operation of these parts, inserted where `ip` says: None is the current insertion point, False is nowhere.
OpRef createOp(const OpArguments &arguments);

/// Whether an object of Operation has its operation, and giving it that.
bool isFilled(PyObject *object);
void fill(PyObject *object, const OpRef &op);

/// Operation.create, and `_build` of the generated classes.
void bindBuild(py::handle cls);

/// Attributes of the wrong kind are dropped by an operation that has properties: says so.
void checkAttributes(const OpRef &op, const std::vector<MlirNamedAttribute> &attributes);

/// Puts an operation that is in no block where `ip` says.
py::object place(const OpRef &op, const py::object &ip);

py::list listResults(const OpRef &op);
void bindLists(py::module_ &m);
void bindValues(py::module_ &m);

} // namespace comm::python

#endif // COMM_PYTHON_OPERATION_H
