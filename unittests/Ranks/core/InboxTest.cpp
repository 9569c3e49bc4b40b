// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/Inbox.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace comm::ranks;

namespace {
struct Numbered : Parcel {
  int producer = 0, number = 0;
};

TEST(Inbox, KeepsTheOrderOfOneProducer) {
  Inbox inbox;
  Numbered parcels[3];
  for (int i = 0; i < 3; ++i) {
    parcels[i].number = i;
    EXPECT_FALSE(inbox.push(&parcels[i])) << "nobody sleeps";
  }
  int expected = 0;
  for (Parcel *p = inbox.take(); p; p = p->next)
    EXPECT_EQ(static_cast<Numbered *>(p)->number, expected++);
  EXPECT_EQ(expected, 3);
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.take(), nullptr);
}

TEST(Inbox, LosesNothingOfManyProducers) {
  constexpr int producers = 3, each = 20000;
  Inbox inbox;
  std::vector<std::vector<Numbered>> parcels(producers);
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p) {
    parcels[p].resize(each);
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        parcels[p][i].producer = p;
        parcels[p][i].number = i;
        if (inbox.push(&parcels[p][i]))
          inbox.wake();
      }
    });
  }
  int next[producers] = {}, total = 0;
  while (total < producers * each) {
    Parcel *parcel = inbox.take();
    if (!parcel)
      inbox.sleep(1000);
    while (parcel) {
      auto *numbered = static_cast<Numbered *>(parcel);
      parcel = parcel->next;
      EXPECT_EQ(numbered->number, next[numbered->producer]++);
      ++total;
    }
  }
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Inbox, APushEndsASleep) {
  Inbox inbox;
  Numbered parcel;
  std::thread producer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (inbox.push(&parcel))
      inbox.wake();
  });
  auto start = std::chrono::steady_clock::now();
  while (inbox.empty())
    inbox.sleep(20 * 1000 * 1000);
  auto slept = std::chrono::steady_clock::now() - start;
  producer.join();
  EXPECT_LT(slept, std::chrono::seconds(10));
  EXPECT_EQ(inbox.take(), &parcel);
}
} // namespace
