// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers of neighbors' values, blocked for the cache: to[v] = op(to[v], from[neighbors of v]).
//
// Values of distant neighbors each miss the L2 cache. The edges are therefore sorted into tiles of 2^16 sources and
// 2^16 targets. The values of a tile stay in the cache, and an edge needs two bytes instead of four, which matters
// because such loops are bound by the memory traffic of the edges. The edges from one block of sources to one target
// are a segment. The segments of a tile are sorted by length, so that the ends of loops are predictable, and a segment
// is combined in registers, so that no addition waits for a store.
#include "LargePages.h"
#include "comm/graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <unistd.h>
#include <vector>

using namespace comm::graph;

namespace {

constexpr uint32_t RowBits = 16, RowBlock = uint32_t(1) << RowBits;
// Segments with fewer edges have loops of their own, in which the length is a constant.
constexpr unsigned LongLength = 16;
constexpr int64_t LongestLength = 65535;

struct Tile {
  size_t start = 0;                 // in the array of numbers
  uint32_t counts[LongLength] = {}; // segments of length 1 to 15; [0]: longer ones
};

size_t cacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<size_t>(bytes) : size_t(1) << 20;
}

// Returns true if most edges of a sample lead to a vertex nearby. Such gathers stay in the cache without tiles.
bool isLocal(const comm_graph_edges &edges, uint32_t rows) {
  int64_t near = 0, seen = 0;
  for (uint32_t v = 0; v < rows; v += std::max<uint32_t>(1, rows / 1024))
    for (int64_t e = edges.offsets[v]; e < edges.offsets[v + 1]; ++e, ++seen) {
      uint32_t u = edges.neighbors[e];
      near += (u > v ? u - v : v - u) < RowBlock / 4;
    }
  return 2 * near > seen;
}

} // namespace

struct comm_gather {
  comm_graph_edges edges;
  uint32_t rows = 0, columns = 0, columnBits = 0, columnBlocks = 0;
  std::vector<Tile> tiles; // row by row of blocks; empty: the edges are used as they are
  std::unique_ptr<uint16_t, decltype(&free)> numbers{nullptr, free};
  size_t count = 0;
};

namespace {

// Calls use(tile, first edge, length) for the segments of a row.
template <typename Use> void forEachSegment(const comm_gather &gather, uint32_t row, Use use) {
  const comm_graph_edges &edges = gather.edges;
  size_t base = static_cast<size_t>(row >> RowBits) * gather.columnBlocks;
  for (int64_t e = edges.offsets[row], end = edges.offsets[row + 1]; e < end;) {
    uint32_t block = edges.neighbors[e] >> gather.columnBits;
    int64_t first = e;
    while (e < end && edges.neighbors[e] >> gather.columnBits == block && e - first < LongestLength)
      ++e;
    use(base + block, first, e - first);
  }
}

bool makeTiles(comm_gather &gather) {
  gather.columnBlocks = ((gather.columns - 1) >> gather.columnBits) + 1;
  gather.tiles.resize(static_cast<size_t>((gather.rows + RowBlock - 1) / RowBlock) * gather.columnBlocks + 1);
  std::vector<size_t> longNumbers(gather.tiles.size());
  for (uint32_t row = 0; row < gather.rows; ++row)
    forEachSegment(gather, row, [&](size_t tile, int64_t, int64_t length) {
      bool isLong = length >= LongLength;
      ++gather.tiles[tile].counts[isLong ? 0 : length];
      longNumbers[tile] += isLong ? static_cast<size_t>(length) + 2 : 0;
    });
  // Compute where the segments of each length begin in each tile.
  std::vector<size_t> next(gather.tiles.size() * LongLength);
  size_t at = 0;
  for (size_t tile = 0; tile < gather.tiles.size(); ++tile) {
    gather.tiles[tile].start = at;
    for (unsigned length = 1; length < LongLength; ++length) {
      next[tile * LongLength + length] = at;
      at += static_cast<size_t>(gather.tiles[tile].counts[length]) * (length + 1);
    }
    next[tile * LongLength] = at;
    at += longNumbers[tile];
  }
  gather.count = at;
  gather.numbers.reset(static_cast<uint16_t *>(takeLargePages((at + 1) * sizeof(uint16_t))));
  if (!gather.numbers)
    return false;
  uint16_t *numbers = gather.numbers.get();
  const uint32_t *neighbors = gather.edges.neighbors, mask = (uint32_t(1) << gather.columnBits) - 1;
  for (uint32_t row = 0; row < gather.rows; ++row)
    forEachSegment(gather, row, [&](size_t tile, int64_t first, int64_t length) {
      bool isLong = length >= LongLength;
      size_t &place = next[tile * LongLength + (isLong ? 0 : static_cast<size_t>(length))];
      uint16_t *to = numbers + place;
      *to++ = static_cast<uint16_t>(row & (RowBlock - 1));
      if (isLong)
        *to++ = static_cast<uint16_t>(length);
      for (int64_t i = 0; i < length; ++i)
        *to++ = static_cast<uint16_t>(neighbors[first + i] & mask);
      place = static_cast<size_t>(to - numbers);
    });
  return true;
}

struct Sum {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a < b ? b : a; }
};

template <unsigned Length, typename Op, typename T, typename Index> T combine(const T *from, const Index *index) {
  if constexpr (Length == 1)
    return from[*index];
  else
    return Op::template apply<T>(combine<Length / 2, Op>(from, index),
                                 combine<Length - Length / 2, Op>(from, index + Length / 2));
}

// Combines at least four values, in four independent chains of operations.
template <typename Op, typename T, typename Index> T combineMany(const T *from, const Index *index, int64_t length) {
  T a = from[index[0]], b = from[index[1]], c = from[index[2]], d = from[index[3]];
  int64_t i = 4;
  for (; i + 4 <= length; i += 4) {
    a = Op::template apply<T>(a, from[index[i]]);
    b = Op::template apply<T>(b, from[index[i + 1]]);
    c = Op::template apply<T>(c, from[index[i + 2]]);
    d = Op::template apply<T>(d, from[index[i + 3]]);
  }
  for (; i < length; ++i)
    a = Op::template apply<T>(a, from[index[i]]);
  return Op::template apply<T>(Op::template apply<T>(a, b), Op::template apply<T>(c, d));
}

template <unsigned Length, typename Op, typename T>
const uint16_t *runLength(const Tile &tile, const uint16_t *at, const T *from, T *to) {
  for (uint32_t i = 0; i < tile.counts[Length]; ++i, at += Length + 1)
    to[*at] = Op::template apply<T>(to[*at], combine<Length, Op>(from, at + 1));
  if constexpr (Length + 1 < LongLength)
    return runLength<Length + 1, Op>(tile, at, from, to);
  return at;
}

// One of several parts of all tiles or rows, in order.
struct Piece {
  size_t part, parts;
  size_t begin(size_t count) const { return count * part / parts; }
  size_t end(size_t count) const { return count * (part + 1) / parts; }
};

template <typename T, typename Op> void runTiles(const comm_gather &gather, Piece piece, const T *from, T *to) {
  size_t tiles = gather.tiles.size() - 1;
  for (size_t i = piece.begin(tiles); i < piece.end(tiles); ++i) {
    const Tile &tile = gather.tiles[i];
    const T *source = from + ((i % gather.columnBlocks) << gather.columnBits);
    T *target = to + (i / gather.columnBlocks) * RowBlock;
    const uint16_t *at = runLength<1, Op>(tile, gather.numbers.get() + tile.start, source, target);
    for (uint32_t segment = 0; segment < tile.counts[0]; ++segment) {
      int64_t length = at[1];
      target[*at] = Op::template apply<T>(target[*at], combineMany<Op>(source, at + 2, length));
      at += 2 + length;
    }
  }
}

template <typename T, typename Op> void runRows(const comm_gather &gather, Piece piece, const T *from, T *to) {
  const int64_t *offsets = gather.edges.offsets;
  const uint32_t *neighbors = gather.edges.neighbors;
  for (size_t row = piece.begin(gather.rows); row < piece.end(gather.rows); ++row) {
    const uint32_t *index = neighbors + offsets[row];
    int64_t length = offsets[row + 1] - offsets[row];
    if (length >= 8) {
      to[row] = Op::template apply<T>(to[row], combineMany<Op>(from, index, length));
      continue;
    }
    T value = to[row];
    for (int64_t i = 0; i < length; ++i)
      value = Op::template apply<T>(value, from[index[i]]);
    to[row] = value;
  }
}

template <typename T> int run(const comm_gather &gather, Piece piece, int op, const void *from, void *to) {
  auto with = [&](auto operation) {
    using Op = decltype(operation);
    if (gather.tiles.empty())
      runRows<T, Op>(gather, piece, static_cast<const T *>(from), static_cast<T *>(to));
    else
      runTiles<T, Op>(gather, piece, static_cast<const T *>(from), static_cast<T *>(to));
    return COMM_GRAPH_SUCCESS;
  };
  switch (op) {
  case COMM_REDUCE_SUM:
    return with(Sum());
  case COMM_REDUCE_MIN:
    return with(Min());
  case COMM_REDUCE_MAX:
    return with(Max());
  default:
    return COMM_GRAPH_ERR_ARG;
  }
}

} // namespace

int comm_gather_create(const comm_graph_edges *edges, uint32_t rows, uint32_t columns, size_t value_bytes, int form,
                       comm_gather **gather) {
  if (!edges || !edges->offsets || !gather || form < COMM_GATHER_AUTO || form > COMM_GATHER_TILES)
    return COMM_GRAPH_ERR_ARG;
  *gather = nullptr;
  std::unique_ptr<comm_gather> made(new (std::nothrow) comm_gather);
  if (!made)
    return COMM_GRAPH_ERR_MEMORY;
  made->edges = *edges;
  made->rows = rows;
  made->columns = columns;
  while (made->columnBits < 16 && (value_bytes << (made->columnBits + 1)) <= cacheBytes() / 2)
    ++made->columnBits;
  bool isTiled = form == COMM_GATHER_TILES && columns;
  if (form == COMM_GATHER_AUTO)
    isTiled = columns * value_bytes > cacheBytes() / 2 && !isLocal(*edges, rows);
  if (isTiled && !makeTiles(*made))
    return COMM_GRAPH_ERR_MEMORY;
  *gather = made.release();
  return COMM_GRAPH_SUCCESS;
}

int comm_gather_free(comm_gather **gather) {
  if (!gather)
    return COMM_GRAPH_ERR_ARG;
  delete *gather;
  *gather = nullptr;
  return COMM_GRAPH_SUCCESS;
}

int comm_gather_run_part(const comm_gather *gather, int type, int op, const void *from, void *to, int part, int parts) {
  if (!gather || part < 0 || part >= parts || (gather->rows && !to) || (gather->columns && !from))
    return COMM_GRAPH_ERR_ARG;
  Piece piece = {static_cast<size_t>(part), static_cast<size_t>(parts)};
  switch (type) {
  case COMM_REDUCE_INT32:
    // Sums wrap around, so add unsigned numbers.
    return op == COMM_REDUCE_SUM ? run<uint32_t>(*gather, piece, op, from, to)
                                 : run<int32_t>(*gather, piece, op, from, to);
  case COMM_REDUCE_INT64:
    return op == COMM_REDUCE_SUM ? run<uint64_t>(*gather, piece, op, from, to)
                                 : run<int64_t>(*gather, piece, op, from, to);
  case COMM_REDUCE_UINT32:
    return run<uint32_t>(*gather, piece, op, from, to);
  case COMM_REDUCE_UINT64:
    return run<uint64_t>(*gather, piece, op, from, to);
  case COMM_REDUCE_FLOAT:
    return run<float>(*gather, piece, op, from, to);
  case COMM_REDUCE_DOUBLE:
    return run<double>(*gather, piece, op, from, to);
  default:
    return COMM_GRAPH_ERR_ARG;
  }
}

int comm_gather_run(const comm_gather *gather, int type, int op, const void *from, void *to) {
  return comm_gather_run_part(gather, type, op, from, to, 0, 1);
}

int64_t comm_gather_bytes(const comm_gather *gather) {
  return gather ? static_cast<int64_t>(gather->count * sizeof(uint16_t) + gather->tiles.size() * sizeof(Tile)) : 0;
}
