package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

// plannedTotal is the number of messages that a plan announces.
var plannedTotal = regexp.MustCompile(`(?m)^in all: (\d+) messages? to the agent, \d+ exchanges, about [0-9.]+ s`)

// plannedMessages are those of one conversation.
var plannedMessages = regexp.MustCompile(`(?m)^[a-z][a-z0-9-]* +(?:harmless|heavy|outbound|residue|disruptive) +(\d+) messages? `)

// TestPlanTellsThePrice compares the messages that a plan announces with those of the run that follows,
// for each dialect: on the bundled server, and on one at a URL of which nothing else is known.
func TestPlanTellsThePrice(t *testing.T) {
	testamount.SkipInShort(t)
	const tolerated = 2
	for _, dialect := range reference.Dialects() {
		for _, of := range []string{"--self", "URL"} {
			t.Run(dialect+" "+of, func(t *testing.T) { // alone: what disturbs a conversation makes it shorter
				args := []string{"run", of, "--dialect", dialect}
				if of == "URL" {
					args[1] = startWhole(t, dialect)
				}
				code, out, errs := command(t, append(args, "--plan")...)
				m := plannedTotal.FindStringSubmatch(out)
				if code != 0 || m == nil {
					t.Fatalf("exit %d\n%s%s", code, out, errs)
				}
				planned, _ := strconv.Atoi(m[1])
				sum := 0
				for _, one := range plannedMessages.FindAllStringSubmatch(out, -1) {
					n, _ := strconv.Atoi(one[1])
					sum += n
				}
				if sum != planned {
					t.Errorf("the conversations have %d messages, and %d are announced in all\n%s", sum, planned, out)
				}
				for attempt := 1; ; attempt++ { // on a busy machine a run may be disturbed, but not each time
					held := countSent(t, args)
					sent := 0
					for _, n := range held {
						sent += n
					}
					if diff := planned - sent; diff <= tolerated && diff >= -tolerated {
						break
					}
					if attempt == 3 {
						t.Errorf("%d messages are announced, and three times the run sent another number, at last %d: %v\n%s", planned, sent, held, out)
						break
					}
				}
			})
		}
	}
}

// countSent makes a run and counts the messages that it sent, by conversation.
func countSent(t *testing.T, args []string) map[string]int {
	t.Helper()
	dir := t.TempDir()
	_, _, errs := command(t, append(args, "--quiet", "--out", dir)...)
	file, err := os.Open(filepath.Join(dir, "transcript.har"))
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	defer file.Close()
	held, err := conform.Replay(file)
	if err != nil {
		t.Fatal(err)
	}
	return held.MessagesByConversation()
}

// TestPlanNamesWhatOneConversationDecides finds the requirements that a conversation decides alone.
func TestPlanNamesWhatOneConversationDecides(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	code, out, errs := command(t, "run", "--plan", "--dialect", "a2a-0.1", "--run", "A2A01-STR-041")
	_, after, ok := strings.Cut(out, "\nresubscribe ")
	if code != 0 || !ok || !strings.Contains(after, "\n    only this decides 1 requirement: A2A01-STR-041\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if !strings.Contains(out, "nothing was sent to yours") {
		t.Errorf("the plan does not say where it was counted:\n%s", out)
	}
}

// A plan for a URL of which nothing is known says which flag names the protocol, and how to find it out.
func TestPlanNamesTheFlagOfTheProtocol(t *testing.T) {
	t.Parallel()
	code, _, errs := command(t, "run", "http://127.0.0.1:1", "--plan")
	for _, want := range []string{"add --dialect a2a-1.0, or another one of a2a-0.1, a2a-0.3", "`a2a-conform card URL`"} {
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, want 2 and %q: %s", code, want, errs)
		}
	}
}

// startWhole starts the bundled server with all bindings that a dialect has.
func startWhole(t *testing.T, dialect string) (url string) {
	t.Helper()
	d, err := schema.Load(dialect)
	if err != nil {
		t.Fatal(err)
	}
	if d.Speaks(schema.KindGRPC) {
		return startedBy(t, "--dialect", dialect, "--grpc-addr", "127.0.0.1:0")
	}
	return startedBy(t, "--dialect", dialect)
}
