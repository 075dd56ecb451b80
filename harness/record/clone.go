package record

// Clone returns a copy of an exchange that was not read yet, so that what is read of the copy takes no memory once the copy
// is gone. The bytes are shared, since they do not change.
func (x *Exchange) Clone() *Exchange {
	if x == nil {
		return nil
	}
	y := x.copyWithoutObservations()
	y.Attempts, y.Closed, y.Canaries = x.Attempts, x.Closed, x.Canaries
	return y
}
