//===- Sema.h - Semantic analysis of StarPlat programs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TARGET_STARPLAT_SEMA_H
#define COMM_TARGET_STARPLAT_SEMA_H

#include "AST.h"
#include "Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace comm::starplat {

/// Resolves names and computes the types of expressions. Reports semantic errors.
class Sema {
public:
  /// `permissive`, `untilUnset`: see StarPlatOptions.
  Sema(Program &program, Diagnostics &diagnostics, bool permissive, bool untilUnset)
      : program(program), diagnostics(diagnostics), permissive(permissive), untilUnset(untilUnset) {}

  void run();

private:
  struct Scope {
    std::vector<Symbol *> symbols;
    /// The last iterateInBFS among the statements of this block.
    Stmt *traversal = nullptr;
  };

  void analyze(Function &function);
  void reportUnset();
  void reportMissingReturn();

  // Names.
  void declare(Symbol &symbol);
  Symbol *find(llvm::StringRef name) const;
  Symbol *findProperty(llvm::StringRef name, Type::Kind kind) const;
  Symbol *findProperty(llvm::StringRef name) const;
  Symbol *findList(llvm::StringRef name) const;
  Symbol *declareImplicitly(const Expr &name, Type type, Type::Kind value);
  void noteSimilar(llvm::StringRef name, llvm::SMLoc place, bool isProperty);
  void markRead(Symbol &symbol, llvm::SMLoc place);
  void markWritten(const Expr &target);

  // Statements.
  void analyze(Stmt &stmt);
  void analyzeBlock(Stmt &block);
  void analyzeDeclaration(Stmt &stmt);
  void analyzeAssign(Stmt &stmt);
  void analyzeReduction(Stmt &stmt);
  void analyzeAttach(Stmt &stmt);
  void analyzeForIn(Stmt &stmt);
  void analyzeLoop(Stmt &stmt);
  void analyzeFixedPoint(Stmt &stmt);
  void analyzeBFS(Stmt &stmt);
  void analyzeReverse(Stmt &stmt);
  void analyzeReturn(Stmt &stmt);
  void analyzeLeave(Stmt &stmt);
  void analyzeFilter(Stmt &stmt);
  void analyzeCondition(Expr &condition);
  void enterLoop(Stmt &stmt, bool isParallel);
  void analyzeLoopBody(Stmt &stmt, Stmt &body, bool isParallel);
  bool resolveIterable(Stmt &stmt);

  // Expressions.
  Type check(Expr &expr);
  Type checkName(Expr &expr);
  Type checkMember(Expr &expr, Type written = Type{Type::Error});
  Type checkMethod(Expr &expr);
  Type checkListMethod(Expr &expr);
  Type checkElement(Expr &expr);
  Type checkMapMethod(Expr &expr);
  Type checkReference(Stmt &stmt);
  Type checkCall(Expr &expr);
  Type checkUnary(Expr &expr);
  Type checkBinary(Expr &expr);
  Type checkTarget(Expr &target, const Expr *value);
  bool checkCount(const Expr &expr, size_t wanted);
  bool expectGraph(Expr &expr);
  void expectOwnGraph(llvm::SMLoc place, const llvm::Twine &what);
  bool expectVertex(Expr &expr);
  void expectConvertible(const Expr &expr, Type to);
  Type error(llvm::SMLoc place, const llvm::Twine &text);

  Program &program;
  Diagnostics &diagnostics;
  bool permissive, untilUnset;

  llvm::StringMap<Function *> functions;
  Function *function = nullptr;
  std::vector<Scope> scopes;
  /// All variables of the function, for diagnostics at its end.
  std::vector<Symbol *> variables;
  std::vector<std::pair<Stmt *, bool>> loops;
  llvm::DenseMap<const Symbol *, const Stmt *> loopOf;
  unsigned parallelDepth = 0;
  /// The element of the filter being checked: a property without a vertex refers to it.
  Symbol *filterElement = nullptr;
  bool inEdgeAttach = false;
};

/// Gives a literal or infinity the type that its context requires.
void adapt(Expr &expr, Type wanted);
/// Returns the type of an arithmetic operation on both.
Type promote(Type a, Type b);
bool isConvertible(Type from, Type to);

} // namespace comm::starplat

#endif // COMM_TARGET_STARPLAT_SEMA_H
