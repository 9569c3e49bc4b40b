//===- Build.cpp - New operations -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Edit.h"
#include "Operation.h"

#include "comm-c/Dialect.h"
#include "mlir-c/BuiltinAttributes.h"

#include <algorithm>
#include <optional>
#include <string_view>

using namespace comm::python;

/// Resolves `ip`: an insertion point, None for the current one, or False for no insertion.
static std::optional<PyInsertionPoint> resolveInsertionPoint(py::handle ip) {
  if (ip.is_none())
    return frames().empty() ? std::nullopt : frames().back().insertionPoint;
  if (ip.ptr() == Py_False)
    return std::nullopt;
  if (const auto *given = find<PyInsertionPoint>(ip))
    return *given;
  throw py::type_error("ip must be an InsertionPoint, None or False");
}

static void addSegments(const ContextRef &context, std::vector<MlirNamedAttribute> &attributes, const char *name,
                        py::handle given) {
  if (given.is_none())
    return;
  auto segments = given.cast<std::vector<int32_t>>();
  MlirAttribute value = mlirDenseI32ArrayGet(context->context, segments.size(), segments.data());
  attributes.push_back(
      mlirNamedAttributeGet(mlirIdentifierGet(context->context, mlirStringRefCreateFromCString(name)), value));
}

void comm::python::checkAttributes(const OpRef &op, const std::vector<MlirNamedAttribute> &attributes) {
  for (const MlirNamedAttribute &attribute : attributes) {
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (mlirOperationGetAttributeByName(op->op, name).ptr == attribute.attribute.ptr)
      continue;
    std::string text;
    mlirAttributePrint(attribute.attribute, appendTo, &text);
    throw py::value_error("the attribute '" + toString(name) + "' of " +
                          toString(mlirIdentifierStr(mlirOperationGetName(op->op))) + " cannot be " + text);
  }
}

namespace {
struct OpParts {
  std::vector<MlirType> results;
  std::vector<MlirValue> operands;
  std::vector<MlirNamedAttribute> attributes;
  std::vector<MlirBlock> successors;
};
} // namespace

static void collectAttributes(const ContextRef &context, py::handle attributes, OpParts &parts) {
  if (attributes.is_none())
    return;
  if (!py::isinstance<py::dict>(attributes))
    throw py::type_error("attributes must be a dict");
  for (auto [key, value] : py::reinterpret_borrow<py::dict>(attributes)) {
    if (!py::isinstance<py::str>(key))
      throw py::type_error("names of attributes are strings");
    MlirStringRef name;
    Py_ssize_t size = 0;
    name.data = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (!name.data)
      throw py::error_already_set();
    if (size == 0)
      throw py::value_error("the name of an attribute is empty");
    name.length = size;
    for (const MlirNamedAttribute &other : parts.attributes)
      if (mlirStringRefEqual(mlirIdentifierStr(other.name), name))
        throw py::value_error("the attribute '" + toString(name) + "' is given twice");
    parts.attributes.push_back(
        mlirNamedAttributeGet(mlirIdentifierGet(context->context, name), toAttribute(context, value)));
  }
}

/// Returns the items of an argument. None stands for no items.
static py::object toItems(py::handle sequence, const char *what) {
  if (sequence.is_none())
    return py::none();
  if (PyList_Check(sequence.ptr()) || PyTuple_Check(sequence.ptr()))
    return py::reinterpret_borrow<py::object>(sequence);
  if (PyUnicode_Check(sequence.ptr()) || PyDict_Check(sequence.ptr()))
    throw py::type_error(std::string(what) + " must be a sequence");
  auto items = py::reinterpret_steal<py::object>(
      PySequence_Fast(sequence.ptr(), (std::string(what) + " must be a sequence").c_str()));
  if (!items)
    throw py::error_already_set();
  return items;
}

template <typename Fn> static void forEachItem(const py::object &items, Fn &&fn) {
  if (items.is_none())
    return;
  for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(items.ptr()); i < n; ++i)
    fn(PySequence_Fast_GET_ITEM(items.ptr(), i));
}

OpRef comm::python::createOp(const OpArguments &arguments) {
  std::optional<PyInsertionPoint> where = resolveInsertionPoint(arguments.ip);
  ContextRef expected = where ? where->block->context : nullptr;
  PyLocation location = resolveLocation(py::reinterpret_borrow<py::object>(arguments.loc), expected);
  const ContextRef &context = location.context;
  if (!PyUnicode_Check(arguments.name.ptr()))
    throw py::type_error("the name of an operation is a string");
  MlirStringRef name;
  Py_ssize_t nameSize = 0;
  name.data = PyUnicode_AsUTF8AndSize(arguments.name.ptr(), &nameSize);
  if (!name.data)
    throw py::error_already_set();
  name.length = nameSize;
  if (!mlirContextIsRegisteredOperation(context->context, name)) {
    if (!mlirContextGetAllowUnregisteredDialects(context->context))
      throw py::value_error("there is no operation '" + toString(name) +
                            "': set context.allow_unregistered_dialects for one of a "
                            "dialect that Comm does not know");
    std::string_view text(name.data, name.length);
    if (text.find('.') == std::string_view::npos || text.find('\0') != std::string_view::npos)
      throw py::value_error("the name of an operation is 'dialect.operation'");
  }
  int64_t numRegions = 0;
  if (arguments.regions) {
    if (!py::isinstance<py::int_>(arguments.regions))
      throw py::type_error("the number of regions must be an int");
    int overflow = 0;
    numRegions = PyLong_AsLongLongAndOverflow(arguments.regions.ptr(), &overflow);
    if (overflow || numRegions < 0 || numRegions > 10000)
      throw py::value_error("the number of regions must be from 0 to 10000");
  }
  // Convert everything that may run Python code first: such code may erase what the rest refers to.
  OpParts parts;
  py::object results = toItems(arguments.results, "results"), operands = toItems(arguments.operands, "operands"),
             successors = toItems(arguments.successors, "successors");
  addSegments(context, parts.attributes, "operandSegmentSizes", arguments.operandSegments);
  addSegments(context, parts.attributes, "resultSegmentSizes", arguments.resultSegments);
  collectAttributes(context, arguments.attributes, parts);
  auto count = [](const py::object &items) { return items.is_none() ? 0 : PySequence_Fast_GET_SIZE(items.ptr()); };
  parts.results.reserve(count(results));
  parts.operands.reserve(count(operands));
  forEachItem(results, [&](py::handle type) {
    const auto *known = find<PyType>(type);
    if (!known)
      throw py::type_error("results are Types");
    checkSame(known->context, context);
    parts.results.push_back(known->type);
  });
  forEachItem(operands, [&](py::handle operand) {
    if (const auto *known = find<PyValue>(operand)) {
      checkSame(known->ref.context(), context);
      parts.operands.push_back(known->ref.get());
      return;
    }
    ValueRef value = toValue(operand);
    checkSame(value.context(), context);
    parts.operands.push_back(value.get());
  });
  forEachItem(successors, [&](py::handle block) {
    const auto *known = find<PyBlock>(block);
    if (!known)
      throw py::type_error("successors are Blocks");
    checkSame(known->state->context, context);
    parts.successors.push_back(known->state->get());
  });

  MlirOperationState state = mlirOperationStateGet(name, location.location);
  mlirOperationStateAddResults(&state, parts.results.size(), parts.results.data());
  mlirOperationStateAddOperands(&state, parts.operands.size(), parts.operands.data());
  mlirOperationStateAddAttributes(&state, parts.attributes.size(), parts.attributes.data());
  mlirOperationStateAddSuccessors(&state, parts.successors.size(), parts.successors.data());
  std::vector<MlirRegion> regions;
  for (int64_t i = 0; i < numRegions; ++i)
    regions.push_back(mlirRegionCreate());
  mlirOperationStateAddOwnedRegions(&state, regions.size(), regions.data());
  MlirOperation raw = mlirOperationCreate(&state);
  if (!raw.ptr)
    throw py::value_error("the operation '" + toString(name) + "' cannot be built");
  OpRef op = adoptOp(context, raw);
  // Fill the bodies of named operations, which their syntax omits. The operation would not verify without one.
  if (numRegions == 1 && std::string_view(name.data, name.length).substr(0, 7) == "linalg.")
    commFillNamedBody(raw);
  checkAttributes(op, parts.attributes);
  if (where)
    where->insert(op);
  else
    recordUses(op);
  return op;
}

py::object comm::python::place(const OpRef &op, const py::object &ip) {
  recordUses(op);
  if (std::optional<PyInsertionPoint> where = resolveInsertionPoint(ip))
    where->insert(op);
  return wrapOp(op);
}

//===----------------------------------------------------------------------===//
// The calls from Python
//===----------------------------------------------------------------------===//

// CPython functions rather than pybind11's, which compare each argument name as text. That would take most of the time.

/// Reads positional and named arguments into OpArguments.
static OpArguments readArguments(const char *function, PyObject *const *given, Py_ssize_t numGiven, PyObject *names) {
  constexpr Py_ssize_t kNum = 10;
  static PyObject *const known[kNum] = {PyUnicode_InternFromString("name"),
                                        PyUnicode_InternFromString("results"),
                                        PyUnicode_InternFromString("operands"),
                                        PyUnicode_InternFromString("attributes"),
                                        PyUnicode_InternFromString("successors"),
                                        PyUnicode_InternFromString("regions"),
                                        PyUnicode_InternFromString("loc"),
                                        PyUnicode_InternFromString("ip"),
                                        PyUnicode_InternFromString("operand_segments"),
                                        PyUnicode_InternFromString("result_segments")};
  auto refuse = [&](const std::string &what) { throw py::type_error(std::string(function) + "() " + what); };
  if (numGiven > kNum)
    refuse("takes at most 10 arguments");
  PyObject *found[kNum] = {};
  std::copy(given, given + numGiven, found);
  for (Py_ssize_t i = 0, n = names ? PyTuple_GET_SIZE(names) : 0; i < n; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    // Names in a program's source are interned.
    PyObject *const *it = std::find(known, known + kNum, name);
    if (it == known + kNum)
      it = std::find_if(known, known + kNum, [&](PyObject *other) { return PyUnicode_Compare(name, other) == 0; });
    if (it == known + kNum)
      refuse("has no argument " + py::repr(name).cast<std::string>());
    PyObject *&slot = found[it - known];
    if (slot)
      refuse("got two values for the argument " + py::repr(name).cast<std::string>());
    slot = given[numGiven + i];
  }
  if (!found[0])
    refuse("needs the argument 'name'");
  auto get = [&](int i) { return py::handle(found[i] ? found[i] : Py_None); };
  return {get(0), get(1), get(2), get(3), get(4), py::handle(found[5]), get(6), get(7), get(8), get(9)};
}

/// Runs fn and translates C++ exceptions into Python ones, as pybind11 does.
template <typename Fn> static PyObject *guarded(Fn &&fn) {
  try {
    return fn();
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (...) {
    py::detail::try_translate_exceptions();
  }
  return nullptr;
}

static PyObject *createFromPython(PyObject *, PyObject *const *args, Py_ssize_t numArgs, PyObject *names) {
  return guarded([&] { return wrapOp(createOp(readArguments("create", args, numArgs, names))).release().ptr(); });
}

static PyObject *buildFromPython(PyObject *self, PyObject *const *args, Py_ssize_t numArgs, PyObject *names) {
  return guarded([&] {
    if (isFilled(self))
      throw py::value_error("the operation is built already");
    OpRef op = createOp(readArguments("_build", args, numArgs, names));
    // Reading the arguments may run code that builds this operation.
    if (isFilled(self))
      throw py::value_error("the operation is built already");
    fill(self, op);
    return py::none().release().ptr();
  });
}

static PyObject *getResult(PyObject *, PyObject *self) {
  return guarded([&] {
    const auto *op = find<PyOperation>(self);
    if (!op)
      throw py::type_error("this is not an Operation");
    if (mlirOperationGetNumResults(op->state->get()) != 1)
      throw py::value_error("the operation has not one result: use results");
    ValueRef ref;
    ref.op = op->state;
    ref.value = mlirOperationGetResult(op->state->op, 0);
    return make(boundType<PyOpResult>(), PyOpResult{{std::move(ref)}}).release().ptr();
  });
}

void comm::python::bindBuild(py::handle cls) {
  static PyMethodDef create = {
      "create", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(createFromPython)),
      METH_FASTCALL | METH_KEYWORDS,
      "create(name: str, results: object = None, operands: object = None, attributes: object = None, "
      "successors: object = None, regions: int = 0, loc: object = None, ip: object = None, "
      "operand_segments: collections.abc.Sequence[int] | None = None, "
      "result_segments: collections.abc.Sequence[int] | None = None) -> object\n\n"
      "Builds an operation at `ip`: the current insertion point if None, in no block if False."};
  static PyMethodDef build = {"_build", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(buildFromPython)),
                              METH_FASTCALL | METH_KEYWORDS, "_build(self) -> None\n"};
  static PyMethodDef result = {"result", getResult, METH_O,
                               "(self: comm_mlir._core.Operation) -> object\n\nThe only result."};
  auto getter = py::reinterpret_steal<py::object>(PyCFunction_New(&result, nullptr));
  py::handle property(reinterpret_cast<PyObject *>(&PyProperty_Type));
  cls.attr("result") = property(getter, py::none(), py::none(), "The only result.");
  auto function = py::reinterpret_steal<py::object>(PyCFunction_New(&create, nullptr));
  cls.attr("create") = py::reinterpret_steal<py::object>(PyStaticMethod_New(function.ptr()));
  cls.attr("_build") =
      py::reinterpret_steal<py::object>(PyDescr_NewMethod(reinterpret_cast<PyTypeObject *>(cls.ptr()), &build));
}
