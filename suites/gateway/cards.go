package gateway

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

func init() {
	checks["gateway/signed-card"] = checkSignedCard
	checks["gateway/card"] = checkCard
	checks["gateway/card-members"] = checkCardMembers
	checks["gateway/card-addresses"] = checkCardAddresses
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
