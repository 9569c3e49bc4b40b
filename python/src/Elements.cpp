//===- Elements.cpp - Dense elements, and layouts of memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttributeClass.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

using namespace comm::python;

namespace {
struct PyDenseElementsAttr : PyAttribute {};
struct PyStridedLayoutAttr : PyAttribute {};

/// The representation of an element in memory.
struct Element {
  std::string format; ///< format of Python's struct module
  ssize_t size = 0;   ///< in bytes
};
} // namespace

static bool isBool(MlirType type) { return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1; }

static std::string printType(MlirType type) {
  std::string text;
  mlirTypePrint(type, appendTo, &text);
  return text;
}

/// Returns the representation of an element of that type. The size is 0 if no array can have such elements.
static Element describe(MlirType type) {
  if (mlirTypeIsAF16(type))
    return {"e", 2};
  if (mlirTypeIsAF32(type))
    return {"f", 4};
  if (mlirTypeIsAF64(type))
    return {"d", 8};
  if (mlirTypeIsAIndex(type))
    return {"q", 8};
  if (mlirTypeIsAComplex(type)) {
    Element part = describe(mlirComplexTypeGetElementType(type));
    if (part.format == "f" || part.format == "d")
      return {"Z" + part.format, 2 * part.size};
    return {};
  }
  if (!mlirTypeIsAInteger(type))
    return {};
  bool isUnsigned = mlirIntegerTypeIsUnsigned(type);
  switch (mlirIntegerTypeGetWidth(type)) {
  case 1:
    return {"?", 1};
  case 8:
    return {isUnsigned ? "B" : "b", 1};
  case 16:
    return {isUnsigned ? "H" : "h", 2};
  case 32:
    return {isUnsigned ? "I" : "i", 4};
  case 64:
    return {isUnsigned ? "Q" : "q", 8};
  default:
    return {};
  }
}

/// Returns the element type of a buffer.
static MlirType findType(const ContextRef &context, const std::string &format, ssize_t size) {
  MlirContext ctx = context->context;
  std::string code = format.substr(
      format.find_first_not_of("@=<") == std::string::npos ? format.size() : format.find_first_not_of("@=<"));
  if (code == "e")
    return mlirF16TypeGet(ctx);
  if (code == "f")
    return mlirF32TypeGet(ctx);
  if (code == "d")
    return mlirF64TypeGet(ctx);
  if (code == "Zf")
    return mlirComplexTypeGet(mlirF32TypeGet(ctx));
  if (code == "Zd")
    return mlirComplexTypeGet(mlirF64TypeGet(ctx));
  if (code == "?")
    return mlirIntegerTypeGet(ctx, 1);
  if (code.size() == 1 && std::string("bBhHiIlLqQnN").find(code) != std::string::npos)
    return mlirIntegerTypeGet(ctx, static_cast<unsigned>(8 * size));
  throw py::type_error("no attribute has elements of the format '" + format + "': convert the array");
}

static PyDenseElementsAttr makeElements(const py::buffer &array, const std::optional<PyType> &type,
                                        const py::object &context) {
  py::buffer_info info = array.request();
  ContextRef state = type ? type->context : resolveContext(context);
  MlirType element = type ? type->type : findType(state, info.format, info.itemsize);
  MlirType shaped = element;
  std::vector<int64_t> shape(info.shape.begin(), info.shape.end());
  if (mlirTypeIsAShaped(element)) {
    if (!mlirShapedTypeHasRank(shaped) || !mlirShapedTypeHasStaticShape(shaped) || mlirTypeIsAMemRef(shaped))
      throw py::value_error("elements are of a tensor or vector whose sizes are known");
    int64_t count = 1;
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(shaped); ++i)
      count *= mlirShapedTypeGetDimSize(shaped, i);
    if (count != info.size)
      throw py::value_error("the type has " + std::to_string(count) + " elements, the array " +
                            std::to_string(info.size));
    element = mlirShapedTypeGetElementType(shaped);
  } else {
    DiagnosticCollector collector(state);
    shaped = mlirRankedTensorTypeGetChecked(mlirLocationUnknownGet(state->context), shape.size(), shape.data(), element,
                                            mlirAttributeGetNull());
    if (!shaped.ptr)
      collector.raise("there is no tensor type with these elements");
  }
  Element known = describe(element), given = describe(findType(state, info.format, info.itemsize));
  auto kind = [](const Element &e) { return e.format.find_first_of("efdZ?") == std::string::npos ? "i" : e.format; };
  if (!known.size || known.size != info.itemsize || kind(known) != kind(given))
    throw py::type_error("the type's elements are not those of the array, whose format is '" + info.format + "'");
  // In C order, whatever the strides are.
  std::string bytes =
      py::reinterpret_steal<py::object>(PyMemoryView_FromObject(array.ptr())).attr("tobytes")().cast<std::string>();
  MlirAttribute result;
  if (isBool(element)) {
    std::vector<int> values(bytes.begin(), bytes.end());
    result = mlirDenseElementsAttrBoolGet(shaped, values.size(), values.data());
  } else {
    result = mlirDenseElementsAttrRawBufferGet(shaped, bytes.size(), bytes.data());
  }
  if (!result.ptr)
    throw py::value_error("the array makes no elements of that type");
  return {{state, result}};
}

static PyDenseElementsAttr makeSplat(const PyType &type, const PyAttribute &value) {
  checkSame(value.context, type.context);
  if (!mlirTypeIsAShaped(type.type) || !mlirShapedTypeHasRank(type.type) || !mlirShapedTypeHasStaticShape(type.type) ||
      mlirTypeIsAMemRef(type.type))
    throw py::value_error("elements are of a tensor or vector whose sizes are known");
  MlirType element = mlirShapedTypeGetElementType(type.type);
  bool isNumber = mlirAttributeIsAInteger(value.attribute) || mlirAttributeIsAFloat(value.attribute);
  if (!isNumber || !mlirTypeEqual(mlirAttributeGetType(value.attribute), element))
    throw py::value_error(
        "the value does not have the type's element type: use an IntegerAttr or FloatAttr of their type");
  return {{type.context, mlirDenseElementsAttrSplatGet(type.type, value.attribute)}};
}

/// Returns a view of the attribute's elements; of a single one, with strides of 0, if all are equal.
static py::buffer_info view(PyDenseElementsAttr &self) {
  MlirType type = mlirAttributeGetType(self.attribute);
  Element element = describe(mlirShapedTypeGetElementType(type));
  if (!element.size || element.format == "?")
    throw py::buffer_error("elements of the type " + printType(type) + " are not in memory as an array's are");
  std::vector<ssize_t> shape, strides;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    shape.push_back(mlirShapedTypeGetDimSize(type, i));
  ssize_t step = mlirDenseElementsAttrIsSplat(self.attribute) ? 0 : element.size;
  strides.resize(shape.size());
  for (size_t i = shape.size(); i-- > 0; step *= shape[i])
    strides[i] = step;
  return py::buffer_info(const_cast<void *>(mlirDenseElementsAttrGetRawData(self.attribute)), element.size,
                         element.format, shape.size(), shape, strides, /*readonly=*/true);
}

static void bindDense(py::module_ &m) {
  addAttribute<PyDenseElementsAttr>(m, "DenseElementsAttr", mlirAttributeIsADenseElements, py::buffer_protocol(),
                                    "Elements of a tensor or vector. `numpy.asarray(attr)` shows them without a copy.")
      .def_static("get", makeElements, py::arg("array"), py::arg("type") = py::none(), py::arg("context") = py::none(),
                  "The elements of an array, which are copied. `type` is that of the elements or of the whole; by "
                  "default a\ntensor of the array's shape, whose integers are signless.")
      .def_static("get_splat", makeSplat, py::arg("shaped_type"), py::arg("element_attr"),
                  "All elements are that number.")
      .def_buffer(view)
      .def(
          "__array__",
          [](const PyAttribute &self, const py::object &dtype, const py::object &) {
            // Booleans are bits, which the buffer protocol does not support.
            MlirType type = mlirAttributeGetType(self.attribute);
            if (!isBool(mlirShapedTypeGetElementType(type)))
              throw py::type_error("no array has elements as those of the type " + printType(type));
            py::list values, shape;
            for (intptr_t i = 0, n = mlirElementsAttrGetNumElements(self.attribute); i < n; ++i)
              values.append(static_cast<bool>(mlirDenseElementsAttrGetBoolValue(self.attribute, i)));
            for (intptr_t i = 0, n = mlirShapedTypeGetRank(type); i < n; ++i)
              shape.append(mlirShapedTypeGetDimSize(type, i));
            py::module_ numpy = py::module_::import("numpy");
            return numpy.attr("array")(values, dtype.is_none() ? py::object(py::str("bool")) : dtype)
                .attr("reshape")(shape);
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none())
      .def_property_readonly("is_splat",
                             [](const PyAttribute &self) { return mlirDenseElementsAttrIsSplat(self.attribute); })
      .def("get_splat_value",
           [](const PyAttribute &self) {
             if (!mlirDenseElementsAttrIsSplat(self.attribute))
               throw py::value_error("the elements are not all equal");
             return wrapAttribute(self.context, mlirDenseElementsAttrGetSplatValue(self.attribute));
           })
      .def("__len__", [](const PyAttribute &self) { return mlirElementsAttrGetNumElements(self.attribute); });
}

static void bindLayouts(py::module_ &m) {
  addAttribute<PyStridedLayoutAttr>(m, "StridedLayoutAttr", mlirAttributeIsAStridedLayout,
                                    "Where the elements of a memref are: an offset and a stride for each dimension.")
      .def_static(
          "get",
          [](int64_t offset, const std::vector<int64_t> &strides, const py::object &context) {
            ContextRef state = resolveContext(context);
            return PyStridedLayoutAttr{
                {state, mlirStridedLayoutAttrGet(state->context, offset, strides.size(), strides.data())}};
          },
          py::arg("offset"), py::arg("strides"), py::arg("context") = py::none(),
          "ShapedType.get_dynamic_stride_or_offset() is a number that only run time knows.")
      .def_static(
          "get_fully_dynamic",
          [](int64_t rank, const py::object &context) {
            if (rank < 0 || rank > 1000)
              throw py::value_error("the rank is a number from 0 to 1000");
            ContextRef state = resolveContext(context);
            int64_t dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
            std::vector<int64_t> strides(rank, dynamic);
            return PyStridedLayoutAttr{
                {state, mlirStridedLayoutAttrGet(state->context, dynamic, strides.size(), strides.data())}};
          },
          py::arg("rank"), py::arg("context") = py::none())
      .def_property_readonly("offset",
                             [](const PyAttribute &self) { return mlirStridedLayoutAttrGetOffset(self.attribute); })
      .def_property_readonly("strides", [](const PyAttribute &self) {
        std::vector<int64_t> strides;
        for (intptr_t i = 0, n = mlirStridedLayoutAttrGetNumStrides(self.attribute); i < n; ++i)
          strides.push_back(mlirStridedLayoutAttrGetStride(self.attribute, i));
        return strides;
      });
}

void comm::python::bindElements(py::module_ &m) {
  bindDense(m);
  bindLayouts(m);
}
