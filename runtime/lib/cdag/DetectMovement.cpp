// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data movement on all processes, in the order of the paper's hierarchy.
#include "Detector.h"

#include <algorithm>
#include <tuple>

namespace comm::cdag {

void Detector::findAtoms() {
  atoms_.clear();
  uint32_t n = static_cast<uint32_t>(moves_.size());
  for (uint32_t begin = 0, end; begin < n; begin = end) {
    uint32_t count = 0;
    Rank last = kNone;
    for (end = begin; end < n && moves_[end].src == moves_[begin].src && moves_[end].srcAddr == moves_[begin].srcAddr &&
                      moves_[end].size == moves_[begin].size;
         ++end)
      if (isFree(end) && moves_[end].dst != last) {
        last = moves_[end].dst;
        ++count;
      }
    if (count)
      atoms_.push_back({begin, end, count});
  }
}

void Detector::takeAtom(const Atom &atom, uint32_t collective) {
  Rank last = kNone;
  for (uint32_t i = atom.begin; i < atom.end; ++i)
    if (isFree(i) && moves_[i].dst != last) {
      last = moves_[i].dst;
      owner_[i] = collective;
    }
}

uint32_t Detector::selfOf(const Atom &atom) const {
  for (uint32_t i = atom.begin; i < atom.end; ++i)
    if (moves_[i].src == moves_[i].dst && owner_[i] == kNone)
      return i;
  return kNone;
}

void Detector::gatherLive() {
  live_.clear();
  for (uint32_t i = 0; i < moves_.size(); ++i)
    if (isFree(i))
      live_.push_back(i);
}

bool Detector::allgatherOnAll() {
  findAtoms();
  Vec<uint32_t> full;
  for (uint32_t i = 0; i < atoms_.size(); ++i)
    if (atoms_[i].count == p_ - 1)
      full.push_back(i);
  auto move = [&](uint32_t atom) -> const Transfer & { return moves_[atoms_[atom].begin]; };
  // Atoms are already sorted by (src, srcAddr).
  std::sort(full.begin(), full.end(),
            [&](uint32_t a, uint32_t b) { return move(a).size != move(b).size ? move(a).size < move(b).size : a < b; });
  auto take = [&](const Vec<uint32_t> &chosen, CollectiveKind kind) {
    bool self = true;
    for (uint32_t atom : chosen)
      self &= selfOf(atoms_[atom]) != kNone;
    uint32_t c = open(kind, kNone, self, Vec<Rank>());
    for (uint32_t atom : chosen) {
      if (self)
        owner_[selfOf(atoms_[atom])] = c;
      takeAtom(atoms_[atom], c);
      atoms_[atom].count = 0;
    }
  };
  bool found = false;
  Vec<uint32_t> chosen;
  for (size_t begin = 0, end; begin < full.size(); begin = end) {
    for (end = begin; end < full.size() && move(full[end]).size == move(full[begin]).size;)
      ++end;
    // Take as many layers as every process has pieces of this size.
    uint32_t sources = 0, layers = kNone;
    for (size_t i = begin, j; i < end; i = j) {
      for (j = i; j < end && move(full[j]).src == move(full[i]).src;)
        ++j;
      ++sources;
      layers = std::min(layers, static_cast<uint32_t>(j - i));
    }
    if (sources != p_)
      continue;
    chosen.clear();
    uint32_t taken = 0;
    for (size_t i = begin; i < end; ++i) {
      taken = i > begin && move(full[i]).src == move(full[i - 1]).src ? taken + 1 : 0;
      if (taken < layers)
        chosen.push_back(full[i]);
    }
    take(chosen, CollectiveKind::Allgather);
    found = true;
  }
  // Pieces of any size: allgatherv.
  chosen.clear();
  Vec<uint8_t> has(p_, 0);
  uint32_t sources = 0;
  for (uint32_t atom : full)
    if (atoms_[atom].count) {
      chosen.push_back(atom);
      sources += !has[move(atom).src];
      has[move(atom).src] = 1;
    }
  if (p_ >= options_.vectorMinRanks && sources > 1 && sources >= options_.tau * p_) {
    take(chosen, CollectiveKind::Allgatherv);
    found = true;
  }
  return found;
}

bool Detector::bcastOnAll() {
  findAtoms();
  bool found = false;
  for (const Atom &atom : atoms_)
    if (atom.count == p_ - 1) {
      takeAtom(atom, open(CollectiveKind::Bcast, moves_[atom.begin].src, false, Vec<Rank>()));
      found = true;
    }
  return found;
}

void Detector::takeOnePerPartner(size_t begin, size_t end, bool bySource, bool allLayers, uint32_t collective) {
  // If a partner has several candidates, pick one that fits the stride of the others: Boyer and Moore's majority vote
  // on the base addresses.
  auto partner = [&](size_t i) {
    const Transfer &t = moves_[live_[i]];
    return bySource ? t.src : t.dst;
  };
  auto base = [&](size_t i) {
    const Transfer &t = moves_[live_[i]];
    return (bySource ? t.dstAddr : t.srcAddr) - t.size * partner(i);
  };
  uint64_t vote = 0;
  size_t weight = 0;
  size_t fewest = end - begin;
  size_t most = 0;
  for (size_t i = begin, j; i < end; i = j) {
    for (j = i; j < end && partner(j) == partner(i); ++j) {
      if (weight == 0)
        vote = base(j);
      weight = base(j) == vote ? weight + 1 : weight - 1;
    }
    fewest = std::min(fewest, j - i);
    most = std::max(most, j - i);
  }
  for (size_t i = begin, j; i < end; i = j) {
    size_t best = i;
    for (j = i; j < end && partner(j) == partner(i); ++j) {
      if (allLayers && fewest == most)
        owner_[live_[j]] = collective;
      else if (base(best) != vote && base(j) == vote)
        best = j;
    }
    owner_[live_[best]] = collective;
  }
}

bool Detector::rootedOnAll(bool gathers) {
  gatherLive();
  if (live_.size() < p_ - 1)
    return false;
  auto root = [&](size_t i) {
    const Transfer &t = moves_[live_[i]];
    return gathers ? t.dst : t.src;
  };
  auto partner = [&](size_t i) {
    const Transfer &t = moves_[live_[i]];
    return gathers ? t.src : t.dst;
  };
  bool found = false;
  for (bool vector : {false, true}) {
    if (vector && (p_ < options_.vectorMinRanks || options_.tau > 1))
      continue;
    if (vector)
      gatherLive();
    auto size = [&](size_t i) { return moves_[live_[i]].size; };
    std::sort(live_.begin(), live_.end(), [&](uint32_t a, uint32_t b) {
      const Transfer &s = moves_[a], &t = moves_[b];
      Rank rs = gathers ? s.dst : s.src, rt = gathers ? t.dst : t.src;
      if (rs != rt)
        return rs < rt;
      if (!vector && s.size != t.size)
        return s.size < t.size;
      Rank ps = gathers ? s.src : s.dst, pt = gathers ? t.src : t.dst;
      return ps != pt ? ps < pt : a < b;
    });
    for (size_t begin = 0, end; begin < live_.size(); begin = end) {
      uint32_t partners = 0;
      for (end = begin; end < live_.size() && root(end) == root(begin) && (vector || size(end) == size(begin)); ++end)
        partners += end == begin || partner(end) != partner(end - 1);
      double wanted = vector ? options_.tau * (p_ - 1) : p_ - 1;
      if (partners < wanted || partners < 2 - (p_ == 2))
        continue;
      CollectiveKind kind = gathers ? (vector ? CollectiveKind::Gatherv : CollectiveKind::Gather)
                                    : (vector ? CollectiveKind::Scatterv : CollectiveKind::Scatter);
      // Take the root's own block, if there is one for each block of a partner.
      Rank r = root(begin);
      size_t layers = (end - begin) / partners;
      Vec<uint32_t> self;
      if ((end - begin) % partners == 0) {
        for (size_t k = 0; k < layers; ++k) {
          uint32_t move = findSelf(r, size(begin), vector);
          if (move == kNone)
            break;
          self.push_back(move);
          owner_[move] = 0; // do not find it again; set below
        }
        if (self.size() < layers) {
          for (uint32_t move : self)
            owner_[move] = kNone;
          self.clear();
        }
      }
      uint32_t c = open(kind, r, !self.empty(), Vec<Rank>());
      for (uint32_t move : self)
        owner_[move] = c;
      takeOnePerPartner(begin, end, gathers, /*allLayers=*/true, c);
      found = true;
    }
  }
  return found;
}

bool Detector::alltoallOnAll() {
  uint64_t pairs = uint64_t(p_) * (p_ - 1);
  if (moves_.size() < options_.tau * double(pairs) && moves_.size() < pairs)
    return false;
  bool found = false;
  for (bool vector : {false, true}) {
    if (vector && (p_ < options_.vectorMinRanks || options_.tau > 1))
      continue;
    gatherLive();
    auto move = [&](size_t i) -> const Transfer & { return moves_[live_[i]]; };
    std::sort(live_.begin(), live_.end(), [&](uint32_t a, uint32_t b) {
      const Transfer &s = moves_[a], &t = moves_[b];
      if (!vector && s.size != t.size)
        return s.size < t.size;
      return std::tie(s.src, s.dst, a) < std::tie(t.src, t.dst, b);
    });
    for (size_t begin = 0, end; begin < live_.size(); begin = end) {
      uint64_t distinct = 0;
      for (end = begin; end < live_.size() && (vector || move(end).size == move(begin).size); ++end)
        distinct += end == begin || move(end).src != move(end - 1).src || move(end).dst != move(end - 1).dst;
      double wanted = vector ? options_.tau * double(pairs) : double(pairs);
      if (double(distinct) < wanted || distinct < 2)
        continue;
      size_t layers = (end - begin) / distinct;
      Vec<uint32_t> self;
      bool complete = (end - begin) % distinct == 0;
      for (Rank r = 0; complete && r < p_; ++r)
        for (size_t k = 0; complete && k < layers; ++k) {
          uint32_t own = findSelf(r, move(begin).size, vector);
          complete = own != kNone;
          if (complete) {
            self.push_back(own);
            owner_[own] = 0;
          }
        }
      if (!complete)
        for (uint32_t own : self)
          owner_[own] = kNone;
      uint32_t c = open(vector ? CollectiveKind::Alltoallv : CollectiveKind::Alltoall, kNone, complete, Vec<Rank>());
      if (complete)
        for (uint32_t own : self)
          owner_[own] = c;
      // Either all pairs have the same number of layers, or take one layer.
      bool uniform = true;
      for (size_t i = begin, j; i < end; i = j) {
        for (j = i; j < end && move(j).src == move(i).src && move(j).dst == move(i).dst;)
          ++j;
        uniform &= j - i == layers;
      }
      if (uniform) {
        for (size_t i = begin; i < end; ++i)
          owner_[live_[i]] = c;
      } else {
        for (size_t i = begin, j; i < end; i = j) {
          for (j = i; j < end && move(j).src == move(i).src;)
            ++j;
          takeOnePerPartner(i, j, /*bySource=*/false, /*allLayers=*/false, c);
        }
      }
      found = true;
    }
  }
  return found;
}

bool Detector::detectOnAll() {
  bool found = allgatherOnAll();
  found |= alltoallOnAll();
  found |= bcastOnAll();
  found |= rootedOnAll(/*gathers=*/true);
  found |= rootedOnAll(/*gathers=*/false);
  return found;
}

} // namespace comm::cdag
