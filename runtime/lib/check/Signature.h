// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type signatures (MPI-4.0 section 5.1): the sequence of predefined types that
// a message consists of, as a hash that concatenates.

#ifndef COMM_RUNTIME_CHECK_SIGNATURE_H
#define COMM_RUNTIME_CHECK_SIGNATURE_H

#include <mpi.h>
#include <stdint.h>

namespace comm::runtime {

/// A sequence of predefined types. Equal sequences have equal hashes, however they are composed: four doubles, two
/// pairs of them, a vector.
struct Signature {
  uint64_t hash = 0;
  /// The factor for the hash of a preceding sequence: base to the power of the length.
  uint64_t weight = 1;
  /// The sequence could be determined, and does not contain MPI_PACKED, which matches anything.
  bool known = true;
};

Signature concatenate(const Signature &a, const Signature &b);
Signature repeat(Signature signature, int64_t count);

/// Returns the signature of one element. All integers of one size count as one type, and so do floating-point numbers.
Signature signatureOf(MPI_Datatype type);

} // namespace comm::runtime

#endif // COMM_RUNTIME_CHECK_SIGNATURE_H
