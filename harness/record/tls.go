package record

import (
	"crypto/tls"
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
