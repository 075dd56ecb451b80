package client

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

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
			held += x.EstimatedUnparsedMemorySize()
			switch {
			case x.Ended == record.EOF && len(x.Request.Body) == 900<<10:
				whole++
			case x.Ended == record.Limit && len(x.Request.Body) <= record.CutHead && x.Request.Framing.Cut != "":
				cut++
			default:
				t.Errorf("%s (%s), %d bytes", x.Ended, x.Trouble, len(x.Request.Body))
			}
		}
	}
	if whole == 0 || cut == 0 || held > 2*record.MaxDelivered {
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
		if weight += x.Weight(); i == 0 && x.Ended != record.EOF || i == 9 && x.Ended != record.Limit || !x.HeadKept() {
			t.Errorf("delivery %d: %s (%s), a head of %d bytes", i, x.Ended, x.Trouble, len(x.Request.Head))
		}
	}
	if weight > 2*record.MaxDeliveredWeight {
		t.Errorf("got values that take %d MiB", weight>>20)
	}
	many := r.Hook("many")
	q, err := http.NewRequest(http.MethodPost, many.URL(), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range record.MaxFields + 100 {
		q.Header.Set(fmt.Sprint("X-", i), "1")
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-many.News(0)
	if x := many.Deliveries()[0]; x.Ended != record.Limit || x.HeadKept() || len(x.Request.Head) > record.CutSmall {
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
