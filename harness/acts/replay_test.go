package acts

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// TestReplayGivesTheSameReport: the record of a run of the corpus, written and read again, gives the same report over each
// transport.
func TestReplayGivesTheSameReport(t *testing.T) {
	set := readCorpus(t, Options{})
	live := NewRun(set, noVariables)
	recording := playOnBundledServer(t, live, harness.EachBinding, "")
	var har bytes.Buffer
	if err := record.WriteHAR(&har, recording.Transcript); err != nil {
		t.Fatal(err)
	}
	read, err := record.ReadHAR(&har)
	if err != nil {
		t.Fatal(err)
	}
	again := NewRun(set, noVariables)
	if err := again.Replay(read); err != nil {
		t.Fatal(err)
	}
	if len(live.Transports()) != 3 || len(again.Transports()) != 3 {
		t.Fatalf("got %v, and again %v", live.Transports(), again.Transports())
	}
	for _, transport := range live.Transports() {
		first, second := live.Results(transport, "x"), again.Results(transport, "x")
		for i := range first {
			a, b := marshalResult(t, first[i]), marshalResult(t, second[i])
			if a != b {
				t.Errorf("%s over %s: got\n%s\nand again\n%s", first[i].Test.ID, transport, a, b)
			}
		}
	}
}

func marshalResult(t *testing.T, r *TestResult) string {
	t.Helper()
	text, err := json.Marshal(newReportedTest(r, func(s string) string { return s }))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
