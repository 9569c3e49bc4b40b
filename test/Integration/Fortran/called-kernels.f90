! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Finite volumes: a pure subroutine finds the flux between two cells of four values. Comm asks for its inlining, and its
! arguments, which do not overlap, are restricted pointers of one iteration (ForgetScopes.cpp). All bits are those
! without Comm.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off 9 | sort > %t.1
! RUN: %mpirun -n 1 %t 9 | sort | diff %t.1 -
! RUN: %mpirun -n 4 %t.off 5 | sort > %t.4
! RUN: %mpirun -n 4 %t 5 | sort | diff %t.4 -
! RUN: %mpirun -n 2 %t.off 1 | sort > %t.one
! RUN: %mpirun -n 2 %t 1 | sort | diff %t.one -
! RUN: %mpirun -n 2 %t.off 2 | sort > %t.2
! RUN: %mpirun -n 2 %t 2 | sort | diff %t.2 -
! CHECK-DAG: splits the loop at called-kernels.f90:[[#@LINE+34]]: iterations that touch nothing in flight
! CHECK-DAG: MPI_Sendrecv at called-kernels.f90:[[#@LINE+70]] overlaps {{[1-9]}} loop
module physics
  implicit none
  integer, parameter :: values = 4
contains
  pure subroutine find_flux(left, right, direction, flux)
    double precision, intent(in) :: left(values), right(values)
    integer, intent(in) :: direction
    double precision, intent(out) :: flux(values)
    double precision :: ul, ur, pl, pr, slowest, fastest
    ul = left(1 + direction) / left(1)
    ur = right(1 + direction) / right(1)
    pl = 0.4d0 * (left(4) - 0.5d0 * (left(2)**2 + left(3)**2) / left(1))
    pr = 0.4d0 * (right(4) - 0.5d0 * (right(2)**2 + right(3)**2) / right(1))
    slowest = min(ul - sqrt(1.4d0 * abs(pl) / left(1)), ur - sqrt(1.4d0 * abs(pr) / right(1)))
    fastest = max(ul + sqrt(1.4d0 * abs(pl) / left(1)), ur + sqrt(1.4d0 * abs(pr) / right(1)))
    if (slowest >= 0) then
      flux = left * ul
      flux(1 + direction) = flux(1 + direction) + pl
    else if (fastest <= 0) then
      flux = right * ur
      flux(1 + direction) = flux(1 + direction) + pr
    else
      flux = (fastest * left * ul - slowest * right * ur + slowest * fastest * (right - left)) / (fastest - slowest)
    end if
  end subroutine find_flux

  subroutine sweep(now, then, nx, ny)
    integer, intent(in) :: nx, ny
    double precision, intent(in) :: now(values, 0:nx + 1, 0:ny + 1)
    double precision, intent(inout) :: then(values, 0:nx + 1, 0:ny + 1)
    double precision :: west(values), east(values), south(values), north(values)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        call find_flux(now(:, i - 1, j), now(:, i, j), 1, west)
        call find_flux(now(:, i, j), now(:, i + 1, j), 1, east)
        call find_flux(now(:, i, j - 1), now(:, i, j), 2, south)
        call find_flux(now(:, i, j), now(:, i, j + 1), 2, north)
        then(:, i, j) = now(:, i, j) - 0.05d0 * (east - west + north - south)
      end do
    end do
  end subroutine sweep
end module physics

program finite_volumes
  use physics
  implicit none
  include 'mpif.h'
  integer, parameter :: nx = 11
  integer :: ierror, rank, ranks, last, next, ny, row, i, j, step, status(MPI_STATUS_SIZE)
  integer(8) :: digest
  character(len=16) :: argument
  double precision, allocatable :: now(:, :, :), then(:, :, :)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, argument)
  read (argument, *) ny
  last = mod(rank + ranks - 1, ranks)
  next = mod(rank + 1, ranks)
  allocate (now(values, 0:nx + 1, 0:ny + 1), then(values, 0:nx + 1, 0:ny + 1))
  do j = 0, ny + 1
    do i = 0, nx + 1
      now(:, i, j) = [1 + 0.1d0 * mod(i * 7 + j + rank, 5), 0.01d0 * mod(i, 3), 0.02d0 * mod(j, 4), 2.5d0]
    end do
  end do
  then = now
  row = values * (nx + 2)
  do step = 1, 4
    call MPI_Sendrecv(now(1, 0, 1), row, MPI_DOUBLE_PRECISION, last, 0, now(1, 0, ny + 1), row, MPI_DOUBLE_PRECISION, &
                      next, 0, MPI_COMM_WORLD, status, ierror)
    call MPI_Sendrecv(now(1, 0, ny), row, MPI_DOUBLE_PRECISION, next, 1, now(1, 0, 0), row, MPI_DOUBLE_PRECISION, &
                      last, 1, MPI_COMM_WORLD, status, ierror)
    call sweep(now, then, nx, ny)
    do j = 1, ny
      do i = 1, nx
        now(:, i, j) = then(:, i, j)
      end do
    end do
  end do
  ! One short line a process: longer output of processes mixes.
  digest = 0
  do j = 0, ny + 1
    do i = 0, nx + 1
      do row = 1, values
        digest = ieor(digest * 31 + ishft(digest, -29), transfer(now(row, i, j), digest))
      end do
    end do
  end do
  print '(i3, 1x, z16.16, 4es25.16)', rank, digest, now(:, 1, 1)
  call MPI_Finalize(ierror)
end program finite_volumes
