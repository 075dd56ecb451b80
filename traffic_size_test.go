package conform

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/privacy"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
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

// What is read of a recording takes many times the memory of its bytes, and is given back: nothing of it stays with the recording,
// or with the outcome on the client while the server is judged.
func TestTrafficGivesBackWhatWasRead(t *testing.T) {
	testamount.SkipInShort(t)
	r := recordTalk(t, plainMessage, "TASK_STATE_COMPLETED", nil)
	most := int64(0)
	for _, p := range r.Passed {
		for _, x := range []*record.Exchange{p.In, p.Out} {
			x.Response.Body = []byte(strings.Replace(string(x.Response.Body), `"artifacts":[{`, `"artifacts":[{"metadata":{"x":[`+strings.Repeat("1234567890123,", 60_000)+`0]},`, 1))
			most += 2 * int64(len(x.Response.Body)) // the outcome has its own
		}
	}
	if _, err := JudgeTraffic(r, ClientSide, Judging{}); err != nil { // so that what all recordings need is there
		t.Fatal(err)
	}
	for name, use := range map[string]func() any{
		"the recording": func() any {
			_, err := JudgeProtected(r, false, BothSides, Judging{})
			return err
		},
		"the recording of which threads are chosen": func() any {
			return len(traffic.KeepThreads(r, func(traffic.Passed) bool { return true }).Passed)
		},
		"the outcome on the client": func() any {
			o, err := JudgeTraffic(privacy.Protect(r, true), BothSides, Judging{})
			if err != nil {
				t.Fatal(err)
			}
			return o.Client
		},
	} {
		for i := range r.Passed { // which is unread now
			r.Passed[i].In, r.Passed[i].Out = r.Passed[i].In.Clone(), r.Passed[i].Out.Clone()
		}
		before := testprocess.HeldMemory()
		kept := use()
		if held := testprocess.HeldMemory() - before; held > most {
			t.Errorf("%s: %d bytes are held afterwards, want at most %d", name, held, most)
		}
		runtime.KeepAlive(kept)
	}
	runtime.KeepAlive(r)
}
