//===- AST.h - StarPlat programs as trees -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser creates these; semantic analysis fills in types and symbols. Plain structures, independent of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_AST_H
#define COMM_TARGET_STARPLAT_AST_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <memory>
#include <string>
#include <vector>

namespace comm::starplat {

struct Type {
  enum Kind {
    Error,
    Void,
    Bool,
    Int,
    Long,
    Float,
    Double,
    Node,
    Edge,
    Graph,
    Set,
    NodeProperty,
    EdgeProperty,
    List,
    Map,
    Auto
  };
  Kind kind = Error;
  /// The element type of a property or list.
  Kind value = Void;
  /// For lists and maps, the nesting depth.
  unsigned depth = 0;
  /// For maps, the key type, and that of a map within. A set maps to Void.
  Kind key = Void, innerKey = Void;

  static Type makeList(Type element) {
    bool isNested = element.kind == List;
    return {List, isNested ? element.value : element.kind, element.depth + 1};
  }
  /// Returns the element type of a list.
  Type getElement() const { return depth > 1 ? Type{List, value, depth - 1} : Type{value}; }
  bool isList() const { return kind == List; }
  bool isMap() const { return kind == Map; }
  /// Returns the type that a map associates with a key.
  Type getMapped() const { return depth > 1 ? Type{Map, value, depth - 1, innerKey} : Type{value}; }

  bool isProperty() const { return kind == NodeProperty || kind == EdgeProperty; }
  bool isError() const { return kind == Error; }
  bool isInteger() const { return kind == Int || kind == Long; }
  bool isFloat() const { return kind == Float || kind == Double; }
  bool isNumber() const { return isInteger() || isFloat(); }
  bool isElement() const { return kind == Node || kind == Edge; }
  bool isScalar() const { return kind == Bool || isNumber() || isElement(); }
  bool operator==(const Type &other) const {
    return kind == other.kind && value == other.value && depth == other.depth && key == other.key &&
           innerKey == other.innerKey;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }
};

/// A variable, parameter, property or loop variable.
struct Symbol {
  llvm::StringRef name;
  Type type;
  llvm::SMLoc place;
  bool isParameter = false;
  /// For a list parameter: `container<int> &name`. For a variable: `auto &name`, bound to a value in a map.
  bool isReference = false;
  /// A loop assigns its value.
  bool isLoopVariable = false;
  bool hasInitializer = false;
  unsigned numWrites = 0, numReads = 0;
  /// The first read.
  llvm::SMLoc readPlace;
  /// Number of foralls around the declaration.
  unsigned parallelDepth = 0;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum Kind {
    IntegerLiteral,
    FloatLiteral,
    BoolLiteral,
    Infinity,    // of the type that the context requires
    Name,        // symbol
    Member,      // operands[0].text: a property's value, an endpoint, or an element of a list, text[operands[0]]
    Element,     // operands[0][operands[1]]: of a list expression that is not a name
    Method,      // operands[0].text(operands[1...])
    Call,        // text(operands...)
    Unary,       // text operands[0]
    Cast,        // (text)operands[0]: the type is known from parsing
    Binary,      // operands[0] text operands[1]
    CurrentEdge, // in attachEdgeProperty: the edge whose value is set
  };
  Kind kind;
  llvm::SMLoc place;
  llvm::StringRef text;
  std::vector<ExprPtr> operands;
  uint64_t integer = 0;
  double number = 0;

  // Semantic analysis.
  Type type;
  Symbol *symbol = nullptr; // of a name; for a member, the property or list, or null for members of the graph itself

  bool isOfList() const {
    return kind == Element || (kind == Member && symbol && symbol->type.isList()) || isMappedName();
  }
  /// Whether this is a name bound to a scalar in a map.
  bool isMappedName() const { return kind == Name && symbol && symbol->isReference && symbol->type.isScalar(); }
};

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;

/// The kinds of collections that loops iterate over.
enum class Iterable { Vertices, Edges, OutNeighbors, InNeighbors, Set };

struct Stmt {
  enum Kind {
    Block,       // children
    Declaration, // symbol, expressions[0] if there is a value
    Assign,      // expressions[0] text expressions[1]; text: =, +=, ...
    Reduction,   // <targets> = <Min(target, value), values>: see targets and expressions
    If,          // expressions[0], children[0], children[1] if there is an else
    While,       // expressions[0], children[0]
    DoWhile,     // children[0], expressions[0]
    ForIn,       // symbol in iterable of expressions...; children[0]
    Loop,        // symbol from expressions[0] to [1] by [2]; children[0]
    CFor,        // children: start, body, step; expressions[0]
    FixedPoint,  // expressions: variable, condition; children[0]
    BFS,         // symbol, graph expressions[0], root [1]; children[0]
    Reverse,     // condition expressions[0] (may be null); children[0]
    Attach,      // one assignment of attachNodeProperty: expressions: graph, property, value
    Evaluate,    // expressions[0]
    Return,      // expressions[0] if there is a value
    Break,
    Continue,
  };
  Kind kind;
  llvm::SMLoc place;
  llvm::StringRef text;
  std::vector<StmtPtr> children;
  std::vector<ExprPtr> expressions;
  std::vector<ExprPtr> targets;
  ExprPtr filter;

  Type declaredType;
  llvm::StringRef name; // of the declaration
  bool isParallel = false;
  bool isMax = false;

  // Semantic analysis.
  std::unique_ptr<Symbol> symbol;
  Iterable iterable = Iterable::Vertices;
  /// For a loop directly in a breadth-first iteration: visits only neighbors on the next level.
  bool onlyNextLevel = false;
  Stmt *traversal = nullptr; // for Reverse and onlyNextLevel: the iteration that computes the levels
  bool isBuffered = false;   // for FixedPoint: writes to the property take effect in the next round
  bool asksNone = false;     // for FixedPoint: ends when no element has the property
  bool isOnce = false;       // for FixedPoint: ends after one round
  bool hasBreak = false, hasContinue = false;
  /// Contains a break, continue or return that leaves the statement early.
  bool mayLeave = false;
};

struct Function {
  llvm::StringRef name;
  llvm::SMLoc place;
  std::vector<std::unique_ptr<Symbol>> parameters;
  StmtPtr body;

  // Semantic analysis.
  Type result{Type::Void};
  bool hasGraph = true;
  /// Properties that the program uses but does not declare.
  std::vector<std::unique_ptr<Symbol>> implicitProperties;
};

struct Program {
  std::vector<std::unique_ptr<Function>> functions;
};

StmtPtr makeStmt(Stmt::Kind kind, llvm::SMLoc place);

/// Returns the type as written in programs: "int", "propNode<bool>".
std::string getName(Type type);

enum class EdgeEnd { Source, Target };
/// Returns the end of an edge that a member of this name is, or nothing.
std::optional<EdgeEnd> getEdgeEnd(llvm::StringRef member);
/// Whether both are structurally equal.
bool isSame(const Expr &a, const Expr &b);
/// Whether `part` occurs in `whole`.
bool contains(const Expr &whole, const Expr &part);
/// Calls `use` with each expression in the statement, including nested ones.
void forEachExpr(const Stmt &stmt, llvm::function_ref<void(const Expr &)> use);

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_AST_H
