// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report/Table.h"

using namespace comm::runtime;

static uint64_t hashBytes(uint64_t hash, const void *bytes, size_t size) {
  // FNV-1a.
  const unsigned char *at = static_cast<const unsigned char *>(bytes);
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ at[i]) * 1099511628211ull;
  return hash;
}

static uint64_t hashName(const SiteName &name) {
  uint64_t hash = 14695981039346656037ull;
  for (const char *text : name.texts)
    hash = hashBytes(hash, text, strlen(text) + 1);
  hash = hashBytes(hash, &name.line, sizeof(name.line));
  return hashBytes(hash, &name.column, sizeof(name.column));
}

static bool sameName(const SiteName &a, const SiteName &b) {
  for (int i = 0; i < SiteName::numTexts; ++i)
    if (strcmp(a.texts[i], b.texts[i]) != 0)
      return false;
  return a.line == b.line && a.column == b.column;
}

/// Returns the index entry of a row, or the free entry where it belongs.
static size_t find(const Array<uint32_t> &index, const Array<Row> &rows, uint64_t hash, const SiteName &name) {
  size_t mask = index.size() - 1;
  size_t place = hash & mask;
  while (index[place]) {
    const Row &row = rows[index[place] - 1];
    if (row.hash == hash && sameName(row.name, name))
      break;
    place = (place + 1) & mask;
  }
  return place;
}

static void freeTexts(SiteName &name) {
  for (const char *text : name.texts)
    free(const_cast<char *>(text));
}

/// Returns false if memory runs out; nothing is allocated then.
static bool copyTexts(SiteName &name) {
  bool copied = true;
  for (const char *&text : name.texts) {
    text = strdup(text);
    copied = copied && text;
  }
  if (!copied)
    freeTexts(name);
  return copied;
}

Table::~Table() {
  for (Row &row : items)
    freeTexts(row.name);
}

bool Table::growIndex() {
  if ((items.size() + 1) * 2 <= index.size())
    return true;
  size_t size = index.empty() ? 64 : index.size() * 2;
  if (!index.resize(size))
    return false;
  memset(index.data(), 0, size * sizeof(uint32_t));
  for (size_t i = 0; i < items.size(); ++i)
    index[find(index, items, items[i].hash, items[i].name)] = i + 1;
  return true;
}

void Durations::add(const Durations &other) {
  if (other.executions == 0)
    return;
  if (executions == 0 || other.shortest < shortest)
    shortest = other.shortest;
  if (executions == 0 || other.longest > longest)
    longest = other.longest;
  executions += other.executions;
  seconds += other.seconds;
}

void Bytes::add(const Bytes &other) {
  if (other.messages == 0)
    return;
  if (messages == 0 || other.least < least)
    least = other.least;
  if (messages == 0 || other.most > most)
    most = other.most;
  messages += other.messages;
  sum += other.sum;
}

uint64_t Figures::executions() const {
  // Each interval had a start; starts without an interval are waited for together.
  uint64_t starts = durations[Start].executions, intervals = durations[Interval].executions;
  return (starts > intervals ? starts : intervals) + durations[Blocking].executions;
}

bool Table::add(const SiteName &name, const Figures &figures) {
  if (!growIndex())
    return false;
  uint64_t hash = hashName(name);
  size_t place = find(index, items, hash, name);
  if (!index[place]) {
    Row row = {};
    row.hash = hash;
    row.name = name;
    if (!copyTexts(row.name))
      return false;
    if (!items.push(row)) {
      freeTexts(row.name);
      return false;
    }
    index[place] = items.size();
  }
  Figures &rank = items[index[place] - 1].rank;
  for (int i = 0; i < numMeasures; ++i)
    rank.durations[i].add(figures.durations[i]);
  rank.bytes.add(figures.bytes);
  return true;
}

static void closeDurations(RankedDurations &all, const Durations &rank) {
  if (rank.executions == 0)
    return;
  double mean = rank.mean();
  if (all.all.executions == 0 || mean < all.minMean)
    all.minMean = mean;
  if (all.all.executions == 0 || mean > all.maxMean)
    all.maxMean = mean;
  all.all.add(rank);
}

void Table::closeRank() {
  for (Row &row : items) {
    uint64_t executions = row.rank.executions();
    if (executions != 0) {
      if (row.ranks == 0 || executions < row.minExecutions)
        row.minExecutions = executions;
      if (row.ranks == 0 || executions > row.maxExecutions)
        row.maxExecutions = executions;
      ++row.ranks;
      row.executions += executions;
    }
    for (int i = 0; i < numMeasures; ++i)
      closeDurations(row.durations[i], row.rank.durations[i]);
    row.bytes.add(row.rank.bytes);
    row.rank = {};
  }
}

static int compareRows(const void *left, const void *right) {
  const SiteName &a = static_cast<const Row *>(left)->name;
  const SiteName &b = static_cast<const Row *>(right)->name;
  if (int order = strcmp(a.texts[FileName], b.texts[FileName]))
    return order;
  if (a.line != b.line)
    return a.line < b.line ? -1 : 1;
  if (a.column != b.column)
    return a.column < b.column ? -1 : 1;
  const SiteText others[] = {MpiCall, FunctionName, InlinedAt};
  for (SiteText text : others)
    if (int order = strcmp(a.texts[text], b.texts[text]))
      return order;
  return 0;
}

void Table::sort() {
  if (!items.empty())
    qsort(items.data(), items.size(), sizeof(Row), compareRows);
}

namespace {
/// The header of an encoded row, before the zero-terminated texts.
struct Record {
  uint32_t sizes[SiteName::numTexts];
  uint32_t line, column;
  Figures figures;
};
} // namespace

bool Table::encode(Array<char> &bytes) const {
  for (const Row &row : items) {
    Record record = {};
    for (int i = 0; i < SiteName::numTexts; ++i)
      record.sizes[i] = strlen(row.name.texts[i]) + 1;
    record.line = row.name.line;
    record.column = row.name.column;
    record.figures = row.rank;
    if (!bytes.append(reinterpret_cast<const char *>(&record), sizeof(record)))
      return false;
    for (int i = 0; i < SiteName::numTexts; ++i)
      if (!bytes.append(row.name.texts[i], record.sizes[i]))
        return false;
  }
  return true;
}

bool Table::decode(const char *bytes, size_t size) {
  while (size > 0) {
    Record record;
    if (size < sizeof(record))
      return false;
    memcpy(&record, bytes, sizeof(record));
    bytes += sizeof(record);
    size -= sizeof(record);
    SiteName name = {};
    name.line = record.line;
    name.column = record.column;
    for (int i = 0; i < SiteName::numTexts; ++i) {
      uint32_t length = record.sizes[i];
      if (length == 0 || length > size || bytes[length - 1] != 0)
        return false;
      name.texts[i] = bytes;
      bytes += length;
      size -= length;
    }
    if (!add(name, record.figures))
      return false;
  }
  return true;
}
