// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated graphs. Edge i is a function of the seed and i, so the graph does not depend on the number of processes.
#include "Source.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace comm::graph {

std::string format(const char *text, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(buffer, sizeof buffer, text, arguments);
  va_end(arguments);
  return buffer;
}

uint32_t drawWeight(const comm_graph_options &options, bool isReal, uint32_t a, uint32_t b) {
  uint64_t pair = static_cast<uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
  uint64_t draw = mix(pair + mix(options.seed + 0x9e3779b97f4a7c15u));
  uint64_t range = static_cast<uint64_t>(static_cast<int64_t>(options.weight_max) - options.weight_min) + 1;
  // The high half of a product is as uniform as the remainder and faster.
  auto offset = static_cast<int64_t>(static_cast<unsigned __int128>(draw) * range >> 64);
  auto weight = static_cast<int32_t>(options.weight_min + offset);
  uint32_t bits;
  if (isReal) {
    auto real = static_cast<float>(weight);
    memcpy(&bits, &real, sizeof bits);
  } else {
    memcpy(&bits, &weight, sizeof bits);
  }
  return bits;
}

namespace {

// A bijection of [0, 2^scale): invertible steps of additions, odd factors and shifted xors.
uint32_t rename(uint32_t id, unsigned scale, uint64_t seed) {
  if (!scale)
    return id;
  const uint64_t mask = (uint64_t(1) << scale) - 1;
  uint64_t x = id;
  for (unsigned turn = 0; turn < 3; ++turn) {
    uint64_t key = mix(seed + turn + 1);
    x = (x * (key | 1)) & mask;
    x ^= x >> (scale / 2 + 1);
    x = (x + (key >> 32)) & mask;
  }
  return static_cast<uint32_t>(x);
}

class Generator : public Source {
public:
  enum Kind { RMat, Uniform, Grid };
  Generator(const Request &request, Kind kind, int64_t a, int64_t b) : Source(request), kind_(kind), a_(a), b_(b) {
    vertices = kind == Grid ? a * b : int64_t(1) << a;
    // A grid numbers two edges (right, down) per vertex and omits those that cross the border.
    total_ = kind == Grid ? 2 * vertices : vertices * b;
    promised = kind == Grid ? total_ - a - b : total_;
    isCounted = true;
    begin_ = part(request.rank);
    end_ = part(request.rank + 1);
    next_ = begin_;
  }
  size_t read(Edge *edges, size_t capacity) override;
  void rewind() override { next_ = begin_; }
  double progress() const override {
    return begin_ == end_ ? 1 : static_cast<double>(next_ - begin_) / static_cast<double>(end_ - begin_);
  }

private:
  int64_t part(int rank) const { return static_cast<int64_t>(static_cast<__int128>(total_) * rank / request.size); }
  void drawRMat(uint64_t number, Edge &edge) const;

  const Kind kind_;
  const int64_t a_, b_;
  int64_t total_, begin_, end_, next_;
};

void Generator::drawRMat(uint64_t number, Edge &edge) const {
  // Graph500: each bit picks a quadrant of the matrix with probabilities 0.57, 0.19, 0.19, 0.05.
  constexpr auto a = static_cast<uint32_t>(0.57 * 0x1p32), b = static_cast<uint32_t>(0.19 * 0x1p32);
  uint64_t seed = mix(request.options.seed + 77), state = seed + number * 0x9e3779b97f4a7c15u, bits = 0;
  uint32_t from = 0, to = 0;
  for (int64_t level = 0; level < a_; ++level) {
    if (level % 2 == 0)
      bits = mix(state += 0xd1342543de82ef95u);
    uint32_t draw = static_cast<uint32_t>(bits >> (level % 2 * 32));
    from <<= 1;
    to <<= 1;
    if (draw < a)
      continue;
    if (draw < a + b) {
      ++to;
      continue;
    }
    ++from;
    if (draw >= a + 2 * b)
      ++to;
  }
  edge.from = rename(from, static_cast<unsigned>(a_), seed);
  edge.to = rename(to, static_cast<unsigned>(a_), seed);
}

size_t Generator::read(Edge *edges, size_t capacity) {
  size_t count = 0;
  for (; next_ < end_ && count < capacity; ++next_) {
    Edge &edge = edges[count];
    auto number = static_cast<uint64_t>(next_);
    switch (kind_) {
    case RMat:
      drawRMat(number, edge);
      break;
    case Uniform: {
      uint64_t draw = mix(mix(request.options.seed + 78) + number * 0x9e3779b97f4a7c15u);
      edge.from = static_cast<uint32_t>(draw >> (64 - a_) % 64) & static_cast<uint32_t>(vertices - 1);
      edge.to = static_cast<uint32_t>(mix(draw + 1)) & static_cast<uint32_t>(vertices - 1);
      break;
    }
    case Grid: {
      int64_t vertex = next_ / 2, x = vertex % a_, y = vertex / a_;
      bool isDown = next_ % 2;
      if (isDown ? y + 1 == b_ : x + 1 == a_)
        continue;
      edge.from = static_cast<uint32_t>(vertex);
      edge.to = static_cast<uint32_t>(vertex + (isDown ? a_ : 1));
      break;
    }
    }
    edge.weight = request.drawsWeights() ? drawWeight(request.options, request.isReal(), edge.from, edge.to) : 0;
    ++count;
  }
  return count;
}

} // namespace

std::unique_ptr<Source> makeGenerator(const Request &request, Failure &failure) {
  const char *name = request.name.c_str();
  long long a = 0, b = 0;
  int used = 0;
  char kind[16] = "";
  if (sscanf(name, "%15[a-z]:%lld:%lld%n", kind, &a, &b, &used) != 3 || name[used]) {
    failure.set(COMM_GRAPH_ERR_ARG,
                format("%s: error: write rmat:SCALE:DEGREE, uniform:SCALE:DEGREE or grid:WIDTH:HEIGHT", name));
    return nullptr;
  }
  bool isGrid = !strcmp(kind, "grid");
  if (isGrid ? a < 1 || b < 1 || a > MaxVertices || b > MaxVertices / a : a < 0 || a > 31 || b < 0 || b > (1 << 20)) {
    failure.set(COMM_GRAPH_ERR_ARG,
                format("%s: error: %s", name,
                       isGrid ? "a grid has 1 to 2^32 - 1 vertices" : "SCALE is 0 to 31 and DEGREE 0 to 2^20"));
    return nullptr;
  }
  if (request.hasWeights() && !request.drawsWeights()) {
    failure.set(COMM_GRAPH_ERR_NO_WEIGHTS, format("%s: error: a generated graph has no weights of its own", name));
    return nullptr;
  }
  auto which = isGrid ? Generator::Grid : !strcmp(kind, "rmat") ? Generator::RMat : Generator::Uniform;
  return std::make_unique<Generator>(request, which, a, b);
}

} // namespace comm::graph
