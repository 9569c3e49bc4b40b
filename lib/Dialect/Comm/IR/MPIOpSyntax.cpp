//===- MPIOpSyntax.cpp - Shared syntax of MPI ops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   comm.NAME [async] { parameter(%operand, ... [: type, ...]) } [attributes] [-> outcome, ...]
//
// A type is omitted if it is the parameter's usual one: !comm.comm for a communicator, i32 for a number.
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Comm/IR/CommDialect.h"
#include "Comm/Dialect/Comm/IR/MPIOpSupport.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace comm;

/// Attributes that follow from the syntax and are not printed.
static constexpr StringLiteral inherentAttributes[] = {"mode", "operandSegmentSizes", "resultSegmentSizes"};

/// Returns the type that the syntax omits, or null if the type is always written.
static Type getUsualType(const mpi::Function &function, StringRef param, MLIRContext *context) {
  int index = function.findParam(param);
  if (index < 0) // the request of an async form: memory
    return nullptr;
  const mpi::Param &p = function.params()[index];
  switch (p.role) {
  case mpi::Role::Request:
    return RequestType::get(context);
  case mpi::Role::Datatype:
  case mpi::Role::Comm:
  case mpi::Role::Op:
  case mpi::Role::Win:
  case mpi::Role::Group:
  case mpi::Role::Info:
    return p.isPointer ? Type() : getOutcomeType(function, param, context);
  case mpi::Role::Message:
    return MessageType::get(context);
  default:
    return p.isPointer ? Type() : Type(IntegerType::get(context, 32));
  }
}

static ParseResult parseParam(OpAsmParser &parser, Type usual,
                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands, SmallVectorImpl<Type> &types) {
  if (parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  size_t before = operands.size();
  if (parser.parseOperandList(operands))
    return failure();
  size_t count = operands.size() - before;
  if (count == 0)
    return parser.emitError(loc, "expected an operand: leave out a parameter that is absent");
  if (succeeded(parser.parseOptionalColon())) {
    size_t typesBefore = types.size();
    if (parser.parseTypeList(types))
      return failure();
    if (types.size() - typesBefore != count)
      return parser.emitError(loc) << count << " operands but " << types.size() - typesBefore << " types";
  } else if (usual) {
    types.append(count, usual);
  } else {
    return parser.emitError(parser.getCurrentLocation(), "expected ':' and the operand's type");
  }
  return parser.parseRParen();
}

ParseResult comm::detail::parseMPIOp(OpAsmParser &parser, OperationState &state, StringRef functionName,
                                     ArrayRef<StringRef> params, ArrayRef<StringRef> outcomes,
                                     MutableArrayRef<int32_t> operandSegments, MutableArrayRef<int32_t> resultSegments,
                                     ModeAttr &mode) {
  const mpi::Function &function = *mpi::lookupFunction(functionName);
  MLIRContext *context = parser.getContext();
  bool isAsync = succeeded(parser.parseOptionalKeyword("async"));
  mode = ModeAttr::get(context, isAsync ? Mode::async : Mode::blocking);

  SmallVector<SmallVector<OpAsmParser::UnresolvedOperand>> operands(params.size());
  SmallVector<SmallVector<Type>> types(params.size());
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  while (loc = parser.getCurrentLocation(), succeeded(parser.parseOptionalKeyword(&keyword, params))) {
    const auto *it = llvm::find(params, keyword);
    size_t index = it - params.begin();
    if (!operands[index].empty())
      return parser.emitError(loc) << "parameter '" << keyword << "' is given twice";
    if (parseParam(parser, getUsualType(function, keyword, context), operands[index], types[index]))
      return failure();
  }
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  // They would override the syntax with a value of any type.
  for (StringRef name : inherentAttributes)
    if (state.attributes.getNamed(name))
      return parser.emitError(attributesLoc)
             << "'" << name << "' follows from the syntax and cannot be given as an attribute";

  SmallVector<int32_t> present(outcomes.size(), 0);
  if (succeeded(parser.parseOptionalArrow())) {
    auto parseOutcome = [&]() -> ParseResult {
      SMLoc outcomeLoc = parser.getCurrentLocation();
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      const auto *it = llvm::find(outcomes, name);
      if (it == outcomes.end())
        return parser.emitError(outcomeLoc)
               << functionName << " has no result '" << name << "': it has " << llvm::join(outcomes, ", ");
      size_t index = it - outcomes.begin();
      if (llvm::any_of(ArrayRef(present).drop_front(index), [](int32_t n) { return n != 0; }))
        return parser.emitError(outcomeLoc)
               << "results are given once each, in the order " << llvm::join(outcomes, ", ");
      present[index] = 1;
      state.addTypes(getOutcomeType(function, name, context));
      return success();
    };
    if (parser.parseCommaSeparatedList(parseOutcome))
      return failure();
  }
  for (auto [index, group] : llvm::enumerate(operands)) {
    if (parser.resolveOperands(group, types[index], loc, state.operands))
      return failure();
    if (!operandSegments.empty())
      operandSegments[index] = group.size();
  }
  if (!resultSegments.empty())
    llvm::copy(present, resultSegments.begin());
  return success();
}

void comm::detail::printMPIOp(OpAsmPrinter &printer, MPIOpInterface op) {
  if (op.isAsync())
    printer << " async";
  for (auto [index, name] : llvm::enumerate(op.getParamNames())) {
    OperandRange operands = op.getParamOperands(index);
    if (operands.empty())
      continue;
    printer << ' ' << name << '(';
    printer.printOperands(operands);
    Type usual = getUsualType(op.getFunction(), name, op->getContext());
    if (llvm::any_of(operands.getTypes(), [&](Type type) { return type != usual; })) {
      printer << " : ";
      llvm::interleaveComma(operands.getTypes(), printer);
    }
    printer << ')';
  }
  printer.printOptionalAttrDict(op->getAttrs(), SmallVector<StringRef>(ArrayRef(inherentAttributes)));
  SmallVector<StringRef> present;
  for (auto [index, name] : llvm::enumerate(op.getOutcomeNames()))
    if (!op.getOutcomeResults(index).empty())
      present.push_back(name);
  if (!present.empty())
    printer << " -> " << llvm::join(present, ", ");
}

std::vector<StringRef> comm::detail::stripResultSuffix(std::vector<StringRef> names) {
  for (StringRef &name : names)
    name.consume_back("_result");
  return names;
}
