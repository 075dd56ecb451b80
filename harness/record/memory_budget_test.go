package record

import (
	"strings"
	"testing"
)

// Whatever is large in an exchange, and however many there are, a run keeps no
// more than it may, and a file with as much is read.
func TestMemoryIsBoundedInARun(t *testing.T) {
	long := func(n int) []byte { return []byte(strings.Repeat("x", n)) }
	// What is kept is copied, so that all exchanges may have the same bytes before.
	head, body, sent, address := append([]byte("HTTP/1.1 200 OK\r\nX: "), long(900<<10)...), long(60<<10), long(2<<20), string(long(9<<10))
	few, values, chunks := long(9), []byte("["+strings.Repeat("1,", 500)+"1]"), make([]Chunk, MaxChunks)
	for name, one := range map[string]func() *Exchange{
		"heads of 900 KB":   func() *Exchange { return &Exchange{Response: Message{Head: head}} },
		"bodies of 60 KB":   func() *Exchange { return &Exchange{Response: Message{Body: body}} },
		"requests of 2 MB":  func() *Exchange { return &Exchange{Request: Message{Body: sent}} },
		"arrivals":          func() *Exchange { return &Exchange{Response: Message{Body: few, Chunks: chunks}} },
		"values":            func() *Exchange { return &Exchange{Response: Message{Body: values}} },
		"addresses of 9 KB": func() *Exchange { return &Exchange{URL: address} },
	} {
		var run, file MemoryBudget
		held := int64(0)
		for range 1_000 {
			x := one()
			x.Ended = EOF
			run.CutBeforeRedaction(x)
			run.CountAndCutExchange(x)
			held += x.EstimatedUnparsedMemorySize() + x.Weight()
			file.countExchange(x)
		}
		if held > mostKept+mostWeight+MaxKept/4 {
			t.Errorf("%s: %d MiB are held", name, held>>20)
		}
		if why := file.describeExceededBound(); why != "" {
			t.Errorf("%s: what a run keeps is refused when it is read: %s", name, why)
		}
	}
}

// The connection reads ahead of the client, so a body may have more bytes than are read of it.
// If the timeout comes just then, the exchange still goes beyond the limit.
func TestBodyBeyondItsLimitAtTheTimeout(t *testing.T) {
	x := &Exchange{Ended: Timeout, Trouble: "timeout", Response: Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: make([]byte, MaxBody+188)}}
	var run MemoryBudget
	run.CutBeforeRedaction(x)
	run.CountAndCutExchange(x)
	if got := len(x.Response.Body); x.Ended != Limit || x.Trouble != BeyondBody || got != CutHead+CutTail {
		t.Errorf("got %v %q with %d bytes", x.Ended, x.Trouble, got)
	}
}
