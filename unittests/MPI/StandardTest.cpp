//===- StandardTest.cpp - The tables of the MPI standard ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Standard.h"

#include "gtest/gtest.h"

#include <string>

using namespace comm::mpi;
using llvm::StringRef;

namespace {

const Function &get(StringRef name) {
  const Function *function = lookupFunction(name);
  EXPECT_NE(function, nullptr) << name.str();
  return *function;
}

const Param &param(StringRef function, StringRef name) {
  const Function &f = get(function);
  int index = f.findParam(name);
  EXPECT_GE(index, 0) << function.str() << " " << name.str();
  return f.params()[index];
}

TEST(Standard, SortedAndFound) {
  llvm::ArrayRef<Function> all = allFunctions();
  ASSERT_GT(all.size(), 500u);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0)
      EXPECT_LT(StringRef(all[i - 1].name), StringRef(all[i].name));
    EXPECT_EQ(lookupFunction(all[i].name), &all[i]);
    EXPECT_TRUE(isReservedName(all[i].name)) << all[i].name;
  }
}

/// Query properties that order and memory rules need, for calls and ops alike.
TEST(Standard, OnlyAsks) {
  for (const char *name : {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Type_size", "MPI_Get_count", "MPI_Error_class",
                           "MPI_Comm_compare", "MPI_Group_rank"})
    EXPECT_TRUE(get(name).onlyAsks()) << name;
  for (const char *name :
       {"MPI_Type_dup", "MPI_Type_contiguous", "MPI_Type_commit", "MPI_Comm_group", "MPI_Group_incl", "MPI_Info_create",
        "MPI_Buffer_attach", "MPI_Comm_set_errhandler", "MPI_Reduce_local", "MPI_Wtime"})
    EXPECT_FALSE(get(name).onlyAsks()) << name;
}

bool keeps(StringRef function, StringRef name) {
  const Function &f = get(function);
  int index = f.findParam(name);
  EXPECT_GE(index, 0) << function.str() << " " << name.str();
  return f.keepsAddress(index);
}

TEST(Standard, KeptAddresses) {
  for (auto [function, param] :
       {std::pair("MPI_Buffer_attach", "buffer"), std::pair("MPI_Buffer_detach", "buffer_addr"),
        std::pair("MPI_Get_address", "location"), std::pair("MPI_Win_create", "base"),
        std::pair("MPI_Put", "origin_addr"), std::pair("MPI_Isend", "buf"), std::pair("MPI_Send_init", "buf"),
        std::pair("MPI_Psend_init", "buf"), std::pair("MPI_Ialltoallw", "sendcounts"),
        std::pair("MPI_File_write_all_begin", "buf"), std::pair("MPI_File_write_all_end", "buf"),
        std::pair("MPI_Comm_set_attr", "attribute_val"), std::pair("MPI_Grequest_start", "extra_state"),
        std::pair("MPI_Alloc_mem", "baseptr")})
    EXPECT_TRUE(keeps(function, param)) << function << " " << param;
  for (auto [function, param] :
       {std::pair("MPI_Send", "buf"), std::pair("MPI_Recv", "buf"), std::pair("MPI_Recv", "status"),
        std::pair("MPI_Allreduce", "recvbuf"), std::pair("MPI_Alltoallw", "sendcounts"),
        std::pair("MPI_Isend", "request"), std::pair("MPI_Comm_split", "newcomm"), std::pair("MPI_Send", "dest"),
        std::pair("MPI_Mrecv", "buf")})
    EXPECT_FALSE(keeps(function, param)) << function << " " << param;
  EXPECT_TRUE(get("MPI_Send").keepsAddress(99));
}

TEST(Standard, ReachesBeyondArguments) {
  for (const char *name :
       {"MPI_Buffer_attach", "MPI_Buffer_detach", "MPI_Start", "MPI_Startall", "MPI_Request_free", "MPI_Wait",
        "MPI_Cancel", "MPI_Send_init", "MPI_Comm_free", "MPI_Type_dup", "MPI_Comm_dup", "MPI_Comm_call_errhandler"})
    EXPECT_TRUE(get(name).reachesBeyondArguments()) << name;
  for (const char *name : {"MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Bcast", "MPI_Alltoallw", "MPI_Reduce_local",
                           "MPI_Neighbor_alltoallv", "MPI_Comm_rank", "MPI_Probe", "MPI_Mprobe"})
    EXPECT_FALSE(get(name).reachesBeyondArguments()) << name;
}

/// Exactly the functions by which a program can observe when another process started a message.
TEST(Standard, ObservesStarts) {
  for (const char *name : {"MPI_Test",
                           "MPI_Testall",
                           "MPI_Testany",
                           "MPI_Testsome",
                           "MPI_Waitany",
                           "MPI_Waitsome",
                           "MPI_Request_get_status",
                           "MPI_Iprobe",
                           "MPI_Improbe",
                           "MPI_Parrived",
                           "MPI_Cancel",
                           "MPI_Ssend",
                           "MPI_Issend",
                           "MPI_Ssend_init",
                           "MPI_Ssend_c",
                           "MPI_Bsend",
                           "MPI_Ibsend",
                           "MPI_Bsend_init",
                           "MPI_Rsend",
                           "MPI_Irsend",
                           "MPI_Rsend_init"})
    EXPECT_TRUE(get(name).observesStarts()) << name;
  for (const char *name : {"MPI_Wait",      "MPI_Waitall",      "MPI_Send",       "MPI_Isend",
                           "MPI_Recv",      "MPI_Irecv",        "MPI_Sendrecv",   "MPI_Mrecv",
                           "MPI_Probe",     "MPI_Mprobe",       "MPI_Imrecv",     "MPI_Start",
                           "MPI_Startall",  "MPI_Request_free", "MPI_Pready",     "MPI_Grequest_complete",
                           "MPI_Allreduce", "MPI_Get_count",    "MPI_Cart_shift", "MPI_Win_test"})
    EXPECT_FALSE(get(name).observesStarts()) << name;
  EXPECT_EQ(get("MPI_Recv").findSource(), 3);
  EXPECT_EQ(get("MPI_Status_get_source").findSource(), -1);
}

TEST(Standard, LinkerNames) {
  for (const char *name : {"MPI_Waitany", "PMPI_Waitany", "mpi_waitany_", "pmpi_waitany_", "mpi_waitany__",
                           "mpi_waitany_f08_", "\1mpi_waitany"})
    EXPECT_EQ(lookupLinkerName(name), &get("MPI_Waitany")) << name;
  for (const char *name : {"MPI_Waitanybody", "waitany", "my_mpi_waitany_", ""})
    EXPECT_EQ(lookupLinkerName(name), nullptr) << name;
}

TEST(Standard, MayNotReturn) {
  for (const char *name : {"MPI_Abort", "MPI_Comm_call_errhandler", "MPI_Win_call_errhandler"})
    EXPECT_TRUE(get(name).mayNotReturn) << name;
  for (const char *name : {"MPI_Error_class", "MPI_Error_string", "MPI_Send", "MPI_Finalize"})
    EXPECT_FALSE(get(name).mayNotReturn) << name;
}

TEST(Standard, LookupOfNonsense) {
  for (const char *name : {"", "MPI", "MPI_", "MPI_send", "mpi_send", "MPI_Sen", "MPI_Sendd", "zzz", "A", " MPI_Send",
                           "PMPI_Send", "MPI_Zzz", "\xff\xff"})
    EXPECT_EQ(lookupFunction(name), nullptr) << name;
  EXPECT_EQ(lookupFunction(StringRef("MPI_Send\0x", 10)), nullptr);
  EXPECT_EQ(lookupFunction(std::string(1 << 16, 'M')), nullptr);
}

TEST(Standard, ReservedNames) {
  for (const char *name : {"MPI_Send", "PMPI_Send", "MPI_Not_a_function", "MPI_T_init_thread", "MPI_Type_size",
                           "\1MPI_Send", "mpi_send_", "pmpi_send_"})
    EXPECT_TRUE(isReservedName(name)) << name;
  for (const char *name : {"", "P", "MPI_", "PMPI_", "MPI_lower", "MPIX_Send", "my_MPI_Send", "QMPI_Send", "MPI_1"})
    EXPECT_FALSE(isReservedName(name)) << name;
}

TEST(Standard, Pairs) {
  for (auto [blocking, nonblocking] :
       {std::pair("MPI_Send", "MPI_Isend"), std::pair("MPI_Recv", "MPI_Irecv"),
        std::pair("MPI_Allreduce", "MPI_Iallreduce"), std::pair("MPI_Sendrecv", "MPI_Isendrecv"),
        std::pair("MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw"), std::pair("MPI_Mrecv", "MPI_Imrecv"),
        std::pair("MPI_Barrier", "MPI_Ibarrier")}) {
    EXPECT_STREQ(get(blocking).nonblocking, nonblocking);
    EXPECT_STREQ(get(nonblocking).blocking, blocking);
    EXPECT_TRUE(get(blocking).hasNonblocking());
    EXPECT_FALSE(get(nonblocking).hasNonblocking());
  }
  // The names suggest a nonblocking form, but these have a flag or do not communicate.
  for (const char *alone : {"MPI_Probe", "MPI_Mprobe", "MPI_Init", "MPI_Wait", "MPI_Comm_rank", "MPI_Iprobe"}) {
    EXPECT_FALSE(get(alone).hasNonblocking()) << alone;
    EXPECT_STREQ(get(alone).blocking, "") << alone;
  }
}

TEST(Standard, EveryPairIsMutualAndDiffersByRequestAndStatus) {
  unsigned pairs = 0;
  for (const Function &f : allFunctions()) {
    if (!f.hasNonblocking())
      continue;
    ++pairs;
    const Function &other = get(f.nonblocking);
    EXPECT_STREQ(other.blocking, f.name);
    EXPECT_GE(other.findRole(Role::Request, Direction::Out), 0) << other.name;
    for (const Param &p : f.params())
      if (p.role != Role::Status)
        EXPECT_GE(other.findParam(p.name), 0) << f.name << " " << p.name;
  }
  EXPECT_GT(pairs, 40u);
}

TEST(Standard, LargeCounts) {
  EXPECT_STREQ(get("MPI_Send").large, "MPI_Send_c");
  EXPECT_STREQ(get("MPI_Barrier").large, "");
  EXPECT_STREQ(param("MPI_Send", "count").cType, "int");
  EXPECT_STREQ(param("MPI_Send_c", "count").cType, "MPI_Count");
  EXPECT_STREQ(get("MPI_Send_c").nonblocking, "MPI_Isend_c");
}

TEST(Standard, Roles) {
  EXPECT_EQ(param("MPI_Send", "buf").role, Role::Buffer);
  EXPECT_EQ(param("MPI_Send", "buf").direction, Direction::In);
  EXPECT_FALSE(param("MPI_Send", "buf").writes());
  EXPECT_EQ(param("MPI_Recv", "buf").direction, Direction::Out);
  EXPECT_FALSE(param("MPI_Recv", "buf").reads());
  EXPECT_EQ(param("MPI_Bcast", "buffer").direction, Direction::InOut);
  EXPECT_EQ(param("MPI_Send", "dest").role, Role::Rank);
  EXPECT_EQ(param("MPI_Send", "tag").role, Role::Tag);
  EXPECT_EQ(param("MPI_Reduce", "op").role, Role::Op);
  EXPECT_EQ(param("MPI_Wait", "status").role, Role::Status);
  EXPECT_EQ(param("MPI_Mrecv", "message").role, Role::Message);
  EXPECT_EQ(param("MPI_Test", "flag").role, Role::Logical);
  EXPECT_EQ(param("MPI_Put", "win").role, Role::Win);
  EXPECT_TRUE(param("MPI_Waitall", "array_of_requests").isArray);
  EXPECT_FALSE(param("MPI_Wait", "request").isArray);
  EXPECT_TRUE(param("MPI_Status_c2f", "f_status").isArray); // several numbers, although C writes `MPI_Fint *`
  EXPECT_FALSE(param("MPI_Status_c2f", "f_status").isScalarOut());
  EXPECT_TRUE(param("MPI_Isend", "buf").isAsync);
  EXPECT_FALSE(param("MPI_Send", "buf").isAsync);
  EXPECT_TRUE(param("MPI_Ialltoallv", "recvcounts").isAsync);
}

TEST(Standard, ScalarsOut) {
  EXPECT_TRUE(param("MPI_Comm_rank", "rank").isScalarOut());
  EXPECT_TRUE(param("MPI_Comm_split", "newcomm").isScalarOut());
  EXPECT_TRUE(param("MPI_Recv", "status").isScalarOut());
  EXPECT_FALSE(param("MPI_Recv", "buf").isScalarOut());
  EXPECT_FALSE(param("MPI_Waitall", "array_of_statuses").isScalarOut());
  EXPECT_FALSE(param("MPI_Wait", "request").isScalarOut());
  EXPECT_FALSE(param("MPI_Send", "dest").isScalarOut());
}

TEST(Standard, WhatDescribesABuffer) {
  auto described = [](StringRef function, StringRef buffer) {
    const Function &f = get(function);
    unsigned index = f.findParam(buffer);
    auto name = [&](int i) { return i < 0 ? std::string("none") : std::string(f.params()[i].name); };
    return name(f.countOf(index)) + " " + name(f.datatypeOf(index));
  };
  EXPECT_EQ(described("MPI_Send", "buf"), "count datatype");
  EXPECT_EQ(described("MPI_Allreduce", "sendbuf"), "count datatype");
  EXPECT_EQ(described("MPI_Allreduce", "recvbuf"), "count datatype");
  EXPECT_EQ(described("MPI_Gather", "sendbuf"), "sendcount sendtype");
  EXPECT_EQ(described("MPI_Gather", "recvbuf"), "recvcount recvtype");
  EXPECT_EQ(described("MPI_Sendrecv", "recvbuf"), "recvcount recvtype");
  EXPECT_EQ(described("MPI_Alltoallw", "sendbuf"), "sendcounts sendtypes");
  EXPECT_EQ(described("MPI_Reduce_scatter", "sendbuf"), "recvcounts datatype");
}

TEST(Standard, Locality) {
  EXPECT_TRUE(get("MPI_Type_size").isLocal);
  EXPECT_TRUE(get("MPI_Wtime").isLocal);
  EXPECT_FALSE(get("MPI_Send").isLocal);
  EXPECT_FALSE(get("MPI_Init").isLocal);
  EXPECT_FALSE(get("MPI_Wait").isLocal);
  EXPECT_TRUE(get("MPI_Wtime").isTime);
  EXPECT_FALSE(get("MPI_Send").isTime);
  EXPECT_TRUE(get("MPI_Send").returnsErrorCode);
  EXPECT_FALSE(get("MPI_Wtime").returnsErrorCode);
  EXPECT_FALSE(get("MPI_Comm_toint").returnsErrorCode); // returns an int that is not an error code
  EXPECT_TRUE(get("MPI_Comm_free").mayCallBack);
  EXPECT_TRUE(get("MPI_Comm_dup").mayCallBack);
  EXPECT_TRUE(get("MPI_Op_create").mayCallBack);
  EXPECT_FALSE(get("MPI_Send").mayCallBack);
  EXPECT_FALSE(get("MPI_Comm_rank").mayCallBack);
}

TEST(Standard, OneSided) {
  for (const char *name : {"MPI_Put", "MPI_Rget", "MPI_Win_create", "MPI_Win_fence", "MPI_Win_free", "MPI_Win_sync"})
    EXPECT_TRUE(get(name).isOneSided()) << name;
  for (const char *name : {"MPI_Send", "MPI_Alloc_mem", "MPI_Barrier", "MPI_Init"})
    EXPECT_FALSE(get(name).isOneSided()) << name;
  const Function &create = get("MPI_Win_create");
  EXPECT_TRUE(create.params()[create.findParam("win")].isScalarOut());
  // The target's count does not describe a buffer of the origin.
  EXPECT_EQ(get("MPI_Put").countOf(0), get("MPI_Put").findParam("origin_count"));
}

TEST(Standard, FindNothing) {
  const Function &f = get("MPI_Send");
  EXPECT_EQ(f.findParam("nonsense"), -1);
  EXPECT_EQ(f.findParam(""), -1);
  EXPECT_EQ(f.findRole(Role::Win, Direction::In), -1);
  EXPECT_EQ(f.findAfter(100, Role::Count), -1);
  EXPECT_TRUE(get("MPI_Finalize").params().empty());
}

} // namespace
