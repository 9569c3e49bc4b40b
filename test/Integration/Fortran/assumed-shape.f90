! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module procedures with arrays of assumed shape, whose descriptors have all steps in bytes: the points without a ghost
! neighbor run before the first wait, as in a version by hand. All bits are those without Comm.
! REQUIRES: flang
! RUN: mkdir -p %t.modules
! RUN: %mpicc -O2 -c %S/../Interiors/Inputs/early.c -o %t.early.o
! RUN: %commfort -O2 -fcomm-cost=none -module-dir %t.modules -c %s -o %t.o
! RUN: %commfort -O2 -I%t.modules %S/Inputs/shapes.f90 %t.o %t.early.o -o %t
! RUN: %commfort -O2 -fcomm-mode=off -module-dir %t.modules -c %s -o %t.off.o
! RUN: %commfort -O2 -I%t.modules %S/Inputs/shapes.f90 %t.off.o %t.early.o -o %t.off
! RUN: %mpirun -n 2 %t > %t.out
! RUN: FileCheck %s --input-file=%t.out
! RUN: grep sum %t.out | sort > %t.sums
! RUN: %mpirun -n 2 %t.off | grep sum | sort | diff %t.sums -
!
! In a whole program, descriptors are variables, and what is stored in them is known.
! RUN: cat %s %S/Inputs/shapes.f90 > %t.f90
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm -module-dir %t.modules -c %t.f90 -o %t.whole.o 2>&1 | FileCheck %s --check-prefix=WHOLE
! WHOLE-NOT: depend on each other
! WHOLE: splits the loop
! WHOLE-NOT: depend on each other
!
! 20 * 30 points, of which 20 * 28 have no remote neighbor.
! CHECK-DAG: columns: 560 of 600 before the first wait
module shapes
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, left, right
contains
  subroutine exchange(u)
    double precision, intent(inout) :: u(0:, 0:)
    integer :: nx, ny, ierror, requests(4)
    nx = size(u, 1) - 2
    ny = size(u, 2) - 2
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, left, 0, mpi_comm_world, requests(1), ierror)
    call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, right, 1, mpi_comm_world, requests(2), ierror)
    call mpi_isend(u(1, ny), nx, mpi_double_precision, right, 0, mpi_comm_world, requests(3), ierror)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, left, 1, mpi_comm_world, requests(4), ierror)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierror)
  end subroutine
  subroutine sweep(u, v)
    double precision, intent(in) :: u(0:, 0:)
    double precision, intent(inout) :: v(0:, 0:)
    integer :: i, j
    do j = 1, size(u, 2) - 2
      do i = 1, size(u, 1) - 2
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
  end subroutine
  subroutine step(u, v)
    double precision, intent(inout) :: u(0:, 0:), v(0:, 0:)
    call exchange(u)
    call sweep(u, v)
  end subroutine
end module
