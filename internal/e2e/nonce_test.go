package e2e

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

// The ids of a run with a nonce are derived from it, in every dialect and every binding, and
// from no other; they are new in every run.
func TestIDsOfANonce(t *testing.T) {
	t.Parallel()
	const nonce = "a-nonce-of-the-receiver"
	for _, name := range testamount.Of(reference.Dialects(), "a2a-0.1") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(nonce string, areas ...string) *record.Transcript {
				o := reference.Options{Dialect: name}
				if name == "a2a-1.0" {
					o.GRPCAddr = "127.0.0.1:0"
				}
				out, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, o).URL(), Dialect: name, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure, Bundled: true}, Judging: conform.Judging{CompareUserAgents: true, Nonce: nonce,
					Select: conform.Selection{Areas: areas}}, Endpoint: conform.Endpoint{Binding: "each"}})
				if err != nil {
					t.Fatal(err)
				}
				var har bytes.Buffer
				if err := record.WriteHAR(&har, out.Transcript); err != nil {
					t.Fatal(err)
				}
				again, err := binding.ReadTranscript(&har)
				if err != nil {
					t.Fatal(err)
				}
				return again
			}
			of := run(nonce)
			n, err := of.CheckNonce(nonce)
			if err != nil || 2*n.Calls < n.Bodies || n.Echoed == 0 {
				t.Errorf("%+v of %d exchanges, %v", n, len(of.Exchanges), err)
			}
			t.Logf("%+v of %d exchanges", n, len(of.Exchanges))
			if _, err := of.CheckNonce(nonce + "s"); err == nil || !strings.Contains(err.Error(), "not derived from it") {
				t.Errorf("another nonce: %v", err)
			}
			if _, err := run("", "task").CheckNonce(nonce); err == nil || err.Error() != "the run was made without a nonce" {
				t.Errorf("no nonce: %v", err)
			}
			if name != "a2a-0.1" {
				return
			}
			// They look like any others, and two runs with one nonce have none in common.
			other, ids := run(nonce), idsOf(of)
			others := idsOf(other)
			for id := range ids {
				if others[id] {
					t.Errorf("two runs have the id %s", id)
				}
			}
			if len(ids) < 100 {
				t.Errorf("%d ids", len(ids))
			}
			other.Exchanges[7] = of.Exchanges[7]
			if _, err := other.CheckNonce(nonce); err == nil || !strings.Contains(err.Error(), "exchange 8 carries") {
				t.Errorf("a call of another run: %v", err)
			}
		})
	}
	few := shortRun(t, nonce)
	for i, x := range few.Exchanges {
		if i > 4 { // as in a run that has ids of another kind
			x.Request.Body = randomUUID.ReplaceAll(x.Request.Body, []byte("an-id"))
		}
	}
	if _, err := few.CheckNonce(nonce); err == nil || !strings.Contains(err.Error(), "calls with a body carry an id that is derived from it") {

		t.Errorf("few calls with ids: %v", err)
	}
	for bad, why := range map[string]string{"short": "could be guessed", strings.Repeat("x", 300): "the most are 200", "with a space in between": "contains a space"} {
		_, err := conform.Run(t.Context(), conform.Target{URL: "http://127.0.0.1:1", Judging: conform.Judging{Nonce: bad}})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// shortRun is the transcript of a short run with a nonce.
func shortRun(t *testing.T, nonce string) *record.Transcript {
	t.Helper()
	o, err := conform.Run(t.Context(), conform.Target{URL: bundled(t, reference.Options{Dialect: "core-schema"}).URL(), Dialect: "core-schema", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true}, Judging: conform.Judging{Nonce: nonce}})
	if err != nil {
		t.Fatal(err)
	}
	return o.Transcript
}

// randomUUID finds random UUIDs (version 4).
var randomUUID = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`)

// idsOf are the random UUIDs (version 4) in what was sent.
func idsOf(t *record.Transcript) map[string]bool {
	out := map[string]bool{}
	for _, x := range t.Exchanges {
		for _, id := range randomUUID.FindAllString(string(x.Request.Body), -1) {
			out[id] = true
		}
	}
	return out
}
