// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The serialized graphs of the GAP benchmark suite: a byte that is 1 for directed edges, the numbers of edges and
// vertices (64 bits), offsets (64 bits, one more than vertices), and neighbors (32 bits, in .wsg each followed by a
// weight of 32 bits). Directed graphs also have the offsets and neighbors of incoming edges.
#include "Source.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace comm::graph {
namespace {

constexpr int64_t HeaderBytes = 17;

class Binary : public Source, public Arrays {
public:
  Binary(const Request &request, bool isWeighted) : Source(request), isWeighted_(isWeighted) {}
  ~Binary() override {
    if (file_ >= 0)
      close(file_);
  }
  bool open();
  size_t read(Edge *edges, size_t capacity) override;
  void rewind() override {
    vertex_ = begin_;
    offsets_.clear();
  }
  double progress() const override {
    return begin_ == end_ ? 1 : static_cast<double>(vertex_ - begin_) / static_cast<double>(end_ - begin_);
  }
  Arrays *arrays() override { return this; }
  bool readOffsets(bool isIn, int64_t first, int64_t count, int64_t *offsets) override;
  bool readNeighbors(bool isIn, int64_t first, int64_t count, uint32_t *neighbors, uint32_t *weights) override;

private:
  bool readBytes(void *to, int64_t count, int64_t at);
  bool fail(int64_t at, const std::string &what) {
    failure.set(COMM_GRAPH_ERR_FORMAT,
                format("%s: error: at byte %lld: ", request.name.c_str(), static_cast<long long>(at)) + what);
    return false;
  }
  int64_t entryBytes() const { return isWeighted_ ? 8 : 4; }
  int64_t offsetsAt(bool isIn) const { return HeaderBytes + (isIn ? 8 * (vertices + 1) + entryBytes() * edges : 0); }
  int64_t neighborsAt(bool isIn) const { return offsetsAt(isIn) + 8 * (vertices + 1); }

  const bool isWeighted_;
  int file_ = -1;
  int64_t begin_ = 0, end_ = 0, vertex_ = 0; // the part that read() returns
  // The offsets of some vertices from offsetsFirst_ on, and the next edge of vertex_.
  std::vector<int64_t> offsets_;
  int64_t offsetsFirst_ = 0, edge_ = 0;
};

bool Binary::readBytes(void *to, int64_t count, int64_t at) {
  auto *bytes = static_cast<char *>(to);
  while (count > 0) {
    ssize_t got = pread(file_, bytes, static_cast<size_t>(std::min<int64_t>(count, 1 << 30)), at);
    if (got < 0) {
      failure.set(COMM_GRAPH_ERR_FILE, request.name + ": error: " + strerror(errno));
      return false;
    }
    if (!got)
      return fail(at, "the file is truncated");
    bytes += got;
    at += got;
    count -= got;
  }
  return true;
}

bool Binary::open() {
  file_ = ::open(request.name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file_ < 0 || fstat(file_, &status) || !S_ISREG(status.st_mode)) {
    failure.set(COMM_GRAPH_ERR_FILE, request.name + ": error: " + (file_ < 0 ? strerror(errno) : "not a regular file"));
    return false;
  }
  char header[HeaderBytes];
  if (!readBytes(header, HeaderBytes, 0))
    return false;
  if (header[0] != 0 && header[0] != 1)
    return fail(0, "the byte that says whether edges are directed is neither 0 nor 1");
  bool isDirected = header[0];
  memcpy(&edges, header + 1, 8);
  memcpy(&vertices, header + 9, 8);
  if (vertices < 0 || vertices > INT32_MAX)
    return fail(9,
                format("%lld vertices: there can be 0 to 2^31 - 1 in this format", static_cast<long long>(vertices)));
  if (edges < 0 || edges > (int64_t(1) << 56))
    return fail(1, format("%lld edges: not a valid number", static_cast<long long>(edges)));
  int64_t expected = HeaderBytes + (isDirected ? 2 : 1) * (8 * (vertices + 1) + entryBytes() * edges);
  if (status.st_size != expected)
    return fail(std::min<int64_t>(status.st_size, expected),
                format("the file has %lld bytes, but its header says %lld", static_cast<long long>(status.st_size),
                       static_cast<long long>(expected)));
  isSymmetric = !isDirected;
  promised = edges;
  isCounted = true; // the file has as many bytes
  if (request.hasWeights() && !isWeighted_ && !request.drawsWeights()) {
    failure.set(COMM_GRAPH_ERR_NO_WEIGHTS, request.name + ": error: this graph has no weights");
    return false;
  }
  begin_ = vertices * request.rank / request.size;
  end_ = vertices * (request.rank + 1) / request.size;
  vertex_ = begin_;
  return true;
}

bool Binary::readOffsets(bool isIn, int64_t first, int64_t count, int64_t *offsets) {
  int64_t at = offsetsAt(isIn) + 8 * first;
  if (!readBytes(offsets, 8 * count, at))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    int64_t low = i ? offsets[i - 1] : 0;
    bool isWrong = offsets[i] < low || offsets[i] > edges || (first + i == 0 && offsets[i]) ||
                   (first + i == vertices && offsets[i] != edges);
    if (isWrong)
      return fail(at + 8 * i, format("the offset of vertex %lld is %lld", static_cast<long long>(first + i),
                                     static_cast<long long>(offsets[i])));
  }
  return true;
}

bool Binary::readNeighbors(bool isIn, int64_t first, int64_t count, uint32_t *neighbors, uint32_t *weights) {
  int64_t at = neighborsAt(isIn) + entryBytes() * first;
  if (!isWeighted_) {
    if (!readBytes(neighbors, 4 * count, at))
      return false;
  } else {
    std::vector<uint32_t> piece(size_t(1) << 16);
    for (int64_t done = 0; done < count;) {
      int64_t length = std::min<int64_t>(count - done, static_cast<int64_t>(piece.size() / 2));
      if (!readBytes(piece.data(), 8 * length, at + 8 * done))
        return false;
      for (int64_t i = 0; i < length; ++i) {
        neighbors[done + i] = piece[static_cast<size_t>(2 * i)];
        if (weights)
          weights[done + i] = piece[static_cast<size_t>(2 * i) + 1];
      }
      done += length;
    }
  }
  for (int64_t i = 0; i < count; ++i)
    if (neighbors[i] >= vertices)
      return fail(at + entryBytes() * i, format("vertex %d: ids are 0 to %lld here", static_cast<int32_t>(neighbors[i]),
                                                static_cast<long long>(vertices - 1)));
  if (weights && isWeighted_ && request.isReal())
    for (int64_t i = 0; i < count; ++i) {
      int32_t integer;
      memcpy(&integer, &weights[i], sizeof integer);
      auto real = static_cast<float>(integer);
      memcpy(&weights[i], &real, sizeof real);
    }
  return true;
}

size_t Binary::read(Edge *edges, size_t capacity) {
  constexpr int64_t piece = 1 << 14;
  std::vector<uint32_t> neighbors, weights;
  size_t count = 0;
  while (count < capacity && vertex_ < end_ && !failure) {
    if (offsets_.empty() || vertex_ >= offsetsFirst_ + piece || vertex_ < offsetsFirst_) {
      offsetsFirst_ = vertex_;
      offsets_.resize(static_cast<size_t>(std::min(piece, end_ - vertex_) + 1));
      if (!readOffsets(false, vertex_, static_cast<int64_t>(offsets_.size()), offsets_.data()))
        return 0;
      edge_ = offsets_[0];
    }
    // Read the edges of the vertices whose offsets are known, as far as they fit.
    int64_t last = offsets_.back(), length = std::min<int64_t>(static_cast<int64_t>(capacity - count), last - edge_);
    neighbors.resize(static_cast<size_t>(length));
    weights.assign(static_cast<size_t>(length), 0);
    if (!readNeighbors(false, edge_, length, neighbors.data(), weights.data()))
      return 0;
    for (int64_t i = 0; i < length; ++i, ++edge_) {
      while (offsets_[static_cast<size_t>(vertex_ - offsetsFirst_) + 1] <= edge_)
        ++vertex_;
      Edge &edge = edges[count++];
      edge = {static_cast<uint32_t>(vertex_), neighbors[static_cast<size_t>(i)], weights[static_cast<size_t>(i)]};
      if (request.drawsWeights())
        edge.weight = drawWeight(request.options, request.isReal(), edge.from, edge.to);
    }
    if (edge_ == last) {
      vertex_ = offsetsFirst_ + static_cast<int64_t>(offsets_.size()) - 1;
      offsets_.clear();
    }
  }
  return count;
}

} // namespace

std::unique_ptr<Source> makeBinary(const Request &request, bool isWeighted, Failure &failure) {
  auto source = std::make_unique<Binary>(request, isWeighted);
  if (!source->open()) {
    failure = source->failure;
    return nullptr;
  }
  return source;
}

} // namespace comm::graph
