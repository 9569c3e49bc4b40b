//===- SiteProfile.h - Profile lookup for operations ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_PROFILE_SITEPROFILE_H
#define COMM_ANALYSIS_PROFILE_SITEPROFILE_H

#include "Comm/Analysis/Profile/SiteFacts.h"
#include "Comm/Dialect/Comm/IR/CommInterfaces.h"

#include "mlir/IR/BuiltinOps.h"

namespace comm {

/// Looks up what a profile says about the communications of a module. Operations are identified by the source position
/// of the program's call, whatever passes have made of it. Profiles contain times only, so decisions about legality
/// must not use them.
class SiteProfile {
public:
  /// `paths`: see report::Profile::load. With `warns`, unreadable files cause a warning at the module.
  SiteProfile(mlir::ModuleOp module, llvm::StringRef paths, bool warns = true);

  /// Returns none if nothing is known, which is never an error.
  std::optional<SiteFacts> lookup(MPIOpInterface op) const;

private:
  std::shared_ptr<const report::Profile> profile;
};

} // namespace comm

#endif // COMM_ANALYSIS_PROFILE_SITEPROFILE_H
