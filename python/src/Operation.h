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

/// The operands and attributes of an operation, as Python sees them.
struct PyOperands {
  OpRef op;
};
struct PyAttributeMap {
  OpRef op;
};

/// The parts of an operation, as Python gives them. `regions` may be null, and others None.
struct OpArguments {
  py::handle name, results, operands, attributes, successors, regions, loc, ip, operandSegments, resultSegments;
};
/// Builds an operation and inserts it where `ip` says: None is the current insertion point, False is nowhere.
OpRef createOp(const OpArguments &arguments);

/// Query and set the operation of an Operation object.
bool isFilled(PyObject *object);
void fill(PyObject *object, const OpRef &op);

/// Operation.create, and `_build` of the generated classes.
void bindBuild(py::handle cls);

/// Raises if an operation with properties would drop attributes of the wrong kind.
void checkAttributes(const OpRef &op, const std::vector<MlirNamedAttribute> &attributes);

/// Inserts a detached operation where `ip` says.
py::object place(const OpRef &op, const py::object &ip);

py::list listResults(const OpRef &op);
void bindLists(py::module_ &m);
void bindValues(py::module_ &m);

} // namespace comm::python

#endif // COMM_PYTHON_OPERATION_H
