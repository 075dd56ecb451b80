package record

// ReleaseReadings releases the memory of what was read of the exchanges of a transcript; what is asked for again is read anew.
// Nothing may read them at the same time.
func (t *Transcript) ReleaseReadings() {
	for _, x := range t.Exchanges {
		x.observed = observed{}
	}
}

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
