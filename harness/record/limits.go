package record

import "strings"

// Bounds on what one run keeps. They protect the suite, not the protocol: what
// goes beyond them makes a requirement inconclusive, never failed. A transcript
// that is read from a file has to stay within the same.
const (
	MaxBody   = 8 << 20  // bytes of one response body that are read
	MaxKept   = 32 << 20 // bytes of all exchanges of a run that are kept
	MaxHead   = 1 << 20  // bytes of a response head that are read
	MaxWeight = 48 << 20 // bytes that the values and events of all responses take in memory, about
	MaxChunks = 1 << 15  // pieces of a body of which the time of arrival is kept
	MaxFields = 2000     // header fields of one message that are read
	MaxFaults = 64       // faults of the protocol that are kept of one message
)

// Bytes that are kept of an exchange that is too large.
const (
	CutHead   = 64 << 10 // of the beginning of a head or a body
	CutTail   = 4 << 10  // of the end of a body
	CutMargin = 64 << 10 // beyond both until secrets were searched for, so that no cut halves one
	CutSmall  = 1 << 10  // of a head or a request once the budget for small exchanges is used up, too; of a response body none
)

// Bounds on the deliveries to the webhook of a run.
const (
	MaxDelivery        = 1 << 20  // bytes of one delivery's body that are kept
	MaxDelivered       = 8 << 20  // bytes of all deliveries that are kept whole
	MaxDeliveredWeight = 16 << 20 // bytes that the values of all deliveries take in memory, about
)

// Bounds on what a server chooses of our own requests: an address on its card, an id
// that a later call repeats. Without them a run would send and keep megabytes for each
// call, only because the server wants it.
const (
	MaxAddress = 8 << 10 // bytes of an address that calls go to
	MaxID      = 4 << 10 // bytes of an id, a tenant or a page token that calls repeat
)

// CutMark ends an address that is longer than calls may go to. No URL contains it unescaped.
const CutMark = "…"

// BoundAddress returns an address that a server named as its own, such as on its card. Of one
// that is longer than MaxAddress only the beginning is kept, and calls that go there are not
// made.
func BoundAddress(address string) string {
	if len(address) <= MaxAddress {
		return address
	}
	const shown = 200 // bytes
	return strings.ToValidUTF8(address[:shown], "") + CutMark
}
