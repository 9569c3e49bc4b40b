// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMM_CDAG_OPTIONS_H
#define COMM_CDAG_OPTIONS_H

#include "Comm/CDag/Compile.h"

#include <string>

namespace comm::cdag {

struct Options {
  std::string file, pattern, dot, svg;
  uint32_t ranks = 0, root = 0;
  uint32_t maxRanks = 1u << 22;
  uint64_t bytes = 8;
  bool stats = false, verify = false, listPatterns = false, forward = false;
  CompileOptions compile;
};

enum class OptionsResult { Run, Help, Wrong };

/// If the result is Wrong, `error` tells why.
OptionsResult parseOptions(int argc, char **argv, Options &options, std::string &error);
const char *helpText();

} // namespace comm::cdag

#endif
