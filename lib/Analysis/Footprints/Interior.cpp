//===- Interior.cpp - Iterations that touch nothing of what is avoided ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Interior.h"

#include "LikelySame.h"
#include "TypicalNumbers.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace comm;

/// Windows that are that near are taken out together: one division instead of two.
static constexpr int64_t kNear = 256;

static bool divides(const Expr &divisor, const Expr &expr) { return !expr.divideExactly(divisor).isUnknown(); }

bool comm::mayHold(const Predicate &predicate) {
  for (unsigned trial = 0; trial < TypicalNumbers::kTrials; ++trial)
    if (TypicalNumbers(trial).holds(predicate))
      return true;
  return false;
}

bool comm::holdsTypically(const Predicate &predicate) {
  return !predicate.isFalse() && llvm::all_of(llvm::seq(TypicalNumbers::kTrials),
                                              [&](unsigned trial) { return TypicalNumbers(trial).holds(predicate); });
}

std::optional<int64_t> comm::getTypicalEdges(llvm::ArrayRef<TouchingIterations> touched, const Expr &count) {
  TypicalNumbers numbers(0);
  auto most = numbers.evaluate(count);
  Int128 low = 0, high = most.value_or(0);
  for (const TouchingIterations &each : touched) {
    auto begin = numbers.evaluate(each.range.begin), end = numbers.evaluate(each.range.end);
    if (!most || !begin || !end)
      return std::nullopt;
    if (*begin >= *end)
      continue;
    if (*begin + *end <= *most)
      low = std::max(low, *end);
    else
      high = std::min(high, *begin);
  }
  return most ? std::optional<int64_t>(low + std::max<Int128>(*most - high, 0)) : std::nullopt;
}

static bool isPlain(const Piece &piece) {
  return !piece.isWhole && !piece.indices && !piece.begin.isUnknown() && !piece.size.isUnknown();
}

/// Takes arithmetic for exact where it may wrap, and adds what this needs to `holds`: rows of s * s points are then
/// multiples of rows of s, and bounds are shorter.
static Expr dropWraps(const Expr &expr, Predicate &holds) {
  return expr.map([&](const Atom &atom) -> Expr {
    Expr same = Expr::ofAtom(atom);
    if (atom.kind != Atom::Kind::Wrap || isMaskWidth(atom.number) || same.containsIterations())
      return same;
    Expr inner = dropWraps(atom.first, holds);
    int64_t most = int64_t(1) << std::min(atom.number - 1, 62u), least = atom.isSigned ? -most : 0;
    holds = holds && Predicate::lessOrEqual(Expr(least), inner) && Predicate::lessOrEqual(inner, Expr(most - 1));
    return inner;
  });
}

static void dropWraps(Piece &piece) {
  Predicate holds = piece.holds;
  piece.begin = dropWraps(piece.begin, holds);
  piece.size = dropWraps(piece.size, holds);
  for (Level &level : piece.levels) {
    level.stride = dropWraps(level.stride, holds);
    level.count = dropWraps(level.count, holds);
  }
  piece.holds = holds;
}

/// Both as ranges in one count of bytes, by arithmetic that is exact. False if they are none.
static bool makeComparable(Piece &a, Piece &b) {
  if (!isPlain(a) || !isPlain(b) || !align(a, b))
    return false;
  dropWraps(a);
  dropWraps(b);
  return true;
}

/// The expression less multiples of the divisor: as small as its terms show.
static Expr reduceModulo(Expr expr, const Expr &divisor) {
  if (divisor.isUnknown() || divisor.isZero())
    return expr;
  auto getProduct = [](const Expr::Term &term) {
    Expr product(1);
    for (const AtomRef &atom : term.atoms)
      product = product * Expr::ofAtom(atom);
    return product;
  };
  // One that counts upwards: `end - begin + 1` may begin with the part that is taken away.
  auto isUpwards = [](const Expr::Term &term) { return term.coefficient > 0; };
  const auto *found = llvm::find_if(divisor.getTerms(), isUpwards);
  if (found == divisor.getTerms().end())
    return expr;
  const Expr::Term leading = *found;
  Expr ofLeading = getProduct(leading);
  for (unsigned steps = 0; steps < 8; ++steps) {
    bool changed = false;
    for (const Expr::Term &term : expr.getTerms()) {
      Expr factor = getProduct(term).divideExactly(ofLeading);
      int64_t times = term.coefficient / leading.coefficient - (term.coefficient % leading.coefficient < 0 ? 1 : 0);
      if (factor.isUnknown() || times == 0)
        continue;
      expr = expr - factor * Expr(times) * divisor;
      changed = true;
      break;
    }
    if (!changed || expr.isUnknown())
      break;
  }
  return expr;
}

//===----------------------------------------------------------------------===//
// Interior
//===----------------------------------------------------------------------===//

Interior::Interior(llvm::ArrayRef<Expr> counts) {
  for (const Expr &count : counts)
    levels.push_back({count.isUnknown() ? count : dropWraps(count, assumed), {}});
}

unsigned Interior::getDepth() const {
  unsigned depth = levels.size();
  while (depth && levels[depth - 1].windows.empty())
    --depth;
  return depth;
}

/// `difference == times * step + rest`, with small numbers.
static bool splitBySteps(const Expr &difference, const Expr &step, int64_t &times, int64_t &rest) {
  if (step.getConstant() && !difference.getConstant())
    return false;
  for (int64_t k : {0, 1, -1, 2, -2}) {
    std::optional<int64_t> constant = (difference - step * Expr(k)).getConstant();
    if (!constant || std::abs(*constant) > kNear)
      continue;
    times = k;
    rest = *constant;
    return true;
  }
  return false;
}

bool Interior::Window::mayFollow(const Window &other) const {
  return step == other.step && row == other.row && shift == other.shift && instead == other.instead &&
         isThere == other.isThere && isEntered == other.isEntered;
}

bool Interior::Window::mayJoin(const Window &other) const { return mayFollow(other) && size == other.size; }

/// Whether an expression or a predicate depends on where arrays are.
template <typename T> static bool dependsOnPlaces(const T &numbers) {
  bool hasPointers = false;
  numbers.forEachSymbol(
      [&](mlir::Value value) { hasPointers |= llvm::isa<mlir::LLVM::LLVMPointerType>(value.getType()); });
  return hasPointers;
}

/// The part of the expression that says where arrays are; unknown if it is not a sum of pointers and a rest.
static Expr getPlaces(const Expr &expr) {
  Expr places;
  for (const Expr::Term &term : expr.getTerms()) {
    Expr ofTerm(term.coefficient);
    for (const AtomRef &atom : term.atoms)
      ofTerm = ofTerm * Expr::ofAtom(atom);
    if (!dependsOnPlaces(ofTerm))
      continue;
    if (term.atoms.size() != 1 || term.atoms.front()->kind != Atom::Kind::Symbol)
      return Expr::unknown();
    places = places + ofTerm;
  }
  return places;
}

/// Whether all that the other one keeps off is kept off. Never, if that depends on where arrays are.
Predicate Interior::Window::contains(const Window &other) const {
  if (!mayJoin(other))
    return Predicate::never();
  Predicate result =
      Predicate::lessOrEqual(begin, other.begin) && Predicate::lessOrEqual(other.begin + other.length, begin + length);
  return dependsOnPlaces(result) ? Predicate::never() : result;
}

/// Whether nothing that is kept off is met in that many iterations.
Predicate Interior::Window::meetsNothing(const Expr &count) const {
  Expr last = begin + step * (count - Expr(1));
  return Predicate::lessOrEqual(size, Expr::min(begin, last)) ||
         Predicate::lessOrEqual(Expr::max(begin, last) + length, Expr());
}

/// Whether no other row's column can be met in that many iterations.
Predicate Interior::Window::staysNear(const Expr &count) const {
  if (row.isZero())
    return Predicate::always();
  Expr first = begin + row * Expr(shift), last = first + step * (count - Expr(1)), two = row * Expr(2);
  return (Predicate::lessOrEqual(Expr(1), row) && Predicate::lessOrEqual(size - two, Expr::min(first, last)) &&
          Predicate::lessOrEqual(Expr::max(first, last) + length, two)) ||
         instead;
}

/// Accesses of a stencil differ by a few steps of the loop and a few bytes: one window over those that are near, which
/// may be larger than all of them. Steps are positive where `valid` holds, or negative.
void Interior::add(unsigned level, Window window) {
  window.isEntered = isEntered;
  Expr step = goesDown(window.step) ? Expr() - window.step : window.step;
  for (Window &known : levels[level].windows) {
    Expr end = known.begin + known.length;
    int64_t atBegin, atEnd, restAtBegin, restAtEnd;
    if (!known.mayJoin(window) || !splitBySteps(window.begin - known.begin, step, atBegin, restAtBegin) ||
        !splitBySteps(window.begin + window.length - end, step, atEnd, restAtEnd))
      continue;
    known.begin = known.begin + step * Expr(std::min<int64_t>(atBegin, 0)) + Expr(std::min<int64_t>(restAtBegin, 0));
    end = end + step * Expr(std::max<int64_t>(atEnd, 0)) + Expr(std::max<int64_t>(restAtEnd, 0));
    known.length = end - known.begin;
    known.valid = known.valid && window.valid && Predicate::lessOrEqual(Expr(1), step);
    return;
  }
  levels[level].windows.push_back(std::move(window));
}

/// The windows of a level, without those that are most likely within another one, which asks whether they are: one
/// comparison instead of two divisions.
llvm::SmallVector<Interior::Window, 0> Interior::getWindows(unsigned level) const {
  llvm::SmallVector<Window, 0> windows;
  for (const Window &window : levels[level].windows) {
    bool isJoined = llvm::any_of(windows, [&](Window &known) {
      Predicate valid = known.valid && window.valid;
      Predicate isOneInOther = known.contains(window);
      if (!holdsTypically(isOneInOther)) {
        isOneInOther = window.contains(known);
        if (!holdsTypically(isOneInOther))
          return false;
        known = window;
      }
      known.valid = valid && isOneInOther;
      return true;
    });
    if (!isJoined)
      windows.push_back(window);
  }
  return joinApart(std::move(windows), levels[level].count);
}

/// Windows between two arrays that most likely do not meet: one for all that is touched of the two. It keeps off more
/// than each of them, which costs iterations only if the arrays are one.
llvm::SmallVector<Interior::Window, 0> Interior::joinApart(llvm::SmallVector<Window, 0> windows, const Expr &count) {
  llvm::SmallVector<Window, 0> joined;
  // Of those that can be joined: the terms of places in memory.
  llvm::SmallVector<Expr, 0> places;
  for (Window &window : windows) {
    Predicate isEmpty = window.meetsNothing(count);
    Expr place = window.row.isZero() && dependsOnPlaces(isEmpty) && holdsTypically(isEmpty) ? getPlaces(window.begin)
                                                                                            : Expr::unknown();
    size_t i = 0;
    while (i < joined.size() && (place.isUnknown() || places[i] != place || !joined[i].mayFollow(window)))
      ++i;
    if (i == joined.size()) {
      joined.push_back(std::move(window));
      places.push_back(std::move(place));
      continue;
    }
    Window &known = joined[i];
    Expr shift = window.begin - known.begin;
    known.size = Expr::max(known.size, window.size - shift);
    known.length = Expr::max(known.length, window.length + shift);
    known.valid = known.valid && window.valid;
  }
  return joined;
}

/// As a range of iterations. Of windows that meet nothing whatever the sizes are (two planes of an array), that they do
/// not is asked, without a division; not where it depends on what a datatype turns out to be.
TouchingIterations Interior::solve(unsigned level, const Window &window) const {
  const Expr &count = levels[level].count;
  bool isKnownToBeThere = window.isThere == Expr(1);
  Predicate isEmpty = isKnownToBeThere ? window.meetsNothing(count) : Predicate::never();
  if (!isEmpty.isFalse() && !dependsOnPlaces(isEmpty) && holdsTypically(isEmpty))
    return {{Expr(), Expr()}, isEmpty && window.valid && window.staysNear(count)};
  Piece piece;
  piece.begin = window.begin + window.step * Expr::iteration(level);
  piece.size = window.length;
  TouchingIterations touching = findTouching(piece, level, count, Expr(), window.size);
  touching.range.end = touching.range.end * window.isThere * window.isEntered;
  touching.valid = touching.valid && window.valid && window.staysNear(count);
  return touching;
}

Predicate Interior::isValid(const Window &window, const Predicate &valid) const {
  return assumed && (valid || Predicate::lessOrEqual(window.isEntered, Expr()));
}

namespace {
/// Ranges of iterations, as few as say the same of what is left of a loop between its two ends.
class TouchedRanges {
public:
  explicit TouchedRanges(const Expr &count) : count(count.getConstant()) {}
  void add(IterationRange range);
  /// All of them, which are right where that holds.
  llvm::SmallVector<TouchingIterations> take(const Predicate &valid);

private:
  using Numbers = std::pair<int64_t, int64_t>;
  static void widen(std::optional<Numbers> &range, Numbers other) {
    range = range ? Numbers(std::min(range->first, other.first), std::max(range->second, other.second)) : other;
  }

  std::optional<int64_t> count;
  llvm::SmallVector<IterationRange> ranges;
  /// Those that are numbers: all that are nearer to the first iteration as one range, and all others.
  std::optional<Numbers> low, high;
};
} // namespace

void TouchedRanges::add(IterationRange range) {
  std::optional<int64_t> begin = range.begin.getConstant(), end = range.end.getConstant();
  if (begin && end && *begin >= *end)
    return;
  if (count && begin && end && *begin >= 0 && *end <= *count)
    return widen(*begin <= *count - *end ? low : high, {*begin, *end});
  bool isKnown = llvm::any_of(ranges, [&](const IterationRange &known) {
    return known.begin == range.begin && known.end == range.end && !range.begin.isUnknown();
  });
  if (!isKnown)
    ranges.push_back(std::move(range));
}

llvm::SmallVector<TouchingIterations> TouchedRanges::take(const Predicate &valid) {
  for (const std::optional<Numbers> &numbers : {low, high})
    if (numbers)
      ranges.push_back({Expr(numbers->first), Expr(numbers->second)});
  if (ranges.empty() && !valid.isTrue())
    ranges.push_back({});
  llvm::SmallVector<TouchingIterations> touched;
  for (IterationRange &range : ranges)
    touched.push_back({std::move(range), touched.empty() ? valid : Predicate::always()});
  return touched;
}

llvm::SmallVector<TouchingIterations> Interior::getTouched(unsigned level) const {
  TouchedRanges touched(levels[level].count);
  // What is assumed of all windows of one branch is one condition.
  llvm::SmallVector<std::pair<const Window *, Predicate>> assumptions;
  llvm::SmallVector<Window, 0> windows = getWindows(level);
  for (const Window &window : windows) {
    TouchingIterations touching = solve(level, window);
    auto *known = llvm::find_if(assumptions, [&](auto &each) { return each.first->isEntered == window.isEntered; });
    if (known == assumptions.end())
      assumptions.push_back({&window, touching.valid});
    else
      known->second = known->second && touching.valid;
    touched.add(touching.range);
  }
  Predicate valid = Predicate::always();
  for (const auto &[window, assumption] : assumptions)
    valid = valid && isValid(*window, assumption);
  return touched.take(valid);
}

std::optional<Interior::Walk> Interior::findWalk(const Piece &piece, unsigned level) {
  Walk walk;
  Expr rest;
  if (!piece.begin.splitLinear(level, walk.step, rest) || walk.step.isZero() || walk.step.containsIterations())
    return std::nullopt;
  for (unsigned e = 0; e < level; ++e) {
    Expr factor, inner = rest;
    if (!inner.splitLinear(e, factor, rest) || factor.containsIterations())
      return std::nullopt;
    if (!factor.isZero())
      walk.outer.push_back(factor);
  }
  walk.rest = rest;
  walk.length = piece.getEnd() - piece.getBegin();
  if (rest.containsIterations() || walk.length.containsIterations() || walk.length.isUnknown())
    return std::nullopt;
  return walk;
}

/// Whether the step of a loop is a number of the program, or one that stands for what is found before the loop.
static bool isOneRow(const Expr &step) {
  return step.getTerms().size() == 1 && step.getTerms().front().coefficient > 0 && !step.getConstant();
}

/// Columns of rows of that many bytes: the walk is at `begin` from them. It stays within two rows to either side, so
/// that no other row's column can be met.
llvm::SmallVector<Interior::Window, 3> Interior::findColumns(unsigned level, const Walk &walk, const Expr &begin,
                                                             const Expr &size, const Expr &row) const {
  Expr atEnd = begin + walk.step * (levels[level].count - Expr(1));
  Expr least = Expr::min(begin, atEnd), most = Expr::max(begin, atEnd) + walk.length;
  llvm::SmallVector<Window, 3> windows;
  for (int shift : {-1, 0, 1}) {
    Expr place = row * Expr(shift);
    if (Predicate::lessOrEqual(most, place).isTrue() || Predicate::lessOrEqual(place + size, least).isTrue())
      continue;
    windows.push_back({begin - place, walk.step, walk.length, size, Predicate::always(), row, shift});
  }
  return windows;
}

/// Whether it would take out most iterations, or nothing that it says may be right.
bool Interior::tellsNothing(unsigned level, const Window &window) const {
  TouchingIterations touching = solve(level, window);
  touching.valid = isValid(window, touching.valid);
  if (touching.valid.isFalse())
    return true;
  // In all trials that are possible: where sizes are unrelated, iterations may be left that no program has.
  bool isPossible = false;
  for (unsigned trial = 0; trial < TypicalNumbers::kTrials; ++trial) {
    if (trial == TypicalNumbers::kLargeTrials && isPossible)
      break;
    TypicalNumbers numbers(trial);
    auto begin = numbers.evaluate(touching.range.begin), end = numbers.evaluate(touching.range.end);
    auto count = numbers.evaluate(levels[level].count);
    if (!numbers.holds(touching.valid) || !begin || !end || !count)
      continue;
    isPossible = true;
    // What a face takes of an inner loop is nearly all of it; another loop then keeps off the face as a whole.
    if (*begin < *end && std::max(*begin, *count - *end) < *count / 2)
      return true;
  }
  return !isPossible;
}

/// `asRange`: the piece counts as one range, from its first to its last byte, whatever lies in between.
bool Interior::avoidAt(unsigned level, const Piece &other, const Piece &piece, bool isOneBase, bool asRange) {
  std::optional<Walk> walk = findWalk(piece, level);
  if (!walk)
    return false;
  Predicate valid = piece.holds && other.holds;

  // The piece as one range. Not where it has something in each row and the loop goes from row to row; two pointers most
  // likely lead to two arrays.
  const Expr &step = walk->step;
  bool isAcross = !asRange && isOneBase && llvm::any_of(other.levels, [&](const comm::Level &each) {
    return divides(step, each.stride) || divides(Expr() - step, each.stride) || isOneRow(step);
  });
  if (walk->outer.empty() && !isAcross) {
    Window window{walk->rest - other.begin, step, walk->length, other.getEnd() - other.getBegin(), valid, Expr()};
    if (tellsNothing(level, window))
      return false;
    add(level, std::move(window));
    return true;
  }
  if (asRange)
    return false;

  // By columns: modulo the length of a row, whose multiples are the steps of the outer loops. Where these have another
  // number for it (that of pointers to rows, or one that is loaded again), both must be the same.
  for (const comm::Level &row : other.levels) {
    Expr stride = row.stride;
    auto isStepOfAll = [&](const Expr &length) {
      return !divides(length, step) &&
             llvm::all_of(walk->outer, [&](const Expr &factor) { return divides(length, factor); });
    };
    Predicate isRow = Predicate::always();
    Expr own = walk->outer.empty() ? Expr() : walk->outer.back();
    if (!isStepOfAll(stride) && isStepOfAll(own)) {
      Predicate isSame = Predicate::equal(stride, own);
      if (isOneRow(own) || holdsTypically(isSame)) {
        isRow = isSame;
        if (TypicalStrides *strides = isOneRow(own) ? TypicalStrides::getCurrent() : nullptr)
          strides->addEqual(own, stride);
        stride = own;
      }
    }
    if (!isStepOfAll(stride))
      continue;
    Expr size = other.size;
    for (const comm::Level &inner : other.levels)
      if (&inner != &row && !divides(stride, inner.stride))
        size = size + inner.stride * (inner.count - Expr(1));
    llvm::SmallVector<Window, 3> windows =
        findColumns(level, *walk, reduceModulo(walk->rest - other.begin, stride), size, stride);
    for (Window &window : windows)
      window.valid = valid && isRow;
    if (llvm::any_of(windows, [&](const Window &window) { return tellsNothing(level, window); }))
      continue;
    for (Window &window : windows)
      add(level, std::move(window));
    return true;
  }
  return false;
}

/// The access runs in few iterations of the loop, wherever it is.
bool Interior::avoidBounded(unsigned level, const Piece &piece) {
  Expr begin, end = levels[level].count;
  for (const Expr &bound : piece.bounds) {
    Expr step, rest;
    if (!bound.splitLinear(level, step, rest) || rest.containsIterations())
      continue;
    if (step == Expr(1))
      begin = Expr::max(begin, Expr() - rest);
    else if (step == Expr(-1))
      end = Expr::min(end, rest + Expr(1));
  }
  Window window{Expr() - begin, Expr(1), Expr(1), end - begin, Predicate::always(), Expr()};
  if (tellsNothing(level, window))
    return false;
  add(level, std::move(window));
  return true;
}

/// 1 if the two are equal, 0 if not.
static Expr isEqual(const Expr &a, const Expr &b) {
  return Expr::min(Expr(1), Expr::max(Expr(), Expr(1) - Expr::max(a - b, b - a)));
}

/// A message of which it is known at run time alone what it has of the rows that the loops go over: a column of each,
/// or of each plane, or a range. Each loop keeps off the one of these that its steps tell apart, if the message is
/// that.
bool Interior::avoidAsked(const NestedPieces &access, const Piece &avoided, const AskedLayout &asked) {
  struct Way {
    unsigned level;
    llvm::SmallVector<Window, 3> windows;
  };
  llvm::SmallVector<Way, 3> ways;
  Predicate isKnown = Predicate::never();
  for (unsigned level = 0; level < levels.size(); ++level) {
    Piece piece = *access[level + 1], other = avoided;
    std::optional<Walk> walk = makeComparable(piece, other) ? findWalk(piece, level) : std::nullopt;
    if (!walk)
      continue;
    const Expr &count = other.levels.front().count, &stride = other.levels.front().stride;
    Predicate valid = piece.holds && other.holds;
    Way way{level, {}};
    if (walk->outer.empty()) {
      way.windows.push_back({walk->rest - other.begin, walk->step, walk->length, other.size, valid, Expr()});
      way.windows.back().isThere = isEqual(count, Expr(1));
      isKnown = isKnown || Predicate::lessOrEqual(count, Expr(1));
    } else {
      Expr row = walk->outer.back();
      if (goesDown(row))
        row = Expr() - row;
      if (divides(row, walk->step) ||
          !llvm::all_of(walk->outer, [&](const Expr &factor) { return divides(row, factor); }))
        continue;
      Expr begin = other.begin - Expr::symbol(asked.begin) + Expr::symbol(asked.column);
      way.windows = findColumns(level, *walk, reduceModulo(walk->rest - begin, row), other.size, row);
      Predicate isOther =
          Predicate::lessOrEqual(stride + Expr(1), row) || Predicate::lessOrEqual(row + Expr(1), stride);
      for (Window &window : way.windows) {
        window.valid = valid;
        window.instead = isOther;
        window.isThere = isEqual(stride, row);
      }
      isKnown = isKnown || Predicate::equal(stride, row);
    }
    ways.push_back(std::move(way));
  }
  for (Way &way : ways)
    for (Window &window : way.windows) {
      window.valid = window.valid && isKnown;
      add(way.level, std::move(window));
    }
  return !ways.empty();
}

/// Whether the two are most likely in one array.
static bool areInOneArray(const Base &a, const Base &b) {
  const TypicalStrides *strides = TypicalStrides::getCurrent();
  auto equal = strides && a.pointer ? strides->getEqual(a.pointer) : std::nullopt;
  return a == b || (a.pointer && b.pointer &&
                    (isLikelySame(a.pointer, b.pointer) || (equal && equal->other == Expr::symbol(b.pointer))));
}

bool Interior::avoid(const NestedPieces &access, const Piece &avoided, DifferentObjects areOtherObjects,
                     const Expr &entered) {
  isEntered = entered;
  bool isOneBase = areInOneArray(access[0]->base, avoided.base);
  if (!isOneBase && areOtherObjects(access[0]->base, avoided.base))
    return true;
  // By another pointer it is most likely another array: the message counts as one range.
  if (std::optional<AskedLayout> asked = isOneBase ? getAskedLayout(avoided) : std::nullopt)
    return avoidAsked(access, avoided, *asked);
  // Several ghost rows that a datatype describes row by row are told apart by the loop over rows after all.
  for (bool asRange : {false, true})
    for (unsigned level = 0; level < levels.size(); ++level) {
      Piece piece = *access[level + 1], other = avoided;
      if (makeComparable(piece, other) && avoidAt(level, other, piece, isOneBase, asRange))
        return true;
    }
  for (unsigned level = 0; level < levels.size(); ++level)
    if (!access[level + 1]->bounds.empty() && avoidBounded(level, *access[level + 1]))
      return true;
  // No iteration tells them apart, as where all read one number of a structure: there is an interior if they never
  // meet.
  constexpr unsigned mostAsked = 32;
  Predicate areApart = areDisjoint(*access[0], avoided, areOtherObjects);
  numAsked += areApart.getSize();
  if (numAsked > mostAsked || !holdsTypically(areApart))
    return false;
  assumed = assumed && (areApart || Predicate::lessOrEqual(isEntered, Expr()));
  return true;
}

//===----------------------------------------------------------------------===//
// Independence
//===----------------------------------------------------------------------===//

/// What an access touches in an iteration of a loop: `length` bytes from `rest + step * iteration` on.
static bool splitRange(const Piece &piece, unsigned level, Expr &step, Expr &rest, Expr &length) {
  length = piece.getEnd() - piece.getBegin();
  return piece.begin.splitLinear(level, step, rest) && !step.isZero() && !length.contains(level);
}

/// In two iterations of the loop that are in the same one of all loops around it.
static Predicate areRangesApart(const Piece &a, const Piece &b, unsigned level) {
  Expr stepA, stepB, restA, restB, lengthA, lengthB;
  if (!splitRange(a, level, stepA, restA, lengthA) || !splitRange(b, level, stepB, restB, lengthB) || stepA != stepB)
    return Predicate::never();
  Expr step = goesDown(stepA) ? Expr() - stepA : stepA;
  // A step leads past everything that both touch in an iteration.
  Expr first = restA + lengthA - restB, second = restB + lengthB - restA;
  if (first.containsIterations() || second.containsIterations())
    return Predicate::never();
  return Predicate::lessOrEqual(first, step) && Predicate::lessOrEqual(second, step) && a.holds && b.holds;
}

/// The same for accesses to several planes, each of which is longer than all that the loop touches of one: different
/// planes are apart, and each plane is looked at by itself.
static Predicate areApartInPlanes(Piece a, Piece b, unsigned level, const Expr &count, const comm::Level &plane) {
  auto isPlane = [&](const comm::Level &each) { return each.stride == plane.stride && each.count == plane.count; };
  auto *ofA = llvm::find_if(a.levels, isPlane), *ofB = llvm::find_if(b.levels, isPlane);
  if (ofA == a.levels.end() || ofB == b.levels.end())
    return Predicate::never();
  a.levels.erase(ofA);
  b.levels.erase(ofB);
  Expr stepA, stepB, restA, restB, lengthA, lengthB;
  if (!splitRange(a, level, stepA, restA, lengthA) || !splitRange(b, level, stepB, restB, lengthB) || stepA != stepB ||
      goesDown(stepA))
    return Predicate::never();
  Expr touched = Expr::max(restA + lengthA, restB + lengthB) - Expr::min(restA, restB) + stepA * (count - Expr(1));
  if (touched.containsIterations())
    return Predicate::never();
  return Predicate::lessOrEqual(Expr(), stepA) && Predicate::lessOrEqual(touched, plane.stride) &&
         areRangesApart(a, b, level);
}

namespace {
/// Two accesses that either run in some iterations alone, by the last bits of numbers: where one iteration touches what
/// another one does, they are a step apart in some of the loops, and one of the two does not run.
class Neighbors {
public:
  Neighbors(const NestedPieces &a, const NestedPieces &b);
  /// In two iterations of the loop that are in the same one of all loops around it.
  Predicate areApart(unsigned level);

private:
  using Distances = llvm::SmallVector<int64_t, 3>;
  static Piece shift(Piece piece, const Distances &distances);
  Predicate areApart(const Distances &distances);
  bool areExclusive(const Distances &distances) const;
  Predicate areBytesApart(const Distances &distances) const;
  Predicate areFarApart(const Distances &distances) const;

  /// At each depth, counted from one place. Not known where `isKnown` is false.
  std::vector<Piece> a, b;
  llvm::SmallVector<bool, 4> isKnown;
};
} // namespace

Neighbors::Neighbors(const NestedPieces &first, const NestedPieces &second) {
  for (auto [x, y] : llvm::zip_equal(first, second)) {
    a.push_back(*x);
    b.push_back(*y);
    isKnown.push_back(isPlain(*x) && isPlain(*y) && align(a.back(), b.back()));
    dropWraps(a.back());
    dropWraps(b.back());
    b.back().base = a.back().base;
  }
}

/// The piece so many iterations later.
Piece Neighbors::shift(Piece piece, const Distances &distances) {
  for (auto [loop, distance] : llvm::enumerate(distances)) {
    auto move = [&, number = loop, by = distance](Expr &expr) {
      expr = expr.substitute(number, Expr::iteration(number) + Expr(by));
    };
    move(piece.begin);
    move(piece.size);
    for (comm::Level &level : piece.levels) {
      move(level.stride);
      move(level.count);
    }
    for (Expr &even : piece.evens)
      move(even);
  }
  return piece;
}

/// Whether one of the two does not run.
bool Neighbors::areExclusive(const Distances &distances) const {
  const Piece &other = b[distances.size()];
  for (const Expr &even : shift(a[distances.size()], distances).evens)
    if (llvm::any_of(other.evens, [&](const Expr &each) { return (even + each).getParity() == Expr(1); }))
      return true;
  return false;
}

Predicate Neighbors::areBytesApart(const Distances &distances) const {
  if (!isKnown[distances.size()])
    return Predicate::never();
  Piece first = shift(a[distances.size()], distances), second = b[distances.size()];
  first.begin = first.begin - second.begin;
  second.begin = Expr();
  for (const Piece *piece : {&first, &second}) {
    bool isFixed = !piece->begin.containsIterations() && !piece->size.containsIterations();
    for (const comm::Level &level : piece->levels)
      isFixed &= !level.stride.containsIterations() && !level.count.containsIterations();
    if (!isFixed)
      return Predicate::never();
  }
  return areDisjoint(first, second, [](const Base &, const Base &) { return false; });
}

/// For two iterations or more between the two in the next loop.
Predicate Neighbors::areFarApart(const Distances &distances) const {
  unsigned level = distances.size();
  if (!isKnown[level + 1])
    return Predicate::never();
  Piece first = shift(a[level + 1], distances);
  const Piece &second = b[level + 1];
  Expr stepA, stepB, restA, restB, lengthA, lengthB;
  if (!splitRange(first, level, stepA, restA, lengthA) || !splitRange(second, level, stepB, restB, lengthB) ||
      stepA != stepB)
    return Predicate::never();
  Expr two = (goesDown(stepA) ? Expr() - stepA : stepA) * Expr(2);
  Expr ahead = restA + lengthA - restB, after = restB + lengthB - restA;
  if (ahead.containsIterations() || after.containsIterations() || two.containsIterations())
    return Predicate::never();
  return Predicate::lessOrEqual(ahead, two) && Predicate::lessOrEqual(after, two) && first.holds && second.holds;
}

/// When the access a in an iteration that is so far after that of the access b touches nothing of it.
Predicate Neighbors::areApart(const Distances &distances) {
  if (areExclusive(distances))
    return Predicate::always();
  Predicate apart = areBytesApart(distances);
  if (apart.isTrue() || distances.size() + 1 >= a.size() || mayHold(apart))
    return apart;
  apart = areFarApart(distances);
  for (int64_t distance : {-1, 0, 1}) {
    if (!mayHold(apart))
      return Predicate::never();
    Distances next = distances;
    next.push_back(distance);
    apart = apart && areApart(next);
  }
  return apart;
}

Predicate Neighbors::areApart(unsigned level) {
  Distances distances(level, 0);
  if (a.back().evens.empty() || b.back().evens.empty())
    return Predicate::never();
  Predicate apart = areFarApart(distances);
  for (int64_t distance : {-1, 1}) {
    if (!mayHold(apart))
      return Predicate::never();
    Distances next = distances;
    next.push_back(distance);
    apart = apart && areApart(next);
  }
  return apart;
}

static Predicate areApart(Piece a, Piece b, unsigned level, const Expr &count) {
  if (!makeComparable(a, b))
    return Predicate::never();
  Predicate apart = areRangesApart(a, b, level), holds = Predicate::always();
  if (mayHold(apart) || count.isUnknown() || count.containsIterations())
    return apart;
  Expr exactCount = dropWraps(count, holds);
  for (const comm::Level &plane : a.levels) {
    Predicate inPlanes = holds && areApartInPlanes(a, b, level, exactCount, plane);
    if (mayHold(inPlanes))
      return inPlanes;
  }
  return apart;
}

Predicate comm::areIterationsIndependent(const NestedPieces &a, const NestedPieces &b, llvm::ArrayRef<Expr> counts,
                                         DifferentObjects areOtherObjects) {
  Predicate result = areDisjoint(*a[0], *b[0], areOtherObjects);
  if (result.isTrue())
    return result;
  Predicate apart = Predicate::always();
  for (unsigned level = 0; level < counts.size(); ++level) {
    Predicate ofLevel = areApart(*a[level + 1], *b[level + 1], level, counts[level]);
    if (!mayHold(ofLevel))
      if (Predicate ofNeighbors = Neighbors(a, b).areApart(level); mayHold(ofNeighbors))
        ofLevel = ofNeighbors;
    apart = apart && ofLevel;
  }
  // Two objects need one comparison; parts of one are told apart step by step, or are two planes of an array (u[now]
  // and u[1 - now]).
  bool byStep = a[0]->base == b[0]->base ? mayHold(apart) || result.isFalse() : result.isFalse();
  return byStep ? apart : result;
}
