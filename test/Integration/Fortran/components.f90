! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fields as allocatable components of a derived type: exchanged by component, computed in dummy arrays of explicit and of
! assumed shape, and swapped by MOVE_ALLOC; buffers in automatic arrays, filled and emptied by array assignments. Counts
! the cells that are computed before the first wait.
! REQUIRES: flang
! RUN: %mpicc -O2 -c %S/../Interiors/Inputs/early.c -o %t.early.o
! RUN: %commfort -O2 -fcomm-mode=off %s %t.early.o -o %t.off
! RUN: %commfort -O2 -fcomm-cost=none -fcomm-errors-are-fatal -fcomm-whole-program %s %t.early.o -o %t
! RUN: %mpirun -n 2 %t | FileCheck %s
! RUN: %mpirun -n 1 %t.off | sed 's/early.*sum/sum/' > %t.1
! RUN: %mpirun -n 1 %t | sed 's/early.*sum/sum/' | diff %t.1 -
! RUN: %mpirun -n 2 %t.off | sed 's/early.*sum/sum/' > %t.2
! RUN: %mpirun -n 2 %t | sed 's/early.*sum/sum/' | diff %t.2 -
! RUN: %mpirun -n 4 %t.off | sed 's/early.*sum/sum/' > %t.4
! RUN: %mpirun -n 4 %t | sed 's/early.*sum/sum/' | diff %t.4 -
! CHECK: component early 180
! CHECK: explicit  early 180
! CHECK: assumed   early 180
! CHECK: automatic early 180
module fields
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer, parameter :: dp = kind(1.0d0)
  type field
    integer :: nx, ny
    real(dp), allocatable :: cells(:,:)
  end type
  interface
    subroutine watch(cells, number) bind(c)
      import
      type(c_ptr), value :: cells
      integer(c_long), value :: number
    end subroutine
    function early() result(number) bind(c)
      import
      integer(c_long) :: number
    end function
  end interface
contains
  subroutine exchange(f, lower, upper)
    type(field), intent(inout) :: f
    integer, intent(in) :: lower, upper
    integer :: ierror
    call mpi_sendrecv(f%cells(0, 1), f%nx + 2, mpi_double_precision, lower, 1, f%cells(0, f%ny + 1), f%nx + 2, &
      mpi_double_precision, upper, 1, mpi_comm_world, mpi_status_ignore, ierror)
    call mpi_sendrecv(f%cells(0, f%ny), f%nx + 2, mpi_double_precision, upper, 2, f%cells(0, 0), f%nx + 2, &
      mpi_double_precision, lower, 2, mpi_comm_world, mpi_status_ignore, ierror)
  end subroutine

  subroutine exchange_packed(a, nx, ny, lower, upper)
    integer, intent(in) :: nx, ny, lower, upper
    real(dp), intent(inout) :: a(0:nx+1, 0:ny+1)
    real(dp) :: to_lower(nx), to_upper(nx), from_lower(nx), from_upper(nx)
    integer :: requests(4), ierror
    from_lower = 0
    from_upper = 0
    call mpi_irecv(from_lower, nx, mpi_double_precision, lower, 1, mpi_comm_world, requests(1), ierror)
    call mpi_irecv(from_upper, nx, mpi_double_precision, upper, 2, mpi_comm_world, requests(2), ierror)
    to_lower = a(1:nx, 1)
    to_upper = a(1:nx, ny)
    call mpi_isend(to_upper, nx, mpi_double_precision, upper, 1, mpi_comm_world, requests(3), ierror)
    call mpi_isend(to_lower, nx, mpi_double_precision, lower, 2, mpi_comm_world, requests(4), ierror)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierror)
    a(1:nx, 0) = from_lower
    a(1:nx, ny+1) = from_upper
  end subroutine

  subroutine sweep(to, from)
    type(field), intent(inout) :: to, from
    integer :: i, j
    do j = 1, from%ny
      do i = 1, from%nx
        to%cells(i, j) = 0.25d0 * (from%cells(i-1, j) + from%cells(i+1, j) + from%cells(i, j-1) + from%cells(i, j+1))
      end do
    end do
  end subroutine

  subroutine sweep_explicit(to, from, nx, ny)
    integer, intent(in) :: nx, ny
    real(dp), intent(inout) :: to(0:nx+1, 0:ny+1)
    real(dp), intent(in) :: from(0:nx+1, 0:ny+1)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        to(i, j) = 0.25d0 * (from(i-1, j) + from(i+1, j) + from(i, j-1) + from(i, j+1))
      end do
    end do
  end subroutine

  subroutine sweep_assumed(to, from, nx, ny)
    integer, intent(in) :: nx, ny
    real(dp), intent(inout) :: to(0:, 0:)
    real(dp), intent(in) :: from(0:, 0:)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        to(i, j) = 0.25d0 * (from(i-1, j) + from(i+1, j) + from(i, j-1) + from(i, j+1))
      end do
    end do
  end subroutine

  subroutine swap(a, b)
    type(field), intent(inout) :: a, b
    real(dp), allocatable :: other(:,:)
    call move_alloc(a%cells, other)
    call move_alloc(b%cells, a%cells)
    call move_alloc(other, b%cells)
  end subroutine
end module

program components
  use fields
  implicit none
  integer, parameter :: columns = 16
  type(field), target :: now, next
  integer :: ierror, rank, ranks, lower, upper, step, width
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  lower = merge(rank - 1, mpi_proc_null, rank > 0)
  upper = merge(rank + 1, mpi_proc_null, rank + 1 < ranks)
  width = 30
  if (command_argument_count() > 0) width = 12

  call begin()
  do step = 1, 3
    call exchange(now, lower, upper)
    call sweep(next, now)
    call swap(now, next)
  end do
  call tell('component')

  call begin()
  do step = 1, 3
    call exchange(now, lower, upper)
    call sweep_explicit(next%cells, now%cells, now%nx, now%ny)
    call swap(now, next)
  end do
  call tell('explicit ')

  call begin()
  do step = 1, 3
    call exchange(now, lower, upper)
    call sweep_assumed(next%cells, now%cells, now%nx, now%ny)
    call swap(now, next)
  end do
  call tell('assumed  ')

  call begin()
  do step = 1, 3
    call exchange_packed(now%cells, now%nx, now%ny, lower, upper)
    call sweep_explicit(next%cells, now%cells, now%nx, now%ny)
    call swap(now, next)
  end do
  call tell('automatic')
  call mpi_finalize(ierror)

contains

  subroutine begin()
    integer :: i, j
    now%nx = width
    now%ny = columns / ranks
    next%nx = now%nx
    next%ny = now%ny
    if (allocated(now%cells)) deallocate(now%cells, next%cells)
    allocate(now%cells(0:now%nx+1, 0:now%ny+1), next%cells(0:now%nx+1, 0:now%ny+1))
    do j = 0, now%ny + 1
      do i = 0, now%nx + 1
        now%cells(i, j) = rank + mod(3 * i + j, 11)
        next%cells(i, j) = now%cells(i, j)
      end do
    end do
    next%cells(1:now%nx, 1:now%ny) = sqrt(-now%cells(1:now%nx, 1:now%ny) - 1)
    call watch(c_loc(next%cells), int(size(next%cells), c_long))
  end subroutine

  subroutine tell(name)
    character(*), intent(in) :: name
    integer(c_long) :: number
    number = early() - 2 * (now%nx + now%ny + 2)
    if (rank == 0) print '(A,A,I0,A,Z17)', name, ' early ', number, ' sum', sum(now%cells(1:now%nx, 1:now%ny))
  end subroutine
end program
