package record

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Contradiction reports a place at which the parts of a transcript that was read from a file cannot all
// be true: an exchange against its URL, a step against its exchange, a time against the one
// before. It is nil for every transcript that a run wrote, and proves nothing about whether the
// conversation took place: who makes all parts agree contradicts nothing.
func (t *Transcript) Contradiction() error {
	for _, x := range t.Exchanges {
		if err := x.checkExchangeConsistency(); err != nil {
			return fmt.Errorf("log.entries[%d]%w", x.ID-1, err)
		}
		if x.End > t.Duration {
			return fmt.Errorf("log.entries[%d]._end is %v, but the run was over after %v (log._a2aConform.durationNs)", x.ID-1, x.End, t.Duration)
		}
	}
	if err := t.checkStepExchanges(); err != nil {
		return err
	}
	return t.checkFactsAgainstCalls()
}

// checkExchangeConsistency compares the recorded bytes of an exchange with what else the file states about it.
func (x *Exchange) checkExchangeConsistency() error {
	if x.Dir == Given {
		return nil
	}
	u, err := url.Parse(x.URL)
	if err != nil {
		return fmt.Errorf(".request.url: %w", err)
	}
	if x.TLS != nil && u.Scheme == "http" {
		return errors.New("._tls describes TLS, but request.url is an http URL")
	}
	// What came to a webhook may have been sent to another address on its way. And a secret in
	// an address is replaced by a mark, which is no part of a URL.
	if x.Dir == Out && !strings.Contains(x.URL, SecretMark) {
		if err := checkAddress(&x.Request, u); err != nil {
			return err
		}
	}
	var gaps Gaps
	if x.Gaps != nil {
		gaps = *x.Gaps
	}
	if err := x.Request.checkBodyLength(); err != nil && !gaps.Bytes && !gaps.Request {
		return fmt.Errorf(".request._raw%w", err)
	}
	if err := x.Response.checkBodyLength(); err != nil && !gaps.Bytes && !gaps.Response {
		return fmt.Errorf(".response._raw%w", err)
	}
	return nil
}

// checkAddress reports a request whose head was written for another address than its URL.
func checkAddress(m *Message, u *url.URL) error {
	if len(m.Head) == 0 {
		return nil
	}
	h := m.Header()
	host := cmp.Or(h.Get(":authority"), h.Get("Host")) // a pseudo-header field of HTTP/2, which its head has as a line
	if host != "" && !strings.EqualFold(host, u.Host) && !strings.EqualFold(host, asciiHostWithoutZone(u.Host)) {
		return fmt.Errorf(".request._raw.head names the host %q, but request.url is %q", shortenText(host), shortenText(u.String()))
	}
	line := strings.Fields(startLine(m.Head))
	if len(line) > 1 && line[1] != u.RequestURI() {
		return fmt.Errorf(".request._raw.head asks for %q, but request.url is %q", shortenText(line[1]), shortenText(u.String()))
	}
	return nil
}

// asciiHostWithoutZone is a host as a request names it: without the zone of an address, and in ASCII.
func asciiHostWithoutZone(host string) string {
	if before, zone, ok := strings.Cut(host, "%"); ok {
		_, after, _ := strings.Cut(zone, "]")
		host = before + "]" + after
	}
	ascii, err := httpguts.PunycodeHostPort(host)
	if err != nil {
		return host
	}
	return ascii
}

// checkBodyLength compares a body with its framing.
func (m *Message) checkBodyLength() error {
	f := m.Framing
	if v := m.Header().Values("Content-Length"); len(v) == 1 && f.Kind == "length" {
		if n, err := strconv.ParseInt(strings.TrimSpace(v[0]), 10, 64); err == nil && n != f.Declared {
			return fmt.Errorf(".framing.declared is %d, but the head has Content-Length: %d", f.Declared, n)
		}
	}
	// Of gRPC the prefixes and half a message are received and not kept.
	whole := f.Kind != "frames" && f.Cut == "" && f.Coding == "" && m.Recipe == nil && m.Prefixes == nil && !strings.Contains(string(m.Body), SecretMark)
	if whole && int64(len(m.Body)) != f.Received {
		return fmt.Errorf(".body has %d bytes, but framing.received is %d", len(m.Body), f.Received)
	}
	return nil
}

// checkStepExchanges compares the plays with the exchanges that their steps name.
func (t *Transcript) checkStepExchanges() error {
	of := map[*Exchange]*Play{} // whose exchange it is
	for i := range t.Plays {
		p := &t.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if err := s.checkAndClaimExchange(p, of); err != nil {
				return fmt.Errorf("log._a2aConform.plays[%d].steps[%d] (%s/%s) %w", i, j, shortenText(p.Scenario), shortenText(s.Name), err)
			}
		}
		for j, m := range p.Reached {
			if p.Step(m.Step) == nil && (m.Step != "" || p.Client == nil) || m.At < 0 || m.At > t.Duration {
				return fmt.Errorf("log._a2aConform.plays[%d].reached[%d] (%s by %s at %v) belongs to no step of the play, or to no time of the run", i, j, shortenText(m.Name), shortenText(m.Step), m.At)
			}
		}
	}
	for _, x := range t.Exchanges {
		if x.Dir == Out && of[x] == nil {
			return fmt.Errorf("log.entries[%d] belongs to no step of log._a2aConform.plays", x.ID-1)
		}
	}
	return t.checkExchangesFollowPlayOrder()
}

// checkAndClaimExchange compares a step with its exchange. A play may look twice at what it asked
// for once; another play has to say whose exchange it looks at.
func (s *Step) checkAndClaimExchange(p *Play, of map[*Exchange]*Play) error {
	x := s.Exchange
	switch {
	case x == nil && s.NotSent == "":
		return errors.New("names no exchange, and no reason why there is none")
	case x == nil:
		return nil
	case s.NotSent != "":
		return fmt.Errorf("names exchange %d, but says that it was not sent", x.ID)
	case s.Of != "":
		return nil
	case of[x] != nil && of[x] != p:
		return fmt.Errorf("names exchange %d, which is one of %s", x.ID, shortenText(of[x].Scenario))
	}
	of[x] = p
	return nil
}

// checkExchangesFollowPlayOrder reports an exchange whose number is not its place among the plays and
// their steps, by which a run numbers them.
func (t *Transcript) checkExchangesFollowPlayOrder() error {
	for i, x := range t.inPlayOrder() {
		if t.Exchanges[i] != x {
			return fmt.Errorf("log.entries[%d] is not where its step is among log._a2aConform.plays", t.Exchanges[i].ID-1)
		}
	}
	return nil
}

// checkFactsAgainstCalls compares the facts about the run with the calls that were made.
func (t *Transcript) checkFactsAgainstCalls() error {
	called, given := map[string]bool{}, false
	for _, x := range t.Exchanges {
		if u, err := url.Parse(x.URL); err == nil && x.Dir == Out {
			called[u.Host] = true
		}
		given = given || x.Dir == Given
	}
	if len(called) == 0 {
		return nil
	}
	if p := t.Play("card"); p != nil && p.Step("configured") != nil {
		given = true // by an address of its own, so that the target need not be asked
	}
	addresses := [][2]string{{"target", t.Facts.Target}, {"rpc", t.Facts.RPC}}
	if t.Facts.Cut != "" || !t.callsOperation() { // maybe before the first call
		addresses = addresses[:1]
	}
	for _, said := range addresses {
		if u, err := url.Parse(said[1]); err == nil && u.Host != "" && !called[u.Host] && !given {
			return fmt.Errorf("log._a2aConform.facts.%s is %q, but no call went to that host", said[0], shortenText(said[1]))
		}
	}
	return nil
}

// callsOperation reports whether a call of an operation was made: a run that looks at the card
// alone does not go to the address for calls.
func (t *Transcript) callsOperation() bool {
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil && s.Op != "card" && s.Op != "document" {
				return true
			}
		}
	}
	return false
}

// shortenText is a text of the file, as an error shows it.
func shortenText(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
