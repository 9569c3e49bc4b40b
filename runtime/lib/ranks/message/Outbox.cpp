// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message/Outbox.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace comm::ranks {

// A program whose ranks compute right after their sends does not benefit from waiting: this many messages are then sent
// at once, twice as many each further time.
static constexpr unsigned leastDirect = 16, mostDirect = 1024;
// Initial room in a batch of several messages.
static constexpr size_t leastRoom = 2 << 10;

OutboxCounts &OutboxCounts::operator+=(const OutboxCounts &other) {
  messages += other.messages;
  networkMessages += other.networkMessages;
  combined += other.combined;
  for (size_t i = 0; i < sizeof(departures) / sizeof(*departures); ++i)
    departures[i] += other.departures[i];
  return *this;
}

Outbox::~Outbox() {
  for (Destination &destination : destinations)
    free(destination.batch.bytes);
}

void Outbox::start(int processes, uint64_t least, uint64_t most) {
  destinations.resize(processes);
  held.reserve(processes);
  leastHold = least;
  mostHold = most;
  longest = most;
  cost = most / 2;
}

bool Outbox::append(Batch &batch, const WireHeader &header, const void *data) {
  size_t bytes = recordBytes(header.dataBytes);
  if (batch.size + bytes > batch.room) {
    // Do not allocate more than needed for a single message.
    size_t room = batch.size ? std::max(leastRoom, 2 * (batch.size + bytes)) : bytes;
    auto *larger = static_cast<char *>(realloc(batch.bytes, room));
    if (!larger)
      return false;
    batch.bytes = larger;
    batch.room = room;
  }
  writeRecord(batch.bytes + batch.size, header, data);
  batch.size += bytes;
  ++batch.messages;
  return true;
}

bool Outbox::add(int to, const WireHeader &header, const void *data, bool isUrgent, uint64_t now, Departure &why) {
  Destination &destination = destinations[to];
  bool isFirst = destination.batch.messages == 0;
  if (!append(destination.batch, header, data)) {
    isOutOfMemory = true;
    return false;
  }
  ++counts.messages;
  if (isFirst) {
    held.push_back(to);
    destination.since = now;
  }
  if (destination.direct)
    --destination.direct;
  bool isLone = isFirst && (!destination.wasSent || now - destination.lastSent >= longest || destination.direct);
  if (isUrgent || isLone)
    why = Departure::AtOnce;
  else if (destination.batch.size >= fullBytes)
    why = Departure::Full;
  else if (now - destination.since >= longest)
    why = Departure::Due;
  else
    return false;
  return true;
}

void Outbox::learn(Destination &destination, Departure why) const {
  if (why == Departure::Helper) {
    destination.nextDirect = std::min(mostDirect, std::max(leastDirect, 2 * destination.nextDirect));
    destination.direct = destination.nextDirect;
  } else if (destination.batch.messages > 1) {
    destination.nextDirect /= 2;
  }
}

Batch Outbox::take(int to, Departure why) {
  Destination &destination = destinations[to];
  learn(destination, why);
  Batch batch = destination.batch;
  destination.batch = Batch();
  held.erase(std::find(held.begin(), held.end(), to));
  ++counts.networkMessages;
  ++counts.departures[static_cast<int>(why)];
  if (batch.messages > 1)
    counts.combined += batch.messages;
  return batch;
}

void Outbox::departed(int to, uint64_t begin, uint64_t end) {
  destinations[to].lastSent = end;
  destinations[to].wasSent = true;
  // Limit outliers, during which the system took the core away.
  uint64_t took = std::min(end - begin, std::max(4 * cost, leastHold));
  cost = (7 * cost + took) / 8;
  longest = std::min(mostHold, std::max(leastHold, 2 * cost));
}

int Outbox::due(uint64_t now) const {
  // The oldest is in front.
  return !held.empty() && now - destinations[held.front()].since >= longest ? held.front() : -1;
}

} // namespace comm::ranks
