! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The other file of elsewhere.f90.
module ext_store
  implicit none
  real(kind=8), pointer :: reg_s(:), reg_r(:)
end module ext_store

subroutine ext_register(a, b)
  use ext_store
  implicit none
  real(kind=8), target :: a(:), b(:)
  reg_s => a
  reg_r => b
end subroutine ext_register

subroutine ext_poke_send(me, r, n)
  use ext_store
  implicit none
  integer, intent(in) :: me, r, n
  integer :: i
  real(kind=8), external :: val
  do i = 1, n
     reg_s(i) = val(me, r, i) + 0.5d0
  end do
end subroutine ext_poke_send

subroutine ext_spoil_registered(n)
  use ext_store
  implicit none
  integer, intent(in) :: n
  reg_s(1:n) = -3.0d0
end subroutine ext_spoil_registered

real(kind=8) function ext_peek(i)
  use ext_store
  implicit none
  integer, intent(in) :: i
  ext_peek = reg_r(i)
end function ext_peek

subroutine ext_clear(n)
  implicit none
  integer, intent(in) :: n
  real(kind=8) :: a(4000), b(4000)
  common /xbuf/ a, b
  a(1:n) = -9.0d0
  b(1:n) = 0.0d0
end subroutine ext_clear

subroutine ext_fill(me, r, n)
  implicit none
  integer, intent(in) :: me, r, n
  real(kind=8) :: a(8000)
  common /xbuf/ a
  real(kind=8), external :: val
  integer :: i
  do i = 1, n
     a(i) = val(me, r, i)
  end do
end subroutine ext_fill

subroutine ext_spoil(n)
  implicit none
  integer, intent(in) :: n
  real(kind=8) :: a(8000)
  common /xbuf/ a
  a(1:n) = -1.0d0
end subroutine ext_spoil

real(kind=8) function ext_sum(n)
  implicit none
  integer, intent(in) :: n
  real(kind=8) :: skip(4000), b(4000)
  common /xbuf/ skip, b
  integer :: i
  ext_sum = 0.0d0
  do i = 1, n
     ext_sum = ext_sum + b(i)
  end do
end function ext_sum

integer function ext_ierr()
  implicit none
  include 'mpif.h'
  integer :: e, s(MPI_STATUS_SIZE)
  common /xerr/ e, s
  ext_ierr = e
end function ext_ierr

integer function ext_status_source()
  implicit none
  include 'mpif.h'
  integer :: e, s(MPI_STATUS_SIZE)
  common /xerr/ e, s
  ext_status_source = s(MPI_SOURCE)
end function ext_status_source

integer function ext_count(status, type)
  implicit none
  include 'mpif.h'
  integer :: status(MPI_STATUS_SIZE), type, ierr
  call MPI_GET_COUNT(status, type, ext_count, ierr)
end function ext_count
