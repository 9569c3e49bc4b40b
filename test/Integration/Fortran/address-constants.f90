! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE, by their names and as arguments of wrappers.
! REQUIRES: flang
! RUN: %commfort -O2 -fcomm-mode=off %s -o %t.off
! RUN: %commfort -O2 %s -o %t
! RUN: %commfort -O2 -fcomm-cost=none %s -o %t.all
! RUN: %mpirun -n 1 %t | FileCheck %s
! RUN: %mpirun -n 2 %t.off > %t.off.out
! RUN: %mpirun -n 2 %t.all | diff %t.off.out -
! RUN: %mpirun -n 4 %t.all | FileCheck %s
! CHECK: PASS
module bufs
  implicit none
  integer, parameter :: nmax = 4000
  real(kind=8), target :: xa(nmax), ya(nmax)
  integer, target :: xi(nmax), yi(nmax)
  integer :: me, np, left, right, nerr = 0
  real(kind=8) :: csum = 0.0d0
end module bufs

program address_constants
  use bufs
  implicit none
  include 'mpif.h'
  integer :: rounds, r, n, i, k, ierr, status(MPI_STATUS_SIZE), req(2), stype, rtype, root
  integer(kind=MPI_ADDRESS_KIND) :: ad(2)
  integer :: bl(2), ty(2)
  real(kind=8) :: v(8), w(8), mat(3,0:3), res(3), total
  integer(kind=8) :: i8(4), o8(4)
  logical :: l1, l2, late
  real(kind=8), external :: val
  character(len=8) :: arg
  ! wrappers
  external :: wrap_allreduce, wrap_reduce, wrap_allgather, wrap_gather, wrap_sendrecv, wrap_send, wrap_recv, wrap_irecv
  external :: wrap_isend, wrap_waitall, wrap_alltoall, wrap_scatter

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
  xa = 0; ya = 0; xi = 0; yi = 0
  do r = 1, rounds
     n = merge(nmax, 300, mod(r/2,2) == 0)
     late = mod(me + r, 2) == 0
     root = mod(r, np)
     ! ---- 1: collectives, in place or not, by the same wrapper
     v = (/ (me + i, i = 1, 8) /)
     w = 0.0d0
     call wrap_allreduce(v, w, 8, MPI_DOUBLE_PRECISION, MPI_SUM)
     v(1) = 100.0d0
     do i = 1, 8
        if (w(i) /= np*(np-1)/2 + np*i) nerr = nerr + 1
     end do
     call wrap_allreduce(MPI_IN_PLACE, w, 8, MPI_DOUBLE_PRECISION, MPI_MAX)
     v = w
     w = -1.0d0
     call wrap_allreduce(MPI_IN_PLACE, v, 8, MPI_DOUBLE_PRECISION, MPI_SUM)
     do i = 1, 8
        if (v(i) /= np*(np*(np-1)/2 + np*i)) nerr = nerr + 1
     end do
     i8 = (/ 1_8, 2_8**40 + me, int(me,8), -1_8 /)
     o8 = i8
     call wrap_allreduce(MPI_IN_PLACE, i8, 4, MPI_INTEGER8, MPI_SUM)
     if (i8(2) /= np*2_8**40 + np*(np-1)/2) nerr = nerr + 1
     call wrap_allreduce(o8, i8, 4, MPI_INTEGER8, MPI_MAX)
     if (i8(2) /= 2_8**40 + np - 1) nerr = nerr + 1
     l1 = me == root
     l2 = .false.
     call wrap_allreduce(l1, l2, 1, MPI_LOGICAL, MPI_LOR)
     if (.not. l2) nerr = nerr + 1
     call wrap_allreduce(MPI_IN_PLACE, l1, 1, MPI_LOGICAL, MPI_LAND)
     if (l1 .neqv. (np == 1)) nerr = nerr + 1
     w = me + 1
     if (me == root) then
        call wrap_reduce(MPI_IN_PLACE, w, 8, root)
        if (any(w /= np*(np+1)/2)) nerr = nerr + 1
     else
        call wrap_reduce(w, v, 8, root)
        if (any(w /= me + 1)) nerr = nerr + 1
     end if
     mat = -1.0d0
     mat(:,me) = (/ me*1.0d0, me*2.0d0, r*1.0d0 /)
     call wrap_allgather(MPI_IN_PLACE, mat, 3)
     res = mat(:,np-1)
     if (res(2) /= 2.0d0*(np-1) .or. res(3) /= r) nerr = nerr + 1
     mat(:,0:np-1) = mat(:,0:np-1) + me
     call wrap_alltoall(MPI_IN_PLACE, mat, 3)
     do k = 0, np-1
        if (mat(2,k) /= 2.0d0*me + k) nerr = nerr + 1
     end do
     mat(:,me) = me + 0.5d0
     if (me == root) then
        call wrap_gather(MPI_IN_PLACE, mat, 3, root)
        do k = 0, np-1
           if (mat(3,k) /= k + 0.5d0) nerr = nerr + 1
        end do
        call wrap_scatter(mat, MPI_IN_PLACE, 3, root)
     else
        call wrap_gather(mat(1,me), mat, 3, root)
        mat(:,me) = 0.0d0
        call wrap_scatter(mat, mat(1,me), 3, root)
        if (mat(1,me) /= me + 0.5d0) nerr = nerr + 1
     end if

     ! ---- 2: MPI_BOTTOM, blocking, with two wrappers' depth and directly
     call MPI_GET_ADDRESS(xa, ad(1), ierr)
     call MPI_GET_ADDRESS(xi, ad(2), ierr)
     bl = (/ n, n/2 /)
     ty = (/ MPI_DOUBLE_PRECISION, MPI_INTEGER /)
     call MPI_TYPE_CREATE_STRUCT(2, bl, ad, ty, stype, ierr)
     call MPI_TYPE_COMMIT(stype, ierr)
     call MPI_GET_ADDRESS(ya, ad(1), ierr)
     call MPI_GET_ADDRESS(yi, ad(2), ierr)
     call MPI_TYPE_CREATE_STRUCT(2, bl, ad, ty, rtype, ierr)
     call MPI_TYPE_COMMIT(rtype, ierr)
     ad = 0; bl = 0
     do i = 1, n
        ya(i) = 1.0d0; yi(i) = 2
     end do
     do i = 1, n
        xa(i) = val(me, r, i); xi(i) = me*100000 + i
     end do
     call skew(late)
     if (mod(me,2) == 0) then
        call MPI_SEND(MPI_BOTTOM, 1, stype, right, 1, MPI_COMM_WORLD, ierr)
        do i = 1, n
           xa(i) = -1.0d0; xi(i) = -1
        end do
        total = 0.0d0
        do i = 1, n
           total = total + ya(i)
        end do
        if (total /= n) nerr = nerr + 1
        call MPI_RECV(MPI_BOTTOM, 1, rtype, left, 1, MPI_COMM_WORLD, status, ierr)
     else
        total = 0.0d0
        do i = 1, n
           total = total + ya(i)
        end do
        if (total /= n) nerr = nerr + 1
        call wrap_recv(MPI_BOTTOM, 1, rtype, left, 1)
        call wrap_send(MPI_BOTTOM, 1, stype, right, 1)
        xa(1:n) = -1.0d0; xi(1:n) = -1
     end if
     call check_y()

     ! ---- 3: MPI_BOTTOM, nonblocking and sendrecv
     do i = 1, n
        xa(i) = val(me, r, i); xi(i) = me*100000 + i; ya(i) = 0.0d0; yi(i) = 0
     end do
     call MPI_IRECV(MPI_BOTTOM, 1, rtype, left, 2, MPI_COMM_WORLD, req(1), ierr)
     call wrap_isend(MPI_BOTTOM, 1, stype, right, 2, req(2))
     call skew(.not. late)
     call wrap_waitall(2, req, MPI_STATUSES_IGNORE)
     do i = 1, n
        xa(i) = val(me, r, i) + 1.0d0; xi(i) = me*100000 + i
     end do
     call check_y()
     do i = 1, n
        xa(i) = val(me, r, i); xi(i) = me*100000 + i; ya(i) = 0.0d0; yi(i) = 0
     end do
     call wrap_sendrecv(MPI_BOTTOM, stype, MPI_BOTTOM, rtype, MPI_STATUS_IGNORE)
     do i = 1, n
        xa(i) = -2.0d0
     end do
     call check_y()
     call wrap_irecv(ya, n, MPI_DOUBLE_PRECISION, left, 3, req(1))
     do i = 1, n
        xa(i) = val(me, r, i) + 0.5d0
     end do
     call wrap_isend(xa, n, MPI_DOUBLE_PRECISION, right, 3, req(2))
     call wrap_waitall(2, req, MPI_STATUSES_IGNORE)
     if (np > 1) then
        do i = 1, n
           if (ya(i) /= val(left, r, i) + 0.5d0) nerr = nerr + 1
        end do
     end if
     ! a broadcast of absolute addresses
     if (me == root) then
        do i = 1, n
           xa(i) = r*1.5d0 + i; xi(i) = r + i
        end do
     end if
     call MPI_BCAST(MPI_BOTTOM, 1, stype, root, MPI_COMM_WORLD, ierr)
     if (xa(n) /= r*1.5d0 + n .or. xi(n/2) /= r + n/2) nerr = nerr + 1
     csum = csum + xa(n/2) + xi(1)
     call MPI_TYPE_FREE(stype, ierr)
     call MPI_TYPE_FREE(rtype, ierr)
  end do
  call finish('in place, bottom, wrappers', nerr, csum)
  call MPI_FINALIZE(ierr)
contains
  subroutine check_y()
    do i = 1, n
       if (np > 1) then
          if (ya(i) /= val(left, r, i)) nerr = nerr + 1
          if (i <= n/2 .and. yi(i) /= left*100000 + i) nerr = nerr + 1
       end if
       csum = csum + ya(i)
    end do
  end subroutine check_y
end program address_constants

subroutine wrap_allreduce(sb, rb, n, ty, op)
  implicit none
  include 'mpif.h'
  integer :: sb(*), rb(*), n, ty, op, e
  call MPI_ALLREDUCE(sb, rb, n, ty, op, MPI_COMM_WORLD, e)
  if (e /= MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 1, e)
end subroutine wrap_allreduce

subroutine wrap_reduce(sb, rb, n, root)
  implicit none
  include 'mpif.h'
  integer :: n, root, e
  real(kind=8) :: sb(n), rb(n)
  call MPI_REDUCE(sb, rb, n, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, e)
end subroutine wrap_reduce

subroutine wrap_allgather(sb, rb, n)
  implicit none
  include 'mpif.h'
  integer :: n, e
  real(kind=8) :: sb(*), rb(*)
  call MPI_ALLGATHER(sb, n, MPI_DOUBLE_PRECISION, rb, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
end subroutine wrap_allgather

subroutine wrap_alltoall(sb, rb, n)
  implicit none
  include 'mpif.h'
  integer :: n, e
  real(kind=8) :: sb(*), rb(*)
  call MPI_ALLTOALL(sb, n, MPI_DOUBLE_PRECISION, rb, n, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
end subroutine wrap_alltoall

subroutine wrap_gather(sb, rb, n, root)
  implicit none
  include 'mpif.h'
  integer :: n, root, e
  real(kind=8) :: sb(*), rb(*)
  call MPI_GATHER(sb, n, MPI_DOUBLE_PRECISION, rb, n, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, e)
end subroutine wrap_gather

subroutine wrap_scatter(sb, rb, n, root)
  implicit none
  include 'mpif.h'
  integer :: n, root, e
  real(kind=8) :: sb(*), rb(*)
  call MPI_SCATTER(sb, n, MPI_DOUBLE_PRECISION, rb, n, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, e)
end subroutine wrap_scatter

subroutine wrap_sendrecv(sb, sty, rb, rty, st)
  use bufs, only: left, right
  implicit none
  include 'mpif.h'
  integer :: sb(*), rb(*), sty, rty, st(*), e
  call MPI_SENDRECV(sb, 1, sty, right, 5, rb, 1, rty, left, 5, MPI_COMM_WORLD, st, e)
end subroutine wrap_sendrecv

subroutine wrap_send(b, n, ty, dest, tag)
  implicit none
  include 'mpif.h'
  integer :: b(*), n, ty, dest, tag, e
  call MPI_SEND(b, n, ty, dest, tag, MPI_COMM_WORLD, e)
end subroutine wrap_send

subroutine wrap_recv(b, n, ty, src, tag)
  implicit none
  include 'mpif.h'
  integer :: b(*), n, ty, src, tag, e
  call wrap_recv2(b, n, ty, src, tag, MPI_STATUS_IGNORE, e)
end subroutine wrap_recv

subroutine wrap_recv2(b, n, ty, src, tag, st, e)
  implicit none
  include 'mpif.h'
  integer :: b(*), n, ty, src, tag, st(*), e
  call MPI_RECV(b, n, ty, src, tag, MPI_COMM_WORLD, st, e)
end subroutine wrap_recv2

subroutine wrap_irecv(b, n, ty, src, tag, rq)
  implicit none
  include 'mpif.h'
  integer :: b(*), n, ty, src, tag, rq, e
  call MPI_IRECV(b, n, ty, src, tag, MPI_COMM_WORLD, rq, e)
end subroutine wrap_irecv

subroutine wrap_isend(b, n, ty, dest, tag, rq)
  implicit none
  include 'mpif.h'
  integer :: b(*), n, ty, dest, tag, rq, e
  call MPI_ISEND(b, n, ty, dest, tag, MPI_COMM_WORLD, rq, e)
end subroutine wrap_isend

subroutine wrap_waitall(n, rq, st)
  implicit none
  include 'mpif.h'
  integer :: n, rq(*), st(*), e
  call MPI_WAITALL(n, rq, st, e)
end subroutine wrap_waitall

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
