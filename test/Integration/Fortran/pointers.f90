! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Buffers accessed through pointers while messages are in flight.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
module alias
  implicit none
  include 'mpif.h'
  integer :: me, np, left, right, ierr, nerr = 0
  real(kind=8) :: csum = 0.0d0
  real(kind=8), pointer :: window(:) => null()
  type node
     real(kind=8), allocatable :: data(:)
     type(node), pointer :: next => null()
  end type node
  real(kind=8), external :: val
contains
  function whole(x) result(p)
    real(kind=8), target, intent(in) :: x(:)
    real(kind=8), pointer :: p(:)
    p => x
  end function whole

  ! window aliases snd or rcv, which this procedure cannot see
  subroutine swap_window(snd, rcv, n, r, late)
    integer, intent(in) :: n, r
    real(kind=8), intent(inout), target :: snd(n), rcv(n)
    logical, intent(in) :: late
    integer :: i, status(MPI_STATUS_SIZE)
    window => snd
    do i = 1, n
       window(i) = val(me, r, i)
    end do
    call skew(late)
    if (mod(me,2) == 0) then
       call MPI_SEND(snd, n, MPI_DOUBLE_PRECISION, right, 21, MPI_COMM_WORLD, ierr)
       window(1:n) = -1.0d0
       call MPI_RECV(rcv, n, MPI_DOUBLE_PRECISION, left, 21, MPI_COMM_WORLD, status, ierr)
    else
       call MPI_RECV(rcv, n, MPI_DOUBLE_PRECISION, left, 21, MPI_COMM_WORLD, status, ierr)
       call MPI_SEND(snd, n, MPI_DOUBLE_PRECISION, right, 21, MPI_COMM_WORLD, ierr)
       window(1:n) = -1.0d0
    end if
    window => rcv
    call check(window, n, r, 0.0d0)
  end subroutine swap_window

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
end module alias

program pointers
  use alias
  use iso_c_binding
  implicit none
  integer, parameter :: nbig = 4000, nsmall = 300
  real(kind=8), target :: t1(2*nbig), t2(2*nbig)
  real(kind=8), allocatable, target :: h1(:), h2(:)
  real(kind=8), pointer :: ps(:), pr(:), tmp(:), st(:), cp(:)
  type(node), target :: head
  type(node), pointer :: q
  integer :: r, n, i, rounds, req(2), stats(MPI_STATUS_SIZE,2), status(MPI_STATUS_SIZE)
  logical :: late
  real(kind=8) :: before
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
  t1 = 0.0d0; t2 = 0.0d0
  allocate(h1(nbig), h2(nbig), head%data(nbig))
  h1 = 0.0d0; h2 = 0.0d0; head%data = 0.0d0
  allocate(head%next)
  allocate(head%next%data(nbig))
  head%next%data = 0.0d0
  head%next%next => head               ! a ring of two
  do r = 1, rounds
     n = merge(nbig, nsmall, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     ! ---- 1: same procedure
     ps => t1; pr => t2
     before = 0.0d0
     t2(1:n) = 3.0d0
     ps(1:n) = -7.0d0
     do i = 1, n
        ps(i) = val(me, r, i)
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(t1, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        ps(1:n) = -1.0d0
        do i = 1, n
           before = before + pr(i)
        end do
        call MPI_RECV(t2, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
     else
        do i = 1, n
           before = before + pr(i)
        end do
        call MPI_RECV(t2, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(t1, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
        ps(1:n) = -1.0d0
     end if
     if (before /= 3.0d0*n) nerr = nerr + 1
     call check(pr, n, r, 0.0d0)

     ! ---- 2: pointers swapped while the requests are pending
     ps => h1; pr => h2
     do i = 1, n
        h1(i) = val(me, r, i) + 0.25d0
     end do
     call MPI_IRECV(pr, n, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, req(1), ierr)
     call MPI_ISEND(ps, n, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, req(2), ierr)
     tmp => ps; ps => pr; pr => tmp
     call skew(.not. late)
     call MPI_WAITALL(2, req, stats, ierr)
     call check(ps, n, r, 0.25d0)         ! received into h2
     pr(1:n) = -1.0d0
     if (any(h1(1:n) /= -1.0d0)) nerr = nerr + 1

     ! ---- 3: dummy arguments against a module pointer
     call swap_window(h1(1:n), h2(1:n), n, r, late)

     ! ---- 4: linked list: head%next%next is head
     q => head%next%next
     do i = 1, n
        q%data(i) = val(me, r, i) + 0.5d0
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(head%data, n, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, ierr)
        q%data(1:n) = -2.0d0
        call MPI_RECV(q%next%data, n, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, status, ierr)
     else
        call MPI_RECV(q%next%data, n, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, status, ierr)
        call MPI_SEND(head%data, n, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, ierr)
        q%data(1:n) = -2.0d0
     end if
     call check(head%next%data, n, r, 0.5d0)

     ! ---- 5: strided pointers: the compiler copies in and out around the call
     st => t1(1:2*n:2)
     t1(1:2*n) = -1.0d0
     do i = 1, n
        t1(2*i-1) = val(me, r, i) + 0.75d0
     end do
     tmp => t2(2:2*n:2)
     call MPI_SENDRECV(st, n, MPI_DOUBLE_PRECISION, right, 5, tmp, n, MPI_DOUBLE_PRECISION, left, 5, &
          MPI_COMM_WORLD, status, ierr)
     t1(1:2*n) = -3.0d0
     if (np > 1) then
        do i = 1, n
           if (t2(2*i) /= val(left, r, i) + 0.75d0) nerr = nerr + 1
        end do
     end if

     ! ---- 6: C address of the receive buffer, pointer-valued function, ASSOCIATE
     call c_f_pointer(c_loc(h2(1)), cp, (/ nbig /))
     associate (s => h1(1:n))
       do i = 1, n
          s(i) = val(me, r, i)
       end do
       call MPI_IRECV(h2, n, MPI_DOUBLE_PRECISION, left, 6, MPI_COMM_WORLD, req(1), ierr)
       call skew(late)
       call MPI_ISEND(h1, n, MPI_DOUBLE_PRECISION, right, 6, MPI_COMM_WORLD, req(2), ierr)
       call MPI_WAIT(req(2), status, ierr)
       s = -6.0d0
     end associate
     call MPI_WAIT(req(1), status, ierr)
     call check(cp, n, r, 0.0d0)
     tmp => whole(h2)
     if (np > 1) then
        if (tmp(n) /= val(left, r, n)) nerr = nerr + 1
     end if
  end do
  call finish('pointers', nerr, csum)
  call MPI_FINALIZE(ierr)
end program pointers

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
