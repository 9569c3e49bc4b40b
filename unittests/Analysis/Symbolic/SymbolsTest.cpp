//===- SymbolsTest.cpp - Numbers in terms of rank and size -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Symbolic/Symbols.h"

#include "gtest/gtest.h"

#include <random>

using namespace comm;

namespace {
struct SymbolsTest : public ::testing::Test {
  Symbols symbols;
  Poly rank = Poly::of(Symbols::rank), size = Poly::of(Symbols::size), peer = Poly::of(Symbols::peer);
};
} // namespace

TEST_F(SymbolsTest, arithmetic) {
  EXPECT_EQ((rank + Poly(1)) * (rank - Poly(1)), rank * rank - Poly(1));
  EXPECT_TRUE((rank - rank).isZero());
  EXPECT_FALSE(Poly() == Poly());
  EXPECT_FALSE(bool(Poly(INT64_MAX) + Poly(1)));
  EXPECT_FALSE(bool(Poly(INT64_MAX) * rank * Poly(2)));
}

TEST_F(SymbolsTest, hugeExpressionsAreUnknown) {
  Poly sum = rank + size + peer + Poly(1), product(1);
  for (unsigned i = 0; i < 20; ++i)
    product = product * sum;
  EXPECT_FALSE(bool(product));
}

TEST_F(SymbolsTest, bounds) {
  EXPECT_TRUE(symbols.isRank(rank));
  EXPECT_TRUE(symbols.isRank(size - Poly(1) - rank));
  EXPECT_FALSE(symbols.isRank(rank + Poly(1)));
  EXPECT_FALSE(symbols.isNonNegative(size - Poly(2)));
  symbols.minSize = 2;
  EXPECT_TRUE(symbols.isNonNegative(size - Poly(2)));
  EXPECT_FALSE(symbols.isNonNegative(rank * size)); // beyond the precision of bounds
  EXPECT_TRUE(symbols.fits(rank + size, 32));
  EXPECT_FALSE(symbols.fits(rank * Poly(100), 32));
  EXPECT_FALSE(symbols.isUniform(rank));
  EXPECT_TRUE(symbols.isUniform(size * size + Poly(3)));
}

TEST_F(SymbolsTest, remainders) {
  EXPECT_EQ(symbols.mod(rank), rank);
  EXPECT_EQ(symbols.mod(rank + size), rank);
  EXPECT_EQ(symbols.mod(Poly(-1)), size - Poly(1));
  EXPECT_EQ(symbols.mod(symbols.mod(rank + Poly(1)) - Poly(1)), rank);
  EXPECT_EQ(symbols.mod(rank + Poly(1)), symbols.mod(rank + Poly(1) - Poly(3) * size));
  EXPECT_NE(symbols.mod(rank + Poly(1)), rank + Poly(1));
  EXPECT_EQ(symbols.substitute(symbols.mod(rank + peer), Symbols::peer, -rank), Poly(0));
}

// Computations with symbols agree with computations with numbers.
TEST_F(SymbolsTest, randomExpressions) {
  std::mt19937 random(42);
  for (unsigned round = 0; round < 500; ++round) {
    int64_t p = 1 + random() % 9, r = random() % p, q = random() % p;
    auto get = [&](Atom atom) -> std::optional<int64_t> {
      return atom == Symbols::rank ? r : atom == Symbols::size ? p : q;
    };
    std::vector<std::pair<Poly, int64_t>> values{{rank, r}, {size, p}, {peer, q}, {Poly(3), 3}};
    for (unsigned i = 0; i < 6; ++i) {
      auto [a, x] = values[random() % values.size()];
      auto [b, y] = values[random() % values.size()];
      switch (random() % 4) {
      case 0:
        values.emplace_back(a + b, x + y);
        break;
      case 1:
        values.emplace_back(a - b, x - y);
        break;
      case 2:
        values.emplace_back(a * b, x * y);
        break;
      default:
        values.emplace_back(symbols.mod(a), ((x % p) + p) % p);
      }
      auto [value, number] = values.back();
      if (!value) { // too long
        values.pop_back();
        continue;
      }
      ASSERT_EQ(symbols.evaluate(value, get), number) << symbols.toString(value);
      if (symbols.isNonNegative(value)) {
        ASSERT_GE(number, 0) << symbols.toString(value);
      }
      if (symbols.isRank(value)) {
        ASSERT_TRUE(number >= 0 && number < p) << symbols.toString(value);
      }
    }
  }
}
