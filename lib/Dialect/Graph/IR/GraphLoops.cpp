//===- GraphLoops.cpp - Loops over graphs: syntax and verifiers ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Dialect/Graph/IR/Graph.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace comm::graph;

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

/// Returns the types of a domain's operands.
static SmallVector<Type, 2> getDomainTypes(Domain domain, MLIRContext *context) {
  switch (domain) {
  case Domain::vertices:
  case Domain::edges:
    return {comm::graph::GraphType::get(context)};
  case Domain::out_neighbors:
  case Domain::in_neighbors:
    return {comm::graph::GraphType::get(context), VertexType::get(context)};
  case Domain::children:
    return {LevelsType::get(context), VertexType::get(context)};
  case Domain::set:
    return {SetType::get(context)};
  case Domain::levels:
  case Domain::reverse_levels:
    return {LevelsType::get(context)};
  }
  return {};
}

/// Returns the types of an iteration's arguments.
static SmallVector<Type, 2> getArgumentTypes(Domain domain, MLIRContext *context) {
  Type vertex = VertexType::get(context), edge = EdgeType::get(context);
  if (domain == Domain::edges)
    return {edge};
  if (getDomainTypes(domain, context).size() == 2)
    return {vertex, edge};
  return {vertex};
}

//===----------------------------------------------------------------------===//
// graph.forall
//===----------------------------------------------------------------------===//

void ForallOp::build(OpBuilder &builder, OperationState &state, Domain domain, bool ordered, ValueRange over,
                     bool hasFilter) {
  state.addOperands(over);
  state.addAttribute(getDomainAttrName(state.name), DomainAttr::get(builder.getContext(), domain));
  if (ordered)
    state.addAttribute(getOrderedAttrName(state.name), builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type, 2> types = getArgumentTypes(domain, builder.getContext());
  SmallVector<Location, 2> locs(types.size(), state.location);
  Region *filter = state.addRegion(), *body = state.addRegion();
  if (hasFilter)
    builder.createBlock(filter, {}, types, locs);
  builder.createBlock(body, {}, types, locs);
  YieldOp::create(builder, state.location);
}

void ForallOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  if (region.getNumArguments() == 2)
    setName(region.getArgument(0), "neighbor");
  if (region.getNumArguments() > 0)
    setName(region.getArguments().back(), isa<EdgeType>(region.getArguments().back().getType()) ? "edge" : "vertex");
}

/// `(` names `)` region
static ParseResult parseRegion(OpAsmParser &parser, Region &region, ArrayRef<Type> types) {
  SmallVector<OpAsmParser::Argument> arguments;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren))
    return failure();
  if (arguments.size() != types.size())
    return parser.emitError(place) << "an iteration of this domain has " << types.size() << " arguments, and there are "
                                   << arguments.size();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  return parser.parseRegion(region, arguments);
}

ParseResult ForallOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalKeyword("ordered")))
    result.addAttribute(getOrderedAttrName(result.name), builder.getUnitAttr());
  StringRef keyword;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Domain> domain = symbolizeDomain(keyword);
  if (!domain)
    return parser.emitError(place) << "'" << keyword
                                   << "' is not a domain of a loop: use vertices, edges, out_neighbors, in_neighbors, "
                                      "children, set, levels or reverse_levels";
  result.addAttribute(getDomainAttrName(result.name), DomainAttr::get(builder.getContext(), *domain));
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(operands, getDomainTypes(*domain, builder.getContext()), place, result.operands))
    return failure();
  SmallVector<Type, 2> types = getArgumentTypes(*domain, builder.getContext());
  Region *filter = result.addRegion(), *body = result.addRegion();
  if (succeeded(parser.parseOptionalKeyword("where")) && parseRegion(parser, *filter, types))
    return failure();
  if (parser.parseKeyword("do") || parseRegion(parser, *body, types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  // The terminator of the body is implicit, and an empty body has no block yet.
  if (body->empty())
    body->emplaceBlock();
  Block &block = body->front();
  if (block.getNumArguments() == 0)
    for (Type type : types)
      block.addArgument(type, result.location);
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder end(builder.getContext());
    end.setInsertionPointToEnd(&block);
    YieldOp::create(end, result.location);
  }
  return success();
}

static void printArguments(OpAsmPrinter &printer, Region &region) {
  printer << " (";
  llvm::interleaveComma(region.getArguments(), printer, [&](Value argument) { printer.printOperand(argument); });
  printer << ") ";
}

void ForallOp::print(OpAsmPrinter &printer) {
  printer << (getOrdered() ? " ordered " : " ") << stringifyDomain(getDomain()) << '(';
  printer.printOperands(getOver());
  printer << ')';
  if (hasFilter()) {
    printer << " where";
    printArguments(printer, getFilter());
    printer.printRegion(getFilter(), /*printEntryBlockArgs=*/false);
  }
  printer << " do";
  printArguments(printer, getBody());
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getDomainAttrName(), getOrderedAttrName()});
}

LogicalResult ForallOp::verify() {
  SmallVector<Type, 2> types = getDomainTypes(getDomain(), getContext());
  if (!llvm::equal(getOver().getTypes(), types))
    return emitOpError() << "is over " << stringifyDomain(getDomain()) << " of values of other types: it needs "
                         << types;
  return success();
}

LogicalResult ForallOp::verifyRegions() {
  SmallVector<Type, 2> types = getArgumentTypes(getDomain(), getContext());
  for (Region *region : {&getFilter(), &getBody()}) {
    if (region->empty())
      continue;
    bool isFilter = region == &getFilter();
    if (!llvm::equal(region->getArgumentTypes(), types))
      return emitOpError() << "has a region whose arguments are not those of its domain: they are " << types;
    auto yield = dyn_cast<YieldOp>(region->front().back());
    if (!yield || bool(yield.getCondition()) != isFilter)
      return emitOpError(isFilter ? "has a filter that does not say whether the iteration runs: yield an i1"
                                  : "has a body that yields a value: yield nothing");
  }
  WalkResult changes = getFilter().walk([&](AccessOpInterface op) {
    for (const Access &access : op.getAccesses())
      if (access.kind != AccessKind::Read && !access.object.getDefiningOp<CellOp>())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (changes.wasInterrupted())
    return emitOpError("has a filter that changes something: move that into the body");
  return success();
}

/// Removes a loop with an empty body: its filter only reads, or stops the program.
LogicalResult ForallOp::canonicalize(ForallOp op, PatternRewriter &rewriter) {
  if (!llvm::hasSingleElement(op.getBody().front()) || !wouldOpBeTriviallyDead(op))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// graph.fixed_point
//===----------------------------------------------------------------------===//

ParseResult FixedPointOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand finished, property;
  if (parser.parseOperand(finished) ||
      parser.resolveOperand(finished, CellType::get(builder.getContext(), builder.getI1Type()), result.operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("until"))) {
    StringRef which;
    Type type;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&which))
      return failure();
    if (which != "none" && which != "all")
      return parser.emitError(place, "a fixed point is reached when 'none' or 'all' have the property");
    if (which == "all")
      result.addAttribute(getAllAttrName(result.name), builder.getUnitAttr());
    if (parser.parseOperand(property) || parser.parseColonType(type) ||
        parser.resolveOperand(property, type, result.operands))
      return failure();
  }
  if (parser.parseRegion(*result.addRegion()) || parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  return success();
}

void FixedPointOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getFinished();
  if (getProperty())
    printer << " until " << (getAll() ? "all " : "none ") << getProperty() << " : " << getProperty().getType();
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getAllAttrName()});
}

LogicalResult FixedPointOp::verify() {
  if (getAll() && !getProperty())
    return emitOpError("ends when all have a property, but names none: name one");
  if (cast<YieldOp>(getBody().front().back()).getCondition())
    return emitOpError("yields a value: set the variable instead");
  return success();
}
