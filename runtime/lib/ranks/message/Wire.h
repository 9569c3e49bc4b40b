// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file What travels between two processes: records one after the other, each a
/// header followed by its data.
#ifndef COMM_RANKS_WIRE_H
#define COMM_RANKS_WIRE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comm::ranks {

/// What goes before the data. Between processes of one machine type.
struct WireHeader {
  enum Kind : int32_t {
    Eager,      ///< the data follow the header
    Announce,   ///< the data come with tag dataTag
    Matched,    ///< answer to a synchronous send: request
    Window,     ///< one-sided communication: a message of its own follows
    State,      ///< deadlock detection: a process's counters
    Ask,        ///< deadlock detection: process 0 wants to know again
    Deadlocked, ///< deadlock detection: report, and end
  };
  int32_t kind = Eager;
  int32_t source = 0, tag = 0; ///< source: rank in the communicator
  int32_t target = 0;          ///< rank in MPI_COMM_WORLD
  int32_t dataTag = 0;
  int16_t synchronous = 0;
  int16_t inPieces = 0; ///< the data are packed bytes, in pieces
  uint64_t context = 0, bytes = 0;
  uint64_t request = 0;   ///< the sender's, for Matched
  int32_t from = 0;       ///< process
  uint32_t dataBytes = 0; ///< bytes of data that follow this header
};

/// Where the next record begins: headers are aligned.
inline size_t recordBytes(size_t dataBytes) { return sizeof(WireHeader) + (dataBytes + 7) / 8 * 8; }

/// Writes a record: recordBytes(header.dataBytes).
inline void writeRecord(char *at, const WireHeader &header, const void *data) {
  memcpy(at, &header, sizeof(header));
  at += sizeof(header);
  if (header.dataBytes)
    memcpy(at, data, header.dataBytes);
  // What fills it up goes onto the network, too.
  if (size_t rest = recordBytes(header.dataBytes) - sizeof(header) - header.dataBytes)
    memset(at + header.dataBytes, 0, rest);
}

} // namespace comm::ranks

#endif
