// Tensors have no memory for messages: programs of linalg on tensors are bufferized first. Bufferization finds the
// necessary copies; allocations and function arguments without aliases show what overlaps.
// RUN: comm-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   -comm-overlap="abi=openmpi4 lower=false cost=none" | FileCheck %s

// The global sum is in flight while the next tensor is computed; the reader of the sum waits.
// CHECK-LABEL: func.func @two_products
// CHECK: linalg.matmul
// CHECK: comm.allreduce async
// CHECK: linalg.matmul
// CHECK: comm.wait
// CHECK: linalg.add
func.func @two_products(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>, %c: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %zero = arith.constant 0.0 : f64
  %world = comm.constant "MPI_COMM_WORLD" : !comm.comm
  %sum = comm.constant "MPI_SUM" : !comm.op
  %empty = tensor.empty() : tensor<64x64xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<64x64xf64>) -> tensor<64x64xf64>
  %mine = linalg.matmul ins(%a, %b : tensor<64x64xf64>, tensor<64x64xf64>) outs(%start : tensor<64x64xf64>) -> tensor<64x64xf64>

  // To the memory of the message, and back.
  %sent = memref.alloc() : memref<64x64xf64>
  %all = memref.alloc() : memref<64x64xf64>
  bufferization.materialize_in_destination %mine in restrict writable %sent : (tensor<64x64xf64>, memref<64x64xf64>) -> ()
  comm.allreduce sendbuf(%sent : memref<64x64xf64>) recvbuf(%all : memref<64x64xf64>) op(%sum) comm(%world)
  %total = bufferization.to_tensor %all restrict : memref<64x64xf64> to tensor<64x64xf64>

  %other = linalg.matmul ins(%b, %c : tensor<64x64xf64>, tensor<64x64xf64>) outs(%start : tensor<64x64xf64>) -> tensor<64x64xf64>
  %result = linalg.add ins(%total, %other : tensor<64x64xf64>, tensor<64x64xf64>) outs(%empty : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %result : tensor<64x64xf64>
}
