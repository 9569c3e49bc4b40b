// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Messages with rank, source line and call.
#include "core/Rank.h"
#include "core/Transport.h"

#include <cstdarg>
#include <cstdio>
#include <unistd.h>

namespace comm::ranks {

static void print(const Rank *rank, const char *severity, const char *format, va_list arguments) {
  char text[2048];
  size_t at = snprintf(text, sizeof(text), "comm-ranks: %s: ", severity);
  auto add = [&](int more) {
    if (more > 0)
      at = at + more < sizeof(text) - 1 ? at + more : sizeof(text) - 2;
  };
  if (rank)
    add(snprintf(text + at, sizeof(text) - at, "rank %d: ", rank->global));
  const comm_ranks_site *site = nullptr;
  if (rank && thisThread && thisThread->current->rank == rank)
    site = comm_ranks_call_site;
  if (site && site->file)
    add(snprintf(text + at, sizeof(text) - at, "%s:%u: %s: ", site->file, site->line,
                 site->mpi_call ? site->mpi_call : "?"));
  add(vsnprintf(text + at, sizeof(text) - at, format, arguments));
  text[at++] = '\n';
  // A single write, so that messages of several processes do not mix.
  for (size_t done = 0; done < at;) {
    ssize_t wrote = write(STDERR_FILENO, text + done, at - done);
    if (wrote <= 0)
      break;
    done += wrote;
  }
}

void complain(const Rank *rank, const char *severity, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print(rank, severity, format, arguments);
  va_end(arguments);
}

void die(const Rank *rank, int status, const char *format, ...) {
  if (process.aborting.exchange(true)) {
    // Another thread is ending the program; let its message come first.
    for (;;)
      pause();
  }
  // From here on, nobody else calls the underlying MPI for this thread.
  if (thisThread)
    thisThread->enterRuntime();
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  print(rank, "error", format, arguments);
  va_end(arguments);
  transport.abort(status);
}

} // namespace comm::ranks
