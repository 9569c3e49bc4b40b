//===- Interior.cpp - Iterations away from avoided bytes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Footprints/Interior.h"

#include "LikelySame.h"
#include "TypicalNumbers.h"

#include "Comm/Dialect/Comm/Utils/Pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace comm;

/// Windows at most this many bytes apart are merged: one division instead of two.
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

/// Assumes that arithmetic does not wrap and adds the conditions for this to `holds`. Rows of s * s points are then
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

/// Rewrites both pieces as byte ranges with a common origin and exact arithmetic. Returns false if that is impossible.
static bool makeComparable(Piece &a, Piece &b) {
  if (!isPlain(a) || !isPlain(b) || !align(a, b))
    return false;
  dropWraps(a);
  dropWraps(b);
  return true;
}

/// Subtracts multiples of the divisor, as far as the terms allow.
static Expr reduceModulo(Expr expr, const Expr &divisor) {
  if (divisor.isUnknown() || divisor.isZero())
    return expr;
  auto getProduct = [](const Expr::Term &term) {
    Expr product(1);
    for (const AtomRef &atom : term.atoms)
      product = product * Expr::ofAtom(atom);
    return product;
  };
  // Pick a term with a positive coefficient: `end - begin + 1` may start with a subtracted one.
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

/// Splits `difference == times * step + rest` with small numbers.
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

/// Whether the value depends on the addresses of arrays.
template <typename T> static bool dependsOnPlaces(const T &numbers) {
  bool hasPointers = false;
  numbers.forEachSymbol(
      [&](mlir::Value value) { hasPointers |= llvm::isa<mlir::LLVM::LLVMPointerType>(value.getType()); });
  return hasPointers;
}

/// Returns the sum of the pointers in the expression. Unknown if the expression is not a sum of pointers and a rest
/// without any.
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

/// The condition under which this window covers the other one. Never if that depends on the addresses of arrays.
Predicate Interior::Window::contains(const Window &other) const {
  if (!mayJoin(other))
    return Predicate::never();
  Predicate result =
      Predicate::lessOrEqual(begin, other.begin) && Predicate::lessOrEqual(other.begin + other.length, begin + length);
  return dependsOnPlaces(result) ? Predicate::never() : result;
}

/// The condition under which `count` iterations touch none of the avoided bytes.
Predicate Interior::Window::meetsNothing(const Expr &count) const {
  Expr last = begin + step * (count - Expr(1));
  return Predicate::lessOrEqual(size, Expr::min(begin, last)) ||
         Predicate::lessOrEqual(Expr::max(begin, last) + length, Expr());
}

/// The condition under which `count` iterations stay near this row, and so cannot touch another row's columns.
Predicate Interior::Window::staysNear(const Expr &count) const {
  if (row.isZero())
    return Predicate::always();
  Expr first = begin + row * Expr(shift), last = first + step * (count - Expr(1)), two = row * Expr(2);
  return (Predicate::lessOrEqual(Expr(1), row) && Predicate::lessOrEqual(size - two, Expr::min(first, last)) &&
          Predicate::lessOrEqual(Expr::max(first, last) + length, two)) ||
         instead;
}

/// Adds a window, or extends one that differs by a few steps of the loop and a few bytes, as the accesses of a stencil
/// do. The result may cover more than its parts. Merging requires steps whose sign is the expected one, which `valid`
/// checks.
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

/// Returns the windows of a level, without those that are most likely inside another one. `valid` checks that they are:
/// one comparison instead of two divisions.
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

/// Merges windows that are between the same two arrays, which are most likely disjoint. The merged window avoids more
/// than each of them, which costs iterations only if the arrays overlap.
llvm::SmallVector<Interior::Window, 0> Interior::joinApart(llvm::SmallVector<Window, 0> windows, const Expr &count) {
  llvm::SmallVector<Window, 0> joined;
  // The pointers in the windows of `joined`; unknown for windows that cannot be merged.
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

/// A window that typically touches nothing (two planes of an array) becomes an empty range, which a condition without a
/// division checks. Not if this depends on the layout of a datatype that is known only at run time.
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
  Predicate fits = Predicate::fits(touching.range.begin) && Predicate::fits(touching.range.end);
  touching.valid = touching.valid && window.valid && window.staysNear(count) &&
                   (fits || Predicate::lessOrEqual(window.isThere, Expr()));
  return touching;
}

Predicate Interior::isValid(const Window &window, const Predicate &valid) const {
  return assumed && (valid || Predicate::lessOrEqual(window.isEntered, Expr()));
}

namespace {
/// Ranges of iterations, merged as far as that leaves the middle of the loop unchanged.
class TouchedRanges {
public:
  explicit TouchedRanges(const Expr &count) : count(count.getConstant()) {}
  void add(IterationRange range);
  /// Returns all ranges, which are right where `valid` holds.
  llvm::SmallVector<TouchingIterations> take(const Predicate &valid);

private:
  using Numbers = std::pair<int64_t, int64_t>;
  static void widen(std::optional<Numbers> &range, Numbers other) {
    range = range ? Numbers(std::min(range->first, other.first), std::max(range->second, other.second)) : other;
  }

  std::optional<int64_t> count;
  llvm::SmallVector<IterationRange> ranges;
  /// Union of the constant ranges that are nearer to the first iteration, and of those nearer to the last.
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
  // Windows of the same branch share one condition.
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

/// Whether the step is a positive multiple of one value that is not a constant.
static bool isOneRow(const Expr &step) {
  return step.getTerms().size() == 1 && step.getTerms().front().coefficient > 0 && !step.getConstant();
}

/// Returns windows for columns that recur every `row` bytes; the walk starts `begin` bytes from them. The walk stays
/// within two rows in either direction, so that it cannot reach the column of any other row.
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

/// Whether the window is useless: it excludes most iterations, or its conditions cannot hold for typical values.
bool Interior::tellsNothing(unsigned level, const Window &window) const {
  TouchingIterations touching = solve(level, window);
  touching.valid = isValid(window, touching.valid);
  if (touching.valid.isFalse())
    return true;
  // Check every trial whose conditions hold. With unrelated sizes, the remaining iterations may be ones that no program
  // has.
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
    // A face of the domain covers nearly all of an inner loop. Leave it to the loop that can avoid the whole face.
    if (*begin < *end && std::max(*begin, *count - *end) < *count / 2)
      return true;
  }
  return !isPossible;
}

/// Assumes that the loop goes by the rows that place the piece, if both use other numbers for their length, as in
/// Fortran: the bytes between the rows of a dummy array, and eight times the extent of the array that was passed for
/// it. In `8 * extent * row - 8 * extent * lower`, the extent is what the products have in common. What is subtracted
/// is a lower bound, most likely zero.
static void assumeSameRows(const Expr &step, const Expr &place) {
  TypicalStrides *strides = TypicalStrides::getCurrent();
  if (!strides || place.isUnknown())
    return;
  llvm::SmallVector<Expr, 2> common;
  llvm::SmallVector<Expr::Term, 2> products;
  for (const Expr::Term &term : place.getTerms()) {
    if (term.atoms.size() != 2)
      continue;
    llvm::SmallVector<Expr, 2> factors = {Expr::ofAtom(term.atoms.front()), Expr::ofAtom(term.atoms.back())};
    if (products.empty())
      common = factors;
    else
      llvm::erase_if(common, [&](const Expr &factor) { return !llvm::is_contained(factors, factor); });
    products.push_back(term);
  }
  if (products.size() < 2 || common.size() != 1)
    return;
  // A loop that goes by this number knows its rows.
  auto hasCommon = [&](const Expr::Term &term) {
    return llvm::any_of(term.atoms, [&](const AtomRef &atom) { return Expr::ofAtom(atom) == common.front(); });
  };
  if (step.isUnknown() || llvm::any_of(step.getTerms(), hasCommon))
    return;
  Expr row = common.front() * Expr(std::abs(products.front().coefficient));
  strides->addEqual(isOneRow(step) ? step : row, isOneRow(step) ? row : step);
  for (const Expr::Term &term : place.getTerms())
    for (const AtomRef &atom : term.atoms)
      if (term.coefficient < 0 && Expr::ofAtom(atom) != common.front())
        strides->addEqual(Expr::ofAtom(atom), Expr());
}

/// `asRange`: treat the piece as one range, from its first to its last byte.
bool Interior::avoidAt(unsigned level, const Piece &other, const Piece &piece, bool isOneBase, bool asRange) {
  std::optional<Walk> walk = findWalk(piece, level);
  if (!walk)
    return false;
  Predicate valid = piece.holds && other.holds;

  // Treat the piece as one range, unless it has data in each row and the loop goes from row to row. Different pointers
  // most likely lead to different arrays.
  const Expr &step = walk->step;
  if (isOneBase)
    assumeSameRows(step, other.begin);
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

  // By columns: work modulo the length of a row, of which the steps of the outer loops are multiples. If the loops use
  // another value for this length (the distance of row pointers, or a reloaded variable), check that both are equal.
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

/// Excludes the iterations in which the access runs at all, if they are few, wherever the access goes.
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

/// Avoids a message whose layout is known only at run time: a column of each row or of each plane, or one range. Each
/// loop handles the layout that its steps can tell apart, in case the message has it.
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

/// Returns the pointer from which this one is computed, also if blocks pass it on.
static mlir::Value getArray(mlir::Value pointer) {
  constexpr unsigned mostSteps = 8;
  for (unsigned step = 0; step < mostSteps; ++step) {
    mlir::Value passed = getPassed(pointer), next = passed ? passed : getBasePointer(pointer);
    if (next == pointer)
      break;
    pointer = next;
  }
  return pointer;
}

/// Whether the two bases are most likely in the same array.
static bool areInOneArray(const Base &a, const Base &b) {
  if (a == b || !a.pointer || !b.pointer)
    return a == b;
  const TypicalStrides *strides = TypicalStrides::getCurrent();
  auto equal = strides ? strides->getEqual(a.pointer) : std::nullopt;
  mlir::Value pointer = equal ? equal->other.getOnlySymbol() : mlir::Value();
  return isLikelySame(getArray(pointer ? pointer : a.pointer), getArray(b.pointer));
}

bool Interior::avoid(const NestedPieces &access, const Piece &avoided, DifferentObjects areOtherObjects,
                     const Expr &entered) {
  isEntered = entered;
  bool isOneBase = areInOneArray(access[0]->base, avoided.base);
  if (!isOneBase && areOtherObjects(access[0]->base, avoided.base))
    return true;
  // Different pointers most likely lead to different arrays, so the message counts as one range.
  if (std::optional<AskedLayout> asked = isOneBase ? getAskedLayout(avoided) : std::nullopt)
    return avoidAsked(access, avoided, *asked);
  // Try ranges last: a datatype may describe several ghost rows one by one, which the loop over rows can avoid as one
  // range.
  for (bool asRange : {false, true})
    for (unsigned level = 0; level < levels.size(); ++level) {
      Piece piece = *access[level + 1], other = avoided;
      if (makeComparable(piece, other) && avoidAt(level, other, piece, isOneBase, asRange))
        return true;
    }
  for (unsigned level = 0; level < levels.size(); ++level)
    if (!access[level + 1]->bounds.empty() && avoidBounded(level, *access[level + 1]))
      return true;
  // No iteration range keeps them apart, as when all iterations read the same member of a structure. There is an
  // interior only if the access never touches these bytes.
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

/// Splits what an access touches in one iteration of a loop: `length` bytes from `rest + step * iteration` on.
static bool splitRange(const Piece &piece, unsigned level, Expr &step, Expr &rest, Expr &length) {
  length = piece.getEnd() - piece.getBegin();
  return piece.begin.splitLinear(level, step, rest) && !step.isZero() && !length.contains(level);
}

/// For two iterations of the loop that share the iterations of all outer loops.
static Predicate areRangesApart(const Piece &a, const Piece &b, unsigned level) {
  Expr stepA, stepB, restA, restB, lengthA, lengthB;
  if (!splitRange(a, level, stepA, restA, lengthA) || !splitRange(b, level, stepB, restB, lengthB) || stepA != stepB)
    return Predicate::never();
  Expr step = goesDown(stepA) ? Expr() - stepA : stepA;
  // One step moves past everything that both touch in an iteration.
  Expr first = restA + lengthA - restB, second = restB + lengthB - restA;
  if (first.containsIterations() || second.containsIterations())
    return Predicate::never();
  return Predicate::lessOrEqual(first, step) && Predicate::lessOrEqual(second, step) && a.holds && b.holds;
}

/// Like areRangesApart, for accesses to several planes. Each plane must be longer than what the loop touches of it, so
/// that different planes are disjoint and each one can be checked by itself.
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
/// Two accesses that each run only in iterations of one parity. If one iteration touches what another one does, the two
/// are one step apart in some of the loops, and then one of the accesses does not run.
class Neighbors {
public:
  Neighbors(const NestedPieces &a, const NestedPieces &b);
  /// For two iterations of the loop that share the iterations of all outer loops.
  Predicate areApart(unsigned level);

private:
  using Distances = llvm::SmallVector<int64_t, 3>;
  static Piece shift(Piece piece, const Distances &distances);
  Predicate areApart(const Distances &distances);
  bool areExclusive(const Distances &distances) const;
  Predicate areBytesApart(const Distances &distances) const;
  Predicate areFarApart(const Distances &distances) const;

  /// The pieces at each depth, with a common origin. Invalid where `isKnown` is false.
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

/// Returns the piece `distances` iterations later.
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

/// Whether parity excludes one of the two accesses.
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

/// For iterations that are at least two apart in the next loop.
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

/// The condition under which access a, `distances` iterations after access b, touches nothing that b touches.
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
  // For two objects, one comparison is enough. Parts of one object are compared step by step, and so are two planes of
  // an array (u[now] and u[1 - now]).
  bool byStep = a[0]->base == b[0]->base ? mayHold(apart) || result.isFalse() : result.isFalse();
  return byStep ? apart : result;
}
