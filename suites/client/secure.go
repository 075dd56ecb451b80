package client

import (
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// trustRemedy is what an operator adds so that a client trusts the certificates of the run.
const trustRemedy = "{ca} in the command, or have the client read SSL_CERT_FILE: the file of our certificate authority"

// certificateParams name scenarios in which the server has a certificate that is not to be trusted.
type certificateParams struct {
	Plays []string `json:"plays"`
	Plain string   `json:"plain"` // the scenario with a good one
	Wrong string   `json:"wrong"` // what is wrong with it, in words that follow "a certificate"
}

// checkCertificate judges whether the client sends nothing to a server whose certificate is not to be trusted. That it
// does not shows something only of a client that calls a server with a good one.
func checkCertificate(t *judge.T, p certificateParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		for _, r := range s.Requests(isSecure) {
			t.Fail(r.Head(report.StatusLine), "sent a request to a server with a certificate "+p.Wrong, "no request on that connection")
		}
		left := s.Requests(isHandshakeAlone)
		if len(left) == 0 {
			s.Last()
			t.StopInconclusive("", "the client broke off no TLS handshake in the scenario '%s'", s.Play.Scenario)
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		for _, plain := range t.Starts(p.Plain) {
			if !sentSecurely(t, plain) {
				t.StopInconclusive(trustRemedy, "the client sent no message by TLS in the plain scenario '%s' either", p.Plain)
			}
		}
		t.OK(left[0].Call)
	})
}

// isSecure reports whether a request came by TLS.
func isSecure(r judge.Request) bool { return r.Exchange.TLS != nil && len(r.Exchange.Request.Head) > 0 }

// isHandshakeAlone reports whether a connection of TLS is meant that the client ended before a request.
func isHandshakeAlone(r judge.Request) bool {
	return r.Exchange.TLS != nil && len(r.Exchange.Request.Head) == 0 && r.Exchange.Ended == record.Reset
}

// sentSecurely reports whether a message came by TLS.
func sentSecurely(t *judge.T, s judge.Start) bool {
	for _, r := range messagesOf(t, s) {
		if isSecure(r) {
			return true
		}
	}
	return false
}

// secureAgentParams name scenarios in which card and interfaces have addresses of https.
type secureAgentParams struct {
	Plays []string `json:"plays"`
}

// checkSecureAgent judges whether the client sends its message to an agent by https.
func checkSecureAgent(t *judge.T, p secureAgentParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		demandPlainSuccess(t, s)
		last := s.Last()
		switch {
		case sentSecurely(t, s):
			t.OK(last)
		case !s.Ended():
			stopBeforeEnd(t, s)
		case len(s.Requests(isHandshakeAlone)) > 0:
			t.StopInconclusive(trustRemedy, "the client did not trust our certificate authority in the scenario '%s'", s.Play.Scenario)
		default:
			t.Fail(last, "sent no message by https", fmt.Sprintf("a message, as in the plain scenario '%s', in which it succeeded", twinOf(s)))
		}
	})
}

// versionParams choose what of the offered versions of TLS is judged.
type versionParams struct {
	Lowest  string `json:"lowest"`  // none below it is offered
	Highest string `json:"highest"` // it, or a later one, is offered
	Better  string `json:"better"`  // that this one, or a later one, is not offered is a finding
}

// checkOfferedVersions judges the versions of TLS that the client offers in its handshakes.
func checkOfferedVersions(t *judge.T, p versionParams) {
	hellos := t.Requests(func(r judge.Request) bool { return r.Exchange.TLS != nil && r.Exchange.TLS.Hello != nil })
	if len(hellos) == 0 {
		t.StopVacuous("no TLS handshake of the client was recorded")
	}
	judge.Each(t, hellos, func(r judge.Request) {
		hello := r.Exchange.TLS.Hello
		highest, old := 0, ""
		for _, name := range hello.Versions {
			rank := rankVersion(name)
			highest = max(highest, rank)
			if rank < rankVersion(p.Lowest) {
				old = name
			}
		}
		offered := "offered " + shorten.Visible(shorten.Clip(strings.Join(hello.Versions, ", "), 80), 80)
		switch {
		case len(hello.Versions) == 0:
			t.StopUndecided("it is not known which versions of TLS the client offers")
		case p.Lowest != "" && old != "":
			t.Fail(r.Call, offered, p.Lowest+" or later, and nothing older")
		case p.Lowest != "" && !hello.Listed:
			t.StopUndecided("the client names the highest version of TLS alone, %s, so it is not known whether it takes older ones", shorten.Visible(shorten.Clip(hello.Versions[0], 40), 40))
		case highest < rankVersion(p.Highest):
			t.Fail(r.Call, offered, p.Highest+" or later")
		case highest < rankVersion(p.Better):
			t.Tolerate(r.Call, "the client %s; %s is recommended as well", offered, p.Better)
		}
		t.OK(r.Call)
	})
}

// rankVersion returns the number of a version of TLS by its name, by which versions are in order; 0 for "".
func rankVersion(name string) int {
	for v := uint16(tls.VersionTLS13); v > tls.VersionTLS10-2; v-- {
		if tls.VersionName(v) == name {
			return int(v)
		}
	}
	n, _ := strconv.ParseUint(strings.TrimPrefix(name, "0x"), 16, 16) // what has no name is written as its number
	return int(n)
}
