// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"
#include "Comm/CDag/Patterns.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace comm::cdag {

const char *helpText() {
  return "usage: comm-cdag [options] FILE\n"
         "       comm-cdag [options] --pattern=NAME --ranks=N\n"
         "\n"
         "Detects collectives in a graph of sends and receives. FILE ('-': "
         "standard input)\n"
         "is a graph in Comm's text form or GOAL; see docs/cdag.md.\n"
         "\n"
         "  --pattern=NAME     a generated graph (see --list-patterns)\n"
         "  --ranks=N          number of its processes\n"
         "  --bytes=N          bytes of one block (default 8)\n"
         "  --root=N           root of rooted patterns (default 0)\n"
         "  --stats            prints one JSON object with counts and times\n"
         "  --verify           runs the graph and the schedule in an "
         "interpreter and compares\n"
         "  --dot=FILE         draws the graph before and after, for Graphviz\n"
         "  --svg=FILE         the same as a picture, by Graphviz's dot\n"
         "  --memory=KIND      contents of messages without an address: "
         "'distinct' bytes\n"
         "                     (default), or 'forward' for received data\n"
         "  --sync=KIND        'keep' synchronization (default), or keep only "
         "'data'\n"
         "  --tau=X            density of vector collectives (default 1)\n"
         "  --no-subsets       detects collectives of all processes only\n"
         "  --reorder-fp       sums of floating-point numbers may be "
         "reordered\n"
         "  --max-ranks=N      largest graph read from a file (default "
         "4194304)\n"
         "  --list-patterns    names of the patterns\n"
         "  --help\n";
}

namespace {

/// A parsed argument "--name=value".
struct Argument {
  std::string name, value;
  bool hasValue;
};

bool toNumber(const std::string &text, uint64_t most, uint64_t &value) {
  if (text.empty() || text.size() > 20)
    return false;
  for (char c : text)
    if (c < '0' || c > '9')
      return false;
  errno = 0;
  unsigned long long parsed = std::strtoull(text.c_str(), nullptr, 10);
  if (errno || parsed > most)
    return false;
  value = parsed;
  return true;
}

/// Returns false if the argument is none of these options. An invalid value sets `error`.
bool parseNumber(const Argument &a, Options &options, std::string &error) {
  uint64_t value = 0, most = kMaxIndex - 1;
  uint32_t *target = a.name == "ranks"       ? &options.ranks
                     : a.name == "root"      ? &options.root
                     : a.name == "max-ranks" ? &options.maxRanks
                                             : nullptr;
  if (a.name == "bytes")
    most = (uint64_t(1) << 63) - 1;
  else if (!target)
    return false;
  if (!toNumber(a.value, most, value))
    error = "--" + a.name + " needs a number of at most " + std::to_string(most) + ", not '" + a.value + "'";
  else if (target)
    *target = uint32_t(value);
  else
    options.bytes = value;
  return true;
}

bool parseChoice(const Argument &a, Options &options, std::string &error) {
  auto choose = [&](const char *off, const char *on, bool &value) {
    if (a.value != off && a.value != on)
      error = "--" + a.name + " is '" + off + "' or '" + on + "', not '" + a.value + "'";
    value = a.value == on;
    return true;
  };
  if (a.name == "memory")
    return choose("distinct", "forward", options.forward);
  if (a.name == "sync") {
    bool data = false;
    choose("keep", "data", data);
    options.compile.sync = data ? SyncPolicy::Data : SyncPolicy::Keep;
    return true;
  }
  if (a.name == "tau") {
    char *end = nullptr;
    options.compile.detect.tau = std::strtod(a.value.c_str(), &end);
    if (a.value.empty() || *end || !(options.compile.detect.tau > 0))
      error = "--tau needs a number above 0, not '" + a.value + "'";
    return true;
  }
  return false;
}

bool parseText(const Argument &a, Options &options) {
  std::string *target = a.name == "pattern" ? &options.pattern
                        : a.name == "dot"   ? &options.dot
                        : a.name == "svg"   ? &options.svg
                                            : nullptr;
  if (target)
    *target = a.value;
  return target;
}

bool parseFlag(const std::string &name, Options &options) {
  if (name == "stats")
    options.stats = true;
  else if (name == "verify")
    options.verify = true;
  else if (name == "list-patterns")
    options.listPatterns = true;
  else if (name == "no-subsets")
    options.compile.detect.subsets = false;
  else if (name == "reorder-fp")
    options.compile.detect.reorderFloatingPoint = true;
  else
    return false;
  return true;
}

std::string check(const Options &options) {
  if (options.listPatterns)
    return "";
  if (options.pattern.empty() == options.file.empty())
    return options.file.empty() ? "a file or --pattern is needed" : "a file and --pattern exclude each other";
  if (options.pattern.empty())
    return "";
  if (!findPattern(options.pattern.c_str()))
    return "no pattern is called '" + options.pattern + "': --list-patterns prints them";
  if (options.ranks == 0)
    return "--pattern needs --ranks of at least 1";
  if (options.root >= options.ranks)
    return "--root must be below --ranks";
  return "";
}

} // namespace

OptionsResult parseOptions(int argc, char **argv, Options &options, std::string &error) {
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    if (text == "--help" || text == "-h")
      return OptionsResult::Help;
    if (text.size() < 3 || text.compare(0, 2, "--") != 0) {
      if (text.size() > 1 && text[0] == '-')
        error = "unknown option '" + text + "'";
      else if (!options.file.empty())
        error = "more than one file";
      options.file = text;
    } else {
      size_t equals = text.find('=');
      Argument a;
      a.hasValue = equals != std::string::npos;
      a.name = text.substr(2, a.hasValue ? equals - 2 : std::string::npos);
      a.value = a.hasValue ? text.substr(equals + 1) : "";
      bool known = a.hasValue
                       ? parseNumber(a, options, error) || parseChoice(a, options, error) || parseText(a, options)
                       : parseFlag(a.name, options);
      if (!known)
        error = "unknown option '" + text + "'";
    }
    if (!error.empty())
      return OptionsResult::Wrong;
  }
  error = check(options);
  return error.empty() ? OptionsResult::Run : OptionsResult::Wrong;
}

} // namespace comm::cdag
