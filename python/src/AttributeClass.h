//===- AttributeClass.h - Classes of attributes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_ATTRIBUTECLASS_H
#define COMM_PYTHON_ATTRIBUTECLASS_H

#include "Objects.h"

namespace comm::python {

using AttributeCaster = py::object (*)(const PyAttribute &);
/// In the order of their checks: special classes first.
std::vector<std::pair<bool (*)(MlirAttribute), AttributeCaster>> &attributeCasters();

std::string print(const PyAttribute &attribute);

/// Adds the class of the attributes that satisfy `isa`.
template <typename T, typename... Extra>
py::class_<T, PyAttribute> addAttribute(py::module_ &m, const char *name, bool (*isa)(MlirAttribute),
                                        Extra &&...extra) {
  attributeCasters().emplace_back(isa, [](const PyAttribute &base) { return py::cast(T{base}); });
  py::class_<T, PyAttribute> result(m, name, std::forward<Extra>(extra)...);
  result.def(py::init([isa, name](const PyAttribute &attribute) {
               if (!isa(attribute.attribute))
                 throw py::value_error("the attribute " + print(attribute) + " is not an instance of " + name);
               return T{attribute};
             }),
             py::arg("cast_from_attr"));
  result.def_static(
      "isinstance", [isa](const PyAttribute &attribute) { return isa(attribute.attribute); }, py::arg("other"));
  return result;
}

/// Elements of tensors and vectors, and memory layouts.
void bindElements(py::module_ &m);
/// Affine expressions, maps and sets, and their attributes.
void bindAffine(py::module_ &m);

} // namespace comm::python

#endif // COMM_PYTHON_ATTRIBUTECLASS_H
