// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one process needs of a compiled schedule: made at the process that
// compiles, sent as bytes.
#ifndef COMM_CDAGRUN_PART_H
#define COMM_CDAGRUN_PART_H

#include "Comm/CDag/Schedule.h"
#include "Local.h"

namespace comm::cdag::run {

constexpr size_t kDescribeBytes = 512;

/// What a part begins with; then the arrays in the order of the counts.
struct PartHeader {
  uint64_t bytes;
  uint32_t ops;     ///< with the foreign ones
  uint32_t foreign; ///< the last so many operations: for other's gets and puts
  uint32_t collectives, pieces, deps, stages, members, counts;
  uint32_t errorCode; ///< ErrorCode; text says the rest
  uint64_t scratchSize;
  uint32_t messages, keptMessages, syncMessages, detected;
  uint32_t executable;    ///< 0: run the original; text says why
  uint32_t keepsMessages; ///< any process has messages besides collectives
  double analysisSeconds;
  char text[sizeof(Error::text)];
  char describe[kDescribeBytes];
};

/// One operation of the graph: what becomes of it, with the partner that
/// matching has found.
struct OpPlan {
  uint32_t peer;
  int32_t tag; ///< unique among the messages between two processes
  uint32_t action;
};

enum CollectiveFlags : uint8_t {
  kSelfCopies = 1,
  kInPlace = 2,
  /// Depends on no message on any process: all may enter it at once, so the
  /// blocking form is safe.
  kImmediate = 4,
  /// The v form in place of the regular one (large blocks with a gap where
  /// one's own would be).
  kVectorForm = 8,
};

struct CollectivePart {
  uint8_t kind, flags, op, type;
  uint32_t global;   ///< index among the schedule's collectives
  uint32_t root;     ///< position
  uint32_t position; ///< of this process
  uint32_t numMembers;
  uint32_t memberBegin, memberEnd;           ///< equal: all processes
  uint32_t outBegin, outEnd, inBegin, inEnd; ///< pieces
  uint32_t countsBegin;                      ///< bytes per member: allgatherv, reduce_scatter
  uint64_t block;                            ///< bytes; of reductions: all
};

/// Bytes of this process's memory that go to or come from a member. Pieces are
/// sorted by (peer, offset).
struct Piece {
  uint32_t peer;
  uint32_t unused;
  Addr addr;
  uint64_t size;
  uint64_t offset; ///< in the pair's stream; of reductions: in the vector
};

/// Node `op` waits for node `on`; operations first, then collectives.
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
  /// Sends and receives that this process does not know of itself.
  const OpRecord *foreign() const { return reinterpret_cast<const OpRecord *>(counts() + header().counts); }
  const OpPlan *ops() const { return reinterpret_cast<const OpPlan *>(foreign() + header().foreign); }
  const NodeDependency *deps() const { return reinterpret_cast<const NodeDependency *>(ops() + header().ops); }
  const Rank *members() const { return reinterpret_cast<const Rank *>(deps() + header().deps); }

private:
  template <typename T> const T *at(size_t offset) const { return reinterpret_cast<const T *>(bytes_ + offset); }
  const char *bytes_;
};

/// Compiles the processes' blobs (their shared bytes, one after another;
/// `offsets` has one more entry than there are processes) into one part for
/// each process; `partOffsets` likewise. An error becomes parts that say so.
void compileParts(const char *blobs, const Vec<uint64_t> &offsets, Vec<char> &parts, Vec<uint64_t> &partOffsets);

/// The parts of an error that was found before.
void errorParts(const Error &error, uint32_t ranks, Vec<char> &parts, Vec<uint64_t> &partOffsets);

} // namespace comm::cdag::run

#endif
