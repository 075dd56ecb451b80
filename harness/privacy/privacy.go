// Package privacy prepares recordings of others for being written down. The conversations are not ours, so secrets are not
// known beforehand: they are learnt by the places in which HTTP and the protocols put them. Unless the operator asks for bodies,
// only the shape of the messages of both sides remains.
package privacy

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Protect returns a copy of a recording that can be written down, judged and shown. Known secrets are removed wherever they
// are, header fields outside of a list lose their values, and addresses of webhooks and files lose their paths. With bodies,
// the texts of both sides stay. Otherwise each body keeps its structure, its types and lengths, and the words of the
// protocols; ids and texts are replaced by others of the same length, equal ones by equal ones. Bodies of exchanges outside
// of the protocols are never kept.
func Protect(r traffic.Recording, bodies bool) traffic.Recording {
	p := newProtector(r, bodies)
	out := r
	out.Passed, out.Others = make([]traffic.Passed, len(r.Passed)), nil
	for i, passed := range r.Passed {
		out.Passed[i] = traffic.Passed{In: p.protectExchange(passed.In), Out: p.protectExchange(passed.Out), Connection: passed.Connection}
	}
	out.Notes = slices.Clone(r.Notes)
	for i := range out.Notes {
		out.Notes[i] = p.redactor.String(out.Notes[i])
	}
	out.Target = p.protectAddress(out.Target, true)
	out.Cards = make([][]byte, len(r.Cards))
	for i, text := range r.Cards {
		if root, faults := record.ObserveJSON(text); root != nil && !hidesText(faults) {
			out.Cards[i], _ = redact.Replace(text, nil, p.hideDocument(root, text, 0))
		}
	}
	return out
}

// protector knows what is to be removed from the exchanges of one recording.
type protector struct {
	bodies   bool
	dialects []*schema.Dialect
	redactor *redact.Redactor
	words    map[string]bool // of the protocols, which stay
	bases    map[string]bool // paths at which the protocols are spoken
	private  map[string]bool // addresses of webhooks and files, without their queries
	alias    aliases
}

func newProtector(r traffic.Recording, bodies bool) *protector {
	p := &protector{bodies: bodies, dialects: r.Dialects, words: map[string]bool{}, bases: map[string]bool{}, private: map[string]bool{}, alias: newAliases()}
	for _, d := range r.Dialects {
		maps.Copy(p.words, d.Words())
	}
	found := &learner{words: p.words, private: p.private, known: map[string]bool{}}
	for _, passed := range slices.Concat(r.Passed, r.Others) {
		found.learnFromFields(passed.Credentials)
		for _, x := range []*record.Exchange{passed.In, passed.Out} {
			if x == nil {
				continue
			}
			x = x.Clone() // what is read of one exchange is given back before the next one is read
			found.learnFrom(x)
			for _, base := range listInterfacePaths(r.Dialects, x) {
				p.bases[base] = true
			}
			if sameBytes(passed.In, passed.Out) {
				break // both sides saw the same
			}
		}
	}
	p.redactor = redact.NewRedactor(found.secrets).ShowingFields(isShownField)
	return p
}

// sameBytes reports whether the two sides of an exchange share their bytes, as those of imported files do.
func sameBytes(a, b *record.Exchange) bool {
	same := func(m, n *record.Message) bool {
		return bytes.Equal(m.Head, n.Head) && bytes.Equal(m.Body, n.Body) && bytes.Equal(m.Trailer, n.Trailer)
	}
	return a != nil && b != nil && same(&a.Request, &b.Request) && same(&a.Response, &b.Response)
}

// listInterfacePaths returns the paths of the interfaces on the card in a response.
func listInterfacePaths(dialects []*schema.Dialect, x *record.Exchange) (out []string) {
	root := x.Reply().Root
	if !isCard(root) {
		return nil
	}
	for _, d := range dialects {
		c := card.Of(d, root)
		for _, i := range slices.Concat(c.Interfaces(), c.Entries()) {
			if path := traffic.ReadPath(i.URL()); path != "" {
				out = append(out, path)
			}
		}
	}
	return out
}

// isCard reports whether a value is a card of any protocol, by the members that only cards have.
func isCard(n *record.Node) bool {
	return n.Member("skills") != nil || n.Member("supportedInterfaces") != nil
}

// protectExchange returns a copy of an exchange without what must not be written down.
func (p *protector) protectExchange(x *record.Exchange) *record.Exchange {
	if x == nil {
		return nil
	}
	spoken := p.isOfProtocol(x.Clone()) // nothing that is read of it is kept
	y := &record.Exchange{Dir: x.Dir, URL: p.protectAddress(x.URL, spoken), Conn: x.Conn, Start: x.Start, End: x.End, Ended: x.Ended,
		Trouble: x.Trouble, Attempts: slices.Clone(x.Attempts), Request: x.Request, Response: x.Response, TLS: x.TLS, HTTP2: x.HTTP2, Closed: x.Closed}
	gaps := record.Gaps{}
	if x.Gaps != nil {
		gaps = *x.Gaps
	}
	gaps.Request = p.protectBody(&y.Request, spoken) || gaps.Request
	gaps.Response = p.protectBody(&y.Response, spoken) || gaps.Response
	if len(y.Request.Body) != len(x.Request.Body) || len(y.Response.Body) != len(x.Response.Body) {
		gaps.Bytes = true // the framing is that of other bodies
	}
	y.Request.Head = p.protectRequestLine(y.Request.Head, spoken)
	y.Response.Head = protectLocation(y.Response.Head)
	if !p.bodies {
		y.Trouble = ""
		y.Request.Head, y.Response.Head = p.protectExtensions(y.Request.Head), p.protectExtensions(replaceReason(y.Response.Head))
	}
	p.redactor.Exchange(y)
	if gaps != (record.Gaps{}) {
		y.Gaps = &gaps
	}
	return y
}

// isOfProtocol reports whether an exchange is a call or a card of one of the dialects. Others, such as pages, files, and the
// calls to an authorization server, are nothing that is judged.
func (p *protector) isOfProtocol(x *record.Exchange) bool {
	path := traffic.ReadPath(x.URL)
	if p.private[withoutQuery(x.URL)] {
		return false
	}
	if p.bases[path] || record.IsGRPC(x.Request.MediaType()) {
		return true
	}
	if isCard(x.Reply().Root) {
		return true
	}
	for _, d := range p.dialects {
		if slices.ContainsFunc(d.Card.Paths, func(at string) bool { return strings.HasSuffix(path, at) }) {
			return true
		}
		for _, name := range binding.Names(d) {
			if b := binding.ByNameOrDefault(d, name); b.Kind() != schema.KindGRPC && b.Sent(x).Op != "" {
				return true
			}
		}
	}
	return false
}

// protectBody protects a body, and reports true if nothing of it can be kept.
func (p *protector) protectBody(m *record.Message, spoken bool) (lost bool) {
	if len(m.Body) == 0 && m.Prefixes == nil {
		return false
	}
	remove := func() bool {
		m.Body, m.Chunks, m.Prefixes, m.Recipe = nil, nil, nil, nil
		return true
	}
	switch {
	case !spoken:
		return remove()
	case m.Prefixes != nil: // protobuf, in which secrets are removed by their values
		return !p.bodies && remove()
	case m.MediaType() == "text/event-stream":
		spans, ok := p.hideStream(m)
		if !ok && !p.bodies {
			return remove()
		}
		m.Body, m.Chunks = redact.Replace(m.Body, m.Chunks, spans)
		return false
	}
	root, faults := record.ObserveJSON(m.Body)
	if root == nil || hidesText(faults) {
		return !p.bodies && remove()
	}
	m.Body, m.Chunks = redact.Replace(m.Body, m.Chunks, p.hideDocument(root, m.Body, 0))
	return false
}

// hidesText reports whether a text of JSON has more than what its values show: what follows a value, or cannot be read,
// could be anything.
func hidesText(faults []record.JSONFault) bool {
	within := []record.FaultKind{record.FaultDuplicateMember, record.FaultInvalidUTF8, record.FaultLoneSurrogate, record.FaultHugeNumber}
	return slices.ContainsFunc(faults, func(f record.JSONFault) bool { return !slices.Contains(within, f.Kind) })
}

// hideStream returns what is replaced in an event stream; not ok if a part of it cannot be read. What can be read is hidden all the
// same, whatever comes before it.
func (p *protector) hideStream(m *record.Message) (spans []redact.Span, ok bool) {
	frames, rest := record.ReadSSE(m.Body, m.Chunks)
	ok = rest == nil
	for _, f := range frames {
		if !f.HasData && len(f.Comments) == 0 && !f.HasID && f.Event == "" {
			continue
		}
		raw := m.Body[f.DataStart:f.DataEnd]
		if !f.HasData || f.Data != string(raw) || len(f.Comments) > 0 || f.HasID || len(f.Faults) > 0 || f.Event != "" && !p.words[f.Event] && f.Event != "message" {
			if !f.HasData || f.Data != string(raw) || !p.hidesAround(m.Body[f.Start:f.End], f, &spans) {
				ok = false
				continue
			}
		}
		root, faults := record.ObserveJSON(raw)
		if root == nil || hidesText(faults) {
			ok = false
			continue
		}
		spans = append(spans, p.hideDocument(root, m.Body, f.DataStart)...)
	}
	return spans, ok
}

// hidesAround replaces the comments, ids and names of an event by others of the same length. It reports false if the event
// has lines of another kind.
func (p *protector) hidesAround(text []byte, f record.Frame, spans *[]redact.Span) bool {
	at := f.Start
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		content := bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(content, []byte(":"))
		from := at + len(content) - len(value)
		if len(value) > 0 && value[0] == ' ' {
			value, from = value[1:], from+1
		}
		switch string(name) {
		case "data", "retry":
		case "", "id", "event":
			if !p.bodies && len(value) > 0 && !p.words[string(value)] {
				*spans = append(*spans, redact.Span{From: from, To: from + len(value), By: []byte(p.alias.aliasOf(string(value)))})
			}
		default:
			return false
		}
		at += len(line)
	}
	return true
}

// replaceReason replaces the reason in the first line of a response by the usual one, since a server may write anything
// there.
func replaceReason(head []byte) []byte {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	parts := strings.SplitN(strings.TrimRight(string(line), "\r"), " ", 3)
	if len(parts) < 3 {
		return head
	}
	status, _ := strconv.Atoi(parts[1])
	parts[2] = http.StatusText(status)
	return append([]byte(strings.Join(parts, " ")+"\r\n"), rest...)
}

// protectExtensions replaces the URIs of extensions in header fields as they are replaced in bodies.
func (p *protector) protectExtensions(head []byte) []byte {
	return replaceFields(head, func(name, value string) (by string, changed bool) {
		if !strings.HasSuffix(strings.ToLower(name), "a2a-extensions") {
			return "", false
		}
		var uris []string
		for uri := range strings.SplitSeq(value, ",") {
			uris = append(uris, p.hideURI(strings.TrimSpace(uri)))
		}
		return strings.Join(uris, ", "), true
	})
}

// replaceFields returns a head in which the values of those header fields are others that replace changes.
func replaceFields(head []byte, replace func(name, value string) (by string, changed bool)) []byte {
	lines := bytes.SplitAfter(head, []byte("\n"))
	for i, line := range lines {
		name, value, is := strings.Cut(string(line), ":")
		if i == 0 || !is {
			continue
		}
		if by, changed := replace(strings.TrimSpace(name), strings.TrimSpace(value)); changed {
			lines[i] = []byte(name + ": " + by + "\r\n")
		}
	}
	return bytes.Join(lines, nil)
}

// isShownField reports whether the values of a header field stay. Fields that are not listed may hold anything: keys of a
// vendor, names of people, addresses.
func isShownField(name string) bool {
	name = http.CanonicalHeaderKey(strings.TrimSpace(name))
	return shownFields[name] || strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit") || strings.HasPrefix(name, "Access-Control-")
}

// shownFields are the fields that the texts speak of, and those that say how a message travelled.
var shownFields = map[string]bool{
	"A2a-Version": true, "A2a-Extensions": true, "X-A2a-Extensions": true, "A2a-Notification": true,
	"Accept": true, "Accept-Encoding": true, "Age": true, "Allow": true, "Cache-Control": true, "Connection": true,
	"Content-Encoding": true, "Content-Length": true, "Content-Type": true, "Date": true, "Etag": true, "Expires": true,
	"Grpc-Accept-Encoding": true, "Grpc-Encoding": true, "Grpc-Status": true, "Grpc-Timeout": true,
	"Host": true, "If-None-Match": true, "If-Modified-Since": true, "Keep-Alive": true, "Last-Modified": true, "Location": true,
	"Retry-After": true, "Te": true, "Traceparent": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Vary": true, "Via": true,
	":status": true, ":method": true, ":path": true, ":scheme": true, ":authority": true,
}
