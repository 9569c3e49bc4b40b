//===- Objects.h - The classes that Python sees ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_OBJECTS_H
#define COMM_PYTHON_OBJECTS_H

#include "State.h"

#include <optional>

namespace comm::python {

struct ContextObject {
  ContextRef state;
};

/// Types, attributes and locations keep their context alive.
struct PyType {
  ContextRef context;
  MlirType type;
};
struct PyAttribute {
  ContextRef context;
  MlirAttribute attribute;
};
struct PyLocation {
  ContextRef context;
  MlirLocation location;
};

struct PyModule {
  OpRef root;
};
struct PyOperation {
  OpRef state;
};
struct PyRegion {
  OpRef op;
  intptr_t index;
  MlirRegion get() const { return mlirOperationGetRegion(op->get(), index); }
};
struct PyBlock {
  BlockRef state;
};
struct PyValue {
  ValueRef ref;
};
struct PyOpResult : PyValue {};
struct PyBlockArgument : PyValue {};

/// The position before an operation of a block, or at the block's end.
struct PyInsertionPoint {
  BlockRef block;
  OpRef before;
  /// Inserts a detached operation there. Raises if that is not allowed.
  void insert(const OpRef &op) const;
};

/// The settings of `with` statements, innermost last. Each thread has its own stack.
struct Frame {
  ContextRef context;
  std::optional<PyLocation> location;
  std::optional<PyInsertionPoint> insertionPoint;
};
std::vector<Frame> &frames();
ContextRef currentContext();
/// Returns the given location, the current one, or an unknown one.
PyLocation resolveLocation(const py::object &given, const ContextRef &context);
ContextRef resolveContext(const py::object &given);

/// Return an object of the most derived Python class.
py::object wrapType(const ContextRef &context, MlirType type);
py::object wrapAttribute(const ContextRef &context, MlirAttribute attribute);
py::object wrapOp(const OpRef &op);
py::object wrapValue(const ContextRef &context, MlirValue value);
inline py::object wrapLocation(const ContextRef &context, MlirLocation location) {
  return py::cast(PyLocation{context, location});
}
py::object wrapBlock(const ContextRef &context, MlirBlock block);

/// Returns a value, or the only result of an operation.
ValueRef toValue(py::handle object);
MlirAttribute toAttribute(const ContextRef &context, py::handle object);

/// Emits a diagnostic. An error fails the running Python pass; elsewhere it is raised.
void emitDiagnostic(const ContextRef &context, MlirLocation location, MlirDiagnosticSeverity severity,
                    const std::string &message);

/// Adds emit_error and its siblings. `where` returns the (context, location) of an object.
template <typename Class, typename Where> void addEmitters(Class &cls, Where where) {
  auto add = [&](const char *name, MlirDiagnosticSeverity severity, const char *doc) {
    cls.def(
        name,
        [=](const typename Class::type &self, const std::string &message) {
          auto [context, location] = where(self);
          emitDiagnostic(context, location, severity, message);
        },
        py::arg("message"), doc);
  };
  add("emit_error", MlirDiagnosticError,
      "Says that something is wrong here. The pass in Python that runs fails when it returns; elsewhere the error is "
      "raised, as an MLIRError.");
  add("emit_warning", MlirDiagnosticWarning, "A warning, for the handlers of Context.attach_diagnostic_handler.");
  add("emit_remark", MlirDiagnosticRemark, "A remark, for the handlers of Context.attach_diagnostic_handler.");
}

/// Each adds the bindings of one file to the module.
void bindDiagnostics(py::module_ &m);
void bindContext(py::module_ &m);
void bindTypes(py::module_ &m);
void bindAttributes(py::module_ &m);
void bindStructure(py::module_ &m);
void bindOperation(py::module_ &m);
void bindInterfaces(py::module_ &m);
void bindPasses(py::module_ &m);
void bindCDag(py::module_ &m);
void bindExecution(py::module_ &m);

} // namespace comm::python

#endif // COMM_PYTHON_OBJECTS_H
