llvm.func @malloc(i32) -> !llvm.ptr
llvm.func @exchange(%buf: !llvm.ptr, %n: i32, %to: i32) {
  %type = comm.constant "MPI_INT" : !comm.datatype
  %c = comm.constant "MPI_COMM_WORLD" : !comm.comm
  comm.sendrecv_replace buf(%buf : !llvm.ptr) count(%n) datatype(%type) dest(%to) sendtag(%to) source(%to) recvtag(%to) comm(%c)
  llvm.return
}
