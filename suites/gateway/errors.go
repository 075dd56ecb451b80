package gateway

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func init() {
	checks["gateway/same-error"] = checkSameError
	checks["gateway/same-errors"] = checkSameErrors
	checks["gateway/grpc-status"] = checkGRPCStatus
}

// IsServerLost reports whether a status is one by which gateways say that the server does not answer them.
func IsServerLost(status int) bool { return slices.Contains([]int{502, 503, 504}, status) }

// tooManyRequests is the status by which a gateway limits the rate of calls.
const tooManyRequests = 429

// requireControl returns what a check of errors comes to if they show nothing; nil if they count. A rejection counts only if the valid
// call was accepted: it shows nothing if that one is not accepted through the gateway, or if the gateway limits the rate of calls.
func (j *judged) requireControl(q *pair) *outcome {
	if s := q.through.Status(); s == tooManyRequests && q.direct.Status() != s {
		o := leaveUndecided("the gateway limits the rate of calls: it answers with HTTP status %d", s)
		return &o
	}
	for i := range j.pairs {
		control := &j.pairs[i]
		if control.play != "task" || control.step != "send" || control.binding != q.binding || control.direct == nil || control.through == nil {
			continue
		}
		if direct, through := j.answersOf(control, "send"); direct.Result.Exists() && !through.Result.Exists() {
			o := leaveUndecided("a valid call is not accepted through the gateway either: %s", cmp.Or(refusedByGateway(control), "its answer has no result"))
			if asksForCredentials(control.through) {
				o.remedy = credentialsForGateway
			}
			return &o
		}
	}
	return nil
}

// servesNothing reports whether a call got, in place of what the server answers, what gateways answer to any call that they do not serve:
// they ask for credentials, limit the rate of calls, or do not reach the server.
func servesNothing(q *pair) bool {
	s := q.through.Status()
	return s != q.direct.Status() && (asksForCredentials(q.through) || s == tooManyRequests || IsServerLost(s))
}

// asksForCredentials reports whether an answer of a gateway asks for credentials, or for others.
func asksForCredentials(x *record.Exchange) bool { return x.Status() == 401 || x.Status() == 403 }

// credentialsForGateway is the remedy if a gateway asks for credentials.
const credentialsForGateway = "--bearer-env, --api-key-env or --header, with credentials that the gateway takes"

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
