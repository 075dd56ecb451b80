package wire

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever is large in an exchange, and however many there are, a run keeps no
// more than it may, and a file with as much is read.
func TestMemoryIsBoundedInARun(t *testing.T) {
	long := func(n int) []byte { return []byte(strings.Repeat("x", n)) }
	// What is kept is copied, so that all exchanges may have the same bytes before.
	head, body, sent, address := append([]byte("HTTP/1.1 200 OK\r\nX: "), long(900<<10)...), long(60<<10), long(2<<20), string(long(9<<10))
	few, values, chunks := long(9), []byte("["+strings.Repeat("1,", 500)+"1]"), make([]Chunk, maxChunks)
	for name, one := range map[string]func() *Exchange{
		"heads of 900 KB":   func() *Exchange { return &Exchange{Response: Message{Head: head}} },
		"bodies of 60 KB":   func() *Exchange { return &Exchange{Response: Message{Body: body}} },
		"requests of 2 MB":  func() *Exchange { return &Exchange{Request: Message{Body: sent}} },
		"arrivals":          func() *Exchange { return &Exchange{Response: Message{Body: few, Chunks: chunks}} },
		"values":            func() *Exchange { return &Exchange{Response: Message{Body: values}} },
		"addresses of 9 KB": func() *Exchange { return &Exchange{URL: address} },
	} {
		client, held := newClient(t), int64(0)
		var file MemoryBudget
		for range 1_000 {
			x := one()
			x.Ended = EOF
			client.budget.CutBeforeRedaction(x)
			client.budget.CutToBounds(x)
			held += x.size() + x.weight()
			file.add(x)
		}
		if held > mostKept+mostWeight+MaxKept/4 {
			t.Errorf("%s: %d MiB are held", name, held>>20)
		}
		if why := file.crowded(); why != "" {
			t.Errorf("%s: what a run keeps is refused when it is read: %s", name, why)
		}
	}
}

// What is cut without a look for secrets in all of it has none at its edges.
func TestSparedKeepsNoHalfSecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	client := NewClient(Config{Redact: NewRedactor([]Secret{{"bearer", secret}})})
	for _, at := range []int{0, cutHead - 9, cutHead + 9, cutHead + cutMargin - 9} {
		for _, fromEnd := range []int{len(secret), cutTail - 9, cutTail + 9} {
			body := bytes.Repeat([]byte("x"), 2*MaxBody)
			copy(body[at:], secret)
			copy(body[len(body)-fromEnd:], secret)
			x := &Exchange{Ended: Limit, Trouble: "too long", Response: Message{Body: body}}
			client.budget.CutBeforeRedaction(x)
			if len(x.Response.Body) > cutHead+cutTail+2*cutMargin {
				t.Fatalf("%d bytes are searched", len(x.Response.Body))
			}
			client.cfg.Redact.Exchange(x)
			client.budget.CutToBounds(x)
			if i := bytes.Index(x.Response.Body, []byte("rec")); i >= 0 || bytes.Contains(x.Response.Body, []byte("attery")) {
				t.Errorf("a secret at %d and %d from the end: a part is left", at, fromEnd)
			}
		}
	}
}

// Deliveries are kept whole as long as there is room for them, whatever webhook
// they come to.
func TestMemoryIsBoundedForDeliveries(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	held, whole, cut := int64(0), 0, 0
	for i := range 4 {
		h := r.Hook(fmt.Sprint(i))
		for range 10 {
			resp, err := http.Post(h.URL(), "application/json", strings.NewReader(strings.Repeat("d", 900<<10)))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		<-h.News(9)
		for _, x := range h.Deliveries() {
			held += x.size()
			switch {
			case x.Ended == EOF && len(x.Request.Body) == 900<<10:
				whole++
			case x.Ended == Limit && len(x.Request.Body) <= cutHead && x.Request.Framing.Cut != "":
				cut++
			default:
				t.Errorf("%s (%s), %d bytes", x.Ended, x.Trouble, len(x.Request.Body))
			}
		}
	}
	if whole == 0 || cut == 0 || held > 2*MaxDelivered {
		t.Errorf("%d whole, %d cut, %d MiB", whole, cut, held>>20)
	}
}

// Deliveries whose values would take too much memory, or that have too many header fields, are
// kept in part, which the record shows.
func TestHeavyDeliveries(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("heavy")
	for range 10 {
		resp, err := http.Post(h.URL(), "application/json", strings.NewReader("["+strings.Repeat("[],", 20_000)+"0]"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	<-h.News(9)
	weight := int64(0)
	for i, x := range h.Deliveries() {
		if weight += x.weight(); i == 0 && x.Ended != EOF || i == 9 && x.Ended != Limit || !x.HeadKept() {
			t.Errorf("delivery %d: %s (%s), a head of %d bytes", i, x.Ended, x.Trouble, len(x.Request.Head))
		}
	}
	if weight > 2*maxDeliveredWeight {
		t.Errorf("got values that take %d MiB", weight>>20)
	}
	many := r.Hook("many")
	q, err := http.NewRequest(http.MethodPost, many.URL(), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range MaxFields + 100 {
		q.Header.Set(fmt.Sprint("X-", i), "1")
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-many.News(0)
	if x := many.Deliveries()[0]; x.Ended != Limit || x.HeadKept() || len(x.Request.Head) > barely {
		t.Errorf("%s (%s), a head of %d bytes", x.Ended, x.Trouble, len(x.Request.Head))
	}
	if r.Missed(many) {
		t.Error("no delivery was missed")
	}
}

// If deliveries had to wait for others, or were not kept, those that are missed may have come.
func TestMissedDeliveries(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("crowded")
	for range webhookConns {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.Base(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for !r.Missed(h) { // until the last of them is accepted
		time.Sleep(time.Millisecond)
	}
	r = receiver(t, ReceiverConfig{})
	for h = r.Hook("surplus"); h.Surplus() == 0; {
		resp, err := http.Post(h.URL(), "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if !r.Missed(h) || r.Missed(r.Hook("other")) {
		t.Errorf("got %v and %v", r.Missed(h), r.Missed(r.Hook("other")))
	}
}

// As many values as are read are told before they are.
func TestCountValues(t *testing.T) {
	for text, want := range map[string]int{"": 0, "1": 0, "[1,2]": 2, `{"a,[{":[1]}`: 2, `"\",["`: 0, `["`: 1, `"\`: 0, `[[],{}]`: 4} {
		if got := CountValues([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
