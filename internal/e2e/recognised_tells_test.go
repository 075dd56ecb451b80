package e2e

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/recognition"
	"github.com/a2a-conform/a2a-conform/reference"
)

// mostPlantedTells is how often a classifier must be right at least about requests in which the
// suite has a form of its own.
const mostPlantedTells = 0.90

// The classifier finds a form that the suite alone has, in each family that SECURITY.md does not
// list: members by their alphabet, as the suite once wrote them, are one.
func TestTellsAreRecognised(t *testing.T) {
	t.Parallel()
	var ours [2][]recognition.Recording
	for run := range 2 {
		url := bundled(t, reference.Options{Dialect: "a2a-1.0"}).URL()
		for hand := range 2 {
			o, err := conform.Run(t.Context(), conform.Target{URL: url, Dialect: "a2a-1.0", IDs: namingOfHand(hand, run), Endpoint: conform.Endpoint{Binding: []string{"JSONRPC", "HTTP+JSON"}[hand]}, Behaviour: conform.Behaviour{DefaultStimuli: true}})
			if err != nil {
				t.Fatal(err)
			}
			ours[run] = append(ours[run], recognition.OfRun(o.Transcript, "a2a-1.0"))
		}
	}
	theirs := clientsInUse(t)
	messageID := regexp.MustCompile(`("messageId":")([^"]*)`)
	for _, tell := range []struct {
		family recognition.Family
		plant  func(q *recognition.Request)
	}{
		{recognition.MessageIDs, func(q *recognition.Request) { q.Body = messageID.ReplaceAllString(q.Body, "${1}msg-$2") }},
		{recognition.MessageIDs, func(q *recognition.Request) {
			q.Body = messageID.ReplaceAllStringFunc(q.Body, func(id string) string { return `"messageId":"` + strings.ToUpper(id[len(`"messageId":"`):]) })
		}},
		{recognition.Spelling, func(q *recognition.Request) {
			if json.Valid([]byte(q.Body)) {
				q.Body += "\n"
			}
		}},
		{recognition.Spelling, func(q *recognition.Request) {
			var spaced bytes.Buffer
			if json.Indent(&spaced, []byte(q.Body), "", " ") == nil {
				q.Body = spaced.String()
			}
		}},
		{recognition.MemberOrder, func(q *recognition.Request) {
			var call struct{ Jsonrpc, Method, Params, ID json.RawMessage }
			if json.Unmarshal([]byte(q.Body), &call) == nil && call.Method != nil && call.ID != nil {
				q.Body = string(record.ArrangeMembers([]byte(q.Body), "call", map[string][]string{"call": {"id", "jsonrpc", "method", "params"}}))
			}
		}},
		{recognition.Queries, func(q *recognition.Request) {
			path, query, _ := strings.Cut(q.Target, "?")
			if pairs := strings.Split(query, "&"); len(pairs) > 1 && !strings.Contains(query, "pageToken") {
				slices.SortFunc(pairs, func(a, b string) int { return strings.Compare(b, a) })
				q.Target = path + "?" + strings.Join(pairs, "&")
			}
		}},
	} {
		learnt := recognition.Train(unlistedFamilies(), withTell(ours[0], tell.plant), traitsOf(theirs[0]))
		planted := onlyChanged(withTell(ours[1], tell.plant), traitsOf(ours[1]), tell.family)
		planted = askingAlike(planted, tell.family, traitsOf(theirs[0]))
		alike := askingAlike(traitsOf(theirs[1]), tell.family, planted)
		if n := countRequests(planted); n < 3 || countRequests(alike) < 3 {
			t.Errorf("%s: %d and %d requests have the trait", tell.family, n, countRequests(alike))
			continue
		}
		if right := learnt.Right(1, planted, alike); right < mostPlantedTells {
			t.Errorf("%s: only %.0f %% are recognised", tell.family, 100*right)
		}
	}
}

// withTell is what recordings show once each request has a tell.
func withTell(recordings []recognition.Recording, plant func(*recognition.Request)) []recognition.Sender {
	changed := slices.Clone(recordings)
	for i := range changed {
		changed[i].Requests = slices.Clone(changed[i].Requests)
		for k := range changed[i].Requests {
			plant(&changed[i].Requests[k])
		}
	}
	return traitsOf(changed)
}

// onlyChanged are the requests whose traits of a family are not what they were.
func onlyChanged(now, before []recognition.Sender, family recognition.Family) (out []recognition.Sender) {
	for i, s := range now {
		var changed recognition.Sender
		for k, traits := range s {
			if !slices.Equal(ofFamily(family, traits), ofFamily(family, before[i][k])) {
				changed = append(changed, traits)
			}
		}
		out = append(out, changed)
	}
	return out
}

// askingAlike are the requests that answer a question which others answer too.
func askingAlike(senders []recognition.Sender, family recognition.Family, others []recognition.Sender) (out []recognition.Sender) {
	questions := map[string]bool{}
	for _, s := range others {
		for _, traits := range s {
			for _, trait := range ofFamily(family, traits) {
				questions[trait.Question] = true
			}
		}
	}
	for _, s := range senders {
		out = append(out, slices.DeleteFunc(slices.Clone(s), func(traits []recognition.Trait) bool {
			return !slices.ContainsFunc(ofFamily(family, traits), func(trait recognition.Trait) bool { return questions[trait.Question] })
		}))
	}
	return out
}

// ofFamily are the traits of one family.
func ofFamily(family recognition.Family, traits []recognition.Trait) []recognition.Trait {
	return slices.DeleteFunc(slices.Clone(traits), func(trait recognition.Trait) bool { return trait.Family != family })
}

// countRequests counts requests.
func countRequests(senders []recognition.Sender) (n int) {
	for _, s := range senders {
		n += len(s)
	}
	return n
}
