// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a process's block: resolves labels, assigns addresses to messages without one, and adds the operations to
// the graph.
#include "Parser.h"

namespace comm::cdag {

bool Parser::note(OpId op, Place place) {
  if (graph_.error())
    return fail(place, graph_.error().text);
  if (op == kNone)
    return fail(place, "the graph has too many operations");
  places_.resize(size_t(op) + 1, place);
  places_[op] = place;
  return true;
}

bool Parser::automaticAddress(const Pending &op, Addr &at) {
  at = nextAutomatic_[rank_];
  if (op.size >= kAddressLimit - at)
    return fail(op.place, "the messages' bytes reach address 2^63");
  nextAutomatic_[rank_] = at + op.size;
  return true;
}

bool Parser::findEdges(std::vector<Edge> &edges) {
  auto find = [&](const std::string &label, Place place, uint32_t &op) {
    auto found = labels_.find(label);
    if (found == labels_.end())
      return fail(place, "no operation of process " + std::to_string(rank_) + " is called '" + label + "'");
    op = found->second;
    return true;
  };
  for (const Requirement &r : requirements_) {
    Edge edge = {0, 0, r.start, r.opPlace};
    if (!find(r.op, r.opPlace, edge.op) || !find(r.on, r.onPlace, edge.on))
      return false;
    if (edge.op == edge.on)
      return fail(r.opPlace, "operation '" + r.op + "' cannot require itself");
    edges.push_back(edge);
  }
  return true;
}

/// For each operation, finds the receive whose data it can use: the last one that it requires, directly or through
/// calculations and sends.
void Parser::findForwarded(const std::vector<Edge> &edges, std::vector<uint32_t> &source) const {
  size_t count = pending_.size();
  std::vector<uint32_t> begin(count + 1, 0), on(edges.size());
  for (const Edge &edge : edges)
    ++begin[edge.op + 1];
  for (size_t i = 0; i < count; ++i)
    begin[i + 1] += begin[i];
  std::vector<uint32_t> fill(begin.begin(), begin.end() - 1);
  for (const Edge &edge : edges)
    on[fill[edge.op]++] = edge.on;
  source.assign(count, kNone);
  std::vector<uint8_t> visited(count, 0);
  std::vector<uint32_t> stack, next(begin.begin(), begin.end() - 1);
  for (uint32_t root = 0; root < count; ++root) {
    if (visited[root])
      continue;
    visited[root] = 1;
    stack.push_back(root);
    while (!stack.empty()) {
      uint32_t op = stack.back();
      if (pending_[op].kind == OpKind::Recv)
        source[op] = op;
      else if (next[op] < begin[op + 1]) {
        uint32_t to = on[next[op]];
        if (!visited[to]) {
          visited[to] = 1;
          stack.push_back(to);
          continue;
        }
        ++next[op];
        if (source[to] != kNone)
          source[op] = source[to];
        continue;
      }
      stack.pop_back();
    }
  }
}

/// Assigns bytes to messages without an address.
bool Parser::place(const std::vector<Edge> &edges) {
  std::vector<uint32_t> source;
  std::unordered_map<uint64_t, Addr> own; // by size
  bool forward = options_.memory == AutoMemory::Forward;
  if (forward)
    findForwarded(edges, source);
  for (Pending &op : pending_)
    if (op.automatic && (!forward || op.kind == OpKind::Recv))
      if (!automaticAddress(op, op.addr))
        return false;
  for (size_t i = 0; forward && i < pending_.size(); ++i) {
    Pending &op = pending_[i];
    if (!op.automatic || op.kind != OpKind::Send)
      continue;
    if (source[i] != kNone && pending_[source[i]].size == op.size) {
      op.addr = pending_[source[i]].addr;
      continue;
    }
    auto known = own.find(op.size);
    if (known == own.end()) {
      if (!automaticAddress(op, op.addr))
        return false;
      known = own.emplace(op.size, op.addr).first;
    }
    op.addr = known->second;
  }
  return true;
}

bool Parser::addPending() {
  for (const Pending &op : pending_)
    if (!note(graph_.add(rank_, op), op.place))
      return false;
  return true;
}

/// Ends a block; only then, because labels may be used before they are defined.
bool Parser::resolve() {
  std::vector<Edge> edges;
  OpId first = graph_.numOps();
  if (!findEdges(edges) || !place(edges) || !addPending())
    return false;
  // irequires: starts after the start of the other operation, which is modeled as an operation with the same
  // requirements.
  std::unordered_map<uint32_t, OpId> starts;
  for (const Edge &edge : edges) {
    if (!edge.start || starts.count(edge.on))
      continue;
    OpId start = graph_.addNop(rank_);
    if (!note(start, edge.place))
      return false;
    starts[edge.on] = start;
    graph_.addDependency(first + edge.on, start);
  }
  for (const Edge &edge : edges) {
    auto started = starts.find(edge.op);
    graph_.addDependency(started == starts.end() ? first + edge.op : started->second,
                         edge.start ? starts[edge.on] : first + edge.on);
    if (graph_.error())
      return fail(edge.place, graph_.error().text);
  }
  pending_.clear();
  labels_.clear();
  requirements_.clear();
  return true;
}

} // namespace comm::cdag
