//===- Types.cpp - Types --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Objects.h"

#include "comm-c/Dialect.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/LLVM.h"

using namespace comm::python;

using TypeCaster = py::object (*)(const PyType &);
static std::unordered_map<const void *, TypeCaster> &typeCasters() {
  static auto *casters = new std::unordered_map<const void *, TypeCaster>();
  return *casters;
}

py::object comm::python::wrapType(const ContextRef &context, MlirType type) {
  if (!type.ptr)
    return py::none();
  PyType base{context, type};
  auto it = typeCasters().find(mlirTypeGetTypeID(type).ptr);
  return it == typeCasters().end() ? py::cast(base) : it->second(base);
}

static std::string print(const PyType &self) {
  std::string text;
  mlirTypePrint(self.type, appendTo, &text);
  return text;
}

/// Adds a class of types, whose members satisfy `isa(type)`.
template <typename T, typename Base = PyType>
static py::class_<T, Base> addType(py::module_ &m, const char *name, bool (*isa)(MlirType), MlirTypeID id,
                                   const char *doc) {
  if (id.ptr)
    typeCasters()[id.ptr] = [](const PyType &base) { return make(boundType<T>(), T{{base}}); };
  py::class_<T, Base> result(m, name, doc);
  result.def(py::init([isa, name](const PyType &type) {
               if (!isa(type.type))
                 throw py::value_error("the type " + print(type) + " is not an instance of " + name);
               return T{{type}};
             }),
             py::arg("cast_from_type"));
  result.def_static("isinstance", [isa](const PyType &type) { return isa(type.type); }, py::arg("other"));
  return result;
}

/// Adds a class of types without parameters.
template <typename T>
static void addSimple(py::module_ &m, const char *name, bool (*isa)(MlirType), MlirTypeID id,
                      MlirType (*get)(MlirContext), const char *doc) {
  addType<T>(m, name, isa, id, doc)
      .def_static(
          "get",
          [get](const py::object &context) {
            ContextRef state = resolveContext(context);
            return T{{PyType{state, get(state->context)}}};
          },
          py::arg("context") = py::none());
}

#define SIMPLE(Name)                                                                                                   \
  struct Py##Name : PyType {};
namespace {
struct PyIntegerType : PyType {};
SIMPLE(IndexType)
SIMPLE(NoneType) SIMPLE(BF16Type) SIMPLE(F16Type) SIMPLE(F32Type) SIMPLE(F64Type) struct PyComplexType : PyType {};
struct PyShapedType : PyType {};
struct PyVectorTypeImpl : PyShapedType {};
struct PyRankedTensorType : PyShapedType {};
struct PyUnrankedTensorType : PyShapedType {};
struct PyMemRefType : PyShapedType {};
struct PyUnrankedMemRefType : PyShapedType {};
struct PyTupleType : PyType {};
struct PyFunctionType : PyType {};
struct PyPointerType : PyType {};
#define COMM_TYPE(Name)                                                                                                \
  struct PyComm##Name##Type : PyType {};
#include "comm-c/Types.def"
} // namespace

/// Adds a shaped class, which has one more base.
template <typename T>
static py::class_<T, PyShapedType> addShaped(py::module_ &m, const char *name, bool (*isa)(MlirType), MlirTypeID id,
                                             const char *doc) {
  typeCasters()[id.ptr] = [](const PyType &base) { return py::cast(T{PyShapedType{base}}); };
  py::class_<T, PyShapedType> result(m, name, doc);
  result.def(py::init([isa, name](const PyType &type) {
               if (!isa(type.type))
                 throw py::value_error("the type " + print(type) + " is not an instance of " + name);
               return T{PyShapedType{type}};
             }),
             py::arg("cast_from_type"));
  result.def_static("isinstance", [isa](const PyType &type) { return isa(type.type); }, py::arg("other"));
  return result;
}

/// Runs a checked constructor and raises its diagnostics.
template <typename Fn> static PyType checked(const ContextRef &context, const char *what, Fn &&make) {
  DiagnosticCollector collector(context);
  MlirType type = make();
  if (!type.ptr)
    collector.raise(std::string("invalid ") + what);
  return {context, type};
}

static std::vector<int64_t> checkShape(const std::vector<int64_t> &shape) {
  for (int64_t size : shape)
    if (size < 0 && size != mlirShapedTypeGetDynamicSize())
      throw py::value_error("a size of a shape must not be negative; use ShapedType.get_dynamic_size() for one that is "
                            "known at run time only");
  return shape;
}

static bool isShapedWithRank(const PyType &type) {
  return mlirTypeIsAShaped(type.type) && mlirShapedTypeHasRank(type.type);
}

static bool isStridedLayout(MlirAttribute attribute) {
  std::string text;
  mlirAttributePrint(attribute, appendTo, &text);
  return text.rfind("strided<", 0) == 0;
}

static void bindShaped(py::module_ &m) {
  auto rankOf = [](const PyType &self) {
    if (!isShapedWithRank(self))
      throw py::value_error("the type " + print(self) + " has no rank");
    return mlirShapedTypeGetRank(self.type);
  };
  auto dimOf = [=](const PyType &self, intptr_t dim) {
    if (dim < 0 || dim >= rankOf(self))
      throw py::index_error("the type " + print(self) + " has no dimension " + std::to_string(dim));
    return dim;
  };
  addType<PyShapedType>(m, "ShapedType", mlirTypeIsAShaped, {nullptr}, "Types with a shape and an element type.")
      .def_property_readonly(
          "element_type",
          [](const PyType &self) { return wrapType(self.context, mlirShapedTypeGetElementType(self.type)); })
      .def_property_readonly("has_rank", [](const PyType &self) { return mlirShapedTypeHasRank(self.type); })
      .def_property_readonly("rank", rankOf)
      .def_property_readonly("has_static_shape",
                             [](const PyType &self) { return mlirShapedTypeHasStaticShape(self.type); })
      .def_property_readonly(
          "shape",
          [=](const PyType &self) {
            std::vector<int64_t> shape;
            for (intptr_t i = 0, n = rankOf(self); i < n; ++i)
              shape.push_back(mlirShapedTypeGetDimSize(self.type, i));
            return shape;
          },
          "The sizes; get_dynamic_size() for those that only run time knows.")
      .def(
          "get_dim_size",
          [=](const PyType &self, intptr_t dim) { return mlirShapedTypeGetDimSize(self.type, dimOf(self, dim)); },
          py::arg("dim"), "The size of a dimension; get_dynamic_size() if only run time knows it.")
      .def(
          "is_dynamic_dim",
          [=](const PyType &self, intptr_t dim) { return mlirShapedTypeIsDynamicDim(self.type, dimOf(self, dim)); },
          py::arg("dim"), "Only run time knows the size of the dimension.")
      .def(
          "is_static_dim",
          [=](const PyType &self, intptr_t dim) { return !mlirShapedTypeIsDynamicDim(self.type, dimOf(self, dim)); },
          py::arg("dim"))
      .def_static("is_dynamic_size", mlirShapedTypeIsDynamicSize, py::arg("dim_size"))
      .def_static(
          "is_static_size", [](int64_t size) { return !mlirShapedTypeIsDynamicSize(size); }, py::arg("dim_size"))
      .def_static("get_dynamic_size", [] { return mlirShapedTypeGetDynamicSize(); })
      .def_static("is_dynamic_stride_or_offset", mlirShapedTypeIsDynamicStrideOrOffset, py::arg("dim_size"))
      .def_static("get_dynamic_stride_or_offset", [] { return mlirShapedTypeGetDynamicStrideOrOffset(); });

  addShaped<PyVectorTypeImpl>(m, "VectorType", mlirTypeIsAVector, mlirVectorTypeGetTypeID(), "Vectors.")
      .def_static(
          "get",
          [](const std::vector<int64_t> &shape, const PyType &element, const py::object &loc) {
            PyLocation location = resolveLocation(loc, element.context);
            return PyVectorTypeImpl{PyShapedType{checked(element.context, "vector type", [&] {
              return mlirVectorTypeGetChecked(location.location, shape.size(), shape.data(), element.type);
            })}};
          },
          py::arg("shape"), py::arg("element_type"), py::arg("loc") = py::none());
  addShaped<PyRankedTensorType>(m, "RankedTensorType", mlirTypeIsARankedTensor, mlirRankedTensorTypeGetTypeID(),
                                "Tensors.")
      .def_static(
          "get",
          [](const std::vector<int64_t> &shape, const PyType &element, const std::optional<PyAttribute> &encoding,
             const py::object &loc) {
            PyLocation location = resolveLocation(loc, element.context);
            if (encoding)
              checkSame(encoding->context, element.context);
            checkShape(shape);
            return PyRankedTensorType{PyShapedType{checked(element.context, "tensor type", [&] {
              return mlirRankedTensorTypeGetChecked(location.location, shape.size(), shape.data(), element.type,
                                                    encoding ? encoding->attribute : mlirAttributeGetNull());
            })}};
          },
          py::arg("shape"), py::arg("element_type"), py::arg("encoding") = py::none(), py::arg("loc") = py::none());
  addShaped<PyUnrankedTensorType>(m, "UnrankedTensorType", mlirTypeIsAUnrankedTensor, mlirUnrankedTensorTypeGetTypeID(),
                                  "Tensors of unknown rank.")
      .def_static(
          "get",
          [](const PyType &element, const py::object &loc) {
            PyLocation location = resolveLocation(loc, element.context);
            return PyUnrankedTensorType{PyShapedType{checked(element.context, "tensor type", [&] {
              return mlirUnrankedTensorTypeGetChecked(location.location, element.type);
            })}};
          },
          py::arg("element_type"), py::arg("loc") = py::none());
  addShaped<PyMemRefType>(m, "MemRefType", mlirTypeIsAMemRef, mlirMemRefTypeGetTypeID(), "Memory with a shape.")
      .def_static(
          "get",
          [](const std::vector<int64_t> &shape, const PyType &element, const std::optional<PyAttribute> &layout,
             const std::optional<PyAttribute> &space, const py::object &loc) {
            PyLocation location = resolveLocation(loc, element.context);
            for (const auto *attribute : {&layout, &space})
              if (*attribute)
                checkSame((*attribute)->context, element.context);
            checkShape(shape);
            MlirAttribute map =
                layout ? layout->attribute
                       : mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(element.context->context, shape.size()));
            if (layout && !mlirAttributeIsAAffineMap(map) && !isStridedLayout(map))
              throw py::value_error("the layout is neither an affine map nor strided");
            return PyMemRefType{PyShapedType{checked(element.context, "memref type", [&] {
              return mlirMemRefTypeGetChecked(location.location, element.type, shape.size(), shape.data(), map,
                                              space ? space->attribute : mlirAttributeGetNull());
            })}};
          },
          py::arg("shape"), py::arg("element_type"), py::arg("layout") = py::none(),
          py::arg("memory_space") = py::none(), py::arg("loc") = py::none(),
          "Memory of this shape; `layout` and `memory_space` are attributes.")
      .def_property_readonly(
          "layout", [](const PyType &self) { return wrapAttribute(self.context, mlirMemRefTypeGetLayout(self.type)); })
      .def(
          "get_strides_and_offset",
          [](const PyType &self) {
            std::vector<int64_t> strides(mlirShapedTypeGetRank(self.type));
            int64_t offset = 0;
            if (mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(self.type, strides.data(), &offset)))
              throw py::value_error("the layout of " + print(self) + " has no strides");
            return py::make_tuple(strides, offset);
          },
          "(strides, offset) in elements; get_dynamic_stride_or_offset() for those that only run time knows.")
      .def_property_readonly("memory_space", [](const PyType &self) {
        return wrapAttribute(self.context, mlirMemRefTypeGetMemorySpace(self.type));
      });
  addShaped<PyUnrankedMemRefType>(m, "UnrankedMemRefType", mlirTypeIsAUnrankedMemRef, mlirUnrankedMemRefTypeGetTypeID(),
                                  "Memory of unknown rank.")
      .def_static(
          "get",
          [](const PyType &element, const std::optional<PyAttribute> &space, const py::object &loc) {
            PyLocation location = resolveLocation(loc, element.context);
            if (space)
              checkSame(space->context, element.context);
            return PyUnrankedMemRefType{PyShapedType{checked(element.context, "memref type", [&] {
              return mlirUnrankedMemRefTypeGetChecked(location.location, element.type,
                                                      space ? space->attribute : mlirAttributeGetNull());
            })}};
          },
          py::arg("element_type"), py::arg("memory_space") = py::none(), py::arg("loc") = py::none());
}

static std::vector<MlirType> rawTypes(const ContextRef &context, const std::vector<PyType> &types) {
  std::vector<MlirType> raw;
  for (const PyType &type : types) {
    checkSame(type.context, context);
    raw.push_back(type.type);
  }
  return raw;
}

static void bindInteger(py::module_ &m) {
  auto integer = addType<PyIntegerType>(m, "IntegerType", mlirTypeIsAInteger, mlirIntegerTypeGetTypeID(), "Integers.");
  auto add = [&](const char *name, MlirType (*get)(MlirContext, unsigned)) {
    integer.def_static(
        name,
        [get](int64_t width, const py::object &context) {
          if (width < 0 || width > (1 << 24) - 1)
            throw py::value_error("the width of an integer type must be from 0 to 16777215 bits");
          ContextRef state = resolveContext(context);
          return PyIntegerType{{state, get(state->context, width)}};
        },
        py::arg("width"), py::arg("context") = py::none());
  };
  add("get_signless", mlirIntegerTypeGet);
  add("get_signed", mlirIntegerTypeSignedGet);
  add("get_unsigned", mlirIntegerTypeUnsignedGet);
  integer.def_property_readonly("width", [](const PyType &self) { return mlirIntegerTypeGetWidth(self.type); })
      .def_property_readonly("is_signless", [](const PyType &self) { return mlirIntegerTypeIsSignless(self.type); })
      .def_property_readonly("is_signed", [](const PyType &self) { return mlirIntegerTypeIsSigned(self.type); })
      .def_property_readonly("is_unsigned", [](const PyType &self) { return mlirIntegerTypeIsUnsigned(self.type); });
}

void comm::python::bindTypes(py::module_ &m) {
  py::class_<PyType>(m, "Type", "A type of a context.")
      .def_static(
          "parse",
          [](const std::string &text, const py::object &context) {
            ContextRef state = resolveContext(context);
            DiagnosticCollector collector(state);
            MlirType type = mlirTypeParseGet(state->context, toRef(text));
            if (!type.ptr)
              collector.raise("unable to parse the type '" + text + "'");
            return wrapType(state, type);
          },
          py::arg("asm"), py::arg("context") = py::none(), "The type of that text, e.g. `memref<4xf64>`.")
      .def_property_readonly("context", [](const PyType &self) { return ContextObject{self.context}; })
      .def("__eq__",
           [](const PyType &a, const PyType &b) { return a.context == b.context && mlirTypeEqual(a.type, b.type); })
      .def("__eq__", [](const PyType &, const py::object &) { return false; })
      .def("__hash__", [](const PyType &self) { return std::hash<const void *>()(self.type.ptr); })
      .def("__str__", print)
      .def("__repr__", [](const PyType &self) { return "Type(" + print(self) + ")"; });
  bindInteger(m);
  addSimple<PyIndexType>(m, "IndexType", mlirTypeIsAIndex, mlirIndexTypeGetTypeID(), mlirIndexTypeGet, "Sizes.");
  addSimple<PyNoneType>(m, "NoneType", mlirTypeIsANone, mlirNoneTypeGetTypeID(), mlirNoneTypeGet, "Nothing.");
  addSimple<PyBF16Type>(m, "BF16Type", mlirTypeIsABF16, mlirBFloat16TypeGetTypeID(), mlirBF16TypeGet, "bfloat16.");
  addSimple<PyF16Type>(m, "F16Type", mlirTypeIsAF16, mlirFloat16TypeGetTypeID(), mlirF16TypeGet, "Half precision.");
  addSimple<PyF32Type>(m, "F32Type", mlirTypeIsAF32, mlirFloat32TypeGetTypeID(), mlirF32TypeGet, "Single precision.");
  addSimple<PyF64Type>(m, "F64Type", mlirTypeIsAF64, mlirFloat64TypeGetTypeID(), mlirF64TypeGet, "Double precision.");
  addType<PyComplexType>(m, "ComplexType", mlirTypeIsAComplex, mlirComplexTypeGetTypeID(), "Complex numbers.")
      .def_static(
          "get",
          [](const PyType &element) {
            if (!mlirTypeIsAInteger(element.type) && !mlirTypeIsAFloat(element.type))
              throw py::value_error("the elements of complex numbers are numbers");
            return PyComplexType{{element.context, mlirComplexTypeGet(element.type)}};
          },
          py::arg("elementType"))
      .def_property_readonly("element_type", [](const PyType &self) {
        return wrapType(self.context, mlirComplexTypeGetElementType(self.type));
      });
  bindShaped(m);
  addType<PyTupleType>(m, "TupleType", mlirTypeIsATuple, mlirTupleTypeGetTypeID(), "Tuples.")
      .def_static(
          "get_tuple",
          [](const std::vector<PyType> &elements, const py::object &context) {
            ContextRef state = resolveContext(context);
            std::vector<MlirType> raw = rawTypes(state, elements);
            return PyTupleType{{state, mlirTupleTypeGet(state->context, raw.size(), raw.data())}};
          },
          py::arg("elements"), py::arg("context") = py::none())
      .def_property_readonly("num_types", [](const PyType &self) { return mlirTupleTypeGetNumTypes(self.type); })
      .def(
          "get_type",
          [](const PyType &self, intptr_t pos) {
            if (pos < 0 || pos >= mlirTupleTypeGetNumTypes(self.type))
              throw py::index_error("the tuple has no such element");
            return wrapType(self.context, mlirTupleTypeGetType(self.type, pos));
          },
          py::arg("pos"));
  addType<PyFunctionType>(m, "FunctionType", mlirTypeIsAFunction, mlirFunctionTypeGetTypeID(), "Functions.")
      .def_static(
          "get",
          [](const std::vector<PyType> &inputs, const std::vector<PyType> &results, const py::object &context) {
            ContextRef state = resolveContext(context);
            std::vector<MlirType> ins = rawTypes(state, inputs), outs = rawTypes(state, results);
            return PyFunctionType{
                {state, mlirFunctionTypeGet(state->context, ins.size(), ins.data(), outs.size(), outs.data())}};
          },
          py::arg("inputs"), py::arg("results"), py::arg("context") = py::none())
      .def_property_readonly("inputs",
                             [](const PyType &self) {
                               py::list result;
                               for (intptr_t i = 0, n = mlirFunctionTypeGetNumInputs(self.type); i < n; ++i)
                                 result.append(wrapType(self.context, mlirFunctionTypeGetInput(self.type, i)));
                               return result;
                             })
      .def_property_readonly("results", [](const PyType &self) {
        py::list result;
        for (intptr_t i = 0, n = mlirFunctionTypeGetNumResults(self.type); i < n; ++i)
          result.append(wrapType(self.context, mlirFunctionTypeGetResult(self.type, i)));
        return result;
      });
  addType<PyPointerType>(m, "PointerType", mlirTypeIsALLVMPointerType, mlirLLVMPointerTypeGetTypeID(),
                         "Pointers of the llvm dialect.")
      .def_static(
          "get",
          [](unsigned addressSpace, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyPointerType{{state, mlirLLVMPointerTypeGet(state->context, addressSpace)}};
          },
          py::arg("address_space") = 0, py::arg("context") = py::none());
#define COMM_TYPE(Name)                                                                                                \
  addSimple<PyComm##Name##Type>(m, #Name "Type", commTypeIsA##Name, comm##Name##TypeGetTypeID(), comm##Name##TypeGet,  \
                                "A type of the comm dialect.");
#include "comm-c/Types.def"
}
