package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ErrNoDialect is why a recording without a candidate for its dialect cannot be read.
var ErrNoDialect = errors.New("the recording names no dialect that it may be of")

// The plays of the two records. A conversation has the name of its thread: threadPlay and a number.
const (
	cardPlay   = "card"    // of the server's: the card and other documents were fetched
	threadPlay = "thread-" // of the server's: one conversation
	talkPlay   = "traffic" // all that the client did
)

// Recognise gives each exchange its operation, role and conversation, and returns the record of each side, sealed, with a
// play for each conversation of the server. The error states that the recording names no dialect.
func Recognise(r Recording) (Halves, error) {
	d := chooseDialect(&r)
	if d == nil {
		return Halves{}, ErrNoDialect
	}
	h := Halves{Notes: slices.Clone(r.Notes)}
	var seen []*record.Exchange
	out := map[*record.Exchange]*record.Exchange{} // what was passed on, by what was seen
	client := false
	for _, p := range r.Passed {
		client = client || p.In != nil
		if x := p.firstSeen(); x != nil && !isPreflight(x) {
			seen = append(seen, x)
			out[x] = p.Out
		}
	}
	calls := readCalls(d, seen, r.Cards, r.Cut)
	if r.Dropped > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d exchanges passed and were not recorded", r.Dropped))
	}
	r.Target = cmp.Or(r.Target, findOrigin(calls))
	if n := markOther(calls, d, r.Dialects); n > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("%d of the calls are of another protocol than %s, and are not judged; --dialect chooses it", n, d.Title))
	}
	b := &builder{d: d, r: &r, calls: calls, out: out, names: map[*foundCall]string{}}
	b.nameSteps()
	if client {
		h.Client = b.buildClient()
	}
	h.Server = b.buildServer()
	for _, t := range []*record.Transcript{h.Client, h.Server} {
		if t != nil {
			t.Seal()
		}
	}
	return h, nil
}

// findOrigin returns the origin of the server that the first call went to; "" without a call.
func findOrigin(calls []*foundCall) string {
	for _, c := range calls {
		if origin := readOrigin(c.Exchange.URL); origin != "" && c.by != nil {
			return origin
		}
	}
	return ""
}

// readCalls finds out what exchanges are, in the order of their requests. known are cards that were known before.
func readCalls(d *schema.Dialect, all []*record.Exchange, known [][]byte, cut bool) []*foundCall {
	read := newReader(d, all, known)
	calls := make([]*foundCall, 0, len(all))
	for _, x := range all {
		calls = append(calls, read.readCall(x))
	}
	sortCalls(calls)
	markRepeatedCards(calls)
	linkCalls(d, calls, cut)
	return calls
}

// markRepeatedCards makes documents of the cards that came before with the same bytes: one card counts once. That no card is
// at a path counts only if it is at another path of the same agent.
func markRepeatedCards(calls []*foundCall) {
	had, elsewhere := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		if prefix, _, _ := strings.Cut(c.Exchange.URL, "/.well-known/"); c.Op == CardOp && c.Unusual == "" {
			elsewhere[prefix] = true
		}
	}
	for _, c := range calls {
		prefix, _, _ := strings.Cut(c.Exchange.URL, "/.well-known/")
		if c.Op == CardOp && c.Unusual != "" && elsewhere[prefix] && c.Exchange.Status() == http.StatusNotFound {
			c.Unusual = "" // it is at another path of the same agent
		}
		if c.Op != CardOp || c.Unusual != "" {
			continue
		}
		text := string(c.Exchange.Response.Body)
		if had[text] {
			c.Op, c.Role = documentOp, cardAgain
		}
		had[text] = true
	}
}

// chooseDialect returns the candidate of which most is seen: calls that name its operations and have its shapes, its
// version in a header, and its card. Of equals the first is taken.
func chooseDialect(r *Recording) (best *schema.Dialect) {
	var all []*record.Exchange
	for _, p := range r.Passed {
		if x := p.firstSeen(); x != nil {
			all = append(all, x)
		}
	}
	most := -1
	for _, d := range r.Dialects {
		n := 0
		read := newReader(d, all, r.Cards)
		for _, c := range read.cards {
			if c.IsOfDialect() {
				n += ofCard
			}
		}
		v := &conversations{d: d}
		for _, x := range spreadEvenly(all, maxVoters) {
			c := read.readCall(x)
			if c.by == nil || c.Op == "" {
				continue
			}
			if n++; v.findInvalid(c) == "" {
				n++
			}
		}
		if n > most {
			best, most = d, n
		}
	}
	return best
}

const (
	maxVoters = 500 // calls of a recording that are looked at to find its dialect
	ofCard    = 5   // what a card counts there, in calls
)

// builder builds the records of both sides.
type builder struct {
	d     *schema.Dialect
	r     *Recording
	calls []*foundCall
	out   map[*record.Exchange]*record.Exchange
	names map[*foundCall]string
}

// nameSteps gives each call the name of its step, which is the same in both records.
func (b *builder) nameSteps() {
	count := map[string]int{}
	for _, c := range b.calls {
		b.names[c] = record.NumberStep(count, nameRole(c))
	}
}

// newStep returns the step of a call.
func (b *builder) newStep(c *foundCall, x *record.Exchange) record.Step {
	s := record.Step{Name: b.names[c], Role: record.Main, Op: c.Op, Binding: c.Binding, Task: c.aboutTask(), Context: c.Context, Invalid: c.Invalid, Exchange: x}
	if c.Unusual != "" {
		s.Role = record.Probe
	}
	return s
}

// buildClient returns the record of what the client sent.
func (b *builder) buildClient() *record.Transcript {
	t := &record.Transcript{Started: b.r.Started, Facts: record.Facts{Kind: record.TrafficKind, Role: record.ClientRole, Dialect: b.d.Name, Target: b.r.Target, Before: b.r.Cut}}
	play := record.Play{Scenario: talkPlay, Attempt: 1, Client: &record.ClientRun{}}
	for _, c := range b.calls {
		if c.Exchange.Dir != record.In {
			continue
		}
		step := b.newStep(c, c.Exchange)
		if c.isNoCall() {
			step.Binding = "" // it went to the address of a binding, and asks for nothing there
		}
		play.Steps = append(play.Steps, step)
		t.Exchanges = append(t.Exchanges, c.Exchange)
		t.Duration = max(t.Duration, c.Exchange.End)
	}
	if len(play.Steps) == 0 {
		return nil
	}
	t.Plays = []record.Play{play}
	return t
}

// buildServer returns the record of what the server answered, with a play for each thread.
func (b *builder) buildServer() *record.Transcript {
	t := &record.Transcript{Started: b.r.Started, Facts: record.Facts{Kind: record.TrafficKind, Dialect: b.d.Name, Target: b.r.Target, Before: b.r.Cut, Endpoints: map[string]string{}}}
	cards := record.Play{Scenario: cardPlay, Attempt: 1}
	place := map[string]int{}
	var threads []record.Play
	for _, c := range b.calls {
		x := b.out[c.Exchange]
		if x == nil {
			continue
		}
		t.Exchanges = append(t.Exchanges, x)
		t.Duration = max(t.Duration, x.End)
		step := b.newStep(c, x)
		if c.Op == CardOp || c.Op == documentOp {
			cards.Steps = append(cards.Steps, step)
			continue
		}
		if c.Binding != "" {
			if !slices.Contains(t.Facts.Bindings, c.Binding) {
				t.Facts.Bindings = append(t.Facts.Bindings, c.Binding)
			}
			if t.Facts.Endpoints[c.Binding] == "" && c.Op != "" {
				t.Facts.Endpoints[c.Binding] = c.findEndpointIn(b.d, x.URL)
			}
		}
		key := fmt.Sprint(c.thread, " ", c.Binding)
		i, known := place[key]
		if !known {
			i = len(threads)
			place[key] = i
			threads = append(threads, record.Play{Scenario: fmt.Sprint(threadPlay, i+1), Attempt: 1, Subject: record.Subject{Binding: c.Binding}})
		}
		threads[i].Steps = append(threads[i].Steps, step)
	}
	if len(t.Exchanges) == 0 {
		return nil
	}
	if len(cards.Steps) > 0 {
		t.Plays = append(t.Plays, cards)
	}
	t.Plays = append(t.Plays, threads...)
	if len(t.Facts.Bindings) > 0 {
		t.Facts.RPC = t.Facts.Endpoints[t.Facts.Bindings[0]]
	}
	return t
}

// findEndpoint returns the address below which a call went; "" for a document.
func (c *foundCall) findEndpoint(d *schema.Dialect) string {
	return c.findEndpointIn(d, c.Exchange.URL)
}

// findEndpointIn returns the address below which the call went that is at an address, in one of the halves of a recording.
func (c *foundCall) findEndpointIn(d *schema.Dialect, address string) string {
	is := d.Bindings[c.Binding]
	switch {
	case c.Binding == "":
		return ""
	case is.Kind == schema.KindJSONRPC && !d.ByMethod:
		return address
	case is.Kind == schema.KindGRPC:
		if at := strings.Index(address, "/"+is.Service+"/"); at > 0 {
			return address[:at]
		}
	}
	u, err := url.Parse(address)
	if err != nil || c.base == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + ReadPath(c.base)
}

// findNearestInterface returns the interface of a card that an address leads to by the longest path; nil for none.
func (r *reader) findNearestInterface(address string) (nearest *card.Interface) {
	longest := -1
	for _, c := range r.cards {
		for _, i := range slices.Concat(c.Interfaces(), c.Entries()) {
			is, known := r.d.Bindings[i.Transport()]
			base := ReadPath(i.URL())
			if !known || !i.Covers(address) || len(base) <= longest {
				continue
			}
			if is.Kind == schema.KindJSONRPC && ReadPath(address) != base && !r.d.ByMethod {
				continue // it has one address
			}
			longest, nearest = len(base), &i
		}
	}
	return nearest
}

// isPreflight reports whether a request is one by which a browser or a monitor looks whether something is there.
func isPreflight(x *record.Exchange) bool {
	return slices.Contains([]string{http.MethodOptions, http.MethodHead}, x.Request.Method())
}

// isNoCall reports whether a request asks for nothing of the protocol: a monitor or a browser looks at an address by GET, and
// a client of several versions makes calls of another one.
func (c *foundCall) isNoCall() bool {
	return c.Op == "" && (c.ofOther || len(c.Exchange.Request.Body) == 0 && c.Exchange.Request.Method() == http.MethodGet)
}

// markOther marks the calls that name an operation of another candidate, and none of the chosen dialect.
func markOther(calls []*foundCall, chosen *schema.Dialect, candidates []*schema.Dialect) (n int) {
	for _, c := range calls {
		if c.Op != "" || len(c.Exchange.Request.Body) == 0 {
			continue
		}
		for _, d := range candidates {
			if d == chosen {
				continue
			}
			for _, name := range binding.Names(d) {
				if b := binding.ByNameOrDefault(d, name); b.Kind() == schema.KindJSONRPC && b.Sent(c.Exchange).Op != "" {
					c.ofOther = true
				}
			}
		}
		if c.ofOther {
			n++
		}
	}
	return n
}

// HasCalls reports whether a valid call of the dialect was found, or a card.
func (h *Halves) HasCalls() bool {
	for _, t := range []*record.Transcript{h.Server, h.Client} {
		if t == nil {
			continue
		}
		for _, s := range t.Steps() {
			if s.Op != "" && s.Op != documentOp && !s.Invalid && (s.Op != CardOp || s.Exchange.Obtained()) {
				return true
			}
		}
	}
	return false
}

// MarkFaulty marks the calls of the server's record by which the client broke a requirement: they are no evidence about the
// server. faulty are exchanges of the client's record.
func (h *Halves) MarkFaulty(faulty map[*record.Exchange]bool) {
	if h.Client == nil || h.Server == nil {
		return
	}
	names := map[string]bool{}
	for _, s := range h.Client.Steps() {
		if faulty[s.Exchange] {
			names[s.Name] = true
		}
	}
	for i := range h.Server.Plays {
		for j := range h.Server.Plays[i].Steps {
			s := &h.Server.Plays[i].Steps[j]
			s.Invalid = s.Invalid || names[s.Name] && s.Op != CardOp && s.Op != documentOp
		}
	}
}

// RecogniseRoles returns the role of each exchange of a server's record, by what was sent and delivered alone.
func RecogniseRoles(d *schema.Dialect, all []*record.Exchange) map[*record.Exchange]string {
	out := map[*record.Exchange]string{}
	for _, c := range readCalls(d, all, nil, false) {
		out[c.Exchange] = c.Role
	}
	return out
}
