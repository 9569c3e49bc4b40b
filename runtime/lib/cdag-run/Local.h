// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One process's part of a graph, as the C interface records it, and its form
// that does not depend on where the buffers are in memory: what processes
// gather, compare and cache.
#ifndef COMM_CDAGRUN_LOCAL_H
#define COMM_CDAGRUN_LOCAL_H

#include "Comm/CDag/Graph.h"

#include <mpi.h>
#include <new>
#include <type_traits>

namespace comm::cdag::run {

/// Objects without libstdc++'s operator new.
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

/// Addresses with this bit are offsets into memory of the runtime, where
/// messages of noncontiguous datatypes are packed.
constexpr Addr kTempBit = Addr(1) << 62;

/// What a process does: in the calls that are recorded, in the records that
/// processes exchange, and in what is executed in the end.
enum class CallKind : uint8_t {
  Nothing, ///< joins dependencies
  Send,
  Recv,
  Copy,
  Reduce,
  // Not of graphs: the process that compiles makes a receive and a send, or a
  // send and a receive, of each.
  Get,
  Put,
  // Recorded only.
  Temporary, ///< memory whose contents nobody needs after the phase
  Window,
  // Executed only.
  Collective,
  WaitAll,
};

inline bool isRemote(CallKind kind) { return kind == CallKind::Get || kind == CallKind::Put; }

/// One operation as it is recorded. With a user's operator `peer` is the index
/// of the LocalReduce; of gets and puts `tag` is the window's number and
/// `source` the displacement.
using OpRecord = BasicOperation<CallKind>;
static_assert(std::has_unique_object_representations_v<OpRecord>, "records are compared bytewise");

/// One operation on this process's memory, with the arguments of MPI's
/// function. No padding in front that may differ.
struct LocalCall {
  CallKind kind;
  bool aliased;  ///< reductions: the operands are not separate
  bool blocking; ///< steps: the message in its blocking form
  uint8_t unused;
  int count, peer, tag;
  const void *from; ///< sends, copies, reductions
  void *to;         ///< receives, copies, reductions
  MPI_Datatype type;
  MPI_Op op;
};

/// A local reduction that only MPI knows how to do.
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

/// What a blob begins with; then OpRecords, Dependencies, NamedRanges, text.
struct BlobHeader {
  uint32_t ops, deps, ranges, textBytes;
  GraphOptions options;
  uint64_t tempSize;
  uint64_t sharedBytes; ///< of the blob; what follows is compared, not sent
};

/// A piece of the user's memory, and its address in the canonical form.
struct Region {
  Addr real;
  Addr base;
  uint64_t size;
};

/// A graph of one process in canonical form: regions are numbered in the order
/// of their first use and laid out with gaps, so that the same graph on other
/// buffers has the same bytes.
struct LocalGraph {
  Vec<char> blob;
  uint64_t hash = 0;
  uint32_t number = 0;       ///< in the context's cache
  uint32_t lastSchedule = 0; ///< of the last agreement, 0: none

  const BlobHeader &header() const { return *reinterpret_cast<const BlobHeader *>(blob.data()); }
  const OpRecord *ops() const { return reinterpret_cast<const OpRecord *>(blob.data() + sizeof(BlobHeader)); }
  const Dependency *deps() const { return reinterpret_cast<const Dependency *>(ops() + header().ops); }
};

/// Records operations with their real addresses. Every function that adds
/// returns an ErrorCode.
class LocalBuilder {
public:
  /// What the user calls one operation: nodes first to last (exclusive) start
  /// it, `exit` completes it.
  struct Handle {
    uint32_t entryBegin, entryEnd, exit;
  };

  ErrorCode message(bool send, const void *buf, int count, MPI_Datatype type, uint32_t peer, int tag);
  ErrorCode copy(const void *from, void *to, int count, MPI_Datatype type);
  ErrorCode reduce(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);
  /// An operation without effect (MPI_PROC_NULL).
  void nothing();
  void dependency(uint32_t op, uint32_t on);
  void name(const void *buf, size_t bytes, const char *name);
  void temporary(const void *buf, size_t bytes);
  /// Declares a window's memory here; windows are numbered from 0.
  ErrorCode window(MPI_Win win);
  /// `displacement` in the target's units.
  ErrorCode remote(CallKind kind, const void *buf, int count, MPI_Datatype type, uint32_t target, MPI_Aint displacement,
                   uint32_t window);
  /// What the buffers imply, operations taken in their order. With
  /// `signalsWait`, messages of zero bytes are sent after all receives before
  /// them, as blocking calls would.
  void bufferDependencies(bool signalsWait);
  void clear();

  uint32_t numHandles() const { return static_cast<uint32_t>(handles_.size()); }
  uint32_t numNodes() const { return static_cast<uint32_t>(ops_.size()); }
  const Vec<LocalReduce> &reduces() const { return reduces_; }

  /// The canonical form, and where its regions are.
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

/// Takes a datatype apart. False: unsupported, or too many blocks.
bool flatten(MPI_Datatype type, int count, Vec<Block> &blocks);
/// True for the types that MPI predefines, whose handle says everything.
bool isNamed(MPI_Datatype type);

/// Predefined operators and element types; false: only MPI knows them.
bool elementTypeOf(MPI_Datatype type, ElementType &element);
bool operatorOf(MPI_Op op, ElementType element, Operator &result);
MPI_Datatype mpiType(ElementType element);
MPI_Op mpiOp(Operator op);

} // namespace comm::cdag::run

#endif
