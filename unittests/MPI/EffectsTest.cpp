//===- EffectsTest.cpp - What MPI's functions do to their arguments -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/MPI/Effects.h"

#include "gtest/gtest.h"

using namespace comm::mpi;
using llvm::StringRef;

namespace {

const Function &get(StringRef name) {
  const Function *function = lookupFunction(name);
  EXPECT_TRUE(function) << name.str();
  return *function;
}

const Param &param(const Function &function, StringRef name) {
  int index = function.findParam(name);
  EXPECT_GE(index, 0) << function.name << " " << name.str();
  return function.params()[index];
}

std::string describe(StringRef name, StringRef paramName) {
  const Function &function = get(name);
  const Param &p = param(function, paramName);
  std::string text = forgetsAddress(function, p) ? "forgotten" : "kept";
  if (onlyReads(function, p))
    text += " read";
  if (onlyWrites(function, p))
    text += " written";
  return text;
}

TEST(Effects, Addresses) {
  EXPECT_EQ(describe("MPI_Send", "buf"), "forgotten read");
  EXPECT_EQ(describe("MPI_Recv", "buf"), "forgotten written");
  EXPECT_EQ(describe("MPI_Recv", "status"), "forgotten written");
  EXPECT_EQ(describe("MPI_Bcast", "buffer"), "forgotten");
  EXPECT_EQ(describe("MPI_Comm_rank", "rank"), "forgotten written");
  EXPECT_EQ(describe("MPI_Comm_dup", "newcomm"), "forgotten written");
  EXPECT_EQ(describe("MPI_Type_create_struct", "array_of_displacements"), "forgotten read");
  EXPECT_EQ(describe("MPI_Alltoallv", "sendcounts"), "forgotten read");
  EXPECT_EQ(describe("MPI_Waitall", "array_of_requests"), "forgotten");
  EXPECT_EQ(describe("MPI_Isend", "request"), "forgotten written");
}

TEST(Effects, KeptAddresses) {
  for (auto [function, name] :
       {std::pair("MPI_Isend", "buf"), std::pair("MPI_Send_init", "buf"), std::pair("MPI_Psend_init", "buf"),
        std::pair("MPI_Precv_init", "buf"), std::pair("MPI_Ialltoallv", "recvcounts"),
        std::pair("MPI_Ialltoallw", "sendtypes"), std::pair("MPI_Buffer_attach", "buffer"),
        std::pair("MPI_Get_address", "location"), std::pair("MPI_Win_create", "base"),
        std::pair("MPI_Put", "origin_addr"), std::pair("MPI_File_read_all_begin", "buf"),
        std::pair("MPI_Comm_idup", "newcomm"), std::pair("MPI_Comm_set_attr", "attribute_val")})
    EXPECT_EQ(describe(function, name), "kept") << function;
}

/// With MPI_IN_PLACE the receive buffer holds the contribution.
TEST(Effects, InPlace) {
  for (const char *function : {"MPI_Allreduce", "MPI_Allgather", "MPI_Scan", "MPI_Alltoall", "MPI_Gatherv"})
    EXPECT_EQ(describe(function, "recvbuf"), "forgotten") << function;
}

TEST(Effects, WhatRuns) {
  for (const char *name : {"MPI_Wtime", "MPI_Aint_add", "MPI_Comm_c2f"})
    EXPECT_TRUE(runsNothing(get(name))) << name;
  for (const char *name : {"MPI_Comm_rank", "MPI_Send", "MPI_T_init_thread", "MPI_Finalize"})
    EXPECT_FALSE(runsNothing(get(name))) << name;
  for (const char *name : {"MPI_Comm_rank", "MPI_Send", "MPI_Barrier", "MPI_Type_vector"})
    EXPECT_TRUE(runsOnlyHandlers(get(name))) << name;
  // Operators, attribute callbacks, generalized requests, data representations, an explicitly called handler.
  for (const char *name : {"MPI_Allreduce", "MPI_Comm_free", "MPI_Comm_dup", "MPI_Wait", "MPI_File_read", "MPI_Init",
                           "MPI_Comm_call_errhandler"})
    EXPECT_FALSE(runsOnlyHandlers(get(name))) << name;
}

TEST(Effects, Queries) {
  for (const char *name : {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Cart_shift", "MPI_Cart_coords", "MPI_Get_count"})
    EXPECT_TRUE(isQuery(get(name))) << name;
  for (const char *name : {"MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Iprobe", "MPI_Test", "MPI_Comm_dup",
                           "MPI_Comm_get_attr", "MPI_Win_get_group", "MPI_Initialized", "MPI_Request_get_status",
                           "MPI_Cart_map", "MPI_Graph_map", "MPI_Cart_sub"})
    EXPECT_FALSE(isQuery(get(name))) << name;
  // Queries of a communicator are local (MPI-4, chapters 4, 7 and 8), so messages may move across them.
  std::vector<StringRef> local;
  for (const Function &function : allFunctions())
    if (isQuery(function) && !function.isLocal)
      local.push_back(function.name);
  EXPECT_EQ(local, (std::vector<StringRef>{"MPI_Cart_coords",
                                           "MPI_Cart_get",
                                           "MPI_Cart_rank",
                                           "MPI_Cart_shift",
                                           "MPI_Cartdim_get",
                                           "MPI_Comm_compare",
                                           "MPI_Comm_get_name",
                                           "MPI_Comm_rank",
                                           "MPI_Comm_remote_size",
                                           "MPI_Comm_size",
                                           "MPI_Comm_test_inter",
                                           "MPI_Dist_graph_neighbors",
                                           "MPI_Dist_graph_neighbors_count",
                                           "MPI_Graph_get",
                                           "MPI_Graph_neighbors",
                                           "MPI_Graph_neighbors_count",
                                           "MPI_Graphdims_get",
                                           "MPI_Pack_size",
                                           "MPI_Pack_size_c",
                                           "MPI_Topo_test"}));
}

/// Three sets of functions that involve other processes, each a subset of the previous one.
TEST(Effects, Communication) {
  for (const Function &function : allFunctions()) {
    if (function.hasNonblocking())
      EXPECT_TRUE(isOfExchange(function)) << function.name;
    if (isOfExchange(function) && !function.isLocal)
      EXPECT_TRUE(communicates(function)) << function.name;
  }
  for (StringRef name : {"MPI_Send", "MPI_Allreduce", "MPI_Sendrecv"})
    EXPECT_TRUE(get(name).hasNonblocking()) << name.str();
  for (StringRef name : {"MPI_Isend", "MPI_Wait", "MPI_Testall", "MPI_Start", "MPI_Rput"}) {
    EXPECT_TRUE(isOfExchange(get(name))) << name.str();
    EXPECT_FALSE(get(name).hasNonblocking()) << name.str();
  }
  for (StringRef name : {"MPI_Win_fence", "MPI_Put", "MPI_Comm_spawn", "MPI_File_write"}) {
    EXPECT_TRUE(communicates(get(name))) << name.str();
    EXPECT_FALSE(isOfExchange(get(name))) << name.str();
  }
  for (StringRef name : {"MPI_Comm_rank", "MPI_Get_count", "MPI_Type_commit", "MPI_Wtime"}) {
    EXPECT_FALSE(communicates(get(name))) << name.str();
    EXPECT_FALSE(isOfExchange(get(name))) << name.str();
  }
}

TEST(Effects, Minimums) {
  auto minimum = [](StringRef function, StringRef name) {
    return getMinimum(get(function), get(function).findParam(name));
  };
  EXPECT_EQ(minimum("MPI_Comm_size", "size"), 1);
  EXPECT_EQ(minimum("MPI_Comm_rank", "rank"), 0);
  EXPECT_EQ(minimum("MPI_Group_size", "size"), 0);
  EXPECT_EQ(minimum("MPI_Cartdim_get", "ndims"), 0);
  // MPI_UNDEFINED and MPI_PROC_NULL are negative.
  EXPECT_FALSE(minimum("MPI_Group_rank", "rank"));
  EXPECT_FALSE(minimum("MPI_Cart_shift", "rank_source"));
  EXPECT_FALSE(minimum("MPI_Waitsome", "outcount"));
  EXPECT_FALSE(minimum("MPI_Pack_size", "size"));
}

} // namespace
