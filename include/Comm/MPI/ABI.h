//===- ABI.h - What an MPI implementation's ABI spells ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How each MPI implementation spells MPI in LLVM IR: handles, constants,
// addresses with a meaning, the layout of MPI_Status. The tables come from the
// JSON files of lib/MPI/Bindings, which utils/mpi-bindings/extract.py reads off
// the implementations' own mpi.h. Nothing else in Comm knows an implementation.
//
// All sizes and offsets are in bytes, for x86-64 Linux. All lookups accept any
// string; they answer "none" for names they do not know.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_ABI_H
#define COMM_MPI_ABI_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace comm::mpi {

/// The kinds of opaque objects (MPI-5.0 section 2.5.1).
enum class HandleClass { Comm, Datatype, Op, Request, Group, Errhandler, Info, Message, Win, File, Session };

/// The name of the C type of a handle: "MPI_Comm".
llvm::StringRef getTypeName(HandleClass handleClass);

/// How a predefined handle, or an address such as MPI_IN_PLACE, is written in
/// LLVM IR.
struct HandleSpelling {
  enum Kind {
    /// The address of the global `symbol`: `ptr @ompi_mpi_comm_world`.
    Symbol,
    /// The constant `value` of type i32, sign-extended: `i32 1140850688`.
    Integer,
    /// The constant `value` as a pointer: `inttoptr (i64 257 to ptr)`, and
    /// `null` for 0.
    Pointer,
    /// The pointer that the global `symbol` holds: `load ptr, ptr
    /// @MPI_UNWEIGHTED`. Never a handle, only an address.
    Load
  };
  Kind kind;
  llvm::StringRef symbol;
  int64_t value;

  friend bool operator==(const HandleSpelling &a, const HandleSpelling &b) {
    return a.kind == b.kind && a.symbol == b.symbol && a.value == b.value;
  }
  friend bool operator!=(const HandleSpelling &a, const HandleSpelling &b) { return !(a == b); }
};

/// How messages travel: between processes of one node, or between nodes.
enum class Transport { Shared, Network };

/// What a call costs, in nanoseconds, as utils/mpi-bindings/costs.py measured it on one machine.
struct FormCost {
  uint64_t blocking;
  /// The nonblocking form and a wait right after it.
  uint64_t nonblocking;

  uint64_t getExtra() const { return nonblocking > blocking ? nonblocking - blocking : 0; }
};

/// The same, and of what.
struct MeasuredCost {
  Transport transport;
  unsigned processes;
  uint64_t bytes;
  FormCost cost;
};

/// Up to how many bytes an operation is over although nobody calls MPI, between two processes and among more; -1 if it
/// never is.
struct UnaidedLimits {
  int64_t ofTwo = -1, ofMore = -1;
};

namespace detail {
struct ABITables;
} // namespace detail

/// One MPI implementation as a compiler sees it. Instances live as long as the
/// program and are compared by address.
class ABI {
public:
  /// All implementations with a binding, sorted by name.
  static llvm::ArrayRef<ABI> all();

  /// The implementation called `name`: "mpi-abi", "mpich", "openmpi4",
  /// "openmpi5", or whatever else lib/MPI/Bindings holds. Null if there is
  /// none.
  static const ABI *lookup(llvm::StringRef name);

  /// Finds the implementation that a module was compiled for. `hasSymbol` tells
  /// whether the module declares or defines a symbol; `commIsInteger` whether
  /// its MPI calls pass communicators as integers; `passesHandle`, if given,
  /// whether some call passes this constant pointer as a handle of this class.
  ///
  /// Pointer handles need positive evidence: the symbol of a predefined handle,
  /// or a constant seen by `passesHandle`. Of several implementations that
  /// remain, those that lack an MPI function or handle symbol which the module
  /// uses and another one has are struck out, and the first by name wins: Open
  /// MPI 4 and 5 spell the same handles the same way, so "openmpi4" is the
  /// answer unless the module uses something new in 5.
  ///
  /// Null if nothing fits, or if nothing tells (pointer handles, no symbol).
  static const ABI *detect(llvm::function_ref<bool(llvm::StringRef symbol)> hasSymbol, bool commIsInteger,
                           llvm::function_ref<bool(int64_t value, HandleClass handleClass)> passesHandle = nullptr);

  /// "openmpi4".
  llvm::StringRef getName() const;
  /// "Open MPI 4.1": for messages.
  llvm::StringRef getLibraryName() const;

  //===--------------------------------------------------------------------===//
  // Handles
  //===--------------------------------------------------------------------===//

  /// Whether a communicator is a pointer. Other classes may differ: MPICH's
  /// handles are integers, except MPI_File.
  bool handlesArePointers() const { return handlesArePointers(HandleClass::Comm); }
  bool handlesArePointers(HandleClass handleClass) const;

  /// Whether the implementation has this class at all (MPI_Session came with
  /// MPI 4.0).
  bool hasHandleClass(HandleClass handleClass) const;

  /// The spelling of a predefined handle: "MPI_COMM_WORLD".
  std::optional<HandleSpelling> getHandle(llvm::StringRef name) const;
  /// The class of a predefined handle: "MPI_COMM_WORLD" -> Comm.
  std::optional<HandleClass> getHandleClass(llvm::StringRef name) const;

  /// Calls `visit` for each predefined handle, sorted by name.
  void forEachHandle(
      llvm::function_ref<void(llvm::StringRef name, HandleClass handleClass, const HandleSpelling &spelling)> visit)
      const;

  /// The name of the handle whose spelling is the address of `symbol`
  /// ("ompi_mpi_int" -> "MPI_INT"), empty if there is none. Where several names
  /// have one spelling (MPI_LONG_LONG, MPI_LONG_LONG_INT), one of them is
  /// canonical: null handles, then names of the standard, then the shortest,
  /// then the first in the alphabet. getHandle of the answer has the same
  /// spelling.
  llvm::StringRef nameOfSymbol(llvm::StringRef symbol, HandleClass handleClass) const;
  /// The same for an integer or pointer constant. For i32 handles, `value` may
  /// be sign- or zero-extended.
  llvm::StringRef nameOfValue(int64_t value, HandleClass handleClass) const;
  /// The same for any spelling.
  llvm::StringRef nameOf(const HandleSpelling &spelling, HandleClass handleClass) const;

  //===--------------------------------------------------------------------===//
  // Fortran (MPI-5.0, 19.1 and 19.3)
  //===--------------------------------------------------------------------===//
  // Numbers and addresses of mpif.h, which differ from those of mpi.h. Integer
  // constants that calls pass (MPI_ANY_SOURCE) and statuses are as in C.

  /// Whether mpif.h is known.
  bool hasFortran() const;
  /// The name of the predefined handle that Fortran passes as that number: 0 of
  /// the class Comm is "MPI_COMM_WORLD" of Open MPI. Empty if there is none.
  llvm::StringRef nameOfFortranHandle(int64_t number, HandleClass handleClass) const;
  /// The common block whose address Fortran passes for an address constant:
  /// "mpi_fortran_bottom" for MPI_BOTTOM. Empty if there is none.
  llvm::StringRef getFortranBlock(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  /// The value of an integer constant (MPI_ANY_SOURCE, MPI_PROC_NULL), or the
  /// bits of an address constant (MPI_IN_PLACE, MPI_BOTTOM,
  /// MPI_STATUS_IGNORE). None if unknown, or not known before run time (MPICH's
  /// MPI_UNWEIGHTED; see getAddress).
  std::optional<int64_t> getConstant(llvm::StringRef name) const;
  /// The spelling of an address constant: Pointer, Symbol or Load.
  std::optional<HandleSpelling> getAddress(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Predefined datatypes
  //===--------------------------------------------------------------------===//

  /// Bytes of data in one element, as MPI_Type_size: MPI_INT -> 4,
  /// MPI_DOUBLE_INT -> 12. None for what the implementation does not have, what
  /// has no fixed size, and what the header cannot tell (the standard ABI
  /// leaves MPI_INTEGER to run time).
  std::optional<unsigned> getDatatypeSize(llvm::StringRef name) const;
  /// Bytes from one element to the next, as MPI_Type_get_extent:
  /// MPI_DOUBLE_INT -> 16. The lower bound is 0.
  std::optional<unsigned> getDatatypeExtent(llvm::StringRef name) const;
  /// Whether this is a pair type of MINLOC and MAXLOC (MPI-5.0 section 6.9.4).
  bool isPairDatatype(llvm::StringRef name) const;
  /// Whether size and extent are equal, so that `count` elements are exactly
  /// count * size bytes. False for unknown datatypes.
  bool isPredefinedContiguous(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Layout
  //===--------------------------------------------------------------------===//

  unsigned getStatusSize() const;
  unsigned getStatusAlignment() const;
  unsigned getStatusSourceOffset() const;
  unsigned getStatusTagOffset() const;
  unsigned getStatusErrorOffset() const;

  /// sizeof a type: MPI_Aint, MPI_Count, MPI_Offset, MPI_Fint (not in the
  /// standard ABI), and all handles.
  std::optional<unsigned> getTypeSize(llvm::StringRef name) const;
  unsigned getRequestSize() const;

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  /// Whether the implementation's mpi.h declares this function. PMPI_ names are
  /// the same functions and are accepted.
  bool hasFunction(llvm::StringRef name) const;
  /// Whether that blocking reduction and its nonblocking form have been seen to
  /// combine floating-point numbers in one order, so that their last digits are
  /// the same, among some processes (see mpi::SumOrder::Ordered).
  bool addsInOrder(llvm::StringRef blocking) const;

  /// Whether the nonblocking form of this blocking function does what the
  /// function does, as MPI wants (MPI-4, 6.12), as far as is known. Where the
  /// two neighbors in a dimension are one process (a periodic grid of 1 or 2
  /// processes), Open MPI 4.1 and 5.0 exchange the two blocks in
  /// MPI_Ineighbor_alltoall, its v and w form, but not in the blocking ones. The
  /// standard ABI is that of any library.
  bool nonblockingAgrees(llvm::StringRef blocking) const;

  //===--------------------------------------------------------------------===//
  // Costs
  //===--------------------------------------------------------------------===//
  // Measured (lib/MPI/Costs), and none where they were not. The bytes of a
  // call are those of one block: its first count (of this process, if there
  // is one for each) times the size of its datatype. `processes` may be any
  // number: the next larger one that was measured answers, else the largest.

  /// What the two forms of a function cost for the largest measured block of at
  /// most that many bytes.
  std::optional<FormCost> getFormCost(llvm::StringRef blocking, Transport transport, unsigned processes,
                                      uint64_t bytes) const;
  /// Calls `visit` with that for each transport and number of processes that
  /// were measured; with those of all blocks if the bytes are not known.
  void forEachFormCost(llvm::StringRef blocking, std::optional<uint64_t> bytes,
                       llvm::function_ref<void(const MeasuredCost &)> visit) const;
  /// The longest message that arrives while its sender, which started it,
  /// computes. A longer one waits for the sender's next call of MPI.
  std::optional<uint64_t> getEagerLimit(Transport transport) const;

  /// The same for a nonblocking collective between nodes (lib/MPI/Progress), in bytes of a block. None where it was not
  /// measured.
  std::optional<UnaidedLimits> getUnaidedLimits(llvm::StringRef blocking) const;

  explicit constexpr ABI(const detail::ABITables &tables) : tables(&tables) {}

private:
  const detail::ABITables *tables;
};

} // namespace comm::mpi

#endif // COMM_MPI_ABI_H
