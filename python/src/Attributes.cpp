//===- Attributes.cpp - Attributes ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeClass.h"

#include "comm-c/Dialect.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

using namespace comm::python;

std::vector<std::pair<bool (*)(MlirAttribute), AttributeCaster>> &comm::python::attributeCasters() {
  static auto *list = new std::vector<std::pair<bool (*)(MlirAttribute), AttributeCaster>>();
  return *list;
}

py::object comm::python::wrapAttribute(const ContextRef &context, MlirAttribute attribute) {
  if (!attribute.ptr)
    return py::none();
  PyAttribute base{context, attribute};
  for (auto &[isa, cast] : attributeCasters())
    if (isa(attribute))
      return cast(base);
  return py::cast(base);
}

std::string comm::python::print(const PyAttribute &self) {
  std::string text;
  mlirAttributePrint(self.attribute, appendTo, &text);
  return text;
}

template <typename T>
static py::class_<T, PyAttribute> add(py::module_ &m, const char *name, bool (*isa)(MlirAttribute), const char *doc) {
  return addAttribute<T>(m, name, isa, doc);
}

namespace {
struct PyBoolAttr : PyAttribute {};
struct PyIntegerAttr : PyAttribute {};
struct PyFloatAttr : PyAttribute {};
struct PyStringAttr : PyAttribute {};
struct PyTypeAttr : PyAttribute {};
struct PyUnitAttr : PyAttribute {};
struct PyArrayAttr : PyAttribute {};
struct PyDictAttr : PyAttribute {};
struct PyFlatSymbolRefAttr : PyAttribute {};
struct PySymbolRefAttr : PyAttribute {};
struct PyDenseI32ArrayAttr : PyAttribute {};
struct PyDenseI64ArrayAttr : PyAttribute {};
struct PyDenseF32ArrayAttr : PyAttribute {};
struct PyDenseF64ArrayAttr : PyAttribute {};
struct PyDenseBoolArrayAttr : PyAttribute {};
struct PyModeAttr : PyAttribute {};
} // namespace

static bool isInteger(MlirAttribute attribute) { return mlirAttributeIsAInteger(attribute); }

static PyAttribute makeInteger(const PyType &type, const py::int_ &value) {
  bool isIndex = mlirTypeIsAIndex(type.type);
  if (!isIndex && !mlirTypeIsAInteger(type.type))
    throw py::value_error("an integer attribute has an integer type or index");
  unsigned width = isIndex ? 64 : mlirIntegerTypeGetWidth(type.type);
  if (width > 64)
    throw py::value_error("integers of more than 64 bits: use Attribute.parse");
  bool isUnsigned = !isIndex && mlirTypeIsAInteger(type.type) && mlirIntegerTypeIsUnsigned(type.type);
  bool isSigned = !isIndex && mlirIntegerTypeIsSigned(type.type);
  // A signless integer may have any value that fits signed or unsigned.
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  bool fits = overflow == 0;
  if (overflow > 0 && !isSigned) {
    unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
    fits = !PyErr_Occurred();
    PyErr_Clear();
    number = static_cast<long long>(large);
    fits &= width == 64;
  } else if (fits && width < 64) {
    long long low = isUnsigned || width == 0 ? 0 : -(1LL << (width - 1));
    long long high = width == 0 ? 0 : isSigned ? (1LL << (width - 1)) - 1 : (1LL << width) - 1;
    fits = number >= low && number <= high;
  } else if (fits) {
    fits = !(isUnsigned && number < 0);
  }
  if (!fits)
    throw py::value_error(py::str(value).cast<std::string>() + " does not fit into " + std::to_string(width) + " bits");
  // The C API expects a sign-extended number.
  if (width && width < 64 && !isUnsigned && (number >> (width - 1)) & 1)
    number |= static_cast<long long>(~0ULL << width);
  return {type.context, mlirIntegerAttrGet(type.type, number)};
}

static PyAttribute makeFloat(const PyType &type, double value) {
  if (!mlirTypeIsAFloat(type.type))
    throw py::value_error("a float attribute has a floating-point type");
  return {type.context, mlirFloatAttrDoubleGet(type.context->context, type.type, value)};
}

MlirAttribute comm::python::toAttribute(const ContextRef &context, py::handle object) {
  MlirContext ctx = context->context;
  if (py::isinstance<PyAttribute>(object)) {
    PyAttribute attribute = object.cast<PyAttribute>();
    checkSame(attribute.context, context);
    return attribute.attribute;
  }
  if (py::isinstance<py::bool_>(object))
    return mlirBoolAttrGet(ctx, object.cast<bool>());
  if (py::isinstance<py::int_>(object))
    return makeInteger({context, mlirIntegerTypeGet(ctx, 64)}, py::reinterpret_borrow<py::int_>(object)).attribute;
  if (py::isinstance<py::float_>(object))
    return mlirFloatAttrDoubleGet(ctx, mlirF64TypeGet(ctx), object.cast<double>());
  if (py::isinstance<py::str>(object))
    return mlirStringAttrGet(ctx, toRef(object.cast<std::string>()));
  if (py::isinstance<PyType>(object)) {
    PyType type = object.cast<PyType>();
    checkSame(type.context, context);
    return mlirTypeAttrGet(type.type);
  }
  std::vector<MlirAttribute> elements;
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
    // A list that contains itself raises RecursionError, as in Python's own functions.
    if (Py_EnterRecursiveCall(" while making an attribute"))
      throw py::error_already_set();
    try {
      for (py::handle element : object)
        elements.push_back(toAttribute(context, element));
    } catch (...) {
      Py_LeaveRecursiveCall();
      throw;
    }
    Py_LeaveRecursiveCall();
    return mlirArrayAttrGet(ctx, elements.size(), elements.data());
  }
  throw py::type_error("no attribute: " + py::repr(object).cast<std::string>() +
                       "; use an Attribute, Type, int, float, bool, str, or a list of these");
}

static MlirAttribute makeDictionary(const ContextRef &context, const py::dict &value) {
  std::vector<MlirNamedAttribute> named;
  for (auto [key, element] : value) {
    if (!py::isinstance<py::str>(key))
      throw py::type_error("names of attributes are strings");
    named.push_back(mlirNamedAttributeGet(mlirIdentifierGet(context->context, toRef(key.cast<std::string>())),
                                          toAttribute(context, element)));
  }
  return mlirDictionaryAttrGet(context->context, named.size(), named.data());
}

static void bindScalars(py::module_ &m) {
  add<PyBoolAttr>(m, "BoolAttr", mlirAttributeIsABool, "True or false: an integer of one bit.")
      .def_static(
          "get",
          [](bool value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyBoolAttr{{state, mlirBoolAttrGet(state->context, value)}};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value", [](const PyAttribute &self) { return mlirBoolAttrGetValue(self.attribute); });
  add<PyIntegerAttr>(m, "IntegerAttr", isInteger, "An integer of a type.")
      .def_static(
          "get", [](const PyType &type, const py::int_ &value) { return PyIntegerAttr{makeInteger(type, value)}; },
          py::arg("type"), py::arg("value"))
      .def_property_readonly("value",
                             [](const PyAttribute &self) -> py::object {
                               MlirType type = mlirAttributeGetType(self.attribute);
                               if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64)
                                 return py::int_(py::str(print(self).substr(0, print(self).find(' '))));
                               if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
                                 return py::int_(mlirIntegerAttrGetValueUInt(self.attribute));
                               if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
                                 return py::int_(mlirIntegerAttrGetValueSInt(self.attribute));
                               return py::int_(mlirIntegerAttrGetValueInt(self.attribute));
                             })
      .def_property_readonly(
          "type", [](const PyAttribute &self) { return wrapType(self.context, mlirAttributeGetType(self.attribute)); })
      .def("__int__", [](const py::object &self) { return self.attr("value"); });
  add<PyFloatAttr>(m, "FloatAttr", mlirAttributeIsAFloat, "A number of a floating-point type.")
      .def_static(
          "get", [](const PyType &type, double value) { return PyFloatAttr{makeFloat(type, value)}; }, py::arg("type"),
          py::arg("value"))
      .def_static(
          "get_f32",
          [](double value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyFloatAttr{makeFloat({state, mlirF32TypeGet(state->context)}, value)};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_static(
          "get_f64",
          [](double value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyFloatAttr{makeFloat({state, mlirF64TypeGet(state->context)}, value)};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly("value",
                             [](const PyAttribute &self) { return mlirFloatAttrGetValueDouble(self.attribute); })
      .def_property_readonly(
          "type", [](const PyAttribute &self) { return wrapType(self.context, mlirAttributeGetType(self.attribute)); })
      .def("__float__", [](const py::object &self) { return self.attr("value"); });
  add<PyStringAttr>(m, "StringAttr", mlirAttributeIsAString, "A string.")
      .def_static(
          "get",
          [](const std::string &value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyStringAttr{{state, mlirStringAttrGet(state->context, toRef(value))}};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly(
          "value", [](const PyAttribute &self) { return toString(mlirStringAttrGetValue(self.attribute)); },
          "The string; UnicodeDecodeError if it is not text.")
      .def_property_readonly("value_bytes", [](const PyAttribute &self) {
        return py::bytes(toString(mlirStringAttrGetValue(self.attribute)));
      });
  add<PyTypeAttr>(m, "TypeAttr", mlirAttributeIsAType, "A type as an attribute.")
      .def_static(
          "get", [](const PyType &value) { return PyTypeAttr{{value.context, mlirTypeAttrGet(value.type)}}; },
          py::arg("value"))
      .def_property_readonly("value", [](const PyAttribute &self) {
        return wrapType(self.context, mlirTypeAttrGetValue(self.attribute));
      });
  add<PyUnitAttr>(m, "UnitAttr", mlirAttributeIsAUnit, "Present or absent.")
      .def_static(
          "get",
          [](const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyUnitAttr{{state, mlirUnitAttrGet(state->context)}};
          },
          py::arg("context") = py::none());
  add<PyFlatSymbolRefAttr>(m, "FlatSymbolRefAttr", mlirAttributeIsAFlatSymbolRef, "The name of a symbol.")
      .def_static(
          "get",
          [](const std::string &value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyFlatSymbolRefAttr{{state, mlirFlatSymbolRefAttrGet(state->context, toRef(value))}};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def_property_readonly(
          "value", [](const PyAttribute &self) { return toString(mlirFlatSymbolRefAttrGetValue(self.attribute)); });
  add<PySymbolRefAttr>(m, "SymbolRefAttr", mlirAttributeIsASymbolRef, "The names that lead to a symbol.")
      .def_property_readonly("value", [](const PyAttribute &self) {
        std::vector<std::string> names{toString(mlirSymbolRefAttrGetRootReference(self.attribute))};
        for (intptr_t i = 0, n = mlirSymbolRefAttrGetNumNestedReferences(self.attribute); i < n; ++i)
          names.push_back(
              toString(mlirSymbolRefAttrGetLeafReference(mlirSymbolRefAttrGetNestedReference(self.attribute, i))));
        return names;
      });
  add<PyModeAttr>(m, "ModeAttr", commAttributeIsAMode, "Blocking or async, of an operation of MPI.")
      .def_static(
          "get",
          [](const std::string &mode, const py::object &context) {
            if (mode != "blocking" && mode != "async")
              throw py::value_error("the mode is 'blocking' or 'async'");
            ContextRef state = resolveContext(context);
            return PyModeAttr{
                {state, commModeAttrGet(state->context, mode == "async" ? CommModeAsync : CommModeBlocking)}};
          },
          py::arg("mode"), py::arg("context") = py::none())
      .def_property_readonly("value", [](const PyAttribute &self) {
        return std::string(commModeAttrGetValue(self.attribute) == CommModeAsync ? "async" : "blocking");
      });
}

/// Adds the class of a dense array, given the C functions for its elements.
template <typename T, typename E>
static void addDense(py::module_ &m, const char *name, bool (*isa)(MlirAttribute),
                     MlirAttribute (*get)(MlirContext, intptr_t, const E *), E (*element)(MlirAttribute, intptr_t)) {
  add<T>(m, name, isa, "An array of numbers.")
      .def_static(
          "get",
          [get](const std::vector<E> &values, const py::object &context) {
            ContextRef state = resolveContext(context);
            return T{{state, get(state->context, values.size(), values.data())}};
          },
          py::arg("values"), py::arg("context") = py::none())
      .def("__len__", [](const PyAttribute &self) { return mlirDenseArrayGetNumElements(self.attribute); })
      .def("__getitem__",
           [element](const PyAttribute &self, intptr_t index) {
             if (index < 0 || index >= mlirDenseArrayGetNumElements(self.attribute))
               throw py::index_error("the array has no such element");
             return element(self.attribute, index);
           })
      .def("__iter__", [element](const PyAttribute &self) {
        py::list result;
        for (intptr_t i = 0, n = mlirDenseArrayGetNumElements(self.attribute); i < n; ++i)
          result.append(element(self.attribute, i));
        return py::iter(result);
      });
}

static void bindContainers(py::module_ &m) {
  add<PyArrayAttr>(m, "ArrayAttr", mlirAttributeIsAArray, "A list of attributes.")
      .def_static(
          "get",
          [](const py::list &values, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyArrayAttr{{state, toAttribute(state, values)}};
          },
          py::arg("attributes"), py::arg("context") = py::none())
      .def("__len__", [](const PyAttribute &self) { return mlirArrayAttrGetNumElements(self.attribute); })
      .def("__getitem__",
           [](const PyAttribute &self, intptr_t index) {
             if (index < 0 || index >= mlirArrayAttrGetNumElements(self.attribute))
               throw py::index_error("the array has no such element");
             return wrapAttribute(self.context, mlirArrayAttrGetElement(self.attribute, index));
           })
      .def("__iter__", [](const PyAttribute &self) {
        py::list result;
        for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(self.attribute); i < n; ++i)
          result.append(wrapAttribute(self.context, mlirArrayAttrGetElement(self.attribute, i)));
        return py::iter(result);
      });
  add<PyDictAttr>(m, "DictAttr", mlirAttributeIsADictionary, "Attributes by name.")
      .def_static(
          "get",
          [](const py::dict &value, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyDictAttr{{state, makeDictionary(state, value)}};
          },
          py::arg("value"), py::arg("context") = py::none())
      .def("__len__", [](const PyAttribute &self) { return mlirDictionaryAttrGetNumElements(self.attribute); })
      .def("__contains__",
           [](const PyAttribute &self, const std::string &name) {
             return mlirDictionaryAttrGetElementByName(self.attribute, toRef(name)).ptr != nullptr;
           })
      .def("__getitem__",
           [](const PyAttribute &self, const std::string &name) {
             MlirAttribute found = mlirDictionaryAttrGetElementByName(self.attribute, toRef(name));
             if (!found.ptr)
               throw py::key_error("the dictionary has no attribute '" + name + "'");
             return wrapAttribute(self.context, found);
           })
      .def("__iter__", [](const PyAttribute &self) {
        py::list names;
        for (intptr_t i = 0, n = mlirDictionaryAttrGetNumElements(self.attribute); i < n; ++i)
          names.append(toString(mlirIdentifierStr(mlirDictionaryAttrGetElement(self.attribute, i).name)));
        return py::iter(names);
      });
  addDense<PyDenseI32ArrayAttr, int32_t>(m, "DenseI32ArrayAttr", mlirAttributeIsADenseI32Array, mlirDenseI32ArrayGet,
                                         mlirDenseI32ArrayGetElement);
  addDense<PyDenseF32ArrayAttr, float>(m, "DenseF32ArrayAttr", mlirAttributeIsADenseF32Array, mlirDenseF32ArrayGet,
                                       mlirDenseF32ArrayGetElement);
  addDense<PyDenseF64ArrayAttr, double>(m, "DenseF64ArrayAttr", mlirAttributeIsADenseF64Array, mlirDenseF64ArrayGet,
                                        mlirDenseF64ArrayGetElement);
  addDense<PyDenseI64ArrayAttr, int64_t>(m, "DenseI64ArrayAttr", mlirAttributeIsADenseI64Array, mlirDenseI64ArrayGet,
                                         mlirDenseI64ArrayGetElement);
  add<PyDenseBoolArrayAttr>(m, "DenseBoolArrayAttr", mlirAttributeIsADenseBoolArray, "An array of truth values.")
      .def_static(
          "get",
          [](const std::vector<bool> &values, const py::object &context) {
            ContextRef state = resolveContext(context);
            std::vector<int> raw(values.begin(), values.end());
            return PyDenseBoolArrayAttr{{state, mlirDenseBoolArrayGet(state->context, raw.size(), raw.data())}};
          },
          py::arg("values"), py::arg("context") = py::none())
      .def("__len__", [](const PyAttribute &self) { return mlirDenseArrayGetNumElements(self.attribute); })
      .def("__getitem__", [](const PyAttribute &self, intptr_t index) {
        if (index < 0 || index >= mlirDenseArrayGetNumElements(self.attribute))
          throw py::index_error("the array has no such element");
        return mlirDenseBoolArrayGetElement(self.attribute, index);
      });
}

void comm::python::bindAttributes(py::module_ &m) {
  py::class_<PyAttribute>(m, "Attribute", "An attribute of a context.")
      .def_static(
          "parse",
          [](const std::string &text, const py::object &context) {
            ContextRef state = resolveContext(context);
            DiagnosticCollector collector(state);
            MlirAttribute attribute = mlirAttributeParseGet(state->context, toRef(text));
            if (!attribute.ptr)
              collector.raise("unable to parse the attribute '" + text + "'");
            return wrapAttribute(state, attribute);
          },
          py::arg("asm"), py::arg("context") = py::none(), "The attribute of that text, e.g. `42 : i32`.")
      .def_property_readonly("context", [](const PyAttribute &self) { return ContextObject{self.context}; })
      .def("__eq__",
           [](const PyAttribute &a, const PyAttribute &b) {
             return a.context == b.context && mlirAttributeEqual(a.attribute, b.attribute);
           })
      .def("__eq__", [](const PyAttribute &, const py::object &) { return false; })
      .def("__hash__", [](const PyAttribute &self) { return std::hash<const void *>()(self.attribute.ptr); })
      .def_property_readonly(
          "type", [](const PyAttribute &self) { return wrapType(self.context, mlirAttributeGetType(self.attribute)); },
          "Its type; none for most.")
      .def("__str__", print)
      .def("__repr__", [](const PyAttribute &self) { return "Attribute(" + print(self) + ")"; });
  bindScalars(m);
  bindContainers(m);
  bindElements(m);
  bindAffine(m);
}
