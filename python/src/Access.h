//===- Access.h - Objects of bound classes, without searches -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This code runs for each built operation. It is faster than pybind11, which looks types up by name for each cast and
// records the address of each object so that it can return the same Python object for a C++ reference. These classes
// are passed by value, so they do not need that.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_ACCESS_H
#define COMM_PYTHON_ACCESS_H

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace comm::python {
namespace py = pybind11;

template <typename T> PyTypeObject *boundType() {
  static auto *type = reinterpret_cast<PyTypeObject *>(py::type::of<T>().ptr());
  return type;
}

template <typename T> const py::detail::type_info *boundInfo() {
  static const py::detail::type_info *info = py::detail::get_type_info(boundType<T>());
  return info;
}

/// Returns the C++ object of an instance of the class or of a subclass, or null for other objects. Raises TypeError if
/// __init__ did not run.
template <typename T> T *find(py::handle object) {
  PyTypeObject *type = Py_TYPE(object.ptr());
  if (type != boundType<T>() && !PyType_IsSubtype(type, boundType<T>()))
    return nullptr;
  auto *instance = reinterpret_cast<py::detail::instance *>(object.ptr());
  void *found = instance->simple_layout ? instance->simple_value_holder[0]
                                        : instance->get_value_and_holder(boundInfo<T>()).value_ptr();
  if (!found)
    throw py::type_error(std::string(type->tp_name) + ".__init__() was not called");
  return static_cast<T *>(found);
}

/// Sets the C++ object of an instance that has none yet.
template <typename T> void emplace(PyObject *object, T value) {
  auto *instance = reinterpret_cast<py::detail::instance *>(object);
  py::detail::value_and_holder slot = instance->simple_layout
                                          ? py::detail::value_and_holder(instance, boundInfo<T>(), 0, 0)
                                          : instance->get_value_and_holder(boundInfo<T>());
  slot.value_ptr() = new T(std::move(value));
  new (std::addressof(slot.holder<std::unique_ptr<T>>())) std::unique_ptr<T>(slot.value_ptr<T>());
  slot.set_holder_constructed();
}

/// Returns a new instance of the class or of a Python subclass. Does not call __init__.
template <typename T> py::object make(PyTypeObject *type, T value) {
  static PyObject *noArgs = PyTuple_New(0);
  auto object = py::reinterpret_steal<py::object>(type->tp_new(type, noArgs, nullptr));
  if (!object)
    throw py::error_already_set();
  emplace(object.ptr(), std::move(value));
  return object;
}

} // namespace comm::python

#endif // COMM_PYTHON_ACCESS_H
