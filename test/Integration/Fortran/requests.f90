! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Requests that are copied, permuted and waited for elsewhere; arguments that change right after the call.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
module reqs_mod
  implicit none
  include 'mpif.h'
  integer, parameter :: nmax = 4000, nm = 6
  type slot
     integer :: req, peer
     logical :: is_recv
  end type slot
  type(slot) :: slots(2*nm)
  integer :: me, np, left, right, ierr, nerr = 0, ticket = 0
  real(kind=8) :: csum = 0.0d0
  real(kind=8) :: s(nmax,nm), t(nmax,nm)
  real(kind=8), external :: val
contains
  integer function next_tag()
    ticket = ticket + 1
    next_tag = 100 + ticket
  end function next_tag

  subroutine fill(r, n)
    integer, intent(in) :: r, n
    integer :: i, k
    do k = 1, nm
       do i = 1, n
          s(i,k) = val(me, r, i) + k*0.125d0
          t(i,k) = 0.0d0
       end do
    end do
  end subroutine fill

  subroutine check1(r, n, k)
    integer, intent(in) :: r, n, k
    integer :: i
    do i = 1, n
       if (np > 1) then
          if (t(i,k) /= val(left, r, i) + k*0.125d0) nerr = nerr + 1
       end if
       csum = csum + t(i,k)
    end do
  end subroutine check1

  subroutine post(r1, r2, k, n)
    integer, intent(out) :: r1, r2
    integer, intent(in) :: k, n
    call MPI_IRECV(t(1,k), n, MPI_DOUBLE_PRECISION, left, k, MPI_COMM_WORLD, r1, ierr)
    call MPI_ISEND(s(1,k), n, MPI_DOUBLE_PRECISION, right, k, MPI_COMM_WORLD, r2, ierr)
  end subroutine post
end module reqs_mod

program requests
  use reqs_mod
  implicit none
  integer :: rounds, r, n, k, i, rq, rq2, list(2*nm), back(2*nm), which, done, indices(2*nm), m, dest, tag, comm, ty
  integer :: status(MPI_STATUS_SIZE), stats(MPI_STATUS_SIZE,2*nm), tmp, cnt, cnt_in, nn
  integer :: held(2,nm)
  common /held/ held
  logical :: late, flag
  character(len=8) :: arg

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, np, ierr)
  rounds = 8
  if (command_argument_count() > 0) then
     call get_command_argument(1, arg)
     read(arg,*) rounds
  end if
  left = mod(me-1+np, np); right = mod(me+1, np)
  if (np == 1) then
     left = MPI_PROC_NULL; right = MPI_PROC_NULL
  end if
  s = 0.0d0; t = 0.0d0
  do r = 1, rounds
     n = merge(nmax, 300, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: the same two variables for all; copies in list, waited for in reverse order
     call fill(r, n)
     do k = 1, nm
        call MPI_IRECV(t(1,k), n, MPI_DOUBLE_PRECISION, left, k, MPI_COMM_WORLD, rq, ierr)
        list(k) = rq
        call MPI_ISEND(s(1,k), n, MPI_DOUBLE_PRECISION, right, k, MPI_COMM_WORLD, rq, ierr)
        list(nm+k) = rq
        rq = MPI_REQUEST_NULL
     end do
     call skew(late)
     do k = nm, 1, -1
        rq2 = list(nm+k)
        call MPI_WAIT(rq2, status, ierr)
        s(1:n,k) = -1.0d0
        rq2 = list(k)
        call MPI_WAIT(rq2, status, ierr)
        call check1(r, n, k)
     end do

     ! ---- 2: COMMON under another name, WAITALL in another procedure; derived type, WAITANY on a copy
     call fill(r, n)
     do k = 1, nm
        call post(held(1,k), held(2,k), k, n)
     end do
     call skew(.not. late)
     call finish_held()
     do k = 1, nm
        call check1(r, n, k)
     end do
     call fill(r, n)
     do k = 1, nm
        call post(slots(2*k-1)%req, slots(2*k)%req, k, n)
        slots(2*k-1)%is_recv = .true.;  slots(2*k-1)%peer = k
        slots(2*k)%is_recv = .false.;   slots(2*k)%peer = k
     end do
     call skew(late)
     back = slots(:)%req
     do i = 1, 2*nm
        call MPI_WAITANY(2*nm, back, which, status, ierr)
        if (slots(which)%is_recv) then
           call check1_noorder(r, n, slots(which)%peer)
        else
           s(1:n,slots(which)%peer) = -2.0d0
        end if
        slots(which)%req = MPI_REQUEST_NULL
     end do
     if (any(slots(:)%req /= MPI_REQUEST_NULL)) nerr = nerr + 1

     ! ---- 3: permuted, WAITSOME, TEST, TESTALL
     call fill(r, n)
     do k = 1, nm
        call post(list(k), list(nm+k), k, n)
     end do
     do i = 1, nm
        tmp = list(i); list(i) = list(2*nm+1-i); list(2*nm+1-i) = tmp
     end do
     call skew(.not. late)
     done = 0
     do while (done < 2*nm - 2)
        call MPI_WAITSOME(2*nm - 2, list, cnt, indices, stats, ierr)
        if (cnt == MPI_UNDEFINED) exit
        done = done + cnt
     end do
     flag = .false.
     do while (.not. flag)
        call MPI_TEST(list(2*nm), flag, status, ierr)
     end do
     flag = .false.
     do while (.not. flag)
        call MPI_TESTALL(1, list(2*nm-1), flag, stats, ierr)
     end do
     do k = 1, nm
        call check1(r, n, k)
     end do

     ! ---- 4: everything changed right after the call
     call fill(r, n)
     m = n; dest = left; tag = 11
     call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierr)
     call MPI_TYPE_CONTIGUOUS(2, MPI_DOUBLE_PRECISION, ty, ierr)
     call MPI_TYPE_COMMIT(ty, ierr)
     m = n/2
     call MPI_IRECV(t(1,1), m, ty, dest, tag, comm, rq, ierr)
     m = 1; dest = right
     call skew(late)
     m = n/2
     call MPI_ISEND(s(1,1), m, ty, dest, tag, comm, rq2, ierr)
     m = -1; dest = -77; tag = -5
     call MPI_TYPE_FREE(ty, ierr)
     ty = MPI_CHARACTER
     call MPI_COMM_FREE(comm, ierr)
     call MPI_WAIT(rq, status, ierr)
     call MPI_WAIT(rq2, status, ierr)
     call check1(r, n, 1)
     m = n; dest = right; tag = 12
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call MPI_SEND(s(1,2), m, MPI_DOUBLE_PRECISION, dest, tag, MPI_COMM_WORLD, ierr)
        m = n - 50; dest = left
        s(:,2) = -1.0d0
        m = m + 50
        call MPI_RECV(t(1,2), m, MPI_DOUBLE_PRECISION, dest, tag, MPI_COMM_WORLD, status, ierr)
        m = 3; dest = 1000; tag = 0
     else
        dest = left
        call MPI_RECV(t(1,2), m, MPI_DOUBLE_PRECISION, dest, tag, MPI_COMM_WORLD, status, ierr)
        m = 3; dest = right
        m = n
        call MPI_SEND(s(1,2), m, MPI_DOUBLE_PRECISION, dest, tag, MPI_COMM_WORLD, ierr)
        m = -3; dest = 1000; tag = 0
        s(:,2) = -1.0d0
     end if
     call check1(r, n, 2)

     ! ---- 5: functions with side effects as arguments; count from the previous message
     ticket = 0
     cnt = n - 10*me; cnt_in = 0
     call MPI_SENDRECV(cnt, 1, MPI_INTEGER, right, next_tag(), cnt_in, 1, MPI_INTEGER, left, 101, &
          MPI_COMM_WORLD, status, ierr)
     nn = cnt_in
     call skew(late)
     call MPI_IRECV(t(1,3), cnt_in, MPI_DOUBLE_PRECISION, left, 102, MPI_COMM_WORLD, rq, ierr)
     cnt_in = 0
     call MPI_ISEND(s(1,3), cnt, MPI_DOUBLE_PRECISION, right, next_tag(), MPI_COMM_WORLD, rq2, ierr)
     cnt = 0
     if (ticket /= 2) nerr = nerr + 1
     call MPI_WAIT(rq2, status, ierr)
     s(1:n,3) = -1.0d0
     call MPI_WAIT(rq, status, ierr)
     if (np > 1) then
        if (nn /= n - 10*left) nerr = nerr + 1
     end if
     call check1(r, nn, 3)
  end do
  call finish('requests and changed arguments', nerr, csum)
  call MPI_FINALIZE(ierr)
contains
  ! the order of the arrivals differs from run to run: no floating point sum here but exact ones
  subroutine check1_noorder(r, n, k)
    integer, intent(in) :: r, n, k
    call check1(r, n, k)
  end subroutine check1_noorder
end program requests

subroutine finish_held()
  implicit none
  include 'mpif.h'
  integer :: everything(12), e, st(MPI_STATUS_SIZE,12)
  common /held/ everything
  call MPI_WAITALL(12, everything, st, e)
end subroutine finish_held

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
