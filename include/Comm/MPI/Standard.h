//===- Standard.h - What the MPI standard says of each function -*- C++ -*-===//
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

/// What a parameter stands for. A handle class has a role each; `Integer` is any other number, `Memory` any other
/// memory (strings), `Address` a user's pointer that MPI only stores (attribute values, extra state).
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
  /// The number of elements of an array, as the standard names it: another parameter, a number, or "*".
  const char *length;
  Role role;
  Direction direction;
  bool isPointer;
  bool isArray;
  /// MPI may read or write the memory after the call returned, until the operation completes.
  bool isAsync;

  /// An OUT value that SSA can carry instead of memory, such as the rank of MPI_Comm_rank.
  bool isScalarOut() const;
  /// A number, or several: a rank, a count, a truth value.
  bool isNumber() const;
  /// C passes an address.
  bool isAddress() const { return isPointer || isArray; }
  bool reads() const { return direction != Direction::Out; }
  bool writes() const { return direction != Direction::In; }
};

/// The communication mode of a send (MPI-4, 3.4). Of a synchronous one the completion tells that the receive was
/// started; a buffered one needs buffer space that is free once former messages are received (MPI-4, 3.6).
enum class SendMode : unsigned char { None, Standard, Buffered, Synchronous, Ready };

/// A function of the C binding, e.g. MPI_Allreduce.
struct Function {
  const char *name;
  const char *resultType;
  /// The nonblocking form of a blocking function, and the other way round; "" if there is none.
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
  /// The result is an error code, MPI_SUCCESS or one that the error handler left (MPI-4, 9.3).
  bool returnsErrorCode;
  /// It is told of an error, and ends the program or calls an error handler, which may (MPI-4, 9.3 and 9.7).
  bool mayNotReturn;
  /// It is of MPI's files (MPI-4, chapter 14), which have error handlers of their own.
  bool isOfFiles;
  /// It is of the tool information interface, which has no error handlers (MPI-4, 15.3).
  bool isTool;
  SendMode sendMode;

  llvm::ArrayRef<Param> params() const { return {paramData, numParams}; }
  /// The index of the parameter of that name, or -1.
  int findParam(llvm::StringRef name) const;
  /// The parameters that describe the message in the buffer at that index: the first count and the first datatype after
  /// it (buffers of a reduction share theirs). -1 if there is none.
  int countOf(unsigned buffer) const { return findAfter(buffer, Role::Count); }
  int datatypeOf(unsigned buffer) const { return findAfter(buffer, Role::Datatype); }
  int findAfter(unsigned index, Role role) const;
  /// Whether the buffer at that index is a message, which a count and a datatype describe: others are windows',
  /// attached ones, and addresses that are asked for.
  bool isMessage(unsigned buffer) const { return countOf(buffer) >= 0 && datatypeOf(buffer) >= 0; }
  /// The index of the first parameter of that role and direction, or -1.
  int findRole(Role role, Direction direction) const;
  /// It makes, uses, synchronizes or ends a window: memory that other processes access (MPI-4, chapter 12).
  bool isOneSided() const;
  /// It makes, completes or asks about requests.
  bool usesRequests() const;
  /// Its result is all that it does: it converts what it is given (MPI_Comm_c2f, MPI_Aint_add).
  bool onlyConverts() const;
  /// It only answers in plain memory, or by its result, what it is asked (MPI_Get_count, MPI_Comm_rank). Others make an
  /// object, or change the state of MPI or of an object: MPI_Comm_group, MPI_Type_commit, MPI_Buffer_attach.
  bool onlyAsks() const;
  /// Whether a program can see by it when another process started a send or a receive that it is matched with, other
  /// than by waiting for it: it sends in synchronous or buffered mode, tells whether or which message has come
  /// (MPI_Test, MPI_Waitany, MPI_Iprobe, MPI_Parrived), or takes back what was not matched (MPI_Cancel). A receive or
  /// probe does so, too, if its source is MPI_ANY_SOURCE, which is for the caller to know.
  bool observesStarts() const;
  /// The parameter that tells from whom it receives or probes, or -1.
  int findSource() const;
  /// Whether MPI may use the memory that the parameter points to after the operation is over, or gives back memory that
  /// it used: attached buffers, addresses as numbers, windows, strings, attributes, the state of callbacks. It forgets
  /// where it wrote handles, statuses or numbers, and the buffers of messages. Asked of a nonblocking or persistent
  /// function, what its operation uses counts as kept; false for parameters that are not pointers.
  bool keepsAddress(unsigned index) const;
  /// The call may touch memory that no parameter points to: it calls back, keeps an address, or goes on with an
  /// operation that another call started (MPI_Start, MPI_Wait).
  bool reachesBeyondArguments() const;
  bool hasNonblocking() const { return nonblocking[0] != '\0'; }
};

/// All functions, sorted by name.
llvm::ArrayRef<Function> allFunctions();

/// The function of that name (`MPI_Send`, `MPI_Send_c`, ...), or null.
const Function *lookupFunction(llvm::StringRef name);

/// The function of the C binding that is called by that linker name: MPI_Send, PMPI_Send, Fortran's mpi_send_ and
/// mpi_send_f08_, which have the same parameters in the same order. Null if there is none.
const Function *lookupLinkerName(llvm::StringRef name);

/// True if the linker name is one that the standard reserves for MPI (MPI-4, 2.6.2): MPI_ or PMPI_ and a capital
/// letter, or Fortran's mpi_ and pmpi_. The name need not be one of a function that exists.
bool isReservedName(llvm::StringRef name);

} // namespace comm::mpi

#endif // COMM_MPI_STANDARD_H
