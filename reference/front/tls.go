package front

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// A certificate made for one run, for the addresses of this machine.
func newCertificate() (tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "a2a-conform reference server"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// secure puts TLS before a listener if the variant asks for it, to speak a protocol
// above it (A2A 0.1.0, section 4.1).
func (s *Server) secure(l net.Listener, protocol string) (net.Listener, error) {
	if !s.Variant.TLS || s.Mutant.PlainHTTP {
		return l, nil
	}
	if s.ca == nil {
		var err error
		if s.certificate, s.ca, err = newCertificate(); err != nil {
			return nil, err
		}
	}
	c := &tls.Config{Certificates: []tls.Certificate{s.certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{protocol}}
	if s.Mutant.TLS != nil {
		s.Mutant.TLS(c)
	}
	return tls.NewListener(l, c), nil
}

// CA returns the certificate by which clients can verify a server that speaks
// TLS, in PEM form; nil for one that does not.
func (s *Server) CA() []byte { return s.ca }
