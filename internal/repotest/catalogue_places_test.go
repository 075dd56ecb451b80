package repotest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// aboutEvery tells a sentence about every value of a kind by its words.
var aboutEvery = regexp.MustCompile(`(?i)\b(every|each|any|all|wherever|no two)\b`)

// namesCalls are the parameters by which a requirement names conversations or calls.
var namesCalls = []string{"steps", "step", "plays", "play", "pairs", "streams", "looks", "then"}

// whereLooked says of each check that judges a sentence about every value of a kind, and
// is given conversations or calls by name, where it looks: everywhere, so that the named
// ones only have to be held, or why at no others.
var whereLooked = map[string][]string{
	"everywhere: what is named only has to be held": strings.Fields(`
		artifact/after-last artifact/first-chunk artifact/unique-ids artifact/valid-parts auth/challenge auth/challenge-scheme
		card/scheme-names card/unique envelope/no-error-beside-result envelope/response errors/code-range errors/coded
		errors/details-list errors/details-typed errors/info errors/info-domain errors/info-metadata
		errors/info-reason errors/no-internal errors/not-for-callers errors/number errors/violations errors/worded
		extension/declared grpc/counted grpc/error-status grpc/named-values grpc/one-payload list/bare list/sorted message/distinct-ids
		message/context-named message/names-holder message/unique-ids message/own-id message/places message/reply-role message/sound part/defined part/kind
		part/mime-type part/structured ratelimit/header rest/code rest/error-status rest/json rest/one-shape
		rest/status-name rest/succeeds rest/told shape shape/by-name shape/member-names shape/one-member shape/without
		stream/echoes-id stream/enveloped stream/error-last stream/final-state stream/in-order stream/one-response stream/one-task
		stream/only-updates task/spelling time/iso-8601 time/milliseconds time/utc transport/utf-8`),
	"the named calls are the subject: what sets them apart is what the run sent in them": strings.Fields(`
		auth/accepted auth/refused card/extended card/extended-caching card/extended-differs envelope/batch envelope/null-call errors/code
		errors/info-present errors/names-member errors/refused extension/other-version extension/trace grpc/status http/status
		interface/answers interface/preferred interfaces/let-in interfaces/offered
		interfaces/same-error interfaces/same-task limits/blame list/artifacts list/history list/of-state
		list/since message/accepted message/implemented message/modes message/not-refused push/url-refused
		rest/error-object rest/holds-one stream/any-origin stream/opens stream/refused
		stream/refused-body stream/refused-code task/bad-params transport/no-fault version/named version/unmixed`),
	"the sentence is about the course of a task, which is known in a conversation that was held for it alone": strings.Fields(`
		artifact/assembled artifact/closed artifact/stored cancel/again cancel/final cancel/leads
		cancel/returns-task cancel/shows list/moves context/in-reply context/same history/holds history/keeps history/latest
		history/letters history/limited history/order history/sent message/reply-context message/stays-message
		push/list-empty push/listed push/token-header push/url stream/all-served stream/closes stream/closes-ended
		stream/ends-in stream/final-last stream/may-pause stream/message-closes stream/not-cut
		stream/nothing-after-final stream/stored-state task/clock task/distinct task/ends task/kept task/latest
		task/no-step-back task/status-message task/stays task/unchanged`),
	"the form of a stream, or what it brings first, is judged on streams of which the run knows what is due; the form of each event is judged everywhere": strings.Fields(`
		stream/context stream/error-event stream/event-name stream/final-told stream/format stream/named
		stream/one-form stream/one-message-id stream/one-object stream/only-message
		stream/same-task stream/status-time stream/task-id stream/unfinished`),
	"only of the entries and agents of the named conversations the run knows what they should hold": strings.Fields(`
		directory/entries directory/finds directory/forgets directory/keeps directory/lists directory/renewed
		result/repeats task/output task/own-id task/reason`),
}

// A sentence about every value of a kind is judged wherever one can be, or there is a
// reason why not.
func TestSentencesAboutEveryValueLookEverywhere(t *testing.T) {
	reason := map[string]string{}
	for why, checks := range whereLooked {
		for _, check := range checks {
			if reason[check] != "" {
				t.Errorf("the check %s is listed twice", check)
			}
			reason[check] = why
		}
	}
	used := map[string]bool{}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Requirements {
			r := &d.Requirements[i]
			named := slices.ContainsFunc(namesCalls, func(key string) bool { return r.With[key] != nil })
			if r.Unobservable != "" || !named || r.Every == "" && !aboutEvery.MatchString(r.Statement) {
				continue
			}
			if used[r.Check] = true; reason[r.Check] == "" {
				t.Errorf("%s is about every value of a kind (%s), and its check %s is given conversations by name: let it look everywhere, or say why it does not", r.ID, r.Statement, r.Check)
			}
		}
	}
	for _, check := range slices.Sorted(maps.Keys(reason)) {
		if !used[check] {
			t.Errorf("no requirement about every value of a kind names conversations for the check %s", check)
		}
	}
}
