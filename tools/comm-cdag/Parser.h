// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of the graph format. GraphText.cpp parses statements; GraphBlock.cpp
// handles the end of a process's block.
#ifndef COMM_CDAG_PARSER_H
#define COMM_CDAG_PARSER_H

#include "Lexer.h"

#include <unordered_map>

namespace comm::cdag {

/// Upper limit of addresses and sizes.
constexpr Addr kAddressLimit = Addr(1) << 63;

class Parser {
public:
  Parser(const std::string &text, const ReadOptions &options, Graph &graph, std::vector<Place> &places)
      : lexer_(text), options_(options), graph_(graph), places_(places) {
    take();
  }
  ReadError run();

private:
  /// An operation of the current block, added to the graph at its end, when all requirements are known.
  struct Pending : Operation {
    bool automatic = false; ///< a message without an address
    Place place;
  };
  struct Requirement {
    std::string op, on;
    Place opPlace, onPlace;
    bool start;
  };
  /// A requirement with the operations' positions in the block.
  struct Edge {
    uint32_t op, on;
    bool start;
    Place place;
  };

  // Tokens
  void take() { token_ = lexer_.next(); }
  bool isWord(const char *word) const { return token_.kind == Token::Word && token_.text == word; }
  bool isSign(char sign) const { return token_.kind == Token::Sign && token_.sign == sign; }
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
  void findForwarded(const std::vector<Edge> &edges, std::vector<uint32_t> &source) const;
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
  // State of the block being parsed.
  std::vector<Pending> pending_;
  std::unordered_map<std::string, uint32_t> labels_;
  std::vector<Requirement> requirements_;
};

} // namespace comm::cdag

#endif
