package proxy

import "sync/atomic"

// Bounds on what is kept of a connection so that it can leave as it came, for a head first of all.
const (
	usualHead     = 64 << 10       // bytes that each connection may keep
	maxHead       = 1<<20 + 64<<10 // bytes that one may keep if there is room: more than net/http takes of a head
	maxLargeHeads = 8 << 20        // bytes beyond the usual ones of all connections together
)

// headRoom is the room for heads beyond the usual size, of all connections together. A few clients may have large ones, and many
// that mean harm get no memory by them.
type headRoom struct{ taken atomic.Int64 }

// reserveRoom reports whether a connection, which has reserved some bytes already, may keep so many.
func (r *headRoom) reserveRoom(reserved *int64, n int) bool {
	more := int64(n) - usualHead - *reserved
	switch {
	case n > maxHead:
		return false
	case more <= 0:
		return true
	case r.taken.Add(more) > maxLargeHeads:
		r.taken.Add(-more)
		return false
	}
	*reserved += more
	return true
}

// releaseRoom gives back what a connection has reserved.
func (r *headRoom) releaseRoom(reserved *int64) {
	r.taken.Add(-*reserved)
	*reserved = 0
}
