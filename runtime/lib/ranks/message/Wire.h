// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The format of messages between two processes: consecutive records, each a header followed by its data.
#ifndef COMM_RANKS_WIRE_H
#define COMM_RANKS_WIRE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace comm::ranks {

/// The header before the data. Only between processes on the same type of machine.
struct WireHeader {
  enum Kind : int32_t {
    Eager,      ///< the data follow the header
    Announce,   ///< the data come with tag dataTag
    Matched,    ///< answer to a synchronous send: request
    Window,     ///< one-sided communication: the data are a WindowMessage
    State,      ///< deadlock detection: a process's counters
    Ask,        ///< deadlock detection: process 0 asks again
    Deadlocked, ///< deadlock detection: report and exit
  };
  int32_t kind = Eager;
  int32_t source = 0, tag = 0; ///< source: rank in the communicator
  int32_t target = 0;          ///< rank in MPI_COMM_WORLD
  int32_t dataTag = 0;
  int16_t synchronous = 0;
  int16_t inPieces = 0; ///< the data are packed bytes, sent in pieces
  uint64_t context = 0, bytes = 0;
  uint64_t request = 0;   ///< the sender's, for Matched
  int32_t from = 0;       ///< process
  uint32_t dataBytes = 0; ///< bytes of data that follow this header
};

/// Returns the size of a record, with padding that aligns the next header.
inline size_t recordBytes(size_t dataBytes) { return sizeof(WireHeader) + (dataBytes + 7) / 8 * 8; }

/// Writes a record of recordBytes(header.dataBytes) bytes.
inline void writeRecord(char *at, const WireHeader &header, const void *data) {
  memcpy(at, &header, sizeof(header));
  at += sizeof(header);
  if (header.dataBytes)
    memcpy(at, data, header.dataBytes);
  // The padding is sent, too.
  if (size_t rest = recordBytes(header.dataBytes) - sizeof(header) - header.dataBytes)
    memset(at + header.dataBytes, 0, rest);
}

} // namespace comm::ranks

#endif
