// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphText.h"
#include "Lexer.h"

#include <cstdio>
#include <unordered_map>

namespace comm::cdag {

namespace {

constexpr Addr kLimit = Addr(1) << 63;

class Parser {
public:
  Parser(const std::string &text, const ReadOptions &options, Graph &graph,
         std::vector<Place> &places)
      : lexer_(text), options_(options), graph_(graph), places_(places) {
    take();
  }
  ReadError run();

private:
  /// An operation of the block in work: added to the graph at its end, when
  /// all requirements are known.
  struct Pending {
    OpKind kind = OpKind::Nop;
    bool automatic = false; ///< a message without an address
    bool sourceFirst = false;
    Operator reduction = Operator::Sum;
    ElementType type = ElementType::Int64;
    Rank peer = 0;
    int32_t tag = 0;
    Addr at = 0, from = 0;
    uint64_t size = 0;
    Place place;
  };
  struct Requirement {
    std::string op, on;
    Place opPlace, onPlace;
    bool start;
  };
  /// The same with the operations' places in the block.
  struct Edge {
    uint32_t op, on;
    bool start;
    Place place;
  };

  // Tokens
  void take() { token_ = lexer_.next(); }
  bool isWord(const char *word) const {
    return token_.kind == Token::Word && token_.text == word;
  }
  bool isSign(char sign) const {
    return token_.kind == Token::Sign && token_.sign == sign;
  }
  bool fail(Place place, const std::string &text) {
    if (!error_)
      error_ = {place, text};
    return false;
  }
  bool expected(const char *what);
  bool word(const char *wanted);
  bool number(const char *what, uint64_t &value, uint64_t below);
  bool bytes(uint64_t &size);
  bool reference(Addr &addr, uint64_t size);
  bool endOfStatement();

  // Statements
  bool topLevel();
  bool numRanks();
  bool buffer();
  bool rankBlock();
  bool statement();
  bool operation(const std::string &label, Place place);
  bool message(Pending &op);
  bool copy(Pending &op);
  bool reduce(Pending &op);
  bool attributes(bool message, bool send, int32_t &tag);
  bool requirements(const std::string &label, Place place);
  bool resolve();
  bool findEdges(std::vector<Edge> &edges);
  bool place(const std::vector<Edge> &edges);
  void findForwarded(const std::vector<Edge> &edges,
                     std::vector<uint32_t> &source) const;
  bool addPending();
  bool note(OpId op, Place place);
  bool automaticAddress(const Pending &op, Addr &at);

  Lexer lexer_;
  const ReadOptions &options_;
  Graph &graph_;
  std::vector<Place> &places_;
  Token token_;
  ReadError error_;
  bool haveRanks_ = false;
  uint64_t ranks_ = 0;
  Rank rank_ = 0;
  struct NamedBuffer {
    Addr start;
    uint64_t size;
  };
  std::unordered_map<std::string, NamedBuffer> buffers_;
  Addr nextBuffer_ = 0;
  bool messagesSeen_ = false;
  std::vector<Addr> nextAutomatic_; ///< per process
  // Of the block in work.
  std::vector<Pending> pending_;
  std::unordered_map<std::string, uint32_t> labels_;
  std::vector<Requirement> requirements_;
};

std::string quoted(const Token &token) {
  switch (token.kind) {
  case Token::End:
    return "the end of the file";
  case Token::Break:
    return token.sign == ';' ? "';'" : "the end of the line";
  default:
    break;
  }
  std::string text = "'";
  for (char c : token.text.substr(0, 40)) {
    if (c >= 0x20 && c < 0x7f) {
      text += c;
    } else {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", unsigned(c) & 0xffu);
      text += hex;
    }
  }
  return text + "'";
}

bool Parser::expected(const char *what) {
  return fail(token_.place,
              std::string("expected ") + what + ", found " + quoted(token_));
}

bool Parser::word(const char *wanted) {
  if (!isWord(wanted))
    return expected((std::string("'") + wanted + "'").c_str());
  take();
  return true;
}

bool Parser::number(const char *what, uint64_t &value, uint64_t below) {
  if (token_.kind != Token::Number)
    return expected(what);
  if (token_.tooLarge || token_.number >= below)
    return fail(token_.place, std::string(what) + " " +
                                  std::string(token_.text.substr(0, 40)) +
                                  " is too large: it must be below " +
                                  std::to_string(below));
  value = token_.number;
  take();
  return true;
}

/// `16b`, or `16 b`.
bool Parser::bytes(uint64_t &size) {
  if (!number("a size", size, kLimit))
    return false;
  if (!isWord("b"))
    return expected("'b' after the size (as in 16b)");
  take();
  return true;
}

/// `name`, `name+8`, `64`, `0x40`.
bool Parser::reference(Addr &addr, uint64_t size) {
  Place place = token_.place;
  if (token_.kind == Token::Number) {
    if (!number("an address", addr, kLimit))
      return false;
  } else if (token_.kind == Token::Word) {
    auto found = buffers_.find(std::string(token_.text));
    if (found == buffers_.end())
      return fail(place, "no buffer is called " + quoted(token_) +
                             ": declare it with 'buffer NAME size BYTESb'");
    take();
    uint64_t offset = 0;
    if (isSign('+')) {
      take();
      if (!number("an offset", offset, kLimit))
        return false;
    }
    const NamedBuffer &buffer = found->second;
    if (offset > buffer.size || size > buffer.size - offset)
      return fail(place, std::to_string(size) + " bytes at offset " +
                             std::to_string(offset) +
                             " do not fit in buffer '" + found->first +
                             "' of " + std::to_string(buffer.size) + " bytes");
    addr = buffer.start + offset;
  } else {
    return expected("an address or the name of a buffer");
  }
  if (size > kLimit - addr)
    return fail(place, "the bytes reach address 2^63");
  return true;
}

bool Parser::endOfStatement() {
  if (token_.kind == Token::Break) {
    take();
    return true;
  }
  if (token_.kind == Token::End || isSign('}'))
    return true;
  return expected("the end of the line");
}

bool Parser::numRanks() {
  Place place = token_.place;
  take();
  if (haveRanks_)
    return fail(place, "'num_ranks' for the second time");
  uint64_t ranks = 0;
  Place at = token_.place;
  if (!number("a number of processes", ranks, kMaxIndex))
    return false;
  if (ranks == 0)
    return fail(at, "a graph needs at least one process");
  if (ranks > options_.maxRanks)
    return fail(at, std::to_string(ranks) + " processes are more than " +
                        std::to_string(options_.maxRanks) +
                        ": raise --max-ranks if there is memory for them");
  haveRanks_ = true;
  ranks_ = ranks;
  graph_ = Graph(uint32_t(ranks));
  nextAutomatic_.assign(ranks, 0);
  return endOfStatement();
}

/// buffer NAME size BYTESb [at ADDRESS] [rank R] [temporary]
bool Parser::buffer() {
  take();
  if (!haveRanks_)
    return fail(token_.place, "'num_ranks' must come first");
  if (messagesSeen_)
    return fail(token_.place, "buffers must be declared before all operations");
  if (token_.kind != Token::Word)
    return expected("the name of a buffer");
  Place place = token_.place;
  std::string name(token_.text);
  take();
  uint64_t size = 0, rank = 0;
  Addr at = nextBuffer_;
  bool temporary = false, placed = false, oneRank = false;
  if (!word("size") || !bytes(size))
    return false;
  for (;;) {
    if (isWord("at")) {
      take();
      placed = true;
      if (!number("an address", at, kLimit))
        return false;
    } else if (isWord("rank")) {
      take();
      oneRank = true;
      if (!number("a process", rank, ranks_))
        return false;
    } else if (isWord("temporary")) {
      take();
      temporary = true;
    } else {
      break;
    }
  }
  if (size >= kLimit - at)
    return fail(place, "buffer '" + name + "' reaches address 2^63");
  if (!buffers_.emplace(name, NamedBuffer{at, size}).second)
    return fail(place, "a second buffer is called '" + name + "'");
  if (!placed)
    nextBuffer_ = (at + size + 63) / 64 * 64;
  for (Addr &next : nextAutomatic_)
    next = std::max(next, (at + size + 63) / 64 * 64);
  graph_.addBuffer(oneRank ? Rank(rank) : kNone, at, size, name.c_str(),
                   temporary);
  return endOfStatement();
}

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
  if (op.size >= kLimit - at)
    return fail(op.place, "the messages' bytes reach address 2^63");
  nextAutomatic_[rank_] = at + op.size;
  return true;
}

/// [tag T] [cpu N] [nic N]
bool Parser::attributes(bool message, bool send, int32_t &tag) {
  for (;;) {
    uint64_t value = 0;
    if (message && isWord("tag")) {
      take();
      if (!send && isWord("any")) {
        take();
        tag = kAnyTag;
      } else if (!send && isSign('-')) {
        take();
        if (!number("-1 for any tag", value, 2))
          return false;
        tag = kAnyTag;
      } else {
        if (!number("a tag", value, uint64_t(1) << 31))
          return false;
        tag = int32_t(value);
      }
    } else if (isWord("cpu") || isWord("nic")) {
      take();
      if (!number("a number", value, 256))
        return false;
    } else {
      return true;
    }
  }
}

/// send SIZEb [at REFERENCE] to R ..., recv SIZEb [at REFERENCE] from R ...
bool Parser::message(Pending &op) {
  bool send = op.kind == OpKind::Send;
  if (!bytes(op.size))
    return false;
  op.automatic = op.size != 0;
  if (isWord("at")) {
    take();
    op.automatic = false;
    if (!reference(op.at, op.size))
      return false;
  }
  if (!word(send ? "to" : "from"))
    return false;
  uint64_t peer = 0;
  if (!send && isWord("any")) {
    take();
    op.peer = kAnySource;
  } else if (!send && isSign('-')) {
    take();
    if (!number("-1 for any process", peer, 2))
      return false;
    op.peer = kAnySource;
  } else {
    Place peerPlace = token_.place;
    if (!number("a process", peer, kMaxIndex))
      return false;
    if (peer >= ranks_)
      return fail(peerPlace, "process " + std::to_string(peer) +
                                 " does not exist: num_ranks is " +
                                 std::to_string(ranks_));
    op.peer = Rank(peer);
  }
  return attributes(true, send, op.tag);
}

/// copy SIZEb at REFERENCE from REFERENCE
bool Parser::copy(Pending &op) {
  return bytes(op.size) && word("at") && reference(op.at, op.size) &&
         word("from") && reference(op.from, op.size) &&
         attributes(false, false, op.tag);
}

template <typename T>
bool findName(std::string_view text, unsigned count, T &value) {
  for (unsigned i = 0; i < count; ++i)
    if (text == name(T(i))) {
      value = T(i);
      return true;
    }
  return false;
}

/// reduce OPERATOR TYPE SIZEb at REFERENCE from REFERENCE [first]
bool Parser::reduce(Pending &op) {
  if (token_.kind != Token::Word || !findName(token_.text, 10, op.reduction))
    return expected("an operator (sum, prod, max, min, land, lor, lxor, band, "
                    "bor, bxor)");
  take();
  if (token_.kind != Token::Word || !findName(token_.text, 10, op.type))
    return expected("an element type (int8 to int64, uint8 to uint64, float, "
                    "double)");
  take();
  if (!bytes(op.size) || !word("at") || !reference(op.at, op.size) ||
      !word("from") || !reference(op.from, op.size))
    return false;
  if (isWord("first")) {
    take();
    op.sourceFirst = true;
  }
  return attributes(false, false, op.tag);
}

bool Parser::operation(const std::string &label, Place labelPlace) {
  Pending op;
  op.place = token_.place;
  messagesSeen_ = true;
  bool parsed;
  if (isWord("send") || isWord("recv")) {
    op.kind = isWord("send") ? OpKind::Send : OpKind::Recv;
    take();
    parsed = message(op);
  } else if (isWord("copy")) {
    op.kind = OpKind::Copy;
    take();
    parsed = copy(op);
  } else if (isWord("reduce")) {
    op.kind = OpKind::Reduce;
    take();
    parsed = reduce(op);
  } else if (isWord("calc")) {
    take();
    uint64_t time = 0;
    parsed = number("a time", time, ~uint64_t(0)) &&
             attributes(false, false, op.tag);
  } else {
    return expected("send, recv, copy, reduce or calc");
  }
  if (!parsed)
    return false;
  if (!label.empty() &&
      !labels_.emplace(label, uint32_t(pending_.size())).second)
    return fail(labelPlace, "a second operation of process " +
                                std::to_string(rank_) + " is called '" + label +
                                "'");
  pending_.push_back(op);
  return endOfStatement();
}

/// LABEL requires LABEL..., LABEL irequires LABEL...
bool Parser::requirements(const std::string &label, Place place) {
  bool start = isWord("irequires");
  take();
  if (token_.kind != Token::Word)
    return expected("the label of an operation");
  while (token_.kind == Token::Word) {
    requirements_.push_back(
        {label, std::string(token_.text), place, token_.place, start});
    take();
    if (isSign(','))
      take();
  }
  return endOfStatement();
}

bool Parser::statement() {
  if (token_.kind != Token::Word)
    return expected("an operation, a label or '}'");
  if (isWord("send") || isWord("recv") || isWord("copy") || isWord("reduce") ||
      isWord("calc"))
    return operation(std::string(), token_.place);
  std::string label(token_.text);
  Place place = token_.place;
  take();
  if (isSign(':')) {
    take();
    return operation(label, place);
  }
  if (isWord("requires") || isWord("irequires"))
    return requirements(label, place);
  return expected("':', 'requires' or 'irequires' after a label");
}

bool Parser::findEdges(std::vector<Edge> &edges) {
  auto find = [&](const std::string &label, Place place, uint32_t &op) {
    auto found = labels_.find(label);
    if (found == labels_.end())
      return fail(place, "no operation of process " + std::to_string(rank_) +
                             " is called '" + label + "'");
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

/// For each operation the receive whose data it has at hand: the last one it
/// requires, also by way of calculations and sends.
void Parser::findForwarded(const std::vector<Edge> &edges,
                           std::vector<uint32_t> &source) const {
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

/// Gives messages without an address their bytes.
bool Parser::place(const std::vector<Edge> &edges) {
  std::vector<uint32_t> source;
  std::unordered_map<uint64_t, Addr> own; // by size
  bool forward = options_.memory == AutoMemory::Forward;
  if (forward)
    findForwarded(edges, source);
  for (Pending &op : pending_)
    if (op.automatic && (!forward || op.kind == OpKind::Recv))
      if (!automaticAddress(op, op.at))
        return false;
  for (size_t i = 0; forward && i < pending_.size(); ++i) {
    Pending &op = pending_[i];
    if (!op.automatic || op.kind != OpKind::Send)
      continue;
    if (source[i] != kNone && pending_[source[i]].size == op.size) {
      op.at = pending_[source[i]].at;
      continue;
    }
    auto known = own.find(op.size);
    if (known == own.end()) {
      if (!automaticAddress(op, op.at))
        return false;
      known = own.emplace(op.size, op.at).first;
    }
    op.at = known->second;
  }
  return true;
}

bool Parser::addPending() {
  for (const Pending &op : pending_) {
    OpId id = kNone;
    switch (op.kind) {
    case OpKind::Send:
      id = graph_.addSend(rank_, op.at, op.size, op.peer, op.tag);
      break;
    case OpKind::Recv:
      id = graph_.addRecv(rank_, op.at, op.size, op.peer, op.tag);
      break;
    case OpKind::Copy:
      id = graph_.addCopy(rank_, op.at, op.from, op.size);
      break;
    case OpKind::Reduce:
      id = graph_.addReduce(rank_, op.at, op.from, op.size, op.reduction,
                            op.type, op.sourceFirst);
      break;
    case OpKind::Nop:
      id = graph_.addNop(rank_);
      break;
    }
    if (!note(id, op.place))
      return false;
  }
  return true;
}

/// The end of a block: labels may be used before they are defined.
bool Parser::resolve() {
  std::vector<Edge> edges;
  OpId first = graph_.numOps();
  if (!findEdges(edges) || !place(edges) || !addPending())
    return false;
  // irequires: starts after the start of the other. The start of such an
  // operation gets an operation of its own, which has its requirements.
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
    graph_.addDependency(started == starts.end() ? first + edge.op
                                                 : started->second,
                         edge.start ? starts[edge.on] : first + edge.on);
    if (graph_.error())
      return fail(edge.place, graph_.error().text);
  }
  pending_.clear();
  labels_.clear();
  requirements_.clear();
  return true;
}

bool Parser::rankBlock() {
  take();
  if (!haveRanks_)
    return fail(token_.place, "'num_ranks' must come before the first process");
  uint64_t rank = 0;
  Place place = token_.place;
  if (!number("a process", rank, kMaxIndex))
    return false;
  if (rank >= ranks_)
    return fail(place, "process " + std::to_string(rank) +
                           " does not exist: num_ranks is " +
                           std::to_string(ranks_));
  rank_ = Rank(rank);
  while (token_.kind == Token::Break)
    take();
  if (!isSign('{'))
    return expected("'{'");
  Place open = token_.place;
  take();
  for (;;) {
    while (token_.kind == Token::Break)
      take();
    if (token_.kind == Token::End)
      return fail(token_.place, "the file ends inside the process that begins "
                                "in line " +
                                    std::to_string(open.line) +
                                    ": '}' is missing");
    if (isSign('}')) {
      take();
      return resolve();
    }
    if (!statement())
      return false;
  }
}

bool Parser::topLevel() {
  if (isWord("num_ranks"))
    return numRanks();
  if (isWord("buffer"))
    return buffer();
  if (isWord("rank"))
    return rankBlock();
  return expected("num_ranks, buffer or rank");
}

ReadError Parser::run() {
  for (;;) {
    while (token_.kind == Token::Break)
      take();
    if (token_.kind == Token::End)
      break;
    if (!topLevel())
      return error_;
  }
  if (!haveRanks_)
    fail(token_.place, "the file has no 'num_ranks'");
  return error_;
}

} // namespace

ReadError readGraph(const std::string &text, const ReadOptions &options,
                    Graph &graph, std::vector<Place> &places) {
  places.clear();
  return Parser(text, options, graph, places).run();
}

} // namespace comm::cdag
