! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Calls the procedures of assumed-shape.f90.
program assumed
  use, intrinsic :: iso_c_binding
  use shapes
  implicit none
  interface
    subroutine watch(cells, number) bind(c)
      import
      real(c_double) :: cells(*)
      integer(c_long), value :: number
    end subroutine
    integer(c_long) function early() bind(c)
      import
    end function
  end interface
  double precision, allocatable :: u(:,:), v(:,:)
  double precision :: zero
  integer(c_long) :: number
  integer :: nx, ny, ierror, i, j
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  nx = 20 * command_argument_count() + 20
  ny = nx + 10
  zero = nx - 20
  allocate (u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1))
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = mod(i * 7 + j * 3 + rank, 13)
    end do
  end do
  v = zero / zero
  call watch(v, int((nx + 2) * (ny + 2), c_long))
  call step(u, v)
  number = early()
  if (rank == 0) print '(A,I0,A,I0,A)', 'columns: ', number, ' of ', nx * ny, ' before the first wait'
  print '(A,I3,Z17)', 'sum', rank, sum(v(1:nx, 1:ny))
  call mpi_finalize(ierror)
end program
