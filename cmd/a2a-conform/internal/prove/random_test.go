package prove

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Whatever a server sends, no verdict on it is an error of the suite. Edits of
// recorded transcripts and runs behind a proxy that changes the answers show it,
// at random and by fixed seeds. What fails prints its seed, which does the same
// again:
//
//	go test ./cmd/a2a-conform/internal/prove -run 'TestRandomEdits/a2a-0.3' -seed 217
//
// and a file with the transcript. Servers are talked to anew each time: where
// they happen to answer in another order, only replay of that file shows the
// fault again, if what the requirement rests on is kept in it. An eightieth of them is
// tried, at least one, and more if testamount says so.
var seed = flag.Int("seed", -1, "try the random edit or run of this seed alone")

// seedsOf lists the seeds to try.
func seedsOf(n int) []int {
	if *seed >= 0 {
		return []int{*seed}
	}
	out := make([]int, max(1, n*testamount.Random(1)/80))
	for i := range out {
		out[i] = i
	}
	return out
}

// lot is drawn for a name: the same each time, whatever else there is.
func lot(salt uint64, name string) ticket {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", salt, name)
	n := h.Sum64() // whose last letters hardly reach its upper half
	n ^= n >> 32
	n *= 0x9e3779b97f4a7c15
	n ^= n >> 29
	return ticket(n)
}

type ticket uint64

func (t ticket) compare(u ticket) int { return cmp.Compare(t, u) }

// faults gathers what went wrong with the suite, each kind of fault once.
type faults struct {
	t    *testing.T
	mu   sync.Mutex
	seen map[string]int
	all  []string
}

func newFaults(t *testing.T) *faults { return &faults{t: t, seen: map[string]int{}} }

// guard does something with a transcript and notes a panic.
func (f *faults) guard(seed int, what string, t *record.Transcript, do func()) {
	defer func() {
		if p := recover(); p != nil {
			f.note(seed, "panic", fmt.Sprintf("%s\n\tpanic: %v", what, p), t)
		}
	}()
	do()
}

// errors notes every error of ours among results.
func (f *faults) errors(seed int, what string, d *schema.Dialect, results []report.Result, t *record.Transcript) {
	for _, r := range results {
		if r.Verdict == report.SuiteError {
			kind := r.ID
			if req := d.Requirement(r.ID); req != nil {
				kind = req.Check
			}
			f.note(seed, kind, fmt.Sprintf("%s\n\t%s: %s", what, r.ID, r.Reason), t)
		}
	}
}

// note keeps the first fault of each kind, and its transcript.
func (f *faults) note(seed int, kind, text string, t *record.Transcript) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[kind]++; f.seen[kind] > 1 {
		return
	}
	text = fmt.Sprintf("seed %d, %s\n\tgo test ./cmd/a2a-conform/internal/prove -run '%s' -seed %[1]d", seed, text, f.t.Name())
	if t == nil {
		f.all = append(f.all, text)
		return
	}
	if file, err := kept(t); err != nil {
		text += fmt.Sprintf("\n\tits transcript could not be kept: %v", err)
	} else {
		text += "\n\tgo run ./cmd/a2a-conform replay " + file
	}
	f.all = append(f.all, text)
}

// kept leaves a transcript in a file.
func kept(t *record.Transcript) (string, error) {
	dir, err := os.MkdirTemp("", "a2a-conform-random-")
	if err != nil {
		return "", err
	}
	file, err := os.Create(filepath.Join(dir, "transcript.har"))
	if err != nil {
		return "", err
	}
	defer file.Close()
	return file.Name(), record.WriteHAR(file, t)
}

func (f *faults) report() {
	slices.Sort(f.all)
	for _, text := range f.all {
		f.t.Error(text)
	}
	for kind, n := range f.seen {
		if n > 1 {
			f.t.Errorf("%s: %d times in all", kind, n)
		}
	}
}
