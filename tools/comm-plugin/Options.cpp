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

// Strings and not enums: a bad value must be our error, not the compiler's
// exit, and the environment has to be read in the same way.
static cl::OptionCategory category("Comm options");
static cl::opt<std::string> modeOption("comm-mode", cl::desc("Overlap of communication: off, basic, extended"),
                                       cl::value_desc("mode"), cl::cat(category));
static cl::opt<std::string> reportOption("comm-report", cl::ValueOptional,
                                         cl::desc("Measure the overlap intervals at run time"), cl::value_desc("0|1"),
                                         cl::cat(category));
static cl::opt<std::string> checkOption("comm-check", cl::ValueOptional,
                                        cl::desc("Check accesses to buffers in flight at run time"),
                                        cl::value_desc("0|1"), cl::cat(category));
static cl::opt<std::string> timersOption("comm-relax-timers", cl::ValueOptional,
                                         cl::desc("Let communication move across readings of the time"),
                                         cl::value_desc("0|1"), cl::cat(category));
static cl::opt<std::string> detectOption("comm-detect", cl::ValueOptional,
                                         cl::desc("Detect collectives in point-to-point messages"),
                                         cl::value_desc("off|ahead|run-time|all"), cl::cat(category));
static cl::opt<std::string> sumsOption("comm-sums", cl::desc("Floating-point sums that may become nonblocking"),
                                       cl::value_desc("exact|ordered|any"), cl::cat(category));
static cl::opt<std::string> costOption("comm-cost", cl::desc("What decides whether an interval is worth having"),
                                       cl::value_desc("none|measured"), cl::cat(category));
static cl::opt<std::string> abiOption("comm-abi", cl::desc("MPI implementation: auto, or one of lib/MPI/Bindings"),
                                      cl::value_desc("abi"), cl::cat(category));

static cl::opt<std::string> uniformOption("comm-uniform-collectives", cl::ValueOptional,
                                          cl::desc("All ranks call each collective at the same place"),
                                          cl::value_desc("0|1"), cl::cat(category));

static cl::opt<std::string> fatalOption("comm-errors-are-fatal", cl::ValueOptional,
                                        cl::desc("An error in MPI ends the program"), cl::value_desc("0|1"),
                                        cl::cat(category));

static cl::opt<std::string> annotateOption("comm-annotate", cl::ValueOptional,
                                           cl::desc("Tell the optimizer what the standard says of MPI's functions"),
                                           cl::value_desc("0|1"), cl::cat(category));

static cl::opt<std::string> sourcesOption("comm-known-sources", cl::ValueOptional,
                                          cl::desc("A source that is no constant is not MPI_ANY_SOURCE"),
                                          cl::value_desc("0|1"), cl::cat(category));

static cl::opt<std::string> ranksOption("comm-ranks", cl::ValueOptional, cl::desc("Ranks are user-level threads"),
                                        cl::value_desc("0|1"), cl::cat(category));
static cl::opt<std::string> ranksLibraryOption("comm-ranks-library", cl::desc("The runtime of ranks, libCommRanks.so"),
                                               cl::value_desc("path"), cl::cat(category));

namespace {
/// A value and where it was given.
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

static Error readFlag(const cl::opt<std::string> &option, const char *variable, bool &flag) {
  std::optional<Setting> setting = lookup(option, variable);
  if (!setting)
    return Error::success();
  auto value = StringSwitch<std::optional<bool>>(setting->value)
                   .Cases({"1", "true", "on", "yes"}, true)
                   .Cases({"0", "false", "off", "no"}, false)
                   // "-comm-report" alone; an empty variable is as none.
                   .Case("", option.getNumOccurrences() > 0)
                   .Default(std::nullopt);
  if (!value)
    return badValue(*setting, "0 and 1");
  flag = *value;
  return Error::success();
}

Expected<comm::PluginOptions> comm::readPluginOptions() {
  PluginOptions options;
  options.overlap.mode = MotionMode::Extended;
  options.overlap.report = false;
  options.overlap.check = false;
  options.overlap.relaxTimers = false;
  if (auto setting = lookup(modeOption, "COMM_MODE"); setting && !setting->value.empty()) {
    auto mode = StringSwitch<std::optional<MotionMode>>(setting->value)
                    .Case("off", MotionMode::Off)
                    .Case("basic", MotionMode::Basic)
                    .Case("extended", MotionMode::Extended)
                    .Default(std::nullopt);
    if (!mode)
      return badValue(*setting, "off, basic and extended");
    options.overlap.mode = *mode;
    options.modeIsExplicit = true;
  }
  if (auto setting = lookup(abiOption, "COMM_ABI"); setting && !setting->value.empty() && setting->value != "auto") {
    if (!comm::mpi::ABI::lookup(setting->value)) {
      std::string valid = "auto";
      for (const comm::mpi::ABI &abi : comm::mpi::ABI::all())
        valid += ", " + abi.getName().str();
      return badValue(*setting, valid);
    }
    options.overlap.abi = setting->value;
  }
  if (Error error = readFlag(reportOption, "COMM_REPORT", options.overlap.report))
    return error;
  if (Error error = readFlag(checkOption, "COMM_CHECK", options.overlap.check))
    return error;
  if (Error error = readFlag(timersOption, "COMM_RELAX_TIMERS", options.overlap.relaxTimers))
    return error;
  if (auto setting = lookup(detectOption, "COMM_DETECT")) {
    auto mode = StringSwitch<std::optional<DetectMode>>(setting->value)
                    .Cases({"0", "off", "no", "false"}, DetectMode::Off)
                    .Case("ahead", DetectMode::Ahead)
                    .Case("all", DetectMode::All)
                    // What is faster is measured, unless something else is asked for.
                    .Cases({"1", "run-time", "on", "yes", "true"}, DetectMode::RunTime)
                    // "-comm-detect" alone; an empty variable is as none.
                    .Case("", detectOption.getNumOccurrences() > 0 ? DetectMode::RunTime : DetectMode::Off)
                    .Default(std::nullopt);
    if (!mode)
      return badValue(*setting, "off, ahead, run-time and all");
    options.overlap.detect = *mode;
  }
  if (auto setting = lookup(sumsOption, "COMM_SUMS"); setting && !setting->value.empty()) {
    auto order = StringSwitch<std::optional<mpi::SumOrder>>(setting->value)
                     .Case("exact", mpi::SumOrder::Exact)
                     .Case("ordered", mpi::SumOrder::Ordered)
                     .Case("any", mpi::SumOrder::Any)
                     .Default(std::nullopt);
    if (!order)
      return badValue(*setting, "exact, ordered and any");
    options.overlap.sums = *order;
  }
  if (auto setting = lookup(costOption, "COMM_COST"); setting && !setting->value.empty()) {
    auto cost = StringSwitch<std::optional<CostModel>>(setting->value)
                    .Case("none", CostModel::None)
                    .Case("measured", CostModel::Measured)
                    .Default(std::nullopt);
    if (!cost)
      return badValue(*setting, "none and measured");
    options.overlap.cost = *cost;
  }
  if (Error error = readFlag(uniformOption, "COMM_UNIFORM_COLLECTIVES", options.uniformCollectives))
    return error;
  if (Error error = readFlag(fatalOption, "COMM_ERRORS_ARE_FATAL", options.errorsAreFatal))
    return error;
  if (Error error = readFlag(annotateOption, "COMM_ANNOTATE", options.annotate))
    return error;
  if (Error error = readFlag(sourcesOption, "COMM_KNOWN_SOURCES", options.knownSources))
    return error;
  if (Error error = readFlag(ranksOption, "COMM_RANKS", options.ranks))
    return error;
  if (auto setting = lookup(ranksLibraryOption, "COMM_RANKS_LIBRARY"))
    options.ranksLibrary = setting->value;
  options.inProcess = sys::Process::GetEnv("COMM_IN_PROCESS").value_or("0") == "1";
  return options;
}
