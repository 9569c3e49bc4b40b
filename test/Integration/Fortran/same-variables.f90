! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! MPI_PROC_NULL and its statuses; one variable for several arguments.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
program same_variables
  implicit none
  include 'mpif.h'
  integer, parameter :: nmax = 4000
  real(kind=8) :: s(nmax), t(nmax), csum
  integer :: me, np, lo, hi, ierr, rounds, r, n, i, k, nerr, cnt, src
  integer :: st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE,4), req(4), it, m, q, from, root
  real(kind=8), allocatable :: dyn(:)
  real(kind=8), external :: val
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
  lo = me - 1; hi = me + 1
  if (lo < 0) lo = MPI_PROC_NULL
  if (hi == np) hi = MPI_PROC_NULL
  nerr = 0; csum = 0.0d0; t = 0.0d0
  do r = 1, rounds
     n = merge(nmax, 300, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     do i = 1, n
        s(i) = val(me, r, i)
     end do
     ! ---- 1: chain with MPI_PROC_NULL ends; the status tells whether there was a message
     t(1:n) = -3.0d0
     st = -42
     call skew(late)
     call MPI_SENDRECV(s, n, MPI_DOUBLE_PRECISION, hi, 1, t, n, MPI_DOUBLE_PRECISION, lo, 1, MPI_COMM_WORLD, st, ierr)
     call MPI_GET_COUNT(st, MPI_DOUBLE_PRECISION, cnt, ierr)
     if (st(MPI_SOURCE) == MPI_PROC_NULL) then
        if (me /= 0 .or. cnt /= 0 .or. st(MPI_TAG) /= MPI_ANY_TAG) nerr = nerr + 1
        if (any(t(1:n) /= -3.0d0)) nerr = nerr + 1
     else
        if (st(MPI_SOURCE) /= me-1 .or. cnt /= n .or. st(MPI_TAG) /= 1) nerr = nerr + 1
        call compare(me-1, n)
     end if
     t(1:n) = -4.0d0
     st = -42
     if (mod(me,2) == 0) then
        call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, lo, 2, MPI_COMM_WORLD, ierr)
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, hi, 2, MPI_COMM_WORLD, st, ierr)
     else
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, hi, 2, MPI_COMM_WORLD, st, ierr)
        call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, lo, 2, MPI_COMM_WORLD, ierr)
     end if
     if (st(MPI_SOURCE) < 0) then
        if (hi /= MPI_PROC_NULL .or. any(t(1:n) /= -4.0d0)) nerr = nerr + 1
     else
        call compare(st(MPI_SOURCE), n)
     end if
     sts = -42
     call MPI_IRECV(t, n, MPI_DOUBLE_PRECISION, lo, 3, MPI_COMM_WORLD, req(1), ierr)
     call MPI_IRECV(t, n, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 3, MPI_COMM_WORLD, req(2), ierr)
     call MPI_ISEND(s, n, MPI_DOUBLE_PRECISION, hi, 3, MPI_COMM_WORLD, req(3), ierr)
     req(4) = MPI_REQUEST_NULL
     call skew(.not. late)
     call MPI_WAITALL(4, req, sts, ierr)
     if (sts(MPI_SOURCE,2) /= MPI_PROC_NULL .or. sts(MPI_TAG,2) /= MPI_ANY_TAG) nerr = nerr + 1
     if (sts(MPI_SOURCE,4) /= MPI_ANY_SOURCE) nerr = nerr + 1
     if (sts(MPI_SOURCE,1) /= lo) nerr = nerr + 1
     if (lo >= 0) call compare(lo, n)
     call MPI_PROBE(MPI_PROC_NULL, 4, MPI_COMM_WORLD, st, ierr)
     call MPI_GET_COUNT(st, MPI_INTEGER, cnt, ierr)
     if (st(MPI_SOURCE) /= MPI_PROC_NULL .or. cnt /= 0) nerr = nerr + 1

     ! ---- 2: one variable for tag and ierr, count and ierr, destination and tag
     call skew(late)
     if (mod(me,2) == 0) then
        it = 5
        call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, hi, it, MPI_COMM_WORLD, it)
        if (it /= 0) nerr = nerr + 1
        s(1:n) = s(1:n) + 0.5d0
        m = n
        call MPI_SEND(s, m, MPI_DOUBLE_PRECISION, hi, it, MPI_COMM_WORLD, m)          ! tag 0
        s(1:n) = s(1:n) + m
        k = hi
        if (k >= 0) call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, k, k, MPI_COMM_WORLD, k)
        if (k > 0) nerr = nerr + 1
        s(1:n) = s(1:n) - 0.5d0
     else
        it = 5
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, lo, it, MPI_COMM_WORLD, st, it)
        call compare(lo, n)
        m = n
        call MPI_RECV(t, m, MPI_DOUBLE_PRECISION, lo, it, MPI_COMM_WORLD, st, m)
        if (m /= 0 .or. t(n) /= val(lo, r, n) + 0.5d0) nerr = nerr + 1
        k = me
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, lo, k, MPI_COMM_WORLD, st, k)
        if (k /= 0 .or. t(n) /= val(lo, r, n) + 0.5d0 .or. st(MPI_TAG) /= me) nerr = nerr + 1
     end if

     ! ---- 3: elements of the status as arguments of the call which sets it
     call skew(.not. late)
     if (me == 0) then
        do k = 1, np-1
           call MPI_RECV(from, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, st, ierr)
           if (from /= st(MPI_SOURCE)) nerr = nerr + 1
           call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, st(MPI_SOURCE), MPI_ANY_TAG, MPI_COMM_WORLD, st, ierr)
           if (st(MPI_TAG) /= 8 + from) nerr = nerr + 1
           call MPI_GET_COUNT(st, MPI_DOUBLE_PRECISION, cnt, ierr)
           if (cnt /= n - from) nerr = nerr + 1
           call compare(from, cnt)
           t(1) = from*2.0d0
           call MPI_SEND(t, 1, MPI_DOUBLE_PRECISION, st(MPI_SOURCE), st(MPI_TAG), MPI_COMM_WORLD, st(MPI_ERROR))
           t(1) = -1.0d0
           if (st(MPI_ERROR) /= 0) nerr = nerr + 1
        end do
     else
        from = me
        call MPI_SEND(from, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, ierr)
        from = -1
        do i = 1, n
           s(i) = val(me, r, i)
        end do
        call MPI_SEND(s, n - me, MPI_DOUBLE_PRECISION, 0, 8 + me, MPI_COMM_WORLD, ierr)
        s(1:n) = -1.0d0
        call MPI_RECV(t, 1, MPI_DOUBLE_PRECISION, 0, 8 + me, MPI_COMM_WORLD, st, ierr)
        if (t(1) /= me*2.0d0) nerr = nerr + 1
     end if

     ! ---- 4: the count is the buffer, then the count; the root is received
     q = n - 7*me
     m = 0
     call MPI_SENDRECV(q, 1, MPI_INTEGER, hi, 20, m, 1, MPI_INTEGER, lo, 20, MPI_COMM_WORLD, st, ierr)
     allocate(dyn(m))
     do i = 1, n
        s(i) = val(me, r, i)
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(s, q, MPI_DOUBLE_PRECISION, hi, q, MPI_COMM_WORLD, ierr)
        q = 0
        call MPI_RECV(dyn, m, MPI_DOUBLE_PRECISION, lo, m, MPI_COMM_WORLD, st, ierr)
     else
        call MPI_RECV(dyn, m, MPI_DOUBLE_PRECISION, lo, m, MPI_COMM_WORLD, st, ierr)
        call MPI_SEND(s, q, MPI_DOUBLE_PRECISION, hi, q, MPI_COMM_WORLD, ierr)
        q = 0
     end if
     do i = 1, m
        if (dyn(i) /= val(lo, r, i)) nerr = nerr + 1
        csum = csum + dyn(i)
     end do
     deallocate(dyn)
     root = -1
     if (me == 0) root = mod(r, np)
     call MPI_BCAST(root, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
     if (me == root) then
        m = 10 + r
        t(1:m) = r
     end if
     call MPI_BCAST(m, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
     call MPI_BCAST(t, m, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, ierr)
     if (t(m) /= r .or. m /= 10 + r) nerr = nerr + 1
     src = root
     call MPI_BCAST(src, 1, MPI_INTEGER, src, MPI_COMM_WORLD, src)        ! buffer, root and ierr in one
     if (src /= 0) nerr = nerr + 1
  end do
  call finish('proc_null, one variable for all', nerr, csum)
  call MPI_FINALIZE(ierr)
contains
  subroutine compare(from, n)
    integer, intent(in) :: from, n
    integer :: i
    do i = 1, n
       if (t(i) /= val(from, r, i)) nerr = nerr + 1
       csum = csum + t(i)
    end do
  end subroutine compare
end program same_variables

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
