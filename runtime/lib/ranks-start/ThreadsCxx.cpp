// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::thread of a rank (Threads.c has pthread_create): libstdc++ starts the thread inside its library, so the state
// that it is handed gets a wrapper that knows the rank.

#include "comm/ranks.h"

#include <memory>
#include <thread>

#ifdef __GLIBCXX__
using State = std::thread::_State;

/// std::thread::_M_start_thread, which is private.
extern "C" void startThread(std::thread *thread, std::unique_ptr<State> *state, void (*depend)()) __asm__(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");

namespace {
struct RankState final : State {
  RankState(std::unique_ptr<State> body, ptrdiff_t displacement) : body(std::move(body)), displacement(displacement) {}
  void _M_run() override {
    comm_ranks_displacement = displacement;
    body->_M_run();
  }
  std::unique_ptr<State> body;
  ptrdiff_t displacement;
};
} // namespace

/// In its place: `state` is passed as the C++ ABI passes a unique_ptr by value, by its address.
extern "C" void comm_ranks_std_thread_start(std::thread *thread, std::unique_ptr<State> *state, void (*depend)()) {
  std::unique_ptr<State> carrier(new RankState(std::move(*state), comm_ranks_displacement));
  startThread(thread, &carrier, depend);
}
#endif
