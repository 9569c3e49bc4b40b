//===- State.h - What Python holds of MLIR, and whether it lives -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ownership. A detached operation, which is in no block, is owned by its OpState, and thus by the Python objects that
// share it: the module of a Module, or an operation that was built and not yet inserted. It owns everything inside of
// it. Python objects for what is inside are only handles. Each context has tables, by address, of the operations and
// blocks that have handles. Whoever deletes such IR (erase, the end of the owner, passes) marks its handles dead, and a
// dead handle raises. Therefore:
//
//  - Every function that deletes IR goes through kill(). C++ code that may delete anything (passes) kills all handles
//    within its operation before and after.
//  - No operand refers to another owner's value, with one exception: a detached operation that is not a module may use
//    values of other owners, which it keeps alive (`dependencies`). Passes do not run while such operations exist.
//  - While passes run, a Python pass changes nothing outside of its own operation (checkMutable).
//
// Python's global lock protects all of this. It is never released while C++ code works on IR.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_PYTHON_STATE_H
#define COMM_PYTHON_STATE_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace py = pybind11;

namespace comm::python {

struct OpState;
struct BlockState;

/// A pipeline that is running.
struct RunFrame {
  MlirOperation root;                          ///< the operation that it runs on
  MlirOperation anchor{nullptr};               ///< the operation of the running Python pass, if any
  std::vector<std::weak_ptr<OpState>> created; ///< handles made since the run began
  std::vector<std::weak_ptr<BlockState>> blocks;
  py::object error;     ///< the exception of a Python pass
  size_t numErrors = 0; ///< emitted by the running Python pass
};

struct ContextState : std::enable_shared_from_this<ContextState> {
  ContextState();
  ~ContextState();
  MlirContext context;
  std::unordered_map<void *, OpState *> ops;
  std::unordered_map<void *, BlockState *> blocks;
  std::unordered_set<OpState *> dependents; ///< operations with dependencies
  std::vector<RunFrame *> runs;
  uint64_t numChanges = 1; ///< changes of any IR of the context
  py::list handlers;       ///< handlers of diagnostics other than errors
  py::list keepAlive;      ///< objects that live as long as the context

  /// Returns the state of a context that this module made.
  static std::shared_ptr<ContextState> of(MlirContext context);
};
using ContextRef = std::shared_ptr<ContextState>;

struct OpState : std::enable_shared_from_this<OpState> {
  OpState(ContextRef context, MlirOperation op) : context(std::move(context)), op(op) {}
  ~OpState();
  ContextRef context;
  MlirOperation op;
  const char *death = nullptr;                        ///< why it is dead
  bool owned = false;                                 ///< in no block; this state deletes it
  bool isModule = false;                              ///< whether it is the operation of a Module
  uint64_t verified = 0;                              ///< context's numChanges at the last complete verification
  std::vector<std::shared_ptr<OpState>> dependencies; ///< owners of values that it uses while detached
  std::shared_ptr<OpState> host;                      ///< the owner that it was inserted into, if others depend on it

  /// Returns the operation. Raises if it is dead.
  MlirOperation get() const;
};
using OpRef = std::shared_ptr<OpState>;

struct BlockState : std::enable_shared_from_this<BlockState> {
  BlockState(ContextRef context, MlirBlock block) : context(std::move(context)), block(block) {}
  ~BlockState();
  ContextRef context;
  MlirBlock block;
  const char *death = nullptr;
  uint64_t numErasedArgs = 0; ///< an argument's handle is dead once this has changed
  OpRef owner;                ///< the owner of the block's operation, kept alive
  MlirBlock get() const;
};
using BlockRef = std::shared_ptr<BlockState>;

/// A value, by its definition: exactly one of `op` and `block` is set.
struct ValueRef {
  OpRef op;
  BlockRef block;
  MlirValue value{nullptr};
  uint64_t numErasedArgs = 0;
  const ContextRef &context() const { return op ? op->context : block->context; }
  MlirValue get() const;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Raises InvalidatedError.
[[noreturn]] void throwDead(const std::string &what, const char *why);
extern py::object mlirErrorType, invalidatedErrorType;
std::string toString(MlirStringRef text);
inline MlirStringRef toRef(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }
/// An MlirStringCallback that appends to a std::string.
void appendTo(MlirStringRef text, void *userData);

struct DiagnosticInfo {
  MlirDiagnosticSeverity severity;
  MlirLocation location;
  std::string message;
  std::vector<DiagnosticInfo> notes;
};
/// Collects the diagnostics of a context during its lifetime.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(const ContextRef &context);
  ~DiagnosticCollector();
  DiagnosticCollector(const DiagnosticCollector &) = delete;
  /// Raises MLIRError with `what` and the collected errors.
  [[noreturn]] void raise(const std::string &what);
  /// Passes diagnostics other than errors to the handlers of the context.
  void deliver();
  std::vector<DiagnosticInfo> diagnostics;

private:
  ContextRef context;
  MlirDiagnosticHandlerID id;
};
py::object toPython(const ContextRef &context, const DiagnosticInfo &info);

//===----------------------------------------------------------------------===//
// Handles, and their ends
//===----------------------------------------------------------------------===//

/// Returns the state of an operation that is known to be alive.
OpRef internOp(const ContextRef &context, MlirOperation op);
BlockRef internBlock(const ContextRef &context, MlirBlock block);
ValueRef makeValue(const ContextRef &context, MlirValue value);
/// Takes ownership of a new detached operation.
OpRef adoptOp(const ContextRef &context, MlirOperation op);

/// Marks handles dead: of everything inside the operation and, with `self`, of the operation.
void kill(ContextState &context, MlirOperation op, bool self, const char *why);
/// Marks the handles of a block and its contents dead.
void killBlock(ContextState &context, MlirBlock block, const char *why);

bool isWithin(MlirOperation op, MlirOperation ancestor);
MlirOperation rootOf(MlirOperation op);
MlirOperation definerOf(MlirValue value); ///< the operation that defines the value or contains its block

/// Raises unless both belong to one context.
void checkSame(const ContextRef &a, const ContextRef &b);
/// Raises if running passes do not allow changes of this operation's attributes and regions or, with `itself`, of its
/// position, operands and results.
void checkMutable(const OpState &op, bool itself = false);
void checkMutable(const BlockState &block);
/// Called before `user` gets an operand. Raises if the value belongs to another owner that cannot be kept alive.
void checkUse(const OpRef &user, MlirValue value);
void checkSuccessor(const OpRef &user, MlirBlock block);
/// Raises if a value of the operation or its regions is used outside of it.
void checkNoOutsideUse(MlirOperation op, const char *what);
/// Raises if the operation or its regions use an outside value that does not belong to `root`.
void checkUsesOnly(MlirOperation op, MlirOperation root);
/// Called when an owned operation was put into a block: the new owner deletes it.
void joined(const OpRef &op);
/// Returns a detached operation that uses values of the operation's owner, or null.
OpState *findDependent(ContextState &context, MlirOperation root);
/// Returns true for a linalg.index without the parent that MLIR's verifier, which the printer calls too, assumes.
bool crashesVerifier(MlirOperation op);
/// Verifies unless nothing has changed since the last verification. Raises on errors.
void verify(const OpRef &op, const std::string &what);

} // namespace comm::python

#endif // COMM_PYTHON_STATE_H
