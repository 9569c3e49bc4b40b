// Ops with the defects that the check of examples must detect.
include "mlir/IR/OpBase.td"

def Bad_Dialect : Dialect {
  let name = "bad";
}
def Bad_Undocumented : Op<Bad_Dialect, "undocumented">;
def Bad_UnknownValue : Op<Bad_Dialect, "unknown_value"> {
  let summary = "an op";
  let description = [{
    The example uses a value that nobody defines.

    ```mlir
    bad.unknown_value %unheard_of
    ```
  }];
}
def Bad_Other : Op<Bad_Dialect, "other"> {
  let summary = "an op";
  let description = [{
    The example shows another operation instead.

    ```mlir
    comm.finalize
    ```
  }];
}
