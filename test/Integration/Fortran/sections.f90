! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Sections and expressions as buffers, which are copied before and after the call.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
module sections
  implicit none
  include 'mpif.h'
  integer :: me, np, left, right, ierr, nerr = 0
  real(kind=8) :: csum = 0.0d0
  type point
     real(kind=8) :: x, y
     integer :: tag
  end type point
  real(kind=8), external :: val
contains
  ! contiguous inside, whatever the caller has
  subroutine exchange_explicit(s, t, n, tag, late)
    integer, intent(in) :: n, tag
    real(kind=8), intent(in) :: s(n)
    real(kind=8), intent(inout) :: t(n)
    logical, intent(in) :: late
    integer :: req(2), stats(MPI_STATUS_SIZE,2)
    call MPI_IRECV(t, n, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, req(1), ierr)
    call MPI_ISEND(s, n, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, req(2), ierr)
    call skew(late)
    call MPI_WAITALL(2, req, stats, ierr)
  end subroutine exchange_explicit

  ! the copy is made here, at each MPI call
  subroutine exchange_shape(s, t, n, tag, late)
    real(kind=8), intent(inout) :: s(:), t(:)
    integer, intent(in) :: n, tag
    logical, intent(in) :: late
    integer :: status(MPI_STATUS_SIZE), i
    call skew(late)
    if (mod(me,2) == 0) then
       call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, ierr)
       s = -8.0d0
       call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, status, ierr)
    else
       call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, status, ierr)
       call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, ierr)
       s = -8.0d0
    end if
    if (np > 1) then
       do i = 1, n
          if (t(i) < 0.0d0) nerr = nerr + 1
       end do
    end if
  end subroutine exchange_shape

  subroutine check(x, n, r, add)
    integer, intent(in) :: n, r
    real(kind=8), intent(in) :: x(:), add
    integer :: i
    do i = 1, n
       if (np > 1) then
          if (x(i) /= val(left, r, i) + add) nerr = nerr + 1
       end if
       csum = csum + x(i)
    end do
  end subroutine check
end module sections

program sections
  use sections
  implicit none
  integer, parameter :: nbig = 3000, nsmall = 300
  real(kind=8) :: u(2*nbig), w(2*nbig), m(4,nbig), m2(4,nbig)
  type(point) :: p(nbig), p2(nbig)
  complex(kind=8) :: z(nbig), z2(nbig)
  integer :: idx(nbig), r, n, i, rounds, status(MPI_STATUS_SIZE)
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
  u = 0; w = 0; m = 0; m2 = 0; z = 0; z2 = 0
  p = point(0.0d0, 0.0d0, 0); p2 = p
  do r = 1, rounds
     n = merge(nbig, nsmall, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: every second element
     do i = 1, n
        u(2*i-1) = val(me, r, i); u(2*i) = -5.0d0
        w(2*i-1) = 0.5d0; w(2*i) = 0.0d0
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(u(1:2*n:2), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        u(1:2*n) = -1.0d0
        call MPI_RECV(w(2:2*n:2), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(w(2:2*n:2), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(u(1:2*n:2), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        u(1:2*n) = -1.0d0
     end if
     call check(w(2:2*n:2), n, r, 0.0d0)
     if (any(w(1:2*n:2) /= 0.5d0)) nerr = nerr + 1

     ! ---- 2: a row of a matrix goes out, another row of the same matrix comes in
     do i = 1, n
        m(:,i) = (/ val(me, r, i) + 0.5d0, 11.0d0, 12.0d0, 13.0d0 /)
     end do
     call MPI_SENDRECV(m(1,1:n), n, MPI_DOUBLE_PRECISION, right, 2, m(3,1:n), n, MPI_DOUBLE_PRECISION, left, 2, &
          MPI_COMM_WORLD, status, ierr)
     m(1,1:n) = -1.0d0
     call check(m(3,:), n, r, 0.5d0)
     if (any(m(2,1:n) /= 11.0d0) .or. any(m(4,1:n) /= 13.0d0)) nerr = nerr + 1

     ! ---- 3: components
     do i = 1, n
        p(i)%x = val(me, r, i); p(i)%y = 2.0d0; p(i)%tag = i
        p2(i)%x = 3.0d0; p2(i)%tag = -i
     end do
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call MPI_SEND(p(1:n)%x, n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, ierr)
        p%x = -1.0d0
        call MPI_RECV(p2(1:n)%y, n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(p2(1:n)%y, n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(p(1:n)%x, n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, ierr)
        p%x = -1.0d0
     end if
     call check(p2%y, n, r, 0.0d0)
     do i = 1, n
        if (p2(i)%x /= 3.0d0 .or. p2(i)%tag /= -i) nerr = nerr + 1
     end do

     ! ---- 4: real parts, vector subscript
     do i = 1, n
        z(i) = cmplx(val(me, r, i), -1.0d0, kind=8)
        z2(i) = (7.0d0, 8.0d0)
        idx(i) = n + 1 - i
     end do
     call MPI_SENDRECV(z(1:n)%re, n, MPI_DOUBLE_PRECISION, right, 4, z2(1:n)%im, n, MPI_DOUBLE_PRECISION, left, 4, &
          MPI_COMM_WORLD, status, ierr)
     call check(z2%im, n, r, 0.0d0)
     if (any(z2(1:n)%re /= 7.0d0)) nerr = nerr + 1
     do i = 1, n
        u(idx(i)) = val(me, r, i)
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(u(idx(1:n)), n, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, ierr)
        u(1:n) = -2.0d0; idx(1:n) = 1
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(u(idx(1:n)), n, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, ierr)
        u(1:n) = -2.0d0; idx(1:n) = 1
     end if
     call check(w, n, r, 0.0d0)

     ! ---- 5: expressions: the temporary dies with the call
     do i = 1, n
        u(i) = val(me, r, i)
     end do
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call MPI_SEND(u(1:n) + 1.5d0, n, MPI_DOUBLE_PRECISION, right, 6, MPI_COMM_WORLD, ierr)
        call MPI_SEND((u(1:n)), n, MPI_DOUBLE_PRECISION, right, 7, MPI_COMM_WORLD, ierr)
        call MPI_SEND((/ (val(me, r, i) - 0.5d0, i = 1, n) /), n, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, ierr)
        call MPI_SEND(reshape(transpose(reshape(u(1:n), (/ n/2, 2 /))), (/ n /)), n, MPI_DOUBLE_PRECISION, right, 9, &
             MPI_COMM_WORLD, ierr)
        u(1:n) = -1.0d0
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 6, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, 1.5d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, 0.0d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 8, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, -0.5d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 9, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 6, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, 1.5d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 7, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, 0.0d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 8, MPI_COMM_WORLD, status, ierr)
        call check(w, n, r, -0.5d0)
        call MPI_RECV(w, n, MPI_DOUBLE_PRECISION, left, 9, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(u(1:n) + 1.5d0, n, MPI_DOUBLE_PRECISION, right, 6, MPI_COMM_WORLD, ierr)
        call MPI_SEND((u(1:n)), n, MPI_DOUBLE_PRECISION, right, 7, MPI_COMM_WORLD, ierr)
        call MPI_SEND((/ (val(me, r, i) - 0.5d0, i = 1, n) /), n, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, ierr)
        call MPI_SEND(reshape(transpose(reshape(u(1:n), (/ n/2, 2 /))), (/ n /)), n, MPI_DOUBLE_PRECISION, right, 9, &
             MPI_COMM_WORLD, ierr)
        u(1:n) = -1.0d0
     end if
     if (np > 1) then
        do i = 1, n/2
           if (w(2*i-1) /= val(left, r, i) .or. w(2*i) /= val(left, r, n/2+i)) nerr = nerr + 1
        end do
     end if

     ! ---- 6: wrappers with noncontiguous actual arguments
     do i = 1, n
        u(2*i) = val(me, r, i); u(2*i-1) = 1.0d0
        w(2*i-1) = 0.0d0; w(2*i) = 2.0d0
     end do
     call exchange_explicit(u(2:2*n:2), w(1:2*n:2), n, 10, late)
     u(1:2*n) = -1.0d0
     call check(w(1::2), n, r, 0.0d0)
     if (any(w(2:2*n:2) /= 2.0d0)) nerr = nerr + 1
     do i = 1, n
        m(2,i) = val(me, r, i) + 0.25d0
        m2(4,i) = -1.0d0
     end do
     call exchange_shape(m(2,1:n), m2(4,1:n), n, 11, late)
     call check(m2(4,:), n, r, 0.25d0)
     if (any(m(2,1:n) /= -8.0d0)) nerr = nerr + 1
     ! reductions and broadcasts on sections
     m(1,1:n) = me
     call MPI_ALLREDUCE(MPI_IN_PLACE, m(1,1:n), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
     if (any(m(1,1:n) /= np*(np-1)/2)) nerr = nerr + 1
     call MPI_BCAST(m(4,1:n:2), (n+1)/2, MPI_DOUBLE_PRECISION, mod(r,np), MPI_COMM_WORLD, ierr)
     csum = csum + m(4,n-1)
  end do
  call finish('copy-in/copy-out', nerr, csum)
  call MPI_FINALIZE(ierr)
end program sections

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
