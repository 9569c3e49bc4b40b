// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text formats: edge lists, Matrix Market, METIS, DIMACS.
#include "Lines.h"
#include "Parcels.h"
#include "Source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace comm::graph {
namespace {

// Splits a line into words.
struct Words {
  const char *at, *end;
  Words(const char *text, size_t length) : at(text), end(text + length) { skip(); }
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\v' || c == '\f'; }
  void skip() {
    while (at != end && isBlank(*at))
      ++at;
  }
  bool isEmpty() const { return at == end; }
  std::string_view word() {
    const char *start = at;
    while (at != end && !isBlank(*at))
      ++at;
    std::string_view found(start, static_cast<size_t>(at - start));
    skip();
    return found;
  }
  bool integer(int64_t &value) {
    auto [stop, code] = std::from_chars(at, end, value);
    if (code != std::errc() || (stop != end && !isBlank(*stop)))
      return false;
    at = stop;
    skip();
    return true;
  }
  bool real(double &value) {
    const char *start = at != end && *at == '+' ? at + 1 : at;
    auto [stop, code] = std::from_chars(start, end, value);
    if (code != std::errc() || (stop != end && !isBlank(*stop)))
      return false;
    at = stop;
    skip();
    return true;
  }
};

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}
// Returns text that is safe in a message: the file may contain any bytes.
std::string shown(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 24))
    result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > 24 ? "..." : "");
}

class Text : public Source {
public:
  Text(const Request &request, int format) : Source(request), format_(format) {}
  bool open();
  size_t read(Edge *edges, size_t capacity) override;
  void rewind() override;
  void share(MPI_Comm comm) override {
    if (parcels_)
      parcels_->share(comm);
  }
  bool hasMore() const override { return parcels_ && !request.rank && !parcels_->isDone(); }
  bool isBehind() const override { return parcels_ && isFull_; }
  double progress() const override {
    int64_t all = lines_.isPacked() ? lines_.size() : end_ - begin_;
    int64_t done = parcels_ ? parcels_->position() : lines_.position() - begin_;
    return all <= 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  }

private:
  bool fail(const std::string &what, int code = COMM_GRAPH_ERR_FORMAT);
  void checkVertices(int64_t count);
  bool nextLine(const char *&text, size_t &length);
  void unpack();
  bool isComment(const char *text, size_t length) const;
  bool readHeader();
  bool readMatrixMarketHeader();
  bool readDimacsHeader();
  bool readMetisHeader();
  bool countMetisLines();
  bool endpoint(Words &words, uint32_t &id);
  bool weightOf(Words &words, uint32_t from, uint32_t to, uint32_t &bits, bool isInFile);
  bool parseLine(const char *text, size_t length, Edge &edge, bool &isEdge);
  size_t readLines(Edge *edges, size_t capacity);
  size_t readMetis(Edge *edges, size_t capacity);

  const int format_;
  Lines lines_;
  // For a packed file that several processes read.
  std::unique_ptr<Parcels> parcels_;
  int64_t headerLines_ = 0;
  bool isFull_ = false; // the last read returned as many edges as requested
  int64_t begin_ = 0, end_ = 0;
  bool hasFileWeights_ = true;
  // METIS
  int64_t firstVertex_ = 0, vertex_ = 0;
  int64_t skippedWords_ = 0;
  std::string line_;
  size_t lineAt_ = 0;
  bool isInLine_ = false;
};

bool Text::fail(const std::string &what, int code) {
  failure.set(code,
              format("%s:%lld: error: ", request.name.c_str(), static_cast<long long>(lines_.lineNumber())) + what);
  return false;
}

/// Gets the next line of this process, from any source.
bool Text::nextLine(const char *&text, size_t &length) {
  Parcel parcel;
  while (!lines_.next(text, length)) {
    if (!parcels_ || !parcels_->take(parcel))
      return false;
    lines_.setText(parcel.text, parcel.lines);
    vertex_ = parcel.vertices;
  }
  return true;
}

/// Process 0 decompresses a packed file for the others and reads none of it.
void Text::unpack() {
  if (!parcels_->prepare(lines_.longest)) {
    failure.set(COMM_GRAPH_ERR_FORMAT,
                format("%s:%lld: error: ", request.name.c_str(), static_cast<long long>(parcels_->lines() + 1)) +
                    parcels_->error);
    return;
  }
  if (format_ == COMM_GRAPH_METIS && parcels_->isDone())
    checkVertices(parcels_->vertices());
}

bool Text::isComment(const char *text, size_t length) const {
  switch (format_) {
  case COMM_GRAPH_EDGE_LIST:
    return Words(text, length).isEmpty() || text[0] == '#' || text[0] == '%';
  case COMM_GRAPH_MATRIX_MARKET:
    return Words(text, length).isEmpty() || text[0] == '%';
  case COMM_GRAPH_METIS:
    return length && text[0] == '%'; // an empty line is a vertex without edges
  default:
    return Words(text, length).isEmpty() || text[0] == 'c';
  }
}

bool Text::open() {
  const std::string &name = request.name;
  bool isPacked = name.size() > 3 && name.compare(name.size() - 3, 3, ".gz") == 0;
  if (format_ == COMM_GRAPH_METIS)
    lines_.longest = size_t(1) << 31;
  if (!lines_.open(name, isPacked)) {
    failure.set(COMM_GRAPH_ERR_FILE, name + ": error: " + lines_.error);
    return false;
  }
  lines_.setRange(0, std::max<int64_t>(lines_.size(), 1));
  if (!readHeader()) {
    if (!failure && !lines_.error.empty())
      failure.set(COMM_GRAPH_ERR_FORMAT, name + ": error: " + lines_.error);
    return false;
  }
  // Split the text after the header into parts of equal size. A packed file has one part, or is dealt out.
  int64_t start = format_ == COMM_GRAPH_EDGE_LIST ? 0 : std::min(begin_, lines_.size());
  if (isPacked) {
    begin_ = 0;
    end_ = 1;
    headerLines_ = format_ == COMM_GRAPH_EDGE_LIST ? 0 : lines_.lineNumber();
    if (request.size > 1)
      parcels_ = std::make_unique<Parcels>(request.rank, request.size);
    if (parcels_ && !request.rank && !parcels_->open(name)) {
      failure.set(COMM_GRAPH_ERR_FILE, name + ": error: " + parcels_->error);
      return false;
    }
  } else {
    int64_t length = lines_.size() - start;
    begin_ = start + static_cast<int64_t>(static_cast<__int128>(length) * request.rank / request.size);
    end_ = start + static_cast<int64_t>(static_cast<__int128>(length) * (request.rank + 1) / request.size);
  }
  if (format_ == COMM_GRAPH_METIS && !countMetisLines())
    return false;
  rewind();
  return !failure;
}

bool Text::readHeader() {
  switch (format_) {
  case COMM_GRAPH_MATRIX_MARKET:
    return readMatrixMarketHeader();
  case COMM_GRAPH_DIMACS:
    return readDimacsHeader();
  case COMM_GRAPH_METIS:
    return readMetisHeader();
  default:
    return true;
  }
}

bool Text::readMatrixMarketHeader() {
  const char *text;
  size_t length;
  if (!lines_.next(text, length))
    return lines_.error.empty() ? fail("the file is empty") : false;
  std::string banner = lowered({text, length});
  Words words(banner.data(), banner.size());
  if (words.word() != "%%matrixmarket" || words.word() != "matrix")
    return fail("a Matrix Market file begins with '%%MatrixMarket matrix'");
  if (words.word() != "coordinate")
    return fail("only coordinate matrices are graphs");
  std::string_view field = words.word(), symmetry = words.word();
  if (field != "real" && field != "integer" && field != "pattern" && field != "double")
    return fail("the field '" + shown(field) + "' is not one of real, integer and pattern");
  if (symmetry != "general" && symmetry != "symmetric")
    return fail("the symmetry '" + shown(symmetry) + "' is not one of general and symmetric");
  hasFileWeights_ = field != "pattern";
  needsReverse = symmetry == "symmetric";
  while (lines_.next(text, length)) {
    if (isComment(text, length))
      continue;
    Words sizes(text, length);
    int64_t rows, columns;
    if (!sizes.integer(rows) || !sizes.integer(columns) || !sizes.integer(promised) || !sizes.isEmpty())
      return fail("expected the numbers of rows, columns and entries");
    if (rows != columns)
      return fail("a graph's matrix has as many rows as columns");
    if (rows < 0 || rows > MaxVertices || promised < 0)
      return fail("there can be 0 to 2^32 - 1 vertices, and no negative number of entries");
    vertices = rows;
    begin_ = lines_.lineStart() + static_cast<int64_t>(length) + 1;
    return true;
  }
  return lines_.error.empty() ? fail("the line with the numbers of rows, columns and entries is missing") : false;
}

bool Text::readDimacsHeader() {
  const char *text;
  size_t length;
  while (lines_.next(text, length)) {
    if (isComment(text, length))
      continue;
    Words words(text, length);
    if (words.word() != "p" || words.word() != "sp")
      return fail("expected 'p sp VERTICES ARCS'");
    if (!words.integer(vertices) || !words.integer(promised) || !words.isEmpty())
      return fail("expected the numbers of vertices and arcs after 'p sp'");
    if (vertices < 0 || vertices > MaxVertices || promised < 0)
      return fail("there can be 0 to 2^32 - 1 vertices, and no negative number of arcs");
    begin_ = lines_.lineStart() + static_cast<int64_t>(length) + 1;
    return true;
  }
  return lines_.error.empty() ? fail("the line 'p sp VERTICES ARCS' is missing") : false;
}

bool Text::readMetisHeader() {
  const char *text;
  size_t length;
  while (lines_.next(text, length)) {
    if (isComment(text, length))
      continue;
    Words words(text, length);
    int64_t edges, kind = 0, constraints = 1;
    if (!words.integer(vertices) || !words.integer(edges))
      return fail("expected the numbers of vertices and edges");
    if (!words.isEmpty() && (!words.integer(kind) || kind < 0 || kind > 111 || kind % 10 > 1 || kind / 10 % 10 > 1))
      return fail("the format is three digits 0 or 1");
    if (!words.isEmpty() && (!words.integer(constraints) || constraints < 0 || constraints > 1000 || !words.isEmpty()))
      return fail("expected at most four numbers: vertices, edges, format, weights of a vertex");
    if (vertices < 0 || vertices > MaxVertices || edges < 0 || edges > INT64_MAX / 2)
      return fail("there can be 0 to 2^32 - 1 vertices, and no negative number of edges");
    hasFileWeights_ = kind % 10;
    skippedWords_ = kind / 100 + (kind / 10 % 10 ? constraints : 0);
    promised = 2 * edges;
    isSymmetric = true;
    begin_ = lines_.lineStart() + static_cast<int64_t>(length) + 1;
    return true;
  }
  return lines_.error.empty() ? fail("the line with the numbers of vertices and edges is missing") : false;
}

// The number of a line is a vertex. Each process counts the lines before its part, which takes a look at each byte.
bool Text::countMetisLines() {
  firstVertex_ = 0;
  if (lines_.isPacked())
    return true;
  lines_.setRange(lines_.lineStart(), begin_);
  const char *text;
  size_t length;
  bool isHeader = true;
  while (lines_.next(text, length)) {
    if (isComment(text, length))
      continue;
    firstVertex_ += !isHeader;
    isHeader = false;
  }
  if (!lines_.error.empty())
    failure.set(COMM_GRAPH_ERR_FORMAT, request.name + ": error: " + lines_.error);
  return !failure;
}

void Text::rewind() {
  vertex_ = firstVertex_;
  isInLine_ = isFull_ = false;
  if (parcels_) {
    std::vector<char> none;
    lines_.setText(none, 0);
    parcels_->rewind(headerLines_);
    return;
  }
  lines_.setRange(begin_, end_);
  if (!lines_.isPacked() || format_ == COMM_GRAPH_EDGE_LIST)
    return;
  readHeader();
  begin_ = 0;
}

bool Text::endpoint(Words &words, uint32_t &id) {
  const int64_t base = format_ == COMM_GRAPH_EDGE_LIST ? 0 : 1;
  Words before = words;
  int64_t number;
  if (!words.integer(number)) {
    if (before.isEmpty())
      return fail("the line ends where the id of a vertex is expected");
    return fail("'" + shown(before.word()) + "' is not the id of a vertex");
  }
  int64_t limit = vertices >= 0 ? vertices : MaxVertices;
  if (number < base || number - base >= limit)
    return fail(format("vertex %lld: ids are %lld to %lld here", static_cast<long long>(number),
                       static_cast<long long>(base), static_cast<long long>(limit - 1 + base)));
  id = static_cast<uint32_t>(number - base);
  return true;
}

bool Text::weightOf(Words &words, uint32_t from, uint32_t to, uint32_t &bits, bool isInFile) {
  bits = 0;
  double value = 0;
  if (isInFile) {
    Words before = words;
    if (!words.real(value))
      return fail(before.isEmpty() ? std::string("the weight is missing")
                                   : "'" + shown(before.word()) + "' is not a weight");
    if (!std::isfinite(value))
      return fail("a weight that is not a finite number");
  }
  if (!request.hasWeights())
    return true;
  if (request.drawsWeights()) {
    bits = drawWeight(request.options, request.isReal(), from, to);
    return true;
  }
  if (!isInFile)
    return fail("this edge has no weight", COMM_GRAPH_ERR_NO_WEIGHTS);
  if (request.isReal()) {
    auto real = static_cast<float>(value);
    if (!std::isfinite(real))
      return fail("a weight that is too large");
    memcpy(&bits, &real, sizeof bits);
    return true;
  }
  if (value != std::floor(value) || value < INT32_MIN || value > INT32_MAX)
    return fail("a weight that is not a 32-bit integer", COMM_GRAPH_ERR_REAL);
  auto integer = static_cast<int32_t>(value);
  memcpy(&bits, &integer, sizeof bits);
  return true;
}

bool Text::parseLine(const char *text, size_t length, Edge &edge, bool &isEdge) {
  isEdge = false;
  if (isComment(text, length))
    return true;
  Words words(text, length);
  if (format_ == COMM_GRAPH_DIMACS) {
    std::string_view kind = words.word();
    if (kind != "a")
      return fail("'" + shown(kind) + "' begins no line of this format: expected 'a FROM TO WEIGHT'");
  }
  if (!endpoint(words, edge.from) || !endpoint(words, edge.to))
    return false;
  bool isInFile = format_ == COMM_GRAPH_EDGE_LIST ? !words.isEmpty() : hasFileWeights_;
  if (!weightOf(words, edge.from, edge.to, edge.weight, isInFile))
    return false;
  if (!words.isEmpty())
    return fail("'" + shown(words.word()) + "' after the end of the edge");
  isEdge = true;
  return true;
}

size_t Text::read(Edge *edges, size_t capacity) {
  if (failure)
    return 0;
  if (parcels_ && !request.rank)
    return unpack(), 0;
  size_t count = format_ == COMM_GRAPH_METIS ? readMetis(edges, capacity) : readLines(edges, capacity);
  isFull_ = count == capacity;
  return count;
}

size_t Text::readLines(Edge *edges, size_t capacity) {
  size_t count = 0;
  const char *text;
  size_t length;
  while (count < capacity && nextLine(text, length)) {
    bool isEdge;
    if (!parseLine(text, length, edges[count], isEdge))
      return 0;
    count += isEdge;
  }
  if (!lines_.error.empty())
    return fail(lines_.error), 0;
  return count;
}

void Text::checkVertices(int64_t count) {
  if (count < vertices)
    failure.set(COMM_GRAPH_ERR_FORMAT,
                format("%s: error: has lines for %lld vertices, but its header says %lld", request.name.c_str(),
                       static_cast<long long>(count), static_cast<long long>(vertices)));
}

size_t Text::readMetis(Edge *edges, size_t capacity) {
  size_t count = 0;
  const char *text;
  size_t length;
  while (count < capacity) {
    if (!isInLine_) {
      if (!nextLine(text, length))
        break;
      if (isComment(text, length))
        continue;
      Words words(text, length);
      if (vertex_ >= vertices) {
        if (words.isEmpty())
          continue; // empty lines at the end
        fail(format("a line after the last vertex, which is %lld", static_cast<long long>(vertices)));
        return 0;
      }
      for (int64_t i = 0; i < skippedWords_; ++i) {
        int64_t ignored;
        if (!words.integer(ignored) || ignored < 0)
          return fail("expected the weight of a vertex"), 0;
      }
      line_.assign(words.at, static_cast<size_t>(words.end - words.at));
      lineAt_ = 0;
      isInLine_ = true;
    }
    Words words(line_.data() + lineAt_, line_.size() - lineAt_);
    while (count < capacity && !words.isEmpty()) {
      Edge &edge = edges[count];
      edge.from = static_cast<uint32_t>(vertex_);
      if (!endpoint(words, edge.to) || !weightOf(words, edge.from, edge.to, edge.weight, hasFileWeights_))
        return 0;
      ++count;
    }
    lineAt_ = static_cast<size_t>(words.at - line_.data());
    if (words.isEmpty()) {
      isInLine_ = false;
      ++vertex_;
    }
  }
  if (!lines_.error.empty())
    return fail(lines_.error), 0;
  // The last part, or the only one, must end with the last vertex.
  if (!count && !parcels_ && request.rank == request.size - 1)
    checkVertices(vertex_);
  return count;
}

} // namespace

std::unique_ptr<Source> makeText(const Request &request, int format, Failure &failure) {
  auto source = std::make_unique<Text>(request, format);
  if (!source->open()) {
    failure = source->failure;
    return nullptr;
  }
  return source;
}

} // namespace comm::graph
