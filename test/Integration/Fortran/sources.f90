! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A receive from the variable of a DO loop is from a process if the loop starts with one, and may be from any source
! otherwise. A wait passes clocks whose differences are summed in Fortran's way: `sum + end - begin`.
! REQUIRES: flang
! RUN: %commfort -O2 -cpp -Rcomm -DFIRST=1 %s -o %t 2> %t.remarks
! RUN: FileCheck %s --input-file=%t.remarks
! RUN: %commfort -O2 -cpp -Rcomm -DFIRST=-1 %s -o %t.any 2>&1 | FileCheck %s --check-prefix=ANY
! RUN: %commfort -O2 -cpp -fcomm-mode=off -DFIRST=1 %s -o %t.off
! RUN: %mpirun -n 1 %t.off > %t.out
! RUN: %mpirun -n 1 %t | diff %t.out -
! RUN: %mpirun -n 4 %t.off > %t.out
! RUN: %mpirun -n 4 %t | diff %t.out -
! CHECK-NOT: may receive from any source
! CHECK-DAG: splits the loop at sources.f90:43
! CHECK-DAG: MPI_Sendrecv at sources.f90:38 overlaps {{[12]}} loop
! CHECK-DAG: MPI_Sendrecv at sources.f90:40 overlaps {{[12]}} loop
! ANY: MPI_Recv may receive from any source
program sources
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 64
  real(8) :: u(n, 0:n + 1), v(n, 0:n + 1), line(n), total, exchanged, begin
  integer :: rank, ranks, up, down, i, j, k, t, ierr, status(MPI_STATUS_SIZE)
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  up = rank + 1
  if (up == ranks) up = MPI_PROC_NULL
  down = rank - 1
  if (down < 0) down = MPI_PROC_NULL
  u = rank + 0.25d0
  v = u
  exchanged = 0
  do t = 1, 10
    begin = MPI_WTIME()

    call MPI_SENDRECV(u(1, n), n, MPI_DOUBLE_PRECISION, up, 1, u(1, 0), n, MPI_DOUBLE_PRECISION, down, 1, &
                      MPI_COMM_WORLD, status, ierr)
    call MPI_SENDRECV(u(1, 1), n, MPI_DOUBLE_PRECISION, down, 2, u(1, n + 1), n, MPI_DOUBLE_PRECISION, up, 2, &
                      MPI_COMM_WORLD, status, ierr)
    exchanged = exchanged + MPI_WTIME() - begin
    do j = 1, n
      do i = 2, n - 1
        v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    u(:, 1:n) = v(:, 1:n)
  end do
  if (rank == 0) then
    total = sum(u(:, 1))
    do k = FIRST, ranks - 1
      call MPI_RECV(line, n, MPI_DOUBLE_PRECISION, k, 3, MPI_COMM_WORLD, status, ierr)
      total = total + sum(line) * k
    end do
    print '(Z16.16)', total
    write (0, *) exchanged
  else
    call MPI_SEND(u(:, 1), n, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, ierr)
  end if
  call MPI_FINALIZE(ierr)
end program
