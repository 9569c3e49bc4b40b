//===- SiteFactsTest.cpp - What measurements say of a call ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Profile/SiteFacts.h"

#include "gtest/gtest.h"

using namespace comm;
using report::Durations;
using report::Measurement;
using Verdict = SiteFacts::Verdict;

namespace {

Durations average(double microseconds) { return {10, microseconds, 0, microseconds * 3, microseconds, microseconds}; }

Measurement measurement() {
  Measurement measured;
  measured.executions = 10;
  measured.ranks = 4;
  measured.nodes = 2;
  return measured;
}

std::optional<SiteFacts> make(const Measurement &measured, llvm::StringRef function = "MPI_Bcast") {
  return SiteFacts::make(measured, *mpi::lookupFunction(function));
}

Verdict judge(const Measurement &measured, llvm::StringRef function = "MPI_Bcast") {
  std::optional<SiteFacts> facts = make(measured, function);
  return facts ? facts->judge({1000, 2000}).verdict : Verdict::Unknown;
}

TEST(SiteFacts, WhatSaysNothingOfOtherRuns) {
  Measurement measured = measurement();
  EXPECT_TRUE(make(measured).has_value());
  // Collectives on one node are blocking anyway.
  measured.nodes = 1;
  EXPECT_FALSE(make(measured).has_value());
  EXPECT_TRUE(make(measured, "MPI_Send").has_value());
  EXPECT_TRUE(make(measured, "MPI_Sendrecv").has_value());
  EXPECT_EQ(make(measured, "MPI_Recv")->getTransport(), mpi::Transport::Shared);
  measured.nodes = 0;
  EXPECT_FALSE(make(measured).has_value());
  // No other rank to wait for; never executed.
  measured.nodes = 2;
  measured.ranks = 1;
  EXPECT_FALSE(make(measured, "MPI_Send").has_value());
  measured.ranks = 4;
  measured.executions = 0;
  EXPECT_FALSE(make(measured).has_value());
}

TEST(SiteFacts, BlockingCalls) {
  Measurement measured = measurement();
  EXPECT_EQ(judge(measured), Verdict::Unknown);
  measured.blocking = average(0.9);
  EXPECT_EQ(judge(measured), Verdict::Useless);
  // One rank may wait although the others do not.
  measured.blocking.mostMean = 5;
  EXPECT_EQ(judge(measured), Verdict::Unknown);
  measured.blocking = average(39);
  EXPECT_EQ(judge(measured), Verdict::Unknown);
  measured.blocking = average(41);
  EXPECT_EQ(judge(measured), Verdict::Pays);
}

TEST(SiteFacts, StartsAndWaits) {
  Measurement measured = measurement();
  measured.start = average(1);
  measured.wait = average(2);
  measured.interval = average(500);
  EXPECT_EQ(judge(measured), Verdict::Unknown);
  measured.interval = average(0.5);
  EXPECT_EQ(judge(measured), Verdict::Useless);
  measured.interval = average(500);
  measured.wait = average(50);
  EXPECT_EQ(judge(measured), Verdict::Pays);
}

TEST(SiteFacts, BothForms) {
  Measurement measured = measurement();
  measured.start = average(1);
  measured.wait = average(2);
  measured.interval = average(500);
  measured.blocking = average(3.1);
  EXPECT_EQ(judge(measured), Verdict::Pays);
  measured.blocking = average(2.9);
  EXPECT_EQ(judge(measured), Verdict::Useless);
  EXPECT_EQ(make(measured)->judge({1000, 2000}).why,
            "hides nothing: in the profile its start and wait take 3000 ns on average, and the blocking call 2900 ns");
  // An MPI_Sendrecv has two starts and two waits.
  measured.blocking = average(5.9);
  EXPECT_EQ(judge(measured, "MPI_Sendrecv"), Verdict::Useless);
  measured.blocking = average(6.1);
  EXPECT_EQ(judge(measured, "MPI_Sendrecv"), Verdict::Pays);
}

TEST(SiteFacts, StartsThatWereTheBlockingCall) {
  Measurement measured = measurement();
  measured.start = average(500);
  measured.wait = average(0.1);
  measured.interval = average(900);
  std::optional<SiteFacts> facts = make(measured);
  EXPECT_EQ(facts->getBlocking(), 500000u);
  EXPECT_FALSE(facts->getStarted().has_value());
  EXPECT_EQ(facts->getInterval(), 900000u);
  EXPECT_EQ(judge(measured), Verdict::Pays);
  // By chance slightly less than in the run with blocking calls.
  measured.blocking = average(501);
  EXPECT_EQ(make(measured)->getBlocking(), 500500u);
  // Everything is hidden, and a start that took that long would have been measured.
  measured.blocking = average(5000);
  EXPECT_TRUE(make(measured)->getStarted().has_value());
  measured.start = average(2);
  EXPECT_EQ(make(measured)->getBlocking(), 5000000u);
  // Messages between two processes are never decided at run time.
  measured.start = average(500);
  measured.blocking = {};
  EXPECT_TRUE(make(measured, "MPI_Send")->getStarted().has_value());
}

TEST(SiteFacts, CostsOfTheSettingThatWasMeasured) {
  Measurement measured = measurement();
  measured.bytes = {10, 80, 8, 8};
  const mpi::ABI *abi = mpi::ABI::lookup("openmpi4");
  auto cost = abi->getFormCost("MPI_Bcast", mpi::Transport::Network, 4, 8);
  std::optional<ExtraCost> extra = make(measured)->getExtraCost(abi);
  ASSERT_TRUE(cost && extra);
  EXPECT_EQ(extra->least, cost->getExtra());
  EXPECT_EQ(extra->most, cost->getExtra());
  EXPECT_FALSE(make(measured)->getExtraCost({}).has_value());
}

} // namespace
