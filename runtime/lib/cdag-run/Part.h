// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a compiled schedule that one process needs. The compiling process makes it and sends it as bytes.
#ifndef COMM_CDAGRUN_PART_H
#define COMM_CDAGRUN_PART_H

#include "Comm/CDag/Schedule.h"
#include "Local.h"

namespace comm::cdag::run {

constexpr size_t kDescribeBytes = 512;

/// The start of a part. The arrays follow in the order of the counts.
struct PartHeader {
  uint64_t bytes;
  uint32_t ops;     ///< including foreign ones
  uint32_t foreign; ///< number of operations at the end that serve others' gets and puts
  uint32_t collectives, pieces, deps, stages, members, counts;
  uint32_t errorCode; ///< ErrorCode; `text` explains it
  uint64_t scratchSize;
  uint32_t messages, keptMessages, syncMessages, detected;
  uint32_t executable;    ///< 0: run the original; `text` says why
  uint32_t keepsMessages; ///< whether any process has messages besides collectives
  double analysisSeconds;
  char text[sizeof(Error::text)];
  char describe[kDescribeBytes];
};

/// The action for one operation of the graph, and the partner from matching.
struct OpPlan {
  uint32_t peer;
  int32_t tag; ///< unique among the messages between two processes
  uint32_t action;
};

enum CollectiveFlags : uint8_t {
  kSelfCopies = 1,
  kInPlace = 2,
  /// Depends on no message on any process. All processes can enter it at once, so the blocking form is safe.
  kImmediate = 4,
  /// Uses the v form instead of the regular one, for large blocks with a gap at the process's own block.
  kVectorForm = 8,
};

struct CollectivePart {
  uint8_t kind, flags, op, type;
  uint32_t global;   ///< index among the schedule's collectives
  uint32_t root;     ///< position
  uint32_t position; ///< position of this process
  uint32_t numMembers;
  uint32_t memberBegin, memberEnd;           ///< equal: all processes
  uint32_t outBegin, outEnd, inBegin, inEnd; ///< pieces
  uint32_t countsBegin;                      ///< bytes per member: allgatherv, reduce_scatter
  uint64_t block;                            ///< bytes; for reductions: in total
};

/// Bytes of this process's memory that go to or come from a member. Pieces are sorted by (peer, offset).
struct Piece {
  uint32_t peer;
  uint32_t unused;
  Addr addr;
  uint64_t size;
  uint64_t offset; ///< in the pair's stream; for reductions: in the vector
};

/// Node `op` waits for node `on`. Operations come first, then collectives.
struct NodeDependency {
  uint32_t on, op;
};

struct StagePart {
  Addr addr;
  uint64_t scratch;
  uint64_t size;
};

/// Access to the arrays of a part.
class Part {
public:
  explicit Part(const char *bytes) : bytes_(bytes) {}
  const PartHeader &header() const { return *reinterpret_cast<const PartHeader *>(bytes_); }
  // Arrays with 8-byte members come first.
  const CollectivePart *collectives() const { return at<CollectivePart>(sizeof(PartHeader)); }
  const Piece *pieces() const { return reinterpret_cast<const Piece *>(collectives() + header().collectives); }
  const StagePart *stages() const { return reinterpret_cast<const StagePart *>(pieces() + header().pieces); }
  const uint64_t *counts() const { return reinterpret_cast<const uint64_t *>(stages() + header().stages); }
  /// Sends and receives that this process did not record itself.
  const OpRecord *foreign() const { return reinterpret_cast<const OpRecord *>(counts() + header().counts); }
  const OpPlan *ops() const { return reinterpret_cast<const OpPlan *>(foreign() + header().foreign); }
  const NodeDependency *deps() const { return reinterpret_cast<const NodeDependency *>(ops() + header().ops); }
  const Rank *members() const { return reinterpret_cast<const Rank *>(deps() + header().deps); }

private:
  template <typename T> const T *at(size_t offset) const { return reinterpret_cast<const T *>(bytes_ + offset); }
  const char *bytes_;
};

/// Compiles the shared bytes of the processes' blobs into one part per process. The blobs are adjacent; `offsets` has
/// one more entry than there are processes, and so has `partOffsets`. On an error, the parts describe it.
void compileParts(const char *blobs, const Vec<uint64_t> &offsets, Vec<char> &parts, Vec<uint64_t> &partOffsets);

/// Makes the parts for an error that was found earlier.
void errorParts(const Error &error, uint32_t ranks, Vec<char> &parts, Vec<uint64_t> &partOffsets);

} // namespace comm::cdag::run

#endif
