package gateway

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func init() {
	checks["gateway/not-reused"] = checkNotReused
	checks["gateway/age"] = checkAge
	checks["gateway/same-outcome"] = checkSameOutcome
	checks["gateway/same-forms"] = checkSameForms
	checks["gateway/signed-card"] = checkSignedCard
	checks["gateway/card"] = checkCard
	checks["gateway/card-members"] = checkCardMembers
	checks["gateway/card-addresses"] = checkCardAddresses
	checks["gateway/same-error"] = checkSameError
	checks["gateway/same-errors"] = checkSameErrors
	checks["gateway/events"] = checkEvents
	checks["gateway/held-back"] = checkHeldBack
	checks["gateway/survives"] = checkSurvives
	checks["gateway/cut"] = checkCut
	checks["gateway/grpc-status"] = checkGRPCStatus
}

// requireSerials returns the numbers of the first and of the second answer through the gateway, or what the check comes to without
// them. A gateway that does not pass the first one on shows nothing.
func (j *judged) requireSerials(p params) (first, second *pair, stop *outcome) {
	first, second = j.findPair(p.Play, "first"), j.findPair(p.Play, "second")
	for _, q := range []*pair{first, second} {
		if why := whyUnusable(q); why != "" {
			o := leaveUndecided("%s (%s)", why, p.Play)
			return nil, nil, &o
		}
		if why := refusedByGateway(q); why != "" {
			o := leaveUndecided("%s", why)
			return nil, nil, &o
		}
		if serialOf(q.through) == "" {
			o := leaveUndecided("the answer through the gateway is not that of the server")
			return nil, nil, &o
		}
	}
	return first, second, nil
}

// checkNotReused judges whether the second of two requests was answered by the answer to the first one.
func checkNotReused(j *judged, p params) outcome {
	first, second, stop := j.requireSerials(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{first.through, second.through}
	if serialOf(first.through) == serialOf(second.through) {
		return j.failWith(x, "the gateway answered the second request by the answer to the first one, which may not be reused for it: %s", showText(describeFields(&first.direct.Response, "Cache-Control", "Vary")))
	}
	return j.passWith("the second request was answered by the server", x...)
}

// describeFields returns those of some fields that a message has, as it has them.
func describeFields(m *record.Message, names ...string) string {
	var out []string
	for _, name := range names {
		for _, v := range valuesOf(m, name) {
			out = append(out, name+": "+v)
		}
	}
	return cmp.Or(strings.Join(out, "; "), "it has no fields about that")
}

// checkAge judges whether an answer from a cache states its age.
func checkAge(j *judged, p params) outcome {
	first, second, stop := j.requireSerials(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{first.through, second.through}
	switch {
	case serialOf(first.through) != serialOf(second.through):
		return notApplicable("the gateway stores no answers")
	case len(valuesOf(&second.through.Response, "Age")) == 0:
		return j.failWith(x, "the gateway answered by a stored response without `Age`")
	}
	return j.passWith("the stored response has `Age`", x...)
}

// checkSameOutcome judges whether an error is the same through the gateway.
func checkSameOutcome(j *judged, p params) outcome {
	var seen []*record.Exchange
	var uncontrolled *outcome
	for _, q := range j.listOfKind("", p.Play, "") {
		if whyUnusable(q) != "" {
			continue
		}
		direct, through := j.answersOf(q, "send")
		if !direct.Failure.Exists() {
			continue
		}
		if stop := j.requireControl(q); stop != nil {
			uncontrolled = stop
			continue
		}
		seen = append(seen, q.direct, q.through)
		if !slices.Equal(direct.Names, through.Names) {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the call fails directly with %s; through the gateway %s", describeNames(direct), describeNames(through))
		}
	}
	switch {
	case len(seen) == 0 && uncontrolled != nil:
		return *uncontrolled
	case len(seen) == 0:
		return leaveUndecided("no call of this kind fails directly, so that nothing can be compared")
	}
	return j.passWith("the calls fail through the gateway as they do directly", seen...)
}

// describeNames names the error of an answer.
func describeNames(a binding.Answer) string {
	switch {
	case len(a.Names) > 0:
		return strings.Join(a.Names, " or ")
	case a.Failure.Exists():
		return "an error that the protocol does not have"
	case a.Result.Exists():
		return "a result"
	}
	return "no answer of the protocol"
}

// formOf describes the form of an answer: its status, its error, and the names of the members that show in which version it is
// written. Of a card they are its own.
func (j *judged) formOf(q *pair, x *record.Exchange) string {
	out := []string{fmt.Sprint(x.Status())}
	a := binding.ByNameOrDefault(j.dialect, q.binding).Decode("send", x)
	result := a.Result.Node
	if strings.HasPrefix(q.step, "card") {
		result = x.Reply().Root
	}
	for _, n := range []*record.Node{result, result.Member("task")} {
		if n == nil {
			continue
		}
		var members []string
		for _, m := range n.Members {
			members = append(members, m.Name)
		}
		slices.Sort(members)
		out = append(out, strings.Join(members, " "))
	}
	if a.Failure.Exists() {
		out = append(out, describeNames(a))
	}
	return strings.Join(out, "; ")
}

// checkSameForms judges whether an agent of two versions answers through the gateway in the version of each call.
func checkSameForms(j *judged, p params) outcome {
	var seen []*record.Exchange
	for i := range j.pairs {
		q := &j.pairs[i]
		if q.play != p.Play || whyUnusable(q) != "" {
			continue
		}
		seen = append(seen, q.direct, q.through)
		if direct, through := j.formOf(q, q.direct), j.formOf(q, q.through); direct != through {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the call (%s) is answered directly in the form %s, and through the gateway in the form %s", q.step, showText(direct), showText(through))
		}
	}
	if len(seen) == 0 {
		return notApplicable("the agent has one version at each address")
	}
	return j.passWith("the calls of each version are answered in the same form on both ways", seen...)
}

// requireCards returns the card on both ways, or what a check comes to without it.
func (j *judged) requireCards() (q *pair, direct, through *record.Node, stop *outcome) {
	q = j.findPair("card", "get")
	var o outcome
	switch {
	case whyUnusable(q) != "":
		o = leaveUndecided("%s (card)", whyUnusable(q))
	case !q.direct.Obtained() || q.direct.Reply().Root == nil:
		o = leaveUndecided("the server itself gives no card")
	default:
		direct, through = q.direct.Reply().Root, q.through.Reply().Root
		return q, direct, through, nil
	}
	return nil, nil, nil, &o
}

// isCard reports whether a card came through the gateway.
func isCard(q *pair, through *record.Node) bool {
	return q.through.Status() == 200 && through != nil && through.Kind == record.Object
}

// checkCard judges whether the card reached the caller.
func checkCard(j *judged, _ params) outcome {
	q, _, through, stop := j.requireCards()
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.direct, q.through}
	switch {
	case isCard(q, through):
		return j.passWith("the card reached the caller", x...)
	case asksForCredentials(q.through):
		o := leaveUndecided("the gateway answers the call for the card with HTTP status %d", q.through.Status())
		o.remedy = credentialsForGateway
		return o
	case IsServerLost(q.through.Status()) || q.through.Status() == tooManyRequests:
		return leaveUndecided("the gateway answers the call for the card with HTTP status %d: it does not reach the server, or limits the rate of calls", q.through.Status())
	}
	return j.failWith(x, "the server gives its card, and the gateway answers with HTTP status %d and %s", q.through.Status(), describeContent(q.through))
}

// describeContent describes the content of an answer that is not what it should be.
func describeContent(x *record.Exchange) string {
	if len(x.Response.Body) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", showText(string(x.Response.Body)))
}

// checkSignedCard judges whether a signed card is unchanged.
func checkSignedCard(j *judged, _ params) outcome {
	q, direct, through, stop := j.requireCards()
	if stop != nil {
		return *stop
	}
	if list := direct.Member("signatures"); list == nil || len(list.Elems) == 0 {
		return notApplicable("the card has no signatures")
	}
	if !isCard(q, through) {
		return leaveUndecided("no card came through the gateway")
	}
	if at := firstDifference(direct, through, "", isSignature); at != "" && j.changesItself(direct, at) {
		return leaveUndecided("the server itself gives another card at each call: it differs at %s", showText(at))
	} else if at != "" {
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway changed the signed card at %s, so that its signatures do not verify", showText(at))
	}
	at := firstDifference(direct, through, "", func(string, *record.Node, *record.Node) bool { return false })
	if at == "" {
		return j.passWith("the signed card reached the caller unchanged", q.direct, q.through)
	}
	switch again := j.findDirect("card", "repeat"); {
	case again.Obtained() && again.Reply().Root.Equal(direct):
		return j.failWith([]*record.Exchange{q.direct, q.through, again}, "the gateway changed the signed card at %s, so that its signatures do not verify", showText(at))
	case !again.Obtained() || firstDifference(direct, again.Reply().Root, "", isSignature) != "":
		return leaveUndecided("the cards differ at %s alone, and nothing shows whether the server signs its card anew for each caller", showText(at))
	default:
		return j.passWith("the signed card reached the caller unchanged but for its signature, which the server makes anew for each caller", q.direct, q.through, again)
	}
}

// changesItself reports whether the card that the server itself gives is another one at that place when it is got once more.
func (j *judged) changesItself(direct *record.Node, at string) bool {
	again := j.findDirect("card", "repeat")
	return again.Obtained() && firstDifference(direct, again.Reply().Root, "", isSignature) == at
}

// isSignature reports whether two values are signatures of the same length. Those of some algorithms, such as ES256, are other ones each
// time that the same card is signed.
func isSignature(at string, a, b *record.Node) bool {
	of, isMember := strings.CutSuffix(at, "/signature")
	return isMember && strings.HasPrefix(of, "/signatures/") && a != nil && b != nil && a.Kind == record.String && b.Kind == record.String && len(a.String) == len(b.String)
}

// firstDifference returns the pointer to the first place at which two JSON values differ and that is not excused; "" if there is
// none.
func firstDifference(a, b *record.Node, at string, excused func(at string, a, b *record.Node) bool) string {
	if a.Equal(b) || excused(at, a, b) {
		return ""
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.Kind != record.Object && a.Kind != record.Array || len(a.Elems) != len(b.Elems) {
		return cmp.Or(at, "/")
	}
	for i := range a.Elems {
		if d := firstDifference(a.Elems[i], b.Elems[i], fmt.Sprint(at, "/", i), excused); d != "" {
			return d
		}
	}
	for _, m := range a.Members {
		if d := firstDifference(m.Value, b.Member(m.Name), at+"/"+m.Name, excused); d != "" {
			return d
		}
	}
	for _, m := range b.Members {
		if a.Member(m.Name) == nil && !excused(at+"/"+m.Name, nil, m.Value) {
			return at + "/" + m.Name
		}
	}
	return ""
}

// isAddress reports whether two values are addresses, which a gateway may replace by its own.
func isAddress(_ string, a, b *record.Node) bool {
	if a == nil || b == nil || a.Kind != record.String || b.Kind != record.String {
		return false
	}
	return looksLikeAddress(a.String) && looksLikeAddress(b.String)
}

// looksLikeAddress reports whether a text is a URL, or the host and the port of a server of gRPC.
func looksLikeAddress(text string) bool {
	u, err := url.Parse(text)
	if err == nil && u.Host != "" {
		return true
	}
	host, port, has := strings.Cut(text, ":")
	return has && host != "" && port != "" && strings.Trim(port, "0123456789") == ""
}

// checkCardMembers judges whether the card differs in more than its addresses.
func checkCardMembers(j *judged, _ params) outcome {
	q, direct, through, stop := j.requireCards()
	if stop != nil {
		return *stop
	}
	if !isCard(q, through) {
		return leaveUndecided("no card came through the gateway")
	}
	at := firstDifference(direct, through, "", func(at string, a, b *record.Node) bool { return isAddress(at, a, b) || isSignature(at, a, b) })
	switch {
	case at != "" && j.changesItself(direct, at):
		return leaveUndecided("the server itself gives another card at each call: it differs at %s", showText(at))
	case at != "":
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway changed the card at %s", showText(at))
	}
	return j.passWith("the card differs in its addresses and its signatures at most", q.direct, q.through)
}

// checkCardAddresses judges whether callers who follow the card call the gateway.
func checkCardAddresses(j *judged, _ params) outcome {
	q, _, through, stop := j.requireCards()
	if stop != nil {
		return *stop
	}
	if !isCard(q, through) {
		return leaveUndecided("no card came through the gateway")
	}
	gateway, err := url.Parse(j.facts.Through)
	if err != nil {
		return leaveUndecided("the address of the gateway cannot be read")
	}
	var elsewhere []string
	for _, i := range card.Of(j.dialect, through).Interfaces() {
		u, err := url.Parse(i.URL())
		if err == nil && u.Host == gateway.Host {
			return j.passWith("the card names the gateway", q.through)
		}
		elsewhere = append(elsewhere, i.URL())
	}
	if len(elsewhere) == 0 {
		return leaveUndecided("the card has no addresses")
	}
	return j.failWith([]*record.Exchange{q.through}, "the card that comes through the gateway leads past it, to %s", showText(strings.Join(elsewhere, ", ")))
}

// reasonsOf returns what the details of an error name: types and reasons, sorted.
func reasonsOf(n *record.Node) (out []string) {
	for _, name := range []string{"@type", "reason"} {
		for _, f := range n.Find(name) {
			if f.Node.Kind == record.String {
				out = append(out, f.Node.String)
			}
		}
	}
	slices.Sort(out)
	return out
}

// checkSameError judges whether an error reached the caller in a binding: its code, its details or its status.
func checkSameError(j *judged, p params) outcome {
	all := j.listOfKind(p.Kind, "error", "")
	if len(all) == 0 {
		return notApplicable("the agent is not called by %s", describeKind(p.Kind))
	}
	q := all[0]
	if why := whyUnusable(q); why != "" {
		return leaveUndecided("%s (%s)", why, q.play)
	}
	if stop := j.requireControl(q); stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.direct, q.through}
	direct, through := j.answersOf(q, "get")
	if !direct.Failure.Exists() {
		return leaveUndecided("the server answers the call for an unknown task without an error")
	}
	switch p.What {
	case "status":
		if why := refusedByGateway(q); why != "" {
			return j.failWith(x, "the call for an unknown task: %s", why)
		}
		return j.passWith("the error has the same status on both ways", x...)
	case "details":
		was, is := reasonsOf(direct.Details.Node), reasonsOf(through.Details.Node)
		switch {
		case len(was) == 0:
			return notApplicable("the server sends no details of the error")
		case !slices.Equal(was, is):
			return j.failWith(x, "the details of the error are %s directly, and %q through the gateway", showText(strings.Join(was, ", ")), showText(strings.Join(is, ", ")))
		}
		return j.passWith("the details of the error reached the caller", x...)
	}
	switch {
	case !through.Failure.Exists() || !through.Code.Exists():
		return j.failWith(x, "the call for an unknown task is answered with an error of the protocol directly, and through the gateway with %s", describeContent(q.through))
	case !direct.Code.Node.Equal(through.Code.Node):
		return j.failWith(x, "the `code` of the error is %s directly, and %s through the gateway", showText(textOf(direct.Code.Node)), showText(textOf(through.Code.Node)))
	}
	return j.passWith("the error reached the caller with its code", x...)
}

// textOf returns a number or a text of JSON.
func textOf(n *record.Node) string {
	if n.Kind == record.Number {
		return n.Number
	}
	return n.String
}

// checkSameErrors judges whether errors of the agent reached the caller with their status and their content.
func checkSameErrors(j *judged, p params) outcome {
	var seen []*record.Exchange
	var changed []string
	var x []*record.Exchange
	for _, play := range p.Plays {
		q := j.findPair(play, "")
		if whyUnusable(q) != "" {
			continue
		}
		seen = append(seen, q.through)
		if refusedByGateway(q) != "" || string(withoutSerial(q.direct)) != string(withoutSerial(q.through)) {
			changed, x = append(changed, fmt.Sprint(q.direct.Status())), append(x, q.direct, q.through)
		}
	}
	switch {
	case len(seen) == 0:
		return leaveUndecided("no error of the agent was seen on both ways")
	case len(changed) > 0:
		return j.failWith(x, "the gateway replaced the answers of the agent with HTTP status %s by its own", strings.Join(changed, ", "))
	}
	return j.passWith("the errors of the agent reached the caller", seen...)
}

// numbersOf returns the numbers of the events of a stream of the upstream.
func numbersOf(x *record.Exchange) (out []string) {
	for _, e := range x.Events() {
		if n := e.Root.Member("n"); n != nil {
			out = append(out, n.Number)
		} else if id := e.Root.At("/task/id"); id != nil { // in gRPC each event is a task
			out = append(out, id.String)
		}
	}
	return out
}

// checkEvents judges whether the events of a stream reached the caller: all of them, or those that did in their order.
func checkEvents(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	direct, through := numbersOf(q.direct), numbersOf(q.through)
	x := []*record.Exchange{q.direct, q.through}
	if len(direct) == 0 {
		return leaveUndecided("no event came directly")
	}
	if p.What == "order" {
		switch {
		case len(through) < 2:
			return leaveUndecided("fewer than two events came through the gateway")
		case !slices.IsSorted(through):
			return j.failWith(x, "the events came through the gateway in the order %s", strings.Join(through, ", "))
		}
		return j.passWith("the events came in their order", x...)
	}
	for _, n := range direct {
		if !slices.Contains(through, n) {
			return j.failWith(x, "%d events came directly, and %d through the gateway; event %s is missing", len(direct), len(through), n)
		}
	}
	return j.passWith(fmt.Sprintf("all %d events reached the caller", len(direct)), x...)
}

// checkHeldBack judges whether events came as the server sent them. The times of the direct call are what is compared with, so
// that a busy machine shows on both.
func checkHeldBack(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	spread := func(x *record.Exchange) time.Duration {
		events := x.Events()
		if len(events) < 2 {
			return 0
		}
		return events[len(events)-1].At - events[0].At
	}
	direct, through := spread(q.direct), spread(q.through)
	switch {
	case direct < 400*time.Millisecond:
		return leaveUndecided("the events came at once directly too")
	case len(numbersOf(q.through)) < 2:
		return leaveUndecided("fewer than two events came through the gateway")
	case through < direct*2/5:
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the events of %d ms came through the gateway within %d ms: it held them back", direct.Milliseconds(), through.Milliseconds())
	}
	return j.passWith("the events came one by one", q.direct, q.through)
}

// checkSurvives judges whether an answer that takes long reached the caller as it does directly.
func checkSurvives(j *judged, p params) outcome {
	q := j.findPair(p.Play, "")
	if q == nil {
		return leaveUndecided("%s (%s)", whyUnusable(q), p.Play)
	}
	if !q.direct.Answered() || q.direct.Ended != record.EOF {
		return leaveUndecided("the server itself does not answer this call")
	}
	if isUnseen(q) {
		return leaveUndecided("%s", whyUnusable(q))
	}
	x := []*record.Exchange{q.direct, q.through}
	after := (q.through.End - q.through.Start).Seconds()
	switch {
	case !q.through.Answered():
		return j.failWith(x, "for %.1f s no answer came through the gateway, and then its connection was closed", after)
	case refusedByGateway(q) != "":
		return j.failWith(x, "after %.1f s the gateway answered with HTTP status %d in place of the server", after, q.through.Status())
	case q.through.Ended != record.EOF || len(q.through.Events()) < len(q.direct.Events()):
		return j.failWith(x, "after %.1f s the gateway broke the answer off", after)
	}
	return j.passWith(fmt.Sprintf("the answer came after %.1f s", after), x...)
}

// checkCut judges whether an answer that the server broke off is broken off at the caller too.
func checkCut(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.direct.Ended != record.Reset:
		return leaveUndecided("the answer of the server was not broken off")
	case refusedByGateway(q) != "":
		return leaveUndecided("%s", refusedByGateway(q))
	case q.through.Ended == record.EOF && (q.through.GRPC() == nil || q.through.GRPC().Coded && !q.through.GRPC().Failed()):
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the server broke its answer off, and through the gateway it looks complete")
	}
	return j.passWith("the answer is broken off at the caller too", q.direct, q.through)
}

// checkGRPCStatus judges whether the status of each call of gRPC reached the caller.
func checkGRPCStatus(j *judged, _ params) outcome {
	all := slices.Concat(j.listOfKind(schema.KindGRPC, "task", ""), j.listOfKind(schema.KindGRPC, "error", ""))
	if len(all) == 0 {
		return notApplicable("the agent has no gRPC")
	}
	var seen []*record.Exchange
	for _, q := range all {
		if g := q.direct.GRPC(); g == nil || !g.Coded || whyUnusable(q) != "" {
			continue
		}
		seen = append(seen, q.through)
		if g := q.through.GRPC(); g == nil || !g.Coded {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the response of the gateway has no `grpc-status`")
		}
	}
	if len(seen) == 0 {
		o := leaveUndecided("no call of gRPC is answered through the gateway")
		o.remedy = "--through GRPC=HOST:PORT, the address at which the gateway takes gRPC"
		return o
	}
	return j.passWith("each call of gRPC has its status", seen...)
}
