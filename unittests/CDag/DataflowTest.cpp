// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comm/CDag/Dataflow.h"
#include "TestUtil.h"

using namespace comm::cdag;

namespace {
/// Returns "src:addr>dst:addr*size ...", in the order of the form.
std::string form(Graph &graph, SingleTransfers &sst) {
  Matching m;
  Error error = matchMessages(graph, m);
  EXPECT_FALSE(error) << error.text;
  propagate(graph, m, 1 << 20, sst);
  std::string text;
  for (const Transfer &t : sst.transfers)
    text += std::to_string(t.src) + ":" + std::to_string(t.srcAddr) + ">" + std::to_string(t.dst) + ":" +
            std::to_string(t.dstAddr) + "*" + std::to_string(t.size) + " ";
  return text;
}
std::string form(Graph &graph) {
  SingleTransfers sst;
  return form(graph, sst);
}
} // namespace

TEST(Dataflow, ForwardedDataHasItsOrigin) {
  Graph graph(3);
  Builder b(graph);
  b.message(0, 0, 1, 100, 8);
  b.message(1, 100, 2, 200, 8);
  EXPECT_EQ(form(graph), "0:0>1:100*8 0:0>2:200*8 ");
}

TEST(Dataflow, SplitOfFigure5) {
  // Own data and received data in one message.
  Graph graph(3);
  Builder b(graph);
  b.message(1, 0, 0, 8, 8);
  b.message(0, 4, 2, 0, 16);
  EXPECT_EQ(form(graph), "1:0>0:8*8 0:4>2:0*4 1:0>2:4*8 0:16>2:12*4 ");
}

TEST(Dataflow, OverwrittenIsGone) {
  Graph graph(3);
  Builder b(graph);
  b.message(0, 0, 2, 0, 16);
  b.message(1, 0, 2, 4, 8);
  EXPECT_EQ(form(graph), "0:0>2:0*4 1:0>2:4*8 0:12>2:12*4 ");
}

TEST(Dataflow, WhatIsSentBeforeIsOld) {
  // Process 1 passes its memory on, then receives over it.
  Graph graph(3);
  Builder b(graph);
  b.message(1, 0, 2, 0, 8);
  b.message(0, 0, 1, 0, 8);
  EXPECT_EQ(form(graph), "0:0>1:0*8 1:0>2:0*8 ");
}

TEST(Dataflow, RestoredAndDead) {
  Graph graph(2);
  Builder b(graph);
  graph.addBuffer(1, 100, 8, "temp", true);
  b.message(0, 0, 1, 100, 8); // dead at the end
  b.message(1, 0, 0, 0, 8);
  b.message(1, 100, 0, 0, 8); // back to where it was
  SingleTransfers sst;
  EXPECT_EQ(form(graph, sst), "");
  ASSERT_EQ(sst.restored.size(), 1u);
  EXPECT_EQ(sst.restored[0].rank, 0u);
}

TEST(Dataflow, ReductionsAreExpressions) {
  Graph graph(2);
  Builder b(graph);
  b.message(0, 0, 1, 100, 16);
  b.reduce(1, 0, 100, 8, Operator::Sum, ElementType::Int64);
  SingleTransfers sst;
  EXPECT_EQ(form(graph, sst), "0:0>1:100*16 ");
  ASSERT_EQ(sst.combined.size(), 1u);
  EXPECT_EQ(sst.combined[0].size, 8u);
  ASSERT_EQ(sst.expressions.size(), 1u);
  EXPECT_EQ(sst.expressions[0].left.id, 0u);
  EXPECT_EQ(sst.expressions[0].right.id, 1u);
}

TEST(Dataflow, EqualExpressionsAreOne) {
  Graph graph;
  PatternOptions options;
  ASSERT_FALSE(generatePattern("allreduce-butterfly", 64, options, graph));
  SingleTransfers sst;
  form(graph, sst);
  EXPECT_EQ(sst.expressions.size(), 63u);
}

TEST(Dataflow, TooLargeIsLeftAlone) {
  Graph graph;
  PatternOptions options;
  ASSERT_FALSE(generatePattern("alltoall-linear", 16, options, graph));
  Matching m;
  ASSERT_FALSE(matchMessages(graph, m));
  SingleTransfers sst;
  propagate(graph, m, 100, sst);
  EXPECT_FALSE(sst.complete);
  EXPECT_TRUE(sst.transfers.empty());
}
