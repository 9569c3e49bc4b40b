//===- SiteProfile.cpp - Profile lookup for operations --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comm/Analysis/Profile/SiteProfile.h"

#include "Comm/Dialect/Comm/Utils/CallSite.h"
#include "Comm/Dialect/Comm/Utils/Naming.h"

using namespace mlir;
using namespace comm;

SiteProfile::SiteProfile(ModuleOp module, StringRef paths, bool warns) {
  if (!paths.empty())
    profile = report::Profile::load(paths, [&](const std::string &what) {
      if (warns)
        module.emitWarning() << "the profile is ignored: " << what;
    });
}

std::optional<SiteFacts> SiteProfile::lookup(MPIOpInterface op) const {
  if (!profile || profile->empty())
    return std::nullopt;
  SourcePosition position = getSourcePosition(op.getLoc());
  StringRef call = getProgramsCall(op);
  const mpi::Function *function = mpi::lookupFunction(call);
  std::optional<report::Measurement> measured =
      profile->lookup({call, position.file, position.line, position.column, getInlinedAt(op.getLoc())});
  return measured && function ? SiteFacts::make(*measured, *function) : std::nullopt;
}
