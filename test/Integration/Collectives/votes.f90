! The calls of a program in Fortran vote like those of other programs.
! REQUIRES: openmpi, flang
! RUN: %mpicc -O2 -c %S/Inputs/network.c -o %t.network.o
! RUN: env COMM_COST=measured %commfort -O2 -Rcomm %s %t.network.o -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
! REMARK: MPI_Allgather at votes.f90:[[#@LINE+24]] overlaps 1 loop
! RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t | FileCheck %s
! CHECK-DAG: rank 0: started 32
! CHECK-DAG: rank 1: started 32
! Nobody votes where costs do not count.
! RUN: env COMM_COST=none %commfort -O2 %s %t.network.o -o %t.free
! RUN: %brief -n 2 env COMM_ONE_PROGRAM=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 %t.free | FileCheck --check-prefix=FREE %s
! FREE-DAG: rank 0: started 96
program votes
  implicit none
  include 'mpif.h'
  interface
    integer function get_started() bind(C, name="getStarted")
    end function
  end interface
  integer :: ierror, rank, i, j, n, sent, received(8)
  double precision :: values(100)

  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  n = 20 + command_argument_count()
  sent = rank
  values = 0
  do i = 1, 96
    call mpi_allgather(sent, 1, mpi_integer, received, 1, mpi_integer, mpi_comm_world, ierror)
    do j = 1, n
      values(j) = values(j) * 0.5 + 1
    end do
    sent = mod(received(1) + 2 * received(2) + i, 8)
  end do
  print '(A,I2,A,I3)', 'rank', rank, ': started', get_started()
  if (values(1) < 0) print *, values
  call mpi_finalize(ierror)
end program
