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
  const char *texts[] = {name.mpiCall, name.function, name.file};
  for (const char *text : texts)
    hash = hashBytes(hash, text, strlen(text) + 1);
  hash = hashBytes(hash, &name.line, sizeof(name.line));
  return hashBytes(hash, &name.column, sizeof(name.column));
}

static bool sameName(const SiteName &a, const SiteName &b) {
  return a.line == b.line && a.column == b.column && strcmp(a.mpiCall, b.mpiCall) == 0 &&
         strcmp(a.function, b.function) == 0 && strcmp(a.file, b.file) == 0;
}

/// The place of a row in the index, or the free place where it belongs.
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

Table::~Table() {
  for (Row &row : items) {
    free(const_cast<char *>(row.name.mpiCall));
    free(const_cast<char *>(row.name.function));
    free(const_cast<char *>(row.name.file));
  }
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

bool Table::add(const SiteName &name, uint64_t executions, double seconds, double shortest) {
  if (!growIndex())
    return false;
  uint64_t hash = hashName(name);
  size_t place = find(index, items, hash, name);
  if (!index[place]) {
    Row row = {};
    row.hash = hash;
    row.name = name;
    row.name.mpiCall = strdup(name.mpiCall);
    row.name.function = strdup(name.function);
    row.name.file = strdup(name.file);
    if (!row.name.mpiCall || !row.name.function || !row.name.file || !items.push(row)) {
      free(const_cast<char *>(row.name.mpiCall));
      free(const_cast<char *>(row.name.function));
      free(const_cast<char *>(row.name.file));
      return false;
    }
    index[place] = items.size();
  }
  Row &row = items[index[place] - 1];
  if (row.rankExecutions == 0 || shortest < row.rankShortest)
    row.rankShortest = shortest;
  row.rankExecutions += executions;
  row.rankSeconds += seconds;
  return true;
}

void Table::closeRank() {
  for (Row &row : items) {
    if (row.rankExecutions == 0)
      continue;
    double mean = row.rankSeconds / static_cast<double>(row.rankExecutions);
    if (row.ranks == 0 || row.rankExecutions < row.minExecutions)
      row.minExecutions = row.rankExecutions;
    if (row.ranks == 0 || row.rankExecutions > row.maxExecutions)
      row.maxExecutions = row.rankExecutions;
    if (row.ranks == 0 || mean < row.minMean)
      row.minMean = mean;
    if (row.ranks == 0 || mean > row.maxMean)
      row.maxMean = mean;
    if (row.ranks == 0 || row.rankShortest < row.shortest)
      row.shortest = row.rankShortest;
    ++row.ranks;
    row.executions += row.rankExecutions;
    row.seconds += row.rankSeconds;
    row.rankExecutions = 0;
    row.rankSeconds = 0;
  }
}

static int compareRows(const void *left, const void *right) {
  const SiteName &a = static_cast<const Row *>(left)->name;
  const SiteName &b = static_cast<const Row *>(right)->name;
  if (int order = strcmp(a.file, b.file))
    return order;
  if (a.line != b.line)
    return a.line < b.line ? -1 : 1;
  if (a.column != b.column)
    return a.column < b.column ? -1 : 1;
  if (int order = strcmp(a.mpiCall, b.mpiCall))
    return order;
  return strcmp(a.function, b.function);
}

void Table::sort() {
  if (!items.empty())
    qsort(items.data(), items.size(), sizeof(Row), compareRows);
}

namespace {
/// The header before the three texts (each with its final zero) of an encoded row.
struct Record {
  uint32_t sizes[3];
  uint32_t line, column, unused;
  uint64_t executions;
  double seconds, shortest;
};
} // namespace

bool Table::encode(Array<char> &bytes) const {
  for (const Row &row : items) {
    const char *texts[3] = {row.name.mpiCall, row.name.function, row.name.file};
    Record record = {};
    for (int i = 0; i < 3; ++i)
      record.sizes[i] = strlen(texts[i]) + 1;
    record.line = row.name.line;
    record.column = row.name.column;
    record.executions = row.rankExecutions;
    record.seconds = row.rankSeconds;
    record.shortest = row.rankShortest;
    if (!bytes.append(reinterpret_cast<const char *>(&record), sizeof(record)))
      return false;
    for (int i = 0; i < 3; ++i)
      if (!bytes.append(texts[i], record.sizes[i]))
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
    const char *texts[3];
    for (int i = 0; i < 3; ++i) {
      uint32_t length = record.sizes[i];
      if (length == 0 || length > size || bytes[length - 1] != 0)
        return false;
      texts[i] = bytes;
      bytes += length;
      size -= length;
    }
    if (!add({texts[0], texts[1], texts[2], record.line, record.column}, record.executions, record.seconds,
             record.shortest))
      return false;
  }
  return true;
}
