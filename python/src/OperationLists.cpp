//===- OperationLists.cpp - Operands, results and attributes of an operation ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edit.h"
#include "Operation.h"

using namespace comm::python;

static intptr_t checkIndex(intptr_t index, intptr_t size, const char *what) {
  if (index < -size || index >= size)
    throw py::index_error(std::string("the operation has no such ") + what);
  return index < 0 ? size + index : index;
}

static py::list listOperands(const OpRef &op) {
  MlirOperation raw = op->get();
  py::list result;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(raw); i < n; ++i)
    result.append(wrapValue(op->context, mlirOperationGetOperand(raw, i)));
  return result;
}

py::list comm::python::listResults(const OpRef &op) {
  MlirOperation raw = op->get();
  py::list result;
  for (intptr_t i = 0, n = mlirOperationGetNumResults(raw); i < n; ++i)
    result.append(wrapValue(op->context, mlirOperationGetResult(raw, i)));
  return result;
}

static MlirAttribute findAttribute(const PyAttributeMap &self, const std::string &name) {
  return mlirOperationGetAttributeByName(self.op->get(), toRef(name));
}

static py::list attributeNames(const PyAttributeMap &self) {
  MlirOperation raw = self.op->get();
  py::list names;
  for (intptr_t i = 0, n = mlirOperationGetNumAttributes(raw); i < n; ++i)
    names.append(toString(mlirIdentifierStr(mlirOperationGetAttribute(raw, i).name)));
  return names;
}

static void setAttribute(const PyAttributeMap &self, const std::string &name, const py::object &value) {
  MlirOperation raw = self.op->get();
  checkMutable(*self.op);
  if (name.empty())
    throw py::value_error("the name of an attribute is empty");
  MlirAttribute attribute = toAttribute(self.op->context, value);
  MlirAttribute old = findAttribute(self, name);
  mlirOperationSetAttributeByName(raw, toRef(name), attribute);
  if (mlirOperationGetAttributeByName(raw, toRef(name)).ptr == attribute.ptr)
    return;
  if (old.ptr)
    mlirOperationSetAttributeByName(raw, toRef(name), old);
  checkAttributes(self.op,
                  {mlirNamedAttributeGet(mlirIdentifierGet(self.op->context->context, toRef(name)), attribute)});
}

void comm::python::bindLists(py::module_ &m) {
  py::class_<PyOperands>(m, "OpOperandList", "The operands of an operation.")
      .def("__len__", [](const PyOperands &self) { return mlirOperationGetNumOperands(self.op->get()); })
      .def("__getitem__",
           [](const PyOperands &self, intptr_t index) {
             MlirOperation raw = self.op->get();
             index = checkIndex(index, mlirOperationGetNumOperands(raw), "operand");
             return wrapValue(self.op->context, mlirOperationGetOperand(raw, index));
           })
      .def("__getitem__", [](const PyOperands &self,
                             const py::slice &slice) { return listOperands(self.op).attr("__getitem__")(slice); })
      .def("__setitem__",
           [](const PyOperands &self, intptr_t index, const py::object &value) {
             index = checkIndex(index, mlirOperationGetNumOperands(self.op->get()), "operand");
             setOperand(self.op, index, toValue(value));
           })
      .def("__iter__", [](const PyOperands &self) { return py::iter(listOperands(self.op)); });
  py::class_<PyAttributeMap>(m, "OpAttributeMap", "The attributes of an operation, by name.")
      .def("__len__", [](const PyAttributeMap &self) { return mlirOperationGetNumAttributes(self.op->get()); })
      .def("__contains__",
           [](const PyAttributeMap &self, const std::string &name) { return findAttribute(self, name).ptr != nullptr; })
      .def("__getitem__",
           [](const PyAttributeMap &self, const std::string &name) {
             MlirAttribute found = findAttribute(self, name);
             if (!found.ptr)
               throw py::key_error("the operation has no attribute '" + name + "'");
             return wrapAttribute(self.op->context, found);
           })
      .def(
          "get",
          [](const PyAttributeMap &self, const std::string &name, const py::object &other) {
            MlirAttribute found = findAttribute(self, name);
            return found.ptr ? wrapAttribute(self.op->context, found) : other;
          },
          py::arg("name"), py::arg("default") = py::none())
      .def("__setitem__", setAttribute)
      .def("__delitem__",
           [](const PyAttributeMap &self, const std::string &name) {
             if (!findAttribute(self, name).ptr)
               throw py::key_error("the operation has no attribute '" + name + "'");
             checkMutable(*self.op);
             mlirOperationRemoveAttributeByName(self.op->op, toRef(name));
           })
      .def("__iter__", [](const PyAttributeMap &self) { return py::iter(attributeNames(self)); })
      .def("keys", attributeNames)
      .def("items", [](const PyAttributeMap &self) {
        MlirOperation raw = self.op->get();
        py::list items;
        for (intptr_t i = 0, n = mlirOperationGetNumAttributes(raw); i < n; ++i) {
          MlirNamedAttribute named = mlirOperationGetAttribute(raw, i);
          items.append(py::make_tuple(toString(mlirIdentifierStr(named.name)),
                                      wrapAttribute(self.op->context, named.attribute)));
        }
        return items;
      });
}
