// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects/Keyvals.h"

namespace comm::ranks {

// Start after the predefined keyvals.
CommKeyvals commKeyvals(0x10000);
TypeKeyvals typeKeyvals(0x4000000);
WindowKeyvals windowKeyvals(0x8000000);

int copyAttributes(ABI_Comm old, const Attributes *from, Attributes *&to) { return commKeyvals.copyAll(old, from, to); }
int copyAttributes(ABI_Datatype old, const Attributes *from, Attributes *&to) {
  return typeKeyvals.copyAll(old, from, to);
}
int deleteAttributes(ABI_Comm handle, Attributes *&attributes) { return commKeyvals.removeAll(handle, attributes); }
int deleteAttributes(ABI_Datatype handle, Attributes *&attributes) { return typeKeyvals.removeAll(handle, attributes); }

} // namespace comm::ranks
