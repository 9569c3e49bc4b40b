//===- Standard.h - MPI functions in the standard ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables generated at build time from the MPI Forum's machine-readable API (PyPI: pympistandard, MPI-4.1 and
// later). They are the only place in Comm where MPI functions are enumerated.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_STANDARD_H
#define COMM_MPI_STANDARD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace comm::mpi {

/// The meaning of a parameter. Each handle class has a role. `Integer` is any other number, `Memory` any other memory
/// (strings), `Address` a user's pointer that MPI only stores (attribute values, extra state).
enum class Role : uint8_t {
  Buffer,
  Datatype,
  Comm,
  Op,
  Request,
  Status,
  Message,
  Group,
  Errhandler,
  Info,
  File,
  Win,
  Session,
  Rank,
  Tag,
  Count,
  Displacement,
  Logical,
  Index,
  Integer,
  Memory,
  Address,
  Function,
  VarArgs
};

/// MPI-4, 2.3: IN is read, OUT is written, INOUT is both.
enum class Direction : uint8_t { In, Out, InOut };

/// A parameter of a function's C binding.
struct Param {
  const char *name;
  const char *cType;
  /// The length of an array, as the standard gives it: another parameter, a number, or "*".
  const char *length;
  Role role;
  Direction direction;
  bool isPointer;
  bool isArray;
  /// MPI may read or write the memory after the call returned, until the operation completes.
  bool isAsync;

  /// An OUT value that SSA can carry instead of memory, such as the rank of MPI_Comm_rank.
  bool isScalarOut() const;
  /// A number, or several: a rank, a count, a boolean.
  bool isNumber() const;
  /// C passes an address.
  bool isAddress() const { return isPointer || isArray; }
  bool reads() const { return direction != Direction::Out; }
  bool writes() const { return direction != Direction::In; }
};

/// The communication mode of a send (MPI-4, 3.4). Completion of a synchronous send implies that the receive was
/// started; a buffered send needs space that is free again once former messages are received (MPI-4, 3.6).
enum class SendMode : unsigned char { None, Standard, Buffered, Synchronous, Ready };

/// A function of the C binding, e.g. MPI_Allreduce.
struct Function {
  const char *name;
  const char *resultType;
  /// The nonblocking form of a blocking function, and vice versa; "" if there is none.
  const char *nonblocking;
  const char *blocking;
  /// The form with MPI_Count instead of int; "" if there is none.
  const char *large;
  const Param *paramData;
  unsigned numParams;
  /// No other process can take part or notice (datatypes, groups, time).
  bool isLocal;
  /// The call may run functions of the program: callbacks, attribute copy and delete functions.
  bool mayCallBack;
  /// Reads a clock.
  bool isTime;
  /// Whether the result is an error code: MPI_SUCCESS, or a code if the error handler returns (MPI-4, 9.3).
  bool returnsErrorCode;
  /// It is passed an error, and ends the program or calls an error handler, which may end it (MPI-4, 9.3 and 9.7).
  bool mayNotReturn;
  /// Whether it works on MPI's files (MPI-4, chapter 14), which have error handlers of their own.
  bool isOfFiles;
  /// Whether it belongs to the tool information interface, which has no error handlers (MPI-4, 15.3).
  bool isTool;
  SendMode sendMode;

  llvm::ArrayRef<Param> params() const { return {paramData, numParams}; }
  /// Returns the index of the parameter of this name, or -1.
  int findParam(llvm::StringRef name) const;
  /// Return the parameters that describe the message in this buffer: the first count and the first datatype after it
  /// (the buffers of a reduction share theirs). -1 if there is none.
  int countOf(unsigned buffer) const { return findAfter(buffer, Role::Count); }
  int datatypeOf(unsigned buffer) const { return findAfter(buffer, Role::Datatype); }
  int findAfter(unsigned index, Role role) const;
  /// Whether the buffer is a message, described by a count and a datatype. Other buffers are those of windows, attached
  /// buffers, and addresses for queries.
  bool isMessage(unsigned buffer) const { return countOf(buffer) >= 0 && datatypeOf(buffer) >= 0; }
  /// Returns the index of the first parameter of this role and direction, or -1.
  int findRole(Role role, Direction direction) const;
  /// Whether it creates, uses, synchronizes or frees a window: memory that other processes access (MPI-4, chapter 12).
  bool isOneSided() const;
  /// Whether it creates, completes or queries requests.
  bool usesRequests() const;
  /// Whether its result is its only effect: it converts its arguments (MPI_Comm_c2f, MPI_Aint_add).
  bool onlyConverts() const;
  /// Whether it is a query that returns its answer in plain memory, or as its result (MPI_Get_count, MPI_Comm_rank).
  /// Others create an object, or change the state of MPI or of an object: MPI_Comm_group, MPI_Type_commit,
  /// MPI_Buffer_attach.
  bool onlyAsks() const;
  /// Whether it lets a program observe when another process started a matching send or receive, other than by waiting
  /// for it: it sends in synchronous or buffered mode, tells whether or which message has arrived (MPI_Test,
  /// MPI_Waitany, MPI_Iprobe, MPI_Parrived), or takes back what was not matched (MPI_Cancel). So does a receive or
  /// probe whose source is MPI_ANY_SOURCE, which callers must check.
  bool observesStarts() const;
  /// Returns the index of the parameter with the source of a receive or probe, or -1.
  int findSource() const;
  /// Whether MPI may use the memory that the parameter points to after the operation is complete, or returns memory
  /// that it used: attached buffers, addresses as numbers, windows, strings, attributes, the state of callbacks. It
  /// does not keep the addresses to which it wrote handles, statuses or numbers, nor the buffers of messages. For a
  /// nonblocking or persistent function, everything that its operation uses counts as kept. False for parameters that
  /// are not pointers.
  bool keepsAddress(unsigned index) const;
  /// Whether the call may touch memory that no parameter points to: it calls back, keeps an address, or continues an
  /// operation that another call started (MPI_Start, MPI_Wait).
  bool reachesBeyondArguments() const;
  bool hasNonblocking() const { return nonblocking[0] != '\0'; }
};

/// All functions, sorted by name.
llvm::ArrayRef<Function> allFunctions();

/// Returns the function of this name (`MPI_Send`, `MPI_Send_c`, ...), or null.
const Function *lookupFunction(llvm::StringRef name);

/// Returns the function of the C binding for a linker name: MPI_Send, PMPI_Send, or Fortran's mpi_send_ and
/// mpi_send_f08_, which have the same parameters in the same order. Null if there is none.
const Function *lookupLinkerName(llvm::StringRef name);

/// Whether the standard reserves the linker name for MPI (MPI-4, 2.6.2): MPI_ or PMPI_ and a capital letter, or
/// Fortran's mpi_ and pmpi_. The function need not exist.
bool isReservedName(llvm::StringRef name);

} // namespace comm::mpi

#endif // COMM_MPI_STANDARD_H
