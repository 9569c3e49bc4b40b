!mod$ v1 sum:d4edb0f4e2eea6fc
module grid
integer(4)::nx
integer(4)::ny
integer(4)::up
integer(4)::down
integer(4)::rank
integer(4)::nranks
real(8),allocatable::u(:,:)
real(8),allocatable::v(:,:)
end
