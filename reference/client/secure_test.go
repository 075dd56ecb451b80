package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

// certify returns how the agent is served by TLS, and the authority that its client trusts.
func (s *testAgent) certify(t *testing.T) (*tls.Config, string) {
	t.Helper()
	issuer, issuerKey := makeCertificate(t, x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, NotAfter: time.Now().Add(time.Hour)}, nil, nil)
	trusted := issuer
	as := x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	switch s.secure {
	case "unknown issuer":
		trusted, _ = makeCertificate(t, x509.Certificate{IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}, nil, nil)
	case "other name":
		as.IPAddresses, as.DNSNames = nil, []string{"other.example"}
	case "ended":
		as.NotAfter = time.Now().Add(-time.Hour)
	}
	leaf, key := makeCertificate(t, as, issuer, issuerKey)
	cfg := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS10}
	cfg.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, fmt.Sprintf("handshake: %04x", h.SupportedVersions))
		return nil, nil
	}
	return cfg, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: trusted.Raw}))
}

// makeCertificate makes a certificate by a template, and its key. Without an issuer it is its own.
func makeCertificate(t *testing.T, as x509.Certificate, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	as.SerialNumber, as.NotBefore = big.NewInt(time.Now().UnixNano()), time.Now().Add(-2*time.Hour)
	as.Subject = pkix.Name{CommonName: fmt.Sprint("test ", as.SerialNumber)}
	if issuer == nil {
		issuer, issuerKey = &as, key
	}
	text, err := x509.CreateCertificate(rand.Reader, &as, issuer, key.Public(), issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(text)
	if err != nil {
		t.Fatal(err)
	}
	return made, key
}

// Certificates are verified in full, and a text without one is refused before anything is sent.
func TestCertificatesAreVerified(t *testing.T) {
	for _, dialect := range talking {
		for name, want := range map[string]int{"https": 0, "unknown issuer": 1, "other name": 1, "ended": 1} {
			code, seen := runHealthy(t, situations[name], dialect, "plain")
			if code != want || want != 0 && (strings.Contains(seen, "agent GET") || !strings.Contains(seen, "certificate")) {
				t.Errorf("%s in %q: %s", dialect, name, seen)
			}
		}
	}
	if err := (client.Options{CA: "no certificate"}).Validate(); err == nil || !strings.Contains(err.Error(), "authority") {
		t.Errorf("a text that is no certificate: %v", err)
	}
}
