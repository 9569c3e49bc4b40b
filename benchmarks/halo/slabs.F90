! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The heat equation in Fortran: arrays and neighbors in a module, slabs of columns, ghost columns 0 and ny + 1, which
! two MPI_SENDRECV of a subroutine of its own fill, and a copy back at the end of each step.
!
!   slabs [N] [ITERATIONS]     N x N points
module slab
  implicit none
  include 'mpif.h'
  integer :: nx, ny, left, right, rank, ranks
  real(8), allocatable :: u(:, :), v(:, :)
end module

subroutine exchange()
  use slab
  implicit none
  integer :: status(MPI_STATUS_SIZE), ierr
  call MPI_SENDRECV(u(1, 1), nx, MPI_DOUBLE_PRECISION, left, 0, u(1, ny + 1), nx, MPI_DOUBLE_PRECISION, right, 0, &
                    MPI_COMM_WORLD, status, ierr)
  call MPI_SENDRECV(u(1, ny), nx, MPI_DOUBLE_PRECISION, right, 1, u(1, 0), nx, MPI_DOUBLE_PRECISION, left, 1, &
                    MPI_COMM_WORLD, status, ierr)
end subroutine

subroutine relax(first, last)
  use slab
  implicit none
  integer, intent(in) :: first, last
  integer :: i, j
  do j = first, last
    do i = 1, nx
      v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
  end do
end subroutine

subroutine step()
  use slab
  implicit none
#ifdef BY_HAND
  integer :: requests(4), ierr
  call MPI_IRECV(u(1, ny + 1), nx, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_IRECV(u(1, 0), nx, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_ISEND(u(1, 1), nx, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(3), ierr)
  call MPI_ISEND(u(1, ny), nx, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4), ierr)
  call relax(2, ny - 1)
  call MPI_WAITALL(4, requests, MPI_STATUSES_IGNORE, ierr)
  call relax(1, 1)
  if (ny > 1) call relax(ny, ny)
#else
  call exchange()
  call relax(1, ny)
#endif
  u(1:nx, 1:ny) = v(1:nx, 1:ny)
end subroutine

program slabs
  use slab
  implicit none
  integer :: n, iterations, i, j, t, ierr
  integer(8) :: bits, total
  real(8) :: start, seconds, slowest
  character(len=32) :: word
  n = 1024
  iterations = 50
  if (command_argument_count() >= 1) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  if (command_argument_count() >= 2) then
    call get_command_argument(2, word)
    read (word, *) iterations
  end if
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  nx = n
  ny = n / ranks
  left = rank - 1
  if (left < 0) left = MPI_PROC_NULL
  right = rank + 1
  if (right == ranks) right = MPI_PROC_NULL
  allocate (u(0:nx + 1, 0:ny + 1), v(0:nx + 1, 0:ny + 1))
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = mod((rank * ny + j) * 13 + i * 5, 17) / 16.0d0
    end do
  end do
  v = u
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  start = MPI_WTIME()
  do t = 1, iterations
    call step()
  end do
  seconds = MPI_WTIME() - start
  bits = 0
  do j = 1, ny
    do i = 1, nx
      bits = bits + transfer(u(i, j), bits) * 1640531527_8
    end do
  end do
  call MPI_REDUCE(seconds, slowest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  call MPI_REDUCE(bits, total, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) write (*, '(F0.6, 1X, Z16.16)') slowest * 1d3 / iterations, total
  call MPI_FINALIZE(ierr)
end program
