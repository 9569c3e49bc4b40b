! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Buffers that are freed, moved and reallocated right after the call that completes.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
module life
  implicit none
  include 'mpif.h'
  integer, parameter :: nmax = 4000, lmax = 6000
  integer :: me, np, left, right, ierr, nerr = 0, calls = 0
  real(kind=8) :: csum = 0.0d0
  real(kind=8), external :: val
contains
  function data_of(n, r, add) result(x)
    integer, intent(in) :: n, r
    real(kind=8), intent(in) :: add
    real(kind=8) :: x(n)
    integer :: i
    do i = 1, n
       x(i) = val(me, r, i) + add
    end do
  end function data_of

  integer function neighbour(d)
    integer, intent(in) :: d
    calls = calls + 1
    neighbour = merge(right, left, d > 0)
  end function neighbour

  subroutine check(x, n, r, add)
    integer, intent(in) :: n, r
    real(kind=8), intent(in) :: x(:), add
    integer :: i
    do i = 1, n
       if (np > 1) then
          if (x(i) /= val(left, r, i) + add) nerr = nerr + 1
          csum = csum + x(i)
       end if
    end do
  end subroutine check

  ! local copies are sent, and the frame is gone at the return
  subroutine send_copy(n, r, tag)
    integer, intent(in) :: n, r, tag
    real(kind=8) :: a(n)
    a = data_of(n, r, 0.25d0)
    call MPI_SEND(a, n, MPI_DOUBLE_PRECISION, right, tag, MPI_COMM_WORLD, ierr)
  end subroutine send_copy

  subroutine scribble(n)
    integer, intent(in) :: n
    real(kind=8) :: a(n)
    integer :: i
    do i = 1, n
       a(i) = -i
    end do
    call look(a, n)
  end subroutine scribble

  subroutine look(a, n)
    integer, intent(in) :: n
    real(kind=8), intent(in) :: a(n)
    if (a(n) > 0.0d0) nerr = nerr + 1
  end subroutine look

  real(kind=8) function recv_sum(n, tag)
    integer, intent(in) :: n, tag
    real(kind=8) :: b(n)
    integer :: status(MPI_STATUS_SIZE), i
    b = 0.0d0
    call MPI_RECV(b, n, MPI_DOUBLE_PRECISION, left, tag, MPI_COMM_WORLD, status, ierr)
    recv_sum = 0.0d0
    do i = 1, n
       recv_sum = recv_sum + b(i)
    end do
  end function recv_sum

  subroutine send_string(s, dest, tag)
    character(len=*), intent(in) :: s
    integer, intent(in) :: dest, tag
    call MPI_SEND(s, len(s), MPI_CHARACTER, dest, tag, MPI_COMM_WORLD, ierr)
  end subroutine send_string

  subroutine recv_string(s, src, tag, got)
    character(len=*), intent(out) :: s
    integer, intent(in) :: src, tag
    integer, intent(out) :: got
    integer :: status(MPI_STATUS_SIZE)
    s = ' '
    call MPI_RECV(s, len(s), MPI_CHARACTER, src, tag, MPI_COMM_WORLD, status, ierr)
    call MPI_GET_COUNT(status, MPI_CHARACTER, got, ierr)
  end subroutine recv_string

  function greeting(who, r) result(g)
    integer, intent(in) :: who, r
    character(len=20) :: g
    write(g,'(a,i0,a,i0)') 'rank ', who, ' round ', r
  end function greeting
end module life

program lifetimes
  use life
  implicit none
  integer :: rounds, r, n, i, req(2), status(MPI_STATUS_SIZE), got, l, want, m
  real(kind=8), allocatable :: s(:), t(:), u(:), z(:)
  real(kind=8) :: sm
  character(len=lmax) :: line, inl
  character(len=:), allocatable :: str, istr
  character(len=8) :: words(5), arg
  character(len=20) :: g
  logical :: late
  logical, allocatable :: mask(:), rmask(:)

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
  do r = 1, rounds
     n = merge(nmax, 300, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: deallocated after WAIT, the memory is used again at once
     allocate(s(n), t(n))
     do i = 1, n
        s(i) = val(me, r, i)
     end do
     t = 0.0d0
     call MPI_IRECV(t, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, req(1), ierr)
     call MPI_ISEND(s, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, req(2), ierr)
     call skew(late)
     call MPI_WAIT(req(2), status, ierr)
     deallocate(s)
     allocate(z(n))
     z = -1.0d0
     call MPI_WAIT(req(1), status, ierr)
     call check(t, n, r, 0.0d0)
     deallocate(t)
     allocate(u(n))
     u = -2.0d0
     if (any(u /= -2.0d0) .or. any(z /= -1.0d0)) nerr = nerr + 1
     deallocate(u, z)

     ! ---- 2: blocking, deallocate / reallocate / move_alloc
     allocate(s(n), t(n))
     s = data_of(n, r, 0.5d0)
     t = 0.0d0
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, ierr)
        deallocate(s)
        allocate(s(n))
        s = -1.0d0
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(t, n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(s, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, ierr)
        s = (/ -1.0d0, s /)              ! another size: another place
     end if
     call move_alloc(t, u)
     call check(u, n, r, 0.5d0)
     deallocate(s)
     ! moved while the request is pending: the memory stays
     s = data_of(n, r, 0.75d0)
     u = 0.0d0
     call MPI_IRECV(u, n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, req(1), ierr)
     call MPI_ISEND(s, n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, req(2), ierr)
     call move_alloc(u, t)
     call move_alloc(s, z)
     call skew(late)
     call MPI_WAITALL(2, req, MPI_STATUSES_IGNORE, ierr)
     z = -3.0d0
     call check(t, n, r, 0.75d0)
     deallocate(t, z)

     ! ---- 3: automatic arrays, BLOCK, function results as buffers, functions as arguments
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call send_copy(n, r, 4)
        call scribble(n)
        sm = recv_sum(n, 4)
     else
        sm = recv_sum(n, 4)
        call send_copy(n, r, 4)
        call scribble(n)
     end if
     call scribble(n)
     if (np > 1) then
        if (sm /= n*(val(left, r, 0) + 0.25d0) + dble(n)*(n+1)/2) nerr = nerr + 1
     end if
     csum = csum + sm
     calls = 0
     block
       real(kind=8), allocatable :: bs(:), br(:)
       real(kind=8) :: fixed(100)
       allocate(bs(n), br(n))
       bs = data_of(n, r, 1.5d0)
       call MPI_IRECV(br, n, MPI_DOUBLE_PRECISION, neighbour(-1), 5, MPI_COMM_WORLD, req(1), ierr)
       call skew(late)
       call MPI_ISEND(bs, n, MPI_DOUBLE_PRECISION, neighbour(+1), 5, MPI_COMM_WORLD, req(2), ierr)
       call MPI_WAITALL(2, req, MPI_STATUSES_IGNORE, ierr)
       call check(br, n, r, 1.5d0)
       fixed = me
       call MPI_SENDRECV_REPLACE(fixed, 100, MPI_DOUBLE_PRECISION, neighbour(+1), 6, neighbour(-1), 6, &
            MPI_COMM_WORLD, status, ierr)
       if (np > 1) then
          if (any(fixed /= left)) nerr = nerr + 1
       end if
     end block
     if (calls /= 4) nerr = nerr + 1
     allocate(t(n))
     t = 0.0d0
     if (mod(me,2) == 0) then
        call MPI_SEND(data_of(n, r, 2.5d0), n, MPI_DOUBLE_PRECISION, neighbour(1), 7, MPI_COMM_WORLD, ierr)
        call scribble(n)
        call MPI_RECV(t, size(t), MPI_DOUBLE_PRECISION, neighbour(-1), 7, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(t, size(t), MPI_DOUBLE_PRECISION, neighbour(-1), 7, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(data_of(n, r, 2.5d0), n, MPI_DOUBLE_PRECISION, neighbour(1), 7, MPI_COMM_WORLD, ierr)
        call scribble(n)
     end if
     call check(t, n, r, 2.5d0)
     deallocate(t)

     ! ---- 4: characters
     l = merge(lmax, 60, mod(r/2,2) == 0)
     line = ' '
     do i = 1, l - 10
        line(i:i) = achar(65 + mod(i + me + r, 26))
     end do
     inl = repeat('-', lmax)
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(line(3:), len_trim(line) - 2, MPI_CHARACTER, right, 8, MPI_COMM_WORLD, ierr)
        line = '+'
        call MPI_RECV(inl(2:l), l - 1, MPI_CHARACTER, left, 8, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(inl(2:l), l - 1, MPI_CHARACTER, left, 8, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(line(3:), len_trim(line) - 2, MPI_CHARACTER, right, 8, MPI_COMM_WORLD, ierr)
        write(line,'(a,i0)') 'overwritten ', r
     end if
     if (np > 1) then
        do i = 3, l - 10
           if (inl(i-1:i-1) /= achar(65 + mod(i + left + r, 26))) nerr = nerr + 1
           csum = csum + iachar(inl(i-1:i-1))
        end do
        if (inl(1:1) /= '-' .or. inl(l:l) /= '-') nerr = nerr + 1
     end if
     ! a concatenation (temporary), assumed and deferred length, a character function
     str = repeat(achar(97 + me), l/2)
     allocate(character(len=l+2) :: istr)
     call skew(.not. late)
     if (mod(me,2) == 0) then
        call send_string(str // '|' // trim(str), right, 9)
        str = 'gone'
        call send_string(greeting(me, r), right, 10)
        call recv_string(istr(1:l+1), left, 9, got)
        call recv_string(g, left, 10, i)
     else
        call recv_string(istr(1:l+1), left, 9, got)
        call recv_string(g, left, 10, i)
        call send_string(str // '|', right, 9)
        str = str // str // str
        call send_string(greeting(me, r), right, 10)
     end if
     if (np > 1) then
        want = l/2 + 1
        if (verify(istr(1:l/2), achar(97 + left)) /= 0 .or. istr(want:want) /= '|') nerr = nerr + 1
        if (mod(left,2) == 0) want = 2*(l/2) + 1
        if (got /= want) nerr = nerr + 1
        m = -1
        read(g(6:),*) m
        if (m /= left .or. g /= greeting(left, r)) nerr = nerr + 1
     end if
     deallocate(istr, str)
     ! array of words, every second one; logical masks
     do i = 1, 5
        write(words(i),'(a,i0,a,i0)') 'w', me, '_', i
     end do
     inl(1:24) = ' '
     call MPI_SENDRECV(words(1:5:2), 24, MPI_CHARACTER, right, 11, inl(1:24), 24, MPI_CHARACTER, left, 11, &
          MPI_COMM_WORLD, status, ierr)
     words = 'x'
     if (np > 1) then
        write(arg,'(a,i0,a,i0)') 'w', left, '_', 5
        if (inl(17:24) /= arg) nerr = nerr + 1
     end if
     mask = (/ (mod(i + me, 3) == 0, i = 1, n) /)
     allocate(rmask(n))
     rmask = .false.
     call MPI_IRECV(rmask, n, MPI_LOGICAL, left, 12, MPI_COMM_WORLD, req(1), ierr)
     call MPI_ISEND(mask, size(mask), MPI_LOGICAL, right, 12, MPI_COMM_WORLD, req(2), ierr)
     call skew(late)
     call MPI_WAITALL(2, req, MPI_STATUSES_IGNORE, ierr)
     mask = .not. mask
     if (np > 1) then
        do i = 1, n
           if (rmask(i) .neqv. (mod(i + left, 3) == 0)) nerr = nerr + 1
        end do
     end if
     csum = csum + count(rmask)
     deallocate(mask, rmask)
  end do
  call finish('lifetimes and characters', nerr, csum)
  call MPI_FINALIZE(ierr)
end program lifetimes

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
