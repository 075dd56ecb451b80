package provegateway

import (
	"bytes"
	"context"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// few are the gateways that are judged with each change: one of each kind. The command prove --gateway judges all.
var few = []string{"below-a-path", "stores", "compresses", "hop-passed", "via-missing", "two-lengths", "vary-ignored", "version-dropped", "card-rewritten", "details-dropped",
	"events-reordered", "stream-buffered", "short-timeout", "trailer-dropped", "http2-connection"}

// Each requirement breaks on the gateways that are made for it, on no other, and on none that is right.
func TestProve(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	names := few
	if !testamount.Few() {
		names = nil
	}
	o, err := Prove(context.Background(), names...)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	o.Table(&table)
	if !o.OK() {
		t.Errorf("%s", table.Bytes())
	}
	if len(o.Rows) < 40 || names == nil && (len(o.Faults) < 20 || len(o.Habits) < 10) {
		t.Errorf("%d requirements, %d faulty gateways, %d right ones", len(o.Rows), len(o.Faults), len(o.Habits))
	}
}

// A server that is called in two ways with nothing between them shows no difference, however often.
func TestNoGatewayMakesNoDifference(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	runs := 4
	if !testamount.Few() {
		runs = 20
	}
	for range runs {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			results, err := Judge(context.Background(), direct, "full")
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if isBroken(&r) {
					t.Errorf("%s: %s", r.ID, describeBreak(&r))
				}
			}
		})
	}
}
