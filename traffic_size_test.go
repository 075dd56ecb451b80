package conform

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// The work of judging a recording grows with its length, and not with the square of it.
func TestLongTraffic(t *testing.T) {
	testamount.SkipInShort(t)
	judge := func(exchanges int) (took time.Duration, allocated uint64) {
		r := recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil)
		r.Passed = r.Passed[:1]
		for i := 1; len(r.Passed) < exchanges; i++ {
			task := fmt.Sprintf(`{"id":"t-%d","contextId":"c-%d","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}`, i, i)
			r.Passed = append(r.Passed,
				newPassed(2*i, "POST", "/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`, i), `{"jsonrpc":"2.0","id":1,"result":{"task":`+task+`}}`, nil),
				newPassed(2*i+1, "POST", "/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":"t-%d"}}`, i), `{"jsonrpc":"2.0","id":2,"result":`+task+`}`, nil))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		o, err := JudgeTraffic(r, BothSides, Judging{})
		if err != nil || len(failures(o.Server)) > 0 || len(failures(o.Client)) > 0 {
			t.Fatal(err, failures(o.Server), failures(o.Client))
		}
		took = time.Since(began)
		runtime.ReadMemStats(&after)
		return took, after.TotalAlloc - before.TotalAlloc
	}
	const few, times, most = 500, 10, 15
	judge(few)
	var ratio float64
	for range 3 { // others work on this machine as well
		short, of := judge(few)
		long, allocated := judge(few * times)
		t.Logf("%d exchanges: %v and %d bytes; %d: %v and %d bytes", few, short, of, few*times, long, allocated)
		if allocated > most*of {
			t.Fatalf("%d times as many exchanges take %d times as much memory, want %d at most", times, allocated/of, most)
		}
		if ratio = float64(long) / float64(short); ratio <= most {
			return
		}
	}
	t.Errorf("%d times as many exchanges take %.1f times as long, want %d at most", times, ratio, most)
}
