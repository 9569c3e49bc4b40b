! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Jacobi's method with the largest change, as in most programs: MAX takes NaN, so the order of the columns matters. Both
! loops are split, and the bits are those without Comm, even with NaN.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off | sort > %t.1
! RUN: %mpirun -n 1 %t | sort | diff %t.1 -
! RUN: %mpirun -n 2 %t.off | sort > %t.2
! RUN: %mpirun -n 2 %t | sort | diff %t.2 -
! RUN: %mpirun -n 4 %t.off | sort > %t.4
! RUN: %mpirun -n 4 %t | sort | diff %t.4 -
! CHECK-DAG: splits the loop at maximum.f90:[[#@LINE+44]]: iterations that touch nothing in flight need not wait
! CHECK-DAG: MPI_Sendrecv at maximum.f90:[[#@LINE+38]] overlaps 1 loop
! CHECK-DAG: splits the loop at maximum.f90:[[#@LINE+56]]: iterations that touch nothing that is sent or received need no wait, and no start needs them
program maximum
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 24
  integer :: ierror, rank, ranks, left, right, m, step
  double precision, allocatable :: u(:,:), v(:,:)
  double precision :: change, largest, zero

  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  left = merge(rank - 1, mpi_proc_null, rank > 0)
  right = merge(rank + 1, mpi_proc_null, rank + 1 < ranks)
  m = n / ranks
  allocate (u(n, 0:m+1), v(n, 0:m+1))
  u = rank
  v = 0
  zero = 0
  do step = 1, 12
    ! NaN spreads from one corner.
    if (step == 5 .and. rank == 0) u(2, 1) = zero / zero
    call before(u, v, n, m, left, right, change)
    call mpi_allreduce(change, largest, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierror)
    print '(A,I2,I3,2Z17)', 'before', rank, step, change, sum(v(2:n-1, 1:m))
    call after(u, v, n, m, left, right, change)
    print '(A,I2,I3,2Z17)', 'after ', rank, step, change, sum(u(2:n-1, 1:m))
  end do
  call mpi_finalize(ierror)

contains

  subroutine before(u, v, n, m, left, right, change)
    integer, intent(in) :: n, m, left, right
    double precision, intent(inout) :: u(n, 0:m+1), v(n, 0:m+1)
    double precision, intent(out) :: change
    integer :: i, j, ierror
    call mpi_sendrecv(u(1, 1), n, mpi_double_precision, left, 1, u(1, m+1), n, mpi_double_precision, right, 1, &
                      mpi_comm_world, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(1, m), n, mpi_double_precision, right, 2, u(1, 0), n, mpi_double_precision, left, 2, &
                      mpi_comm_world, mpi_status_ignore, ierror)
    change = 0
    do j = 1, m
      do i = 2, n - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
        change = max(change, abs(v(i, j) - u(i, j)))
      end do
    end do
  end subroutine

  subroutine after(u, v, n, m, left, right, change)
    integer, intent(in) :: n, m, left, right
    double precision, intent(inout) :: u(n, 0:m+1), v(n, 0:m+1)
    double precision, intent(out) :: change
    integer :: i, j, ierror
    change = -1
    do j = 1, m
      do i = 2, n - 1
        u(i, j) = 0.25d0 * (v(i-1, j) + v(i+1, j) + v(i, j-1) + v(i, j+1))
        change = max(abs(u(i, j) - v(i, j)), change)
      end do
    end do
    call mpi_sendrecv(u(1, 1), n, mpi_double_precision, left, 3, u(1, m+1), n, mpi_double_precision, right, 3, &
                      mpi_comm_world, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(1, m), n, mpi_double_precision, right, 4, u(1, 0), n, mpi_double_precision, left, 4, &
                      mpi_comm_world, mpi_status_ignore, ierror)
  end subroutine
end program
