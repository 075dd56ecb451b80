package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/recognition"
	"github.com/a2a-conform/a2a-conform/reference"
)

// listed are the families of traits by which SECURITY.md admits that a server can recognise the
// suite, and the words in which it does.
var listed = map[recognition.Family]string{
	recognition.Fields:      "its header fields, their values and their order",
	recognition.FieldValues: "its header fields, their values and their order",
	recognition.FieldOrder:  "its header fields, their values and their order",
	recognition.Calls:       "which calls follow each other",
	recognition.Pauses:      "how soon",
	recognition.Connections: "on how many connections",
	recognition.Members:     "the members of a call",
	recognition.CallIDs:     "ids that are always UUIDs",
	recognition.OtherIDs:    "ids that are always UUIDs",
	recognition.Words:       "Fixed texts",
}

// unlistedFamilies are the other families: they must not tell the suite from clients in use.
func unlistedFamilies() (out []recognition.Family) {
	for _, f := range recognition.Families {
		if listed[f] == "" {
			out = append(out, f)
		}
	}
	return out
}

// mostRecognised is how often a classifier may be right; who guesses is right half of the time.
const mostRecognised = 0.60

// ways are the dialects and bindings in which clients were recorded, and how many runs of the
// suite are compared with them: in each, the two halves take each hand equally often, since which
// clients a server knows is not ours to know.
var ways = []struct {
	dialect, binding string
	runs             int
}{{"a2a-0.3", "JSONRPC", 4}, {"a2a-0.3", "HTTP+JSON", 4}, {"a2a-1.0", "JSONRPC", 8}, {"a2a-1.0", "HTTP+JSON", 4}}

// A classifier that learns from ten runs and from half of what SDK clients were recorded to send
// recognises the others hardly better than chance, by all that SECURITY.md does not list: neither
// from single requests nor from several that follow each other.
func TestSuiteIsTakenForClients(t *testing.T) {
	t.Parallel()
	ours, theirs := runsInEachHand(t), clientsInUse(t)
	for half := range 2 {
		learnt := recognition.Train(unlistedFamilies(), traitsOf(ours[half]), traitsOf(theirs[half]))
		for _, window := range []int{1, 3, 10} {
			right := learnt.Right(window, traitsOf(ours[1-half]), traitsOf(theirs[1-half]))
			t.Logf("half %d, windows of %d: %.2f", half, window, right)
			if right > mostRecognised {
				t.Errorf("of windows of %d requests, %.0f %% are recognised by %v", window, 100*right, unlistedFamilies())
			}
		}
	}
}

// What is listed is in SECURITY.md, word for word.
func TestTraitsAreListed(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### What identifies the suite")
	section, _, _ = strings.Cut(section, "\n##")
	for f, words := range listed {
		if !strings.Contains(strings.Join(strings.Fields(section), " "), words) {
			t.Errorf("SECURITY.md does not list %s in the words %q", f, words)
		}
	}
}

// traitsOf is what each recording shows.
func traitsOf(recordings []recognition.Recording) (out []recognition.Sender) {
	for _, r := range recordings {
		out = append(out, r.Traits())
	}
	return out
}

// clientsInUse reads what clients on public SDKs sent, in two halves: the even and the odd of
// stretches of ten requests.
func clientsInUse(t *testing.T) (halves [2][]recognition.Recording) {
	t.Helper()
	files, err := filepath.Glob("internal/recognition/testdata/*.jsonl")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := recognition.Read(in)
		in.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for half := range 2 {
			part := all
			part.Requests = nil
			for i, q := range all.Requests {
				if i/10%2 == half {
					part.Requests = append(part.Requests, q)
				}
			}
			halves[half] = append(halves[half], part)
		}
	}
	return halves
}

// runsInEachHand makes twenty runs against the bundled server, ten for each half.
func runsInEachHand(t *testing.T) (halves [2][]recognition.Recording) {
	t.Helper()
	var mu sync.Mutex
	var under sync.WaitGroup
	room := make(chan struct{}, 4)
	for _, way := range ways {
		url := bundled(t, reference.Options{Dialect: way.dialect}).URL()
		for run := range way.runs {
			under.Go(func() {
				room <- struct{}{}
				defer func() { <-room }()
				o, err := conform.Run(t.Context(), conform.Target{URL: url, Dialect: way.dialect,
					IDs: namingOfHand(run/2%2, run), Endpoint: conform.Endpoint{Binding: way.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true}})
				if err != nil {
					t.Errorf("%s over %s: %v", way.dialect, way.binding, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				halves[run%2] = append(halves[run%2], recognition.OfRun(o.Transcript, way.dialect))
			})
		}
	}
	under.Wait()
	if len(halves[0]) != 10 || len(halves[1]) != 10 {
		t.Fatalf("there are %d and %d runs", len(halves[0]), len(halves[1]))
	}
	return halves
}

// namingOfHand is a naming from which a run draws a hand.
func namingOfHand(hand, run int) operator.Naming {
	for try := 0; ; try++ {
		n := operator.Naming{Nonce: "which hand is taken", Salt: fmt.Sprint(run, try)}
		if dialect.DrawHand(n)%2 == hand {
			return n
		}
	}
}
