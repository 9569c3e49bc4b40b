//===- Values.cpp - Values, and their uses --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edit.h"
#include "Operation.h"

using namespace comm::python;

namespace {
/// One operand of an operation.
struct PyOpOperand {
  OpRef owner;
  intptr_t index;
};
} // namespace

/// Returns true if printing the value's operation in its custom form would crash.
static bool needsGenericForm(MlirValue value) {
  return mlirValueIsAOpResult(value) && crashesVerifier(mlirOpResultGetOwner(value));
}

static std::string print(MlirValue value) {
  std::string text;
  if (!needsGenericForm(value)) {
    mlirValuePrint(value, appendTo, &text);
    return text;
  }
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(mlirOpResultGetOwner(value), flags, appendTo, &text);
  mlirOpPrintingFlagsDestroy(flags);
  return text;
}

static std::string printAsOperand(const PyValue &self, bool useLocalScope) {
  MlirValue value = self.ref.get();
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (needsGenericForm(value))
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  if (useLocalScope)
    mlirOpPrintingFlagsUseLocalScope(flags);
  MlirAsmState state = mlirAsmStateCreateForValue(value, flags);
  std::string text;
  mlirValuePrintAsOperand(value, state, appendTo, &text);
  mlirAsmStateDestroy(state);
  mlirOpPrintingFlagsDestroy(flags);
  return text;
}

static void setType(const PyValue &self, const PyType &type) {
  MlirValue value = self.ref.get();
  checkSame(self.ref.context(), type.context);
  if (self.ref.op)
    checkMutable(*self.ref.op, /*itself=*/true);
  else
    checkMutable(*self.ref.block);
  mlirValueSetType(value, type.type);
}

void comm::python::bindValues(py::module_ &m) {
  py::class_<PyOpOperand>(m, "OpOperand", "A use of a value.")
      .def_property_readonly("owner",
                             [](const PyOpOperand &self) {
                               self.owner->get();
                               return wrapOp(self.owner);
                             })
      .def_property_readonly("operand_number", [](const PyOpOperand &self) { return self.index; });
  py::class_<PyValue>(m, "Value", "A result of an operation or an argument of a block.")
      .def_property_readonly("context", [](const PyValue &self) { return ContextObject{self.ref.context()}; })
      .def_property_readonly(
          "type", [](const PyValue &self) { return wrapType(self.ref.context(), mlirValueGetType(self.ref.get())); })
      .def("set_type", setType, py::arg("type"))
      .def_property_readonly(
          "location",
          [](const PyValue &self) { return PyLocation{self.ref.context(), mlirValueGetLocation(self.ref.get())}; })
      .def_property_readonly("uses",
                             [](const PyValue &self) {
                               std::vector<PyOpOperand> uses;
                               for (MlirOpOperand use = mlirValueGetFirstUse(self.ref.get()); !mlirOpOperandIsNull(use);
                                    use = mlirOpOperandGetNextUse(use))
                                 uses.push_back({internOp(self.ref.context(), mlirOpOperandGetOwner(use)),
                                                 mlirOpOperandGetOperandNumber(use)});
                               return uses;
                             })
      .def_property_readonly("owner",
                             [](const PyValue &self) -> py::object {
                               self.ref.get();
                               return self.ref.op ? wrapOp(self.ref.op) : py::cast(PyBlock{self.ref.block});
                             })
      .def("get_name", printAsOperand, py::arg("use_local_scope") = false, "`%0`.")
      .def(
          "replace_all_uses_with",
          [](const PyValue &self, const py::object &with) { replaceUses(self.ref, toValue(with), {}); },
          py::arg("value"))
      .def(
          "replace_all_uses_except",
          [](const PyValue &self, const py::object &with, const py::object &except) {
            std::vector<OpRef> ops;
            if (py::isinstance<PyOperation>(except))
              ops.push_back(except.cast<PyOperation &>().state);
            else
              for (py::handle op : except)
                ops.push_back(op.cast<PyOperation &>().state);
            replaceUses(self.ref, toValue(with), ops);
          },
          py::arg("with_"), py::arg("exceptions"))
      .def("__eq__",
           [](const PyValue &a, const PyValue &b) {
             return a.ref.value.ptr == b.ref.value.ptr && a.ref.op == b.ref.op && a.ref.block == b.ref.block;
           })
      .def("__eq__", [](const PyValue &, const py::object &) { return false; })
      .def("__hash__", [](const PyValue &self) { return std::hash<const void *>()(self.ref.value.ptr); })
      .def("__bool__",
           [](const PyValue &) -> bool {
             throw py::type_error(
                 "whether a value is true is known when the program runs: build an scf.IfOp, or compare "
                 "with None");
           })
      .def("__str__", [](const PyValue &self) { return print(self.ref.get()); })
      .def("__repr__", [](const PyValue &self) {
        bool isDead = self.ref.op ? self.ref.op->death : self.ref.block->death;
        if (isDead || (self.ref.block && self.ref.block->numErasedArgs != self.ref.numErasedArgs))
          return std::string("<Value, which is gone>");
        return "Value(" + print(self.ref.get()) + ")";
      });
  py::class_<PyOpResult, PyValue>(m, "OpResult", "A result of an operation.")
      .def_property_readonly("result_number",
                             [](const PyOpResult &self) { return mlirOpResultGetResultNumber(self.ref.get()); });
  py::class_<PyBlockArgument, PyValue>(m, "BlockArgument", "An argument of a block.")
      .def_property_readonly("arg_number",
                             [](const PyBlockArgument &self) { return mlirBlockArgumentGetArgNumber(self.ref.get()); });
}
