! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The module `mpi` for flang: what mpif.h says, without interfaces. Modules that MPI installs are for the compiler that
! MPI was built with.
module mpi
  include 'mpif.h'
end module
