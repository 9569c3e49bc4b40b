! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Columns of arrays of assumed shape, a(:, k), are sent in place: once the procedures are inlined, their descriptors say
! that the columns are contiguous. Rows, a(i, :), are copied as flang says. A red-black sweep whose residual is an
! argument, and a sweep with automatic arrays, overlap with the messages. All bits are those without Comm, also without
! rows or columns.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off 9 7 | sort > %t.1
! RUN: %mpirun -n 1 %t 9 7 | sort | diff %t.1 -
! RUN: %mpirun -n 2 %t.off 12 5 | sort > %t.2
! RUN: %mpirun -n 2 %t 12 5 | sort | diff %t.2 -
! RUN: %mpirun -n 4 %t.off 5 2 | sort > %t.4
! RUN: %mpirun -n 4 %t 5 2 | sort | diff %t.4 -
! RUN: %mpirun -n 2 %t.off 2 1 | sort > %t.3
! RUN: %mpirun -n 2 %t 2 1 | sort | diff %t.3 -
! CHECK-DAG: splits the loop at assumed-sections.f90:[[#@LINE+31]]: iterations that touch nothing in flight need not wait
! CHECK-DAG: splits the loop at assumed-sections.f90:[[#@LINE+44]]: iterations that touch nothing in flight need not wait
module sections
  use iso_fortran_env, only: dp => real64
  implicit none
  include 'mpif.h'
  integer :: rank, ranks
contains
  subroutine exchange(a, ny)
    real(dp), intent(inout) :: a(:, 0:)
    integer, intent(in) :: ny
    integer :: ierror, n, status(MPI_STATUS_SIZE)
    n = size(a, 1)
    if (rank < ranks - 1) call MPI_Send(a(:, ny), n, MPI_DOUBLE_PRECISION, rank + 1, 1, MPI_COMM_WORLD, ierror)
    if (rank > 0) call MPI_Recv(a(:, 0), n, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, status, ierror)
    if (rank > 0) call MPI_Send(a(:, 1), n, MPI_DOUBLE_PRECISION, rank - 1, 2, MPI_COMM_WORLD, ierror)
    if (rank < ranks - 1) call MPI_Recv(a(:, ny + 1), n, MPI_DOUBLE_PRECISION, rank + 1, 2, MPI_COMM_WORLD, status, ierror)
  end subroutine
  ! The first row of all columns: not contiguous.
  subroutine broadcast(a)
    real(dp), intent(inout) :: a(:, :)
    integer :: ierror
    call MPI_Bcast(a(1, :), size(a, 2), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine
  subroutine sweep(a, f, nx, ny, color, omega, residual)
    real(dp), intent(inout) :: a(:, 0:)
    real(dp), intent(in) :: f(:, 0:), omega
    integer, intent(in) :: nx, ny, color
    real(dp), intent(inout) :: residual
    integer :: i, j
    real(dp) :: r
    do j = 1, ny
      do i = 2 + mod(j + color, 2), nx - 1, 2
        r = 0.25_dp * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) - f(i, j)) - a(i, j)
        a(i, j) = a(i, j) + omega * r
        if (abs(r) > residual) residual = abs(r)
      end do
    end do
  end subroutine
  subroutine advect(a, f, nx, ny)
    real(dp), intent(in) :: a(:, 0:)
    real(dp), intent(inout) :: f(:, 0:)
    integer, intent(in) :: nx, ny
    real(dp) :: across(nx - 1), along(nx)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx - 1
        across(i) = 0.5_dp * (a(i, j) + a(i + 1, j))
      end do
      do i = 1, nx
        along(i) = a(i, j + 1) - a(i, j - 1)
      end do
      do i = 2, nx - 1
        f(i, j) = f(i, j) - 0.1_dp * (across(i) - across(i - 1)) + 0.05_dp * along(i)
      end do
    end do
  end subroutine
end module

program assumed
  use sections
  implicit none
  integer :: ierror, nx, ny, i, j, step
  character(len=16) :: argument
  real(dp), allocatable :: u(:, :), f(:, :)
  real(dp) :: residual, largest
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  read (argument, *) nx
  call get_command_argument(2, argument)
  read (argument, *) ny
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (u(nx, 0:ny + 1), f(nx, 0:ny + 1))
  do j = 0, ny + 1
    do i = 1, nx
      u(i, j) = mod(i * 7 + j * 13 + rank * 5, 17) * 0.1_dp
      f(i, j) = mod(i * 5 + j * 3 + rank, 7) * 0.2_dp
    end do
  end do
  do step = 1, 10
    residual = 0
    call exchange(u, ny)
    call sweep(u, f, nx, ny, 0, 1.5_dp, residual)
    call exchange(u, ny)
    call sweep(u, f, nx, ny, 1, 1.5_dp, residual)
    call MPI_Allreduce(residual, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    call exchange(u, ny)
    call advect(u, f, nx, ny)
  end do
  call broadcast(u)
  print '(i2, 3es25.17)', rank, sum(u), sum(f), largest
  call MPI_Finalize(ierror)
end program
