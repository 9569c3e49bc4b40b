//===- Options.cpp - Options of the plugin --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Comm/MPI/ABI.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

#include <optional>

using namespace llvm;

// Strings instead of enums: for an invalid value, Comm reports its own error instead of letting the compiler exit, and
// the environment is parsed in the same way.
static cl::OptionCategory category("Comm options");
#define GEN_PLUGIN_OPTIONS
#include "Comm/Pipelines/Options.h.inc"
static cl::opt<std::string> ranksLibraryOption("comm-ranks-library", cl::desc("The runtime of ranks, libCommRanks.so"),
                                               cl::value_desc("path"), cl::cat(category));

namespace {
/// A value and where it came from.
struct Setting {
  std::string value;
  std::string where;
};
} // namespace

static std::optional<Setting> lookup(const cl::opt<std::string> &option, const char *variable) {
  if (option.getNumOccurrences())
    return Setting{option, "-mllvm -" + option.ArgStr.str()};
  if (std::optional<std::string> value = sys::Process::GetEnv(variable))
    return Setting{*value, std::string("environment variable ") + variable};
  return std::nullopt;
}

static Error badValue(const Setting &setting, StringRef valid) {
  return createStringError(inconvertibleErrorCode(), "comm: invalid value '" + setting.value + "' for " +
                                                         setting.where + "; valid values are " + valid);
}

static std::optional<bool> parseFlag(StringRef value) {
  return StringSwitch<std::optional<bool>>(value)
      .Cases({"1", "true", "on", "yes"}, true)
      .Cases({"0", "false", "off", "no"}, false)
      .Default(std::nullopt);
}

/// Parses the name of an implementation; "auto" becomes "": the module determines it.
static std::optional<std::string> parseABI(StringRef value) {
  if (value == "auto")
    return "";
  return comm::mpi::ABI::lookup(value) ? std::optional(value.str()) : std::nullopt;
}

/// Parses any text; "off" means none.
static std::optional<std::string> parsePath(StringRef value) { return value == "off" ? "" : value.str(); }

/// Keeps `result` if there is no setting. `bare` is the value of an option without one.
template <typename T>
static Error read(const cl::opt<std::string> &option, const char *variable, StringRef bare,
                  function_ref<std::optional<T>(StringRef)> parse, StringRef valid, T &result) {
  std::optional<Setting> setting = lookup(option, variable);
  if (!setting)
    return Error::success();
  StringRef value = setting->value;
  if (value.empty()) {
    // An empty variable counts as unset.
    if (bare.empty() || !option.getNumOccurrences())
      return Error::success();
    value = bare;
  }
  std::optional<T> parsed = parse(value);
  if (std::optional<bool> isOn = parseFlag(value); !parsed && isOn && !bare.empty())
    parsed = parse(*isOn ? bare : "off");
  if (!parsed)
    return badValue(*setting, valid);
  result = *parsed;
  return Error::success();
}

Expected<comm::PluginOptions> comm::readPluginOptions() {
  PluginOptions options;
#define GEN_PLUGIN_READ
#include "Comm/Pipelines/Options.h.inc"
  auto mode = lookup(modeOption, "COMM_MODE");
  options.modeIsExplicit = mode && !mode->value.empty();
  if (auto setting = lookup(ranksLibraryOption, "COMM_RANKS_LIBRARY"))
    options.ranksLibrary = setting->value;
  // A rank that lets others run makes its own call for that.
  if (options.ranks)
    options.overlap.progress = ProgressMode::Off;
  options.inProcess = sys::Process::GetEnv("COMM_IN_PROCESS").value_or("0") == "1";
  return options;
}
