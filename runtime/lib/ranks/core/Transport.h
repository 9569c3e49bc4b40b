// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_RANKS_TRANSPORT_H
#define COMM_RANKS_TRANSPORT_H

namespace comm::ranks {

struct Thread;

/// What carries messages to other processes, as the scheduler sees it.
class Transport {
public:
  /// False in a program of one process: nothing to poll.
  virtual bool active() const = 0;
  /// Looks for what arrived and for what was sent. True if anything happened.
  virtual bool progress(Thread &thread) = 0;
  /// Sends what \p thread holds back (Thread::holding) and has held for long
  /// enough.
  virtual void sendDue(Thread &thread) = 0;
  /// Sends all of it: the thread has nothing else to do.
  virtual void sendHeld(Thread &thread) = 0;
  /// A rank of \p thread leaves the runtime while it holds messages back: it may
  /// not come back for long. Until Lease::takeBack() another one may send them.
  virtual void lendHeld(Thread &thread) = 0;
  /// Called by an idle thread. True if all threads of this process are idle and
  /// no parcel is under way between them; if no other process can send anything
  /// either, reports what each rank waits for and ends the program.
  virtual bool checkForDeadlock() = 0;
  /// Ends the program in all processes.
  [[noreturn]] virtual void abort(int status) = 0;

protected:
  ~Transport() = default;
};

extern Transport &transport;

} // namespace comm::ranks

#endif
