// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A user-level thread: a rank, or a nonblocking collective of one.
#ifndef COMM_RANKS_FIBER_H
#define COMM_RANKS_FIBER_H

#include "comm/ranks.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COMM_RANKS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define COMM_RANKS_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define COMM_RANKS_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define COMM_RANKS_TSAN 1
#endif
#ifdef COMM_RANKS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef COMM_RANKS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace comm::ranks {

struct Rank;
struct Request;
struct Comm;
struct Thread;

/// What a blocked fiber waits for; pointers that do not apply are null. Read when a deadlock is reported.
struct Waiting {
  const char *what = nullptr; ///< "a message", "the other ranks of ...".
  const Request *request = nullptr;
  const Comm *comm = nullptr;
  int peer = 0, tag = 0;
  const char *collective = nullptr; ///< its name
};

/// Per-thread state of exceptions in the C++ runtime (the Itanium C++ ABI's __cxa_eh_globals): a rank may block in a
/// handler.
struct ExceptionState {
  void *caught;
  unsigned uncaught;
};

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  Fiber *next = nullptr; ///< in a queue
  Rank *rank = nullptr;
  bool queued = false;  ///< in the ready queue
  bool foreign = false; ///< a thread started by a rank that calls MPI: Entry.h
  int rests = 0;        ///< for a foreign one, since it was woken
  int depth = 0;        ///< nesting of MPI calls, if entries are counted (Entry.h)
  int error = 0;        ///< errno
  ptrdiff_t displacement = 0;
  const comm_ranks_site *site = nullptr;
  ExceptionState exceptions = {nullptr, 0};
  Waiting waiting;
  const char *collective = nullptr; ///< the current one, "MPI_Bcast"
  char *stack = nullptr;            ///< lowest address
  size_t stackBytes = 0;
  void (*entry)(Fiber *) = nullptr; ///< the function that it runs
#ifdef COMM_RANKS_ASAN
  void *fakeStack = nullptr;
#endif
#ifdef COMM_RANKS_TSAN
  void *tsan = nullptr;
#endif
};

} // namespace comm::ranks

#endif
