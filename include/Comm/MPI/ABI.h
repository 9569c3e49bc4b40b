//===- ABI.h - Representation of MPI in an ABI ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How each MPI implementation represents MPI in LLVM IR: handles, constants, addresses with a special meaning, the
// layout of MPI_Status. The tables come from the JSON files of lib/MPI/Bindings, which utils/mpi-bindings/extract.py
// reads from the implementations' own mpi.h. No other part of Comm depends on an implementation.
//
// All sizes and offsets are in bytes, for x86-64 Linux. All lookups accept any string and return none for unknown
// names.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_MPI_ABI_H
#define COMM_MPI_ABI_H

#include "Comm/MPI/Standard.h"

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

/// Returns the class of handles with this role; none for other roles.
std::optional<HandleClass> getHandleClass(Role role);

/// How a predefined handle, or an address such as MPI_IN_PLACE, is written in LLVM IR.
struct HandleRepresentation {
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

  friend bool operator==(const HandleRepresentation &a, const HandleRepresentation &b) {
    return a.kind == b.kind && a.symbol == b.symbol && a.value == b.value;
  }
  friend bool operator!=(const HandleRepresentation &a, const HandleRepresentation &b) { return !(a == b); }
};

/// The transport of messages: between processes of one node, or between nodes.
enum class Transport { Shared, Network };

/// The cost of a call in nanoseconds, as measured by utils/mpi-bindings/costs.py on one machine.
struct FormCost {
  uint64_t blocking;
  /// The nonblocking form followed directly by a wait.
  uint64_t nonblocking;

  uint64_t getExtra() const { return nonblocking > blocking ? nonblocking - blocking : 0; }
};

/// A cost and its setting.
struct MeasuredCost {
  Transport transport;
  unsigned processes;
  uint64_t bytes;
  FormCost cost;
};

/// The largest message or block, in bytes, for which an operation completes even if no process calls MPI: between two
/// processes, and among more. -1 if it never does.
struct UnaidedLimits {
  int64_t ofTwo = -1, ofMore = -1;
};

namespace detail {
struct ABITables;
} // namespace detail

/// An MPI implementation from the compiler's point of view. Instances live as long as the program and are compared by
/// address.
class ABI {
public:
  /// All implementations with a binding, sorted by name.
  static llvm::ArrayRef<ABI> all();

  /// Returns the implementation called `name`: "mpi-abi", "mpich", "openmpi4", "openmpi5", or any other in
  /// lib/MPI/Bindings. Null if there is none.
  static const ABI *lookup(llvm::StringRef name);

  /// Finds the implementation that a module was compiled for. `hasSymbol` tells whether the module declares or defines
  /// a symbol; `commIsInteger` whether its MPI calls pass communicators as integers; `passesHandle`, if given, whether
  /// some call passes this constant pointer as a handle of this class.
  ///
  /// Pointer handles need positive evidence: the symbol of a predefined handle, or a constant seen by `passesHandle`.
  /// If several implementations remain, those that lack an MPI function or handle symbol that the module uses and
  /// another one has are excluded, and the first one by name wins: Open MPI 4 and 5 represent the same handles in the
  /// same way, so the result is "openmpi4" unless the module uses something new in 5.
  ///
  /// Returns null if nothing fits, or if there is no evidence (pointer handles without symbols).
  static const ABI *detect(llvm::function_ref<bool(llvm::StringRef symbol)> hasSymbol, bool commIsInteger,
                           llvm::function_ref<bool(int64_t value, HandleClass handleClass)> passesHandle = nullptr);

  /// "openmpi4".
  llvm::StringRef getName() const;
  /// "Open MPI 4.1", for messages.
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

  /// The representation of a predefined handle: "MPI_COMM_WORLD".
  std::optional<HandleRepresentation> getHandle(llvm::StringRef name) const;
  /// The class of a predefined handle: "MPI_COMM_WORLD" -> Comm.
  std::optional<HandleClass> getHandleClass(llvm::StringRef name) const;

  /// Calls `visit` for each predefined handle, sorted by name.
  void forEachHandle(llvm::function_ref<void(llvm::StringRef name, HandleClass handleClass,
                                             const HandleRepresentation &representation)>
                         visit) const;

  /// Returns the name of the handle whose representation is the address of `symbol` ("ompi_mpi_int" -> "MPI_INT"),
  /// empty if there is none. If several names have one representation (MPI_LONG_LONG, MPI_LONG_LONG_INT), one of them
  /// is canonical: null handles come first, then names of the standard, then the shortest, then alphabetical order.
  /// getHandle of the result has the same representation.
  llvm::StringRef nameOfSymbol(llvm::StringRef symbol, HandleClass handleClass) const;
  /// The same for an integer or pointer constant. For i32 handles, `value` may
  /// be sign- or zero-extended.
  llvm::StringRef nameOfValue(int64_t value, HandleClass handleClass) const;
  /// The same for any representation.
  llvm::StringRef nameOf(const HandleRepresentation &representation, HandleClass handleClass) const;

  //===--------------------------------------------------------------------===//
  // Fortran (MPI-5.0, 19.1 and 19.3)
  //===--------------------------------------------------------------------===//
  // Numbers and addresses of mpif.h, which differ from those of mpi.h. Integer constants passed to calls
  // (MPI_ANY_SOURCE) and statuses are the same as in C.

  /// Whether mpif.h is known.
  bool hasFortran() const;
  /// Returns the name of the predefined handle that Fortran passes as this number: 0 of class Comm is Open MPI's
  /// "MPI_COMM_WORLD". Empty if there is none.
  llvm::StringRef nameOfFortranHandle(int64_t number, HandleClass handleClass) const;
  /// Returns the common block whose address Fortran passes for an address constant: "mpi_fortran_bottom" for
  /// MPI_BOTTOM. Empty if there is none.
  llvm::StringRef getFortranBlock(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  /// Returns the value of an integer constant (MPI_ANY_SOURCE, MPI_PROC_NULL), or the bits of an address constant
  /// (MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS_IGNORE). None if unknown, or only known at run time (MPICH's MPI_UNWEIGHTED;
  /// see getAddress).
  std::optional<int64_t> getConstant(llvm::StringRef name) const;
  /// The representation of an address constant: Pointer, Symbol or Load.
  std::optional<HandleRepresentation> getAddress(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Predefined datatypes
  //===--------------------------------------------------------------------===//

  /// Returns the bytes of data in one element, like MPI_Type_size: MPI_INT -> 4, MPI_DOUBLE_INT -> 12. None if the
  /// implementation lacks the type, if its size is not fixed, or if the header does not show it (the standard ABI
  /// determines MPI_INTEGER at run time).
  std::optional<unsigned> getDatatypeSize(llvm::StringRef name) const;
  /// Returns the distance in bytes between elements, like MPI_Type_get_extent: MPI_DOUBLE_INT -> 16. The lower bound is
  /// 0.
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
  /// The largest size in any implementation of a type that getTypeSize knows, or of MPI_Status; 0 for other types.
  static unsigned getLargestTypeSize(llvm::StringRef name);

  //===--------------------------------------------------------------------===//
  // Functions
  //===--------------------------------------------------------------------===//

  /// Whether the implementation's mpi.h declares this function. PMPI_ names are accepted for the same functions.
  bool hasFunction(llvm::StringRef name) const;
  /// Whether this blocking reduction and its nonblocking form were observed to combine floating-point numbers in the
  /// same order, with identical last digits, for some numbers of processes (see mpi::SumOrder::Ordered).
  bool addsInOrder(llvm::StringRef blocking) const;

  /// Whether the nonblocking form of this blocking function has the same effect, as MPI requires (MPI-4, 6.12), as far
  /// as is known. If both neighbors in a dimension are the same process (a periodic grid of 1 or 2 processes), Open MPI
  /// 4.1 and 5.0 swap the two blocks in MPI_Ineighbor_alltoall and its v and w forms, but not in the blocking ones. The
  /// standard ABI may be that of any library.
  bool nonblockingAgrees(llvm::StringRef blocking) const;

  //===--------------------------------------------------------------------===//
  // Costs
  //===--------------------------------------------------------------------===//
  // Measured costs (lib/MPI/Costs); none if not measured. The bytes of a call are those of one block: its first count
  // (that of this process, if there is one for each) times the size of its datatype. `processes` may be any number: the
  // next larger measured number is used, or else the largest.

  /// Returns the costs of both forms of a function for the largest measured block of at most `bytes`.
  std::optional<FormCost> getFormCost(llvm::StringRef blocking, Transport transport, unsigned processes,
                                      uint64_t bytes) const;
  /// Calls `visit` with these costs for each measured transport and number of processes. If the bytes are unknown,
  /// visits all blocks.
  void forEachFormCost(llvm::StringRef blocking, std::optional<uint64_t> bytes,
                       llvm::function_ref<void(const MeasuredCost &)> visit) const;
  /// Returns the largest message that arrives while its sender computes after starting it. A larger one waits for the
  /// sender's next MPI call.
  std::optional<uint64_t> getEagerLimit(Transport transport) const;

  /// The same for a nonblocking collective between nodes (lib/MPI/Progress), in bytes of a block. None if not measured.
  std::optional<UnaidedLimits> getUnaidedLimits(llvm::StringRef blocking) const;

  explicit constexpr ABI(const detail::ABITables &tables) : tables(&tables) {}

private:
  const detail::ABITables *tables;
};

} // namespace comm::mpi

#endif // COMM_MPI_ABI_H
