//===- ABI.cpp - Representation of MPI in an ABI --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/ABI.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <tuple>

using namespace comm::mpi;
using llvm::ArrayRef;
using llvm::StringLiteral;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace comm::mpi::detail {
// Every table is sorted by its members up to the one that is looked up.
struct HandleEntry {
  StringLiteral name;
  HandleClass handleClass;
  HandleRepresentation representation;
};
struct SymbolEntry {
  HandleClass handleClass;
  StringLiteral symbol;
  StringLiteral name;
};
struct ValueEntry {
  HandleClass handleClass;
  int64_t value;
  StringLiteral name;
};
struct DatatypeEntry {
  StringLiteral name;
  unsigned size, extent;
  bool isPair;
};
struct ConstantEntry {
  StringLiteral name;
  int64_t value;
};
struct AddressEntry {
  StringLiteral name;
  HandleRepresentation representation;
};
struct BlockEntry {
  StringLiteral name;
  StringLiteral block;
};
struct CostEntry {
  StringLiteral function;
  Transport transport;
  unsigned processes;
  uint64_t bytes;
  FormCost cost;
};
struct StatusLayout {
  unsigned size, alignment, source, tag, error;
};
struct UnaidedEntry {
  StringLiteral name;
  UnaidedLimits limits;
};
struct ABITables {
  StringLiteral name;
  StringLiteral library;
  // Bit i: the class with number i exists; it is a pointer.
  unsigned classes, pointerClasses;
  StatusLayout status;
  ArrayRef<HandleEntry> handles;
  ArrayRef<SymbolEntry> symbols;
  ArrayRef<ValueEntry> values;
  ArrayRef<DatatypeEntry> datatypes;
  ArrayRef<ConstantEntry> constants;
  ArrayRef<AddressEntry> addresses;
  ArrayRef<StringLiteral> functions;
  ArrayRef<StringLiteral> orderedSums;
  ArrayRef<StringLiteral> differingNonblocking;
  ArrayRef<ConstantEntry> sizes;
  // For mpif.h; both empty if it is unknown.
  ArrayRef<ValueEntry> fortranHandles;
  ArrayRef<BlockEntry> fortranBlocks;
  ArrayRef<CostEntry> costs;
  ArrayRef<UnaidedEntry> unaided;
  // Indexed by transport; 0 if not measured.
  uint64_t eagerLimits[2];
};
} // namespace comm::mpi::detail

using namespace comm::mpi::detail;

namespace {
#include "MPIBindings.inc"
} // namespace

// An array of the instances for all tables, so that all() needs no static constructor.
template <size_t... i> static ArrayRef<ABI> makeAll(std::index_sequence<i...>) {
  static constexpr ABI abis[] = {ABI(*allTables[i])...};
  return abis;
}

/// Binary search in a table sorted by name.
template <typename Entry> static const Entry *find(ArrayRef<Entry> table, StringRef name) {
  const Entry *it = llvm::lower_bound(table, name, [](const Entry &e, StringRef n) { return e.name < n; });
  return it != table.end() && it->name == name ? it : nullptr;
}

static bool hasBit(unsigned bits, HandleClass handleClass) { return bits >> static_cast<unsigned>(handleClass) & 1; }

std::optional<HandleClass> comm::mpi::getHandleClass(Role role) {
  switch (role) {
  case Role::Datatype:
    return HandleClass::Datatype;
  case Role::Comm:
    return HandleClass::Comm;
  case Role::Op:
    return HandleClass::Op;
  case Role::Request:
    return HandleClass::Request;
  case Role::Message:
    return HandleClass::Message;
  case Role::Group:
    return HandleClass::Group;
  case Role::Errhandler:
    return HandleClass::Errhandler;
  case Role::Info:
    return HandleClass::Info;
  case Role::File:
    return HandleClass::File;
  case Role::Win:
    return HandleClass::Win;
  case Role::Session:
    return HandleClass::Session;
  default:
    return std::nullopt;
  }
}

StringRef comm::mpi::getTypeName(HandleClass handleClass) {
  switch (handleClass) {
  case HandleClass::Comm:
    return "MPI_Comm";
  case HandleClass::Datatype:
    return "MPI_Datatype";
  case HandleClass::Op:
    return "MPI_Op";
  case HandleClass::Request:
    return "MPI_Request";
  case HandleClass::Group:
    return "MPI_Group";
  case HandleClass::Errhandler:
    return "MPI_Errhandler";
  case HandleClass::Info:
    return "MPI_Info";
  case HandleClass::Message:
    return "MPI_Message";
  case HandleClass::Win:
    return "MPI_Win";
  case HandleClass::File:
    return "MPI_File";
  case HandleClass::Session:
    return "MPI_Session";
  }
  llvm_unreachable("unknown class of handles");
}

//===----------------------------------------------------------------------===//
// Finding an implementation
//===----------------------------------------------------------------------===//

ArrayRef<ABI> ABI::all() { return makeAll(std::make_index_sequence<std::size(allTables)>()); }

const ABI *ABI::lookup(StringRef name) {
  for (const ABI &abi : all())
    if (abi.getName() == name)
      return &abi;
  return nullptr;
}

/// Whether the module contains a predefined handle of this implementation.
static bool isEvident(const ABITables &tables, llvm::function_ref<bool(StringRef)> hasSymbol,
                      llvm::function_ref<bool(int64_t, HandleClass)> passesHandle) {
  if (llvm::any_of(tables.symbols, [&](const SymbolEntry &entry) { return hasSymbol(entry.symbol); }))
    return true;
  if (!passesHandle)
    return false;
  return llvm::any_of(tables.values, [&](const ValueEntry &entry) {
    // A null pointer is not evidence, since any program may pass one.
    return entry.value && hasBit(tables.pointerClasses, entry.handleClass) &&
           passesHandle(entry.value, entry.handleClass);
  });
}

static bool hasHandleSymbol(const ABITables &tables, StringRef symbol) {
  return llvm::any_of(tables.symbols, [&](const SymbolEntry &entry) { return entry.symbol == symbol; });
}

/// Whether the module uses something of MPI that `other` has and `tables` lacks.
static bool lacksUsed(const ABITables &tables, const ABITables &other, llvm::function_ref<bool(StringRef)> hasSymbol) {
  for (StringRef function : other.functions)
    if (!llvm::binary_search(tables.functions, function) && hasSymbol(function))
      return true;
  return llvm::any_of(other.symbols, [&](const SymbolEntry &entry) {
    return !hasHandleSymbol(tables, entry.symbol) && hasSymbol(entry.symbol);
  });
}

const ABI *ABI::detect(llvm::function_ref<bool(StringRef)> hasSymbol, bool commIsInteger,
                       llvm::function_ref<bool(int64_t, HandleClass)> passesHandle) {
  llvm::SmallVector<const ABI *> candidates;
  for (const ABI &abi : all()) {
    bool isEvidentHere = isEvident(*abi.tables, hasSymbol, passesHandle);
    if (abi.handlesArePointers() != commIsInteger) {
      // The type of an integer handle is sufficient evidence: a constant of type i32 need not occur.
      if (isEvidentHere || commIsInteger)
        candidates.push_back(&abi);
    } else if (isEvidentHere) {
      // Symbols of one implementation with handles of another: no header produces this mixture.
      return nullptr;
    }
  }
  auto *it = llvm::find_if(candidates, [&](const ABI *abi) {
    return llvm::none_of(candidates, [&](const ABI *other) {
      return other != abi && lacksUsed(*abi->tables, *other->tables, hasSymbol);
    });
  });
  return it == candidates.end() ? nullptr : *it;
}

StringRef ABI::getName() const { return tables->name; }
StringRef ABI::getLibraryName() const { return tables->library; }

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

bool ABI::handlesArePointers(HandleClass handleClass) const { return hasBit(tables->pointerClasses, handleClass); }

bool ABI::hasHandleClass(HandleClass handleClass) const { return hasBit(tables->classes, handleClass); }

std::optional<HandleRepresentation> ABI::getHandle(StringRef name) const {
  if (const HandleEntry *entry = find(tables->handles, name))
    return entry->representation;
  return std::nullopt;
}

std::optional<HandleClass> ABI::getHandleClass(StringRef name) const {
  if (const HandleEntry *entry = find(tables->handles, name))
    return entry->handleClass;
  return std::nullopt;
}

void ABI::forEachHandle(llvm::function_ref<void(StringRef, HandleClass, const HandleRepresentation &)> visit) const {
  for (const HandleEntry &entry : tables->handles)
    visit(entry.name, entry.handleClass, entry.representation);
}

StringRef ABI::nameOfSymbol(StringRef symbol, HandleClass handleClass) const {
  auto key = std::make_tuple(handleClass, symbol);
  const SymbolEntry *it = llvm::lower_bound(tables->symbols, key, [](const SymbolEntry &e, const auto &k) {
    return std::make_tuple(e.handleClass, StringRef(e.symbol)) < k;
  });
  if (it == tables->symbols.end() || it->handleClass != handleClass || it->symbol != symbol)
    return {};
  return it->name;
}

/// Returns the name of a value in a class; "" if there is none.
static StringRef findName(ArrayRef<ValueEntry> values, HandleClass handleClass, int64_t value) {
  auto key = std::make_tuple(handleClass, value);
  const ValueEntry *it = llvm::lower_bound(
      values, key, [](const ValueEntry &e, const auto &k) { return std::make_tuple(e.handleClass, e.value) < k; });
  bool isFound = it != values.end() && it->handleClass == handleClass && it->value == value;
  return isFound ? StringRef(it->name) : StringRef();
}

StringRef ABI::nameOfValue(int64_t value, HandleClass handleClass) const {
  if (!handlesArePointers(handleClass)) {
    if (value < INT32_MIN || value > UINT32_MAX)
      return {};
    value = static_cast<int32_t>(value);
  }
  return findName(tables->values, handleClass, value);
}

StringRef ABI::nameOf(const HandleRepresentation &representation, HandleClass handleClass) const {
  switch (representation.kind) {
  case HandleRepresentation::Symbol:
    return nameOfSymbol(representation.symbol, handleClass);
  case HandleRepresentation::Integer:
  case HandleRepresentation::Pointer:
    // An integer cannot represent a pointer handle, and vice versa.
    if ((representation.kind == HandleRepresentation::Pointer) != handlesArePointers(handleClass))
      return {};
    return nameOfValue(representation.value, handleClass);
  case HandleRepresentation::Load:
    return {};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Fortran
//===----------------------------------------------------------------------===//

bool ABI::hasFortran() const { return !tables->fortranHandles.empty(); }

StringRef ABI::nameOfFortranHandle(int64_t number, HandleClass handleClass) const {
  return findName(tables->fortranHandles, handleClass, number);
}

StringRef ABI::getFortranBlock(StringRef name) const {
  const BlockEntry *entry = find(tables->fortranBlocks, name);
  return entry ? StringRef(entry->block) : StringRef();
}

//===----------------------------------------------------------------------===//
// Constants, datatypes, layout, functions
//===----------------------------------------------------------------------===//

std::optional<int64_t> ABI::getConstant(StringRef name) const {
  if (const ConstantEntry *entry = find(tables->constants, name))
    return entry->value;
  std::optional<HandleRepresentation> address = getAddress(name);
  if (address && address->kind == HandleRepresentation::Pointer)
    return address->value;
  return std::nullopt;
}

std::optional<HandleRepresentation> ABI::getAddress(StringRef name) const {
  if (const AddressEntry *entry = find(tables->addresses, name))
    return entry->representation;
  return std::nullopt;
}

std::optional<unsigned> ABI::getDatatypeSize(StringRef name) const {
  if (const DatatypeEntry *entry = find(tables->datatypes, name))
    return entry->size;
  return std::nullopt;
}

std::optional<unsigned> ABI::getDatatypeExtent(StringRef name) const {
  if (const DatatypeEntry *entry = find(tables->datatypes, name))
    return entry->extent;
  return std::nullopt;
}

bool ABI::isPairDatatype(StringRef name) const {
  const DatatypeEntry *entry = find(tables->datatypes, name);
  return entry && entry->isPair;
}

bool ABI::isPredefinedContiguous(StringRef name) const {
  const DatatypeEntry *entry = find(tables->datatypes, name);
  return entry && entry->size == entry->extent;
}

unsigned ABI::getStatusSize() const { return tables->status.size; }
unsigned ABI::getStatusAlignment() const { return tables->status.alignment; }
unsigned ABI::getStatusSourceOffset() const { return tables->status.source; }
unsigned ABI::getStatusTagOffset() const { return tables->status.tag; }
unsigned ABI::getStatusErrorOffset() const { return tables->status.error; }

std::optional<unsigned> ABI::getTypeSize(StringRef name) const {
  if (const ConstantEntry *entry = find(tables->sizes, name))
    return static_cast<unsigned>(entry->value);
  return std::nullopt;
}

unsigned ABI::getRequestSize() const {
  // generate.py rejects a binding without it.
  return *getTypeSize("MPI_Request");
}

unsigned ABI::getLargestTypeSize(StringRef name) {
  unsigned largest = 0;
  for (const ABI &abi : all())
    largest = std::max(largest, name == "MPI_Status" ? abi.getStatusSize() : abi.getTypeSize(name).value_or(0));
  return largest;
}

bool ABI::hasFunction(StringRef name) const {
  if (name.starts_with("PMPI"))
    name = name.drop_front();
  return llvm::binary_search(tables->functions, name);
}

/// Whether the sorted table contains the function, which may have its PMPI_ or large-count name.
static bool hasBase(ArrayRef<StringLiteral> table, StringRef name) {
  if (name.starts_with("PMPI"))
    name = name.drop_front();
  name.consume_back("_c");
  return llvm::binary_search(table, name);
}

bool ABI::addsInOrder(StringRef blocking) const { return hasBase(tables->orderedSums, blocking); }

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

static bool comesBefore(const CostEntry &entry, std::tuple<StringRef, Transport, unsigned> key) {
  return std::make_tuple(StringRef(entry.function), entry.transport, entry.processes) < key;
}

/// Returns the rows of a function for this number of processes, by bytes. Uses the next larger measured number, or else
/// the largest.
static ArrayRef<CostEntry> findCosts(const ABITables &tables, StringRef name, Transport transport, unsigned processes) {
  if (name.starts_with("PMPI"))
    name = name.drop_front();
  name.consume_back("_c");
  auto find = [&](unsigned number) {
    const CostEntry *begin = llvm::lower_bound(tables.costs, std::make_tuple(name, transport, number), comesBefore);
    const CostEntry *end = begin;
    while (end != tables.costs.end() && end->function == name && end->transport == transport &&
           end->processes == begin->processes)
      ++end;
    return ArrayRef(begin, end);
  };
  ArrayRef<CostEntry> rows = find(processes);
  if (!rows.empty() || tables.costs.empty())
    return rows;
  // The last rows for this function and transport.
  const CostEntry *end = llvm::lower_bound(tables.costs, std::make_tuple(name, transport, processes), comesBefore);
  if (end == tables.costs.begin() || end[-1].function != name || end[-1].transport != transport)
    return {};
  return find(end[-1].processes);
}

std::optional<FormCost> ABI::getFormCost(StringRef blocking, Transport transport, unsigned processes,
                                         uint64_t bytes) const {
  const CostEntry *nearest = nullptr;
  for (const CostEntry &row : findCosts(*tables, blocking, transport, processes))
    if (!nearest || row.bytes <= bytes)
      nearest = &row;
  return nearest ? std::optional(nearest->cost) : std::nullopt;
}

void ABI::forEachFormCost(StringRef blocking, std::optional<uint64_t> bytes,
                          llvm::function_ref<void(const MeasuredCost &)> visit) const {
  const CostEntry *row =
      llvm::lower_bound(tables->costs, std::make_tuple(blocking, Transport::Shared, 0u), comesBefore);
  for (; row != tables->costs.end() && row->function == blocking; ++row) {
    // Use the row before the first one that is larger, or before those of another number of processes.
    const CostEntry *next = row + 1, *before = row - 1;
    auto isAlike = [&](const CostEntry *other) {
      return other >= tables->costs.begin() && other < tables->costs.end() && other->function == blocking &&
             other->transport == row->transport && other->processes == row->processes;
    };
    bool isFirst = !isAlike(before), isLast = !isAlike(next);
    if (!bytes || ((row->bytes <= *bytes || isFirst) && (isLast || next->bytes > *bytes)))
      visit({row->transport, row->processes, row->bytes, row->cost});
  }
}

std::optional<uint64_t> ABI::getEagerLimit(Transport transport) const {
  uint64_t limit = tables->eagerLimits[static_cast<unsigned>(transport)];
  return limit ? std::optional(limit) : std::nullopt;
}

std::optional<UnaidedLimits> ABI::getUnaidedLimits(StringRef blocking) const {
  if (blocking.starts_with("PMPI"))
    blocking = blocking.drop_front();
  blocking.consume_back("_c");
  const UnaidedEntry *entry = find(tables->unaided, blocking);
  return entry ? std::optional(entry->limits) : std::nullopt;
}

bool ABI::nonblockingAgrees(StringRef blocking) const { return !hasBase(tables->differingNonblocking, blocking); }
