//===- MPIOpBuilder.cpp - Building MPI ops by parameter name --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/Comm.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace comm;

std::string comm::getOpNameFor(StringRef mpiFunction, MLIRContext *context) {
  if (!mpiFunction.consume_front("MPI_"))
    return "";
  std::string name = "comm." + mpiFunction.lower();
  auto registered = RegisteredOperationName::lookup(name, context);
  return registered && registered->hasInterface<MPIOpInterface>() ? name : "";
}

Type comm::getOutcomeType(const mpi::Function &function, StringRef outcome, MLIRContext *context) {
  if (outcome == "request")
    return RequestType::get(context);
  int index = function.findParam(outcome);
  mpi::Role role = index < 0 ? mpi::Role::Integer : function.params()[index].role;
  switch (role) {
  case mpi::Role::Comm:
    return CommunicatorType::get(context);
  case mpi::Role::Datatype:
    return DatatypeType::get(context);
  case mpi::Role::Op:
    return ReductionOpType::get(context);
  case mpi::Role::Message:
    return MessageType::get(context);
  case mpi::Role::Win:
    return WindowType::get(context);
  case mpi::Role::Group:
    return GroupType::get(context);
  case mpi::Role::Info:
    return InfoType::get(context);
  case mpi::Role::Status:
    return StatusType::get(context);
  case mpi::Role::Logical:
    return IntegerType::get(context, 1);
  default:
    return IntegerType::get(context, 32);
  }
}

MPIOpInterface comm::createMPIOp(OpBuilder &builder, Location loc, StringRef mpiFunction, Mode mode,
                                 ArrayRef<NamedParam> params, ArrayRef<StringRef> outcomes) {
  MLIRContext *context = builder.getContext();
  std::string name = getOpNameFor(mpiFunction, context);
  if (name.empty())
    return nullptr;
  auto registered = *RegisteredOperationName::lookup(name, context);
  const auto *interface = registered.getInterface<MPIOpInterface>();
  OperationState state(loc, registered);

  SmallVector<int32_t> operandSegments;
  size_t found = 0;
  for (StringRef paramName : interface->getParamNames()) {
    const auto *param = llvm::find_if(params, [&](const NamedParam &p) { return p.name == paramName; });
    bool present = param != params.end();
    found += present;
    operandSegments.push_back(present ? param->values.size() : 0);
    if (present)
      state.addOperands(param->values);
  }
  assert(found == params.size() && "the op has no such parameter");
  (void)found;

  SmallVector<int32_t> resultSegments;
  for (StringRef outcome : interface->getOutcomeNames()) {
    bool wanted = llvm::is_contained(outcomes, outcome);
    resultSegments.push_back(wanted);
    if (wanted)
      state.addTypes(getOutcomeType(*mpi::lookupFunction(mpiFunction), outcome, context));
  }
  if (registered.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(operandSegments));
  if (registered.hasTrait<OpTrait::AttrSizedResultSegments>())
    state.addAttribute("resultSegmentSizes", builder.getDenseI32ArrayAttr(resultSegments));
  state.addAttribute("mode", ModeAttr::get(context, mode));
  return cast<MPIOpInterface>(builder.create(state));
}

MPIOpInterface comm::cloneWithMode(OpBuilder &builder, MPIOpInterface op, Mode mode) {
  SmallVector<NamedParam> params;
  for (auto [index, name] : llvm::enumerate(op.getParamNames())) {
    OperandRange operands = op.getParamOperands(index);
    // An async clone returns its request, and the wait has the status.
    bool isLeftOut = name == "request" || (mode == Mode::async && name == "status");
    if (!operands.empty() && !isLeftOut)
      params.emplace_back(name, ValueRange(operands));
  }
  SmallVector<StringRef> outcomes;
  if (op.getOutcome("error"))
    outcomes.push_back("error");
  if (mode == Mode::async)
    outcomes.push_back("request");
  MPIOpInterface clone = createMPIOp(builder, op->getLoc(), op.getMPIFunctionName(), mode, params, outcomes);
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    clone->setDiscardableAttr(attribute.getName(), attribute.getValue());
  return clone;
}

StringRef comm::getConstantName(Value value) {
  if (!value)
    return "";
  if (auto cast = value.getDefiningOp<CastOp>())
    return getConstantName(cast.getInput());
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constant.getName();
  return "";
}

Value comm::getHandle(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}
