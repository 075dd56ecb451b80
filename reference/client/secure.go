package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// configureTLS returns how the client makes its handshakes. ca is an authority that it trusts besides those of the system, in
// PEM; "" for none. cert and key are a certificate of its own, which it shows if it is asked for one; "" for none.
func (h *habits) configureTLS(ca, cert, key string) (*tls.Config, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if ca != "" && !roots.AppendCertsFromPEM([]byte(ca)) {
		return nil, errors.New("the certificate authority cannot be read: it is no certificate in PEM")
	}
	cfg := &tls.Config{RootCAs: roots, MinVersion: h.lowestTLS, MaxVersion: h.highestTLS}
	if cert != "" {
		own, err := tls.X509KeyPair([]byte(cert), []byte(key))
		if err != nil {
			return nil, fmt.Errorf("the certificate of the client cannot be read: %w", err)
		}
		cfg.Certificates = []tls.Certificate{own}
	}
	if h.anyIssuer || h.anyName || h.anyTime {
		cfg.InsecureSkipVerify = true
		cfg.VerifyConnection = func(s tls.ConnectionState) error { return h.verifyPartly(s, roots) }
	}
	return cfg, nil
}

// verifyPartly verifies the certificate of a server, but for what the habits pass over.
func (h *habits) verifyPartly(s tls.ConnectionState, roots *x509.CertPool) error {
	leaf := s.PeerCertificates[0]
	due := x509.VerifyOptions{Roots: roots, DNSName: s.ServerName, CurrentTime: time.Now(), Intermediates: x509.NewCertPool()}
	for _, c := range s.PeerCertificates[1:] {
		due.Intermediates.AddCert(c)
	}
	if h.anyIssuer {
		due.Roots = x509.NewCertPool()
		due.Roots.AddCert(leaf)
	}
	if h.anyName {
		due.DNSName = ""
	}
	if h.anyTime {
		due.CurrentTime = leaf.NotAfter.Add(-time.Second)
	}
	_, err := leaf.Verify(due)
	return err
}

// secureMutants make handshakes that they should not make.
var secureMutants = []mutant{
	{name: "tls-any-issuer", summary: "takes a certificate of any issuer", habit: func(h *habits) { h.anyIssuer = true }},
	{name: "tls-any-name", summary: "takes a certificate for any host", habit: func(h *habits) { h.anyName = true }},
	{name: "tls-any-time", summary: "takes a certificate that has ended", habit: func(h *habits) { h.anyTime = true }},
	{name: "tls-1.0-offered", summary: "offers TLS 1.0 too", habit: func(h *habits) { h.lowestTLS = tls.VersionTLS10 }},
	{name: "tls-1.2-at-most", summary: "offers nothing above TLS 1.2", habit: func(h *habits) { h.highestTLS = tls.VersionTLS12 }},
	{name: "tls-1.1-at-most", summary: "offers nothing above TLS 1.1", habit: func(h *habits) { h.lowestTLS, h.highestTLS = tls.VersionTLS10, tls.VersionTLS11 }},
}
