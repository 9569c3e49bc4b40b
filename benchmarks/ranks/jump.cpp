// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of Boost.Context's jump between two contexts, in nanoseconds.
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace boost::context::detail;

static void other(transfer_t from) {
  for (;;)
    from = jump_fcontext(from.fctx, nullptr);
}

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main() {
  size_t bytes = 64 << 10;
  char *stack = static_cast<char *>(malloc(bytes));
  fcontext_t context = make_fcontext(stack + bytes, bytes, other);
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    int count = 100000;
    double start = now();
    for (int i = 0; i < count; ++i)
      context = jump_fcontext(context, nullptr).fctx;
    double took = (now() - start) / count / 2;
    least = took < least ? took : least;
  }
  std::printf("jump %.1f ns\n", least);
}
