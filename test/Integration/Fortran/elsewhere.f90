! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Buffers, error codes and statuses that procedures of another file read.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s %S/Inputs/elsewhere.f90 -o %t.off
! RUN: %commfort -O2 %s %S/Inputs/elsewhere.f90 -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s %S/Inputs/elsewhere.f90 -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
program elsewhere
  implicit none
  include 'mpif.h'
  integer, parameter :: nmax = 4000, nsmall = 300
  real(kind=8) :: sbuf(nmax), rbuf(nmax)
  common /xbuf/ sbuf, rbuf
  integer :: ierr, last_status(MPI_STATUS_SIZE)
  common /xerr/ ierr, last_status
  real(kind=8), target :: priv_s(nmax), priv_r(nmax)
  common /priv/ priv_s, priv_r
  integer :: me, np, left, right, rounds, r, n, i, nerr, k
  integer :: st1(MPI_STATUS_SIZE), st2(MPI_STATUS_SIZE), st3(MPI_STATUS_SIZE,2), req(2), ierrs(8), ibuf(nmax+1), cnt
  integer :: errtab(0:1), jerr
  real(kind=8) :: csum
  real(kind=8), external :: val, ext_sum, ext_peek
  integer, external :: ext_ierr, ext_status_source, ext_count
  interface
     subroutine ext_register(a, b)
       real(kind=8), target :: a(:), b(:)
     end subroutine ext_register
  end interface
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
  left = mod(me-1+np, np); right = mod(me+1, np)
  if (np == 1) then
     left = MPI_PROC_NULL; right = MPI_PROC_NULL
  end if
  nerr = 0; csum = 0.0d0
  sbuf = 0.0d0; rbuf = 0.0d0; priv_s = 0.0d0; priv_r = 0.0d0; ibuf = 0
  call ext_register(priv_s, priv_r)
  do r = 1, rounds
     n = merge(nmax, nsmall, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: COMMON in the other file
     call ext_clear(n)
     call skew(late)
     if (mod(me,2) == 0) then
        call ext_fill(me, r, n)
        call MPI_SEND(sbuf, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        call ext_spoil(n)
        if (ext_sum(n) /= 0.0d0) nerr = nerr + 1           ! nothing received yet
        call MPI_RECV(rbuf, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, st1, ierr)
     else
        if (ext_sum(n) /= 0.0d0) nerr = nerr + 1
        call MPI_RECV(rbuf, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, st1, ierr)
        call ext_fill(me, r, n)
        call MPI_SEND(sbuf, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        call ext_spoil(n)
     end if
     if (np > 1) then
        if (ext_sum(n) /= n*(val(left, r, 0)) + dble(n)*(n+1)/2) nerr = nerr + 1
     end if
     csum = csum + ext_sum(n)

     ! ---- 2: nonblocking; the callee of the other file works through registered pointers
     call ext_poke_send(me, r, n)
     call MPI_IRECV(priv_r, n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, req(1), ierr)
     call MPI_ISEND(priv_s, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, req(2), ierr)
     call skew(.not. late)
     call MPI_WAITALL(2, req, st3, ierr)
     call ext_spoil_registered(n)
     if (np > 1) then
        do i = 1, n, 7
           if (ext_peek(i) /= val(left, r, i) + 0.5d0) nerr = nerr + 1
        end do
     end if

     ! ---- 3: ierr as data
     do i = 1, n
        ibuf(i) = me*100000 + r*5000 + i
     end do
     ierr = 77
     cnt = 0
     errtab(0) = 5; errtab(1) = 6
     ibuf(n+1) = 99
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(ibuf, n, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ibuf(n+1))
        ibuf(1:n) = -ibuf(n+1)
        cnt = cnt + errtab(ibuf(n+1))
        ibuf(n+1) = 98
        call MPI_RECV(ibuf, n, MPI_INTEGER, left, 3, MPI_COMM_WORLD, st2, ibuf(n+1))
     else
        call MPI_SENDRECV_REPLACE(ibuf, n, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, st2, ibuf(n+1))
        cnt = cnt + errtab(ibuf(n+1))
     end if
     if (ibuf(n+1) /= 0) nerr = nerr + 1
     if (np > 1) then
        do i = 1, n
           if (ibuf(i) /= left*100000 + r*5000 + i) nerr = nerr + 1
        end do
     end if
     ierrs = 55
     call ext_fill(me, r, n)
     do k = 1, 3
        ierr = 66
        rbuf(1:n) = 0.0d0
        call MPI_SENDRECV(sbuf, n, MPI_DOUBLE_PRECISION, right, 30+k, rbuf, n, MPI_DOUBLE_PRECISION, left, 30+k, &
             MPI_COMM_WORLD, last_status, ierr)
        cnt = cnt + ext_ierr()                              ! COMMON: 0
        if (np > 1) then
           if (ext_status_source() /= left) nerr = nerr + 1
           if (ext_sum(n) /= n*(val(left, r, 0)) + dble(n)*(n+1)/2) nerr = nerr + 1
        end if
        last_status = 0
        sbuf(1:n) = -5.0d0                                  ! after the call: must not travel
        if (k < 3) call ext_fill(me, r, n)
        ierrs(k) = ierr
     end do
     jerr = 44
     call MPI_BARRIER(MPI_COMM_WORLD, jerr)
     cnt = cnt*(jerr + 2) + sum(ierrs)
     if (cnt /= 5*2 + 5*55) nerr = nerr + 1
     ierr = 33
     call MPI_BCAST(ibuf(ierr-32), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
     csum = csum + ibuf(ierr+1)

     ! ---- 4: statuses: st1 and st2 of long ago, st3 of the WAITALL, last_status in COMMON
     if (np > 1) then
        if (st1(MPI_SOURCE) /= left .or. st1(MPI_TAG) /= 1) nerr = nerr + 1
        if (ext_count(st1, MPI_DOUBLE_PRECISION) /= n) nerr = nerr + 1
        if (st2(MPI_SOURCE) /= left .or. st2(MPI_TAG) /= 3 .or. ext_count(st2, MPI_INTEGER) /= n) nerr = nerr + 1
        if (st3(MPI_SOURCE,1) /= left .or. st3(MPI_TAG,1) /= 2 .or. ext_count(st3(1,1), MPI_DOUBLE_PRECISION) /= n) &
             nerr = nerr + 1
     end if
     st1 = 0; st2 = 0; st3 = 0; last_status = 0
  end do
  call finish('other file, ierr, status', nerr, csum)
  call MPI_FINALIZE(ierr)
end program elsewhere

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
