! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Worksharing loops of flang, whose threads count from 0: one that is split, one that computes sent data, one in which a
! thread keeps its count.
! REQUIRES: flang
! RUN: %commfort -O2 -fopenmp -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fopenmp -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: env OMP_NUM_THREADS=2 %mpirun -n 1 %t.off | sort > %t.1
! RUN: env OMP_NUM_THREADS=2 %mpirun -n 1 %t | sort | diff %t.1 -
! RUN: env OMP_NUM_THREADS=3 %mpirun -n 2 %t.off | sort > %t.2
! RUN: env OMP_NUM_THREADS=3 %mpirun -n 2 %t | sort | diff %t.2 -
! RUN: env OMP_NUM_THREADS=2 %mpirun -n 4 %t.off | sort > %t.4
! RUN: env OMP_NUM_THREADS=2 %mpirun -n 4 %t | sort | diff %t.4 -
! CHECK-DAG: splits the loop at worksharing.f90:[[#@LINE+20]]: iterations that touch nothing in flight need not wait
! CHECK-DAG: splits the loop at worksharing.f90:[[#@LINE+31]]: iterations that touch nothing that is sent or received
! CHECK-NOT: splits the loop at worksharing.f90:[[#@LINE+45]]
module sweeps
  implicit none
  include 'mpif.h'
contains
  subroutine exchange(u, n, m, up, down)
    integer :: n, m, up, down, ierror
    double precision :: u(0:m+1, 0:n+1)
    call mpi_sendrecv(u(0,1), m + 2, mpi_double_precision, up, 0, u(0,n+1), m + 2, mpi_double_precision, down, 0, &
      mpi_comm_world, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(0,n), m + 2, mpi_double_precision, down, 1, u(0,0), m + 2, mpi_double_precision, up, 1, &
      mpi_comm_world, mpi_status_ignore, ierror)
  end subroutine

  subroutine sweep(u, v, n, m, up, down)
    integer :: n, m, up, down, i, j
    double precision :: u(0:m+1, 0:n+1), v(0:m+1, 0:n+1)
    call exchange(u, n, m, up, down)
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, m
        v(i,j) = 0.25d0 * (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
      end do
    end do
    !$omp end parallel do
  end subroutine

  subroutine sent(u, v, n, m, up, down)
    integer :: n, m, up, down, i, j
    double precision :: u(0:m+1, 0:n+1), v(0:m+1, 0:n+1)
    !$omp parallel do private(i)
    do j = 1, n
      do i = 0, m + 1
        u(i,j) = v(i,j) + 3 * j
      end do
    end do
    !$omp end parallel do
    call exchange(u, n, m, up, down)
  end subroutine

  subroutine counted(u, v, marks, n, m, up, down)
    integer :: n, m, up, down, i, j, k, marks(n)
    double precision :: u(0:m+1, 0:n+1), v(0:m+1, 0:n+1)
    k = 5
    call exchange(u, n, m, up, down)
    !$omp parallel do private(i) firstprivate(k)
    do j = 1, n
      do i = 1, m
        v(i,j) = u(i-1,j) + u(i,j-1)
      end do
      marks(j) = k
      k = k + 1
    end do
    !$omp end parallel do
  end subroutine
end module

program worksharing
  use sweeps
  implicit none
  integer, parameter :: n = 24, m = 10
  integer :: ierror, rank, ranks, step, marks(n)
  double precision, allocatable :: u(:,:), v(:,:)
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  allocate(u(0:m+1, 0:n+1), v(0:m+1, 0:n+1))
  u = rank + 1
  v = rank * 2
  do step = 1, 3
    call sweep(u, v, n, m, modulo(rank - 1, ranks), modulo(rank + 1, ranks))
    call sent(u, v, n, m, modulo(rank - 1, ranks), modulo(rank + 1, ranks))
  end do
  call counted(u, v, marks, n, m, modulo(rank - 1, ranks), modulo(rank + 1, ranks))
  print '(a,i0,2z18.16,1x,24i3)', 'rank ', rank, transfer(sum(u), 0_8), transfer(sum(v), 0_8), marks
  call mpi_finalize(ierror)
end program
