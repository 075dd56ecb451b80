package record

import (
	"crypto/tls"
	"slices"
	"strings"
	"time"
)

// TLS holds the facts of a TLS connection that requirements speak of.
type TLS struct {
	Version     string `json:"version"`
	CipherSuite string `json:"cipherSuite"`
	ServerName  string `json:"serverName"`
	Subject     string `json:"subject,omitempty"`
	Issuer      string `json:"issuer,omitempty"`
	NotAfter    string `json:"notAfter,omitempty"`
	Verified    bool   `json:"verified"`
	// Hello is what a client that connected to us offered. The other facts are empty if nothing came of it.
	Hello *ClientHello `json:"clientHello,omitempty"`
}

// ClientHello is the first message of a client in a handshake.
type ClientHello struct {
	// Versions are those that it offers, such as "TLS 1.3". Unless they are listed, it names the highest one alone, and
	// those below are not known.
	Versions   []string `json:"versions"`
	Listed     bool     `json:"listed"`
	ServerName string   `json:"serverName,omitempty"` // that it asks for; a client names no addresses
	Protocols  []string `json:"protocols,omitempty"`  // by ALPN, such as "h2"
}

// Bounds on what is kept of a ClientHello.
const (
	maxHelloWords = 20
	maxHelloWord  = 253 // bytes of a name
)

// listsVersions is the number of the extension by which a client lists the versions that it offers (RFC 8446, section 4.2.1).
const listsVersions = 43

// DescribeHello returns what is kept of a ClientHello.
func DescribeHello(h *tls.ClientHelloInfo) *ClientHello {
	out := &ClientHello{Listed: slices.Contains(h.Extensions, listsVersions), ServerName: clipHelloWord(h.ServerName)}
	for _, v := range h.SupportedVersions {
		// Clients mix in numbers without a meaning, so that servers learn to pass over them (RFC 8701).
		if v&0x0f0f != 0x0a0a && len(out.Versions) < maxHelloWords {
			out.Versions = append(out.Versions, tls.VersionName(v))
		}
	}
	if !out.Listed { // below the highest one these are guesses
		out.Versions = out.Versions[:min(1, len(out.Versions))]
	}
	for _, p := range h.SupportedProtos[:min(maxHelloWords, len(h.SupportedProtos))] {
		out.Protocols = append(out.Protocols, clipHelloWord(p))
	}
	return out
}

// clipHelloWord returns a name that a client sent as it is kept.
func clipHelloWord(word string) string {
	return strings.ToValidUTF8(word[:min(maxHelloWord, len(word))], "\uFFFD")
}

// DescribeTLS returns the facts of a connection. The name is the one that the certificate of the
// server has to be for; a handshake itself names no addresses.
func DescribeTLS(s tls.ConnectionState, name string, verified bool) *TLS {
	f := &TLS{
		Version:     tls.VersionName(s.Version),
		CipherSuite: tls.CipherSuiteName(s.CipherSuite),
		ServerName:  name,
		Verified:    verified,
	}
	if len(s.PeerCertificates) > 0 {
		leaf := s.PeerCertificates[0]
		f.Subject, f.Issuer = leaf.Subject.String(), leaf.Issuer.String()
		f.NotAfter = leaf.NotAfter.UTC().Format(time.RFC3339)
	}
	return f
}
