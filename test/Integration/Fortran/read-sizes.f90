! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Sizes that are read: the library has their addresses while it reads one number, but not when ghost columns arrive.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off | sort > %t.1
! RUN: %mpirun -n 1 %t | sort | diff %t.1 -
! RUN: %mpirun -n 2 %t.off | sort > %t.2
! RUN: %mpirun -n 2 %t | sort | diff %t.2 -
! RUN: %mpirun -n 4 %t.off | sort > %t.4
! RUN: %mpirun -n 4 %t | sort | diff %t.4 -
! CHECK-DAG: splits the loop at read-sizes.f90:[[#@LINE+64]]: iterations that touch nothing in flight need not wait
module columns
  use mpi
  implicit none
  double precision :: tolow(100), tohigh(100), fromlow(100), fromhigh(100)
end module
program readsizes
  use columns
  implicit none
  integer :: ierror, rank, ranks, low, high, n, m, steps, step, i, j
  integer :: requests(4), statuses(mpi_status_size, 4)
  double precision, allocatable :: u(:,:), v(:,:)
  character(len=16) :: text

  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  low = merge(rank - 1, mpi_proc_null, rank > 0)
  high = merge(rank + 1, mpi_proc_null, rank + 1 < ranks)
  text = '24 5'
  read (text, *) n, steps
  m = n / ranks
  allocate (u(n, 0:m+1), v(n, 0:m+1))
  u = rank
  v = 0
  do j = 1, m
    do i = 1, n
      u(i, j) = mod(i * 3 + j * 7 + rank, 11)
    end do
  end do
  do step = 1, steps
    call halo(u)
    call sweep(u, v)
    u(:, 1:m) = v(:, 1:m)
  end do
  print '(A,I3,Z17)', 'cells', rank, sum(u(2:n-1, 1:m))
  call mpi_finalize(ierror)
contains
  subroutine halo(a)
    double precision :: a(n, 0:m+1)
    integer :: i
    do i = 1, n
      tolow(i) = a(i, 1)
      tohigh(i) = a(i, m)
    end do
    call mpi_irecv(fromlow, n, mpi_double_precision, low, 0, mpi_comm_world, requests(1), ierror)
    call mpi_irecv(fromhigh, n, mpi_double_precision, high, 1, mpi_comm_world, requests(2), ierror)
    call mpi_isend(tolow, n, mpi_double_precision, low, 1, mpi_comm_world, requests(3), ierror)
    call mpi_isend(tohigh, n, mpi_double_precision, high, 0, mpi_comm_world, requests(4), ierror)
    call mpi_waitall(4, requests, statuses, ierror)
    if (low /= mpi_proc_null) then
      do i = 1, n
        a(i, 0) = fromlow(i)
      end do
    end if
    if (high /= mpi_proc_null) then
      do i = 1, n
        a(i, m + 1) = fromhigh(i)
      end do
    end if
  end subroutine
  subroutine sweep(a, b)
    double precision :: a(n, 0:m+1), b(n, 0:m+1)
    integer :: i, j
    do j = 1, m
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1))
      end do
    end do
  end subroutine
end program
