// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphText.h"
#include "Parser.h"

#include <algorithm>
#include <cstdio>

namespace comm::cdag {

namespace {

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

} // namespace

bool Parser::expected(const char *what) {
  return fail(token_.place, std::string("expected ") + what + ", found " + quoted(token_));
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
    return fail(token_.place, std::string(what) + " " + std::string(token_.text.substr(0, 40)) +
                                  " is too large: it must be below " + std::to_string(below));
  value = token_.number;
  take();
  return true;
}

/// `16b`, or `16 b`.
bool Parser::bytes(uint64_t &size) {
  if (!number("a size", size, kAddressLimit))
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
    if (!number("an address", addr, kAddressLimit))
      return false;
  } else if (token_.kind == Token::Word) {
    auto found = buffers_.find(std::string(token_.text));
    if (found == buffers_.end())
      return fail(place, "no buffer is called " + quoted(token_) + ": declare it with 'buffer NAME size BYTESb'");
    take();
    uint64_t offset = 0;
    if (isSign('+')) {
      take();
      if (!number("an offset", offset, kAddressLimit))
        return false;
    }
    const NamedBuffer &buffer = found->second;
    if (offset > buffer.size || size > buffer.size - offset)
      return fail(place, std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                             " do not fit in buffer '" + found->first + "' of " + std::to_string(buffer.size) +
                             " bytes");
    addr = buffer.start + offset;
  } else {
    return expected("an address or the name of a buffer");
  }
  if (size > kAddressLimit - addr)
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
    return fail(at, std::to_string(ranks) + " processes are more than " + std::to_string(options_.maxRanks) +
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
      if (!number("an address", at, kAddressLimit))
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
  if (size >= kAddressLimit - at)
    return fail(place, "buffer '" + name + "' reaches address 2^63");
  if (!buffers_.emplace(name, NamedBuffer{at, size}).second)
    return fail(place, "a second buffer is called '" + name + "'");
  if (!placed)
    nextBuffer_ = (at + size + 63) / 64 * 64;
  for (Addr &next : nextAutomatic_)
    next = std::max(next, (at + size + 63) / 64 * 64);
  graph_.addBuffer(oneRank ? Rank(rank) : kNone, at, size, name.c_str(), temporary);
  return endOfStatement();
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
    if (!reference(op.addr, op.size))
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
      return fail(peerPlace,
                  "process " + std::to_string(peer) + " does not exist: num_ranks is " + std::to_string(ranks_));
    op.peer = Rank(peer);
  }
  return attributes(true, send, op.tag);
}

/// copy SIZEb at REFERENCE from REFERENCE
bool Parser::copy(Pending &op) {
  return bytes(op.size) && word("at") && reference(op.addr, op.size) && word("from") && reference(op.source, op.size) &&
         attributes(false, false, op.tag);
}

template <typename T> bool findName(std::string_view text, unsigned count, T &value) {
  for (unsigned i = 0; i < count; ++i)
    if (text == name(T(i))) {
      value = T(i);
      return true;
    }
  return false;
}

/// reduce OPERATOR TYPE SIZEb at REFERENCE from REFERENCE [first]
bool Parser::reduce(Pending &op) {
  Operator combines = Operator::Sum;
  if (token_.kind != Token::Word || !findName(token_.text, 10, combines))
    return expected("an operator (sum, prod, max, min, land, lor, lxor, band, "
                    "bor, bxor)");
  op.reduction.op = uint8_t(combines);
  take();
  if (token_.kind != Token::Word || !findName(token_.text, 10, op.reduction.type))
    return expected("an element type (int8 to int64, uint8 to uint64, float, "
                    "double)");
  take();
  if (!bytes(op.size) || !word("at") || !reference(op.addr, op.size) || !word("from") || !reference(op.source, op.size))
    return false;
  if (isWord("first")) {
    take();
    op.reduction.sourceFirst = true;
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
    op.kind = OpKind::Nop;
    take();
    uint64_t time = 0;
    parsed = number("a time", time, ~uint64_t(0)) && attributes(false, false, op.tag);
  } else {
    return expected("send, recv, copy, reduce or calc");
  }
  if (!parsed)
    return false;
  if (!label.empty() && !labels_.emplace(label, uint32_t(pending_.size())).second)
    return fail(labelPlace, "a second operation of process " + std::to_string(rank_) + " is called '" + label + "'");
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
    requirements_.push_back({label, std::string(token_.text), place, token_.place, start});
    take();
    if (isSign(','))
      take();
  }
  return endOfStatement();
}

bool Parser::statement() {
  if (token_.kind != Token::Word)
    return expected("an operation, a label or '}'");
  if (isWord("send") || isWord("recv") || isWord("copy") || isWord("reduce") || isWord("calc"))
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

bool Parser::rankBlock() {
  take();
  if (!haveRanks_)
    return fail(token_.place, "'num_ranks' must come before the first process");
  uint64_t rank = 0;
  Place place = token_.place;
  if (!number("a process", rank, kMaxIndex))
    return false;
  if (rank >= ranks_)
    return fail(place, "process " + std::to_string(rank) + " does not exist: num_ranks is " + std::to_string(ranks_));
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
                                    std::to_string(open.line) + ": '}' is missing");
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

ReadError readGraph(const std::string &text, const ReadOptions &options, Graph &graph, std::vector<Place> &places) {
  places.clear();
  return Parser(text, options, graph, places).run();
}

} // namespace comm::cdag
