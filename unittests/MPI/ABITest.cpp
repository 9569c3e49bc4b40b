//===- ABITest.cpp - Tests of the MPI ABI bindings ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/ABI.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>
#include <string>

using namespace comm::mpi;
using llvm::StringRef;

namespace {

constexpr HandleClass allClasses[] = {HandleClass::Comm,    HandleClass::Datatype, HandleClass::Op,
                                      HandleClass::Request, HandleClass::Group,    HandleClass::Errhandler,
                                      HandleClass::Info,    HandleClass::Message,  HandleClass::Win,
                                      HandleClass::File,    HandleClass::Session};

const ABI &get(StringRef name) {
  const ABI *abi = ABI::lookup(name);
  if (!abi)
    ADD_FAILURE() << "no binding named " << name.str();
  return *abi;
}

HandleRepresentation symbol(StringRef name) { return {HandleRepresentation::Symbol, name, 0}; }
HandleRepresentation integer(int64_t value) { return {HandleRepresentation::Integer, "", value}; }
HandleRepresentation pointer(int64_t value) { return {HandleRepresentation::Pointer, "", value}; }

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

TEST(ABITest, KnowsTheFourImplementations) {
  for (StringRef name : {"openmpi4", "openmpi5", "mpich", "mpi-abi"}) {
    const ABI *abi = ABI::lookup(name);
    ASSERT_TRUE(abi) << name.str();
    EXPECT_EQ(abi->getName(), name);
    EXPECT_FALSE(abi->getLibraryName().empty());
  }
  for (StringRef name : {"", "openmpi", "OPENMPI4", "openmpi44", "zzz"})
    EXPECT_FALSE(ABI::lookup(name)) << name.str();
  // detect() prefers earlier entries.
  for (size_t i = 1; i < ABI::all().size(); ++i)
    EXPECT_LT(ABI::all()[i - 1].getName(), ABI::all()[i].getName());
}

TEST(ABITest, OpenMPISpellsAddressesOfGlobals) {
  for (StringRef name : {"openmpi4", "openmpi5"}) {
    const ABI &abi = get(name);
    EXPECT_EQ(abi.getHandle("MPI_COMM_WORLD"), symbol("ompi_mpi_comm_world"));
    EXPECT_EQ(abi.getHandle("MPI_INT"), symbol("ompi_mpi_int"));
    EXPECT_EQ(abi.getHandle("MPI_REQUEST_NULL"), symbol("ompi_request_null"));
    EXPECT_TRUE(abi.handlesArePointers());
    EXPECT_EQ(abi.nameOfSymbol("ompi_mpi_int", HandleClass::Datatype), "MPI_INT");
    EXPECT_EQ(abi.nameOfSymbol("ompi_mpi_int", HandleClass::Comm), "");
    EXPECT_EQ(abi.nameOfSymbol("ompi_mpi_in", HandleClass::Datatype), "");
    EXPECT_EQ(abi.nameOfSymbol("", HandleClass::Datatype), "");
    EXPECT_EQ(abi.nameOfValue(0, HandleClass::Comm), "");
  }
}

TEST(ABITest, FortranOfOpenMPIHasNumbersAndCommonBlocks) {
  const ABI &abi = get("openmpi4");
  EXPECT_TRUE(abi.hasFortran());
  EXPECT_EQ(abi.nameOfFortranHandle(0, HandleClass::Comm), "MPI_COMM_WORLD");
  EXPECT_EQ(abi.nameOfFortranHandle(17, HandleClass::Datatype), "MPI_DOUBLE_PRECISION");
  EXPECT_EQ(abi.nameOfFortranHandle(3, HandleClass::Op), "MPI_SUM");
  for (int64_t number : {int64_t(-1), int64_t(12345), INT64_MIN, INT64_MAX})
    EXPECT_EQ(abi.nameOfFortranHandle(number, HandleClass::Comm), "");
  EXPECT_EQ(abi.getFortranBlock("MPI_BOTTOM"), "mpi_fortran_bottom");
  EXPECT_EQ(abi.getFortranBlock("MPI_COMM_WORLD"), "");
  EXPECT_FALSE(get("mpi-abi").hasFortran());
  EXPECT_EQ(get("mpi-abi").nameOfFortranHandle(0, HandleClass::Comm), "");
}

TEST(ABITest, MPICHSpellsIntegers) {
  const ABI &abi = get("mpich");
  EXPECT_EQ(abi.getHandle("MPI_COMM_WORLD"), integer(0x44000000));
  EXPECT_EQ(abi.nameOfValue(0x44000000, HandleClass::Comm), "MPI_COMM_WORLD");
  EXPECT_EQ(abi.nameOfValue(0x44000000, HandleClass::Op), "");
  EXPECT_FALSE(abi.handlesArePointers());
  // Only MPI_File is a pointer there, and null is MPI_FILE_NULL.
  EXPECT_TRUE(abi.handlesArePointers(HandleClass::File));
  EXPECT_EQ(abi.nameOfValue(0, HandleClass::File), "MPI_FILE_NULL");
  // One value belongs to two classes.
  EXPECT_EQ(abi.getHandle("MPI_MESSAGE_NULL"), abi.getHandle("MPI_REQUEST_NULL"));
  int64_t null = abi.getHandle("MPI_MESSAGE_NULL")->value;
  EXPECT_EQ(abi.nameOfValue(null, HandleClass::Message), "MPI_MESSAGE_NULL");
  EXPECT_EQ(abi.nameOfValue(null, HandleClass::Request), "MPI_REQUEST_NULL");
}

TEST(ABITest, IntegerHandlesAcceptEitherExtension) {
  const ABI &abi = get("mpich");
  // 0x8c000000: the sign bit of the i32 is set.
  std::optional<HandleRepresentation> pair = abi.getHandle("MPI_FLOAT_INT");
  ASSERT_TRUE(pair);
  EXPECT_LT(pair->value, 0);
  int64_t zeroExtended = static_cast<uint32_t>(pair->value);
  EXPECT_EQ(abi.nameOfValue(pair->value, HandleClass::Datatype), "MPI_FLOAT_INT");
  EXPECT_EQ(abi.nameOfValue(zeroExtended, HandleClass::Datatype), "MPI_FLOAT_INT");
  // With bits above an i32 it is a different number.
  EXPECT_EQ(abi.nameOfValue(zeroExtended | int64_t(1) << 32, HandleClass::Datatype), "");
  EXPECT_EQ(abi.nameOfValue(INT64_MIN, HandleClass::Datatype), "");
  EXPECT_EQ(abi.nameOfValue(INT64_MAX, HandleClass::Datatype), "");
}

TEST(ABITest, StandardABISpellsConstantPointers) {
  const ABI &abi = get("mpi-abi");
  // MPI-5.0, appendix A.1.2.
  EXPECT_EQ(abi.getHandle("MPI_COMM_WORLD"), pointer(0x101));
  EXPECT_EQ(abi.getHandle("MPI_INT"), pointer(0x209));
  EXPECT_EQ(abi.getHandle("MPI_SUM"), pointer(0x21));
  EXPECT_EQ(abi.nameOfValue(0x101, HandleClass::Comm), "MPI_COMM_WORLD");
  EXPECT_TRUE(abi.handlesArePointers());
  // The i32 257 is not the pointer 257.
  EXPECT_EQ(abi.nameOf(integer(0x101), HandleClass::Comm), "");
  EXPECT_EQ(abi.nameOf(pointer(0x101), HandleClass::Comm), "MPI_COMM_WORLD");
}

TEST(ABITest, NamesAndRepresentationsRoundTrip) {
  for (const ABI &abi : ABI::all()) {
    unsigned count = 0;
    abi.forEachHandle([&](StringRef name, HandleClass handleClass, const HandleRepresentation &representation) {
      SCOPED_TRACE(abi.getName().str() + " " + name.str());
      ++count;
      EXPECT_EQ(abi.getHandle(name), representation);
      EXPECT_EQ(abi.getHandleClass(name), handleClass);
      EXPECT_TRUE(abi.hasHandleClass(handleClass));
      EXPECT_EQ(representation.kind == HandleRepresentation::Integer, !abi.handlesArePointers(handleClass));
      StringRef canonical = abi.nameOf(representation, handleClass);
      EXPECT_FALSE(canonical.empty());
      // A raised name lowers to the value it was raised from.
      EXPECT_EQ(abi.getHandle(canonical), representation);
      EXPECT_EQ(abi.getHandleClass(canonical), handleClass);
      // A canonical name is a fixed point.
      EXPECT_EQ(abi.nameOf(*abi.getHandle(canonical), handleClass), canonical);
    });
    EXPECT_GT(count, 80u) << abi.getName().str();
  }
}

TEST(ABITest, CanonicalNamesOfAliases) {
  for (const ABI &abi : ABI::all()) {
    auto canonical = [&](StringRef name) { return abi.nameOf(*abi.getHandle(name), HandleClass::Datatype); };
    EXPECT_EQ(canonical("MPI_LONG_LONG_INT"), "MPI_LONG_LONG");
    EXPECT_EQ(canonical("MPI_LONG_LONG"), "MPI_LONG_LONG");
    EXPECT_EQ(canonical("MPI_C_FLOAT_COMPLEX"), "MPI_C_COMPLEX");
    EXPECT_EQ(canonical("MPI_INT"), "MPI_INT");
    // Not MPI_CXX_COMPLEX, which is shorter but Open MPI's own.
    EXPECT_EQ(canonical("MPI_CXX_FLOAT_COMPLEX"), "MPI_CXX_FLOAT_COMPLEX");
    EXPECT_EQ(canonical("MPI_DATATYPE_NULL"), "MPI_DATATYPE_NULL");
  }
}

// An implementation must not spell two different handles of one class the same way, or raising would confuse them.
TEST(ABITest, AliasesHaveTheSameSize) {
  for (const ABI &abi : ABI::all())
    abi.forEachHandle([&](StringRef name, HandleClass handleClass, const HandleRepresentation &representation) {
      StringRef canonical = abi.nameOf(representation, handleClass);
      EXPECT_EQ(abi.getDatatypeSize(name), abi.getDatatypeSize(canonical)) << abi.getName().str() << " " << name.str();
    });
}

//===----------------------------------------------------------------------===//
// Constants, datatypes, layout
//===----------------------------------------------------------------------===//

TEST(ABITest, Constants) {
  const ABI &ompi = get("openmpi4"), &mpich = get("mpich"), &standard = get("mpi-abi");
  EXPECT_EQ(ompi.getConstant("MPI_ANY_SOURCE"), -1);
  EXPECT_EQ(mpich.getConstant("MPI_ANY_SOURCE"), -2);
  EXPECT_EQ(standard.getConstant("MPI_ANY_SOURCE"), -1);
  EXPECT_EQ(ompi.getConstant("MPI_PROC_NULL"), -2);
  EXPECT_EQ(mpich.getConstant("MPI_PROC_NULL"), -1);
  EXPECT_EQ(standard.getConstant("MPI_PROC_NULL"), -3);
  EXPECT_EQ(ompi.getConstant("MPI_IN_PLACE"), 1);
  EXPECT_EQ(mpich.getConstant("MPI_IN_PLACE"), -1);
  EXPECT_EQ(ompi.getConstant("MPI_STATUS_IGNORE"), 0);
  EXPECT_EQ(mpich.getConstant("MPI_STATUS_IGNORE"), 1);
  EXPECT_EQ(ompi.getConstant("MPI_UNWEIGHTED"), 2);
  // In MPICH it is the value of a variable.
  EXPECT_EQ(mpich.getConstant("MPI_UNWEIGHTED"), std::nullopt);
  ASSERT_TRUE(mpich.getAddress("MPI_UNWEIGHTED"));
  EXPECT_EQ(mpich.getAddress("MPI_UNWEIGHTED")->kind, HandleRepresentation::Load);
  EXPECT_EQ(mpich.getAddress("MPI_UNWEIGHTED")->symbol, "MPI_UNWEIGHTED");
  EXPECT_EQ(ompi.getAddress("MPI_IN_PLACE"), pointer(1));
  for (const ABI &abi : ABI::all()) {
    SCOPED_TRACE(abi.getName().str());
    for (StringRef name : {"MPI_ANY_SOURCE", "MPI_ANY_TAG", "MPI_PROC_NULL", "MPI_ROOT", "MPI_UNDEFINED", "MPI_SUCCESS",
                           "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE",
                           "MPI_BOTTOM", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE",
                           "MPI_ERR_IN_STATUS", "MPI_COMM_TYPE_SHARED", "MPI_VERSION"})
      EXPECT_TRUE(abi.getConstant(name)) << name.str();
    EXPECT_EQ(abi.getConstant("MPI_SUCCESS"), 0);
    EXPECT_LT(abi.getConstant("MPI_PROC_NULL"), 0);
    EXPECT_LT(abi.getConstant("MPI_ANY_SOURCE"), 0);
    EXPECT_NE(abi.getConstant("MPI_PROC_NULL"), abi.getConstant("MPI_ANY_SOURCE"));
    EXPECT_NE(abi.getConstant("MPI_IN_PLACE"), abi.getConstant("MPI_BOTTOM"));
    // Handles are not constants, and constants are not handles.
    EXPECT_FALSE(abi.getConstant("MPI_COMM_WORLD"));
    EXPECT_FALSE(abi.getHandle("MPI_ANY_SOURCE"));
  }
}

TEST(ABITest, Datatypes) {
  const std::map<std::string, unsigned> sizes = {{"MPI_BYTE", 1},         {"MPI_CHAR", 1},
                                                 {"MPI_SHORT", 2},        {"MPI_INT", 4},
                                                 {"MPI_LONG", 8},         {"MPI_LONG_LONG", 8},
                                                 {"MPI_UNSIGNED", 4},     {"MPI_FLOAT", 4},
                                                 {"MPI_DOUBLE", 8},       {"MPI_INT64_T", 8},
                                                 {"MPI_UINT8_T", 1},      {"MPI_C_BOOL", 1},
                                                 {"MPI_LONG_DOUBLE", 16}, {"MPI_C_DOUBLE_COMPLEX", 16},
                                                 {"MPI_2INT", 8},         {"MPI_AINT", 8},
                                                 {"MPI_PACKED", 1}};
  for (const ABI &abi : ABI::all()) {
    SCOPED_TRACE(abi.getName().str());
    for (const auto &[name, size] : sizes) {
      EXPECT_EQ(abi.getDatatypeSize(name), size) << name;
      EXPECT_TRUE(abi.isPredefinedContiguous(name)) << name;
    }
    EXPECT_EQ(abi.getDatatypeSize("MPI_DOUBLE_INT"), 12u);
    EXPECT_EQ(abi.getDatatypeExtent("MPI_DOUBLE_INT"), 16u);
    EXPECT_FALSE(abi.isPredefinedContiguous("MPI_DOUBLE_INT"));
    EXPECT_TRUE(abi.isPairDatatype("MPI_DOUBLE_INT"));
    EXPECT_TRUE(abi.isPairDatatype("MPI_2INT"));
    EXPECT_FALSE(abi.isPairDatatype("MPI_INT"));
    for (StringRef name : {"MPI_DATATYPE_NULL", "MPI_SUM", "int", "", "MPI_IN"}) {
      EXPECT_FALSE(abi.getDatatypeSize(name)) << name.str();
      EXPECT_FALSE(abi.getDatatypeExtent(name)) << name.str();
      EXPECT_FALSE(abi.isPredefinedContiguous(name)) << name.str();
      EXPECT_FALSE(abi.isPairDatatype(name)) << name.str();
    }
  }
  EXPECT_EQ(get("openmpi4").getDatatypeSize("MPI_INTEGER"), 4u);
  // The ABI has the handle, but its size is known only at run time.
  EXPECT_TRUE(get("mpi-abi").getHandle("MPI_INTEGER"));
  EXPECT_FALSE(get("mpi-abi").getDatatypeSize("MPI_INTEGER"));
}

TEST(ABITest, Layout) {
  struct Row {
    const char *abi;
    unsigned size, align, source, tag, error, request;
  };
  for (const Row &row : {Row{"openmpi4", 24, 8, 0, 4, 8, 8}, Row{"openmpi5", 24, 8, 0, 4, 8, 8},
                         Row{"mpich", 20, 4, 8, 12, 16, 4}, Row{"mpi-abi", 32, 4, 0, 4, 8, 8}}) {
    const ABI &abi = get(row.abi);
    EXPECT_EQ(abi.getStatusSize(), row.size) << row.abi;
    EXPECT_EQ(abi.getStatusAlignment(), row.align) << row.abi;
    EXPECT_EQ(abi.getStatusSourceOffset(), row.source) << row.abi;
    EXPECT_EQ(abi.getStatusTagOffset(), row.tag) << row.abi;
    EXPECT_EQ(abi.getStatusErrorOffset(), row.error) << row.abi;
    EXPECT_EQ(abi.getRequestSize(), row.request) << row.abi;
    EXPECT_EQ(abi.getTypeSize("MPI_Aint"), 8u) << row.abi;
    EXPECT_EQ(abi.getTypeSize("MPI_Nonsense"), std::nullopt) << row.abi;
    for (HandleClass handleClass : allClasses)
      if (abi.hasHandleClass(handleClass)) {
        EXPECT_EQ(abi.getTypeSize(getTypeName(handleClass)), abi.handlesArePointers(handleClass) ? 8u : 4u);
      }
  }
  for (const ABI &abi : ABI::all()) {
    EXPECT_LE(abi.getStatusSize(), ABI::getLargestTypeSize("MPI_Status"));
    EXPECT_LE(*abi.getTypeSize("MPI_Comm"), ABI::getLargestTypeSize("MPI_Comm"));
  }
  EXPECT_EQ(ABI::getLargestTypeSize("MPI_Status"), 32u);
  EXPECT_EQ(ABI::getLargestTypeSize("MPI_Comm"), 8u); // an int in MPICH
  EXPECT_EQ(ABI::getLargestTypeSize("MPI_Nonsense"), 0u);
  EXPECT_FALSE(get("openmpi4").hasHandleClass(HandleClass::Session));
  EXPECT_TRUE(get("openmpi5").hasHandleClass(HandleClass::Session));
}

TEST(ABITest, Functions) {
  for (const ABI &abi : ABI::all()) {
    SCOPED_TRACE(abi.getName().str());
    for (StringRef name : {"MPI_Init", "MPI_Send", "MPI_Ialltoall", "MPI_Wait", "PMPI_Send", "MPI_Allreduce"})
      EXPECT_TRUE(abi.hasFunction(name)) << name.str();
    for (StringRef name :
         {"", "MPI_", "PMPI", "P", "MPI_Sen", "MPI_Sendd", "mpi_send_", "main", "PPMPI_Send", "MPI_COMM_WORLD"})
      EXPECT_FALSE(abi.hasFunction(name)) << name.str();
  }
  EXPECT_FALSE(get("openmpi4").hasFunction("MPI_Isendrecv"));
  EXPECT_TRUE(get("openmpi5").hasFunction("MPI_Isendrecv"));
  EXPECT_TRUE(get("mpich").hasFunction("MPI_Send_c"));
  EXPECT_FALSE(get("openmpi5").hasFunction("MPI_Send_c"));
  EXPECT_TRUE(get("mpich").nonblockingAgrees("MPI_Neighbor_alltoallw"));
  for (const char *name : {"openmpi4", "openmpi5", "mpi-abi"}) {
    EXPECT_FALSE(get(name).nonblockingAgrees("PMPI_Neighbor_alltoallw"));
    EXPECT_TRUE(get(name).nonblockingAgrees("MPI_Neighbor_allgather"));
  }
  for (const char *name : {"openmpi4", "openmpi5"}) {
    EXPECT_TRUE(get(name).addsInOrder("MPI_Allreduce"));
    EXPECT_TRUE(get(name).addsInOrder("PMPI_Scan_c"));
    EXPECT_FALSE(get(name).addsInOrder("MPI_Reduce"));
  }
  for (const char *name : {"mpich", "mpi-abi"})
    EXPECT_FALSE(get(name).addsInOrder("MPI_Allreduce"));
}

//===----------------------------------------------------------------------===//
// Detection
//===----------------------------------------------------------------------===//

std::string detect(llvm::StringSet<> symbols, bool commIsInteger) {
  const ABI *abi = ABI::detect([&](StringRef s) { return symbols.contains(s); }, commIsInteger);
  return abi ? abi->getName().str() : "none";
}

TEST(ABITest, Detection) {
  EXPECT_EQ(detect({"MPI_Send", "ompi_mpi_comm_world"}, false), "openmpi4");
  EXPECT_EQ(detect({"MPI_Send", "ompi_mpi_int"}, false), "openmpi4");
  // New in Open MPI 5: a function, a handle.
  EXPECT_EQ(detect({"MPI_Isendrecv", "ompi_mpi_int"}, false), "openmpi5");
  EXPECT_EQ(detect({"ompi_mpi_errors_abort"}, false), "openmpi5");
  EXPECT_EQ(detect({"MPI_Send", "MPI_Isendrecv"}, true), "mpich");
  EXPECT_EQ(detect({}, true), "mpich");
  // No symbol decides.
  EXPECT_EQ(detect({}, false), "none");
  EXPECT_EQ(detect({"MPI_Send", "main"}, false), "none");
  // No header has integer handles together with Open MPI's symbols.
  EXPECT_EQ(detect({"ompi_mpi_int"}, true), "none");
}

TEST(ABITest, DetectionByConstants) {
  auto noSymbol = [](StringRef) { return false; };
  auto passesWorld = [](int64_t value, HandleClass handleClass) {
    return value == 0x101 && handleClass == HandleClass::Comm;
  };
  auto passesNull = [](int64_t value, HandleClass) { return value == 0; };
  const ABI *abi = ABI::detect(noSymbol, false, passesWorld);
  ASSERT_TRUE(abi);
  EXPECT_EQ(abi->getName(), "mpi-abi");
  EXPECT_FALSE(ABI::detect(noSymbol, false, passesNull));
}

//===----------------------------------------------------------------------===//
// Nonsense
//===----------------------------------------------------------------------===//

TEST(ABITest, NonsenseHasNoAnswer) {
  std::set<std::string> known;
  for (const ABI &abi : ABI::all())
    abi.forEachHandle([&](StringRef name, HandleClass, const HandleRepresentation &representation) {
      known.insert(name.str());
      known.insert(representation.symbol.str());
    });
  // Mutations of real names, where a binary search is most likely to fail.
  std::vector<std::string> seeds(known.begin(), known.end());
  std::mt19937 random(42);
  unsigned asked = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    std::string name = seeds[random() % seeds.size()];
    for (unsigned k = 0; k <= random() % 3; ++k) {
      size_t at = name.empty() ? 0 : random() % name.size();
      switch (random() % 4) {
      case 0:
        name.insert(at, 1, static_cast<char>(random()));
        break;
      case 1:
        name.resize(at);
        break;
      case 2:
        name += '\0';
        break;
      default:
        if (!name.empty())
          name[at] = static_cast<char>(random());
      }
    }
    if (known.count(name))
      continue;
    ++asked;
    for (const ABI &abi : ABI::all()) {
      EXPECT_FALSE(abi.getHandle(name));
      EXPECT_FALSE(abi.getHandleClass(name));
      EXPECT_FALSE(abi.getDatatypeSize(name));
      EXPECT_FALSE(abi.getAddress(name) && abi.getHandle(name));
      EXPECT_FALSE(abi.hasFunction(name));
      for (HandleClass handleClass : allClasses)
        EXPECT_EQ(abi.nameOfSymbol(name, handleClass), "");
    }
    EXPECT_FALSE(ABI::lookup(name));
  }
  EXPECT_GT(asked, 10000u);
}

TEST(ABITest, RandomValuesHaveOnlyTheirOwnNames) {
  std::mt19937_64 random(7);
  for (const ABI &abi : ABI::all())
    for (HandleClass handleClass : allClasses)
      for (unsigned i = 0; i < 5000; ++i) {
        int64_t value = static_cast<int64_t>(random()) >> (random() % 64);
        StringRef name = abi.nameOfValue(value, handleClass);
        if (name.empty())
          continue;
        EXPECT_EQ(abi.getHandleClass(name), handleClass);
        int64_t spelled = abi.getHandle(name)->value;
        EXPECT_TRUE(spelled == value || static_cast<uint32_t>(spelled) == value)
            << abi.getName().str() << " " << name.str() << " " << value;
      }
}

TEST(ABITest, CostsOfForms) {
  const ABI &abi = *ABI::lookup("openmpi4");
  // On one node, the nonblocking form of a small sum costs far more.
  std::optional<FormCost> small = abi.getFormCost("MPI_Allreduce", Transport::Shared, 2, 8);
  ASSERT_TRUE(small);
  EXPECT_GT(small->nonblocking, small->blocking);
  EXPECT_EQ(small->getExtra(), small->nonblocking - small->blocking);
  EXPECT_EQ((FormCost{5, 3}).getExtra(), 0u);
  // Between measured sizes the smaller one applies, and between numbers of processes the larger one.
  auto is = [&](unsigned processes, uint64_t bytes, unsigned measuredProcesses, uint64_t measuredBytes) {
    std::optional<FormCost> a = abi.getFormCost("MPI_Allreduce", Transport::Shared, processes, bytes);
    std::optional<FormCost> b =
        abi.getFormCost("PMPI_Allreduce_c", Transport::Shared, measuredProcesses, measuredBytes);
    return a && b && a->blocking == b->blocking && a->nonblocking == b->nonblocking;
  };
  EXPECT_TRUE(is(2, 1, 2, 8));
  EXPECT_TRUE(is(2, 63, 2, 8));
  EXPECT_TRUE(is(2, 65, 2, 64));
  EXPECT_TRUE(is(2, uint64_t(1) << 40, 2, 262144));
  EXPECT_TRUE(is(0, 8, 1, 8));
  EXPECT_TRUE(is(1000000, 8, 4, 8));
  EXPECT_TRUE(is(3, 8, 4, 8));
  // Not measured.
  EXPECT_FALSE(abi.getFormCost("MPI_Comm_size", Transport::Shared, 2, 8));
  EXPECT_FALSE(abi.getFormCost("", Transport::Shared, 2, 8));
}

TEST(ABITest, FormCostsAreThoseOfEachSetting) {
  for (const ABI &abi : ABI::all())
    for (StringRef name : {"MPI_Allreduce", "MPI_Send", "MPI_Scatterv", "MPI_Win_free"})
      for (uint64_t bytes : {0, 8, 9, 4095, 4096, 1 << 30}) {
        unsigned settings = 0;
        std::set<std::pair<Transport, unsigned>> all;
        abi.forEachFormCost(name, std::nullopt,
                            [&](const MeasuredCost &row) { all.emplace(row.transport, row.processes); });
        abi.forEachFormCost(name, bytes, [&](const MeasuredCost &row) {
          ++settings;
          std::optional<FormCost> same = abi.getFormCost(name, row.transport, row.processes, bytes);
          ASSERT_TRUE(same);
          EXPECT_EQ(same->blocking, row.cost.blocking);
          EXPECT_EQ(same->nonblocking, row.cost.nonblocking);
        });
        EXPECT_EQ(settings, all.size());
      }
}

TEST(ABITest, EagerLimits) {
  const ABI &abi = *ABI::lookup("openmpi4");
  // btl_vader_eager_limit and btl_tcp_eager_limit are 4096 and 65536, headers included.
  ASSERT_TRUE(abi.getEagerLimit(Transport::Shared));
  EXPECT_LE(*abi.getEagerLimit(Transport::Shared), 4096u);
  EXPECT_GE(*abi.getEagerLimit(Transport::Shared), 3900u);
  ASSERT_TRUE(abi.getEagerLimit(Transport::Network));
  EXPECT_LE(*abi.getEagerLimit(Transport::Network), 65536u);
  EXPECT_GE(*abi.getEagerLimit(Transport::Network), 65000u);
  // Any library may implement the standard ABI.
  EXPECT_FALSE(ABI::lookup("mpi-abi")->getEagerLimit(Transport::Shared));
}

TEST(ABITest, UnaidedLimits) {
  const ABI &abi = *ABI::lookup("openmpi4");
  // Blocks up to the eager limit are sent at once. A reduction of two processes has one round; with more processes it
  // has several, which need calls of MPI.
  std::optional<UnaidedLimits> blocks = abi.getUnaidedLimits("MPI_Alltoall");
  ASSERT_TRUE(blocks);
  EXPECT_GE(blocks->ofTwo, 8192);
  EXPECT_LT(blocks->ofTwo, 65536);
  EXPECT_LE(blocks->ofMore, blocks->ofTwo);
  std::optional<UnaidedLimits> sums = abi.getUnaidedLimits("PMPI_Allreduce_c");
  ASSERT_TRUE(sums);
  EXPECT_GE(sums->ofTwo, 8192);
  EXPECT_EQ(sums->ofMore, -1);
  EXPECT_FALSE(abi.getUnaidedLimits("MPI_Send"));
  EXPECT_FALSE(ABI::lookup("mpi-abi")->getUnaidedLimits("MPI_Alltoall"));
}

} // namespace
