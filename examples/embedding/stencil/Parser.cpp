// The language has one statement per line:
//
//   grid ROWS COLUMNS         the size of all fields
//   field NAME = EXPRESSION   a field, and its initial values, a function of the row i and the column j
//   steps N                   how often it is updated
//   NAME = EXPRESSION         an update from values before the step: NAME, or NAME[ROW, COLUMN] relative to it
//   print NAME                at the end, the sum of the squares
//
// Expressions consist of numbers, + - * / and parentheses. # starts a comment.
#include "Stencil.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace {
class Parser {
public:
  Parser(MLIRContext &context, StringRef file) : file(file), builder(UnknownLoc::get(&context), &context) {}
  OwningOpRef<ModuleOp> parse(StringRef text);

private:
  LogicalResult parseStatement();
  FailureOr<Value> parseSum();
  FailureOr<Value> parseProduct();
  FailureOr<Value> parseFactor();
  FailureOr<Value> parseRead(StringRef name);
  LogicalResult parseBody(Region &region, unsigned numArguments);
  FailureOr<int64_t> parseInteger();
  bool take(char c) {
    line = line.ltrim();
    return line.consume_front(StringRef(&c, 1));
  }
  StringRef takeName() {
    line = line.ltrim();
    size_t length = line.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_'; });
    StringRef name = line.take_front(length == StringRef::npos ? line.size() : length);
    line = line.drop_front(name.size());
    return name;
  }
  InFlightDiagnostic fail(const Twine &message) { return emitError(builder.getLoc(), message); }

  StringRef file, line;
  ImplicitLocOpBuilder builder;
  stencil::ProgramOp program;
  /// The row and the column in a field's body.
  Block *body = nullptr;
};
} // namespace

FailureOr<int64_t> Parser::parseInteger() {
  bool isNegative = take('-');
  line = line.ltrim();
  int64_t value;
  if (line.consumeInteger(10, value))
    return fail("an integer is missing before '" + line + "'");
  return isNegative ? -value : value;
}

FailureOr<Value> Parser::parseRead(StringRef name) {
  int64_t row = 0, column = 0;
  if (take('[')) {
    FailureOr<int64_t> first = parseInteger();
    if (failed(first))
      return failure();
    if (!take(','))
      return fail("a comma is missing before '" + line + "'");
    FailureOr<int64_t> second = parseInteger();
    if (failed(second))
      return failure();
    if (!take(']'))
      return fail("']' is missing before '" + line + "'");
    row = *first;
    column = *second;
  }
  return stencil::ReadOp::create(builder, builder.getF64Type(), name, row, column).getResult();
}

FailureOr<Value> Parser::parseFactor() {
  if (take('-')) {
    FailureOr<Value> value = parseFactor();
    return failed(value) ? value : FailureOr<Value>(arith::NegFOp::create(builder, *value).getResult());
  }
  if (take('(')) {
    FailureOr<Value> value = parseSum();
    if (succeeded(value) && !take(')'))
      return fail("')' is missing before '" + line + "'");
    return value;
  }
  line = line.ltrim();
  if (line.empty())
    return fail("the expression ends too early");
  if (llvm::isDigit(line.front())) {
    StringRef text = line.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
    double number;
    if (text.getAsDouble(number))
      return fail("'" + text + "' is not a number");
    line = line.drop_front(text.size());
    return arith::ConstantOp::create(builder, builder.getF64FloatAttr(number)).getResult();
  }
  StringRef name = takeName();
  if (name.empty())
    return fail("'" + line + "' begins no expression");
  if (isa<stencil::UpdateOp>(body->getParentOp()))
    return parseRead(name);
  if (name == "i" || name == "j")
    return Value(body->getArgument(name == "j"));
  return fail("first values depend on i and j only, not on '" + name + "'");
}

FailureOr<Value> Parser::parseProduct() {
  FailureOr<Value> left = parseFactor();
  while (succeeded(left)) {
    bool isProduct = take('*');
    if (!isProduct && !take('/'))
      break;
    FailureOr<Value> right = parseFactor();
    if (failed(right))
      return failure();
    left = isProduct ? arith::MulFOp::create(builder, *left, *right).getResult()
                     : arith::DivFOp::create(builder, *left, *right).getResult();
  }
  return left;
}

FailureOr<Value> Parser::parseSum() {
  FailureOr<Value> left = parseProduct();
  while (succeeded(left)) {
    bool isSum = take('+');
    if (!isSum && !take('-'))
      break;
    FailureOr<Value> right = parseProduct();
    if (failed(right))
      return failure();
    left = isSum ? arith::AddFOp::create(builder, *left, *right).getResult()
                 : arith::SubFOp::create(builder, *left, *right).getResult();
  }
  return left;
}

LogicalResult Parser::parseBody(Region &region, unsigned numArguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(numArguments, builder.getF64Type());
  body = builder.createBlock(&region, region.end(), types, SmallVector<Location>(numArguments, builder.getLoc()));
  FailureOr<Value> value = take('=') ? parseSum() : FailureOr<Value>(fail("'=' is missing before '" + line + "'"));
  if (failed(value))
    return failure();
  stencil::YieldOp::create(builder, *value);
  return success();
}

LogicalResult Parser::parseStatement() {
  StringRef word = takeName();
  if (word == "grid" || word == "steps") {
    FailureOr<int64_t> first = parseInteger();
    FailureOr<int64_t> second = word == "grid" && succeeded(first) ? parseInteger() : first;
    if (failed(first) || failed(second))
      return failure();
    if (*first < 1 || *second < 1)
      return fail("a number is too small");
    if (word == "steps") {
      program.setSteps(*first);
    } else {
      program.setRows(*first);
      program.setColumns(*second);
    }
    return success();
  }
  if (word == "print") {
    StringRef name = takeName();
    if (!program.lookupSymbol(name))
      return fail("'" + name + "' is not a field");
    stencil::PrintOp::create(builder, name);
    return success();
  }
  bool isField = word == "field";
  StringRef name = isField ? takeName() : word;
  if (name.empty())
    return fail("a name is missing before '" + line + "'");
  if (isField == !!program.lookupSymbol(name))
    return fail("'" + name + (isField ? "' is a field already" : "' is not a field"));
  if (isField)
    return parseBody(stencil::FieldOp::create(builder, name).getBody(), 2);
  return parseBody(stencil::UpdateOp::create(builder, name).getBody(), 0);
}

OwningOpRef<ModuleOp> Parser::parse(StringRef text) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToStart(module->getBody());
  program = stencil::ProgramOp::create(builder, 0, 0, 0);
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  for (unsigned number = 1; !text.empty(); ++number) {
    std::tie(line, text) = text.split('\n');
    line = line.split('#').first.trim();
    builder.setLoc(FileLineColLoc::get(builder.getContext(), file, number, 1));
    if (line.empty())
      continue;
    if (failed(parseStatement()))
      return nullptr;
    if (!line.trim().empty()) {
      fail("'" + line.trim() + "' is too much");
      return nullptr;
    }
  }
  if (program.getRows() == 0 || program.getSteps() == 0) {
    fail("a program has a grid and steps");
    return nullptr;
  }
  return failed(module->verify()) ? nullptr : std::move(module);
}

OwningOpRef<ModuleOp> stencil::parse(MLIRContext &context, StringRef file, StringRef text) {
  context.loadDialect<StencilDialect, arith::ArithDialect>();
  return Parser(context, file).parse(text);
}
