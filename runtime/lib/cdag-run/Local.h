// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process's part of a graph, as the C interface records it, and its canonical form, which does not depend on the
// addresses of the buffers. Processes gather, compare and cache that form.
#ifndef COMM_CDAGRUN_LOCAL_H
#define COMM_CDAGRUN_LOCAL_H

#include "Comm/CDag/Graph.h"

#include <mpi.h>
#include <new>
#include <type_traits>

namespace comm::cdag::run {

/// Creates an object without libstdc++'s operator new.
template <typename T, typename... Args> T *create(Args &&...args) {
  void *memory = std::malloc(sizeof(T));
  if (!memory)
    outOfMemory(sizeof(T));
  return new (memory) T(static_cast<Args &&>(args)...);
}
template <typename T> void destroy(T *object) {
  if (!object)
    return;
  object->~T();
  std::free(static_cast<void *>(object));
}

/// Addresses with this bit are offsets into the runtime's memory, where messages of noncontiguous datatypes are packed.
constexpr Addr kTempBit = Addr(1) << 62;

/// What a process does: in recorded calls, in the records that processes exchange, and in the steps that are executed.
enum class CallKind : uint8_t {
  Nothing, ///< joins dependencies
  Send,
  Recv,
  Copy,
  Reduce,
  // Not in graphs: the compiling process turns each into a receive and a send, or a send and a receive.
  Get,
  Put,
  // Recorded only.
  Temporary, ///< memory whose contents are dead after the phase
  Window,
  // Executed only.
  Collective,
  WaitAll,
};

inline bool isRemote(CallKind kind) { return kind == CallKind::Get || kind == CallKind::Put; }

/// One recorded operation. For a user operator, `peer` is the index of the LocalReduce; for gets and puts, `tag` is the
/// number of the window and `source` the displacement.
using OpRecord = BasicOperation<CallKind>;
static_assert(std::has_unique_object_representations_v<OpRecord>, "records are compared bytewise");

/// One operation on this process's memory, with the arguments of MPI's function. There is no padding whose contents
/// could differ.
struct LocalCall {
  CallKind kind;
  bool aliased;  ///< reductions: the operands overlap
  bool blocking; ///< steps: the message in its blocking form
  uint8_t unused;
  int count, peer, tag;
  const void *from; ///< sends, copies, reductions
  void *to;         ///< receives, copies, reductions
  MPI_Datatype type;
  MPI_Op op;
};

/// A local reduction that only MPI can perform.
struct LocalReduce {
  MPI_Op op;
  MPI_Datatype type;
  int count;
  int unused;
};

struct NamedRange {
  Addr start;
  uint64_t size;
  uint32_t name; ///< offset into the text, or kNone
  /// 1: temporary. 2 + 4 * unit of displacements: a window.
  uint32_t temporary;
};
constexpr uint32_t kWindow = 2;

struct GraphOptions {
  int32_t reorderFloatingPoint = 0;
  int32_t keepSync = 1;
  int32_t mode = 2;
  int32_t unused = 0;
};

/// The start of a blob. OpRecords, Dependencies, NamedRanges and text follow.
struct BlobHeader {
  uint32_t ops, deps, ranges, textBytes;
  GraphOptions options;
  uint64_t tempSize;
  uint64_t sharedBytes; ///< size of the blob's first part, which is sent; the rest is only compared
};

/// A piece of the user's memory, with its canonical address.
struct Region {
  Addr real;
  Addr base;
  uint64_t size;
};

/// A graph of one process in canonical form. Regions are numbered in the order of first use and laid out with gaps, so
/// that the same graph on other buffers has the same bytes.
struct LocalGraph {
  Vec<char> blob;
  uint64_t hash = 0;
  uint32_t number = 0;       ///< in the context's cache
  uint32_t lastSchedule = 0; ///< of the last agreement; 0: none

  const BlobHeader &header() const { return *reinterpret_cast<const BlobHeader *>(blob.data()); }
  const OpRecord *ops() const { return reinterpret_cast<const OpRecord *>(blob.data() + sizeof(BlobHeader)); }
  const Dependency *deps() const { return reinterpret_cast<const Dependency *>(ops() + header().ops); }
};

/// Records operations with their real addresses. Every function that adds an operation returns an ErrorCode.
class LocalBuilder {
public:
  /// One operation as the user sees it. The nodes in [entryBegin, entryEnd) start it, and `exit` completes it.
  struct Handle {
    uint32_t entryBegin, entryEnd, exit;
  };

  ErrorCode message(bool send, const void *buf, int count, MPI_Datatype type, uint32_t peer, int tag);
  ErrorCode copy(const void *from, void *to, int count, MPI_Datatype type);
  ErrorCode reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);
  /// Adds an operation without effect (MPI_PROC_NULL).
  void nothing();
  void dependency(uint32_t op, uint32_t on);
  void name(const void *buf, size_t bytes, const char *name);
  void temporary(const void *buf, size_t bytes);
  /// Declares the local memory of a window. Windows are numbered from 0.
  ErrorCode window(MPI_Win win);
  /// `displacement` is in units of the target.
  ErrorCode remote(CallKind kind, const void *buf, int count, MPI_Datatype type, uint32_t target, MPI_Aint displacement,
                   uint32_t window);
  /// Adds the dependencies that the buffers imply, in the order of the operations. With `signalsWait`, a message of
  /// zero bytes is sent after all earlier receives, as with blocking calls.
  void bufferDependencies(bool signalsWait);
  void clear();

  uint32_t numHandles() const { return static_cast<uint32_t>(handles_.size()); }
  uint32_t numNodes() const { return static_cast<uint32_t>(ops_.size()); }
  const Vec<LocalReduce> &reduces() const { return reduces_; }

  /// Computes the canonical form and the addresses of its regions.
  void canonicalize(const GraphOptions &options, LocalGraph &graph, Vec<Region> &regions) const;

private:
  uint32_t node(CallKind kind, Addr addr, uint64_t size, Addr source = 0, uint32_t peer = 0, int32_t tag = 0);
  void handle(uint32_t entryBegin, uint32_t entryEnd, uint32_t exit);

  Vec<OpRecord> ops_;
  Vec<Dependency> deps_;
  Vec<Handle> handles_;
  Vec<LocalReduce> reduces_;
  Vec<NamedRange> ranges_;
  Vec<char> text_;
  uint64_t tempSize_ = 0;
};

/// A piece of a message, in the order of its datatype's type map.
struct Block {
  int64_t offset; ///< from the buffer's address
  uint64_t size;
};
constexpr size_t kMaxBlocks = 4096;

/// Splits a datatype into blocks. Returns false if it is unsupported or has too many blocks.
bool flatten(MPI_Datatype type, int count, Vec<Block> &blocks);
/// Returns true for predefined types, which the handle describes completely.
bool isNamed(MPI_Datatype type);

/// Translate predefined operators and element types. Return false if only MPI knows them.
bool elementTypeOf(MPI_Datatype type, ElementType &element);
bool operatorOf(MPI_Op op, ElementType element, Operator &result);
MPI_Datatype mpiType(ElementType element);
MPI_Op mpiOp(Operator op);

} // namespace comm::cdag::run

#endif
