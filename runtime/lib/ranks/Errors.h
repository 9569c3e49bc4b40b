// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Error handlers, classes, codes and strings (MPI-4, 9.3 to 9.5).
#ifndef COMM_RANKS_ERRORS_H
#define COMM_RANKS_ERRORS_H

#include "Abi.h"

namespace comm::ranks {

/// Predefined handlers are constants; the program's are counted.
void retainErrhandler(ABI_Errhandler handle);
void releaseErrhandler(ABI_Errhandler handle);

/// "MPI_ERR_RANK: invalid rank" of a class or code.
const char *errorText(int code);

} // namespace comm::ranks

#endif
