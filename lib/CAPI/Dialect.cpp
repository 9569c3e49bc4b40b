//===- Dialect.cpp - C API: the comm dialect ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm-c/Dialect.h"

#include "Comm/Dialect/Comm/IR/CommDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace comm;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Comm, comm, comm::CommDialect)

#define COMM_TYPE(Name)                                                                                                \
  bool commTypeIsA##Name(MlirType type) { return isa<Name##Type>(unwrap(type)); }                                      \
  MlirType comm##Name##TypeGet(MlirContext context) { return wrap(Name##Type::get(unwrap(context))); }                 \
  MlirTypeID comm##Name##TypeGetTypeID() { return wrap(Name##Type::getTypeID()); }
#include "comm-c/Types.def"

MlirAttribute commModeAttrGet(MlirContext context, CommMode mode) {
  return wrap(ModeAttr::get(unwrap(context), static_cast<Mode>(mode)));
}

bool commAttributeIsAMode(MlirAttribute attribute) { return isa<ModeAttr>(unwrap(attribute)); }

CommMode commModeAttrGetValue(MlirAttribute attribute) {
  return static_cast<CommMode>(cast<ModeAttr>(unwrap(attribute)).getValue());
}

/// Returns why the operation cannot be built, or an empty string. Only array_of_requests may have several values.
static std::string findMistake(StringRef function, MLIRContext *context, ArrayRef<CommParam> params,
                               ArrayRef<MlirStringRef> outcomes) {
  context->getOrLoadDialect<CommDialect>();
  std::string name = getOpNameFor(function, context);
  if (name.empty())
    return "no operation represents '" + function.str() + "': name the blocking function, or build a call to it";
  const auto *interface = RegisteredOperationName::lookup(name, context)->getInterface<MPIOpInterface>();
  if (!interface)
    return "'" + name + "' is not an operation of MPI";
  llvm::StringSet<> seen;
  for (const CommParam &param : params) {
    StringRef given = unwrap(param.name);
    if (!llvm::is_contained(interface->getParamNames(), given))
      return function.str() + " has no parameter '" + given.str() + "'";
    if (!seen.insert(given).second)
      return function.str() + ": the parameter '" + given.str() + "' is given twice";
    if (param.numValues > 1 && given != "array_of_requests")
      return function.str() + ": the parameter '" + given.str() + "' takes one value";
  }
  seen.clear();
  for (MlirStringRef outcome : outcomes) {
    StringRef given = unwrap(outcome);
    if (!llvm::is_contained(interface->getOutcomeNames(), given))
      return function.str() + " has no outcome '" + given.str() + "'";
    if (!seen.insert(given).second)
      return function.str() + ": the outcome '" + given.str() + "' is given twice";
  }
  return "";
}

MlirOperation commOperationCreate(MlirLocation location, MlirStringRef mpiFunction, CommMode mode, intptr_t numParams,
                                  CommParam const *params, intptr_t numOutcomes, MlirStringRef const *outcomes) {
  Location loc = unwrap(location);
  StringRef function = unwrap(mpiFunction);
  ArrayRef<CommParam> given(params, numParams);
  ArrayRef<MlirStringRef> wanted(outcomes, numOutcomes);
  if (std::string mistake = findMistake(function, loc.getContext(), given, wanted); !mistake.empty()) {
    emitError(loc) << mistake;
    return {nullptr};
  }
  SmallVector<NamedParam> named;
  for (const CommParam &param : given) {
    SmallVector<Value> values;
    for (intptr_t i = 0; i < param.numValues; ++i)
      values.push_back(unwrap(param.values[i]));
    named.emplace_back(unwrap(param.name), ValueRange(values));
  }
  SmallVector<StringRef> names;
  for (MlirStringRef outcome : wanted)
    names.push_back(unwrap(outcome));
  OpBuilder builder(loc.getContext());
  return wrap(createMPIOp(builder, loc, function, static_cast<Mode>(mode), named, names).getOperation());
}

bool commOperationVerifyItself(MlirOperation op) {
  return succeeded(mlir::verify(unwrap(op), /*verifyRecursively=*/false));
}
