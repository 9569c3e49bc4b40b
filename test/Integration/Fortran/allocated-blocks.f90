! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Blocks in allocatable arrays whose sizes are arguments, four MPI_Sendrecv in a row, and the largest change by MAX. At
! -O3 LLVM tests the number of columns within the test of the number of rows, around the sweep and where its maximum is
! stored (BypassForwarders.cpp). All bits are those without Comm, also if there are no rows or no columns.
! REQUIRES: flang
! RUN: %commfort -O3 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O3 -g -fcomm-cost=none -Rcomm %s -o %t 2>&1 | FileCheck %s
! RUN: %mpirun -n 1 %t.off 9 7 | sort > %t.1
! RUN: %mpirun -n 1 %t 9 7 | sort | diff %t.1 -
! RUN: %mpirun -n 4 %t.off 12 5 | sort > %t.4
! RUN: %mpirun -n 4 %t 12 5 | sort | diff %t.4 -
! RUN: %mpirun -n 2 %t.off 0 5 | sort > %t.0
! RUN: %mpirun -n 2 %t 0 5 | sort | diff %t.0 -
! RUN: %mpirun -n 2 %t.off 2 1 | sort > %t.2
! RUN: %mpirun -n 2 %t 2 1 | sort | diff %t.2 -
! CHECK-DAG: splits the loop at allocated-blocks.f90:[[#@LINE+40]]: iterations of 2 nested loops that touch nothing in flight
! CHECK-DAG: splits the loop at allocated-blocks.f90:[[#@LINE+46]]: iterations of 2 nested loops that touch nothing in flight
! CHECK-DAG: MPI_Sendrecv at allocated-blocks.f90:[[#@LINE+33]] overlaps 1 loop
program allocated
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, ranks, comm, west, east, south, north, row, step, i, j, nx, ny
  integer :: dims(2), status(MPI_STATUS_SIZE)
  logical :: periods(2)
  character(len=16) :: argument
  double precision, allocatable :: u(:, :), next(:, :)
  double precision :: change, largest
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  read (argument, *) nx
  call get_command_argument(2, argument)
  read (argument, *) ny
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  dims = 0
  periods = .false.
  call MPI_Dims_create(ranks, 2, dims, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., comm, ierror)
  call MPI_Comm_rank(comm, rank, ierror)
  call MPI_Cart_shift(comm, 0, 1, west, east, ierror)
  call MPI_Cart_shift(comm, 1, 1, south, north, ierror)
  allocate (u(0:nx + 1, 0:ny + 1), next(0:nx + 1, 0:ny + 1))
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = mod(i * 7 + j * 13 + rank * 5, 17) * 0.1d0
    end do
  end do
  next = u
  call MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_commit(row, ierror)
  do step = 1, 20
    call MPI_Sendrecv(u(1, ny), nx, MPI_DOUBLE_PRECISION, north, 0, u(1, 0), nx, MPI_DOUBLE_PRECISION, south, 0, comm, status, ierror)
    call MPI_Sendrecv(u(1, 1), nx, MPI_DOUBLE_PRECISION, south, 1, u(1, ny + 1), nx, MPI_DOUBLE_PRECISION, north, 1, comm, status, ierror)
    call MPI_Sendrecv(u(nx, 1), 1, row, east, 2, u(0, 1), 1, row, west, 2, comm, status, ierror)
    call MPI_Sendrecv(u(1, 1), 1, row, west, 3, u(nx + 1, 1), 1, row, east, 3, comm, status, ierror)
    change = 0
    do j = 1, ny
      do i = 1, nx
        next(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
        change = max(change, abs(next(i, j) - u(i, j)))
      end do
    end do
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierror)
    u(1:nx, 1:ny) = next(1:nx, 1:ny)
    if (rank == 0) print '(A, I4, Z18)', 'largest', step, largest
  end do
  do j = 1, ny
    print '(A, 2I4, *(Z18))', 'column', rank, j, u(1:nx, j)
  end do
  call MPI_Finalize(ierror)
end program
