//===- GraphInterfaces.td - Graph op interfaces ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
#define COMM_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def Graph_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let description = [{
    An operation that reads, writes or reduces properties or cells. Analyses query this interface and never check the
    kind of an operation.
  }];
  let cppNamespace = "::comm::graph";
  let methods = [InterfaceMethod<[{
    Returns the operation's own accesses in order, excluding those of operations in its regions.
  }], "::llvm::SmallVector<::comm::graph::Access, 4>", "getAccesses">];
}

#endif // COMM_DIALECT_GRAPH_IR_GRAPHINTERFACES_TD
