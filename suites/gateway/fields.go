package gateway

import (
	"cmp"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func init() {
	checks["gateway/arrived"] = checkArrived
	checks["gateway/present-arrived"] = checkPresentArrived
	checks["gateway/order-arrived"] = checkOrderArrived
	checks["gateway/not-arrived"] = checkNotArrived
	checks["gateway/not-returned"] = checkNotReturned
	checks["gateway/option-not-arrived"] = checkOptionNotArrived
	checks["gateway/option-not-returned"] = checkOptionNotReturned
	checks["gateway/returned"] = checkReturned
	checks["gateway/returned-if"] = checkReturnedIf
	checks["gateway/via"] = checkVia
	checks["gateway/via-kept"] = checkViaKept
	checks["gateway/via-form"] = checkViaForm
	checks["gateway/grpc-arrived"] = checkGRPCArrived
	checks["gateway/http2-fields"] = checkHTTP2Fields
	checks["gateway/http2-names"] = checkHTTP2Names
}

// valuesOf returns the values of a field of a message, in the order of its lines.
func valuesOf(m *record.Message, name string) []string {
	return m.Header()[textproto.CanonicalMIMEHeaderKey(name)]
}

// entriesOf returns the entries of the list that the lines of a field are: several lines mean the same as one line.
func entriesOf(m *record.Message, name string) (out []string) {
	for entry := range strings.SplitSeq(strings.Join(valuesOf(m, name), ","), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			out = append(out, entry)
		}
	}
	return out
}

// checkArrived judges whether a field reached the server with the values that the caller wrote.
func checkArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	name := p.Field
	if p.Extension {
		name = cmp.Or(j.dialect.Card.ExtensionHeader, "A2A-Extensions")
	}
	return j.compareArrived(q.through, arrived, name, p.Media)
}

// compareArrived compares a field of a request with what arrived of it.
func (j *judged) compareArrived(through, arrived *record.Exchange, name string, media bool) outcome {
	sent, came := entriesOf(&through.Request, name), entriesOf(&arrived.Request, name)
	if media {
		sent, came = []string{through.Request.MediaType()}, []string{arrived.Request.MediaType()}
	}
	x := []*record.Exchange{through, arrived}
	switch {
	case len(sent) == 0 || sent[0] == "":
		return leaveUndecided("the request has no %s", name)
	case len(came) == 0 || came[0] == "":
		return j.failWith(x, "the gateway removed `%s`: %s from the request", name, showText(strings.Join(sent, ", ")))
	case !slices.Equal(sent, came):
		return j.failWith(x, "the gateway changed `%s` from %s to %s", name, showText(strings.Join(sent, ", ")), showText(strings.Join(came, ", ")))
	}
	return j.passWith("`"+name+"` reached the server as it was sent", x...)
}

// checkPresentArrived judges whether a field reached the server, whatever its value.
func checkPresentArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.through, arrived}
	if len(valuesOf(&arrived.Request, p.Field)) == 0 {
		return j.failWith(x, "the gateway removed `%s` from the request", p.Field)
	}
	return j.passWith("`"+p.Field+"` reached the server", x...)
}

// checkOrderArrived judges whether the values of a field reached the server in their order.
func checkOrderArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	sent, came := entriesOf(&q.through.Request, p.Field), entriesOf(&arrived.Request, p.Field)
	x := []*record.Exchange{q.through, arrived}
	sorted := func(all []string) []string { return slices.Sorted(slices.Values(all)) }
	switch {
	case !slices.Equal(sorted(sent), sorted(came)):
		return leaveUndecided("the values of `%s` did not all reach the server", p.Field)
	case !slices.Equal(sent, came):
		return j.failWith(x, "the gateway changed the order of the values of `%s` to %s", p.Field, showText(strings.Join(came, ", ")))
	}
	return j.passWith("the values of `"+p.Field+"` reached the server in their order", x...)
}

// hasSameValue reports whether a field has one of the values that it had on the other side of the gateway. A gateway may
// write a field of its own by the same name.
func hasSameValue(before, after *record.Message, name string) bool {
	was := valuesOf(before, name)
	return slices.ContainsFunc(valuesOf(after, name), func(v string) bool { return slices.Contains(was, v) })
}

// checkNotArrived judges whether the gateway removed fields from a request.
func checkNotArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.through, arrived}
	for _, name := range p.Fields {
		if hasSameValue(&q.through.Request, &arrived.Request, name) {
			return j.failWith(x, "the gateway passed on `%s` of the request", name)
		}
	}
	return j.passWith("the gateway passed on no "+strings.Join(p.Fields, ", ")+" of the request", x...)
}

// callsOverHTTP2 reports whether the request of a pair reached the server over HTTP/2.
func callsOverHTTP2(q *pair) bool { return len(q.arrived) > 0 && q.arrived[0].HTTP2 != nil }

// checkNotReturned judges whether the gateway removed fields from a response.
func checkNotReturned(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.direct, q.through}
	if callsOverHTTP2(q) {
		return notApplicable("the gateway calls the server over HTTP/2, which has no such fields")
	}
	for _, name := range p.Fields {
		if p.Value == "" && len(valuesOf(&q.direct.Response, name)) == 0 {
			return leaveUndecided("the server sent no `%s`", name)
		}
		if hasSameValue(&q.direct.Response, &q.through.Response, name) {
			return j.failWith(x, "the gateway passed on `%s` of the response", name)
		}
	}
	return j.passWith("the gateway passed on no "+strings.Join(p.Fields, ", ")+" of the response", x...)
}

// hasEntry reports whether a field that is a list has an entry, whatever its case.
func hasEntry(m *record.Message, field, entry string) bool {
	return slices.ContainsFunc(entriesOf(m, field), func(v string) bool { return strings.EqualFold(v, entry) })
}

// checkOptionNotArrived judges whether a field of a request lost an entry that is meant for the gateway.
func checkOptionNotArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.through, arrived}
	if hasEntry(&arrived.Request, p.Field, p.Option) {
		return j.failWith(x, "the gateway passed on `%s`: %s of the request", p.Field, p.Option)
	}
	return j.passWith("the gateway did not pass on the `"+p.Field+"` of the request", x...)
}

// checkOptionNotReturned judges whether a field of a response lost an entry that is meant for the gateway.
func checkOptionNotReturned(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.direct, q.through}
	switch {
	case callsOverHTTP2(q):
		return notApplicable("the gateway calls the server over HTTP/2, which has no such fields")
	case !hasEntry(&q.direct.Response, p.Field, p.Option):
		return leaveUndecided("the server sent no `%s`: %s", p.Field, p.Option)
	case hasEntry(&q.through.Response, p.Field, p.Option):
		return j.failWith(x, "the gateway passed on `%s`: %s of the response", p.Field, p.Option)
	}
	return j.passWith("the gateway did not pass on the `"+p.Field+"` of the response", x...)
}

// checkReturned judges whether fields of a response reached the caller.
func checkReturned(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.direct, q.through}
	var seen []string
	for _, name := range p.Fields {
		was, is := entriesOf(&q.direct.Response, name), entriesOf(&q.through.Response, name)
		if len(was) == 0 {
			continue
		}
		seen = append(seen, name)
		switch {
		case len(is) == 0:
			return j.failWith(x, "the gateway removed `%s`: %s from the response", name, showText(strings.Join(was, ", ")))
		case !p.Weak && !slices.Equal(was, is):
			return j.failWith(x, "the gateway changed `%s` of the response from %s to %s", name, showText(strings.Join(was, ", ")), showText(strings.Join(is, ", ")))
		}
	}
	if len(seen) == 0 {
		return notApplicable("the server sends none of %s", strings.Join(p.Fields, ", "))
	}
	return j.passWith(strings.Join(seen, " and ")+" reached the caller", x...)
}

// checkReturnedIf judges whether a response with a status has a field, if the server's has it.
func checkReturnedIf(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.through.Status() != p.Status:
		return leaveUndecided("%s", cmp.Or(refusedByGateway(q), "the server did not answer so"))
	case len(valuesOf(&q.through.Response, p.Field)) == 0:
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the response of the gateway with status %d has no `%s`", p.Status, p.Field)
	}
	return j.passWith("the response has `"+p.Field+"`", q.direct, q.through)
}

// viaEntries returns the entries of Via. A comment of one may have a comma.
func viaEntries(m *record.Message) (out []string) {
	depth, begin := 0, 0
	text := strings.Join(valuesOf(m, "Via"), ",") + ","
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if depth > 0 { // the next byte is quoted
				i++
			}
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',':
			if depth > 0 && i < len(text)-1 {
				continue
			}
			if entry := strings.TrimSpace(text[begin:i]); entry != "" {
				out = append(out, entry)
			}
			begin = i + 1
		}
	}
	return out
}

// checkVia judges whether the gateway names itself in requests.
func checkVia(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	if len(viaEntries(&arrived.Request)) == 0 {
		return j.failWith([]*record.Exchange{q.through, arrived}, "the gateway sent no `Via` in its request")
	}
	return j.passWith("the request of the gateway has `Via`", q.through, arrived)
}

// protocolsOf returns the versions of HTTP that the entries of Via name, in their order.
func protocolsOf(entries []string) (out []string) {
	for _, e := range entries {
		version, _, _ := strings.Cut(e, " ")
		out = append(out, strings.TrimPrefix(version, "HTTP/"))
	}
	return out
}

// checkViaKept judges whether the entries of others in Via are kept. The gateway may write other names, and may combine entries
// with the same version of HTTP, so that only the order of the versions counts.
func checkViaKept(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	x := []*record.Exchange{q.through, arrived}
	came := viaEntries(&arrived.Request)
	if len(came) == 0 {
		return j.failWith(x, "the gateway removed `Via`: %s", strings.Join(p.Entries, ", "))
	}
	rest := protocolsOf(came)
	for _, version := range protocolsOf(p.Entries) {
		i := slices.Index(rest, version)
		if i < 0 {
			return j.failWith(x, "the gateway combined `Via`: %s into %s", strings.Join(p.Entries, ", "), showText(strings.Join(came, ", ")))
		}
		rest = rest[i+1:]
	}
	return j.passWith("the entries of others in `Via` reached the server", x...)
}

// viaEntry is an entry of Via (RFC 9110, section 7.6.3).
var viaEntry = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+/)?[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]+[^ \t,]+([ \t]+\\(.*\\))?$")

// checkViaForm judges the form of the entries of the gateway in Via.
func checkViaForm(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	own := viaEntries(&arrived.Request)
	if len(own) == 0 {
		return leaveUndecided("the gateway sent no `Via`")
	}
	for _, entry := range own {
		if !viaEntry.MatchString(entry) {
			return j.failWith([]*record.Exchange{q.through, arrived}, "the gateway sent the entry %q in `Via`, which has not a version of HTTP and a name", showText(entry))
		}
	}
	return j.passWith("each entry in `Via` has a version of HTTP and a name", q.through, arrived)
}

// checkGRPCArrived judges whether the metadata of a call of gRPC reached the server.
func checkGRPCArrived(j *judged, p params) outcome {
	all := j.listOfKind(schema.KindGRPC, "task", "send")
	if len(all) == 0 {
		return notApplicable("the agent has no gRPC")
	}
	for _, q := range all {
		if len(q.arrived) > 0 {
			return j.compareArrived(q.through, q.arrived[0], p.Field, false)
		}
	}
	return leaveUndecided("no call of gRPC reached the server through the gateway")
}

// http2Answers returns the exchanges through the gateway that were answered over HTTP/2.
func (j *judged) http2Answers() (out []*record.Exchange) {
	for _, q := range j.pairs {
		if q.through != nil && q.through.HTTP2 != nil && q.through.Answered() && !isOlderAnswer(q.through) {
			out = append(out, q.through)
		}
	}
	return out
}

// checkHTTP2Fields judges whether answers over HTTP/2 have fields about the connection.
func checkHTTP2Fields(j *judged, p params) outcome {
	all := j.http2Answers()
	if len(all) == 0 {
		return notApplicable("the gateway was not called over HTTP/2")
	}
	for _, x := range all {
		for _, name := range p.Fields {
			if len(x.Response.Header()[http.CanonicalHeaderKey(name)]) > 0 {
				return j.failWith([]*record.Exchange{x}, "the response of the gateway over HTTP/2 has `%s`", strings.ToLower(name))
			}
		}
	}
	return j.passWith("no response over HTTP/2 has a field about the connection", all[0])
}

// checkHTTP2Names judges whether the names of fields over HTTP/2 are in lower case.
func checkHTTP2Names(j *judged, _ params) outcome {
	all := j.http2Answers()
	if len(all) == 0 {
		return notApplicable("the gateway was not called over HTTP/2")
	}
	for _, x := range all {
		for _, f := range x.Response.Fields() {
			if f.Name != strings.ToLower(f.Name) {
				return j.failWith([]*record.Exchange{x}, "the response of the gateway over HTTP/2 has the field name %q", showText(f.Name))
			}
		}
	}
	return j.passWith("all names of fields over HTTP/2 are in lower case", all[0])
}
