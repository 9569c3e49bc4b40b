//===- State.h - What Python holds of MLIR, and whether it lives -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ownership. An operation that is in no block is owned by its OpState, and so by the Python objects that share it: the
// module of a Module, or an operation that was built and not yet inserted. Whatever is inside of it belongs to it.
// Objects for what is inside are only handles: each context has tables of the operations and blocks that Python has
// handles of, by address, and what deletes them marks those handles dead (erase, the end of the owner, passes). A dead
// handle raises. So:
//
//  - Every function that deletes IR goes through kill(); C++ code that may delete what it likes (passes) kills all
//    handles within its operation before and after.
//  - No operand refers to another owner's value, with one exception: an operation that is in no block, and is no
//  module,
//    may use values of others, which it then keeps alive (`dependencies`). Passes are refused while that is so.
//  - While passes run, a Python pass changes nothing outside of its own operation (checkMutable).
//
// All of this is protected by Python's global lock, which is never released while C++ code works on IR.
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

/// A run of a pass manager that has not returned.
struct RunFrame {
  MlirOperation root;                          ///< what it runs on
  MlirOperation anchor{nullptr};               ///< the operation of the Python pass that runs now, if any
  std::vector<std::weak_ptr<OpState>> created; ///< handles made since the run began
  std::vector<std::weak_ptr<BlockState>> blocks;
  py::object error;     ///< what a Python pass raised
  size_t numErrors = 0; ///< that the Python pass which runs has emitted
};

struct ContextState : std::enable_shared_from_this<ContextState> {
  ContextState();
  ~ContextState();
  MlirContext context;
  std::unordered_map<void *, OpState *> ops;
  std::unordered_map<void *, BlockState *> blocks;
  std::unordered_set<OpState *> dependents; ///< operations with dependencies
  std::vector<RunFrame *> runs;
  uint64_t numChanges = 1; ///< of any IR of the context
  py::list handlers;       ///< of diagnostics that are no errors
  py::list keepAlive;      ///< objects that live as long as the context

  /// The state of a context that was made here.
  static std::shared_ptr<ContextState> of(MlirContext context);
};
using ContextRef = std::shared_ptr<ContextState>;

struct OpState : std::enable_shared_from_this<OpState> {
  OpState(ContextRef context, MlirOperation op) : context(std::move(context)), op(op) {}
  ~OpState();
  ContextRef context;
  MlirOperation op;
  const char *death = nullptr;                        ///< why it is dead
  bool owned = false;                                 ///< in no block: this state deletes it
  bool isModule = false;                              ///< of a Module
  uint64_t verified = 0;                              ///< numChanges of the context when it was verified as a whole
  std::vector<std::shared_ptr<OpState>> dependencies; ///< owners of values that it uses while in no block
  std::shared_ptr<OpState> host;                      ///< the owner that it was inserted into, if others depend on it

  /// The operation; raises if it is dead.
  MlirOperation get() const;
};
using OpRef = std::shared_ptr<OpState>;

struct BlockState : std::enable_shared_from_this<BlockState> {
  BlockState(ContextRef context, MlirBlock block) : context(std::move(context)), block(block) {}
  ~BlockState();
  ContextRef context;
  MlirBlock block;
  const char *death = nullptr;
  uint64_t numErasedArgs = 0; ///< an argument's handle is dead once this changed
  OpRef owner;                ///< of a block of an owned operation: keeps that
  MlirBlock get() const;
};
using BlockRef = std::shared_ptr<BlockState>;

/// A value, by what defines it: exactly one of the two is set.
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

/// InvalidatedError: the object is gone.
[[noreturn]] void throwDead(const std::string &what, const char *why);
extern py::object mlirErrorType, invalidatedErrorType;
std::string toString(MlirStringRef text);
inline MlirStringRef toRef(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }
/// For MlirStringCallback: appends to a std::string.
void appendTo(MlirStringRef text, void *userData);

struct DiagnosticInfo {
  MlirDiagnosticSeverity severity;
  MlirLocation location;
  std::string message;
  std::vector<DiagnosticInfo> notes;
};
/// Collects the diagnostics of a context for as long as it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(const ContextRef &context);
  ~DiagnosticCollector();
  DiagnosticCollector(const DiagnosticCollector &) = delete;
  /// Raises MLIRError: `what`, and the errors that there were.
  [[noreturn]] void raise(const std::string &what);
  /// Hands what is no error to the handlers of the context.
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

/// The state of an operation that is known to live.
OpRef internOp(const ContextRef &context, MlirOperation op);
BlockRef internBlock(const ContextRef &context, MlirBlock block);
ValueRef makeValue(const ContextRef &context, MlirValue value);
/// Takes over a new operation that is in no block.
OpRef adoptOp(const ContextRef &context, MlirOperation op);

/// Marks handles dead: of what is inside the operation and, with `self`, its own.
void kill(ContextState &context, MlirOperation op, bool self, const char *why);
/// Of a block and what is in it.
void killBlock(ContextState &context, MlirBlock block, const char *why);

bool isWithin(MlirOperation op, MlirOperation ancestor);
MlirOperation rootOf(MlirOperation op);
MlirOperation definerOf(MlirValue value); ///< the operation that defines it, or holds its block

/// Raises unless both are of one context.
void checkSame(const ContextRef &a, const ContextRef &b);
/// Raises if passes run that do not expect a change of this operation's attributes and regions or, with `itself`, of
/// its place, operands and results.
void checkMutable(const OpState &op, bool itself = false);
void checkMutable(const BlockState &block);
/// Before `user` gets an operand: raises if the value belongs to another owner and cannot be kept.
void checkUse(const OpRef &user, MlirValue value);
void checkSuccessor(const OpRef &user, MlirBlock block);
/// Raises if a value of the operation, or of what is in it, is used outside of it.
void checkNoOutsideUse(MlirOperation op, const char *what);
/// Raises if something in the operation uses a value from outside of it that is not of `root`.
void checkUsesOnly(MlirOperation op, MlirOperation root);
/// An owned operation was put into a block: its new owner deletes it.
void joined(const OpRef &op);
/// Operations in no block that use values of the operation's owner, or null.
OpState *findDependent(ContextState &context, MlirOperation root);
/// MLIR's verifier of linalg.index, which the printer calls, too, reads a parent that this one lacks.
bool crashesVerifier(MlirOperation op);
/// Verifies unless it was and nothing changed since; raises.
void verify(const OpRef &op, const std::string &what);

} // namespace comm::python

#endif // COMM_PYTHON_STATE_H
