//===- Build.cpp - New operations -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edit.h"
#include "Operation.h"

#include "mlir-c/BuiltinAttributes.h"

#include <optional>

using namespace comm::python;

/// Where `ip` says: an insertion point, None for the current one, False for nowhere.
static std::optional<PyInsertionPoint> resolveInsertionPoint(const py::object &ip) {
  if (py::isinstance<py::bool_>(ip) && !ip.cast<bool>())
    return std::nullopt;
  if (ip.is_none())
    return frames().empty() ? std::nullopt : frames().back().insertionPoint;
  if (!py::isinstance<PyInsertionPoint>(ip))
    throw py::type_error("ip must be an InsertionPoint, None or False");
  return ip.cast<PyInsertionPoint>();
}

static void addSegments(const ContextRef &context, std::vector<MlirNamedAttribute> &attributes, const char *name,
                        const std::optional<std::vector<int32_t>> &segments) {
  if (!segments)
    return;
  MlirAttribute value = mlirDenseI32ArrayGet(context->context, segments->size(), segments->data());
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

static void collectAttributes(const ContextRef &context, const py::object &attributes, OpParts &parts) {
  if (attributes.is_none())
    return;
  for (auto [key, value] : attributes.cast<py::dict>()) {
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

OpRef comm::python::createOp(const std::string &name, const py::object &results, const py::object &operands,
                             const py::object &attributes, const py::object &successors, int64_t numRegions,
                             const py::object &loc, const py::object &ip,
                             const std::optional<std::vector<int32_t>> &operandSegments,
                             const std::optional<std::vector<int32_t>> &resultSegments) {
  std::optional<PyInsertionPoint> where = resolveInsertionPoint(ip);
  ContextRef expected = where ? where->block->context : nullptr;
  PyLocation location = resolveLocation(loc, expected);
  const ContextRef &context = location.context;
  if (!mlirContextIsRegisteredOperation(context->context, toRef(name)) &&
      !mlirContextGetAllowUnregisteredDialects(context->context))
    throw py::value_error("there is no operation '" + name +
                          "': set context.allow_unregistered_dialects for one of a "
                          "dialect that Comm does not know");
  if (name.find('.') == std::string::npos || name.find('\0') != std::string::npos)
    throw py::value_error("the name of an operation is 'dialect.operation'");
  if (numRegions < 0 || numRegions > 10000)
    throw py::value_error("the number of regions must be from 0 to 10000");
  OpParts parts;
  if (!results.is_none())
    for (py::handle type : results) {
      if (!py::isinstance<PyType>(type))
        throw py::type_error("results are Types");
      const PyType &known = type.cast<const PyType &>();
      checkSame(known.context, context);
      parts.results.push_back(known.type);
    }
  if (!operands.is_none())
    for (py::handle operand : operands) {
      ValueRef value = toValue(operand);
      checkSame(value.context(), context);
      parts.operands.push_back(value.get());
    }
  addSegments(context, parts.attributes, "operandSegmentSizes", operandSegments);
  addSegments(context, parts.attributes, "resultSegmentSizes", resultSegments);
  collectAttributes(context, attributes, parts);
  if (!successors.is_none())
    for (py::handle block : successors) {
      const BlockRef &state = block.cast<PyBlock &>().state;
      checkSame(state->context, context);
      parts.successors.push_back(state->get());
    }

  MlirOperationState state = mlirOperationStateGet(toRef(name), location.location);
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
    throw py::value_error("the operation '" + name + "' cannot be built");
  OpRef op = adoptOp(context, raw);
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
