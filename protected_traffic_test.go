package conform

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// What is written of traffic is replayed, though the texts in its bodies were replaced by others with another number of bytes, or
// were left out.
func TestProtectedTrafficIsReplayed(t *testing.T) {
	for name, gaps := range map[string]*record.Gaps{"of a run": nil, "of others": {Bytes: true}} {
		for _, bodies := range []bool{false, true} {
			r := recordTalk(t, `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"größer → 🐦"}]}`, "TASK_STATE_COMPLETED", gaps)
			r.Passed = append(r.Passed, newPassed(3, "POST", "/login", "grant_type=password&password=something-secret", `{"access_token":"something-else"}`, gaps))
			o, err := JudgeProtected(r, bodies, BothSides, Judging{})
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Sides()) != 2 {
				t.Errorf("%s: %d sides are judged", name, len(o.Sides()))
			}
			for _, s := range o.Sides() {
				var har strings.Builder
				if err := record.WriteHAR(&har, s.Outcome.Transcript); err != nil {
					t.Fatal(err)
				}
				again, err := Replay(strings.NewReader(har.String()))
				if err != nil {
					t.Errorf("%s, bodies %v: the %s: %v", name, bodies, s.Side, err)
					continue
				}
				if got, want := again.Report.Verdict, s.Outcome.Report.Verdict; got != want {
					t.Errorf("%s, bodies %v: the %s is %s, and %s in a replay", name, bodies, s.Side, want, got)
				}
			}
		}
	}
}
