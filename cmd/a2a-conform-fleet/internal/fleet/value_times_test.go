package fleet

import (
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// A turn, an absence and a lease until the year 9999 keep nobody from a host.
func TestTimesOfStrangers(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	for key, v := range map[string]any{
		startsKey: far, backoffKey("a"): hostBackoff{Until: far, Times: -9}, "host." + broker.Digest("a") + ".0": leaseRecord{"x", "a", 1 << 62},
	} {
		if _, err := f.leases.bucket.Put(ctx, key, broker.Encode(v)); err != nil {
			t.Fatal(err)
		}
	}
	if at, err := f.leases.reserveTurn(ctx, startsKey, time.Millisecond); err != nil || at.After(f.conn.Now().Add(time.Second)) {
		t.Errorf("the next turn is %v: %v", at, err)
	}
	if d, err := f.leases.remainingBackoff(ctx, "a"); err != nil || d > 0 {
		t.Errorf("the host is left alone for %v: %v", d, err)
	}
	if err := f.leases.updateBackoff(ctx, "a", true); err != nil {
		t.Error(err)
	}
	if d, err := f.leases.remainingBackoff(ctx, "a"); err != nil || d <= 0 || d > maxBackoff {
		t.Errorf("after a refusal the host is left alone for %v: %v", d, err)
	}
	if _, err := f.leases.tryAcquireLease(ctx, "a", "mine", 1, time.Second); err != nil {
		t.Errorf("the host cannot be leased: %v", err)
	}
}
