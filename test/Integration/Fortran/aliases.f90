! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Buffers under other names: EQUIVALENCE and COMMON.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
program aliases
  implicit none
  include 'mpif.h'
  integer, parameter :: nbig = 4000, nsmall = 300
  real(kind=8) :: a(nbig), ea(nbig), b(nbig), eb(nbig), sh(nbig+100), big(2*nbig)
  integer(kind=8) :: ib(nbig)
  equivalence (a(1), ea(1))
  equivalence (b(1), eb(1), ib(1)), (b(101), sh(1))
  real(kind=8) :: c(nbig), d(nbig)
  common /blk/ c, d
  integer :: me, np, left, right, ierr, rounds, r, n, i, nerr, req(2), status(MPI_STATUS_SIZE)
  real(kind=8) :: csum, before
  real(kind=8), external :: val
  real(kind=8) :: halves(2,nbig)
  equivalence (halves(1,1), big(1))
  logical :: late
  character(len=8) :: arg

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, np, ierr)
  rounds = 8
  if (command_argument_count() > 0) then
     call get_command_argument(1, arg)
     read(arg,*) rounds
  end if
  left = me - 1; right = me + 1
  if (np == 1) then
     left = MPI_PROC_NULL; right = MPI_PROC_NULL
  else
     if (left < 0) left = np - 1
     if (right == np) right = 0
  end if
  nerr = 0; csum = 0.0d0
  sh = 0.0d0; d = 0.0d0
  do r = 1, rounds
     n = merge(nbig, nsmall, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: blocking, buffer a == ea, b == eb == ib == sh
     do i = 1, n
        a(i) = -9.0d0
        b(i) = r
     end do
     call skew(late)
     before = 0.0d0
     if (mod(me,2) == 0) then
        do i = 1, n
           ea(i) = val(me, r, i)              ! the data, by the other name
        end do
        call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        do i = 1, n
           ea(i) = -1.0d0
        end do
        do i = 1, n
           before = before + eb(i)            ! old contents of the receive buffer
        end do
        call MPI_RECV(b, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
     else
        do i = 1, n
           before = before + eb(i)
        end do
        call MPI_RECV(b, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
        if (ib(n) /= transfer(val(left, r, n), 1_8)) nerr = nerr + 1
        do i = 1, n
           ea(i) = val(me, r, i)
        end do
        call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        do i = 1, n
           ea(i) = -1.0d0
        end do
     end if
     if (before /= dble(r)*n) nerr = nerr + 1
     if (np > 1) then
        if (ib(1) /= transfer(val(left, r, 1), 1_8)) nerr = nerr + 1
        do i = 101, n
           if (sh(i-100) /= val(left, r, i)) nerr = nerr + 1
        end do
     end if
     do i = 1, n
        csum = csum + eb(i)
     end do

     ! ---- 2: nonblocking; sent from one half of big, written through halves
     do i = 1, n
        big(i) = val(me, r, i) + 0.5d0
     end do
     call MPI_IRECV(big(nbig+1), n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, req(1), ierr)
     call skew(.not. late)
     call MPI_ISEND(big, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, req(2), ierr)
     call MPI_WAIT(req(2), status, ierr)
     do i = 1, n/2
        halves(1,i) = -2.0d0
        halves(2,i) = -3.0d0
     end do
     call MPI_WAIT(req(1), status, ierr)
     if (np > 1) then
        do i = 1, n/2
           if (halves(1, nbig/2+i) /= val(left, r, 2*i-1) + 0.5d0) nerr = nerr + 1
           if (halves(2, nbig/2+i) /= val(left, r, 2*i) + 0.5d0) nerr = nerr + 1
        end do
     end if

     ! ---- 3: COMMON under other names in the callee
     call fill_blk(me, r, n)
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(c, n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, ierr)
        call spoil_blk(n)
        call MPI_RECV(d, n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(d, n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(c, n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, ierr)
        call spoil_blk(n)
     end if
     call check_blk(left, r, n, np, nerr, csum)
     call wipe_blk(n)

     ! ---- 4: sendrecv with both buffers in one EQUIVALENCE group, then reduce in place under the alias
     do i = 1, n
        big(i) = val(me, r, i)
     end do
     call MPI_SENDRECV(halves, n, MPI_DOUBLE_PRECISION, right, 4, big(n+1), n, MPI_DOUBLE_PRECISION, left, 4, &
          MPI_COMM_WORLD, status, ierr)
     do i = 1, n
        if (np > 1) then
           if (halves(2-mod(i,2), n/2 + (i+1)/2) /= val(left, r, i)) nerr = nerr + 1
        end if
     end do
     eb(1) = me + 1
     call MPI_ALLREDUCE(MPI_IN_PLACE, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
     if (eb(1) /= np*(np+1)/2) nerr = nerr + 1
     eb(2) = me
     call MPI_BCAST(b(2), 1, MPI_DOUBLE_PRECISION, np-1, MPI_COMM_WORLD, ierr)
     if (eb(2) /= np-1) nerr = nerr + 1
  end do
  call finish('equivalence and common', nerr, csum)
  call MPI_FINALIZE(ierr)
end program aliases

! the same 8000 words, cut elsewhere
subroutine fill_blk(me, r, n)
  implicit none
  integer, intent(in) :: me, r, n
  real(kind=8) :: x(8000)
  common /blk/ x
  real(kind=8), external :: val
  integer :: i
  do i = 1, n
     x(i) = val(me, r, i)
  end do
end subroutine fill_blk

subroutine spoil_blk(n)
  implicit none
  integer, intent(in) :: n
  real(kind=8) :: p(100), q(3900), rest(4000)
  common /blk/ p, q, rest
  p(:) = -4.0d0
  q(1:n-100) = -5.0d0
end subroutine spoil_blk

subroutine check_blk(left, r, n, np, nerr, csum)
  implicit none
  integer, intent(in) :: left, r, n, np
  integer, intent(inout) :: nerr
  real(kind=8), intent(inout) :: csum
  real(kind=8) :: p(3990), q(4010)
  common /blk/ p, q
  real(kind=8), external :: val
  integer :: i
  do i = 1, n
     if (np > 1) then
        if (q(i+10) /= val(left, r, i)) nerr = nerr + 1
     end if
     csum = csum + q(i+10)
  end do
end subroutine check_blk

subroutine wipe_blk(n)
  implicit none
  integer, intent(in) :: n
  real(kind=8) :: x(2,4000)
  common /blk/ x
  x(:,2001:2000+n/2) = 0.0d0
end subroutine wipe_blk

! what rank src sends in the given round
pure real(kind=8) function val(src, round, i)
  implicit none
  integer, intent(in) :: src, round, i
  val = src*1000000.0d0 + round*20000.0d0 + i
end function val

! the ranks of one parity come late
subroutine skew(late)
  implicit none
  include 'mpif.h'
  logical, intent(in) :: late
  double precision :: t
  if (.not. late) return
  t = MPI_WTIME() + 2.0d-3
  do while (MPI_WTIME() < t)
  end do
end subroutine skew

subroutine finish(what, nerr, csum)
  implicit none
  include 'mpif.h'
  character(len=*), intent(in) :: what
  integer, intent(in) :: nerr
  real(kind=8), intent(in) :: csum
  integer :: me, np, ierr, i, total
  real(kind=8) :: s
  real(kind=8), allocatable :: all(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, np, ierr)
  allocate(all(np))
  call MPI_GATHER(csum, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_REDUCE(nerr, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) then
     s = 0.0d0
     do i = 1, np
        s = s + i*all(i)
     end do
     write(*,'(a,z16.16)') 'checksum ', transfer(s, 1_8)
     if (total == 0) then
        write(*,'(2a)') 'PASS ', what
     else
        write(*,'(3a,i0,a)') 'FAIL ', what, ': ', total, ' wrong values'
     end if
  end if
end subroutine finish
