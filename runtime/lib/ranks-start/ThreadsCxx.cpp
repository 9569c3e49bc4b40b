// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::thread in a rank (Threads.c has pthread_create): libstdc++ starts the thread inside its library, so this wraps
// the state that it receives to remember the rank.

#include "comm/ranks.h"

#include <memory>
#include <thread>

#ifdef __GLIBCXX__
using State = std::thread::_State;

/// The private std::thread::_M_start_thread.
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

/// Replaces it. The C++ ABI passes the unique_ptr `state` by address.
extern "C" void comm_ranks_std_thread_start(std::thread *thread, std::unique_ptr<State> *state, void (*depend)()) {
  std::unique_ptr<State> carrier(new RankState(std::move(*state), comm_ranks_displacement));
  startThread(thread, &carrier, depend);
}
#endif
