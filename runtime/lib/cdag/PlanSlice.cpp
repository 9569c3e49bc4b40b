// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the operations that are needed for data that no collective delivers.
#include "PlannerImpl.h"

#include <algorithm>

namespace comm::cdag {

void Planner::placesOf(bool sources, Vec<Place> &places) const {
  places.clear();
  for (uint32_t c = 0; c < dataCollectives_; ++c) {
    const Collective &coll = schedule_.collectives[c];
    const Transfer *t = schedule_.transfers.begin() + coll.begin;
    const Transfer *end = schedule_.transfers.begin() + coll.end;
    const Transfer *results = t + coll.numInputs;
    bool reduction = coll.numInputs != 0;
    if (!sources && !reduction)
      places.reserve(places.size() + static_cast<size_t>(end - t));
    for (; t != end; ++t) {
      bool reads = !reduction || t < results;
      bool writes = !reduction || t >= results;
      if (sources && reads && !(t->srcAddr & kScratchBit)) {
        OpId producer = producer_.empty() ? kNone : producer_[size_t(t - schedule_.transfers.begin())];
        Place place = {t->src, c, t->srcAddr, t->srcAddr + t->size, 0, producer};
        // Add a block with several receivers only once.
        if (places.empty() || places.back().rank != place.rank || places.back().collective != c ||
            places.back().lo != place.lo || places.back().hi != place.hi || places.back().producer != producer)
          places.push_back(place);
      }
      if (!sources && writes)
        places.push_back({t->dst, c, t->dstAddr, t->dstAddr + t->size, 0, kNone});
    }
  }
  auto less = [](const Place &a, const Place &b) {
    if (a.rank != b.rank)
      return a.rank < b.rank;
    return a.lo != b.lo ? a.lo < b.lo : a.collective < b.collective;
  };
  if (!std::is_sorted(places.begin(), places.end(), less))
    std::sort(places.begin(), places.end(), less);
  for (size_t i = 0; i < places.size(); ++i)
    places[i].maxHi =
        i && places[i - 1].rank == places[i].rank ? std::max(places[i - 1].maxHi, places[i].hi) : places[i].hi;
}

void Planner::rangesOf(OpId op, Addr &readLo, Addr &readHi, Addr &writeLo, Addr &writeHi) const {
  readLo = readHi = writeLo = writeHi = 0;
  Addr addr = graph_.addr(op);
  uint64_t size = graph_.size(op);
  switch (graph_.kind(op)) {
  case OpKind::Send:
    readLo = addr;
    readHi = addr + size;
    break;
  case OpKind::Recv:
    writeLo = addr;
    writeHi = addr + graph_.size(matching_.partner[op]);
    break;
  case OpKind::Copy:
  case OpKind::Reduce:
    readLo = graph_.source(op);
    readHi = readLo + size;
    writeLo = addr;
    writeHi = addr + size;
    break;
  case OpKind::Nop:
    break;
  }
}

void Planner::need(Rank rank, Addr lo, Addr hi, OpId reader) {
  if (attempt_ == Attempt::Closed || reader == kNone) {
    needs_->update(rank, lo, hi, Need{false, false}, [](Addr, Addr, Need &state) { state.needed = true; });
    return;
  }
  // Process the range in the pieces that the collectives' targets cut it into.
  Addr at = lo;
  auto outside = [&](Addr to) {
    needs_->update(rank, at, to, Need{false, false}, [](Addr, Addr, Need &state) { state.needed = true; });
  };
  forEachPlace(targets_, rank, lo, hi, [&](const Place &place) {
    if (place.lo > at) {
      outside(place.lo);
      at = place.lo;
    }
    Addr to = std::min(place.hi, hi);
    needs_->update(rank, at, to, Need{false, false}, [&](Addr, Addr, Need &state) {
      if (!state.overwritten && !state.needed) {
        // The collective delivers this piece, so wait for it.
        after_.push_back({reader, place.collective});
      } else {
        state.needed = true;
        before_.push_back({reader, place.collective});
      }
    });
    at = to;
  });
  if (at < hi)
    outside(hi);
}

bool Planner::sliceOnce(bool restored) {
  Vec<Action> &actions = schedule_.actions;
  actions.assign(graph_.numOps(), Action::Drop);
  after_.clear();
  before_.clear();
  // Messages of zero bytes exist for their order, so keep them.
  for (OpId op = 0; op < graph_.numOps(); ++op)
    if (graph_.isMessage(op) && graph_.size(graph_.isSend(op) ? op : matching_.partner[op]) == 0)
      actions[op] = Action::Keep;
  if (rest_.empty() && !restored && produces_.empty())
    return true;
  IntervalForest<Need> needs(graph_.numRanks());
  needs_ = &needs;
  for (const Output &output : rest_)
    need(output.rank, output.addr, output.addr + output.size, kNone);
  if (restored)
    for (const Combined &c : restored_)
      need(c.rank, c.addr, c.addr + c.size, kNone);
  struct Piece {
    Addr lo, hi;
  };
  Vec<Piece> wanted;
  for (size_t i = matching_.order.size(); i-- > 0;) {
    OpId op = matching_.order[i];
    Addr readLo, readHi, writeLo, writeHi;
    rangesOf(op, readLo, readHi, writeLo, writeHi);
    if (writeLo == writeHi || (graph_.kind(op) == OpKind::Copy && readLo == writeLo))
      continue;
    Rank rank = graph_.rank(op);
    wanted.clear();
    needs.pieces(rank, writeLo, writeHi, [&](Addr lo, Addr hi, const Need *state) {
      if (state && state->needed)
        wanted.push_back({lo, hi});
    });
    bool keepsTarget = graph_.kind(op) == OpKind::Reduce;
    bool produces = !produces_.empty() && produces_[op];
    if (produces) {
      wanted.clear();
      wanted.push_back({writeLo, writeHi});
    }
    if (!keepsTarget)
      needs.assign(rank, writeLo, writeHi, Need{false, true});
    else
      needs.update(rank, writeLo, writeHi, Need{false, false}, [&](Addr, Addr, Need &state) {
        state.overwritten = true;
        state.needed |= produces;
      });
    if (wanted.empty())
      continue;
    actions[op] = Action::Keep;
    OpId reader = op;
    Rank from = rank;
    if (graph_.isRecv(op)) {
      reader = matching_.partner[op];
      actions[reader] = Action::Keep;
      from = graph_.rank(reader);
      readLo = graph_.addr(reader);
    }
    for (const Piece &piece : wanted) {
      Addr lo = readLo + (piece.lo - writeLo);
      need(from, lo, lo + (piece.hi - piece.lo), reader);
    }
  }
  needs_ = nullptr;
  return true;
}

bool Planner::slice() {
  sliceOnce(/*restored=*/false);
  if (restored_.empty())
    return true;
  // Memory that ends with its initial contents needs no action, unless a kept operation writes there and the operation
  // that restored the contents is removed.
  bool spoiled = false;
  for (OpId op = 0; op < graph_.numOps() && !spoiled; ++op) {
    if (schedule_.actions[op] != Action::Keep)
      continue;
    Addr readLo, readHi, writeLo, writeHi;
    rangesOf(op, readLo, readHi, writeLo, writeHi);
    if (writeLo == writeHi)
      continue;
    const Combined *at =
        std::lower_bound(restored_.begin(), restored_.end(), graph_.rank(op), [&](const Combined &c, Rank rank) {
          return c.rank != rank ? c.rank < rank : c.addr + c.size <= writeLo;
        });
    spoiled = at != restored_.end() && at->rank == graph_.rank(op) && at->addr < writeHi;
  }
  if (spoiled)
    sliceOnce(/*restored=*/true);
  return true;
}

} // namespace comm::cdag
