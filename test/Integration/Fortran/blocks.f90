! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Blocks with ghost rows and columns, and the largest change by MAX in the sweep. All bits are those without Comm, also
! where NaN spreads from one corner.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off | sort > %t.1
! RUN: %mpirun -n 1 %t | sort | diff %t.1 -
! RUN: %mpirun -n 4 %t.off | sort > %t.4
! RUN: %mpirun -n 4 %t | sort | diff %t.4 -
! CHECK-DAG: splits the loop at blocks.f90:[[#@LINE+30]]: iterations of 2 nested loops that touch nothing in flight
! CHECK-DAG: MPI_Sendrecv at blocks.f90:[[#@LINE+51]] overlaps 1 loop
program blocks
  implicit none
  include 'mpif.h'
  integer, parameter :: nx = 9, ny = 7
  integer :: ierror, rank, ranks, comm, north, south, east, west, row, step, i, j
  integer :: dims(2)
  logical :: periods(2)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1), change, largest, zero

  call mpi_init(ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  dims = 0
  periods = .false.
  call mpi_dims_create(ranks, 2, dims, ierror)
  call mpi_cart_create(mpi_comm_world, 2, dims, periods, .false., comm, ierror)
  call mpi_comm_rank(comm, rank, ierror)
  call mpi_cart_shift(comm, 0, 1, west, east, ierror)
  call mpi_cart_shift(comm, 1, 1, south, north, ierror)
  call mpi_type_vector(ny, 1, nx + 2, mpi_double_precision, row, ierror)
  call mpi_type_commit(row, ierror)
  u = rank
  v = 0
  zero = 0
  do step = 1, 12
    ! NaN spreads from one corner.
    if (step == 5 .and. rank == 0) u(2, 1) = zero / zero
    call exchange(u, nx, ny)
    change = 0
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1)) + i * j
        change = max(change, abs(v(i, j) - u(i, j)))
      end do
    end do
    call mpi_allreduce(change, largest, 1, mpi_double_precision, mpi_max, comm, ierror)
    u(1:nx, 1:ny) = v(1:nx, 1:ny)
    print '(I2,I3,3Z17)', rank, step, change, largest, sum(u(1:nx, 1:ny), mask = u(1:nx, 1:ny) < 1d9)
  end do
  call mpi_finalize(ierror)

contains

  subroutine exchange(u, nx, ny)
    integer, intent(in) :: nx, ny
    double precision, intent(inout) :: u(0:nx+1, 0:ny+1)
    integer :: ierror
    call mpi_sendrecv(u(1, ny), nx, mpi_double_precision, north, 0, u(1, 0), nx, mpi_double_precision, south, 0, &
                      comm, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(1, 1), nx, mpi_double_precision, south, 1, u(1, ny+1), nx, mpi_double_precision, north, 1, &
                      comm, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(nx, 1), 1, row, east, 2, u(0, 1), 1, row, west, 2, comm, mpi_status_ignore, ierror)
    call mpi_sendrecv(u(1, 1), 1, row, west, 3, u(nx+1, 1), 1, row, east, 3, comm, mpi_status_ignore, ierror)
  end subroutine
end program
